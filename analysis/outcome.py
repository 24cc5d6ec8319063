"""What a coup may bring a punter, and how likely each of it is."""

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, Protocol

from analysis import numbers
from analysis.numbers import Number, ratio
from casino.banking.plan import Plan


class Outcome(NamedTuple):
    """What the punter nets, in stakes, and whether the points were equal."""

    net: int
    tie: bool


_REAL_CODES = tuple(code for code in range(20) if code < 10 or code >= 17)


@lru_cache(maxsize=256)
def outcomes_of(plan: Plan) -> tuple[Outcome, ...]:
    """All outcomes that the rules know, by net."""
    table = plan.table
    return tuple(sorted({Outcome(table[p][b], p % 10 == b % 10) for p in _REAL_CODES for b in _REAL_CODES}))


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

    def to_json(self) -> dict[str, Any]:
        """The distribution as JSON: net as text, probability."""
        return {str(net): numbers.to_json(chance) for net, chance in self.distribution().items()}


@dataclass(frozen=True)
class FirstCards:
    """A punter's first cards of some points.

    `spread`: what follows under his policy, coups that a banker's natural ends at once among it. `actions`: what
    follows each action, given that he is asked, and that he then plays his policy; none where a banker's natural
    always ends the coup first. `best`: the best of them, or None.
    """

    points: int
    probability: Number
    spread: Spread
    actions: dict[str, Spread]

    @cached_property
    def best(self) -> str | None:
        return max(self.actions, key=lambda action: self.actions[action].ev(), default=None)

    def to_json(self) -> dict[str, Any]:
        return {
            "probability": numbers.to_json(self.probability),
            "ev": {action: numbers.to_json(spread.ev()) for action, spread in self.actions.items()},
            "best": self.best,
            "variance": {
                action: numbers.to_json(spread.variance()) for action, spread in self.actions.items()
            },
            "distribution": {action: spread.to_json() for action, spread in self.actions.items()},
            "played": {
                "ev": numbers.to_json(self.spread.ev()),
                "variance": numbers.to_json(self.spread.variance()),
                "distribution": self.spread.to_json(),
            },
        }


class Source(Protocol):
    """What has worked a coup out."""

    def whole(self) -> Spread: ...

    def by_first_card(self) -> dict[int, FirstCards]: ...
