"""Examples of the document: questions about bankrolls and their answers."""

from typing import Any, Final

_ENGINE: Final = "macao 0.1.0"
_HASH: Final = "0" * 64
_HALF: Final = {"num": "1", "den": "2", "float": 0.5}
_RULES: Final = {"preset": "house"}
_COUP: Final[dict[str, Any]] = {
    "mean": {"num": "306511", "den": "6687135", "float": 0.04583592225968221},
    "standard_deviation": 1.4174526121867115,
    "mean_100": {"num": "6130220", "den": "1337427", "float": 4.583592225968221},
    "standard_deviation_100": 14.174526121867114,
    "n0": 956.324206746088,
}
_HEAD: Final[dict[str, Any]] = {
    "outcomes": {
        "-3": "32/497",
        "-2": "1648/32305",
        "-1": "912868/2865915",
        "1": "259234/514395",
        "2": "47462/1543185",
        "3": "5377/171465",
    },
    "coup": _COUP,
    "rules_hash": _HASH,
    "engine": _ENGINE,
}
RUIN: Final[dict[str, Any]] = {"rules": _RULES, "side": "banker", "bankroll": 50, "goal": 100}
RUIN_TOLD: Final[dict[str, Any]] = {
    **_HEAD,
    "ruin": {"float": 0.10168389},
    "goal": {"float": 0.89831611},
    "open": {"float": 0.0},
    "expected_coups": {"float": 876.49207},
    "expected_coups_if_ruined": {"float": 846.04798},
    "expected_coups_if_goal": {"float": 879.93815},
    "root": 0.95576221,
    "root_formula": 0.10411005,
    "diffusion_formula": 0.10214785,
}
_COIN: Final = {"1": "53/100", "-1": "47/100"}
_COIN_HEAD: Final[dict[str, Any]] = {
    "outcomes": {"-1": "47/100", "1": "53/100"},
    "coup": {
        "mean": {"num": "3", "den": "50", "float": 0.06},
        "standard_deviation": 0.99819838,
        "mean_100": {"num": "6", "den": "1", "float": 6.0},
        "standard_deviation_100": 9.9819838,
        "n0": 276.77778,
    },
    "engine": _ENGINE,
}
KELLY: Final[dict[str, Any]] = {"outcomes": _COIN}
KELLY_TOLD: Final[dict[str, Any]] = {
    **_COIN_HEAD,
    "full": {
        "fraction": 0.06,
        "growth": 0.00180108,
        "standard_deviation": 0.05996397,
        "coups_to_double": 384.85,
        "fall": 1.0,
        "chance_of_half": 0.5,
    },
    "half": {
        "fraction": 0.03,
        "growth": 0.00135048,
        "standard_deviation": 0.02995495,
        "coups_to_double": 513.26,
        "fall": 3.0,
        "chance_of_half": 0.1248,
    },
    "zero_growth": 0.11971214,
    "edge_over_variance": 0.06021678,
}
SESSIONS: Final[dict[str, Any]] = {"outcomes": {"1": "1/2", "-1": "1/2"}, "coups": 2, "exact": True}
SESSIONS_TOLD: Final[dict[str, Any]] = {
    "outcomes": {"-1": "1/2", "1": "1/2"},
    "coup": {
        "mean": {"num": "0", "den": "1", "float": 0.0},
        "standard_deviation": 1.0,
        "mean_100": {"num": "0", "den": "1", "float": 0.0},
        "standard_deviation_100": 10.0,
        "n0": None,
    },
    "engine": _ENGINE,
    "coups": 2,
    "mean": {"num": "0", "den": "1", "float": 0.0},
    "standard_deviation": 1.4142135623730951,
    "win": {"num": "1", "den": "4", "float": 0.25},
    "loss": {"num": "1", "den": "4", "float": 0.25},
    "quantiles": {"0.5": {"num": "0", "den": "1", "float": 0.0}},
    "results": 3,
    "distribution": {
        "-2": {"num": "1", "den": "4", "float": 0.25},
        "0": _HALF,
        "2": {"num": "1", "den": "4", "float": 0.25},
    },
}
