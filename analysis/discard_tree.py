"""A coup with discards as public levels: what the banker can do, counted in ways, in floats or in integers.

Discarded zeros lie open, so after i of them dealt to the punter both sides are where they were, but for i
zeros fewer: level i is a game of its own, and its value stands for it in level i - 1. Within a level the punter
holds a hidden card; the banker's state is (what he has seen, his card b, t zeros gone), since how a number of
discards is shared out between the hands changes no relative chance of the hidden cards.

Everything is in ways: ordered deals of `cap + 4` cards, of which there are `CappedShoe.orders`. With floats the same
code is fast, with Python integers (dtype object) exact. No more than `cap` zeros are discarded in a coup.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from math import comb, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.shoe import ONE_SUIT, Shoe
from casino.banking.rules import Rules

Array = NDArray[Any]
_SUMS = (np.arange(10)[:, None] + np.arange(10)) % 10
_KEPT = 4  # cards that two hands hold at the end
THROWN = 2  # a plan's answer to a dealt zero


@dataclass(frozen=True)
class CappedShoe:
    """Cards left by points (None: infinite) and the most zeros that a coup may discard."""

    counts: tuple[int, ...] | None
    cap: int

    @classmethod
    def of(cls, shoe: Shoe, tail: float) -> "CappedShoe":
        """With the smallest cap that is passed with probability `tail` at most."""
        known = None if shoe.infinite else shoe.counts
        return next(capped for cap in count() if (capped := cls(known, cap)).beyond <= tail)

    @cached_property
    def beyond(self) -> float:
        """Bound on the chance that play without a cap discards more: at most 3 of the first cap + 4 cards count."""
        cards = self.cap + _KEPT
        if self.counts is None:
            ways = sum(comb(cards, few) * 9**few * 4 ** (cards - few) for few in range(_KEPT))
            return float(ways / 13**cards)
        zeros, others = self.counts[0], sum(self.counts[1:])
        if self.cap >= zeros:
            return 0.0
        favourable = sum(comb(others, few) * comb(zeros, cards - few) for few in range(_KEPT))
        return float(favourable / comb(zeros + others, cards))

    def left(self, kept: Array) -> Array:
        """Cards left by points when those counted in `kept` [..., 10] are held."""
        if self.counts is None:
            return np.broadcast_to(np.array(ONE_SUIT), kept.shape)
        return np.asarray(np.maximum(np.array(self.counts) - kept, 0))

    def cards(self, dealt: int) -> int:
        """Cards left after `dealt`."""
        return sum(self.counts) - dealt if self.counts is not None else sum(ONE_SUIT)

    @cached_property
    def orders(self) -> int:
        """Ordered deals of cap + 4 cards."""
        return prod(self.cards(dealt) for dealt in range(self.cap + _KEPT))

    def zeros(self, first: Array, thrown: int) -> Array:
        """Zeros left of `first` when `thrown` more are gone."""
        return np.maximum(first - thrown, 0) if self.counts is not None else first


@dataclass(frozen=True)
class Plan:
    """What the banker does, by zeros gone t, by group: draws on b? a drawn zero: thrown? a dealt zero: 0 stands,
    1 draws, 2 throws it."""

    draws: Array  # [t, group, b]
    throws: Array  # [t, group, b]
    zero: Array  # [t, group]

    def shifted(self, groups: int) -> "Plan":
        """The same for the level above, where one zero fewer is gone and one more may be thrown (`groups` by then)."""
        extra = groups - self.zero.shape[1]
        parts = []
        for table in (self.draws, self.throws, self.zero):
            moved = np.concatenate([table[1:], table[-1:]])
            parts.append(np.concatenate([moved, moved[:, moved.shape[1] - extra :]], axis=1))
        return Plan(*parts)

    def part(self, groups: NDArray[np.int64]) -> "Plan":
        """Some of the groups."""
        return Plan(self.draws[:, groups], self.throws[:, groups], self.zero[:, groups])


def gather(plans: Sequence[Plan], number: NDArray[np.int64]) -> Plan:
    """For each group the plan of its number."""
    groups = np.arange(len(number))
    return Plan(
        *(
            np.stack([getattr(plan, name) for plan in plans])[number, :, groups].swapaxes(0, 1)
            for name in ("draws", "throws", "zero")
        )
    )


@dataclass
class Batch:
    """Situations of the punter after his turn, grouped by what the banker sees of them: arrays [group, type].

    `gone`: zeros discarded so far, ascending over groups. `code`: row of the payoff table. `kept` [..., 10]: the
    punter's cards by points. `weight`: ways of these cards. `letter` [group, b]: 0 stand, 1 draw, 2 free.
    """

    rules: Rules
    shoe: CappedShoe
    gone: NDArray[np.int64]
    code: NDArray[np.int64]
    kept: NDArray[np.int64]
    weight: Array
    letter: NDArray[np.int64]
    held: int = field(init=False)
    left: NDArray[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        self.held = int(self.kept[0, 0].sum())
        self.left = self.shoe.left(self.kept)

    def part(self, groups: NDArray[np.int64]) -> "Batch":
        """Some of the groups (ascending)."""
        return Batch(
            self.rules,
            self.shoe,
            self.gone[groups],
            self.code[groups],
            self.kept[groups],
            self.weight[groups],
            self.letter[groups],
        )

    @cached_property
    def ways(self) -> Array:
        """Orders of the shoe in which a situation comes about [group, type], as floats."""
        rest = np.array(
            [
                float(prod(map(self.shoe.cards, range(gone + self.held, self.shoe.cap + _KEPT))))
                for gone in self.gone
            ]
        )
        thrown = np.ones(self.weight.shape)
        for step in range(int(self.gone[-1])):
            thrown *= np.where(self.gone[:, None] > step, self.shoe.zeros(self.left[..., 0], step), 1)
        ways: Array = self.weight * thrown * rest[:, None]
        return ways

    def costs(self, x: Array | None, plan: Plan | None, exact: bool) -> tuple[Array, Plan]:
        """Ways times the punter's net for each situation [group, type], under a plan or the best one against x.

        `x` [group, type] are the punter's weights; with a plan they are not needed.
        """
        return _Recursion(self, x, plan, object if exact else float).run()


class _Recursion:
    """Backward over t, the zeros gone. Values at t are scaled by `unit`, the orders of the cards after them."""

    def __init__(self, batch: Batch, x: Array | None, plan: Plan | None, kind: type) -> None:
        rules, shoe = batch.rules, batch.shoe
        self.batch, self.rules, self.shoe, self.kind, self.given = batch, rules, shoe, kind, plan
        pay: Array = np.array(rules.payoff.table).astype(kind)
        self.pay: Array = pay[batch.code]  # [group, type, banker's code]
        self.left: Array = batch.left.astype(kind)
        self.weight = batch.weight.astype(kind) * (x if x is not None else 1)
        free = rules.banker_is_free
        self.throws_dealt = rules.banker_discards in ("dealt", "both")
        self.throws_drawn = rules.banker_discards in ("drawn", "both")
        self.rote = not free
        groups, steps = len(batch.gone), shoe.cap + 1
        self.plan = plan or Plan(
            np.zeros((steps, groups, 10), bool),
            np.zeros((steps, groups, 10), bool),
            np.zeros((steps, groups), int),
        )
        # A nonzero card after b: the same for every t but for the cards left.
        nonzero = self.left[..., None, 1:] - (np.eye(10, dtype=int)[:, 1:] if shoe.counts else 0)
        drawn = self.pay[:, :, _SUMS[:, 1:]]
        self.drawn = (np.maximum(nonzero, 0) * drawn).sum(-1)  # [group, type, b]

    def run(self) -> tuple[Array, Plan]:
        shoe, batch = self.shoe, self.batch
        shape = self.drawn.shape
        unit, draw, deal = 1, np.zeros(shape, self.kind), np.zeros(shape[:2], self.kind)
        result = np.zeros(shape[:2], self.kind)
        for gone in range(shoe.cap, int(batch.gone[0]) - 1, -1):
            last = gone == shoe.cap
            here = slice(0, int(np.searchsorted(batch.gone, gone, side="right")))  # groups that can be here
            draw = self._draw(here, gone, draw[here], unit, last)
            unit *= shoe.cards(batch.held + gone + 1)
            deal = self._deal(here, gone, draw, deal[here], unit, last)
            fresh = np.flatnonzero(batch.gone[here] == gone)
            result[fresh] = deal[fresh] * self._thrown(fresh, gone)
        for dealt in range(batch.held + shoe.cap + 2, shoe.cap + _KEPT):
            result = result * shoe.cards(dealt)
        return result * batch.weight.astype(self.kind), self.plan

    def _thrown(self, groups: Any, gone: int) -> Array:
        """Ways of the zeros thrown so far, for each type."""
        ways = np.ones(self.left[groups].shape[:2], self.kind)
        for thrown in range(gone):
            ways = ways * self.shoe.zeros(self.left[groups][..., 0], thrown)
        return ways

    def _draw(self, here: slice, gone: int, later: Array, unit: int, last: bool) -> Array:
        """The banker draws on b [group, type, b]: a zero may be kept or thrown."""
        zeros = self.shoe.zeros(self.left[here, :, 0, None], gone)
        zeros = self.shoe.zeros(zeros, 1) * (np.arange(10) == 0) + zeros * (np.arange(10) != 0)
        keep, throw = self.pay[here, :, :10] * unit, later
        plan = self.plan.throws[gone, here]
        if self.given is None:
            if last or not self.throws_drawn:
                plan[:] = False
            elif self.rote:
                plan[:] = True
            else:
                plan[:] = self._better(here, gone, (keep - throw) * zeros)
        worth: Array = self.drawn[here] * unit + zeros * np.where(plan[:, None], throw, keep)
        return worth

    def _better(self, here: slice, gone: int, gap: Array) -> Array:
        """[group, b]: is the second of two ways better for the banker? `gap` is the first less the second."""
        ways = self.weight[here] * self._thrown(here, gone)
        zeros = self.shoe.zeros(self.left[here, :, :1], gone)
        hand = np.concatenate([zeros, self.left[here, :, 1:]], axis=2)
        return np.asarray((ways[..., None] * hand * gap).sum(1) > 0)

    def _deal(self, here: slice, gone: int, draw: Array, later: Array, unit: int, last: bool) -> Array:
        """The banker is dealt a card [group, type]: he stands, draws, or throws a zero."""
        rules, fresh = self.rules, self.batch.gone[here] == gone
        natural = (fresh[:, None] | rules.natural_after_discard) & (np.arange(10) >= 7)
        stand = np.where(natural[:, None], self.pay[here, :, 10:], self.pay[here, :, :10]) * unit
        plan = self.plan.draws[gone, here]
        if self.given is None:
            letter = self.batch.letter[here]
            plan[:] = (letter == 1) | ((letter == 2) & self._better(here, gone, stand - draw))
        node = np.where(plan[:, None], draw, stand)
        zero = self.plan.zero[gone, here]
        if self.given is None:
            zero[:] = plan[:, 0]
            if self.throws_dealt and not last:
                gap = np.zeros_like(node)
                gap[..., 0] = node[..., 0] - later
                zero[self._better(here, gone, gap)[:, 0] | self.rote] = THROWN
        first = np.where((zero == THROWN)[:, None], later, node[..., 0])
        ended = np.zeros(10, bool)
        ended[list(rules.banker_natural_ends)] = True
        cards = np.where((fresh[:, None] & ended)[:, None], 0, self.left[here])
        zeros = self.shoe.zeros(self.left[here, :, 0], gone)
        worth: Array = (cards[..., 1:] * node[..., 1:]).sum(-1) + zeros * first
        return worth
