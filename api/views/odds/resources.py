"""Exact odds, best policies and card counting of banking games."""

from functools import lru_cache
from typing import Any, Final

from flask import Response

from api.blueprint import Answer
from api.execution import reply, result
from api.services.errors import Invalid, NotFound
from api.views.odds import examples, schemas
from api.views.odds.spending import spend
from api.views.questions import Questions
from casino.banking.presets import PRESETS
from casino.banking.rules import build
from casino.errors import NotationError, RulesError, UnknownGame

_HOUR: Final = 3600
_PAR_UNITS: Final = 50

blueprint = Questions(
    "odds",
    "Exact odds, best policies and card counting, for any rules, shoe and policies.",
    by="api.services.odds",
    errors=(RulesError, NotationError, UnknownGame, Invalid),
)


@blueprint.question("/odds", schemas.OddsAsked(), examples.ODDS, schemas.OddsTold(), examples.ODDS_TOLD)
def ask_odds(body: dict[str, Any]) -> Response:
    """Work out the exact odds of a coup: edge of both sides, variance, every net result, every first card and action.

    What it costs depends on the question and is taken off the limit before the work (five units a millisecond); beyond
    the cap it is refused with `too_costly`. An edge is of a named side, with its sign, per unit staked.
    """
    return result(blueprint.answers().odds_answer(body, spend))


@blueprint.question(
    "/policies", schemas.PoliciesAsked(), examples.POLICIES, schemas.PoliciesTold(), examples.POLICIES_TOLD
)
def ask_policies(body: dict[str, Any]) -> Response:
    """Work out best play: a best reply with the cost of every deviation, an equilibrium, or the banker's decision.

    The side whose policy is `optimal` replies to the other's; both `equilibrium`, with a banker who is free, are solved
    as a game. With `state` it is the banker's best action in the middle of a coup, facing up to nine punters.
    """
    return result(blueprint.answers().policies_answer(body, spend))


@blueprint.question(
    "/counting", schemas.CountingAsked(), examples.COUNTING, schemas.CountingTold(), examples.COUNTING_TOLD
)
def ask_counting(body: dict[str, Any]) -> Response:
    """Work out what counting cards is worth: effects of removal, and the edge over random depleted shoes."""
    return result(blueprint.answers().counting_answer(body, spend))


@blueprint.operation(
    "GET",
    "/games/<name>/par",
    answer=Answer(200, schemas.ParTold(), examples.PAR_TOLD),
    errors=(NotFound, Invalid),
    key=None,
    cost=_PAR_UNITS,
)
def get_par(name: str) -> Response:
    """Show a banking game's par sheet: probabilities, the edge of both sides, variance, hit rates.

    For the punter's best play (an equilibrium where the banker is free), and for the textbook against the default
    banker. An edge is of a named side, with its sign, per unit staked. A sheet is worked out once; whoever asks first
    pays for it.
    """
    if name not in PRESETS:
        raise NotFound(f"there is no banking game «{name[:40]}»; par sheets are of {', '.join(PRESETS)}")
    return reply(_par_of(name), public=_HOUR)


@lru_cache(maxsize=32)
def _par_of(name: str) -> dict[str, Any]:
    from analysis.par import best_question, par  # noqa: PLC0415 - loads numpy and scipy
    from analysis.shoe import full  # noqa: PLC0415

    rules = build(PRESETS[name][1], {})
    spend(blueprint.answers().cost(best_question(rules, full(rules.decks))))
    return {"game": name, **par(rules).to_json()}
