"""Exact odds of one punter's coup: every net result, for any rules, shoe and policies.

>>> from casino.banking.presets import PRESETS
>>> from casino.banking.rules import build
>>> odds(build(PRESETS["russian-even"][1], {}), punter="optimal").ev_punter
Fraction(6380, 22763)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from importlib.metadata import version
from typing import Any

from analysis import numbers
from analysis.numbers import Number
from analysis.outcome import Spread
from analysis.shoe import Shoe, full
from analysis.solve import INFORMATION, Information, Solved, solve
from analysis.strategies import BankerTable, Policy, PunterTable, banker_table, default, is_open, punter_table
from casino.banking.plan import Plan, plan_of
from casino.banking.rules import Rules
from casino.errors import RulesError


@dataclass(frozen=True)
class FirstCards:
    """A punter's first cards of some points.

    `spread`: what follows under his policy, coups that a banker's natural ends at once among it. `actions`: what
    follows each action, given that he is asked, and that he then plays his policy. `best`: the best of them.
    """

    points: int
    probability: Number
    spread: Spread
    actions: dict[str, Spread]

    @cached_property
    def best(self) -> str:
        return max(self.actions, key=lambda action: self.actions[action].ev())

    def to_json(self) -> dict[str, Any]:
        return {
            "probability": numbers.to_json(self.probability),
            "ev": {action: numbers.to_json(spread.ev()) for action, spread in self.actions.items()},
            "best": self.best,
            "variance": {
                action: numbers.to_json(spread.variance()) for action, spread in self.actions.items()
            },
            "distribution": {action: _distribution(spread) for action, spread in self.actions.items()},
            "played": {
                "ev": numbers.to_json(self.spread.ev()),
                "variance": numbers.to_json(self.spread.variance()),
                "distribution": _distribution(self.spread),
            },
        }


@dataclass(frozen=True)
class Odds:
    """The odds of one coup. Nets and EVs are in stakes, for the punter unless they say otherwise."""

    rules: Rules
    shoe: Shoe
    punter: Policy
    banker: Policy
    information: Information
    spread: Spread
    by_first_card: dict[int, FirstCards]

    @cached_property
    def ev_punter(self) -> Number:
        return self.spread.ev()

    @property
    def ev_banker(self) -> Number:
        return -self.ev_punter

    @cached_property
    def variance(self) -> Number:
        return self.spread.variance()

    @cached_property
    def distribution(self) -> dict[int, Number]:
        """Probability of each net result of the punter."""
        return self.spread.distribution()

    @property
    def has_side_bets(self) -> bool:
        """Are bets on the banker's side and on a tie known here?"""
        return self.rules.shared_hand and self.rules.first_cards == 2

    @cached_property
    def banker_bet_ev(self) -> Number:
        """Per unit on the banker's side: it wins what the punter loses, less the commission, and loses what he wins."""
        kept = 1 - self.rules.commission
        nets = self.distribution.items()
        return sum((chance * -net * (kept if net < 0 else 1) for net, chance in nets), start=Fraction(0))

    @cached_property
    def tie_bet_8_to_1_ev(self) -> Number:
        """Per unit on equal points, paid eight to one."""
        return 9 * self.spread.tie() - 1

    def to_json(self) -> dict[str, Any]:
        """The answer of `POST /odds`."""
        answer = {
            "ev_punter": numbers.to_json(self.ev_punter),
            "ev_banker": numbers.to_json(self.ev_banker),
            "variance": numbers.to_json(self.variance),
            "distribution": _distribution(self.spread),
            "by_first_card": {str(points): first.to_json() for points, first in self.by_first_card.items()},
        }
        if self.has_side_bets:
            answer["banker_bet_ev"] = numbers.to_json(self.banker_bet_ev)
            answer["tie_bet_8_to_1_ev"] = numbers.to_json(self.tie_bet_8_to_1_ev)
        return answer | {
            "punter": self.punter,
            "banker": self.banker,
            "information": self.information,
            "shoe": "infinite" if self.shoe.infinite else {"counts": _counts(self.shoe)},
            "rules_hash": self.rules.hash,
            "engine": engine(),
        }


def engine() -> str:
    """Name and version of what computed an answer."""
    return f"macao {version('macao')}"


def _distribution(spread: Spread) -> dict[str, Any]:
    return {str(net): numbers.to_json(chance) for net, chance in spread.distribution().items()}


def _counts(shoe: Shoe) -> dict[str, int]:
    return {str(points): count for points, count in enumerate(shoe.counts)}


def odds(
    rules: Rules,
    shoe: Shoe | None = None,
    seen: Sequence[str] = (),
    punter: Policy | None = None,
    banker: Policy | None = None,
    information: str = "all",
) -> Odds:
    """Exact odds of one punter's first coup from a shoe (default: the full shoe of the rules) less the cards seen.

    `punter` and `banker` are policies by name or object; None is the default of the side. `optimal` is the best
    reply to the other side, by all that its seat has seen, or by points and third card alone (`information`).
    Raises RulesError or NotationError with a pointer: a shoe that might not serve the coup, an unknown policy,
    both sides open where the banker is free.
    """
    plan = plan_of(rules)
    punter, banker = punter or default("punter", plan), banker or default("banker", plan)
    kind = check_information(information)
    left = (shoe or full(rules.decks)).without(seen)
    tables = resolve(plan, punter, banker)
    solved = solve(plan, left, *tables, kind)
    return Odds(rules, left, punter, banker, kind, solved.whole, _by_first_card(solved))


def resolve(plan: Plan, punter: Policy, banker: Policy) -> tuple[PunterTable | None, BankerTable | None]:
    """The tables of two policies; None where one is to be worked out. A banker without a choice has one anyway."""
    by_rote = is_open(banker) and not plan.banker_free
    return (
        None if is_open(punter) else punter_table(punter, plan),
        None if is_open(banker) and not by_rote else banker_table("rules" if by_rote else banker, plan),
    )


def check_information(information: str) -> Information:
    """The kind of information by its name. Raises RulesError."""
    for kind in INFORMATION:
        if information == kind:
            return kind
    raise RulesError(f"must be all or points, not {information!r:.40}", pointer="/information")


def _by_first_card(solved: Solved) -> dict[int, FirstCards]:
    frame = solved.frame
    found = {}
    for points in range(10):
        hands = [number for number, hand in enumerate(frame.hands) if hand.points == points]
        spread = solved.dealt(hands)
        if spread.total:
            chance = numbers.ratio(spread.total, frame.den)
            found[points] = FirstCards(points, chance, spread, solved.actions(hands, 0, 0))
    return found
