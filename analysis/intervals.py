"""Intervals of simulated figures: 95 % throughout.

A mean of few values, with a spread taken from them as well, is further off than the normal distribution says: there
the interval is Student's (W. S. Gosset, The Probable Error of a Mean, Biometrika 6, 1908).
"""

import math
from dataclasses import dataclass
from typing import Any

Z = 1.959963984540054  # of the normal distribution, 95 % on both sides
_MANY = 1000  # values from which on Student's quantile is the normal one, to one part in 800


@dataclass(frozen=True)
class Interval:
    """An estimate with its standard error and its 95 % interval."""

    value: float
    error: float
    low: float
    high: float

    def to_json(self) -> dict[str, Any]:
        """JSON values, as simulated figures are given; null where one session tells nothing of the error."""
        return {
            "value": self.value,
            "standard_error": finite(self.error),
            "confidence_interval": [finite(self.low), finite(self.high)],
        }


def finite(value: float) -> float | None:
    """The value, or None where it is no number that JSON knows."""
    return value if math.isfinite(value) else None


def mean_quantile(values: int) -> float:
    """Standard errors from the mean of so many values (2 or more) to an end of its 95 % interval."""
    if values >= _MANY:
        return Z
    from scipy.special import stdtrit  # noqa: PLC0415 - for few values only

    return float(stdtrit(values - 1, 0.975))


def share_interval(count: int, total: int) -> Interval:
    """A probability from a count: E. B. Wilson's interval (1927), which holds for rare events too."""
    share = count / total
    centre = (share + Z * Z / (2 * total)) / (1 + Z * Z / total)
    half = Z / (1 + Z * Z / total) * math.sqrt(share * (1 - share) / total + Z * Z / (4 * total * total))
    return Interval(
        share, math.sqrt(share * (1 - share) / total), max(0.0, centre - half), min(1.0, centre + half)
    )


def mean_interval(total: float, squares: float, count: int) -> Interval:
    """A mean from a sum and a sum of squares, exact where they are whole; Student's interval.

    One value alone tells nothing of its error: NaN.
    """
    mean = total / count
    if count < 2:
        return Interval(mean, math.nan, math.nan, math.nan)
    variance = max(0.0, (squares - total * total / count) / (count - 1))
    error = math.sqrt(variance / count)
    return around(mean, error, count)


def around(mean: float, error: float, values: int) -> Interval:
    """A mean of so many values (2 or more) with its standard error, which was worked out from them."""
    half = mean_quantile(values) * error
    return Interval(mean, error, mean - half, mean + half)
