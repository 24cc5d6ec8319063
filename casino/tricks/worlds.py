"""Deals that a view allows, each equally likely: what else the hidden cards may be, as far as was seen.

A seat that did not follow a suit holds none of it. Seats with the same suits missing make a group; the ways to
serve the groups one after another from the suits left are counted, and the draw goes by these counts.
"""

from bisect import bisect
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate, product
from math import comb, prod
from operator import sub
from random import Random
from typing import TYPE_CHECKING

from casino.cards import SUITS, face, mask, members
from casino.errors import PositionError
from casino.game import View
from casino.tricks.actions import ALL, OF_SUIT
from casino.tricks.deal import NO_TRUMP, NOT_BID, Deal, voids

if TYPE_CHECKING:
    from casino.tricks.engine import TrickGame

Counts = tuple[int, ...]
"""Cards by suit."""
Group = tuple[int, tuple[bool, ...]]
"""How many cards the seats of a group hold together, and which suits they may hold."""
Seats = list[tuple[int, int]]
"""Seats, each with the number of its cards."""


class Hidden:
    """What a view leaves open. `draw` gives one full state after another from those that it allows."""

    def __init__(self, game: "TrickGame", view: View) -> None:
        self.known = known(game, view)
        seen = out_of_play(self.known)
        for held in self.known.hands:
            seen |= held
        self.suits = [members(ALL & ~seen & suit) for suit in OF_SUIT]
        missing = voids(self.known)
        self.free: Seats = []
        bound: dict[int, Seats] = {}
        for seat, (held, size) in enumerate(zip(self.known.hands, view["hand_sizes"], strict=True)):
            if size and not held:
                (bound.setdefault(missing[seat], []) if missing[seat] else self.free).append((seat, size))
        self.bound = list(bound.values())
        self.groups: tuple[Group, ...] = tuple(
            (sum(size for _, size in seats), tuple(not lacking & suit for suit in OF_SUIT))
            for lacking, seats in bound.items()
        )

    def draw(self, rng: Random) -> Deal:
        """A full situation at random. Raises PositionError if the view allows none."""
        suits = [rng.sample(cards, len(cards)) for cards in self.suits]
        hands = list(self.known.hands)
        for index, seats in enumerate(self.bound):
            share = _pick(self.groups[index:], tuple(map(len, suits)), rng)
            cards = [suit.pop() for suit, count in zip(suits, share, strict=True) for _ in range(count)]
            _hand_out(hands, seats, cards, rng)
        rest = [card for suit in suits for card in suit]
        _hand_out(hands, self.free, rest, rng)
        return replace(self.known, hands=tuple(hands))


def _hand_out(hands: list[int], seats: Seats, cards: list[int], rng: Random) -> None:
    """Cards at random to seats; what is left over takes no part."""
    if sum(size for _, size in seats) > len(cards):
        raise PositionError("no deal is left that this view allows", pointer="/hand_sizes")
    rng.shuffle(cards)
    for seat, size in seats:
        hands[seat] = mask(cards.pop() for _ in range(size))


def _shares(group: Group, counts: Counts) -> list[Counts]:
    """All numbers by suit that a group may hold of so many cards by suit."""
    size, allowed = group
    ranges = [range(min(size, count) * may + 1) for count, may in zip(counts, allowed, strict=True)]
    return [share for share in product(*ranges) if sum(share) == size]


@lru_cache(maxsize=20_000)
def _ways(groups: tuple[Group, ...], counts: Counts) -> int:
    """Ways to serve the groups in turn from so many cards by suit."""
    if not groups:
        return 1
    return sum(_weight(groups, counts, share) for share in _shares(groups[0], counts))


def _weight(groups: tuple[Group, ...], counts: Counts, share: Counts) -> int:
    """Ways in which the first group gets this share."""
    ways = prod(map(comb, counts, share))
    return ways * _ways(groups[1:], tuple(map(sub, counts, share)))


def _pick(groups: tuple[Group, ...], counts: Counts, rng: Random) -> Counts:
    """The first group's share, drawn by the ways it can come about."""
    shares = _shares(groups[0], counts)
    total = list(accumulate(_weight(groups, counts, share) for share in shares))
    if not total or not total[-1]:
        raise PositionError("no deal is left that this view allows", pointer="/hand_sizes")
    return shares[bisect(total, rng.randrange(total[-1]))]


def out_of_play(deal: Deal) -> int:
    """The cards that everyone saw lie: laid ones, and the turned one."""
    seen = mask(deal.trick) | mask(card for _, cards, _ in deal.tricks for card in cards)
    return seen if deal.turned is None else seen | 1 << deal.turned


def known(game: "TrickGame", view: View) -> Deal:
    """The situation as the view has it; hands that it does not show are empty.

    As a state it is good for judging the seat to move alone: that one's hand and all that lies open are there.
    """
    trick = view["trick"]
    seats = range(game.seats)
    leader = trick[0][0] if trick else view["to_move"] if view["phase"] == "tricks" else view["dealer"]
    return Deal(
        dealer=view["dealer"],
        hands=tuple(mask(map(face, held or ())) for held in view["hands"]),
        trump=NO_TRUMP if view["trump"] is None else SUITS.index(view["trump"]),
        turned=None if view["turned"] is None else face(view["turned"]),
        bids=tuple(NOT_BID if view["bids"][seat] is None else view["bids"][seat] for seat in seats),
        taken=tuple(view["taken"]),
        leader=leader,
        trick=tuple(face(card) for _, card in trick),
        tricks=tuple(
            (row["leader"], tuple(map(face, row["cards"])), row["winner"]) for row in view["tricks"]
        ),
    )
