"""What sessions came to, added up: whole numbers only, so that parts may be merged in any order to the same bits.

A histogram keeps values exactly up to 4096 steps and to one part in 2048 beyond, whatever the number of sessions, so
memory is bounded. Sums of squares and products are exact integers.
"""

import json
import zlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analysis.outcomes import BankrollError
from analysis.stops import REASONS

EXACT_BELOW = 4096
_HALF = EXACT_BELOW // 2
_LIMB = 24

HISTOGRAMS = ("final", "drawdown", "played", "ruined", "losing_run")
# Per session: gain, chips staked as punter and as banker, coups; their sums and the sums of their products.
MEASURES = ("gain", "staked", "banked", "played")
PRODUCTS = (
    ("gain", "gain"),
    ("gain", "staked"),
    ("gain", "banked"),
    ("staked", "staked"),
    ("staked", "banked"),
    ("banked", "banked"),
    ("played", "played"),
)


def lower_edge(place: int) -> int:
    """The least value that falls into a place of a histogram."""
    if place < EXACT_BELOW:
        return place
    power = place // _HALF - 1
    return (place - _HALF * power) << power


def width(place: int) -> int:
    """How many values fall into a place of a histogram."""
    return 1 if place < EXACT_BELOW else 1 << (place // _HALF - 1)


class Batch(NamedTuple):
    """What one chunk of sessions brought."""

    sessions: int
    gain: int
    gain_squared: int
    ruined: int


@dataclass
class Tally:
    """Sessions added up. `batches` keeps what each chunk brought, for comparisons of systems that saw the same coups;
    `fan` the bankrolls at each mark over some sessions; `paths` a few sessions whole."""

    sessions: int = 0
    sums: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    histograms: dict[str, Counter[int]] = field(
        default_factory=lambda: {name: Counter() for name in HISTOGRAMS}
    )
    fan: list[Counter[int]] = field(default_factory=list)
    paths: list[list[int]] = field(default_factory=list)
    batches: dict[int, Batch] = field(default_factory=dict)

    def merge(self, other: "Tally") -> None:
        """Add sessions of other chunks. Raises BankrollError where a chunk is in both."""
        twice = self.batches.keys() & other.batches.keys()
        if twice:
            raise BankrollError(f"chunk {min(twice)} is added twice")
        self.sessions += other.sessions
        self.sums.update(other.sums)
        self.reasons.update(other.reasons)
        for name in HISTOGRAMS:
            self.histograms[name].update(other.histograms[name])
        if len(self.fan) < len(other.fan):
            self.fan += [Counter() for _ in range(len(other.fan) - len(self.fan))]
        for mine, his in zip(self.fan, other.fan, strict=False):
            mine.update(his)
        self.paths = self.paths or other.paths  # only the first chunk has any
        self.batches.update(other.batches)

    def add_sums(self, measures: Mapping[str, NDArray[np.int64]]) -> None:
        """Add the measures of some sessions, and their products. Values must be below 2**47."""
        for name in MEASURES:
            self.sums[name] += int(measures[name].sum())
        for first, second in PRODUCTS:
            if measures[first].any() and measures[second].any():
                self.sums[f"{first}*{second}"] += _product(measures[first], measures[second])

    def to_bytes(self) -> bytes:
        """The tally in a form that `from_bytes` takes, the same for the same sessions."""
        plain = {
            "sessions": self.sessions,
            "sums": dict(self.sums),
            "reasons": dict(self.reasons),
            "histograms": {name: _pairs(counts) for name, counts in self.histograms.items()},
            "fan": [_pairs(counts) for counts in self.fan],
            "paths": self.paths,
            "batches": [[chunk, *self.batches[chunk]] for chunk in sorted(self.batches)],
        }
        return zlib.compress(json.dumps(plain, sort_keys=True, separators=(",", ":")).encode(), 6)

    @classmethod
    def from_bytes(cls, data: bytes) -> "Tally":
        """From `to_bytes`. Raises BankrollError where the bytes are not such a tally."""
        try:
            plain: dict[str, Any] = json.loads(zlib.decompress(data))
            return cls(
                plain["sessions"],
                Counter(plain["sums"]),
                Counter(plain["reasons"]),
                {name: _counter(plain["histograms"][name]) for name in HISTOGRAMS},
                [_counter(pairs) for pairs in plain["fan"]],
                plain["paths"],
                {chunk: Batch(*rest) for chunk, *rest in plain["batches"]},
            )
        except (zlib.error, ValueError, KeyError, TypeError) as fault:
            raise BankrollError(f"not the result of a chunk: {type(fault).__name__}") from None


def reasons_of(counts: NDArray[np.int64]) -> Counter[str]:
    """Reasons by name."""
    return Counter({name: int(n) for name, n in zip(REASONS, counts, strict=True) if n})


def sparse(counts: NDArray[np.int64]) -> Counter[int]:
    """A histogram's places that hold anything."""
    places = np.flatnonzero(counts)
    return Counter(dict(zip(places.tolist(), counts[places].tolist(), strict=True)))


def _product(first: NDArray[np.int64], second: NDArray[np.int64]) -> int:
    """Σ first · second exactly, for up to 2**14 values below 2**47: by limbs of 24 bits."""
    high, low = first >> _LIMB, first & (1 << _LIMB) - 1
    upper, lower = second >> _LIMB, second & (1 << _LIMB) - 1
    middle = int((high * lower).sum()) + int((low * upper).sum())
    return (int((high * upper).sum()) << 2 * _LIMB) + (middle << _LIMB) + int((low * lower).sum())


def _pairs(counts: Counter[int]) -> list[list[int]]:
    return [[place, counts[place]] for place in sorted(counts)]


def _counter(pairs: list[tuple[int, int]]) -> Counter[int]:
    return Counter(dict(pairs))
