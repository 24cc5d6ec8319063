"""A coup at a table as its banker sees it when he decides: his cards, and what every punter was seen to do."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm

from analysis.frame import HANDS
from analysis.naturals import FIRST, LATER, hand_code
from analysis.shoe import Shoe
from analysis.strategies import PunterTable
from casino.banking.plan import DRAW_BIT, STAND_BIT, Plan
from casino.errors import RulesError


@dataclass(frozen=True, slots=True)
class PunterSeen:
    """One punter's hand. `stake` in chips; `table` is how he is taken to play.

    `drew`; `third`: points of the card he drew, None if it lies face down (or he stood). `first`: points of his first
    cards, where they lie open. `thrown`: zeros he threw before and after his draw. `shown`: a natural that was shown
    at once, settled against the banker's first cards.
    """

    stake: int
    table: PunterTable
    drew: bool = False
    third: int | None = None
    first: tuple[int, ...] | None = None
    thrown: tuple[int, int] = (0, 0)
    shown: bool = False

    @property
    def level(self) -> int:
        return LATER if self.thrown[0] else FIRST


@dataclass(frozen=True, slots=True)
class BankerState:
    """The banker's hand (points of his first cards, of the third if he drew, zeros thrown before and after), and the
    punters from his left.
    """

    cards: tuple[int, ...]
    punters: tuple[PunterSeen, ...]
    third: int | None = None
    thrown: tuple[int, int] = (0, 0)

    @property
    def points(self) -> int:
        return (sum(self.cards) + (self.third or 0)) % 10

    @property
    def level(self) -> int:
        return LATER if self.thrown[0] else FIRST

    def known(self) -> Iterator[tuple[int, str]]:
        """All cards of the coup that the banker has seen, with where each stands."""
        yield from ((card, "/state/card") for card in self.cards)
        if self.third is not None:
            yield self.third, "/state/drawn"
        yield from [(0, "/state/discarded")] * sum(self.thrown)
        for at, punter in enumerate(self.punters):
            where = f"/state/punters/{at}"
            yield from ((card, f"{where}/first") for card in punter.first or ())
            if punter.third is not None:
                yield punter.third, f"{where}/drew"
            yield from [(0, f"{where}/discarded")] * sum(punter.thrown)

    def unknown(self, shoe: Shoe) -> tuple[int, ...]:
        """Cards by points that he has not seen. Raises RulesError: a card that is not there."""
        left = list(shoe.counts)
        for card, where in self.known():
            left[card] -= 1
            if left[card] < 0:
                raise RulesError(f"the shoe holds no such card of {card} points any more", pointer=where)
        return tuple(left)


@dataclass(frozen=True)
class Holding:
    """What one punter may hold concealed: his first cards and third card, by points, each with a weight.

    `first`: weights of first hands by number, None if they lie open; `third`: of a third card face down, None if
    there is none. `expected`: does his policy ever do what he was seen to do?
    """

    punter: PunterSeen
    first: tuple[int, ...] | None
    third: tuple[int, ...] | None
    expected: bool = field(default=True)

    def code(self, plan: Plan, first: int, third: int) -> int:
        """Code of his finished hand, with first cards of so many points and a third of so many."""
        return (first + third) % 10 if self.punter.drew else hand_code(plan, first, self.punter.level)


def holding(plan: Plan, punter: PunterSeen, pool: Sequence[int]) -> Holding:
    """What a punter may hold, by his policy; if it never does what was seen, by the rules alone."""
    first, third = _weights(plan, punter)
    zero_kept = punter.third == 0 and punter.table.discard_drawn
    threw = [(punter.thrown[0], punter.table.discard_dealt), (punter.thrown[1], punter.table.discard_drawn)]
    odd = zero_kept or any(count and not does for count, does in threw)
    if punter.first is not None:
        chance = _does(punter, sum(punter.first) % 10) * (
            not (punter.first == (0,) and punter.table.discard_dealt)
        )
        return Holding(punter, None, third, expected=bool(chance or punter.shown) and not odd)
    possible = any(
        weight and all(hand.cards.count(card) <= pool[card] for card in hand.cards)
        for hand, weight in zip(HANDS[plan.first], first, strict=True)
    )
    if possible and not odd:
        return Holding(punter, first, third)
    return any_holding(plan, punter)


def any_holding(plan: Plan, punter: PunterSeen) -> Holding:
    """What a punter may hold by the rules alone, each card as likely as another."""
    hidden = (1,) * 10 if punter.drew and punter.third is None else None
    if punter.first is not None:
        return Holding(punter, None, hidden, expected=False)
    return Holding(
        punter,
        tuple(int(_may(plan, punter, hand.points)) for hand in HANDS[plan.first]),
        hidden,
        expected=False,
    )


def _weights(plan: Plan, punter: PunterSeen) -> tuple[tuple[int, ...], tuple[int, ...] | None]:
    """Weights of first hands and of a third card face down, by his policy."""
    table = punter.table
    unit = lcm(*(Fraction(weight).denominator for weight in table.draw))
    hands = HANDS[plan.first]
    kept = [not (hand.cards == (0,) and table.discard_dealt) for hand in hands]
    first = [
        int(_does(punter, hand.points) * unit) * keeps * _may(plan, punter, hand.points)
        for hand, keeps in zip(hands, kept, strict=True)
    ]
    hidden = punter.drew and punter.third is None
    return tuple(first), tuple(
        int(card > 0 or not table.discard_drawn) for card in range(10)
    ) if hidden else None


def _does(punter: PunterSeen, points: int) -> Fraction:
    """How likely his policy does what he was seen to do, on these points."""
    draws = Fraction(punter.table.draw[points])
    return draws if punter.drew else 1 - draws


def _may(plan: Plan, punter: PunterSeen, points: int) -> bool:
    """Do the rules let him do so? (A natural that would have been shown at once is none that he holds.)"""
    if points in plan.punter_ends and hand_code(plan, points, punter.level) >= 10:
        return False
    return bool(plan.punter[points] & (DRAW_BIT if punter.drew else STAND_BIT))
