"""Shapes of API keys."""

from typing import Any, Final

from marshmallow import Schema, fields

from api.fields import Body, Choice, Items, Moment, Text
from api.services.keys import NAME_LENGTH, SCOPES

KEY: Final[dict[str, Any]] = {
    "id": "key_01jdz3k5q8v7m2x4n6p8r0s1t3",
    "name": "bot",
    "prefix": "macao_q83v0n",
    "scopes": ["read", "play"],
    "state": "live",
    "created_at": "2030-01-31T12:00:00.000000Z",
    "expires_at": None,
    "revoked_at": None,
}
ISSUED: Final = KEY | {"secret": "macao_q83v0n2k…"}


class NewKey(Body):
    """What a new key may do, and for how long."""

    name = Text(0, NAME_LENGTH, load_default="", text="A name to know it by.", example="bot")
    scopes = Items(
        Choice(*SCOPES),
        low=1,
        high=len(SCOPES),
        load_default=list(SCOPES),
        text="`read`: see; `play`: act; `keys`: manage keys and delete the player. Not more than the asking key has.",
        example=["read", "play"],
    )
    expires_at = Moment(
        load_default=None, text="When it ends; never, if absent.", example="2031-01-31T12:00:00Z"
    )


class Key(Schema):
    """A key, without its secret."""

    id = fields.String(required=True)
    name = fields.String(required=True)
    prefix = fields.String(required=True, metadata={"description": "The secret's first characters."})
    scopes = fields.List(fields.String(), required=True)
    state = fields.String(required=True, metadata={"enum": ["live", "expired", "revoked"]})
    created_at = fields.String(required=True, metadata={"format": "date-time"})
    expires_at = fields.String(required=True, allow_none=True, metadata={"format": "date-time"})
    revoked_at = fields.String(required=True, allow_none=True, metadata={"format": "date-time"})


class KeyIssued(Key):
    """A key with its secret."""

    secret = fields.String(metadata={"description": "Told this once, and left out of a repeated answer."})


class KeyList(Schema):
    """All keys of the caller, the oldest first."""

    keys = fields.List(fields.Nested(Key), required=True)
