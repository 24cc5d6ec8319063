"""Positions: any situation of any game set up, played on from and looked at. Nothing is stored."""

from typing import Any, Final

from flask import Response

from api.blueprint import Answer, Blueprint
from api.execution import result
from api.views.positions.schemas import ASKED, POSITION_TOLD, TOLD, PositionAsked
from casino.errors import NotationError, PositionError, RulesError, UnknownGame
from casino.position import explored

_UNITS: Final = 20  # four milliseconds: what every action of a full hand leads to

blueprint = Blueprint("positions", "Situations of any game: set up, played on from, looked at.")


@blueprint.operation(
    "POST",
    "/positions",
    body=PositionAsked(),
    example=ASKED,
    answer=Answer(200, POSITION_TOLD, TOLD),
    errors=(UnknownGame, RulesError, PositionError, NotationError),
    key=None,
    cost=_UNITS,
    idempotent=False,
)
def explore_position(body: dict[str, Any]) -> Response:
    """Set up a position of any game and tell what is on the table, who may do what, and what it leads to.

    The same as `macao position`: a text that is refused is told as `error` and `detail`, with the situation before it.
    """
    entry = {"position": body["position"], "steps": body["steps"]}
    return result(explored(entry, body["seat"], leads=body["leads_to"]))
