"""Worlds: full states drawn at random from those that a view allows. Bots plan with them, leak tests rely on them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import perm, prod
from random import Random
from typing import TYPE_CHECKING, Any, Final

from casino.banking.coup import Coup
from casino.banking.hands import CONCEALED, NATURALS_FROM, Hand
from casino.banking.plan import DRAW_BIT, STAND_BIT
from casino.banking.shoe import Shoe
from casino.cards import FACES, POINTS, face, faces
from casino.errors import PositionError

if TYPE_CHECKING:
    from casino.banking.state import BankingState

_TRIES: Final = 10_000
_SAME: Final = ("phase", "bank", "bank_number", "commitment", "waiting", "last")
_FLAGS: Final = ("drew", "stood", "done", "ended")


def draw_world(state: "BankingState", view: Mapping[str, Any], rng: Random) -> "BankingState":
    """Fill a blank state so that the viewer sees just this; every deal of the unseen cards is equally likely.

    What nobody at a table may know of another (purses, seeds) is made up. Raises PositionError if the view
    allows no deal at all.
    """
    _copy_open(state, view, rng)
    if view["shuffles"]:
        _draw_cards(state, view, rng)
    return state


def _copy_open(state: "BankingState", view: Mapping[str, Any], rng: Random) -> None:
    game, plan = state.game, state.game.plan
    for name in _SAME:
        setattr(state, name, view[name])
    state.banker = view["banker"] or 0
    state.coups = view["coup"] - (view["phase"] == "stakes")
    state.been, state.declined = list(view["been"]), list(view["declined"])
    state.single, state.reason, state.net = view["position"], view.get("reason", ""), view.get("net")
    if view["commitment"] is not None or view["position"]:
        state.server_seed = rng.randbytes(32)
    for seat, entry in enumerate(view["seats"]):
        state.occupied[seat], state.leaving[seat] = entry["occupied"], entry["leaving"]
        state.stakes[seat], state.sat[seat] = entry["stake"], entry["sat"]
        state.escrow[seat] = entry["stake"] * (plan.worst_loss + plan.worst_payout)
        state.client_seeds[seat] = rng.randbytes(8) if entry["seeded"] else None
        state.purses[seat] = 0 if view["waiting"] else rng.randrange(2 * game.purse + 1)
    if view["seat"] is not None:
        state.purses[view["seat"]] = view["purse"]


# Cards


@dataclass(frozen=True, slots=True)
class _Gap:
    """A hand with concealed cards: their places, and the points they may have together."""

    hand: Hand
    places: tuple[int, ...]
    fits: tuple[tuple[int, ...], ...]

    def ways(self, counts: Sequence[int]) -> list[int]:
        """For each fitting tuple of points, in how many ways a pool with these counts gives it."""
        return [prod(perm(counts[points], fit.count(points)) for points in set(fit)) for fit in self.fits]


def _draw_cards(state: "BankingState", view: Mapping[str, Any], rng: Random) -> None:
    plan, decks = state.game.plan, state.game.rules.decks
    entries = [(seat, entry) for seat, entry in enumerate(view["seats"]) if "cards" in entry]
    first, count = state.banker + 1, state.game.seats
    entries.sort(key=lambda item: (item[0] - first) % count)
    hands = [_open_hand(seat, entry, plan.first) for seat, entry in entries]
    pool = [decks] * FACES
    for card in faces(view["played"]):
        pool[card] -= 1
    for hand in hands:
        for card in hand.cards:
            if 0 <= card < FACES:
                pool[card] -= 1
    coup = Coup(plan, Shoe(decks, [[]], b""), state.coups, state.events)
    coup.hands = hands
    if hands:
        coup.turn = [hand.seat for hand in hands].index(view["awaited"][0])
        state.coup = coup
        _fill(coup, pool, view["shoe_left"], rng)
    rest = [card for card, left in enumerate(pool) for _ in range(left)]
    rng.shuffle(rest)
    state.shoe = coup.shoe = Shoe(decks, [rest] * view["shuffles"], rng.randbytes(32))


def _open_hand(seat: int, entry: Mapping[str, Any], first: int) -> Hand:
    """The hand as it is seen; a concealed card is FACES, which is no card of a pack."""
    hand = Hand(seat, entry["open"])
    words = entry["cards"].split()
    for word in words:
        if word[0] == "(":
            hand.cards.append(~face(word[1:-1]))
        else:
            hand.cards.append(FACES if word == CONCEALED else face(word))
    hand.replaced = first == 1 and words[0][0] == "("
    for flag in _FLAGS:
        setattr(hand, flag, entry[flag])
    return hand


def _fill(coup: Coup, pool: list[int], shoe_left: int, rng: Random) -> None:
    """Deal the unseen cards to the concealed places, every possible deal being equally likely."""
    gaps = [gap for hand in coup.hands if (gap := _gap(coup, hand, shoe_left)) is not None]
    for gap, fit in zip(gaps, _points_for(gaps, pool, rng), strict=True):
        for place, points in zip(gap.places, fit, strict=True):
            gap.hand.cards[place] = _take(pool, points, rng)
    for hand in coup.hands:
        hand.points = sum(POINTS[card] for card in hand.cards if card >= 0) % 10


def _points_for(gaps: Sequence[_Gap], pool: Sequence[int], rng: Random) -> list[tuple[int, ...]]:
    """Points for each gap. Raises PositionError if no deal fits.

    Hand by hand, each in proportion to its ways; as earlier hands leave later ones fewer ways, the whole is
    kept with the chance that sets this right.
    """
    counts = [0] * 10
    for card, number in enumerate(pool):
        counts[POINTS[card]] += number
    most = [sum(gap.ways(counts)) for gap in gaps]
    for _ in range(_TRIES if all(most) else 0):
        left, chosen, odds = counts[:], [], 1.0
        for gap, ways in zip(gaps, most, strict=True):
            weights = gap.ways(left)
            odds *= sum(weights) / ways
            if not odds:
                break
            fit = rng.choices(gap.fits, weights)[0]
            chosen.append(fit)
            for points in fit:
                left[points] -= 1
        if odds and rng.random() < odds:
            return chosen
    raise PositionError("no deal of the unseen cards is left that this view allows", pointer="/seats")


def _take(pool: list[int], points: int, rng: Random) -> int:
    cards = [card for card in range(FACES) if POINTS[card] == points]
    card = rng.choices(cards, [pool[card] for card in cards])[0]
    pool[card] -= 1
    return card


def _gap(coup: Coup, hand: Hand, shoe_left: int) -> _Gap | None:
    places = tuple(place for place, card in enumerate(hand.cards) if card == FACES)
    if not places:
        return None
    fits = [
        fit
        for fit in product(range(10), repeat=len(places))
        if _fits(coup, hand, dict(zip(places, fit, strict=True)), shoe_left)
    ]
    return _Gap(hand, places, tuple(fits))


def _fits(coup: Coup, hand: Hand, concealed: Mapping[int, int], shoe_left: int) -> bool:
    """Could a hand with these points in its concealed places have done what it was seen to do?"""
    plan = coup.plan
    kept = [concealed.get(place, POINTS[card % FACES]) for place, card in enumerate(hand.cards) if card >= 0]
    first = sum(kept[: plan.first]) % 10
    if hand is coup.banker:
        return first not in plan.banker_ends or hand.replaced
    natural = first >= NATURALS_FROM and (plan.natural_after_discard or not hand.replaced)
    if natural and first in plan.punter_ends:
        return False
    dry = plan.dry and not shoe_left
    if hand.drew:
        return bool(plan.punter[first] & DRAW_BIT) and _drawn_fits(coup, hand, kept[-1], dry)
    if hand.stood:
        return dry or bool(plan.punter[first] & STAND_BIT)
    if hand is coup.actor():
        bits = plan.punter[first]
        zero = kept[-1] == 0 and plan.punter_dealt
        return zero or bits == DRAW_BIT | STAND_BIT
    return True


def _drawn_fits(coup: Coup, hand: Hand, drawn: int, dry: bool) -> bool:
    """A drawn zero that may be thrown leaves a choice; any other drawn card ends the hand."""
    choice = drawn == 0 and coup.plan.punter_drawn and not dry
    if hand.stood or not hand.done:
        return choice
    return not choice
