"""Shapes of the catalogue of games."""

from marshmallow import Schema, fields

from api.fields import Choice, QuerySchema

FAMILIES = ("banking", "shedding", "tricks")


class GameQuery(QuerySchema):
    """Which games to list."""

    family = Choice(*FAMILIES, text="Only the games of this family.", example="banking")


class Seats(Schema):
    """How many may play."""

    min = fields.Integer(required=True)
    max = fields.Integer(required=True)
    default = fields.Integer(required=True)


class GameSummary(Schema):
    """A game in a list."""

    name = fields.String(required=True)
    family = fields.String(required=True)
    title = fields.String(required=True)
    seats = fields.Nested(Seats, required=True)
    href = fields.String(required=True)


class GameList(Schema):
    """All games."""

    games = fields.List(fields.Nested(GameSummary), required=True)


class GameDetail(Schema):
    """A game: its options as JSON Schema with defaults and sources, and the texts of its actions."""

    name = fields.String(required=True)
    family = fields.String(required=True)
    title = fields.String(required=True)
    source = fields.String(required=True)
    seats = fields.Nested(Seats, required=True)
    options = fields.Dict(
        required=True, metadata={"description": "JSON Schema; each option has `default` and `x-source`."}
    )
    defaults = fields.Dict(required=True, metadata={"description": "The full record of rules."})
    actions = fields.Dict(
        required=True, metadata={"description": "The text of each action, and what it means."}
    )
    rules_hash = fields.String(
        required=True, metadata={"description": "SHA-256 of the canonical JSON of the default rules."}
    )
