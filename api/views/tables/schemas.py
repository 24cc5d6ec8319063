"""Shapes of tables, seats, actions, banks and coups."""

from typing import Any, Final

from marshmallow import Schema, ValidationError, fields, validates_schema

from api.fields import Choice, Flag, QuerySchema, Text, Whole
from api.paging import PageQuery
from api.strict_json import INT64_MAX

MOST_ACTIONS: Final = 20
MOST_EVENTS: Final = 500
MOST_CHIPS: Final = 1_000_000_000
_SEAT_KINDS: Final = ("me", "bot", "house", "open")


class NewSeat(Schema):
    """One seat of a table to be opened."""

    kind = Choice(*_SEAT_KINDS, required=True, text="Who sits there.", example="bot")
    policy = fields.Raw(
        metadata={"description": "A bot's policy: a name or an object.", "example": "textbook"}
    )
    stake = Whole(1, text="What a bot stakes; the smallest stake where absent.", example=10)
    name = Text(1, 40, text="What a bot is called.", example="Boris")
    seed = Flag(text="Your own seat at a match: the first deal waits until you have given a seed.")


class NewTable(Schema):
    """A table to be opened; only `game` is required."""

    game = Text(1, 40, required=True, text="A name of the catalogue.", example="house")
    options = fields.Dict(
        keys=fields.String(),
        load_default=dict,
        metadata={"description": "Options of the game that differ from its defaults."},
    )
    seats = fields.List(
        fields.Nested(NewSeat), metadata={"description": "Seats from 0; yours alone where absent."}
    )
    bank = Choice(
        "house", "rotates", load_default=None, text="Who banks: the house always, or the seats in turn."
    )
    stakes = Choice(
        "chips", "practice", load_default="chips", text="Practice has no ledger and a seed of your choice."
    )
    seed = Whole(0, INT64_MAX, text="Seed of a practice table; 0 where absent.", example=7)
    turn_seconds = Whole(0, 86_400, text="Time to act; 0 for no clock.", example=30)
    private = Flag(load_default=False, text="To be seen and joined with the invite only.")
    spectators = Flag(load_default=False, text="Anybody may watch what lies open.")
    target = Whole(
        1,
        1_000_000,
        text="Matches: points, or deals won, that end it; the game's own where absent.",
        example=500,
    )
    ante = Whole(
        0, MOST_CHIPS, text="Matches: chips of each seat a deal, for the pot; 0 where absent.", example=10
    )
    chips_per_point = Whole(
        0,
        MOST_CHIPS,
        text="Matches on points: chips that each pays each for a point; 0 where absent.",
        example=1,
    )
    max_points = Whole(
        1, 10_000, text="Points of a deal that are paid at most; 200 where absent.", example=200
    )

    @validates_schema
    def seed_needs_practice(self, data: dict[str, Any], **_: Any) -> None:
        """A seed of one's own would be no chance at all at a table for chips."""
        if "seed" in data and data.get("stakes") != "practice":
            raise ValidationError("only a practice table takes a seed", "seed")


class JoinTable(Schema):
    """Which seat to take."""

    seat = Whole(0, 9, load_default=None, text="The seat; the first open one where absent.", example=1)
    invite = Text(1, 64, load_default=None, text="The code of a private table.", example="Zm9vYmFyYmF6cXV4")
    seed = Text(
        1, 64, load_default=None, text="Matches: your client seed, up to 32 bytes in hex.", example="00ff"
    )


class Act(Schema):
    """One action, several (all or none), or `autoplay` with its stake, policy and number of coups."""

    action = Text(1, 200, text="The text of an action, or «autoplay».", example="stake 10")
    actions = fields.List(
        Text(1, 200), metadata={"description": f"1 to {MOST_ACTIONS} actions in order, all or none."}
    )
    stake = Whole(1, text="Autoplay: chips of each stake.", example=10)
    policy = fields.Raw(
        load_default=None,
        metadata={"description": "Autoplay: how to play; textbook where absent.", "example": "textbook"},
    )
    coups = Whole(1, text="Autoplay: how many coups.", example=100)

    @validates_schema
    def one_way(self, data: dict[str, Any], **_: Any) -> None:
        """Exactly one of the three forms."""
        if ("action" in data) == ("actions" in data):
            raise ValidationError("give either one action or a list of actions", "action")
        if "actions" in data and not 1 <= len(data["actions"]) <= MOST_ACTIONS:
            raise ValidationError(f"must have 1 to {MOST_ACTIONS} items", "actions")
        autoplay = data.get("action") == "autoplay"
        for name in ("stake", "coups"):
            if autoplay and name not in data:
                raise ValidationError("autoplay needs it", name)
            if not autoplay and name in data:
                raise ValidationError("goes with «autoplay» only", name)
        if not autoplay and data.get("policy") is not None:
            raise ValidationError("goes with «autoplay» only", "policy")


class TableQuery(PageQuery):
    """Which tables to list."""

    game = Text(1, 40, load_default=None, text="Only tables of this game.", example="house")
    mine = Flag(load_default=False, text="Only those that you sit at or opened.")
    joinable = Flag(load_default=False, text="Only those with an open seat.")


class CoupQuery(PageQuery):
    """Which coups to list."""

    bank = Text(
        1, 40, load_default=None, text="Only coups of this bank.", example="bnk_01k3v9z6q8f3h2m4n5p6r7s8t9"
    )
    status = Choice("open", "settled", "voided", load_default=None, text="Only coups that stand so.")


class EventQuery(QuerySchema):
    """Which events to give, and how long to wait for one."""

    after = Whole(0, load_default=0, text="Events with higher numbers.", example=12)
    wait = Whole(0, 25, load_default=0, text="Seconds to wait where there is none yet.", example=20)
    limit = Whole(1, MOST_EVENTS, load_default=200, text="Most events of the answer.", example=200)


class SeatShown(Schema):
    """A seat as everyone sees it."""

    seat = fields.Integer(required=True)
    kind = fields.String(required=True)
    name = fields.String(required=True, allow_none=True)
    policy = fields.Raw()
    pending = fields.Boolean(
        required=True, metadata={"description": "Will be seated when seats change next."}
    )
    leaving = fields.Boolean(required=True, metadata={"description": "The default policy plays on."})
    you = fields.Boolean(required=True)


class TableSummary(Schema):
    """A table in a list."""

    id = fields.String(required=True)
    game = fields.String(required=True)
    family = fields.String(required=True)
    rules_hash = fields.String(required=True)
    version = fields.Integer(required=True)
    phase = fields.String(required=True)
    bank = fields.String(required=True, allow_none=True, metadata={"description": "None at a match."})
    stakes = fields.String(required=True)
    target = fields.Integer(allow_none=True, metadata={"description": "Matches: what ends it."})
    ante = fields.Integer(metadata={"description": "Matches: chips of each seat a deal."})
    chips_per_point = fields.Integer()
    max_points = fields.Integer()
    turn_seconds = fields.Integer(required=True)
    private = fields.Boolean(required=True)
    spectators = fields.Boolean(required=True)
    created_at = fields.String(required=True)
    closed_at = fields.String(required=True, allow_none=True)
    seats = fields.List(fields.Nested(SeatShown), required=True)


class TableList(Schema):
    """A page of tables, newest first."""

    tables = fields.List(fields.Nested(TableSummary), required=True)
    next = fields.String(required=True, allow_none=True)


class EventShown(Schema):
    """An event: the number is the same for all, the data are what you may see."""

    n = fields.Integer(required=True)
    at = fields.String(required=True)
    type = fields.String(required=True)
    coup = fields.Integer(allow_none=True, metadata={"description": "Banking tables: which coup."})
    deal = fields.Integer(allow_none=True, metadata={"description": "Matches: which deal."})
    seat = fields.Integer(required=True, allow_none=True)
    data = fields.Dict(required=True)


class EventList(Schema):
    """Events in order; `last` is the number to ask from next."""

    events = fields.List(fields.Nested(EventShown), required=True)
    last = fields.Integer(required=True)


class Chips(Schema):
    """Chips at the table's least and greatest stake of each punter."""

    min = fields.Integer(required=True)
    max = fields.Integer(required=True)


class Bank(Schema):
    """A bank."""

    stakes = fields.Float(required=True, metadata={"description": "In stakes of one punter."})
    chips = fields.Nested(Chips, required=True)


def _by_risk(text: str, *, or_none: bool = False) -> fields.Dict:
    return fields.Dict(
        keys=fields.String(),
        values=fields.Nested(Bank),
        required=True,
        allow_none=or_none,
        metadata={"description": text},
    )


class BankNeeded(Schema):
    """What bank keeps the risk of ruin down to 0.05, 0.01, 0.001 (`POST /ruin` with side banker tells more)."""

    punters = fields.Integer(required=True, metadata={"description": "Who all stake the same."})
    punter = fields.Raw(required=True, metadata={"description": "The policy that they play."})
    banker = fields.Raw(required=True, metadata={"description": "The policy that the banker plays."})
    for_ever = _by_risk("By risk; null where the bank's side has no edge: then none is enough.", or_none=True)
    coups = fields.Integer(required=True, metadata={"description": "Most coups that one shoe serves."})
    one_shoe = _by_risk("By risk, for so many coups.")


class TableShown(TableSummary):
    """A table as you see it, with your legal actions."""

    options = fields.Dict(required=True)
    engine = fields.String(required=True)
    server_time = fields.String(required=True)
    deadline = fields.String(required=True, allow_none=True)
    events = fields.Integer(required=True, metadata={"description": "Number of the last event."})
    you = fields.Dict(required=True, allow_none=True)
    play = fields.Dict(required=True, allow_none=True)
    legal = fields.List(fields.Raw(), required=True)
    last = fields.Dict(
        required=True, allow_none=True, metadata={"description": "The last settlement, all hands open."}
    )
    bank_needed = fields.Nested(
        BankNeeded,
        allow_none=True,
        metadata={"description": "Banking tables: the bank for some risks of ruin; null: not worked out."},
    )
    new_events = fields.List(fields.Nested(EventShown))
    autoplay = fields.Dict()
    invite = fields.String(metadata={"description": "Shown once, to whoever opened a private table."})
    seat = fields.Integer()


class BankShown(Schema):
    """A bank; its seeds only once they are revealed."""

    id = fields.String(required=True)
    table = fields.String(required=True)
    number = fields.Integer(required=True, metadata={"description": "0 is the lot for the first banker."})
    stakes_for = fields.String(required=True, metadata={"description": "chips or practice."})
    banker = fields.Integer(required=True, allow_none=True)
    commitment = fields.String(required=True)
    server_seed = fields.String(required=True, allow_none=True)
    client_seeds = fields.List(fields.String(), required=True, allow_none=True)
    put_up = fields.Integer(required=True)
    left_over = fields.Integer(required=True, allow_none=True)
    reason = fields.String(required=True, allow_none=True)
    opened_at = fields.String(required=True)
    closed_at = fields.String(required=True, allow_none=True)
    revealed_at = fields.String(required=True, allow_none=True)


class BankList(Schema):
    """A page of banks, newest first."""

    banks = fields.List(fields.Nested(BankShown), required=True)
    next = fields.String(required=True, allow_none=True)


class Recalled(Schema):
    """What coups and deals have in common; what was played, and by whom, once it is over."""

    id = fields.String(required=True)
    table = fields.String(required=True)
    bank_id = fields.String(required=True, metadata={"description": "A match has one seed, and one bank."})
    number = fields.Integer(required=True)
    status = fields.String(required=True)
    game = fields.String(required=True)
    stakes_for = fields.String(required=True)
    opened_at = fields.String(required=True)
    settled_at = fields.String(required=True, allow_none=True)
    you = fields.Dict(required=True, allow_none=True)
    replay = fields.Boolean(required=True, metadata={"description": "It is over: this is a recollection."})
    rules_hash = fields.String()
    engine = fields.String(metadata={"description": "The version that dealt it."})
    chips = fields.List(fields.Integer(), metadata={"description": "Won and lost, by seat."})
    choices = fields.List(fields.Nested(EventShown))


class CoupShown(Recalled):
    """A coup in full once it is settled: hands with discards in brackets, nets in stakes, chips paid by seat."""

    bank_number = fields.Integer()
    banker = fields.Integer(metadata={"description": "The banker's seat."})
    bank = fields.Integer(metadata={"description": "Chips of the bank after the settlement."})
    played_by = fields.List(fields.Integer(), metadata={"description": "Seats with hands, in order."})
    hands = fields.List(fields.String(allow_none=True))
    points = fields.List(fields.Integer(allow_none=True))
    naturals = fields.List(fields.Boolean())
    stakes = fields.List(fields.Integer())
    net = fields.List(fields.Integer())


class CoupList(Schema):
    """A page of coups, newest first."""

    coups = fields.List(fields.Nested(CoupShown), required=True)
    next = fields.String(required=True, allow_none=True)


class Proved(Schema):
    """What every proof has, in canonical JSON: see docs/fairness.md."""

    version = fields.String(required=True)
    table = fields.String(required=True)
    seats = fields.Integer(required=True)
    commitment = fields.String(required=True)
    server_seed = fields.String(required=True)
    client_seeds = fields.List(fields.String(), required=True)
    digest = fields.String(required=True)


class Proof(Proved):
    """Everything that a bank was dealt from, in canonical JSON: see docs/fairness.md."""

    bank = fields.String(required=True)
    number = fields.Integer(required=True)
    rules = fields.Dict(required=True)
    shuffles = fields.List(fields.String(), required=True)
    banker = fields.Integer(required=True, allow_none=True)
    coups = fields.List(fields.Dict(), required=True)
    draws = fields.List(fields.Dict(), required=True, allow_none=True)


class DealShown(Recalled):
    """A deal of a match: in full, with choices and record, once it is over. Lists run by seat."""

    dealer = fields.Integer()
    hands = fields.List(fields.List(fields.String()), metadata={"description": "As they were dealt."})
    turned = fields.Raw(metadata={"description": "The card, or the cards, turned after the deal."})
    scores = fields.List(fields.Integer())
    winners = fields.List(fields.Integer())
    reason = fields.String()
    totals = fields.List(fields.Integer(), metadata={"description": "Scores of the match after this deal."})
    won = fields.List(fields.Integer(), metadata={"description": "Deals won so far."})
    stake = fields.Integer(metadata={"description": "Chips held of each seat before the deal."})
    record = fields.Dict(metadata={"description": "Replays card by card: `macao play --replay`."})


class DealList(Schema):
    """A page of deals, newest first."""

    deals = fields.List(fields.Nested(DealShown), required=True)
    next = fields.String(required=True, allow_none=True)


class MatchProof(Proved):
    """Everything that a match, or one deal of it, was dealt from and played by, in canonical JSON: docs/fairness.md."""

    game = fields.String(required=True)
    options = fields.Dict(required=True)
    deals = fields.List(fields.Dict(), required=True)
    totals = fields.List(fields.Integer(), required=True, allow_none=True)
    ended_by = fields.String(required=True, allow_none=True)
