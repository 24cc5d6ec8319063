"""Exact bankroll maths: risk of ruin, Kelly's fraction, what a session brings. Nothing is stored.

The analysis is imported with the first question, as for the odds.
"""

from types import ModuleType
from typing import Any, Final

from flask import Response

from analysis.errors import BankrollError
from api.auth import require
from api.blueprint import Answer, Blueprint
from api.context import service
from api.execution import result
from api.refusals import MissingScope
from api.services.errors import Invalid, Unauthorized
from api.views.bankroll_maths import examples, schemas
from api.views.odds.spending import spend
from api.warming import wait_until_warm
from casino.errors import NotationError, RulesError, UnknownGame

_REFUSALS: Final = (
    BankrollError,
    RulesError,
    NotationError,
    UnknownGame,
    Invalid,
    Unauthorized,
    MissingScope,
)
_LONG_READ: Final = 4  # milliseconds

blueprint = Blueprint(
    "bankroll maths",
    "Exact answers about bankrolls, for the outcomes of any rules, policies and side, or any other.",
)


def _maths() -> ModuleType:
    wait_until_warm(service())
    from api.services import bankroll_maths  # noqa: PLC0415 - loads numpy and scipy

    return bankroll_maths


def _told(figures: Any, body: dict[str, Any]) -> Response:
    return result(_maths().told(figures(with_own_play(body), spend)))


def with_own_play(body: dict[str, Any]) -> dict[str, Any]:
    """The body with the caller's own coups as its results, if he asked for them. Raises Unauthorized, MissingScope."""
    if "played" not in body:
        return body
    from api.services.recorded import played  # noqa: PLC0415 - loads numpy

    clash = next((name for name in ("rules", "outcomes", "results") if name in body), None)
    if clash is not None:
        raise BankrollError(
            f"give one of rules, outcomes, results and played, not {clash} too", pointer="/played"
        )
    who = require("read").player
    spend(_LONG_READ)
    with service().database.read() as session:
        return body | played(session, who, **body["played"])


@blueprint.operation(
    "POST",
    "/ruin",
    body=schemas.RuinAsked(),
    example=examples.RUIN,
    answer=Answer(200, schemas.RuinTold(), examples.RUIN_TOLD),
    errors=_REFUSALS,
    key=None,
    idempotent=False,
)
def ask_ruin(body: dict[str, Any]) -> Response:
    """Work out the risk of ruin of a bankroll under flat stakes, or the bankroll that keeps a risk.

    By first passage, for ever or within some coups, with or without a goal. With side `banker` and a `risk`: what bank
    does this table need? Everything is in stakes. What it costs is taken off the limit before the work, as for the
    odds; beyond the cap it is refused with `too_costly`.
    """
    return _told(_maths().ruin_figures, body)


@blueprint.operation(
    "POST",
    "/kelly",
    body=schemas.KellyAsked(),
    example=examples.KELLY,
    answer=Answer(200, schemas.KellyTold(), examples.KELLY_TOLD),
    errors=_REFUSALS,
    key=None,
    idempotent=False,
)
def ask_kelly(body: dict[str, Any]) -> Response:
    """Work out Kelly's fraction over the full payouts, growth and spread, half Kelly, N0, a certainty equivalent."""
    return _told(_maths().kelly_figures, body)


@blueprint.operation(
    "POST",
    "/sessions/distribution",
    body=schemas.SessionsAsked(),
    example=examples.SESSIONS,
    answer=Answer(200, schemas.SessionsTold(), examples.SESSIONS_TOLD),
    errors=_REFUSALS,
    key=None,
    idempotent=False,
)
def ask_sessions(body: dict[str, Any]) -> Response:
    """Work out the exact distribution of what a session of flat stakes brings, with quantiles."""
    return _told(_maths().sessions_figures, body)
