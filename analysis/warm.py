"""Kernels made ready before they are wanted: loaded from disk, or compiled where they are not there yet.

`python -m analysis.warm` compiles them for whoever comes after, as `make` and `macao serve` do.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from analysis.bank_totals import dealing_of, dealt
from analysis.chunks import play_chunk
from analysis.exact import odds, resolve
from analysis.experiment import Experiment
from analysis.fast import edges
from analysis.outcomes import Outcomes
from analysis.shoe import full
from analysis.staking import Staking
from analysis.stops import Stops
from analysis.systems import StakeLimits
from casino.banking.presets import PRESETS
from casino.banking.rules import build

_GAMES = ("house", "punto-banco")  # one first card, two first cards


def warm() -> None:
    """Call every kernel that answers questions about odds and bankrolls, once for each kind of arguments."""
    for name in _GAMES:
        rules = build(PRESETS[name][1], {})
        odds(rules, exact=False).spread.ev()
        _, banker = resolve(rules, "optimal", "rules")
        if banker is not None:
            edges(rules, np.array([full(rules.decks).counts]), None, banker)
    dealt(dealing_of(build(PRESETS[_GAMES[0]][1], {}), 2, 2, (None, None)), coups=1)
    for system in ("flat", "martingale"):
        play_chunk(_session(system), 0)


def _session(system: str) -> Experiment:
    """One session of one coup."""
    coin = Outcomes.parse("1:1/2,-1:1/2")
    return Experiment(coin, Staking(system, {"unit": 1}), 2, Stops(coups=1), StakeLimits(1, 2), sessions=1)


def kernels() -> Iterator[Any]:
    """The compiled functions that `warm` makes ready. Imports numba."""
    from analysis import card_kernels, deal_kernels, pair_kernels, session_kernels  # noqa: PLC0415

    yield from (card_kernels.one_card, card_kernels.one_card_many)
    yield from (pair_kernels.two_cards, pair_kernels.two_cards_many)
    yield from (session_kernels.flat_sessions, session_kernels.sessions, session_kernels.count)
    yield deal_kernels.by_bank


if __name__ == "__main__":
    warm()
