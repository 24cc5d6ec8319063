"""One level of a coup with discards: the punter's situations, his plan, and what ends at once.

See `analysis.discard_tree` for levels and ways.
"""

from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from analysis.bilinear import HIDDEN, NONE, Seen
from analysis.discard_tree import Array, Batch, CappedShoe
from casino.banking.rules import DRAW, STAND, Rules

_V = np.arange(10)
_UNITS = np.eye(10, dtype=int)


class Level:
    """The game after `gone` dealt zeros were thrown by the punter.

    His plan: `r[j, v]`, the chance that he holds v, has drawn, and has thrown j drawn zeros and is dealt another
    card (r[0, v]: that he draws), and `e`, that he throws the dealt zero.
    """

    def __init__(self, rules: Rules, shoe: CappedShoe, gone: int) -> None:
        self.rules, self.shoe, self.gone = rules, shoe, gone
        more = rules.punter_discards in ("drawn", "both") and rules.max_draws > 0
        self.last = shoe.cap - gone if more else 0  # most drawn zeros thrown
        self.throws = rules.punter_discards in ("dealt", "both") and gone < shoe.cap
        self.natural = (_V >= 7) & (gone == 0 or rules.natural_after_discard)
        ended = self.natural & np.isin(_V, rules.punter_natural_ends)
        first = shoe.left(np.zeros(10, int))
        self.ended = np.where(ended, first, 0)
        self._ways = np.where(ended, 0, first)
        self._opens = rules.exposed != "never"
        self._tableau = np.array([["SDF".index(letter) for letter in row] for row in rules.tableau])
        self._set_axes()
        self.stand, self.draw = self._stand(), self._draw()

    def _set_axes(self) -> None:
        """Which of (j, v, w) the banker sees: these axes number the groups, the others the types of hands."""
        seen = [0] + [1] * self._opens + [2] * self.rules.draw_face_up
        self._axes = seen + [axis for axis in (1, 2) if axis not in seen]
        shape = (self.last + 1, 10, 10)
        self._shape = tuple(shape[axis] for axis in self._axes)
        self._flat = (prod(self._shape[: len(seen)]), prod(self._shape[len(seen) :]))
        self._stand_shape = (10, 1) if self._opens else (1, 10)

    def _stand(self) -> Batch:
        groups = self._stand_shape[0]
        return Batch(
            self.rules,
            self.shoe,
            gone=np.full(groups, self.gone),
            code=(_V + 10 * self.natural).reshape(self._stand_shape),
            kept=_UNITS.reshape(*self._stand_shape, 10),
            weight=self._ways.reshape(self._stand_shape),
            letter=np.tile(self._tableau[:, 0], (groups, 1)),
        )

    def _draw(self) -> Batch:
        step, first, third = np.indices((self.last + 1, 10, 10))
        kept = _UNITS[:, None] + _UNITS
        return Batch(
            self.rules,
            self.shoe,
            gone=self.gone + self.grouped(step)[:, 0],
            code=self.grouped((first + third) % 10),
            kept=np.stack([self.grouped(kept[first, third, card]) for card in _V], axis=-1),
            weight=self.grouped((self._ways[:, None] * self.shoe.left(_UNITS))[first, third]),
            letter=self._tableau.T[self.grouped(third + 1)[:, 0]],
        )

    def sights(self) -> list[Seen]:
        """What the banker has seen, group by group, before any drawn zero was thrown (his points left open)."""
        firsts = range(10) if self._opens else (NONE,)
        thirds = range(10) if self.rules.draw_face_up else (HIDDEN,)
        stood = [Seen(0, NONE, first) for first in firsts]
        return stood + [Seen(0, third, first) for first in firsts for third in thirds]

    def grouped(self, table: Array) -> Array:
        """[j, v, w] as [group, type]: what the banker sees, and what he does not."""
        return np.transpose(table, self._axes).reshape(self._flat)

    def spread(self, table: Array) -> Array:
        """The way back."""
        return np.transpose(table.reshape(self._shape), np.argsort(self._axes))

    def weights(self, r: Array, e: Any, one: Any) -> tuple[Array, Array]:
        """The plan as weights of the situations: of those who stand [group, type], of those who drew."""
        stands = one - r[0]
        stands[0] -= e
        kept = np.repeat(r[:, :, None], 10, axis=2)
        kept[:-1, :, 0] -= r[1:]
        return stands.reshape(self._stand_shape), self.grouped(kept)

    def settled(self) -> int:
        """Ways times net of what ends before anyone chooses: naturals that are shown at once."""
        rules, shoe = self.rules, self.shoe
        first = shoe.left(np.zeros(10, int)).astype(object)
        pay = np.array(rules.payoff.table, object)[np.ix_(_V + 10 * (_V >= 7), _V + 10 * (_V >= 7))]
        shown = np.isin(_V, rules.banker_natural_ends)
        hands = shoe.left(_UNITS).astype(object)
        hands[1:, 0] = shoe.zeros(hands[1:, 0], self.gone)
        both = np.where(shown, 0, self.ended[:, None]) * hands
        if self.gone == 0:
            both = both + np.where(shown, first[:, None], 0) * hands
        total = int((both * pay).sum())
        for thrown in range(self.gone):
            total *= int(shoe.zeros(first[0], thrown))
        for dealt in range(self.gone + 2, shoe.cap + 4):
            total *= shoe.cards(dealt)
        return total

    def limits(self) -> NDArray[np.float64]:
        """Bounds of r[0] by points (low, high): what the rules leave free."""
        rule = np.array(self.rules.punter_draw)
        free = (self.ended == 0) & (self.rules.max_draws > 0)
        return np.stack([(rule == DRAW) & free, (rule != STAND) & free], 1).astype(float)

    # The plan (r, e) as a vector, for the linear program

    @property
    def plan_size(self) -> int:
        """Length of r."""
        return (self.last + 1) * 10

    @property
    def must_act_on_zero(self) -> bool:
        """Must the punter draw on a dealt zero, unless he throws it?"""
        return bool(self.limits()[0, 0])

    def linear(self, stand: Array, draw: Array) -> tuple[csr_array, NDArray[np.float64]]:
        """Ways times net of each group as rows over (r, e) and constants, from the costs of the situations."""
        stands = np.arange(10) if len(stand) == 10 else np.zeros(10, int)
        groups = len(stand) + len(draw)
        width = draw.shape[1]
        owner = len(stand) + self.spread(np.arange(draw.size).reshape(draw.shape) // width).ravel()
        step, first, card = (axis.ravel() for axis in np.indices((self.last + 1, 10, 10)))
        kept = np.flatnonzero((card == 0) & (step < self.last))
        column, flat, lost = step * 10 + first, self.spread(draw).ravel(), stand.ravel()
        values = np.concatenate([-lost, -lost[:1], flat, -flat[kept]])
        rows = np.concatenate([stands, stands[:1], owner, owner[kept]])
        columns = np.concatenate([_V, [self.plan_size], column, column[kept] + 10])
        body = csr_array((values, (rows, columns)), shape=(groups, self.plan_size + 1))
        return body, np.bincount(stands, lost, groups).astype(np.float64)

    def polytope(self) -> tuple[NDArray[np.float64], csr_array, csr_array]:
        """All plans: bounds [low, high] of (r, e), rows that are at most 0, and one that is at most 1."""
        size, limits = self.plan_size, self.limits()
        bounds = np.vstack([limits, np.tile([0.0, 1.0], (size - 9, 1))])
        bounds[10:-1, 1] = np.tile(limits[:, 1], self.last)
        bounds[-1, 1] = self.throws
        bounds[0, 0] *= not self.throws
        chain = np.arange(10, size)
        rows = np.tile(np.arange(len(chain)), 2)
        signs = np.repeat([1.0, -1.0], len(chain))
        order = csr_array((signs, (rows, np.concatenate([chain, chain - 10]))), shape=(len(chain), size + 1))
        whole = csr_array((np.ones(2), (np.zeros(2, int), [0, size])), shape=(1, size + 1))
        return bounds, order, whole

    def first_guess(self) -> tuple[NDArray[np.float64], float]:
        """A plan to start from: every zero is thrown, the punter draws on 5 or fewer where he may."""
        limits = self.limits()
        return self.adapt(np.clip(np.where(_V <= 5, 1.0, 0.0), limits[:, 0], limits[:, 1])[None])

    def adapt(self, r: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
        """A plan of the level below taken over."""
        limits = self.limits()
        rows = np.vstack([r, np.repeat(r[-1:], max(0, self.last + 1 - len(r)), axis=0)])[: self.last + 1]
        rows = np.minimum.accumulate(rows)
        rows[0] = np.clip(rows[0], limits[:, 0], limits[:, 1])
        if self.throws:
            rows[:, 0] = 0.0
        return rows, float(self.throws)
