"""Results of an experiment: estimates with their intervals, quantiles, and exact figures beside simulated ones."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np

from analysis.experiment import Experiment
from analysis.intervals import Interval, around, finite, mean_interval, share_interval
from analysis.outcomes import BankrollError
from analysis.ruin import make_walk
from analysis.sessions import session
from analysis.stops import REASONS
from analysis.tally import Batch, Histogram, Ints, Tally, lower_edge, width
from analysis.walk import passage

QUANTILES: Final = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
FAN: Final = (0.05, 0.25, 0.5, 0.75, 0.95)
PATHS: Final = 20

Json = dict[str, Any]


def summary(experiment: Experiment, tally: Tally) -> Json:
    """All results of the sessions in `tally`, as JSON values. Chips, coups and probabilities.

    Raises BankrollError where there are no sessions yet.
    """
    if not tally.sessions:
        raise BankrollError("no session has been played yet")
    sums, count = tally.sums, tally.sessions
    chips = Chips(experiment)
    losing, paths = tally.histograms["losing_run"], tally.all_paths()
    return {
        "hash": experiment.hash,
        "label": experiment.label or experiment.staking.title,
        "sessions": count,
        "coups": sums["played"],
        "ends": {name: share_interval(tally.reasons[name], count).to_json() for name in REASONS},
        "ruin": share_interval(tally.reasons["ruin"], count).to_json(),
        "final": {
            "mean": experiment.bankroll + sums["gain"] / count,
            **chips.spread(tally.histograms["final"]),
        },
        "gain": mean_interval(sums["gain"], sums["gain*gain"], count).to_json(),
        "gain_controlled": _controlled(experiment, tally).to_json(),
        "ev_per_coup": sums["gain"] / sums["played"],
        "per_stake": _per_stake(experiment, tally),
        "staked": mean_interval(sums["staked"], sums["staked*staked"], count).to_json(),
        "played": {"mean": sums["played"] / count, "quantiles": _quantiles(tally.histograms["played"])},
        "drawdown": chips.spread(tally.histograms["drawdown"], offset=0),
        "time_to_ruin": {"quantiles": _quantiles(tally.histograms["ruined"])},
        "losing_run": {"most": losing.most, "quantiles": _quantiles(losing)},
        "exact": exact_figures(experiment, tally),
        "fan": [
            {"coup": mark, **_column_quantiles(paths[:, place])}
            for place, mark in enumerate(experiment.marks)
        ],
        "paths": {
            "coups": [0, *experiment.marks],
            "bankrolls": [[experiment.bankroll, *path] for path in paths[:PATHS].tolist()],
        },
        "histogram": chips.histogram(tally.histograms["final"]),
    }


@dataclass(frozen=True)
class Chips:
    """Histograms of chips read back: their values are counted in the experiment's quantum."""

    experiment: Experiment

    def spread(self, counts: Histogram, offset: int | None = None) -> Json:
        """Least, most and quantiles."""
        quantiles = _quantiles(counts)
        return {
            "least": self._chips(counts.least, offset),
            "most": self._chips(counts.most, offset),
            "quantiles": {share: self._chips(value, offset) for share, value in quantiles.items()},
        }

    def histogram(self, counts: Histogram) -> list[list[float]]:
        """[least chips of a class, chips that it spans, sessions] by class."""
        quantum = self.experiment.quantum
        return [
            [self._chips(lower_edge(place)), width(place) * quantum, count]
            for place, count in zip(counts.places.tolist(), counts.counts.tolist(), strict=True)
        ]

    def _chips(self, value: float, offset: int | None = None) -> float:
        quantum = self.experiment.quantum
        return value * quantum + (self.experiment.bankroll % quantum if offset is None else offset)


def _quantiles(counts: Histogram) -> Json:
    return {f"{share:g}": counts.quantile(share) for share in QUANTILES}


def _column_quantiles(column: Ints) -> Json:
    """The same of single values."""
    ordered = np.sort(column)
    return {f"{share:g}": int(ordered[math.ceil(share * len(ordered)) - 1]) for share in FAN}


def _means(experiment: Experiment) -> tuple[Fraction, Fraction]:
    """Expected net for each chip staked as punter, and as banker."""
    return experiment.outcomes.mean, experiment.turns.outcomes.mean if experiment.turns else Fraction(0)


def _controlled(experiment: Experiment, tally: Tally) -> Interval:
    """The mean gain with the exact expectation as control: by optional stopping it is the expected net of a stake
    times the expected chips staked, whatever the system and the stops, and those vary far less."""
    mine, his = _means(experiment)
    sums, count = tally.sums, tally.sessions
    total = mine * sums["staked"] + his * sums["banked"]
    squares = (
        mine**2 * sums["staked*staked"]
        + 2 * mine * his * sums["staked*banked"]
        + his**2 * sums["banked*banked"]
    )
    return mean_interval(float(total), float(squares), count)


def _per_stake(experiment: Experiment, tally: Tally) -> Json:
    """Net for each chip staked as punter: simulated (a ratio of means, its error by the delta method) and exact.

    `z` is the gain beyond expectation over its standard error, 0 in expectation under any system and stops.
    """
    mine, his = _means(experiment)
    sums, count = tally.sums, tally.sessions
    beyond = sums["gain"] - mine * sums["staked"] - his * sums["banked"]
    squares = (
        sums["gain*gain"]
        - 2 * mine * sums["gain*staked"]
        - 2 * his * sums["gain*banked"]
        + mine**2 * sums["staked*staked"]
        + 2 * mine * his * sums["staked*banked"]
        + his**2 * sums["banked*banked"]
    )
    interval = mean_interval(float(beyond), float(squares), count)
    answer: Json = {
        "exact": float(mine),
        "z": finite(interval.value / interval.error) if interval.error else 0.0,
    }
    if experiment.turns is None:
        staked = sums["staked"] / count
        answer["value"] = sums["gain"] / sums["staked"]
        answer["standard_error"] = finite(interval.error / staked)
    return answer


def exact_figures(experiment: Experiment, tally: Tally) -> Json:
    """Exact figures of flat stakes between barriers beside the simulated ones, each with the standard
    error of such a sample and their distance in it (`z`); for other systems why there are none."""
    flat = experiment.plan.flat
    if flat is None or not experiment.stops.only_barriers or experiment.turns:
        return {
            "note": "exact figures are for a flat stake, the table's least, with coups, win and loss as stops"
        }
    unit = flat * experiment.coups.parts
    stops, bankroll = experiment.stops, experiment.bankroll
    floor, ceiling = stops.floor(bankroll), stops.ceiling(bankroll)
    least = max(experiment.plan.least_bankroll, 0 if floor is None else floor + 1)
    goal = None if ceiling is None else Fraction(ceiling, unit)
    held, need = Fraction(bankroll, unit), Fraction(least, unit)
    try:
        walk = make_walk(experiment.outcomes, held, goal, need)
        found = passage(walk, stops.coups, whole=False)
        ends = session(experiment.outcomes, stops.coups, bankroll=held, goal=goal, need=need)
    except BankrollError as refusal:
        return {"note": refusal.detail}
    low, high = float(found.ruined.sum()), float(found.reached.sum())
    numbers = np.arange(stops.coups + 1, dtype=np.float64)
    over, left = found.ruined + found.reached, 1 - low - high
    coups = float(numbers @ over) + stops.coups * left
    spread = float((numbers - coups) ** 2 @ over) + (stops.coups - coups) ** 2 * left
    count, sums, reasons = tally.sessions, tally.sums, tally.reasons
    return {
        "low": _share(low, reasons["ruin"] + reasons["loss"], count),
        "high": _share(high, reasons["target"], count),
        "gain": _beside(float(ends.mean) * unit, sums["gain"] / count, ends.deviation * unit, count),
        "coups": _beside(coups, sums["played"] / count, math.sqrt(max(0.0, spread)), count),
    }


def _share(exact: float, part: int, count: int) -> Json:
    return _beside(exact, part / count, math.sqrt(max(0.0, exact * (1 - exact))), count)


def _beside(exact: float, simulated: float, deviation: float, count: int) -> Json:
    """Both, and how far apart in standard errors; these are by the exact deviation, as a sample that holds none of
    the rare ends would look certain."""
    error, distance = deviation / math.sqrt(count), simulated - exact
    z = distance / error if abs(distance) > 1e-12 * max(1.0, abs(exact)) else 0.0
    return {"exact": exact, "value": simulated, "standard_error": error, "z": z}


def difference(first: Mapping[int, Batch], second: Mapping[int, Batch]) -> Interval | None:
    """Mean gain of the second less that of the first, chips a session, from chunks that saw the same coups.

    The error is that of the chunks' differences, so what both owe to the same coups cancels; as chunks are few, the
    interval is Student's. None where they
    have fewer than two chunks of the same size in common.
    """
    pairs = [
        (first[chunk], second[chunk])
        for chunk in first.keys() & second.keys()
        if first[chunk].sessions == second[chunk].sessions
    ]
    sizes = [mine.sessions for mine, _ in pairs]
    if len(pairs) < 2:
        return None
    total, parts = sum(sizes), [his.gain - mine.gain for mine, his in pairs]
    mean = sum(parts) / total
    spread = sum((part - mean * size) ** 2 for part, size in zip(parts, sizes, strict=True))
    error = math.sqrt(spread * len(pairs) / (len(pairs) - 1)) / total
    return around(mean, error, len(pairs))
