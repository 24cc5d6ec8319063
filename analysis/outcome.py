"""What a coup may bring a punter, and how likely each of it is."""

import math
from dataclasses import dataclass
from typing import NamedTuple

from analysis.numbers import Number, ratio


class Outcome(NamedTuple):
    """What the punter nets, in stakes, and whether the points were equal."""

    net: int
    tie: bool


@dataclass(frozen=True, slots=True)
class Spread:
    """How likely each outcome is: weights over their sum, integers where the figures are exact, else floats."""

    outcomes: tuple[Outcome, ...]
    weights: tuple[float, ...]

    @property
    def total(self) -> float:
        return sum(self.weights)

    def moment(self, power: int) -> float:
        """Σ weight · net^power."""
        pairs = zip(self.outcomes, self.weights, strict=True)
        return sum(weight * math.prod([outcome.net] * power) for outcome, weight in pairs)

    def ev(self) -> Number:
        """Expected net of the punter, per unit staked, given that one of these outcomes came."""
        return ratio(self.moment(1), self.total)

    def variance(self) -> Number:
        """Variance of the net."""
        return ratio(self.moment(2) * self.total - self.moment(1) ** 2, self.total**2)

    def distribution(self) -> dict[int, Number]:
        """Probability of each net result."""
        found: dict[int, float] = {}
        for outcome, weight in zip(self.outcomes, self.weights, strict=True):
            found[outcome.net] = found.get(outcome.net, 0) + weight
        return {net: ratio(weight, self.total) for net, weight in sorted(found.items()) if weight}

    def tie(self) -> Number:
        """Probability of equal points."""
        ties = sum(w for outcome, w in zip(self.outcomes, self.weights, strict=True) if outcome.tie)
        return ratio(ties, self.total)
