"""Examples of the document."""

from typing import Any, Final

_SUMMARY: Final[dict[str, Any]] = {
    "name": "house",
    "family": "banking",
    "title": "tellings 2 and 3 against a banker who plays by rote: the default against the house",
    "seats": {"min": 2, "max": 10, "default": 2},
}
GAMES: Final[dict[str, Any]] = {"games": [_SUMMARY | {"href": "/v1/games/house"}]}
GAME: Final[dict[str, Any]] = _SUMMARY | {
    "source": "002_ab38dec88f5893ee.txt, section «Макао», tellings 2 and 3, with a banker who plays by rote",
    "options": {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "decks": {
                "type": "integer",
                "minimum": 1,
                "maximum": 8,
                "description": "Packs of 52 in the shoe.",
                "x-source": "all tellings: two packs",
                "default": 2,
            }
        },
    },
    "defaults": {"decks": 2},
    "actions": {"stake": "stake on the coming coup: «stake 10»", "stand": "take no further card"},
    "rules_hash": "0" * 64,
}
