"""Risk of ruin under flat stakes, exact by first passage: for ever or within some coups, with or without a goal.

Ruined is who cannot play a coup any more: his bankroll is below the stake, or below the worst loss that a stake
must cover where that is more (`need`). So a loss of several stakes at once may ruin him well above nothing.
Everything is counted in stakes of 1; for stakes of s chips divide bankroll and goal by s.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from analysis.barriers import MOST_STATES as MOST_STATES_BETWEEN
from analysis.barriers import between
from analysis.ladder import ladder, log_root
from analysis.outcomes import BankrollError, Number, Outcomes, rational
from analysis.walk import Walk, passage, ruin_by_state

MOST_STATES = 50_000_000  # bankrolls that one answer for ever looks at

Chance = Fraction | float


@dataclass(frozen=True)
class Risk:
    """What becomes of a bankroll. Probabilities; times in coups, infinite where so in expectation.

    `goal` is the chance of the goal (None without one), `open` of neither within the coups allowed (0 for ever with
    a goal), `coups` the expected coups played, and the two after it those on the paths that end so (None where
    no path does, or the question has no such end). `root` is r of E[r^X] = 1 and `root_formula` r^bankroll, the
    risk for ever where a coup costs one lattice step at most; `diffusion_formula` exp(-2·mean·bankroll / variance)
    is what calculators often give. Both formulas are for ever, without a goal, for comparison only.
    """

    ruin: Chance
    goal: Chance | None
    open: Chance
    coups: Chance
    coups_if_ruined: Chance | None
    coups_if_goal: Chance | None
    root: float
    root_formula: float
    diffusion_formula: float


@dataclass(frozen=True)
class BankrollNeeded:
    """The least bankroll, in stakes, on a lattice of the nets, whose risk is not above the one asked; its risk
    `ruin`; and what the two formulas for ever would ask (NaN where they do not apply)."""

    bankroll: Fraction
    ruin: float
    root_formula: float
    diffusion_formula: float


def make_walk(
    outcomes: Outcomes, bankroll: Number, goal: Number | None = None, need: Number | None = None
) -> Walk:
    """The walk of a bankroll under flat stakes of 1. Raises BankrollError with a pointer."""
    least = rational(0 if need is None else need, "the least bankroll to play on", "/need")
    if need is not None and least <= 0:
        raise BankrollError("the least bankroll to play on must be above 0", pointer="/need")
    target = None if goal is None else rational(goal, "the goal", "/goal")
    return Walk(outcomes, rational(bankroll, "the bankroll", "/bankroll"), target, least)


def risk_of_ruin(
    outcomes: Outcomes,
    bankroll: Number,
    *,
    goal: Number | None = None,
    coups: int | None = None,
    need: Number | None = None,
    exact: bool = False,
) -> Risk:
    """Risk of ruin of `bankroll` stakes, staking 1 a coup: for ever, or within `coups`; up to `goal` where given.

    `exact` gives Fractions (not for ever without a goal, which is a root). Floats are good to 1e-10 relative for
    ever, 1e-13 absolute within coups. Raises BankrollError: bad figures, or work above the cap, with its estimate.
    """
    walk = make_walk(outcomes, bankroll, goal, need)
    if coups is not None:
        return _within(walk, coups, exact=exact)
    return _for_ever(walk, exact=exact) if goal is None else _to_goal(walk, exact=exact)


def bankroll_for(
    outcomes: Outcomes,
    risk: Number,
    *,
    coups: int | None = None,
    gain: Number | None = None,
    need: Number | None = None,
) -> BankrollNeeded:
    """The bankroll that keeps the risk of ruin down to `risk`: for ever or within `coups`; with `gain`, stopping
    once so many stakes are won. Raises BankrollError where no bankroll does, or the search is above the cap.
    """
    most = rational(risk, "the risk", "/risk")
    if not 0 < most < 1:
        raise BankrollError(f"the risk must be between 0 and 1, not {float(most):.6g}", pointer="/risk")
    walk = make_walk(outcomes, outcomes.need if need is None else need, None, need)
    won = None if gain is None else rational(gain, "the gain", "/gain")
    if won is not None and won <= 0:
        raise BankrollError("the gain must be above 0", pointer="/gain")
    if won is not None:
        state, ruin = _before_gain(walk, won, coups, float(most))
    elif coups is not None:
        state, ruin = _first(ruin_by_state(walk, coups), float(most))
    else:
        state, ruin = _for_ever_state(walk, float(most))
    root, diffusion = _formula_bankrolls(outcomes, float(most))
    return BankrollNeeded(walk.bankroll_at(walk.start + state), ruin, root, diffusion)


def _for_ever(walk: Walk, *, exact: bool) -> Risk:
    outcomes = walk.outcomes
    if outcomes.mean > 0 and outcomes.worst_loss and exact:
        raise BankrollError(
            "for ever without a goal the risk is the root of an equation, not a fraction; leave exact out, or"
            " give a goal or a number of coups",
            pointer="/goal",
        )
    if not outcomes.worst_loss:
        return _risk(walk, ruin=Fraction(0), open_=Fraction(1), coups=math.inf)
    if not outcomes.mean:
        return _risk(walk, ruin=Fraction(1), coups=math.inf, if_ruined=math.inf)
    _check_states(walk.start + 1)
    ways, last = ladder(outcomes), walk.start
    if outcomes.mean < 0:
        # Wald: the sum of the nets at ruin is mean times expected coups.
        time = (last + float(ways.overshoot(last + 1)[last])) / -float(walk.drift)
        return _risk(walk, ruin=Fraction(1), coups=time, if_ruined=time)
    ruin, time = float(ways.ruin(last + 1)[last]), float(ways.duration(last + 1)[last])
    return _risk(walk, ruin=ruin, open_=1 - ruin, coups=math.inf, if_ruined=time / ruin if ruin else None)


def _to_goal(walk: Walk, *, exact: bool) -> Risk:
    found = between(walk, exact=exact)
    return _risk(
        walk,
        ruin=found.ruin,
        goal=found.goal,
        coups=found.coups_ruined + found.coups_goal,
        if_ruined=found.coups_ruined / found.ruin if found.ruin else None,
        if_goal=found.coups_goal / found.goal if found.goal else None,
    )


def _within(walk: Walk, coups: int, *, exact: bool) -> Risk:
    found = passage(walk, coups, exact=exact, whole=False)
    numbers = np.arange(coups + 1).astype(found.ruined.dtype)
    ruin, reached = found.value(found.ruined.sum()), found.value(found.reached.sum())
    time_ruined, time_reached = found.value(numbers @ found.ruined), found.value(numbers @ found.reached)
    left = 1 - ruin - reached
    return _risk(
        walk,
        ruin=ruin,
        goal=None if walk.top is None else reached,
        open_=left,
        coups=time_ruined + time_reached + coups * left,
        if_ruined=time_ruined / ruin if ruin else None,
        if_goal=time_reached / reached if reached else None,
    )


def _risk(
    walk: Walk,
    *,
    ruin: Chance,
    coups: Chance,
    goal: Chance | None = None,
    open_: Chance = Fraction(0),
    if_ruined: Chance | None = None,
    if_goal: Chance | None = None,
) -> Risk:
    outcomes, bankroll = walk.outcomes, float(walk.bankroll)
    root = log_root(outcomes)
    mean, variance = float(outcomes.mean), float(outcomes.variance)
    rate = 2 * mean / variance if variance else math.copysign(math.inf, mean)
    return Risk(
        ruin,
        goal,
        open_,
        coups,
        if_ruined,
        if_goal,
        math.exp(root) if root < 700 else math.inf,
        math.exp(min(0.0, root * bankroll)),
        math.exp(min(0.0, -rate * bankroll)),
    )


def _check_states(states: float) -> None:
    if states > MOST_STATES:
        raise BankrollError(
            f"too large: {states:.3g} steps of the bankroll above ruin, the cap is {MOST_STATES:.2g}",
            pointer="/bankroll",
        )


def _for_ever_state(walk: Walk, most: float) -> tuple[int, float]:
    outcomes = walk.outcomes
    if not outcomes.worst_loss:
        return 0, 0.0
    if outcomes.mean <= 0:
        raise BankrollError(
            f"no bankroll is enough: with a mean of {float(outcomes.mean):.6g} stakes a coup ruin is certain in the"
            " end; ask for a number of coups, or a gain at which to stop",
            pointer="/risk",
        )
    # r^(u + 1) bounds the risk in state u, so this state is enough.
    enough = math.ceil(math.log(most) / (log_root(outcomes) * float(outcomes.step)))
    _check_states(enough + 1)
    return _first(ladder(outcomes).ruin(enough + 1), most)


def _first(chances: "np.ndarray[tuple[int], np.dtype[np.float64]]", most: float) -> tuple[int, float]:
    """The first state whose chance is not above `most`, and that chance; beyond the array it is 0."""
    state = int(np.searchsorted(-chances, -most))
    return state, float(chances[state]) if state < len(chances) else 0.0


def _before_gain(walk: Walk, gain: Fraction, coups: int | None, most: float) -> tuple[int, float]:
    """The first state from which ruin before a gain is not likelier than `most`, and its risk."""

    def ruin(state: int) -> float:
        held = walk.bankroll_at(state)
        there = Walk(walk.outcomes, held, held + gain, walk.need)
        return float(between(there).ruin if coups is None else passage(there, coups).ruined.sum())

    if gain / walk.outcomes.step > MOST_STATES_BETWEEN:
        raise BankrollError(
            f"too large: a gain of {float(gain / walk.outcomes.step):.3g} steps, the cap is {MOST_STATES_BETWEEN}",
            pointer="/gain",
        )
    low, high = -1, walk.down * (coups or 0)
    if coups is None:
        _check_gain(walk.outcomes, gain, most)
        high = 1
        while ruin(high) > most:
            low, high = high, 2 * high
    while high - low > 1:  # the risk falls with the state: it is above `most` at low, and not at high
        middle = (low + high) // 2
        low, high = (middle, high) if ruin(middle) > most else (low, middle)
    return high, ruin(high)


def _check_gain(outcomes: Outcomes, gain: Fraction, most: float) -> None:
    """Even a boundless bankroll may never be ahead by the gain: refuse a risk that none can keep."""
    if outcomes.mean >= 0:
        return
    states = math.ceil(gain / outcomes.step)
    _check_states(states)
    never = 1 - float(ladder(outcomes.flipped()).ruin(states)[-1])
    if most <= never:
        raise BankrollError(
            f"no bankroll is enough: with a mean of {float(outcomes.mean):.6g} stakes a coup the chance of never"
            f" being {float(gain):.6g} ahead is {never:.6g}, whatever the bankroll",
            pointer="/risk",
        )


def _formula_bankrolls(outcomes: Outcomes, most: float) -> tuple[float, float]:
    if outcomes.mean <= 0 or not outcomes.worst_loss:
        return math.nan, math.nan
    fair = float(outcomes.variance) / (2 * float(outcomes.mean))
    return math.log(most) / log_root(outcomes), -math.log(most) * fair
