"""Coups dealt by the million: what punters net, with standard errors, from a real shoe in order or an infinite one.

The work is cut into chunks of a fixed size, each with a stream of its own (seed, number of the chunk), and all that
is summed are integers, so results do not depend on the number of threads. Loops are compiled by numba; where it is
absent numpy does the same work, from other streams, several times slower.

Standard errors. Coups from an infinite shoe are independent. Those of one bank are not (they share a shoe), so a
bank is the unit: for a mean r = sum(T) / sum(n) over banks with totals T and coups n the error is
sqrt(B / (B - 1) · sum((T - r n)²)) / sum(n), the ratio estimator. Source: W. G. Cochran, Sampling Techniques (3rd
edition, 1977), section 6.3.
"""

import math
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from analysis.dealing import Dealing
from analysis.exact import engine
from analysis.intervals import Z
from casino.errors import RulesError

CHUNK: Final = 1 << 20  # coups
MOST_COUPS: Final = 10**12
MOST_THREADS: Final = 256
CONFIDENCE: Final = 0.95
ENGINES: Final = ("numba", "numpy")
Ints = NDArray[np.int64]
Progress = Callable[[int], None]


@dataclass(frozen=True)
class Estimate:
    """A simulated figure with its standard error and 95 % confidence interval."""

    value: float
    error: float

    @property
    def interval(self) -> tuple[float, float]:
        """The confidence interval."""
        return self.value - Z * self.error, self.value + Z * self.error

    def to_json(self) -> dict[str, Any]:
        """JSON values."""
        low, high = self.interval
        return {"value": self.value, "standard_error": self.error, "confidence_interval": [low, high]}


@dataclass
class Tally:
    """What chunks add to. `counts` [hand, outcome]; `squares` and `cross` [hand, 1 + outcome] sum over banks, for the
    net (first) and for each outcome, its square and it times the coups; `coup_squares` the square of the coups."""

    counts: Ints
    squares: Ints
    cross: Ints
    coup_squares: int = 0
    banks: int = 0

    @classmethod
    def empty(cls, hands: int, outcomes: int) -> "Tally":
        """Nothing dealt yet."""
        rows = (hands, outcomes + 1)
        return cls(np.zeros((hands, outcomes), np.int64), np.zeros(rows, object), np.zeros(rows, object))

    def add(self, other: "Tally") -> None:
        """Take in another one."""
        self.counts += other.counts
        self.squares = self.squares + other.squares
        self.cross = self.cross + other.cross
        self.coup_squares += other.coup_squares
        self.banks += other.banks


Work = Callable[[int, int], Tally]


@dataclass(frozen=True)
class Hand:
    """One punter's results: his expected net, its variance (stakes squared), and the probability of each net."""

    ev: Estimate
    variance: float
    distribution: dict[int, Estimate]

    def to_json(self) -> dict[str, Any]:
        """JSON values."""
        return {
            "ev_punter": self.ev.to_json(),
            "ev_banker": Estimate(-self.ev.value, self.ev.error).to_json(),
            "variance": self.variance,
            "distribution": {str(net): share.to_json() for net, share in self.distribution.items()},
        }


@dataclass(frozen=True)
class Simulation:
    """What was dealt and what came of it; `tally` holds the integers that everything is made of."""

    dealing: Dealing
    coups: int
    seed: int
    dealt_by: str
    tally: Tally

    @cached_property
    def hands(self) -> tuple[Hand, ...]:
        """Results of each punter's hand, from the banker's left."""
        return tuple(self._hand(hand) for hand in range(self.dealing.hands))

    @property
    def ev(self) -> Estimate:
        """Expected net of the first hand."""
        return self.hands[0].ev

    def _hand(self, hand: int) -> Hand:
        counts, nets = self.tally.counts[hand].tolist(), self.dealing.nets.tolist()
        total = sum(net * count for net, count in zip(nets, counts, strict=True))
        square = sum(net * net * count for net, count in zip(nets, counts, strict=True))
        shares = {
            net: Estimate(count / self.coups, self._error(hand, 1 + kind, count, count))
            for kind, (net, count) in enumerate(zip(nets, counts, strict=True))
        }
        mean = total / self.coups
        ev = Estimate(mean, self._error(hand, 0, total, square))
        return Hand(ev, square / self.coups - mean * mean, shares)

    def _error(self, hand: int, row: int, total: int, square: int) -> float:
        """Standard error of total / coups; `square`: the sum of squares over coups, for independent ones."""
        coups, banks, tally = self.coups, self.tally.banks, self.tally
        if self.dealing.infinite or banks < 2:
            spread, units = square * coups - total * total, coups * coups
            return math.sqrt(max(0, spread) / units / max(1, coups - 1))
        # All in integers: the terms nearly cancel.
        spread = int(tally.squares[hand, row]) * coups**2 - 2 * int(tally.cross[hand, row]) * total * coups
        spread += tally.coup_squares * total**2
        return math.sqrt(max(0, spread) * banks / (banks - 1)) / coups**2

    def to_json(self) -> dict[str, Any]:
        """JSON values: those of the first hand, and all hands where there are several."""
        rules = self.dealing.rules
        shoe = {"decks": rules.decks, "exhaustion": rules.exhaustion, "per_bank": self.dealing.per_bank}
        found = {
            "coups": self.coups,
            "seed": self.seed,
            "shoe": "infinite" if self.dealing.infinite else shoe,
            "banks": None if self.dealing.infinite else self.tally.banks,
            **self.hands[0].to_json(),
            "confidence": CONFIDENCE,
            "dealt_by": self.dealt_by,
            "rules_hash": rules.hash,
            "engine": engine(),
        }
        return found | ({"hands": [hand.to_json() for hand in self.hands]} if self.dealing.hands > 1 else {})


def available() -> str:
    """The engine that is used if none is named: numba where it is installed."""
    return ENGINES[0] if find_spec("numba") is not None else ENGINES[1]


def simulate(
    dealing: Dealing,
    coups: int,
    *,
    seed: int = 0,
    threads: int = 1,
    engine: str | None = None,
    progress: Progress | None = None,
) -> Simulation:
    """Deal `coups` coups.

    From a real shoe: shuffled for each bank and dealt in order until the rules end the bank (`exhaustion`), or after
    `per_bank` coups (1: every coup from a full shoe, as exact odds take it); the last bank of every chunk of 2**20
    coups is cut short. `progress` is told the coups of every chunk that is done.
    Raises RulesError: numbers out of range, an engine that is not there.
    """
    _check("coups", coups, 1, MOST_COUPS)
    _check("threads", threads, 1, MOST_THREADS)
    _check("seed", seed, 0, 2**128 - 1)
    name = engine or available()
    if name not in ENGINES or (name == "numba" and available() != "numba"):
        raise RulesError(
            f"must be {available()}, not «{name!s:.20}»: numba is not there, or there is no such engine",
            pointer="/engine",
        )
    work = _worker(name, dealing, seed)
    total = Tally.empty(dealing.hands, len(dealing.nets))
    for size, part in _parts(work, coups, threads):
        total.add(part)
        if progress is not None:
            progress(size)
    return Simulation(dealing, coups, seed, name, total)


def _parts(work: Work, coups: int, threads: int) -> Iterator[tuple[int, Tally]]:
    """Every chunk with its coups, in order; no more of them wait than keep the threads busy."""
    waiting: deque[tuple[int, Future[Tally]]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        for number, first in enumerate(range(0, coups, CHUNK)):
            size = min(CHUNK, coups - first)
            waiting.append((size, pool.submit(work, number, size)))
            if len(waiting) > 2 * threads:
                size, part = waiting.popleft()
                yield size, part.result()
        for size, part in waiting:
            yield size, part.result()


def _check(name: str, value: int, low: int, high: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise RulesError(
            f"must be a whole number from {low} to {high}, not {value!r:.40}", pointer=f"/{name}"
        )


def _worker(name: str, dealing: Dealing, seed: int) -> Work:
    """What plays a chunk (number, coups)."""
    if name == "numba":
        from analysis.deal_compiled import worker  # noqa: PLC0415 - loads numba
    else:
        from analysis.deal_numpy import worker  # noqa: PLC0415
    return worker(dealing, seed)
