"""Shapes of positions."""

from typing import Any, Final

from marshmallow import fields

from api.fields import Flag, Items, OneOrMany, Text, Whole

MOST_STEPS: Final = 1000


class PositionAsked(OneOrMany):
    """A situation of any game, and what is done from there."""

    id = Text(1, 100, text="A name of yours, repeated in the answer.", example="case-7")
    position = fields.Dict(
        required=True,
        metadata={
            "description": "`game`, `options`, `seats` and the fields of its family: docs/banking.md, docs/shedding/,"
            " docs/peklo.md."
        },
    )
    steps = Items(
        fields.Raw(),
        high=MOST_STEPS,
        text="Pairs of a seat and a text, in order.",
    )
    seat = Whole(0, 9, text="Whose view to give; absent: that of the seat awaited.", example=0)
    leads_to = Flag(text="Also tell what every action leads to.")


# By family the members differ; these every answer has.
_TOLD: Final[dict[str, Any]] = {
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
        "id": {"type": "string", "description": "As it was given."},
    },
    "additionalProperties": True,
}
_IMPOSSIBLE: Final[dict[str, Any]] = {
    "type": "object",
    "description": "A position of an array that cannot be.",
    "required": ["error", "detail", "pointer"],
    "properties": {
        "id": {"type": "string", "description": "As it was given."},
        "error": {"type": "string", "description": "The class of the refusal."},
        "detail": {"type": "string", "description": "What was wrong, and what would be right."},
        "pointer": {"type": "string", "description": "Where in this item of the array: a JSON Pointer."},
    },
    "additionalProperties": False,
}
ANSWERED: Final[dict[str, Any]] = {
    "oneOf": [
        _TOLD,
        {"type": "array", "items": {"oneOf": [_TOLD, _IMPOSSIBLE]}},
    ]
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
