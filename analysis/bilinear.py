"""One punter against the banker, no discards, as a bilinear game in exact integers.

Each side has one choice a coup: the punter draws with probability x_v on v points, the banker with probability
y_g at what he sees: g = (his points, third card, the punter's first points where they lie open). The punter's
expected net, times `scale`, is

    base + gain·x + y·(offset + cross x)        0 <= x, y <= 1

which is the sequence form of a game with one decision a side. Source: D. Koller, N. Megiddo and B. von Stengel,
Efficient computation of equilibria for extensive two-person games (Games and Economic Behavior 14, 1996).
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analysis.shoe import Shoe
from casino.banking.rules import DRAW, FREE, STAND, Rules

Ints = NDArray[np.int64]
NONE, HIDDEN = -1, -2
_POINTS = np.arange(10)
_FIRST = _POINTS + 10 * (_POINTS >= 7)  # code of first cards stood on: naturals from 7 up


class Seen(NamedTuple):
    """What the banker goes by: his points; third card (NONE, HIDDEN or its points); punter's first points or NONE."""

    points: int
    third: int
    first: int


@dataclass(frozen=True)
class Bilinear:
    """The game above, reduced to the choices that dominance leaves open (`open_x`: points; `open_y`).

    `set_x` and `set_y` hold the draw probabilities, 0 or 1, that the rules or dominance settle.
    """

    scale: int
    base: int
    gain: Ints
    offset: Ints
    cross: Ints
    open_x: tuple[int, ...]
    open_y: tuple[Seen, ...]
    set_x: dict[int, int]
    set_y: dict[Seen, int]


@lru_cache(maxsize=16)
def ways(shoe: Shoe, first_cards: int, draws: int = 1) -> Ints:
    """Ordered ways [v, b, w, c] of first points v of the punter and b of the banker, then two more cards w, c.

    The further cards are dealt whether drawn or not, which changes no probability; with `draws` 0 there are none,
    and w = c = 0 in one way.
    """
    table: Ints = np.array(1, np.int64)
    for dealt in range(2 * first_cards):
        table = _deal(table, shoe, dealt)
    for dealt in range(2 * first_cards, 2 * first_cards + 2):
        table = _deal(table, shoe, dealt) if draws else table[..., None] * (_POINTS == 0)
    for axis in range(2 if first_cards == 2 else 0):
        table = _add_points(table, axis)
    table.setflags(write=False)
    return table


def _deal(table: Ints, shoe: Shoe, dealt: int) -> Ints:
    """One axis more: the ways so far times the cards of each value that are left after `dealt` cards."""
    left = np.array(shoe.counts, np.int64)
    for axis in range(0 if shoe.infinite else dealt):
        left = left - (_POINTS.reshape([-1] + [1] * (dealt - axis)) == _POINTS)
    return table[..., None] * np.maximum(left, 0)


def _add_points(table: Ints, axis: int) -> Ints:
    """Two axes of cards, `axis` and the next, made one of points."""
    total: Ints = np.sum([np.roll(table.take(card, axis), card, axis) for card in range(10)], axis=0)
    return total


def bilinear(rules: Rules, shoe: Shoe, reduced: bool = True) -> Bilinear:
    """The game of these rules and this shoe. Discards are left out; without `reduced` dominance settles nothing."""
    table = ways(shoe, rules.first_cards, rules.max_draws)
    draft = _Draft(int(table.sum()))
    _settle(draft, rules, table)
    free = [rule if rules.max_draws else STAND for rule in rules.punter_draw]
    for points, rule in enumerate(free):
        if rule != FREE:
            draft.fix_x(points, rule == DRAW)
    for seen in list(draft.rows):
        letter = rules.tableau[seen.points][0 if seen.third == NONE else max(seen.third, 0) + 1]
        if letter != "F":
            draft.fix_y(seen, letter == "D")
    if reduced:
        draft.eliminate()
    return draft.done()


def _settle(draft: "_Draft", rules: Rules, table: Ints) -> None:
    """Enter every outcome: who ends by a natural, who stands, who draws what."""
    pay = np.array(rules.payoff.table, np.int64)
    both_stand = pay[_FIRST[:, None], _FIRST] * table.sum((2, 3))
    drawn_points = (_POINTS[:, None] + _POINTS) % 10
    banker_draws = np.einsum("vbc,vbc->vb", pay[_FIRST[:, None, None], drawn_points], table.sum(2))
    punter_draws = np.einsum("vwb,vbw->vwb", pay[drawn_points[..., None], _FIRST], table.sum(3))
    both_draw = np.einsum("vwbc,vbwc->vwb", pay[drawn_points[..., None, None], drawn_points], table)

    plays_on = np.ones((10, 10), bool)
    plays_on[list(rules.punter_natural_ends)] = False
    plays_on[:, list(rules.banker_natural_ends)] = False
    draft.base += int(both_stand.sum())
    dealt = table.any((2, 3)) & plays_on
    draft.gain -= (both_stand * plays_on).sum(1)
    draft.gain += (punter_draws * plays_on[:, None]).sum((1, 2))
    draft.points = set(np.flatnonzero(dealt.any(1)).tolist())
    draft.ended = set(rules.punter_natural_ends)
    open_first = rules.exposed != "never"
    for points in range(10):
        for first in range(10):
            if dealt[first, points]:
                seen = Seen(points, NONE, first if open_first else NONE)
                change = int(banker_draws[first, points] - both_stand[first, points])
                draft.add(seen, first, change, -change)
                for third in np.flatnonzero(table[first, points].any(1)).tolist():
                    change = int(both_draw[first, third, points] - punter_draws[first, third, points])
                    draft.add(seen._replace(third=third if rules.draw_face_up else HIDDEN), first, 0, change)


class _Draft:
    """A game while it is put together and its settled choices are taken out."""

    def __init__(self, scale: int) -> None:
        self.scale, self.base = scale, 0
        self.gain = np.zeros(10, np.int64)
        self.rows: dict[Seen, Ints] = {}  # (offset, cross by points)
        self.points: set[int] = set()
        self.ended: set[int] = set()
        self.set_x: dict[int, int] = {}
        self.set_y: dict[Seen, int] = {}

    def add(self, seen: Seen, first: int, offset: int, cross: int) -> None:
        """What the banker's draw at `seen` changes if the punter holds `first` points."""
        row = self.rows.setdefault(seen, np.zeros(11, np.int64))
        row[10] += offset
        row[first] += cross

    def fix_x(self, points: int, draw: bool) -> None:
        """Settle the punter's choice."""
        if points in self.points:
            self.points.discard(points)
            self.set_x[points] = int(draw)
            self.base += int(self.gain[points]) * draw
            for row in self.rows.values():
                row[10] += row[points] * draw
                row[points] = 0
        self.gain[points] = 0

    def fix_y(self, seen: Seen, draw: bool) -> None:
        """Settle the banker's choice."""
        row = self.rows.pop(seen)
        self.set_y[seen] = int(draw)
        self.base += int(row[10]) * draw
        self.gain += row[:10] * draw

    def eliminate(self) -> None:
        """Take out what is (weakly) dominated, over and over: the value stays, and so does an equilibrium."""
        before = -1
        while before != len(self.rows) + len(self.points):
            before = len(self.rows) + len(self.points)
            for seen, row in list(self.rows.items()):
                low, high = (int(row[10] + side(row[:10], 0).sum()) for side in (np.minimum, np.maximum))
                if low >= 0 or high <= 0:
                    self.fix_y(seen, low < 0)
            for points in sorted(self.points):
                column = np.array([0, *(row[points] for row in self.rows.values())], np.int64)
                low, high = (
                    int(self.gain[points] + side(column, 0).sum()) for side in (np.minimum, np.maximum)
                )
                if low >= 0 or high <= 0:
                    self.fix_x(points, high > 0)

    def done(self) -> Bilinear:
        points = sorted(self.points)
        rows = np.array(list(self.rows.values()), np.int64).reshape(-1, 11)
        return Bilinear(
            scale=self.scale,
            base=self.base,
            gain=self.gain[points],
            offset=rows[:, 10],
            cross=rows[:, points],
            open_x=tuple(points),
            open_y=tuple(self.rows),
            set_x=self.set_x,
            set_y=self.set_y,
        )
