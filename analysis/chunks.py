"""One chunk of an experiment, played by the compiled kernels. Importing this module imports numba."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis import machine, xoshiro
from analysis import session_kernels as kernel
from analysis.coups import FALL
from analysis.experiment import Experiment
from analysis.stops import REASONS
from analysis.tally import HISTOGRAMS, Batch, Histogram, Tally, reasons_of

_SLICE = 4096  # sessions in memory at once
_PATHS = 2048  # paths that are kept of an experiment, about
_LEAST_PATHS = 8  # of a chunk
_NEVER = 2**62

Ints = NDArray[np.int64]


def play_chunk(experiment: Experiment, chunk: int) -> Tally:
    """The sessions of one chunk, from 0, added up."""
    size = experiment.chunk_sessions
    sessions = min(size, experiment.planned - chunk * size)
    player = _Player(experiment, chunk)
    tally = Tally(sessions=sessions)
    histograms = _histograms(experiment)
    reasons: Ints = np.zeros(len(REASONS), dtype=np.int64)
    for first in range(0, sessions, _SLICE):
        records, paths = player.play(chunk * size, first, min(_SLICE, sessions - first))
        offset = experiment.bankroll % experiment.quantum
        kernel.count(records, offset, experiment.quantum, (*histograms.values(), reasons))
        tally.add_sums(_measures(records, experiment.bankroll))
        if first == 0:
            tally.paths[chunk] = paths
    tally.histograms = {name: Histogram.dense(counts) for name, counts in histograms.items()}
    tally.reasons = reasons_of(reasons)
    tally.batches[chunk] = Batch(
        sessions, tally.sums["gain"], tally.sums["gain*gain"], tally.reasons[REASONS[kernel.RUIN]]
    )
    return tally


class _Player:
    """The kernel's arguments for one chunk."""

    def __init__(self, experiment: Experiment, chunk: int) -> None:
        self.experiment = experiment
        self.base = xoshiro.words(experiment.seed, chunk)
        self.marks = np.array(experiment.marks, dtype=np.int64)
        table, flat = experiment.coups, experiment.plan.flat
        self.flat = flat if experiment.stops.only_barriers and not experiment.turns else None
        self.stops = _stops(experiment)
        self.tables: tuple[Any, ...] = (table.cells, table.limits, table.aliases, table.shift, table.digits)
        if self.flat:
            self.tables = (*self.tables[:4], table.digits * self.flat)
            self.blocks = table.blocks.copy()
            self.blocks[:, : FALL + 1] *= self.flat
        self.tape = experiment.plan.tape.copy()
        self.turns = _turns(experiment)
        self.noted = max(_LEAST_PATHS, math.ceil(_PATHS / experiment.chunks))

    def play(self, place: int, first: int, sessions: int) -> tuple[Ints, Ints]:
        """Sessions `first` … of the chunk, whose first is number `place`: records and paths."""
        records = np.zeros((sessions, kernel.RECORD), dtype=np.int64)
        paths = np.zeros((min(sessions, self.noted) if first == 0 else 0, len(self.marks)), dtype=np.int64)
        out, bankroll = (records, paths), self.experiment.bankroll
        number = place + first
        if self.flat:
            kernel.flat_sessions(
                self.base, number, self.tables, self.blocks, bankroll, self.stops, self.marks, out
            )
        else:
            rules = (self.stops, self.turns)
            kernel.sessions(self.base, number, self.tables, self.tape, bankroll, rules, self.marks, out)
        return records, paths


def _stops(experiment: Experiment) -> tuple[int, ...]:
    stops, bankroll, plan = experiment.stops, experiment.bankroll, experiment.plan
    values = [0] * kernel.STOPS
    floor = stops.floor(bankroll)
    values[kernel.LEAST] = plan.least_bankroll
    values[kernel.CEILING] = stops.ceiling(bankroll) or _NEVER
    values[kernel.FLOOR] = plan.least_bankroll - 1 if floor is None else max(floor, plan.least_bankroll - 1)
    values[kernel.DROP] = stops.drawdown or _NEVER
    values[kernel.LOSSES] = stops.losing_streak or _NEVER
    values[kernel.WINS] = stops.winning_streak or _NEVER
    values[kernel.BANK] = stops.bank_coups or 0
    values[kernel.BANKS] = stops.banks * stops.bank_coups if stops.banks and stops.bank_coups else _NEVER
    values[kernel.AFTER], values[kernel.WAIT] = stops.not_before, int(stops.wait)
    values[kernel.STAKE] = (plan.flat or 0) * int(plan.tape[machine.PARTS])
    values[kernel.PLAIN] = int(stops.only_barriers)
    return tuple(values)


def _turns(experiment: Experiment) -> tuple[int, int, int, int]:
    turns = experiment.turns
    if turns is None:
        return 0, 0, 0, 0
    cover = int(turns.outcomes.need * experiment.coups.parts)
    return turns.players, turns.coups, experiment.bank_q, experiment.bank_q * cover


def _histograms(experiment: Experiment) -> dict[str, Ints]:
    chips = kernel.bucket(experiment.highest // experiment.quantum + 1) + 1
    coups = kernel.bucket(experiment.stops.coups) + 1
    sizes = {"final": chips, "drawdown": chips, "played": coups, "ruined": coups, "losing_run": coups}
    return {name: np.zeros(sizes[name], dtype=np.int64) for name in HISTOGRAMS}


def _measures(records: Ints, bankroll: int) -> dict[str, Ints]:
    return {
        "gain": records[:, kernel.FINAL] - bankroll,
        "staked": records[:, kernel.STAKED],
        "banked": records[:, kernel.BANKED],
        "played": records[:, kernel.PLAYED],
    }
