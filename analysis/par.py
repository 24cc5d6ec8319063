"""The par sheet of a rule set: what is paid how often, and who is ahead by how much.

An edge is of a named side, with its sign, per unit staked. Each sheet is worked out for the punter's best play (an
equilibrium where the banker is free) and for the textbook (draw on 0 to 6).
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, sqrt
from typing import Any, Final

from analysis.asked import Answer, Question, answer
from analysis.exact import engine
from analysis.numbers import Number, to_json
from analysis.shoe import Shoe, full
from casino.banking.hands import NATURALS_FROM
from casino.banking.policies import TEXTBOOK
from casino.banking.rules import Rules

OPTIMAL: Final = "optimal"
_SURE: Final = 1.6448536269514722  # one-sided 95 % of the normal distribution


@dataclass(frozen=True)
class Line:
    """One way to play: both policies, what they come to, and how often the punter wins, pushes and loses."""

    found: Answer

    @property
    def hits(self) -> dict[str, Number] | None:
        """Probabilities that the punter wins, pushes, loses; None where only a value is known."""
        if self.found.odds is None:
            return None
        nets, nothing = self.found.odds.distribution.items(), Fraction(0)
        return {
            "win": sum((chance for net, chance in nets if net > 0), nothing),
            "push": sum((chance for net, chance in nets if net == 0), nothing),
            "lose": sum((chance for net, chance in nets if net < 0), nothing),
        }

    @property
    def policies(self) -> tuple[Any, Any]:
        """The punter's and the banker's."""
        return self.found.question.policies

    @property
    def naturals(self) -> dict[int, Number]:
        """Probability that the punter's first cards make 7, 8, 9."""
        firsts = {} if self.found.odds is None else self.found.odds.by_first_card
        return {points: firsts[points].probability for points in range(NATURALS_FROM, 10) if points in firsts}

    @cached_property
    def deviation(self) -> float | None:
        """Standard deviation of the punter's net, in stakes."""
        return None if self.found.odds is None else sqrt(float(self.found.odds.variance))

    @property
    def coups_to_tell(self) -> int | None:
        """Coups at equal stakes after which whoever has the edge is ahead with 95 %; None for a fair game.

        (1.645 · deviation / edge)², by the normal distribution, as if coups were independent.
        """
        edge = float(self.found.ev_punter)
        return ceil((_SURE * self.deviation / edge) ** 2) if self.deviation is not None and edge else None

    def to_json(self) -> dict[str, Any]:
        """JSON values: the odds, and hit rates."""
        told = self.found.to_json()
        if self.found.odds is None or self.hits is None:
            return told
        return told | {
            "hit_rates": {name: to_json(share) for name, share in self.hits.items()},
            "tie": to_json(self.found.odds.spread.tie()),
            "naturals": {str(points): to_json(share) for points, share in self.naturals.items()},
            "standard_deviation": self.deviation,
            "coups_to_tell": self.coups_to_tell,
        }


@dataclass(frozen=True)
class Par:
    """The sheet: the best play of the punter, and the textbook, against the banker as the rules have him."""

    rules: Rules
    shoe: Shoe
    best: Line
    textbook: Line

    @property
    def lines(self) -> tuple[Line, Line]:
        """Both ways to play."""
        return self.best, self.textbook

    def to_json(self) -> dict[str, Any]:
        """JSON values."""
        return {
            "rules_hash": self.rules.hash,
            "engine": engine(),
            "worst_loss": self.rules.payoff.worst_loss,
            "worst_payout": self.rules.payoff.worst_payout,
            "best": self.best.to_json(),
            "textbook": self.textbook.to_json(),
        }


def par(rules: Rules, shoe: Shoe | None = None) -> Par:
    """The par sheet of a rule set, from its full shoe or an infinite one."""
    whole = shoe or full(rules.decks)
    textbook = answer(Question(rules, whole, punter=TEXTBOOK))
    return Par(rules, whole, Line(answer(best_question(rules, whole))), Line(textbook))


def best_question(rules: Rules, shoe: Shoe) -> Question:
    """Best play of whoever has a choice."""
    return Question(rules, shoe, punter=OPTIMAL, banker=OPTIMAL if rules.banker_is_free else None)
