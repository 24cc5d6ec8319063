"""The exact distribution of what a session of flat stakes brings, with or without ruin and a goal on the way."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.outcomes import BankrollError, Number, Outcomes, rational
from analysis.ruin import make_walk
from analysis.walk import check_coups, check_exact, passage, refuse_above

MOST_RESULTS = 20_000_000
_DIRECT = 20_000  # results up to which floats are convolved term by term, good to the last relative digits
_EXACT_UNIT = 60  # a multiply-add of integers of one word costs that many of floats

Chance = Fraction | float


@dataclass(frozen=True)
class Sessions:
    """Net results of a session, in stakes: `least` + i · `step` with mass `masses[i]` (floats, or integers over
    `scale` where exact)."""

    least: Fraction
    step: Fraction
    masses: NDArray[Any]
    scale: int | None

    def net(self, index: int) -> Fraction:
        """The result at an index."""
        return self.least + index * self.step

    def chance(self, net: Number) -> Chance:
        """The probability of exactly this result."""
        index = (rational(net, "a net result") - self.least) / self.step
        inside = index.denominator == 1 and 0 <= index < len(self.masses)
        return self._value(self.masses[int(index)]) if inside else self._value(0)

    def at_most(self, net: Number) -> Chance:
        """The probability of this result or a worse one."""
        count = math.floor((rational(net, "a net result") - self.least) / self.step) + 1
        return self._value(self.masses[: max(0, count)].sum())

    def quantile(self, share: Number) -> Fraction:
        """The least result that at least the share `share` (0 to 1) of all sessions does not exceed; for 0 the
        worst that may come."""
        part = rational(share, "a quantile", "/quantiles")
        if not 0 <= part <= 1:
            raise BankrollError(f"a quantile is between 0 and 1, not {float(part):.6g}", pointer="/quantiles")
        wanted: Any
        if self.scale is not None:
            wanted = math.ceil(part * self.scale)
        else:
            wanted = min(float(part), 1 - 1e-14) * self._summed[-1]
        return self.net(int(np.searchsorted(self._summed, wanted)))

    @cached_property
    def mean(self) -> Chance:
        """Expected result, in stakes."""
        return self._moment([self.net(i) for i in (0, 1)], 1)

    @cached_property
    def deviation(self) -> float:
        """Standard deviation of the result, in stakes."""
        mean = Fraction(self.mean)
        return math.sqrt(max(0.0, float(self._moment([self.net(i) - mean for i in (0, 1)], 2))))

    @property
    def loss(self) -> Chance:
        """The probability of a loss."""
        return self._value(self.masses[: self._first_from(Fraction(0))].sum())

    @property
    def win(self) -> Chance:
        """The probability of a win."""
        return self._value(self.masses[self._first_from(self.step / 2**40) :].sum())

    @cached_property
    def _summed(self) -> NDArray[Any]:
        return np.cumsum(self.masses)

    def _first_from(self, net: Fraction) -> int:
        return max(0, math.ceil((net - self.least) / self.step))

    def _value(self, mass: Any) -> Chance:
        return float(mass) if self.scale is None else Fraction(int(mass), self.scale)

    def _moment(self, line: Sequence[Fraction], power: int) -> Chance:
        """Σ mass · (line[0] + i · (line[1] - line[0]))^power."""
        if self.scale is None:
            base, step = float(line[0]), float(line[1] - line[0])
            return float(self.masses @ (base + step * np.arange(len(self.masses))) ** power)
        values = (
            (line[0] + i * (line[1] - line[0])) ** power * int(m) for i, m in enumerate(self.masses) if m
        )
        return sum(values, Fraction(0)) / self.scale


def session(
    outcomes: Outcomes,
    coups: int,
    *,
    bankroll: Number | None = None,
    goal: Number | None = None,
    need: Number | None = None,
    exact: bool = False,
) -> Sessions:
    """What a session of `coups` brings, staking 1 a coup. With a bankroll it ends early at ruin or at the goal.

    Floats are good to 1e-12 absolute, beyond 20,000 results without a bankroll to 1e-9.
    Raises BankrollError: bad figures, or work above the cap.
    """
    check_coups(coups)
    check_exact(outcomes, exact=exact)
    if bankroll is None:
        if goal is not None:
            raise BankrollError("a goal needs a bankroll", pointer="/bankroll")
        return _unbounded(outcomes, coups, exact=exact)
    walk = make_walk(outcomes, bankroll, goal, need)
    found = passage(walk, coups, exact=exact)
    ends = [(-walk.down, found.low), (found.first, found.alive)]
    if walk.top is not None:
        ends.append((walk.top, found.high))
    ends = [(at, masses) for at, masses in ends if masses.any()]  # ruin may be out of reach, and far away
    least = min(at + int(np.argmax(masses != 0)) for at, masses in ends)
    most = max(at + len(masses) - int(np.argmax(masses[::-1] != 0)) for at, masses in ends)
    masses = np.zeros(most - least, dtype=found.alive.dtype)
    for at, part in ends:
        low, high = max(0, least - at), min(len(part), most - at)
        masses[at + low - least : at + high - least] += part[low:high]
    return Sessions((least - walk.start) * outcomes.step, outcomes.step, masses, found.scale)


def _unbounded(outcomes: Outcomes, coups: int, *, exact: bool) -> Sessions:
    """The sum of `coups` nets: a convolution power."""
    least = int(outcomes.nets[0] / outcomes.step)
    places = [int(net / outcomes.step) - least for net in outcomes.nets]
    size = places[-1] * coups + 1
    if size > MOST_RESULTS:
        raise BankrollError(f"too large: {size} results, the cap is {MOST_RESULTS}", pointer="/coups")
    if not exact:
        one = np.zeros(places[-1] + 1)
        one[places] = outcomes.floats[1]
        return Sessions(least * coups * outcomes.step, outcomes.step, _float_power(one, coups), None)
    total = math.lcm(*(p.denominator for p in outcomes.probabilities))
    words = 1 + coups * math.log2(total) / 64
    refuse_above(size * len(places) * words * _EXACT_UNIT, f"{size} exact results of {words * 64:.3g} bits")
    weights = [int(p * total) for p in outcomes.probabilities]
    masses = np.array(_integer_power(dict(zip(places, weights, strict=True)), coups), dtype=object)
    return Sessions(least * coups * outcomes.step, outcomes.step, masses, total**coups)


def _integer_power(weights: dict[int, int], power: int) -> list[int]:
    """Coefficients of (Σ weights_i z^i)^power, weights_0 > 0, by the recurrence of J. C. P. Miller
    (D. E. Knuth, The Art of Computer Programming 2, 4.7): each from the few before it, in exact integers."""
    size, first = max(weights) * power + 1, weights[0]
    terms = [(i, weight) for i, weight in weights.items() if i]
    found = [first**power] + [0] * (size - 1)
    for k in range(1, size):
        part = sum((i * (power + 1) - k) * weight * found[k - i] for i, weight in terms if i <= k)
        found[k] = part // (k * first)
    return found


def _float_power(one: NDArray[np.float64], power: int) -> NDArray[np.float64]:
    size = (len(one) - 1) * power + 1
    if size > _DIRECT:
        points = 1 << (size - 1).bit_length()
        spectrum = np.fft.rfft(one, points) ** power
        found = np.maximum(np.fft.irfft(spectrum, points)[:size], 0.0)
        found /= found.sum()
        return found
    found, square = np.ones(1), one
    while power:
        if power & 1:
            found = np.convolve(found, square)
        power >>= 1
        if power:
            square = np.convolve(square, square)
    return found
