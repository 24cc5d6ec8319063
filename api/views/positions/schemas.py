"""Shapes of positions."""

from typing import Any, Final

from marshmallow import Schema, fields, validate

from api.fields import Flag, Whole

MOST_STEPS: Final = 1000


class PositionAsked(Schema):
    """A situation of any game, and what is done from there."""

    position = fields.Dict(
        required=True,
        metadata={
            "description": "`game`, `options`, `seats` and the fields of its family: docs/banking.md, docs/shedding/,"
            " docs/peklo.md."
        },
    )
    steps = fields.List(
        fields.Raw(),
        load_default=list,
        metadata={"description": f"At most {MOST_STEPS} pairs of a seat and a text, in order."},
        validate=validate.Length(max=MOST_STEPS, error=f"must have at most {MOST_STEPS} items"),
    )
    seat = Whole(
        0, 9, load_default=None, text="Whose view to give; absent: that of the seat awaited.", example=0
    )
    leads_to = Flag(load_default=False, text="Also tell what every action leads to.")


# By family the members differ; these every answer has.
POSITION_TOLD: Final[dict[str, Any]] = {
    "type": "object",
    "description": "What is on the table after the steps, by the names of the game's position.",
    "required": ["legal", "view"],
    "properties": {
        "legal": {
            "type": "object",
            "description": "By seat: the texts of its actions.",
            "additionalProperties": {"type": "array", "items": {}},
        },
        "view": {"type": "object", "description": "What the seat sees.", "additionalProperties": True},
        "leads_to": {
            "type": "object",
            "description": "By seat and text of an action: what is on the table after it.",
            "additionalProperties": {"type": "object", "additionalProperties": True},
        },
        "error": {
            "type": "string",
            "description": "The class of the refusal of the last step, if it was refused.",
        },
        "detail": {
            "type": "string",
            "description": "What was wrong; the rest is as it was before that step.",
        },
        "step": {"type": "integer", "description": "The number of the step that was refused, from 0."},
    },
    "additionalProperties": True,
}
ASKED: Final[dict[str, Any]] = {
    "position": {
        "game": "peklo",
        "seats": 2,
        "dealer": 1,
        "hands": [["5H", "9C"], ["3H", "KS"]],
        "trump": "S",
        "bids": [1, 0],
        "to_move": 0,
    },
    "steps": [[0, "play 5H"]],
}
TOLD: Final[dict[str, Any]] = {
    "phase": "tricks",
    "to_move": 1,
    "hands": [["9C"], ["3H", "KS"]],
    "trump": "S",
    "bids": [1, 0],
    "taken": [0, 0],
    "trick": [[0, "5H"]],
    "over": False,
    "scores": None,
    "legal": {"0": [], "1": ["play 3H"]},
    "view": {"seat": 1, "hands": [None, ["3H", "KS"]], "legal": ["play 3H"]},
}
