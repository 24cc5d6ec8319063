"""What sessions came to, added up: whole numbers only, so that parts may be merged in any order to the same bits.

A histogram keeps values exactly up to 4096 steps and to one part in 2048 beyond, whatever the number of sessions, so
memory is bounded. Sums of squares and products are exact integers.
"""

import json
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analysis.outcomes import BankrollError
from analysis.stops import REASONS

EXACT_BELOW = 4096
_HALF = EXACT_BELOW // 2
_LIMB = 24

Ints = NDArray[np.int64]

HISTOGRAMS = ("final", "drawdown", "played", "ruined", "losing_run")
# Per session: gain, chips staked as punter and as banker, coups. Sums of all, and of these products.
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


class Batch(NamedTuple):
    """What one chunk of sessions brought."""

    sessions: int
    gain: int
    gain_squared: int
    ruined: int


@dataclass
class Histogram:
    """Sessions by value: classes in ascending order, by their places (`analysis.session_kernels.bucket`)."""

    places: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    counts: Ints = field(default_factory=lambda: np.zeros(0, np.int64))

    @classmethod
    def dense(cls, counts: Ints) -> "Histogram":
        """From the counts of all places."""
        places = np.flatnonzero(counts)
        return cls(places, counts[places])

    def __add__(self, other: "Histogram") -> "Histogram":
        places = np.union1d(self.places, other.places)
        counts = np.zeros(len(places), np.int64)
        for part in (self, other):
            counts[np.searchsorted(places, part.places)] += part.counts
        return Histogram(places, counts)

    def quantile(self, share: float) -> float | None:
        """The least value that at least that share of the sessions does not exceed; None where there are none."""
        if not len(self.counts):
            return None
        wanted = share * int(self.counts.sum())
        return middle(int(self.places[np.searchsorted(np.cumsum(self.counts), wanted)]))

    @property
    def least(self) -> float:
        """The least value that occurs. There must be one."""
        return middle(int(self.places[0]))

    @property
    def most(self) -> float:
        """The greatest value that occurs. There must be one."""
        return middle(int(self.places[-1]))


def lower_edge(place: int) -> int:
    """The least value that falls into a place of a histogram."""
    if place < EXACT_BELOW:
        return place
    power = place // _HALF - 1
    return (place - _HALF * power) << power


def width(place: int) -> int:
    """How many values fall into a place of a histogram."""
    return 1 if place < EXACT_BELOW else 1 << (place // _HALF - 1)


def middle(place: int) -> float:
    """The middle of a class; its value where it holds one."""
    return lower_edge(place) + (width(place) - 1) / 2 if width(place) > 1 else lower_edge(place)


@dataclass
class Tally:
    """Sessions added up. By chunk: `batches` what it brought, for comparisons of systems that saw the same coups, and
    `paths` the bankrolls of some sessions [session, mark]."""

    sessions: int = 0
    sums: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    histograms: dict[str, Histogram] = field(
        default_factory=lambda: {name: Histogram() for name in HISTOGRAMS}
    )
    batches: dict[int, Batch] = field(default_factory=dict)
    paths: dict[int, Ints] = field(default_factory=dict)

    def merge(self, other: "Tally") -> None:
        """Add sessions of other chunks. Raises BankrollError where a chunk is in both."""
        twice = self.batches.keys() & other.batches.keys()
        if twice:
            raise BankrollError(f"chunk {min(twice)} is added twice")
        self.sessions += other.sessions
        self.sums.update(other.sums)
        self.reasons.update(other.reasons)
        for name in HISTOGRAMS:
            self.histograms[name] += other.histograms[name]
        self.batches.update(other.batches)
        self.paths.update(other.paths)

    def add_sums(self, measures: Mapping[str, Ints]) -> None:
        """Add the measures of some sessions, and their products. Values must be below 2**47."""
        for name in MEASURES:
            self.sums[name] += int(measures[name].sum())
        for first, second in PRODUCTS:
            if measures[first].any() and measures[second].any():
                self.sums[f"{first}*{second}"] += _product(measures[first], measures[second])

    def all_paths(self) -> Ints:
        """The paths of all chunks in order [session, mark]."""
        return np.concatenate([self.paths[chunk] for chunk in sorted(self.paths)])

    def to_bytes(self) -> bytes:
        """The tally in a form that `from_bytes` takes, the same for the same sessions."""
        chunks = sorted(self.batches)
        arrays: list[Ints] = []
        for name in HISTOGRAMS:
            arrays += [self.histograms[name].places, self.histograms[name].counts]
        arrays += [self.paths[chunk] for chunk in chunks]
        head = {
            "sessions": self.sessions,
            "sums": {name: value for name, value in self.sums.items() if value},
            "reasons": {name: value for name, value in self.reasons.items() if value},
            "batches": [[chunk, *self.batches[chunk]] for chunk in chunks],
            "shapes": [array.shape for array in arrays],
        }
        text = json.dumps(head, sort_keys=True, separators=(",", ":")).encode()
        body = b"".join(array.astype("<i8").tobytes() for array in arrays)
        return zlib.compress(text + b"\n" + body, 1)

    @classmethod
    def from_bytes(cls, data: bytes) -> "Tally":
        """From `to_bytes`. Raises BankrollError where the bytes are not such a tally."""
        try:
            text, _, body = zlib.decompress(data).partition(b"\n")
            head: dict[str, Any] = json.loads(text)
            arrays = _arrays(body, head["shapes"])
            pairs = zip(HISTOGRAMS, arrays[::2], arrays[1::2], strict=False)
            batches = {chunk: Batch(*rest) for chunk, *rest in head["batches"]}
            return cls(
                head["sessions"],
                Counter(head["sums"]),
                Counter(head["reasons"]),
                {name: Histogram(places, counts) for name, places, counts in pairs},
                batches,
                dict(zip(batches, arrays[2 * len(HISTOGRAMS) :], strict=True)),
            )
        except (zlib.error, ValueError, KeyError, TypeError) as fault:
            raise BankrollError(f"not the result of a chunk: {type(fault).__name__}") from None


def reasons_of(counts: Ints) -> Counter[str]:
    """Reasons by name."""
    return Counter({name: int(n) for name, n in zip(REASONS, counts, strict=True) if n})


def _arrays(body: bytes, shapes: Sequence[Sequence[int]]) -> list[Ints]:
    flat, found, at = np.frombuffer(body, "<i8").astype(np.int64), [], 0
    for shape in shapes:
        size = int(np.prod(shape))
        found.append(flat[at : at + size].reshape(shape))
        at += size
    if at != len(flat):
        raise ValueError(f"{len(flat)} numbers, not {at}")
    return found


def _product(first: Ints, second: Ints) -> int:
    """Σ first · second exactly, for up to 2**14 values below 2**47: by limbs of 24 bits."""
    high, low = first >> _LIMB, first & (1 << _LIMB) - 1
    upper, lower = second >> _LIMB, second & (1 << _LIMB) - 1
    between = int((high * lower).sum()) + int((low * upper).sum())
    return (int((high * upper).sum()) << 2 * _LIMB) + (between << _LIMB) + int((low * lower).sum())
