"""Kernels made ready before they are wanted: loaded from disk, or compiled where they are not there yet."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from analysis.exact import odds, resolve
from analysis.fast import edges
from analysis.shoe import full
from casino.banking.presets import PRESETS
from casino.banking.rules import build

_GAMES = ("house", "punto-banco")  # one first card, two first cards


def warm() -> None:
    """Call every kernel that answers questions about odds, once for each kind of arguments it is given."""
    for name in _GAMES:
        rules = build(PRESETS[name][1], {})
        odds(rules, exact=False).spread.ev()
        _, banker = resolve(rules, "optimal", "rules")
        if banker is not None:
            edges(rules, np.array([full(rules.decks).counts]), None, banker)


def kernels() -> Iterator[Any]:
    """The compiled functions that `warm` makes ready. Imports numba."""
    from analysis import card_kernels, pair_kernels  # noqa: PLC0415

    yield from (card_kernels.one_card, card_kernels.one_card_many)
    yield from (pair_kernels.two_cards, pair_kernels.two_cards_many)
