"""Shapes of a bankroll."""

from typing import Any, Final

from marshmallow import Schema, ValidationError, fields, validates_schema

from api.fields import Body, Moment, QuerySchema, Whole
from api.services.bankroll import MOST_POINTS
from api.services.ledger import MAX_CHIPS
from api.services.limits import MINUTES_A_DAY

_TOTALS: Final = {"coups": 12, "staked": 120, "net": 30}
BANKROLL: Final[dict[str, Any]] = {
    "balance": 1000,
    "held": 30,
    "net": 30,
    "granted": 1000,
    "games": {"house": _TOTALS},
    "sides": {"punter": _TOTALS},
}
ENTRY: Final[dict[str, Any]] = {
    "seq": 17,
    "id": "trf_01jdz3k5q8v7m2x4n6p8r0s1t3",
    "at": "2030-01-31T12:00:00.000000Z",
    "kind": "opening_grant",
    "amount": 1000,
    "balance": 1000,
    "other": "mint",
    "table": None,
    "bank": None,
    "coup": None,
    "parent": None,
    "hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
}
ENTRIES: Final = {"entries": [ENTRY], "next": None}
CSV: Final = (
    "seq,id,at,kind,amount,balance,other,table,bank,coup,parent,hash\r\n"
    "17,trf_01jdz3k5q8v7m2x4n6p8r0s1t3,2030-01-31T12:00:00.000000Z,opening_grant,1000,1000,mint,,,,,9f86d081…\r\n"
)
SERIES: Final = {
    "points": [
        {
            "coups": 1,
            "at": "2030-01-31T12:00:00.000000Z",
            "net": 30,
            "low": 30,
            "high": 30,
            "balance": 1030,
            "expected": -0.378187,
        }
    ]
}
WANTED_LIMITS: Final[dict[str, Any]] = {
    "loss": {"day": 200, "week": 500},
    "stake": 20,
    "time": 90,
    "exclusion": None,
}
LIMITS: Final[dict[str, Any]] = {
    "loss": {"day": 200, "week": 500, "month": None},
    "stake": 20,
    "time": 60,
    "exclusion": None,
    "pending": [{"pointer": "/time", "value": 90, "at": "2030-02-01T12:00:00.000000Z"}],
    "lost": {"day": 30, "week": -120, "month": -120},
    "played": 17,
}


class Totals(Schema):
    """Sums over settled coups, in chips."""

    coups = fields.Integer(required=True)
    staked = fields.Integer(required=True)
    net = fields.Integer(required=True)


class Bankroll(Schema):
    """What the caller has, in chips: `net` = `balance` + `held` - `granted`."""

    balance = fields.Integer(required=True, metadata={"description": "In the wallet."})
    held = fields.Integer(required=True, metadata={"description": "In stakes of open coups and own banks."})
    net = fields.Integer(required=True, metadata={"description": "Won less lost."})
    granted = fields.Integer(required=True, metadata={"description": "Given by the mint: grant and refills."})
    games = fields.Dict(keys=fields.String(), values=fields.Nested(Totals), required=True)
    sides = fields.Dict(keys=fields.String(), values=fields.Nested(Totals), required=True)


class Entry(Schema):
    """A transfer as the caller's wallet sees it: `amount` is signed, `balance` what the wallet held after it."""

    seq = fields.Integer(required=True)
    id = fields.String(required=True)
    at = fields.String(required=True, metadata={"format": "date-time"})
    kind = fields.String(required=True)
    amount = fields.Integer(required=True)
    balance = fields.Integer(required=True)
    other = fields.String(required=True, metadata={"description": "The kind of account on the other side."})
    table = fields.String(required=True, allow_none=True)
    bank = fields.String(required=True, allow_none=True)
    coup = fields.String(required=True, allow_none=True)
    parent = fields.String(required=True, allow_none=True)
    hash = fields.String(required=True, metadata={"description": "The transfer's link of the chain."})


class Entries(Schema):
    """A page of entries, the newest first."""

    entries = fields.List(fields.Nested(Entry), required=True)
    next = fields.String(required=True, allow_none=True, metadata={"description": "Cursor of the next page."})


class SeriesQuery(QuerySchema):
    """How fine the curve is."""

    points = Whole(1, MOST_POINTS, load_default=500, text="Most points of the curve.", example=500)


class Point(Schema):
    """One or several coups in a row: where the sum of nets came to, and its least and most meanwhile."""

    coups = fields.Integer(required=True, metadata={"description": "Coups so far."})
    at = fields.String(required=True, metadata={"format": "date-time"})
    net = fields.Integer(required=True)
    low = fields.Integer(required=True)
    high = fields.Integer(required=True)
    balance = fields.Integer(required=True, metadata={"description": "`net` and what the mint had given."})
    expected = fields.Float(
        required=True,
        metadata={"description": "What the stakes come to on average under best play, in chips."},
    )


class Series(Schema):
    """The caller's curve."""

    points = fields.List(fields.Nested(Point), required=True)


def _chips(text: str, example: int) -> Whole:
    return Whole(0, MAX_CHIPS, allow_none=True, text=text, example=example)


class _Wanted(Body):
    """A call that sets nothing is a mistake."""

    @validates_schema
    def something(self, data: dict[str, Any], **_: Any) -> None:
        """At least one of the fields."""
        if not data:
            raise ValidationError(f"must set one of {', '.join(self.fields)} at least")


class LossLimits(_Wanted):
    """Most chips that may be lost, held ones counted; null for no limit."""

    day = _chips("In a day, from midnight UTC.", 200)
    week = _chips("In a week, from Monday, midnight UTC.", 500)
    month = _chips("In a month, from its first day, midnight UTC.", 2000)


class WantedLimits(_Wanted):
    """Limits to set. What is left out stays as it is; null takes a limit away."""

    loss = fields.Nested(LossLimits, allow_none=True)
    stake = _chips("Most chips of one stake.", 20)
    time = Whole(
        0, MINUTES_A_DAY, allow_none=True, text="Minutes of play in a day, from midnight UTC.", example=90
    )
    exclusion = Moment(
        allow_none=True, text="No play until then; it can be put off, not ended sooner.", example=None
    )


class LossesShown(Schema):
    """Chips by day, week and month."""

    day = fields.Integer(required=True, allow_none=True)
    week = fields.Integer(required=True, allow_none=True)
    month = fields.Integer(required=True, allow_none=True)


class PendingLimit(Schema):
    """A looser limit, or none (null), that was asked for and does not hold yet."""

    pointer = fields.String(required=True, metadata={"description": "Which limit: where PUT takes it."})
    value = fields.Integer(required=True, allow_none=True)
    at = fields.String(
        required=True, metadata={"format": "date-time", "description": "From when it will hold."}
    )


class Limits(Schema):
    """The limits that hold, those that are to come, and what is used of them."""

    loss = fields.Nested(LossesShown, required=True)
    stake = fields.Integer(required=True, allow_none=True)
    time = fields.Integer(required=True, allow_none=True)
    exclusion = fields.String(required=True, allow_none=True, metadata={"format": "date-time"})
    pending = fields.List(fields.Nested(PendingLimit), required=True)
    lost = fields.Nested(
        LossesShown,
        required=True,
        metadata={"description": "Lost so far, held chips counted; below 0: won."},
    )
    played = fields.Integer(required=True, metadata={"description": "Minutes of play so far in this day."})
