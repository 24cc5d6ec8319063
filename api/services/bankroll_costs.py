"""What questions about bankrolls take, in about milliseconds of one core: guesses on the safe side, before the work."""

import math
from collections.abc import Mapping
from typing import Any, Final

from analysis.asked import Question
from analysis.ladder import log_root
from analysis.outcomes import Outcomes, rational
from analysis.ruin import make_walk
from analysis.shoe import INFINITE
from analysis.sources import checked_rules
from analysis.walk import Walk, passage_work, states_work
from api.services.odds import cost

_PER_STEP: Final = 2.5e-6  # milliseconds of a multiply-add of floats
_PER_ROW: Final = 2e-3  # of a coup's row of them
_PER_LONG: Final = 5e-5  # of one in extended precision
_PER_FRACTION: Final = 3e-3  # of one of fractions
_SOLUTIONS: Final = 12  # of the equations between two barriers: four columns, each put right twice
_PER_VALUE: Final = 0.2  # of an outcome or a recorded net, read in exact fractions and checked
_DEALT: Final = 2_400  # four million coups against several punters, and pairs of hands
_SELECTIONS: Final = {1: 0, 2: 250, 3: 2_000}  # of so many hands from a shoe, enumerated
_FIRST_POINTS: Final = 8192  # on the unit circle, for ladder heights


def rules_cost(rules: Mapping[str, Any]) -> int:
    """Of working out the outcomes of rules, policies and a side."""
    made = checked_rules(rules)
    hands = 1 if made.shared_hand else rules.get("punters", 1)
    joined = _SELECTIONS[2] if hands > 1 and rules.get("shoe") == INFINITE else _SELECTIONS.get(hands, _DEALT)
    question = Question(made, punter=rules.get("punter"), banker=rules.get("banker"))
    return cost(question) + joined


def values_cost(request: Mapping[str, Any]) -> int:
    """Of reading what is given value by value."""
    values = 0
    for name in ("outcomes", "results"):
        given = request.get(name)
        if isinstance(given, str):
            values += given.count(",") + 1
        elif isinstance(given, list | Mapping):
            values += len(given)
    return round(_PER_VALUE * values)


def ruin_cost(outcomes: Outcomes, body: Mapping[str, Any]) -> int:
    """Of a risk of ruin."""
    walk = make_walk(outcomes, body["bankroll"], body.get("goal"), body.get("need"))
    coups, exact = body.get("coups"), body.get("exact", False)
    if coups is not None:
        return _rounded(passage_work(walk, coups, exact=exact, whole=False), coups * len(walk.steps))
    if walk.top is not None:
        return _eliminated(walk, walk.top) if exact else _between(walk, walk.top)
    return _ladder(walk, walk.start)


def risk_cost(outcomes: Outcomes, body: Mapping[str, Any], risk: float) -> int:
    """Of the bankroll for a risk."""
    walk = make_walk(outcomes, body.get("need") or outcomes.need, None, body.get("need"))
    coups, gain = body.get("coups"), body.get("gain")
    if gain is not None:
        won = max(1.0, float(rational(gain, "the gain", "/gain") / outcomes.step))
        if coups is not None:
            far = make_walk(outcomes, walk.need, walk.need + int(won + 1) * outcomes.step, walk.need)
            tries: int = (walk.down * coups).bit_length()
            return tries * _rounded(passage_work(far, coups), coups * len(walk.steps))
        far_states = int(min(won / risk * (1 if outcomes.mean >= 0 else 10), _enough(outcomes, risk)))
        return 2 * max(1, far_states).bit_length() * _between(walk, far_states + int(won))
    if coups is not None:
        return _rounded(states_work(walk, coups), coups * len(walk.steps))
    enough = _enough(outcomes, risk)
    return _ladder(
        walk, int(enough) if enough < math.inf else 1
    )  # where none is enough, nothing is worked out


def _enough(outcomes: Outcomes, risk: float) -> float:
    """States from which ruin for ever is not likelier than the risk."""
    root = log_root(outcomes) * float(outcomes.step)
    return math.log(risk) / root + 1 if root < 0 else math.inf


def sessions_cost(outcomes: Outcomes, body: Mapping[str, Any]) -> int:
    """Of the distribution of a session's result."""
    coups, exact = body["coups"], body.get("exact", False)
    bankroll = body.get("bankroll")
    walk = make_walk(outcomes, outcomes.need if bankroll is None else bankroll, body.get("goal"))
    if bankroll is not None:
        return _rounded(passage_work(walk, coups, exact=exact), coups * len(walk.steps))
    size = coups * (walk.steps[-1] - walk.steps[0]) + 1
    if exact:
        words = 1 + coups * walk.total.bit_length() / 64
        return _rounded(size * len(walk.steps) * words * 60, 0)
    return _rounded(min(float(size) ** 2, 300.0 * size), 0)


def _rounded(work: float, rows: int) -> int:
    return 5 + round(work * _PER_STEP + rows * _PER_ROW)


def _between(walk: Walk, states: int) -> int:
    lower, upper = min(walk.down, states), min(walk.up, states)
    each = (lower + 1) * (lower + upper + 1) * _PER_STEP + len(walk.steps) * _PER_LONG
    return 5 + round(_SOLUTIONS * states * each)


def _eliminated(walk: Walk, states: int) -> int:
    return 5 + round(_PER_FRACTION * states**2 * (walk.down + 1) * (min(walk.up, states) + walk.down + 1))


def _ladder(walk: Walk, states: int) -> int:
    points = max(_FIRST_POINTS, 32 * walk.down)
    heights = points * (len(walk.steps) + 4) * 1e-4 + walk.down**2 * 2e-5
    return 5 + round(heights + states * (walk.down + 2) * 4 * _PER_STEP)
