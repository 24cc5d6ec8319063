"""Examples of the document: an experiment from its order to its results."""

from typing import Any, Final

ID: Final = "exp_01jdz3k5q8v7m2x4n6p8r0s1t3"
_HASH: Final = "0" * 64
_MOMENT: Final = "2026-03-01T12:00:00.000000Z"
ASKED: Final[dict[str, Any]] = {
    "label": "flat or martingale?",
    "rules": {"preset": "house"},
    "punter": "optimal",
    "bankroll": 500,
    "stops": {"coups": 500, "target": 1000},
    "sessions": 100_000,
    "grid": {"staking": [{"system": "flat", "unit": 5}, {"system": "martingale", "unit": 5}]},
}
_LISTED: Final[dict[str, Any]] = {
    "id": ID,
    "label": "flat or martingale?",
    "status": "running",
    "hash": _HASH,
    "cells": 2,
    "chunks": {"done": 9, "total": 32},
    "coups": {"played": 28_125_000, "most": 100_000_000},
    "rate": 48_000_000.0,
    "seconds_left": 1.5,
    "fault": None,
    "created_at": _MOMENT,
    "started_at": _MOMENT,
    "finished_at": None,
}
_RUIN: Final[dict[str, Any]] = {
    "value": 0.0046,
    "standard_error": 0.0003,
    "confidence_interval": [0.0041, 0.0052],
}
_GAIN: Final[dict[str, Any]] = {
    "value": -91.4,
    "standard_error": 0.8,
    "confidence_interval": [-93.0, -89.8],
}
TOLD: Final[dict[str, Any]] = {
    **_LISTED,
    "request": ASKED,
    "partial_results": [{"cell": 0, "sessions": 56_250, "ruin": _RUIN, "gain": _GAIN}],
}
PLACED: Final[dict[str, Any]] = {
    **TOLD,
    "status": "waiting",
    "chunks": {"done": 0, "total": 32},
    "coups": {"played": 0, "most": 100_000_000},
    "rate": None,
    "seconds_left": None,
    "started_at": None,
    "partial_results": [],
}
CANCELLED: Final[dict[str, Any]] = {
    **TOLD,
    "status": "cancelled",
    "rate": None,
    "seconds_left": None,
    "finished_at": _MOMENT,
}
PAGE: Final[dict[str, Any]] = {"experiments": [_LISTED], "next": None}
_ROW: Final[dict[str, Any]] = {
    "staking": "system flat, unit 5",
    "label": "flat 5",
    "sessions": 100_000,
    "ruin": 0.0046,
    "mean_final": 408.6,
}
RESULTS: Final[dict[str, Any]] = {
    "id": ID,
    "hash": _HASH,
    "digest": _HASH,
    "table": [_ROW],
    "cell": 0,
    "result": {"label": "flat 5", "sessions": 100_000, "ruin": _RUIN, "gain": _GAIN},
}
CSV: Final = 'staking,label,sessions,ruin\n"system flat, unit 5",flat 5,100000,0.0046\n'
PATHS: Final[dict[str, Any]] = {
    "cell": 0,
    "coups": [0, 10, 20],
    "bankrolls": [[500, 505, 490]],
    "fan": [{"coup": 10, "0.05": 470, "0.25": 490, "0.5": 500, "0.75": 510, "0.95": 530}],
}
SVG: Final = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"></svg>'
VEGA_LITE: Final[dict[str, Any]] = {
    "$schema": "https://vega.github.io/schema/vega-lite/v6.1.0.json",
    "layer": [],
}
