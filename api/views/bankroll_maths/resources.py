"""Exact bankroll maths: risk of ruin, Kelly's fraction, what a session brings."""

from typing import Any, Final

from flask import Response

from analysis.errors import BankrollError
from api.auth import require
from api.context import service
from api.execution import result
from api.refusals import MissingScope
from api.services.errors import Invalid, Unauthorized
from api.views.bankroll_maths import examples, schemas
from api.views.odds.spending import spend
from api.views.questions import Questions
from casino.errors import NotationError, RulesError, UnknownGame

_LONG_READ: Final = 4  # milliseconds

blueprint = Questions(
    "bankroll maths",
    "Exact answers about bankrolls, for the outcomes of any rules, policies and side, or any other.",
    by="api.services.bankroll_maths",
    errors=(BankrollError, RulesError, NotationError, UnknownGame, Invalid, Unauthorized, MissingScope),
)


def _told(figures: Any, body: dict[str, Any]) -> Response:
    return result(blueprint.answers().told(figures(with_own_play(body), spend)))


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


@blueprint.question("/ruin", schemas.RuinAsked(), examples.RUIN, schemas.RuinTold(), examples.RUIN_TOLD)
def ask_ruin(body: dict[str, Any]) -> Response:
    """Work out the risk of ruin of a bankroll under flat stakes, or the bankroll that keeps a risk.

    By first passage, for ever or within some coups, with or without a goal. With side `banker` and a `risk`: what bank
    does this table need? Everything is in stakes. What it costs is taken off the limit before the work, as for the
    odds; beyond the cap it is refused with `too_costly`.
    """
    return _told(blueprint.answers().ruin_figures, body)


@blueprint.question("/kelly", schemas.KellyAsked(), examples.KELLY, schemas.KellyTold(), examples.KELLY_TOLD)
def ask_kelly(body: dict[str, Any]) -> Response:
    """Work out Kelly's fraction over the full payouts, growth and spread, half Kelly, N0, a certainty equivalent."""
    return _told(blueprint.answers().kelly_figures, body)


@blueprint.question(
    "/sessions/distribution",
    schemas.SessionsAsked(),
    examples.SESSIONS,
    schemas.SessionsTold(),
    examples.SESSIONS_TOLD,
)
def ask_sessions(body: dict[str, Any]) -> Response:
    """Work out the exact distribution of what a session of flat stakes brings, with quantiles."""
    return _told(blueprint.answers().sessions_figures, body)
