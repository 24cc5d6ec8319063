"""Numbers of an answer: exact rationals where they are, floats where not, and their JSON."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

Number = Fraction | float


def ratio(num: float, den: float) -> Number:
    """num/den: a Fraction of integers, a float otherwise."""
    return Fraction(num, den) if isinstance(num, int) and isinstance(den, int) else num / den


_FEW_BITS = 14_000  # Python prints no longer integers by itself


def digits(value: int) -> str:
    """An integer in decimal digits, of any length."""
    return str(value) if value.bit_length() <= _FEW_BITS else format(Decimal(value), "f")


def to_json(value: Number) -> dict[str, Any]:
    """`{"num": "…", "den": "…", "float": …}`, the float correctly rounded; `{"float": …}` of a float."""
    if isinstance(value, Fraction):
        return {"num": digits(value.numerator), "den": digits(value.denominator), "float": float(value)}
    return {"float": float(value)}
