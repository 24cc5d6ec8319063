"""What a bank nets against several punters, each with a hand of his own: all hands enumerated together.

A hand's course hangs on its own cards alone, but for the banker's shown natural, which ends every turn. So hands are
listed once, and joined: their cards come from one shoe, and the chance of cards in a given order depends on how many
of each points they are, whoever holds them: Π (c)_m / (N)_M with falling factorials, c cards of these points of N.
Zeros that a policy throws away at once, however many come, are summed in closed form beside.

Hands of an infinite shoe are independent once the banker's is known: any number of them is a power. From a shoe, n of
some h hands are C(h + n - 1, n) selections: for three punters some 70,000, for nine of them out of reach.
Exact but for rounding.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement
from math import comb, factorial, fsum, perm
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analysis.dealing import ALWAYS, Dealing
from analysis.shoe import ONE_SUIT

MOST_JOINED: Final = 3  # punters whose hands from a shoe are enumerated
_BASE: Final = 32  # above any number of cards of a kind, or of zeros, that so many hands hold
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Cards = tuple[int, ...]  # how many of 1 to 9 points


class Hand(NamedTuple):
    """What a hand may become. `zeros`: that it holds, or the first that it threw away; `runs`: places at which more
    zeros may come and are thrown away. `first` and `code` are places in the payoff table, before its turn and after
    it; `ended`: it is settled against the banker's first cards."""

    cards: Cards
    zeros: int
    runs: int
    first: int
    code: int
    ended: bool


Hands = Mapping[Hand, float]  # with the weight that each has beside that of its cards


@dataclass(frozen=True)
class Shoe:
    """Full counts of cards by points, or those of one pack, of which the shares stay as they are (`infinite`)."""

    counts: tuple[int, ...]
    infinite: bool = False

    def weights(self, cards: Ints) -> Floats:
        """Of cards [row, points 1 to 9], in any one order; the rest of their chance is `chance`."""
        most = int(cards.max(initial=0)) + 1
        table = np.array([[self._of(count, times) for times in range(most)] for count in self.counts[1:]])
        found: Floats = table[np.arange(9), cards].prod(axis=1)
        return found

    def _of(self, count: int, times: int) -> float:
        return (count / sum(self.counts)) ** times if self.infinite else float(perm(count, times))

    def chance(self, others: int, zeros: int, runs: int) -> float:
        """What the weight of `others` cards is multiplied with, where there are so many zeros and runs of zeros."""
        zero, all_ = self.counts[0], sum(self.counts)
        if self.infinite:
            return float((zero / all_) ** zeros / (1 - zero / all_) ** runs)
        longest = zero - zeros if runs else 0
        return fsum(
            (comb(more + runs - 1, more) if runs else 1)
            * perm(zero, zeros + more)
            / perm(all_, others + zeros + more)
            for more in range(longest + 1)
        )


@dataclass(frozen=True)
class Listed:
    """Hands as arrays."""

    hands: tuple[Hand, ...]
    weight: Floats

    @classmethod
    def of(cls, found: Hands) -> "Listed":
        """From hands and their weights."""
        return cls(tuple(found), np.array(list(found.values()), np.float64))

    @cached_property
    def cards(self) -> Ints:
        return np.array([hand.cards for hand in self.hands], np.int64).reshape(-1, 9)

    def column(self, name: str) -> Ints:
        """One of a hand's numbers, of all."""
        return np.array([getattr(hand, name) for hand in self.hands], np.int64)


def totals(dealing: Dealing, shoe: Shoe | None = None) -> tuple[Ints, Floats]:
    """Nets of all punters together, ascending, and their probabilities. All punters play by the first one's policy.

    `shoe`: fresh cards other than the dealing's own. At most MOST_JOINED punters, unless the shoe is infinite.
    """
    shoe = shoe or (Shoe(tuple(ONE_SUIT), True) if dealing.infinite else Shoe(tuple(map(int, dealing.full))))
    join = _independent if shoe.infinite else _joined
    banker = list_hands(dealing, dealing.hands)
    worst = dealing.hands * int(np.abs(dealing.nets).max())
    found = np.zeros(2 * worst + 1)
    for shown in (True, False):  # the banker's natural, and all else
        met = {hand: weight for hand, weight in banker.items() if hand.ended == shown}
        punters = list_hands(dealing, 0, turns=not shown)
        if met:
            found += join(dealing, shoe, Listed.of(punters), met, worst)
    places = np.flatnonzero(found)
    return places - worst, found[places]


def list_hands(dealing: Dealing, seat: int, *, turns: bool = True) -> Hands:
    """The hands of a seat (the last is the banker's) with their weights; without `turns` as they are dealt."""
    found: dict[Hand, float] = defaultdict(float)
    shown = dealing.ends[1 if seat == dealing.hands else 0]
    for held in np.ndindex((10,) * dealing.rules.first_cards):
        points = sum(held) % 10
        first = points + 10 * (points >= 7)
        if shown[points] or not turns:
            found[_hand(held, (), 0, first, first, True)] += 1
            continue
        for hand, weight in _turn(dealing, seat, held, first):
            found[hand] += weight
    return found


def _turn(dealing: Dealing, seat: int, held: Sequence[int], first: int) -> Iterator[tuple[Hand, float]]:
    """Throw dealt zeros, draw or stand, throw drawn zeros: as `analysis.deal_kernels` deals it."""
    throws = dealing.throws[seat]
    points = sum(held) % 10
    if points or not throws[0]:
        yield from _choice(dealing, seat, (tuple(held), (), 0), first, points)
        return
    banker, late = seat == dealing.hands, dealing.rules.natural_after_discard
    for card in range(1, 10):  # the zero is replaced, and so is every further one
        if late and not banker and dealing.ends[0][card]:
            yield _hand((card,), held, 1, first, card + 10 * (card >= 7), True), 1.0
        else:
            yield from _choice(dealing, seat, ((card,), tuple(held), 1), first, card)


def _choice(
    dealing: Dealing, seat: int, so_far: tuple[Cards, Cards, int], first: int, points: int
) -> Iterator[tuple[Hand, float]]:
    """Draw or stand with the cards held, those thrown away, and the runs of zeros so far."""
    held, thrown, runs = so_far
    natural = points >= 7 and (dealing.rules.natural_after_discard or not thrown)
    drawn = float(dealing.draws[seat, 0, points]) / ALWAYS
    if drawn < 1:
        yield _hand(held, thrown, runs, first, points + 10 * natural, False), 1 - drawn
    if not drawn:
        return
    skips = bool(dealing.throws[seat, 1])
    for card in range(skips, 10):
        yield _hand((*held, card), thrown, runs + skips, first, (points + card) % 10, False), drawn


def _hand(held: Sequence[int], thrown: Sequence[int], runs: int, first: int, code: int, ended: bool) -> Hand:
    cards = [*held, *thrown]
    return Hand(
        tuple(cards.count(points) for points in range(1, 10)), cards.count(0), runs, first, code, ended
    )


def _net(dealing: Dealing, punters: Listed, banker: Hand) -> Ints:
    """What each of the punters' hands nets."""
    meets = np.where(punters.column("ended") == 1, banker.first, banker.code)
    return np.array(dealing.nets)[dealing.codes[punters.column("code"), meets]]


def _alone(shoe: Shoe, listed: Listed) -> Floats:
    """The chance of each of some hands, where no other is known of."""
    others = listed.cards.sum(axis=1)
    rest = [shoe.chance(int(n), hand.zeros, hand.runs) for n, hand in zip(others, listed.hands, strict=True)]
    found: Floats = listed.weight * shoe.weights(listed.cards) * np.array(rest)
    return found


def _independent(dealing: Dealing, shoe: Shoe, punters: Listed, banker: Hands, worst: int) -> Floats:
    """Given the banker's hand every punter nets by himself: the distribution of their sum is a power of it."""
    chances, met = _alone(shoe, punters), Listed.of(banker)
    low = int(np.abs(dealing.nets).max())
    found = np.zeros(2 * worst + 1)
    for hand, chance in zip(met.hands, _alone(shoe, met), strict=True):
        one = np.bincount(_net(dealing, punters, hand) + low, chances, 2 * low + 1)
        whole = np.ones(1)
        for _ in range(dealing.hands):
            whole = np.convolve(whole, one)
        found += chance * whole
    return found


def _joined(dealing: Dealing, shoe: Shoe, punters: Listed, banker: Hands, worst: int) -> Floats:
    """Every selection of as many hands as there are punters, beside every hand of the banker's."""
    found = np.zeros(2 * worst + 1)
    chosen = _selections(len(punters.hands), dealing.hands)
    weight = punters.weight[chosen].prod(axis=1) * _orders(chosen)
    kinds, kind = _alike(punters, chosen)
    cards, zeros, runs = kinds[:, :9], kinds[:, 9], kinds[:, 10]
    sums: dict[tuple[int, int], Ints] = {}
    for (own, more_zeros, more_runs), hands in _by_cards(banker).items():
        taken = cards + np.array(own)
        rest = _rest(shoe, taken.sum(axis=1), zeros + more_zeros, runs + more_runs)
        chance = weight * (shoe.weights(taken) * rest)[kind]
        for hand, times in hands.items():
            met = hand.first, hand.code
            if met not in sums:
                sums[met] = _net(dealing, punters, hand)[chosen].sum(axis=1) + worst
            found += times * np.bincount(sums[met], chance, 2 * worst + 1)
    return found


def _alike(punters: Listed, chosen: Ints) -> tuple[Ints, Ints]:
    """What selections take from the shoe, every kind once [kind, (cards, zeros, runs)], and which kind each is of."""
    taken = np.column_stack([punters.cards, punters.column("zeros"), punters.column("runs")])
    digits = _BASE ** np.arange(taken.shape[1])
    codes, kind = np.unique((taken @ digits)[chosen].sum(axis=1), return_inverse=True)
    return codes[:, None] // digits % _BASE, kind


def _selections(kinds: int, size: int) -> Ints:
    """Every choice of so many of these kinds, [selection, place], ascending."""
    return np.array(list(combinations_with_replacement(range(kinds), size)), np.int64)


def _orders(chosen: Ints) -> Ints:
    """In how many orders each selection may come: size! over the factorials of how often each kind is in it."""
    same = np.ones(len(chosen), np.int64)
    run = np.ones(len(chosen), np.int64)
    for place in range(1, chosen.shape[1]):
        run = np.where(chosen[:, place] == chosen[:, place - 1], run + 1, 1)
        same *= run
    return factorial(chosen.shape[1]) // same


def _by_cards(banker: Hands) -> Mapping[tuple[Cards, int, int], Hands]:
    """The banker's hands by what they take from the shoe."""
    found: dict[tuple[Cards, int, int], dict[Hand, float]] = defaultdict(dict)
    for hand, times in banker.items():
        found[hand.cards, hand.zeros, hand.runs][hand] = times
    return found


def _rest(shoe: Shoe, others: Ints, zeros: Ints, runs: Ints) -> Floats:
    """`Shoe.chance` of each, every kind once."""
    kinds, place = np.unique(np.stack([others, zeros, runs]), axis=1, return_inverse=True)
    values = np.array([shoe.chance(*map(int, kind)) for kind in kinds.T])
    found: Floats = values[place.reshape(-1)]
    return found
