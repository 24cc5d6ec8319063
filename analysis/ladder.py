"""Ruin for ever, without a goal: the root of E[r^X] = 1, and ladder heights by Wiener-Hopf factorisation.

For a lattice walk with steps X and φ(z) = E[z^X], W. Feller (An Introduction to Probability Theory and Its
Applications, vol. II, XII.3 and XVIII.3) gives 1 - φ(z) = c · (1 - D(z)) · (1 - U(z)), where D holds the
negative powers: the coefficient of z^-j is the chance that the first new minimum lies j steps lower. Given D,
every ruin probability follows by a renewal recursion whose terms are all positive.

The factor is found from log(1 - φ) on the unit circle, once the two real zeros (1 and r) are divided out; the
number of points is doubled until nothing changes. There is no search for complex roots, whatever the lattice.
"""

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.signal import lfilter

from analysis.outcomes import BankrollError, Outcomes

Floats = NDArray[np.float64]
_SETTLED = 1e-13
_FIRST_POINTS = 1 << 10
_MOST_POINTS = 1 << 22
_MOST_DOWN = 10_000  # steps lost in a coup: the work grows with their square, to some seconds


def adjustment_root(outcomes: Outcomes) -> float:
    """The positive r other than 1 with E[r^X] = 1, X in stakes: below 1 with a positive mean, above 1 with a
    negative one; 1 where the mean is 0, 0 where nothing can be lost, infinity where nothing can be won.

    With losses of one lattice step at most, r^(states to fall) is the risk of ruin itself; else it is a bound.
    The name is that of risk theory (Lundberg's adjustment coefficient is -log r). For games: E. Sorokin, in
    Dunbar and Math Boy, «Risk of Ruin for Video Poker and Other Skewed-Up Games», Blackjack Forum XIX 3 (1999).
    """
    return math.exp(log_root(outcomes)) if outcomes.best_win else math.inf


@lru_cache(maxsize=256)
def log_root(outcomes: Outcomes) -> float:
    """log r of `adjustment_root`, X in stakes; -infinity where nothing can be lost."""
    if not outcomes.worst_loss:
        return -math.inf
    if not outcomes.best_win:
        return math.inf
    if not outcomes.mean:
        return 0.0
    nets, chances = outcomes.floats
    side = -1.0 if outcomes.mean > 0 else 1.0
    edge = float(abs(outcomes.mean))

    def excess(t: float) -> float:
        """(E[e^(tX)] - 1) / t: the mean at t = 0, and 0 at the root wanted."""
        return float(chances @ np.expm1(t * nets) / t)

    # At this end the far outcome alone makes E[e^(tX)] at least 1.
    far, chance = (nets[0], chances[0]) if side < 0 else (nets[-1], chances[-1])
    end = side * (1e-9 - math.log(chance)) / abs(far)
    diffusion = side * 2 * edge / float(chances @ nets**2)
    near = diffusion / 1000
    while excess(near) * side >= 0 and abs(near) > 1e-18:
        near /= 1000
    if edge < 1e-13 or excess(near) * side >= 0:
        return diffusion  # so near to 0 that floats cannot tell the root from its second-order value
    return float(brentq(excess, near, end, xtol=1e-300, rtol=8.9e-16, maxiter=500))


@dataclass(frozen=True)
class Ladder:
    """First descent of a walk on a lattice, in steps of the lattice.

    `heights[j - 1]` is the chance that the first state below the start lies j steps below it.
    """

    outcomes: Outcomes
    points: int
    heights: Floats

    @cached_property
    def times(self) -> Floats:
        """Expected coups until the first descent over the paths on which it is j steps deep (infinite where the
        mean is 0)."""
        if not self.outcomes.mean:
            return np.full(len(self.heights), np.inf)
        return _times(self.outcomes, self.points, self.heights) if len(self.heights) else self.heights

    def ruin(self, states: int) -> Floats:
        """Chance of ever falling below state 0 from states 0 … states - 1."""
        return self._renew(_tails(self.heights), states)

    def overshoot(self, states: int) -> Floats:
        """Expected depth below state 0 (1 or more steps) on first falling there, over the paths that do."""
        depths = _tails(self.heights * np.arange(1, len(self.heights) + 1))
        below = np.arange(len(self.heights)) * _tails(self.heights)
        return self._renew(depths - below, states)

    def duration(self, states: int) -> Floats:
        """Expected coups until the fall below state 0, over the paths that fall (0 on others)."""
        ruin = self.ruin(states)
        direct = np.zeros(states)
        tails = _tails(self.times)[:states]
        direct[: len(tails)] = tails
        direct += np.convolve(np.concatenate([[0.0], self.times]), ruin)[:states]
        return _filter(direct, self.heights)

    def _renew(self, tails: Floats, states: int) -> Floats:
        direct = np.zeros(states)
        direct[: min(states, len(tails))] = tails[:states]
        return _filter(direct, self.heights)


def _filter(direct: Floats, heights: Floats) -> Floats:
    """The solution of f(u) = direct(u) + Σ_j heights_j f(u - j)."""
    return np.asarray(lfilter([1.0], np.concatenate([[1.0], -heights]), direct), dtype=np.float64)


def _tails(masses: Floats) -> Floats:
    """Sum of the masses of j > u, for u = 0, 1, …: masses[u:] added up."""
    return np.cumsum(masses[::-1])[::-1].copy()


@lru_cache(maxsize=64)
def ladder(outcomes: Outcomes) -> Ladder:
    """Ladder heights of the first descent. Raises BankrollError where they do not settle within the cap."""
    down = int(outcomes.worst_loss / outcomes.step)
    if down > _MOST_DOWN:
        raise _too_fine(outcomes)
    points, last = _FIRST_POINTS, None
    while points < 4 * down:
        points *= 2
    while points <= _MOST_POINTS:
        heights = _heights(outcomes, points, down)
        if last is None or np.abs(heights - last).max(initial=0.0) >= _SETTLED:
            points, last = points * 2, heights
            continue
        return Ladder(outcomes, points, heights)
    raise _too_fine(outcomes)


def _too_fine(outcomes: Outcomes) -> BankrollError:
    return BankrollError(
        f"nets from {outcomes.nets[0]} to {outcomes.nets[-1]} in steps of {outcomes.step} make too fine a lattice: a"
        f" coup may cost {_MOST_DOWN} steps at most; round the nets",
        pointer="/outcomes",
    )


def _zeros(outcomes: Outcomes) -> tuple[float, float]:
    """The real zeros of 1 - φ on the lattice: the one up to 1, and the inverse of the one from 1 on."""
    root = log_root(outcomes) * float(outcomes.step)
    return math.exp(min(root, 0.0)), math.exp(-max(root, 0.0))


def _smooth(outcomes: Outcomes, points: int) -> NDArray[np.complex128]:
    """(1 - φ(z)) / ((1 - inner/z)(1 - outer·z)) on the upper half of the unit circle: it has no zero near it."""
    inner, outer = _zeros(outcomes)
    angles = np.pi * (2 * np.arange(points // 2) + 1) / points  # half a step off, so never the zero at 1
    circle = np.exp(1j * angles)
    rest = np.zeros(points // 2, dtype=np.complex128)
    for net, chance in zip(outcomes.nets, outcomes.floats[1], strict=True):
        halves = float(net / outcomes.step) / 2 * angles
        rest -= chance * 2j * np.sin(halves) * np.exp(1j * halves)  # 1 - z^s without cancellation near 1
    rest /= (1 - inner / circle) * (1 - outer * circle)
    return rest


def _heights(outcomes: Outcomes, points: int, down: int) -> Floats:
    """One factorisation with so many points on the unit circle."""
    rest = _smooth(outcomes, points)
    log = np.log(np.abs(rest)) + 1j * np.unwrap(np.angle(rest))
    return -_exponential(_negative_powers(log, points, down), _zeros(outcomes)[0])[1:]


def _negative_powers(values: NDArray[np.complex128], points: int, down: int) -> Floats:
    """Coefficients of z^-1 … z^-down of a function with real coefficients, given on the upper half circle."""
    full = np.concatenate([values, values[::-1].conj()])
    turned = np.fft.ifft(full) * np.exp(1j * np.pi * np.arange(points) / points)
    return np.asarray(turned[1 : down + 1].real, dtype=np.float64)


def _exponential(powers: Floats, inner: float) -> Floats:
    """Series in w = 1/z of (1 - inner·w) · exp(Σ powers_k w^k), from w^0 on."""
    size = len(powers) + 1
    weighted = powers * np.arange(1, size)
    series = np.zeros(size)
    series[0] = 1.0
    for n in range(1, size):
        series[n] = weighted[:n] @ series[n - 1 :: -1] / n
    series[1:] -= inner * series[:-1]
    return series


def _times(outcomes: Outcomes, points: int, heights: Floats) -> Floats:
    """Expected coups of the first descent by its depth: the derivative in s of D for s·φ, at s = 1.

    It is B · (1 - D), where B holds the negative powers of 1 / (1 - φ).
    """
    inner, outer = _zeros(outcomes)
    inverse = 1 / _smooth(outcomes, points)
    down, half = len(heights), points // 2
    negative = _negative_powers(inverse, points, half - 1)
    positive = _negative_powers(inverse.conj(), points, half - 1)
    constant = float(inverse.real.mean())
    # Visits to k steps below: Σ_p middle_p · (inner^(p + k) where p + k > 0, else outer^-(p + k)), by recursion in k.
    above = np.empty(down)
    above[0] = inner * constant + positive @ inner ** np.arange(2, half + 1)
    below = np.empty(down)
    below[-1] = negative[down - 1 :] @ outer ** np.arange(half - down)
    for k in range(1, down):
        above[k] = inner * (above[k - 1] + negative[k - 1])
        below[down - 1 - k] = negative[down - 1 - k] + outer * below[down - k]
    # 1 - inner * outer, however near to 1 the product is.
    apart = -math.expm1(-abs(log_root(outcomes)) * float(outcomes.step))
    visits = (above + below) / apart
    return np.convolve(visits, np.concatenate([[1.0], -heights]))[:down]
