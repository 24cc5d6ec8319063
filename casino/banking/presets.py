"""The presets of banking Macao, each told as another one with some options changed.

Sources: the three tellings of the Russian text, and `rules/banking.md`, «Presets».
"""

from typing import Any, Final

_MULTIPLES: Final = {"9": 3, "8": 2, "7": 1}
_MUST_DRAW_TO_5: Final = ["draw"] * 6 + ["stand"] * 4

_RUSSIAN_EVEN: Final[dict[str, Any]] = {
    "decks": 2,
    "max_punters": 9,
    "first_cards": 1,
    "max_draws": 1,
    "stake_limits": {"min": 5, "max": 500, "step": 5},
    "bank_limits": {"min": 100, "max": 1_000_000},
    "bank_topup": True,
    "seats_change": "round",
    "seating": "chosen",
    "banker_peeks": False,
    "exposed": "never",
    "punter_draw": ["free"] * 10,
    "shared_hand": False,
    "banker_draw": "never",
    "draw_face_up": True,
    "punter_discards": "none",
    "banker_discards": "none",
    "natural_after_discard": False,
    "natural_pays": {},
    "natural_takes": {},
    "ties": "push",
    "tie_takes": {},
    "tie_takes_on": "points",
    "banker_natural_ends": [],
    "punter_natural_ends": [],
    "commission": "0",
    "exhaustion": "reserve",
}

_RUSSIAN_MULTIPLE: Final = _RUSSIAN_EVEN | {
    "stake_limits": {"min": 10, "max": 10, "step": 10},
    "seats_change": "bank",
    "seating": "drawn",
    "banker_peeks": True,
    "punter_discards": "both",
    "natural_pays": _MULTIPLES,
    "ties": "banker",
    "tie_takes": _MULTIPLES,
    "tie_takes_on": "banker_natural",
}

_PUNTO_BANCO: Final = _RUSSIAN_EVEN | {
    "decks": 8,
    "first_cards": 2,
    "seats_change": "coup",
    "banker_peeks": True,
    "punter_draw": _MUST_DRAW_TO_5,
    "shared_hand": True,
    "banker_draw": {
        "tableau": [
            "DDDDDDDDDDD",
            "DDDDDDDDDDD",
            "DDDDDDDDDDD",
            "DDDDDDDDDSD",
            "DSSDDDDDDSS",
            "DSSSSDDDDSS",
            "SSSSSSSDDSS",
            "SSSSSSSSSSS",
            "SSSSSSSSSSS",
            "SSSSSSSSSSS",
        ]
    },
    "banker_natural_ends": [8, 9],
    "punter_natural_ends": [8, 9],
    "commission": "1/20",
}

# name: (what it is, full record)
PRESETS: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "russian-even": (
        "Russian Macao, telling 1 to the letter: every stake is won or lost once",
        _RUSSIAN_EVEN,
    ),
    "russian-multiple": (
        "Russian Macao, tellings 2 and 3 to the letter: naturals pay double and triple",
        _RUSSIAN_MULTIPLE,
    ),
    "russian-even-active": (
        "telling 1 with a banker who looks at his card and draws as he likes",
        _RUSSIAN_EVEN | {"banker_peeks": True, "banker_draw": "free"},
    ),
    "russian-multiple-active": (
        "tellings 2 and 3 with a banker who discards zeros and draws as he likes",
        _RUSSIAN_MULTIPLE | {"banker_draw": "free", "banker_discards": "both"},
    ),
    "house": (
        "tellings 2 and 3 against a banker who plays by rote: the default against the house",
        _RUSSIAN_MULTIPLE
        | {
            "stake_limits": {"min": 5, "max": 500, "step": 5},
            "seats_change": "coup",
            "seating": "chosen",
            "banker_draw": {"upto": 5},
            "banker_discards": "both",
            "tie_takes_on": "points",
        },
    ),
    "continental": (
        "the French and Italian form: naturals pay either side, equal points push",
        _RUSSIAN_EVEN
        | {
            "seats_change": "bank",
            "banker_peeks": True,
            "banker_draw": "free",
            "natural_pays": _MULTIPLES,
            "natural_takes": _MULTIPLES,
            "banker_natural_ends": [7, 8, 9],
            "punter_natural_ends": [7, 8, 9],
        },
    ),
    "punto-banco": (
        "two cards each and a fixed tableau: published figures prove the engine by it",
        _PUNTO_BANCO,
    ),
    "chemin-de-fer": (
        "two cards each, the punter free on 5, the banker free",
        _PUNTO_BANCO
        | {
            "decks": 6,
            "seats_change": "bank",
            "punter_draw": ["draw"] * 5 + ["free"] + ["stand"] * 4,
            "banker_draw": "free",
            "commission": "0",
        },
    ),
}
