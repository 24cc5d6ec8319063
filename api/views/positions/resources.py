"""Positions: any situation of any game set up, played on from and looked at. Nothing is stored."""

from typing import Any, Final

from flask import Response

from api.blueprint import Answer, Blueprint
from api.execution import result
from api.limits import charge
from api.views.positions.schemas import ANSWERED, ASKED, TOLD, PositionAsked
from casino.errors import NotationError, PositionError, RulesError, UnknownGame
from casino.position import each_told, told

_UNITS: Final = (
    20  # four milliseconds: a game's tables compiled, or what every action of a full hand leads to
)
_STEPS_IN_A_UNIT: Final = 4

blueprint = Blueprint("positions", "Situations of any game: set up, played on from, looked at.")


@blueprint.operation(
    "POST",
    "/positions",
    body=PositionAsked(),
    example=ASKED,
    answer=Answer(200, ANSWERED, TOLD),
    errors=(UnknownGame, RulesError, PositionError, NotationError),
    key=None,
    cost=_UNITS,
    idempotent=False,
)
def explore_position(body: dict[str, Any] | list[dict[str, Any]]) -> Response:
    """Set up a position of any game and tell what is on the table, who may do what, and what it leads to.

    The answer is that of `macao position --json`, for one or for an array. A text that is refused is told as `error`
    and `detail`, with the situation before it. A position that cannot be is refused; in an array it is told in its
    place as `error`, `detail` and `pointer` (into that item), and the others are answered.
    """
    entries = body if isinstance(body, list) else [body]
    extra = len(entries) - 1 + sum(bool(entry.get("leads_to")) for entry in entries)
    charge(extra * _UNITS + sum(len(entry.get("steps", ())) for entry in entries) // _STEPS_IN_A_UNIT)
    return result(each_told(entries) if isinstance(body, list) else told(body))
