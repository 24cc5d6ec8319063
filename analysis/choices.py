"""What a decision's actions are worth, whoever decides."""

from fractions import Fraction
from functools import cached_property
from typing import Any, Generic, TypeVar

from analysis import numbers
from analysis.numbers import Number

N = TypeVar("N", Fraction, Number)


class Choices(Generic[N]):
    """By action what it is worth to who decides, if he then plays on as is best."""

    values: dict[str, N]

    @cached_property
    def best(self) -> str:
        """The action that is worth most."""
        return max(self.values, key=lambda action: self.values[action])

    def cost(self, action: str) -> N:
        """What the action gives away, in the unit of the values."""
        return self.values[self.best] - self.values[action]

    def worths(self) -> dict[str, Any]:
        """All of it as JSON values."""
        return {
            "ev": {action: numbers.to_json(value) for action, value in self.values.items()},
            "cost": {action: numbers.to_json(self.cost(action)) for action in self.values},
            "best": self.best,
        }
