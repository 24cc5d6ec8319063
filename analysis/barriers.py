"""Ruin or goal, for ever: the linear equations of first passage between two barriers.

f(u) = b(u) + Σ_x p(x) f(u + x) over the states 0 … goal - 1; b says what is counted (W. Feller, vol. I, XIV.2-3
and XIV.8 writes them for one step up or down; larger steps overshoot, and b counts every state beyond).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_banded

from analysis.outcomes import BankrollError
from analysis.walk import Walk, check_exact, refuse_above

MOST_STATES = 2_000_000
MOST_CELLS = 30_000_000  # of the band in memory
_EXACT_WORK = 2_000_000
_EXACT_STATES = 400
_ROUNDS = 2

Column = NDArray[Any]


@dataclass(frozen=True)
class Between:
    """From the start of a walk: chances of ruin and of the goal, each by equations of its own, so that a small one
    keeps its digits; and the expected coups on the paths that end so (`coups_ruined` = E[coups; ruin]). Fractions
    where exact, else floats."""

    ruin: Fraction | float
    goal: Fraction | float
    coups_ruined: Fraction | float
    coups_goal: Fraction | float


def between(walk: Walk, *, exact: bool = False) -> Between:
    """First passage of a walk with a goal, for ever. Floats are good to about 1e-10 relative.

    Raises BankrollError where the equations are too many, or where exact answers are asked of inexact
    probabilities.
    """
    check_exact(walk.outcomes, exact=exact)
    states = _states(walk)
    solve = _Exact(walk, states) if exact else _Banded(walk, states)
    kind, start = Fraction if exact else float, walk.start
    ruin, goal = (solve(column) for column in _ends(walk, states, exact=exact))
    return Between(*(kind(column[start]) for column in (ruin, goal, solve(ruin), solve(goal))))


def _states(walk: Walk) -> int:
    if walk.top is None:
        raise BankrollError("two barriers need a goal", pointer="/goal")
    if walk.top > MOST_STATES:
        raise BankrollError(
            f"too large: {walk.top} bankrolls between ruin and goal, the cap is {MOST_STATES}",
            pointer="/goal",
        )
    return walk.top


def _ends(walk: Walk, states: int, *, exact: bool) -> tuple[Column, Column]:
    """Chances of being ruined, and of reaching the goal, by the next coup, by state."""
    chances: Sequence[Any] = walk.outcomes.probabilities if exact else list(walk.long_chances)
    lost, won = np.zeros((2, states), dtype=object if exact else np.longdouble)
    for step, p in zip(walk.steps, chances, strict=True):
        lost[: max(0, -step)] += p
        won[max(0, states - max(0, step)) :] += p
    return lost, won


class _Banded:
    """Floats: a banded solution, refined with residuals in extended precision."""

    def __init__(self, walk: Walk, states: int) -> None:
        self.walk, self.states = walk, states
        self.lower, self.upper = min(walk.down, states - 1), min(walk.up, states - 1)
        if states * (2 * self.lower + self.upper + 1) > MOST_CELLS:
            raise BankrollError(
                f"too large: {states} bankrolls between ruin and goal with nets of {walk.down + walk.up} steps",
                pointer="/goal",
            )
        refuse_above(
            states * (self.lower + 1) * (self.lower + self.upper + 1),
            f"{states} bankrolls between ruin and goal",
        )
        self.band = np.zeros((self.lower + self.upper + 1, states))
        self.band[self.upper] = 1.0
        for step, p in self._moves():
            row = self.band[self.upper - step]
            row[max(step, 0) : states + min(step, 0)] -= float(p)

    def _moves(self) -> list[tuple[int, Any]]:
        pairs = zip(self.walk.steps, self.walk.long_chances, strict=True)
        return [(step, p) for step, p in pairs if abs(step) < self.states]

    def __call__(self, counted: Column) -> Column:
        found = np.zeros(self.states, dtype=np.longdouble)
        for _ in range(1 + _ROUNDS):
            residual = counted - found
            for step, p in self._moves():
                low, high = max(0, -step), self.states - max(0, step)
                residual[low:high] += p * found[low + step : high + step]
            found = found + solve_banded((self.lower, self.upper), self.band, residual.astype(np.float64))
        return found.astype(np.float64)


class _Exact:
    """Fractions: elimination from the top state down, then substitution upwards."""

    def __init__(self, walk: Walk, states: int) -> None:
        work = states * (walk.down + 1) * (min(walk.up, states) + walk.down + 1) * states
        if states > _EXACT_STATES or work > _EXACT_WORK:
            raise BankrollError(
                f"too large for fractions: {states} bankrolls between ruin and goal (up to {_EXACT_STATES}, fewer"
                " with large nets); ask for floats",
                pointer="/goal",
            )
        self.states = states
        moves = list(zip(walk.steps, walk.outcomes.probabilities, strict=True))
        self.rows = [{u + s: p for s, p in moves if 0 <= u + s < states} for u in range(states)]

    def __call__(self, counted: Column) -> Column:
        """State by state from the top, f(u) is written by lower states: f(u) = value + Σ weight · f(lower)."""
        solved: dict[int, tuple[Fraction, dict[int, Fraction]]] = {}
        for u in range(self.states - 1, -1, -1):
            solved[u] = self._eliminate(u, Fraction(counted[u]), dict(self.rows[u]), solved)
        found = np.empty(self.states, dtype=object)
        for u in range(self.states):
            value, weights = solved[u]
            found[u] = value + sum((weight * found[v] for v, weight in weights.items()), Fraction(0))
        return found

    @staticmethod
    def _eliminate(
        u: int,
        value: Fraction,
        weights: dict[int, Fraction],
        solved: dict[int, tuple[Fraction, dict[int, Fraction]]],
    ) -> tuple[Fraction, dict[int, Fraction]]:
        while higher := [v for v in weights if v > u]:
            top = max(higher)
            share = weights.pop(top)
            value += share * solved[top][0]
            for v, weight in solved[top][1].items():
                weights[v] = weights.get(v, Fraction(0)) + share * weight
        left = 1 - weights.pop(u, Fraction(0))
        return value / left, {v: weight / left for v, weight in weights.items()}
