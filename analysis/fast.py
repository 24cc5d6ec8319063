"""The same odds by compiled loops: correctly rounded without discards, to a few units in the last place with them.

Without discards every weight is an exact whole number and every figure the correctly rounded quotient of two. With
them the weights are floats: a figure is within 8 units in the last place of the largest net of the rules.
What has no kernel (a banker's best reply, mixed policies, best play by points where zeros or pairs tell more, discards
from an infinite shoe) is worked out exactly.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.numbers import ratio
from analysis.outcome import FirstCards, Spread, outcomes_of
from analysis.shoe import Shoe, full, kept_cards, may_discard
from analysis.solve import Information, solve
from analysis.strategies import BankerTable, PunterTable, banker_table, cached_plan
from casino.banking.plan import DRAW_BIT, STAND_BIT, Plan
from casino.banking.policies import BY_ROTE
from casino.banking.presets import PRESETS
from casino.banking.rules import Rules, build
from casino.banking.text import DISCARD, DRAW, STAND
from casino.errors import RulesError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_POINTS = range(10)
_PLAYED = 2  # parts of a kernel's lines: standing, drawing, the policy, a banker's natural shown
_ACTIONS = {STAND: 0, DRAW: 1}
_MAY = {STAND_BIT: (STAND,), DRAW_BIT: (DRAW,), STAND_BIT | DRAW_BIT: (STAND, DRAW)}


def has_kernel(
    plan: Plan,
    infinite: bool,
    punter: PunterTable | None,
    banker: BankerTable | None,
    information: Information,
) -> bool:
    """Is there a compiled loop for this question?"""
    if banker is None or (may_discard(plan) and infinite):
        return False
    if punter is None:
        return information == "all" or not (may_discard(plan) or plan.first == 2)
    weights = {*punter.draw, *(weight for row in banker.draw for weight in row)}
    return weights <= {0, 1}


@dataclass(frozen=True)
class Fast:
    """One coup worked out by a kernel; the answers are made of its arrays when they are asked."""

    plan: Plan
    shoe: Shoe
    punter: PunterTable | None
    banker: BankerTable

    @cached_property
    def _lines(self) -> tuple[NDArray[Any], NDArray[Any], float]:
        from analysis.loops import loop  # noqa: PLC0415 - numba is loaded with the first kernel

        kernel = loop(self.plan, (self.punter, self.banker), self.shoe.infinite, True)
        lines, more, den = kernel.one(np.array(self.shoe.counts, np.int64))
        if may_discard(self.plan):
            return lines, more, den
        return lines.astype(np.int64), more.astype(np.int64), int(den)

    def whole(self) -> Spread:
        """The whole coup."""
        lines, _, _ = self._lines
        return self._spread(lines[_PLAYED:].sum((0, 1)))

    def evs(self) -> list[dict[str, float]]:
        """By first points: EV of standing and drawing, as allowed, given that he is asked."""
        lines = self._lines[0].tolist()
        found = []
        for points in _POINTS:
            asked = sum(lines[_ACTIONS[STAND]][points][1:]) or sum(lines[_ACTIONS[DRAW]][points][1:])
            found.append({act: lines[_ACTIONS[act]][points][0] / asked for act in self._may(points) if asked})
        return found

    def by_first_card(self) -> dict[int, FirstCards]:
        """What follows first cards of each number of points, and each action on them."""
        (lines, more, den), found = self._lines, {}
        for points in _POINTS:
            spread = self._spread(lines[_PLAYED:, points].sum(0))
            if not spread.total:
                continue
            actions = {action: self._spread(lines[_ACTIONS[action], points]) for action in self._may(points)}
            if points == 0 and self.plan.punter_dealt:
                actions = {DISCARD: self._spread(more)} | actions
            actions = {action: each for action, each in actions.items() if each.total}
            found[points] = FirstCards(points, ratio(spread.total, den), spread, actions)
        return found

    def _may(self, points: int) -> tuple[str, ...]:
        """What a punter who is asked may do; a natural that is shown at once stands."""
        return (STAND,) if points in self.plan.punter_ends else _MAY[self.plan.punter[points]]

    def _spread(self, layers: NDArray[Any]) -> Spread:
        return Spread(outcomes_of(self.plan), tuple(layers[1:].tolist()))


def edges(
    rules: Rules,
    shoes: NDArray[Any],
    punter: PunterTable | None,
    banker: BankerTable,
    information: Information = "all",
) -> Floats:
    """EV of the punter's first coup from each of many shoes `[shoe, points]`, cards left; NaN where a shoe might not
    serve it. Raises RulesError: counts that are negative, or of the wrong shape.
    """
    plan, counts = cached_plan(rules), checked(shoes)
    evs = np.full(len(counts), np.nan)
    fit = serving(plan, counts)
    if has_kernel(plan, False, punter, banker, information):
        from analysis.loops import loop  # noqa: PLC0415

        evs[fit] = loop(plan, (punter, banker), False, False).many(counts[fit], np.zeros((0, 10, 2)))
        return evs
    for at in np.flatnonzero(fit):
        evs[at] = float(
            solve(plan, Shoe(tuple(counts[at].tolist())), punter, banker, information).whole().ev()
        )
    return evs


def tables(
    rules: Rules, shoes: NDArray[Any], punter: PunterTable | None, banker: BankerTable
) -> tuple[Floats, Floats]:
    """`edges`, and `[shoe, points, (stand, draw)]` too: what each action brings on each first card, given that the
    punter is asked (NaN where none is left, or it may not be done). One first card only.
    """
    plan, counts = cached_plan(rules), checked(shoes)
    if plan.first == 2 or not has_kernel(plan, False, punter, banker, "all"):
        raise RulesError("tables of many shoes are for one first card and pure policies", pointer="/rules")
    from analysis.loops import loop  # noqa: PLC0415

    evs, found = np.full(len(counts), np.nan), np.full((len(counts), 10, 2), np.nan)
    fit = serving(plan, counts)
    table = found[fit]
    evs[fit] = loop(plan, (punter, banker), False, False).many(counts[fit], table)
    found[fit] = table
    return evs, found


def serving(plan: Plan, counts: Ints) -> NDArray[np.bool_]:
    """Which shoes `[shoe, points]` can serve a coup, as `shoe.serves`."""
    usable: NDArray[np.bool_] = counts[:, int(may_discard(plan)) :].sum(1) >= kept_cards(plan)
    return usable


def checked(shoes: NDArray[Any]) -> Ints:
    """Shoes as a kernel takes them. Raises RulesError."""
    found = np.ascontiguousarray(shoes, np.int64)
    if found.ndim != 2 or found.shape[1] != 10:
        raise RulesError(f"must be an array [shoe, points], not of shape {found.shape}", pointer="/shoes")
    if found.size and found.min() < 0:
        raise RulesError("must hold no negative counts", pointer="/shoes")
    return found


def warm() -> None:
    """Compile the kernels, or load them from disk, so that no request waits for them."""
    for name in ("house", "punto-banco"):
        rules = build(PRESETS[name][1], {})
        plan, shoes = cached_plan(rules), np.array([full(rules.decks).counts])
        banker = banker_table(BY_ROTE, rules)
        Fast(plan, full(rules.decks), None, banker).whole()
        edges(rules, shoes, None, banker)
