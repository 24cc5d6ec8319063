"""What one coup may bring: a distribution of net results, in stakes. The input of all bankroll maths."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.errors import BankrollError as BankrollError  # noqa: PLC0414 - others take it from here
from casino.options import digest

Number = int | float | str | Fraction

MOST_OUTCOMES = 10_000
LARGEST_NET = 10**6
FINEST_NET = 10**6  # largest denominator of a net
MOST_TIMES = 10**15  # that one result is recorded
_SLACK = 1e-9  # how far from 1 floats may add up
MOST_NUMBER = 10**300  # of any number of a question: floats must hold it
_PLAIN = re.compile(r"[+-]?(\d{1,200}(/\d{1,200})?|(\d{1,200}(\.\d{0,200})?|\.\d{1,200})([eE][+-]?\d{1,2})?)")


def rational(value: Number, what: str, pointer: str = "") -> Fraction:
    """The exact value of a number: 3, "1/8", "0.45", 0.45 (read as it prints). Raises BankrollError."""
    if isinstance(value, bool) or not isinstance(value, int | float | str | Fraction):
        raise BankrollError(f"{what} must be a number, not {str(value)[:40]!r}", pointer=pointer)
    if isinstance(value, int | Fraction):
        if not -MOST_NUMBER <= value <= MOST_NUMBER:
            raise BankrollError(f"{what} is beyond any bankroll: at most 10^300 is taken", pointer=pointer)
        return Fraction(value)
    text = repr(float(value)) if isinstance(value, float) else value.strip()
    if not _PLAIN.fullmatch(text):
        raise BankrollError(
            f'{what} must be a finite number such as 3, "1/8" or 0.45, not {text[:40]!r}', pointer=pointer
        )
    try:
        return Fraction(text)
    except ZeroDivisionError:
        raise BankrollError(f"{what} divides by zero: {text[:40]!r}", pointer=pointer) from None


@dataclass(frozen=True)
class Outcomes:
    """Net results of one coup in stakes, ascending, with their probabilities, which add up to 1.

    `cover` are the stakes that must be there to play a coup where a table asks for more than the worst loss here (a
    bank covers the worst payout of all stakes, however rare); 0 where it asks for no more.
    `exact` is false where the probabilities were floats that add up to 1 only about: they are scaled then,
    and no exact answer is given for them.
    """

    nets: tuple[Fraction, ...]
    probabilities: tuple[Fraction, ...]
    exact: bool = True
    cover: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        if self.cover and self.cover < self.worst_loss:
            raise BankrollError(
                f"the stakes to be covered must not be below the worst loss {self.worst_loss}, but are {self.cover}",
                pointer="/need",
            )

    @classmethod
    def of(cls, table: Mapping[Any, Number], pointer: str = "/outcomes") -> "Outcomes":
        """From net (in stakes) -> probability. Raises BankrollError with the reason."""
        pairs: dict[Fraction, Fraction] = {}
        for key, value in table.items():
            net = rational(key, "a net result", pointer)
            chance = rational(value, f"the probability of {net}", f"{pointer}/{net}")
            if net in pairs:
                raise BankrollError(f"the net result {net} stands twice", pointer=f"{pointer}/{net}")
            _check_pair(net, chance, pointer)
            if chance:
                pairs[net] = chance
        if not pairs or len(pairs) > MOST_OUTCOMES:
            raise BankrollError(f"1 to {MOST_OUTCOMES} outcomes are taken, not {len(pairs)}", pointer=pointer)
        total = sum(pairs.values(), Fraction(0))
        rounded = any(isinstance(value, float) for value in table.values())
        if abs(total - 1) > (_SLACK if rounded else 0):
            shown = total if not rounded and total.denominator < 10**6 else f"{float(total):.9g}"
            raise BankrollError(f"the probabilities add up to {shown}, not 1", pointer=pointer)
        nets = tuple(sorted(pairs))
        return cls(nets, tuple(pairs[net] / total for net in nets), exact=total == 1)

    @classmethod
    def parse(cls, text: str, pointer: str = "/outcomes") -> "Outcomes":
        """From a text such as `3:1/8,1:3/8,-1:1/2`. Raises BankrollError."""
        table: dict[Number, Number] = {}
        for part in text.split(","):
            net, colon, chance = part.partition(":")
            if not colon:
                raise BankrollError(
                    f"outcomes are written net:probability,… such as 3:1/8,1:3/8,-1:1/2; {part.strip()[:40]!r} is not",
                    pointer=pointer,
                )
            key = rational(net, "a net result", pointer)
            if key in table:
                raise BankrollError(f"the net result {key} stands twice", pointer=pointer)
            table[key] = chance
        return cls.of(table, pointer)

    @classmethod
    def observed(cls, results: Iterable[Number] | Mapping[Any, Any], pointer: str = "/results") -> "Outcomes":
        """From recorded results, each a net in stakes, or net -> times: their relative frequencies.

        Raises BankrollError.
        """
        counts: Counter[Fraction] = Counter()
        pairs = results.items() if isinstance(results, Mapping) else ((net, 1) for net in results)
        for net, times in pairs:
            counts[rational(net, "a recorded result", pointer)] += _times(times, f"{pointer}/{net}")
        total = sum(counts.values())
        if not total:
            raise BankrollError("no result is recorded", pointer=pointer)
        return cls.of({net: Fraction(count, total) for net, count in counts.items()}, pointer)

    @cached_property
    def mean(self) -> Fraction:
        """Expected net of a coup, in stakes."""
        return sum((net * p for net, p in self), Fraction(0))

    @cached_property
    def variance(self) -> Fraction:
        """Variance of the net of a coup, in stakes squared."""
        return sum((net * net * p for net, p in self), Fraction(0)) - self.mean**2

    @property
    def deviation(self) -> float:
        """Standard deviation of the net of a coup, in stakes."""
        return math.sqrt(self.variance)

    @property
    def worst_loss(self) -> Fraction:
        """Most stakes that a coup may cost (0 where nothing can be lost)."""
        return max(Fraction(0), -self.nets[0])

    @property
    def best_win(self) -> Fraction:
        """Most stakes that a coup may bring (0 where nothing can be won)."""
        return max(Fraction(0), self.nets[-1])

    @cached_property
    def need(self) -> Fraction:
        """Stakes that must be there to play a coup: the stake itself, or what is to be covered where that is more."""
        return max(Fraction(1), self.worst_loss, self.cover)

    @cached_property
    def parts(self) -> int:
        """The least common denominator of the nets and of what is to be covered: stakes that are multiples of it are
        won, lost and covered in whole chips."""
        return math.lcm(self.cover.denominator, *(net.denominator for net in self.nets))

    @cached_property
    def step(self) -> Fraction:
        """The lattice: every net is a multiple of it. Raises BankrollError where every net is 0."""
        moves = [net for net in self.nets if net]
        if not moves:
            raise BankrollError("every net result is 0: nothing is ever won or lost", pointer="/outcomes")
        return Fraction(
            math.gcd(*(net.numerator for net in moves)), math.lcm(*(net.denominator for net in moves))
        )

    @cached_property
    def floats(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Nets and probabilities as arrays."""
        return np.array(self.nets, dtype=np.float64), np.array(self.probabilities, dtype=np.float64)

    @cached_property
    def hash(self) -> str:
        """Hex SHA-256 of the canonical JSON."""
        return digest(self.to_json())

    def flipped(self) -> "Outcomes":
        """The other side of the same coup: what one wins the other loses. What it must cover is its worst loss."""
        nets = tuple(-net for net in reversed(self.nets))
        return Outcomes(nets, tuple(reversed(self.probabilities)), self.exact)

    def to_json(self) -> dict[str, str]:
        """Net -> probability, both exact texts."""
        return {str(net): str(p) for net, p in self}

    def __iter__(self) -> Iterator[tuple[Fraction, Fraction]]:
        return zip(self.nets, self.probabilities, strict=True)


def _times(value: Any, pointer: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MOST_TIMES:
        raise BankrollError(
            f"must be how often the result came, a whole number from 0 to {MOST_TIMES}, not {str(value)[:40]}",
            pointer=pointer,
        )
    return value


def _check_pair(net: Fraction, chance: Fraction, pointer: str) -> None:
    where = f"{pointer}/{net}"
    if not 0 <= chance <= 1:
        raise BankrollError(
            f"the probability of {net} must be 0 to 1, not {float(chance):.6g}", pointer=where
        )
    if abs(net) > LARGEST_NET:
        raise BankrollError(
            f"a net result is at most {LARGEST_NET} stakes, not {float(net):.6g}", pointer=where
        )
    if net.denominator > FINEST_NET:
        raise BankrollError(
            f"a net result is a fraction with a denominator up to {FINEST_NET}, not {net}", pointer=where
        )
