"""Numbers of an answer: exact rationals where they are, floats where not, and their JSON."""

from fractions import Fraction
from typing import Any

Number = Fraction | float


def ratio(num: float, den: float) -> Number:
    """num/den: a Fraction of integers, a float otherwise."""
    return Fraction(num, den) if isinstance(num, int) and isinstance(den, int) else num / den


def to_json(value: Number) -> dict[str, Any]:
    """`{"num": "…", "den": "…", "float": …}`, the float correctly rounded; `{"float": …}` of a float."""
    if isinstance(value, Fraction):
        return {"num": str(value.numerator), "den": str(value.denominator), "float": float(value)}
    return {"float": float(value)}
