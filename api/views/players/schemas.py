"""Shapes of players."""

from typing import Any, Final

from marshmallow import Schema, fields

from api.fields import Body, Choice, Text
from api.paging import PageQuery
from api.services.audit_log import OF_PLAYERS
from api.services.players import NAME_LENGTH
from api.views.bankroll.schemas import LIMITS, Limits

PROFILE: Final[dict[str, Any]] = {
    "id": "ply_01jdz3k5q8v7m2x4n6p8r0s1t3",
    "name": "Ada",
    "balance": 1000,
    "created_at": "2030-01-31T12:00:00.000000Z",
}
MADE: Final = PROFILE | {
    "api_key": "macao_q83v0n2k…",
    "key_id": "key_01jdz3k5q8v7m2x4n6p8r0s1t3",
}
EXPORT: Final[dict[str, Any]] = {
    "exported_at": "2030-01-31T12:00:00.000000Z",
    "player": PROFILE,
    "bankroll": {"balance": 1000, "held": 0, "net": 0, "granted": 1000, "games": {}, "sides": {}},
    "limits": LIMITS,
    "keys": [],
    "tables": [],
    "coups": [],
    "refills": [],
    "entries": [],
    "experiments": [],
    "audit": [],
}


AUDIT_ENTRY: Final[dict[str, Any]] = {
    "seq": 12,
    "at": "2030-01-31T12:00:00.000000Z",
    "actor": "ply_01jdz3k5q8v7m2x4n6p8r0s1t3",
    "key": "key_01jdz3k5q8v7m2x4n6p8r0s1t3",
    "action": "limits_changed",
    "subject": "ply_01jdz3k5q8v7m2x4n6p8r0s1t3",
    "request_id": "req_3f2a9c0d5b7e41a6c8d0e2f4",
    "before": None,
    "after": {"stake": 20},
    "hash": "d29b7ad2af2e4ccaa6786dd2b7d74e6a87a92bd2a5f4e7ab5d79c9c587d3ab52",
}
AUDIT: Final[dict[str, Any]] = {"audit": [AUDIT_ENTRY], "next": None}


class NewPlayer(Body):
    """Who wants to play."""

    name = Text(1, NAME_LENGTH, required=True, text="Shown to the others at a table.", example="Ada")


class Profile(Schema):
    """A player."""

    id = fields.String(required=True)
    name = fields.String(required=True)
    balance = fields.Integer(required=True, metadata={"description": "Chips in the wallet."})
    created_at = fields.String(required=True, metadata={"format": "date-time"})


class PlayerMade(Profile):
    """A new player with the first key."""

    name = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "null in an answer that is repeated after the player was deleted."},
    )
    api_key = fields.String(
        metadata={"description": "The secret: told this once, and left out of a repeated answer."}
    )
    key_id = fields.String(required=True)


class Export(Schema):
    """Everything that is kept of a player."""

    exported_at = fields.String(required=True, metadata={"format": "date-time"})
    player = fields.Nested(Profile, required=True)
    bankroll = fields.Dict(required=True)
    limits = fields.Nested(Limits, required=True)
    keys = fields.List(fields.Dict(), required=True)
    tables = fields.List(fields.Dict(), required=True)
    coups = fields.List(fields.Dict(), required=True)
    refills = fields.List(fields.Dict(), required=True)
    entries = fields.List(fields.Dict(), required=True)
    experiments = fields.List(fields.Dict(), required=True)
    audit = fields.List(fields.Dict(), required=True)


class AuditQuery(PageQuery):
    """A page of the caller's entries of the audit log."""

    action = Choice(*OF_PLAYERS, load_default=None, text="Only what was done so.", example="limits_changed")


class AuditEntry(Schema):
    """What was done beside play."""

    seq = fields.Integer(required=True, metadata={"description": "Its number in the whole log."})
    at = fields.String(required=True, metadata={"format": "date-time"})
    actor = fields.String(
        required=True,
        metadata={
            "description": "Who: a player's id; `anonymous`, `system`, or `os:` and a user of the machine."
        },
    )
    key = fields.String(required=True, allow_none=True, metadata={"description": "The key that was used."})
    action = fields.String(required=True, metadata={"enum": list(OF_PLAYERS)})
    subject = fields.String(
        required=True, metadata={"description": "To what: a player, key, table or experiment, by its id."}
    )
    request_id = fields.String(required=True, allow_none=True)
    before = fields.Dict(required=True, allow_none=True)
    after = fields.Dict(required=True, allow_none=True)
    hash = fields.String(required=True, metadata={"description": "Hex; the chain is in docs/audit.md."})


class Audit(Schema):
    """A page of entries, the newest first."""

    audit = fields.List(fields.Nested(AuditEntry), required=True)
    next = fields.String(required=True, allow_none=True, metadata={"description": "Cursor of the next page."})
