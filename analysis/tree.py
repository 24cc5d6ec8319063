"""One seat's part of a coup: throw a dealt zero or keep it, draw or stand, throw a drawn zero or keep it.

Both seats have the same tree; what stands at its ends (`Leaves`) differs. Values are packed weights of a `Frame`,
indexed by the zeros thrown so far in the coup by either seat, by level (first cards as dealt, or one that replaced
a thrown zero) and by hand. Backward induction over the zeros is exact: each throw leaves one less.
"""

from dataclasses import dataclass, field
from typing import Protocol

from analysis.frame import Frame
from analysis.naturals import FIRST, LATER, LEVELS
from casino.banking.plan import DRAW_BIT, STAND_BIT
from casino.banking.text import DISCARD, DRAW, STAND

Row = list[int]


@dataclass(frozen=True, slots=True)
class Leaves:
    """Values of the ends of a tree, each with the weight of the whole line to it.

    `stand[thrown][level][hand]`, `drawn[level][thrown][hand]` (mostly one list for both levels) with
    the third card a zero, and any other;
    `fixed[level]`: hands that have no choice but to stand at that level (a natural shown at once, or one that
    never comes to the seat's turn).
    """

    stand: list[tuple[Row, Row]]
    drawn: tuple[list[list[Row]], list[list[Row]]]
    fixed: tuple[frozenset[int], frozenset[int]]


@dataclass(frozen=True, slots=True)
class Seat:
    """What the rules let a seat do: bits of draw and stand by hand, which zeros it may throw; `sign` 1 punter."""

    bits: tuple[int, ...]
    throws_dealt: bool
    throws_drawn: bool
    sign: int


class Choice(Protocol):
    """How a seat decides. `draw` is a weight out of `unit`."""

    unit: int

    def draw(self, thrown: int, level: int, hand: int, stand: int, drawn: int) -> int: ...

    def again(self, thrown: int, level: int, hand: int, keep: int, more: int) -> bool: ...

    def replace(self, thrown: int, level: int, keep: int, more: int) -> bool: ...


@dataclass(slots=True)
class Given:
    """A policy by hand, the same whatever zeros were thrown: draw weights out of `unit`, which zeros go.

    `drawn_zero` may differ by hand.
    """

    weights: tuple[int, ...]
    dealt_zero: bool
    drawn_zero: tuple[bool, ...]
    unit: int = 1

    def draw(self, thrown: int, level: int, hand: int, stand: int, drawn: int) -> int:
        return self.weights[hand]

    def again(self, thrown: int, level: int, hand: int, keep: int, more: int) -> bool:
        return self.drawn_zero[hand]

    def replace(self, thrown: int, level: int, keep: int, more: int) -> bool:
        return self.dealt_zero


@dataclass(slots=True)
class Best:
    """The best choice everywhere, by all that the seat has seen; remembers what it chose.

    Equal values: it stands, and keeps no zero.
    """

    frame: Frame
    sign: int
    unit: int = 1
    draws: dict[tuple[int, int, int], bool] = field(default_factory=dict)
    throws_drawn: dict[tuple[int, int, int], bool] = field(default_factory=dict)
    throws_dealt: dict[tuple[int, int], bool] = field(default_factory=dict)

    def draw(self, thrown: int, level: int, hand: int, stand: int, drawn: int) -> int:
        chosen = self.frame.prefers(self.sign, drawn, stand)
        self.draws[thrown, level, hand] = chosen
        return int(chosen)

    def again(self, thrown: int, level: int, hand: int, keep: int, more: int) -> bool:
        chosen = not self.frame.prefers(self.sign, keep, more)
        self.throws_drawn[thrown, level, hand] = chosen
        return chosen

    def replace(self, thrown: int, level: int, keep: int, more: int) -> bool:
        chosen = not self.frame.prefers(self.sign, keep, more)
        self.throws_dealt[thrown, level] = chosen
        return chosen


@dataclass(slots=True)
class Recalled:
    """Plays what a `Best` chose."""

    best: Best
    unit: int = 1

    def draw(self, thrown: int, level: int, hand: int, stand: int, drawn: int) -> int:
        return int(self.best.draws[thrown, level, hand])

    def again(self, thrown: int, level: int, hand: int, keep: int, more: int) -> bool:
        return self.best.throws_drawn[thrown, level, hand]

    def replace(self, thrown: int, level: int, keep: int, more: int) -> bool:
        return self.best.throws_dealt[thrown, level]


@dataclass(frozen=True, slots=True)
class Values:
    """What a tree is worth, by zeros thrown before: `drew[thrown][level][hand]`, `hand[thrown][level][hand]`,
    `whole[thrown][level]`; `more[thrown]` is the part that comes after a dealt zero is thrown there.
    """

    drew: list[tuple[Row, Row]]
    hand: list[tuple[Row, Row]]
    whole: list[tuple[int, int]]
    more: list[int]


def action_values(
    seat: Seat, leaves: Leaves, values: Values, at: tuple[int, int, int], unit: int = 1
) -> dict[str, int]:
    """What each allowed action is worth `at` (zeros thrown, level, hand), the seat then playing as in `values`."""
    thrown, level, hand = at
    fixed = hand in leaves.fixed[level]
    found = {}
    if seat.throws_dealt and hand == 0:
        found[DISCARD] = values.more[thrown]
    if seat.bits[hand] & STAND_BIT or fixed:
        found[STAND] = unit * leaves.stand[thrown][level][hand]
    if seat.bits[hand] & DRAW_BIT and not fixed:
        found[DRAW] = unit * values.drew[thrown][level][hand]
    return found


def play(frame: Frame, seat: Seat, leaves: Leaves, choice: Choice) -> Values:
    """The values of a seat's tree under its choices, from the last zero back to the first."""
    walk = _endless if frame.shoe.infinite else _backwards
    return walk(frame, seat, leaves, choice)


def _backwards(frame: Frame, seat: Seat, leaves: Leaves, choice: Choice) -> Values:
    values = Values([], [], [], [])
    drew: tuple[Row, Row] = ([0] * len(seat.bits),) * 2
    follow = 0
    for thrown in range(len(leaves.stand) - 1, -1, -1):
        drew = _draws(seat, leaves, choice, thrown, drew)
        rows = _rows(seat, leaves, choice, thrown, drew)
        first, later = (_whole(seat, rows[level], choice, (thrown, level), follow) for level in LEVELS)
        values.drew.append(drew)
        values.hand.append(rows)
        values.whole.append((first, later))
        values.more.append(follow)
        follow = later
    return Values(values.drew[::-1], values.hand[::-1], values.whole[::-1], values.more[::-1])


def _draws(seat: Seat, leaves: Leaves, choice: Choice, thrown: int, more: tuple[Row, Row]) -> tuple[Row, Row]:
    """Every hand that draws; `more` is its worth after one drawn zero more is thrown."""

    def row(level: int) -> Row:
        found = []
        for hand, cards in enumerate(leaves.drawn[level][thrown]):
            throws = seat.throws_drawn and choice.again(thrown, level, hand, cards[0], more[level][hand])
            found.append(sum(cards[1:]) + more[level][hand] if throws else sum(cards))
        return found

    first = row(FIRST)
    return first, first if leaves.drawn[FIRST] is leaves.drawn[LATER] else row(LATER)


def _endless(frame: Frame, seat: Seat, leaves: Leaves, choice: Choice) -> Values:
    """An infinite shoe: a zero thrown changes nothing, so that all of them are one geometric sum."""
    drew: list[Row] = []
    for level in LEVELS:
        drew.append([])
        for hand, cards in enumerate(leaves.drawn[level][0]):
            keep, without = sum(cards), frame.close(sum(cards[1:]))
            throws = seat.throws_drawn and choice.again(0, level, hand, keep, without)
            drew[level].append(without if throws else keep)
    rows = _rows(seat, leaves, choice, 0, (drew[FIRST], drew[LATER]))
    keep, without = sum(rows[LATER]), frame.close(sum(rows[LATER][1:]))
    later = without if seat.throws_dealt and choice.replace(0, LATER, keep, without) else keep
    follow = frame.thrown(later)
    first = _whole(seat, rows[FIRST], choice, (0, FIRST), follow)
    return Values([(drew[FIRST], drew[LATER])], [rows], [(first, later)], [follow])


def _rows(seat: Seat, leaves: Leaves, choice: Choice, thrown: int, drew: tuple[Row, Row]) -> tuple[Row, Row]:
    """Every hand with its draw decided, at both levels."""
    rows: list[Row] = []
    for level, stand in enumerate(leaves.stand[thrown]):
        row = []
        for hand, bits in enumerate(seat.bits):
            free = STAND_BIT if hand in leaves.fixed[level] else bits
            weight = choice.unit if free == DRAW_BIT else 0
            if free == DRAW_BIT | STAND_BIT:
                weight = choice.draw(thrown, level, hand, stand[hand], drew[level][hand])
            row.append((choice.unit - weight) * stand[hand] + weight * drew[level][hand])
        rows.append(row)
    return rows[FIRST], rows[LATER]


def _whole(seat: Seat, row: Row, choice: Choice, at: tuple[int, int], follow: int) -> int:
    """All hands together; `follow` is what comes after a dealt zero is thrown."""
    if seat.throws_dealt and choice.replace(*at, row[0], follow):
        return sum(row[1:]) + follow
    return sum(row)
