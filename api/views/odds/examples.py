"""Examples of the document: questions about odds and their answers."""

from typing import Any, Final

_HASH: Final = "0" * 64
_ENGINE: Final = "macao 0.1.0"
_EV: Final = {"num": "-252899", "den": "6687135", "float": -0.037818737023}
_MINUS: Final = {"num": "252899", "den": "6687135", "float": 0.037818737023}
_HALF: Final = {"num": "1", "den": "2", "float": 0.5}
RULES: Final[dict[str, Any]] = {"preset": "house", "changes": {}}
ODDS: Final[dict[str, Any]] = {"rules": RULES, "punter": "optimal"}
ODDS_TOLD: Final[dict[str, Any]] = {
    "ev_punter": _EV,
    "ev_banker": _MINUS,
    "variance": {"float": 1.985468},
    "distribution": {"-1": _HALF, "1": _HALF},
    "by_first_card": {
        "9": {
            "probability": {"num": "1", "den": "13", "float": 0.076923076923},
            "ev": {"draw": {"float": -0.2533}, "stand": {"float": 2.0219}},
            "best": "stand",
            "variance": {"draw": {"float": 1.1}, "stand": {"float": 1.2}},
            "distribution": {"stand": {"3": {"float": 0.79}}},
            "played": {"ev": {"float": 2.0219}, "variance": {"float": 1.2}, "distribution": {}},
        }
    },
    "punter": "optimal",
    "banker": "rules",
    "information": "all",
    "shoe": {"counts": {"0": 32, "1": 8}},
    "rules_hash": _HASH,
    "engine": _ENGINE,
}
_LINE: Final[dict[str, Any]] = {
    **ODDS_TOLD,
    "hit_rates": {"win": _HALF, "push": {"float": 0.0}, "lose": _HALF},
    "tie": {"float": 0.130786},
    "naturals": {"9": {"num": "1", "den": "13", "float": 0.076923076923}},
    "standard_deviation": 1.409067,
    "coups_to_tell": 3756,
}
PAR_TOLD: Final[dict[str, Any]] = {
    "game": "house",
    "rules_hash": _HASH,
    "engine": _ENGINE,
    "worst_loss": 3,
    "worst_payout": 3,
    "best": _LINE,
    "textbook": {**_LINE, "punter": "textbook"},
}
POLICIES: Final[dict[str, Any]] = {
    "rules": {"preset": "continental"},
    "punter": "textbook",
    "banker": "optimal",
}
POLICIES_TOLD: Final[dict[str, Any]] = {
    "side": "banker",
    "against": "textbook",
    "information": "all",
    "value": {"float": 0.023553},
    "ev_punter": {"float": -0.023553},
    "ev_banker": {"float": 0.023553},
    "decisions": [
        {
            "stage": "dealt",
            "points": 5,
            "third": "4",
            "reach": {"float": 0.0021},
            "ev": {"stand": {"float": -0.11}, "draw": {"float": -0.02}},
            "cost": {"stand": {"float": 0.09}, "draw": {"float": 0}},
            "best": "draw",
        }
    ],
    "rules_hash": _HASH,
    "engine": _ENGINE,
}
COUNTING: Final[dict[str, Any]] = {"rules": RULES, "side": "punter", "depths": [26, 52, 78]}
_ESTIMATE: Final = {"value": -0.0378, "standard_error": 0.0004, "confidence_interval": [-0.0386, -0.037]}
COUNTING_TOLD: Final[dict[str, Any]] = {
    "side": "punter",
    "fresh_shoe": _EV,
    "effects_of_removal": [
        {"points": 9, "cards": 8, "punter": {"float": -0.0021}, "banker": {"float": 0.0021}}
    ],
    "by_depth": [
        {
            "cards_gone": 26,
            "mean": _ESTIMATE,
            "standard_deviation": 0.0136,
            "quantiles": {"0.05": -0.061, "0.5": -0.037, "0.95": -0.017},
            "favourable": 0.01,
            "gain_of_bet_variation": _ESTIMATE,
            "correlation_of_count": 0.98,
        }
    ],
    "bet_spread": 100.0,
    "samples": 2000,
    "seed": 0,
    "rules_hash": _HASH,
    "engine": _ENGINE,
}
