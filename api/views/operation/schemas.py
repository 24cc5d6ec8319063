"""Shapes of the operation's answers."""

from marshmallow import Schema, fields


class Alive(Schema):
    """The process answers."""

    alive = fields.Boolean(required=True)


class Ready(Schema):
    """What was looked at: «ok», or what is wrong."""

    ready = fields.Boolean(required=True)
    checks = fields.Dict(keys=fields.String(), values=fields.String(), required=True)
