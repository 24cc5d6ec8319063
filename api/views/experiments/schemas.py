"""Shapes of experiments and of what is told of them. What a body says beyond its shape, the analysis checks."""

from typing import Any

from marshmallow import Schema, fields

from api.fields import Body, Choice, QuerySchema, Text, Whole
from api.models.experiments import STATUSES
from api.paging import PageQuery
from api.strict_json import INT64_MAX
from api.views.bankroll_maths.schemas import Asked
from api.views.odds.shapes import Estimate

MOST_CHIPS = 10**13
MOST_SESSIONS = 10**9
MOST_CELLS = 1000


def _plain(text: str, example: Any, *, required: bool = False) -> fields.Dict:
    return fields.Dict(
        keys=fields.String(), required=required, metadata={"description": text, "example": example}
    )


class StakeLimits(Body):
    """What the table takes."""

    min = Whole(1, MOST_CHIPS, required=True, text="Least stake.", example=5)
    max = Whole(1, MOST_CHIPS, required=True, text="Greatest stake.", example=500)
    step = Whole(1, MOST_CHIPS, text="Stakes go in such steps; 1 where absent.", example=5)


class Precision(Body):
    """Play until an interval is that narrow."""

    of = Choice("ruin", "gain", required=True, text="Of the risk of ruin, or of the mean gain in chips.")
    half_width = fields.Raw(
        required=True,
        metadata={
            "description": "Half the width of the 95 % interval: a number, or a text.",
            "example": "0.001",
        },
    )
    most = Whole(1, MOST_SESSIONS, text="Most sessions; 10000000 where absent.", example=1_000_000)


class ExperimentAsked(Asked):
    """An experiment, or with `grid` a sweep of them. One of `rules`, `outcomes`, `results` and `played`."""

    label = Text(1, 80, text="A name for lists and tables.", example="flat or martingale?")
    need = fields.Raw(
        metadata={
            "description": "Stakes to be covered for each stake, where more than the worst loss.",
            "example": 3,
        }
    )
    staking = _plain("A staking system and its options.", {"system": "flat", "unit": 5})
    bankroll = Whole(1, MOST_CHIPS, text="Chips at the start of a session.", example=500)
    limits = fields.Nested(StakeLimits, metadata={"description": "Those of the rules where absent."})
    stops = _plain("When a session ends; `coups` is needed.", {"coups": 500, "target": 1000})
    sessions = Whole(1, MOST_SESSIONS, text="Sessions played; 100000 where absent.", example=100_000)
    precision = fields.Nested(Precision, metadata={"description": "In the place of `sessions`."})
    seed = Whole(0, INT64_MAX, text="Decides the coups; 0 where absent.", example=0)
    turns = _plain(
        "He banks in his turn: players, coups of a bank, stake against it.",
        {"players": 4, "coups": 25, "stake": 10},
    )
    grid = fields.Dict(
        keys=fields.String(),
        values=fields.List(fields.Raw()),
        metadata={
            "description": f"Path in the request -> values: at most {MOST_CELLS} cells in all.",
            "example": {"bankroll": [200, 500]},
        },
    )


class ListQuery(PageQuery):
    """A page of the caller's experiments."""

    status = Choice(*STATUSES, load_default=None, text="Only those in this status.")


class CellQuery(QuerySchema):
    """Which cell of a sweep."""

    cell = Whole(
        0, MOST_CELLS - 1, load_default=0, text="The cell, from 0, in the order of the table.", example=0
    )


class ChartQuery(QuerySchema):
    """Which picture."""

    cell = Whole(
        0, MOST_CELLS - 1, load_default=None, text="One cell; where absent the table of a sweep.", example=0
    )


class Chunks(Schema):
    """Progress in chunks."""

    done = fields.Integer(required=True)
    total = fields.Integer(required=True, metadata={"description": "At most: a precision may end it sooner."})


class Coups(Schema):
    """Progress in coups."""

    played = fields.Integer(required=True)
    most = fields.Integer(required=True, metadata={"description": "Sessions may end sooner."})


class Listed(Schema):
    """An experiment in a list."""

    id = fields.String(required=True)
    label = fields.String(required=True)
    status = fields.String(required=True, metadata={"enum": list(STATUSES)})
    hash = fields.String(
        required=True, metadata={"description": "Of what is played: equal ones have equal results."}
    )
    cells = fields.Integer(required=True)
    chunks = fields.Nested(Chunks, required=True)
    coups = fields.Nested(Coups, required=True)
    rate = fields.Float(
        required=True, allow_none=True, metadata={"description": "Coups a second, while it runs."}
    )
    seconds_left = fields.Float(
        required=True, allow_none=True, metadata={"description": "At that rate, at most."}
    )
    fault = fields.String(required=True, allow_none=True, metadata={"description": "Why it failed."})
    created_at = fields.String(required=True, metadata={"format": "date-time"})
    started_at = fields.String(required=True, allow_none=True, metadata={"format": "date-time"})
    finished_at = fields.String(required=True, allow_none=True, metadata={"format": "date-time"})


class PartialCell(Schema):
    """What the chunks done so far say of a cell."""

    cell = fields.Integer(required=True)
    sessions = fields.Integer(required=True)
    ruin = fields.Nested(Estimate, required=True)
    gain = fields.Nested(
        Estimate, required=True, metadata={"description": "Mean gain of a session, in chips."}
    )


class Told(Listed):
    """An experiment."""

    request = fields.Dict(required=True, metadata={"description": "As it was asked."})
    partial_results = fields.List(
        fields.Nested(PartialCell),
        required=True,
        metadata={"description": "Of the first cells, until it is done."},
    )


class Experiments(Schema):
    """A page of experiments."""

    experiments = fields.List(fields.Nested(Listed), required=True)
    next = fields.String(required=True, allow_none=True)


class Results(Schema):
    """What an experiment came to."""

    id = fields.String(required=True)
    hash = fields.String(required=True)
    digest = fields.String(
        required=True,
        metadata={"description": "SHA-256 of all that was counted: equal to the bit, equal here."},
    )
    table = fields.List(fields.Dict(), required=True, metadata={"description": "A row for each cell."})
    cell = fields.Integer(required=True)
    result = fields.Dict(required=True, metadata={"description": "All figures of that cell."})


class Paths(Schema):
    """Some sessions of a cell, coup by coup, and quantiles of all whose paths are kept."""

    cell = fields.Integer(required=True)
    coups = fields.List(fields.Integer(), required=True, metadata={"description": "After these coups."})
    bankrolls = fields.List(
        fields.List(fields.Integer()),
        required=True,
        metadata={"description": "A list for each session, in chips."},
    )
    fan = fields.List(
        fields.Dict(), required=True, metadata={"description": "By coup: quantiles of the bankroll."}
    )
