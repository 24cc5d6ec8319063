"""What a seat does best, and what the choices of a coup cost."""

from typing import Final

from flask import Response
from marshmallow import Schema, fields

from api.auth import caller
from api.blueprint import Answer
from api.context import service
from api.execution import reply
from api.services.errors import Conflict, Forbidden, Gone, Invalid, NotFound
from api.services.tables import advising
from api.views.odds.shapes import figure, figures
from api.views.odds.spending import spend
from api.views.tables import examples
from api.views.tables.common import blueprint
from api.warming import wait_until_warm

_ERRORS: Final = (NotFound, Forbidden, Conflict, Gone, Invalid)


class Judged(Schema):
    """What actions are worth to a seat: a punter in stakes, a banker in chips."""

    side = fields.String(required=True)
    unit = fields.String(required=True, metadata={"description": "stakes or chips."})
    ev = figures("Expected net by action, if the seat then plays on as is best.")
    best = fields.String(required=True)
    against = fields.Dict(
        required=True,
        metadata={"description": "By seat: the policy it is taken to play, as known or the default."},
    )
    unexpected = fields.List(
        fields.Integer(),
        required=True,
        metadata={"description": "Seats that did what theirs never does, and were taken to hold any card."},
    )
    notes = fields.List(
        fields.String(), required=True, metadata={"description": "Where the figures are not exact."}
    )


class Advice(Judged):
    """What a seat does best, from its view alone."""

    table = fields.String(required=True)
    version = fields.Integer(required=True)
    coup = fields.Integer(required=True)
    seat = fields.Integer(required=True)
    cost = figures("What each action gives away.")
    unseen = fields.Dict(
        keys=fields.String(),
        values=fields.Integer(),
        required=True,
        metadata={"description": "Cards by points that the seat has not seen."},
    )
    rules_hash = fields.String(required=True)
    engine = fields.String(required=True)


class ChoiceCost(Schema):
    """A choice as it was made, beside the best there was; or the reason why that cannot be told."""

    seat = fields.Integer(required=True)
    action = fields.String(required=True)
    by = fields.String(
        required=True, metadata={"description": "player, bot, default; rules where it follows."}
    )
    side = fields.String()
    unit = fields.String()
    ev = figures("Expected net by action.", required=False)
    best = fields.String()
    cost = figure("What the action gave away.", required=False)
    against = fields.Dict()
    unexpected = fields.List(fields.Integer())
    notes = fields.List(fields.String())
    reason = fields.String()


class CoupCost(Schema):
    """What the choices of a coup cost, by what each seat could see when it chose."""

    coup = fields.String(required=True)
    table = fields.String(required=True)
    number = fields.Integer(required=True)
    choices = fields.List(fields.Nested(ChoiceCost), required=True)
    cost_in_chips = figures("By seat: what all its choices gave away, at its stake.")
    rules_hash = fields.String(required=True)


@blueprint.operation(
    "GET",
    "/tables/<table_id>/advice",
    answer=Answer(200, Advice(), examples.ADVICE),
    errors=_ERRORS,
)
def get_advice(table_id: str) -> Response:
    """Advise your seat: the exact worth of each action, from what you see and nothing else.

    On your turn what each action on your cards is worth; while stakes are open, what a unit staked is. Persons are
    taken to play the default policy of their side (a banker who is free the equilibrium), bots and the house what they
    are known to play.
    """
    with service().database.read() as session:
        asked = advising.turn_of(session, table_id, caller().player)
    wait_until_warm(service())
    return reply(advising.advice(asked, spend))


@blueprint.operation(
    "GET",
    "/tables/<table_id>/coups/<coup_id>/cost",
    answer=Answer(200, CoupCost(), examples.COUP_COST),
    errors=(NotFound, Conflict, Invalid),
)
def get_coup_cost(table_id: str, coup_id: str) -> Response:
    """Tell what the choices of a settled coup cost: the EV of what was done, and of the best there was.

    Each is judged by what its seat could see when it chose: its own cards, what lay open, and the cards that were gone
    from the bank. What cannot be told has a `reason`.
    """
    with service().database.read() as session:
        asked = advising.told(session, table_id, caller().player, coup_id)
    wait_until_warm(service())
    return reply(advising.cost(asked, spend))
