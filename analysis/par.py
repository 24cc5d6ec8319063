"""The par sheet of a rule set: what is paid how often, and who is ahead by how much. And two rule sets compared.

An edge is of a named side, with its sign, per unit staked. Each sheet is worked out for the punter's best play (an
equilibrium where the banker is free) and for the textbook (draw on 0 to 6).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any, Final

from analysis.asked import Answer, Question, answer
from analysis.exact import engine
from analysis.numbers import Number, to_json
from casino.banking.policies import TEXTBOOK
from casino.banking.rules import Rules, build
from casino.errors import RulesError

OPTIMAL: Final = "optimal"
# Options that a single coup's odds do not depend on: no comparison changes them one by one.
NOT_OF_A_COUP: Final = frozenset(
    ("max_punters", "stake_limits", "bank_limits", "bank_topup", "seats_change", "seating", "exhaustion")
)


@dataclass(frozen=True)
class Line:
    """One way to play: both policies, what they come to, and how often the punter wins, pushes and loses."""

    found: Answer

    @property
    def hits(self) -> dict[str, Number] | None:
        """Probabilities that the punter wins, pushes, loses; None where only a value is known."""
        if self.found.odds is None:
            return None
        shares: dict[str, Number] = {"win": 0.0, "push": 0.0, "lose": 0.0}
        for name, wanted in (("win", 1), ("push", 0), ("lose", -1)):
            nets = self.found.odds.distribution.items()
            parts = [chance for net, chance in nets if (net > 0) - (net < 0) == wanted]
            shares[name] = sum(parts[1:], start=parts[0]) if parts else 0.0
        return shares

    def to_json(self) -> dict[str, Any]:
        """JSON values: the odds, and `hit_rates`."""
        told = self.found.to_json()
        if self.hits is not None:
            told["hit_rates"] = {name: to_json(share) for name, share in self.hits.items()}
        if self.found.odds is not None:
            told["standard_deviation"] = sqrt(float(self.found.odds.variance))
        return told


@dataclass(frozen=True)
class Par:
    """The sheet: the best play of the punter, and the textbook, against the banker as the rules have him."""

    rules: Rules
    best: Line
    textbook: Line

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


def par(rules: Rules) -> Par:
    """The par sheet of a rule set, from its full shoe."""
    return Par(rules, Line(_best(rules)), Line(answer(Question(rules, punter=TEXTBOOK))))


def _best(rules: Rules) -> Answer:
    return answer(Question(rules, punter=OPTIMAL, banker=OPTIMAL if rules.banker_is_free else None))


@dataclass(frozen=True)
class Step:
    """One option turned on the way from one rule set to another, and the punter's EV (best play) after it.

    `ev` is None where the rules half-way contradict themselves; `reason` then says how, and the next step counts both.
    """

    option: str
    before: Any
    after: Any
    ev: Number | None
    worth: Number | None
    reason: str | None = None

    def to_json(self) -> dict[str, Any]:
        """JSON values."""
        told: dict[str, Any] = {"option": self.option, "from": self.before, "to": self.after}
        if self.ev is None or self.worth is None:
            return {**told, "reason": self.reason}
        return {**told, "ev_punter": to_json(self.ev), "worth": to_json(self.worth)}


@dataclass(frozen=True)
class Comparison:
    """From one rule set to another, option by option: the punter's EV at both ends, and each step between."""

    start: Number
    end: Number
    steps: tuple[Step, ...]

    def to_json(self) -> dict[str, Any]:
        """JSON values."""
        return {
            "ev_punter_a": to_json(self.start),
            "ev_punter_b": to_json(self.end),
            "steps": [step.to_json() for step in self.steps],
            "engine": engine(),
        }


def compare(first: Rules, second: Rules) -> Comparison:
    """What each option that differs is worth to the best punter, turned one after another in the rules' order.

    Options that a coup does not depend on are turned with the first step and not listed. Worths add up to the whole
    difference; a step's own worth depends on what was turned before it.
    """
    start = _value(first)
    return Comparison(start, _value(second), tuple(_steps(first.to_json(), second.to_json(), start)))


def _steps(now: Mapping[str, Any], goal: Mapping[str, Any], last: Number) -> Iterator[Step]:
    record = {**now, **{name: goal[name] for name in NOT_OF_A_COUP}}
    for option, after in goal.items():
        before = now[option]
        if option in NOT_OF_A_COUP or before == after:
            continue
        record[option] = after
        try:
            ev = _value(build(record, {}))
        except RulesError as refusal:
            yield Step(option, before, after, None, None, refusal.detail)
            continue
        yield Step(option, before, after, ev, ev - last)
        last = ev


def _value(rules: Rules) -> Number:
    """The punter's EV with the best play, against a free banker in equilibrium."""
    return _best(rules).ev_punter
