"""The Kelly fraction over the full payouts, growth, and what else a bankroll is judged by.

Growth of a fraction f is g(f) = E[log(1 + f·X)], per coup, in natural logarithms. Sources: J. L. Kelly, A New
Interpretation of Information Rate (1956); E. O. Thorp, The Kelly Criterion in Blackjack, Sports Betting and the
Stock Market (1997, corrected 2006); N0 and the certainty equivalent: D. Schlesinger, Blackjack Attack.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.optimize import brentq

from analysis.outcomes import BankrollError, Number, Outcomes, rational

_TINY = 1e-12  # the least exponent of a fall that is told from 0
_LARGE = 30.0  # exponents from which the 1 of expm1 no longer counts


@dataclass(frozen=True)
class Growth:
    """What staking a fraction of the bankroll does: `growth` per coup (natural log), its standard deviation
    `deviation`, coups to double at that rate (infinite where it does not grow), and the exponent `fall`:
    the chance of ever falling to a share x of the bankroll is at most x^fall, and about that (0: it is certain)."""

    fraction: float
    growth: float
    deviation: float
    doubling: float
    fall: float


@dataclass(frozen=True)
class Kelly:
    """The fraction of the bankroll to stake for the fastest growth (0 without an edge), what it does, what half of
    it does, and the fraction `zero_growth` above which the bankroll shrinks though the game is in favour (1 where
    even staking everything grows; 0 without an edge). `edge_over_variance` is the usual approximation."""

    full: Growth
    half: Growth
    zero_growth: float
    edge_over_variance: float


@dataclass(frozen=True)
class Spread:
    """A coup and a hundred in figures, in stakes: mean and standard deviation of each; `n0` coups after which the
    mean is one standard deviation (infinite where the mean is 0)."""

    mean: Fraction
    deviation: float
    mean_100: Fraction
    deviation_100: float
    n0: float


def kelly(outcomes: Outcomes) -> Kelly:
    """Kelly's fraction and its figures. Raises BankrollError where nothing can be lost."""
    if not outcomes.worst_loss:
        raise BankrollError("nothing can be lost: every stake is too small", pointer="/outcomes")
    best = _best(outcomes)
    variance = float(outcomes.variance)
    usual = max(0.0, float(outcomes.mean) / variance) if variance else 0.0
    return Kelly(growth(outcomes, best), growth(outcomes, best / 2), _zero(outcomes, best), usual)


def growth(outcomes: Outcomes, fraction: Number) -> Growth:
    """What staking `fraction` of the bankroll each coup does. Raises BankrollError where a coup could cost more
    than everything."""
    f = float(rational(fraction, "the fraction", "/fraction"))
    if not 0 <= f <= 1 or f * float(outcomes.worst_loss) > 1:
        most = min(1.0, 1 / float(outcomes.worst_loss)) if outcomes.worst_loss else 1.0
        raise BankrollError(f"the fraction must be 0 to {most:.6g}, not {f:.6g}", pointer="/fraction")
    nets, chances = outcomes.floats
    with np.errstate(divide="ignore"):
        logs = np.log1p(f * nets)
    rate = float(chances @ logs)
    if math.isinf(rate):
        return Growth(f, -math.inf, math.inf, math.inf, 0.0)
    deviation = math.sqrt(max(0.0, float(chances @ (logs - rate) ** 2)))
    return Growth(
        f, rate, deviation, math.log(2) / rate if rate > 0 else math.inf, _fall(logs, chances, rate)
    )


def growth_rate(outcomes: Outcomes, f: float) -> float:
    """Growth per coup alone, of a fraction at which no coup costs everything."""
    nets, chances = outcomes.floats
    return float(chances @ np.log1p(f * nets))


def spread(outcomes: Outcomes) -> Spread:
    """Mean, standard deviation and N0 of flat stakes of 1."""
    mean, deviation = outcomes.mean, outcomes.deviation
    n0 = float(outcomes.variance / mean**2) if mean else math.inf
    return Spread(mean, deviation, 100 * mean, 10 * deviation, n0)


def certainty_equivalent(outcomes: Outcomes, bankroll: Number, risk_tolerance: Number = 1) -> float:
    """The sure gain a coup, in stakes, that is worth as much as staking 1 of `bankroll` to one who stakes
    `risk_tolerance` of Kelly's fraction: power utility w^(1 - 1/tolerance), the logarithm for 1.

    Exact over the payouts; mean - variance / (2 · tolerance · bankroll) is its second-order value.
    Raises BankrollError where the bankroll does not exceed the worst loss.
    """
    held = float(rational(bankroll, "the bankroll", "/bankroll"))
    tolerance = float(rational(risk_tolerance, "the risk tolerance", "/risk_tolerance"))
    if not 0 < tolerance <= 1:
        raise BankrollError(
            f"the risk tolerance must be above 0 and at most 1, not {tolerance:.6g}",
            pointer="/risk_tolerance",
        )
    if held <= float(outcomes.worst_loss) or held <= 0:
        raise BankrollError(
            f"the bankroll must be above the worst loss of {outcomes.worst_loss} stakes", pointer="/bankroll"
        )
    nets, chances = outcomes.floats
    logs = np.log1p(nets / held)
    power = 1 - 1 / tolerance
    if not power:
        return held * math.expm1(float(chances @ logs))
    powers = power * logs
    most = float(powers.max())
    if most > _LARGE:  # the worst outcome weighs beyond what floats hold: by the logarithm of a sum
        return held * math.expm1((most + math.log(float(chances @ np.exp(powers - most)))) / power)
    return held * math.expm1(math.log1p(float(chances @ np.expm1(powers))) / power)


def _slope(outcomes: Outcomes, f: float) -> float:
    nets, chances = outcomes.floats
    return float(chances @ (nets / (1 + f * nets)))


def _best(outcomes: Outcomes) -> float:
    if outcomes.mean <= 0:
        return 0.0
    most = min(1.0, 1 / float(outcomes.worst_loss))
    end = most * (1 - 1e-15)
    if _slope(outcomes, end) >= 0:  # a worst loss below 1 may let him stake everything
        return most
    return float(brentq(lambda f: _slope(outcomes, f), 0.0, end, xtol=1e-16, rtol=8.9e-16))


def _zero(outcomes: Outcomes, best: float) -> float:
    if not best:
        return 0.0
    most = min(1.0, 1 / float(outcomes.worst_loss))
    end = most * (1 - 1e-15)
    if growth_rate(outcomes, end) >= 0:
        return most
    return float(brentq(lambda f: growth_rate(outcomes, f), best, end, xtol=1e-16, rtol=8.9e-16))


def _fall(logs: "np.ndarray[tuple[int], np.dtype[np.float64]]", chances: object, rate: float) -> float:
    """The s > 0 with E[(1 + f·X)^-s] = 1: Lundberg's exponent of the walk of log bankrolls."""
    weights = np.asarray(chances, dtype=np.float64)
    if rate <= 0 or logs.min() >= 0:
        return 0.0 if rate <= 0 else math.inf

    def excess(s: float) -> float:
        return float(weights @ np.expm1(-s * logs) / s)

    if excess(_TINY) >= 0:  # hardly any growth: falling is certain but for rounding
        return 0.0
    end = 1.0
    while excess(end) < 0:
        end *= 2
    return float(brentq(excess, _TINY, end, xtol=1e-14, rtol=8.9e-16))
