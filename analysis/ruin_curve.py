"""Risk of ruin of many bankrolls at once, for a picture."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from analysis.ladder import ladder
from analysis.outcomes import Number, Outcomes, rational
from analysis.ruin import make_walk, risk_of_ruin
from analysis.walk import Walk, ruin_by_state

_SINGLE: Final = 40  # points that are worked out one by one


@dataclass(frozen=True)
class Form:
    """One form of the question: up to a `goal`, or stopping once a `gain` is won; within `coups`; None: without."""

    goal: Number | None = None
    coups: int | None = None
    gain: Number | None = None
    need: Number | None = None

    @property
    def words(self) -> str:
        """The form in words."""
        ends = "without a goal"
        if self.goal is not None:
            ends = f"up to a goal of {self.goal}"
        elif self.gain is not None:
            ends = f"stopping {self.gain} ahead"
        return f"{'for ever' if self.coups is None else f'within {self.coups} coups'}, {ends}"

    @property
    def plain(self) -> bool:
        """For ever, without a goal?"""
        return self.coups is None and self.goal is None and self.gain is None


def curve(outcomes: Outcomes, form: Form, most: float, points: int) -> list[tuple[float, float]]:
    """Bankrolls from the least on which a coup can be played up to about `most` stakes (below a goal), each with its
    risk of ruin: some `points` of them, or fewer where each costs a calculation of its own.
    """
    walk = make_walk(outcomes, outcomes.need if form.need is None else form.need, None, form.need)
    end = most if form.goal is None else float(rational(form.goal, "the goal", "/goal") - outcomes.step)
    last = max(1, math.ceil((end - float(walk.bankroll)) / float(outcomes.step)))
    if form.goal is not None or form.gain is not None:
        states = _spaced(last, _SINGLE)
        return [(float(walk.bankroll_at(state)), _single(outcomes, form, walk, state)) for state in states]
    risks = _risks(walk, form.coups, last + 1)
    return [(float(walk.bankroll_at(state)), float(risks[state])) for state in _spaced(last, points)]


def _spaced(last: int, points: int) -> list[int]:
    """Whole numbers from 0 to `last`, evenly spaced."""
    return sorted({round(last * place / (points - 1)) for place in range(points)})


def _single(outcomes: Outcomes, form: Form, walk: Walk, state: int) -> float:
    held = walk.bankroll_at(state)
    goal: Number | None = form.goal
    if form.gain is not None:
        goal = held + rational(form.gain, "the gain", "/gain")
    elif goal is not None and held >= Fraction(rational(goal, "the goal", "/goal")):
        return 0.0
    return float(risk_of_ruin(outcomes, held, goal=goal, coups=form.coups, need=form.need).ruin)


def _risks(walk: Walk, coups: int | None, states: int) -> Sequence[float]:
    outcomes = walk.outcomes
    if not outcomes.worst_loss:
        return [0.0] * states
    if coups is not None:
        found = ruin_by_state(walk, coups)[:states].tolist()
        return [*found, *[0.0] * (states - len(found))]
    if outcomes.mean <= 0:
        return [1.0] * states
    risks: list[float] = ladder(outcomes).ruin(states).tolist()
    return risks
