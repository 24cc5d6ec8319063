"""Exact odds of one punter's coup: every net result, for any rules, shoe and policies.

>>> from casino.banking.presets import PRESETS
>>> from casino.banking.rules import build
>>> odds(build(PRESETS["russian-even"][1], {}), punter="optimal").ev_punter
Fraction(6380, 22763)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from importlib.metadata import version
from typing import Any

from analysis import numbers
from analysis.fast import Fast, has_kernel
from analysis.numbers import Number
from analysis.outcome import FirstCards, Source, Spread
from analysis.shoe import Shoe, check_coup, full
from analysis.solve import INFORMATION, Information, solve
from analysis.strategies import (
    BankerTable,
    Policy,
    PunterTable,
    banker_table,
    cached_plan,
    default,
    is_open,
    punter_table,
)
from casino.banking.policies import BANKER, BY_ROTE, PUNTER
from casino.banking.rules import Rules
from casino.errors import RulesError


@dataclass(frozen=True)
class Odds:
    """The odds of one coup. Nets and EVs are in stakes, for the punter unless they say otherwise."""

    rules: Rules
    shoe: Shoe
    punter: Policy
    banker: Policy
    information: Information
    source: Source

    @cached_property
    def spread(self) -> Spread:
        """The whole coup."""
        return self.source.whole()

    @cached_property
    def by_first_card(self) -> dict[int, FirstCards]:
        """The same by the points of the punter's first cards."""
        return self.source.by_first_card()

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
            "distribution": self.spread.to_json(),
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


def _counts(shoe: Shoe) -> dict[str, int]:
    return {str(points): count for points, count in enumerate(shoe.counts)}


def odds(
    rules: Rules,
    shoe: Shoe | None = None,
    seen: Sequence[str] = (),
    punter: Policy | None = None,
    banker: Policy | None = None,
    information: str = "all",
    *,
    exact: bool = True,
) -> Odds:
    """Exact odds of one punter's first coup from a shoe (default: the full shoe of the rules) less the cards seen.

    `punter` and `banker` are policies by name or object; None is the default of the side. `optimal` is the best
    reply to the other side, by all that its seat has seen, or by points and third card alone (`information`).
    With `exact` false the work is done by compiled loops where there are any (see `analysis.fast`), and figures
    may be floats.
    Raises RulesError or NotationError with a pointer: a shoe that might not serve the coup, an unknown policy,
    both sides open where the banker is free.
    """
    plan = cached_plan(rules)
    punter, banker = punter or default(PUNTER, rules), banker or default(BANKER, rules)
    kind = check_information(information)
    left = (shoe or full(rules.decks)).without(seen)
    named = isinstance(punter, str) and isinstance(banker, str)
    mine, his = (_resolve_names if named else resolve)(rules, punter, banker)
    source: Source
    if not exact and his is not None and has_kernel(plan, left.infinite, mine, his, kind):
        check_coup(left, plan)
        source = Fast(plan, left, mine, his)
    else:
        source = solve(plan, left, mine, his, kind)
    return Odds(rules, left, punter, banker, kind, source)


def resolve(rules: Rules, punter: Policy, banker: Policy) -> tuple[PunterTable | None, BankerTable | None]:
    """The tables of two policies; None where one is to be worked out. A banker without a choice has one anyway."""
    by_rote = is_open(banker) and not rules.banker_is_free
    return (
        None if is_open(punter) else punter_table(punter, rules),
        None if is_open(banker) and not by_rote else banker_table(BY_ROTE if by_rote else banker, rules),
    )


_resolve_names = lru_cache(maxsize=256)(resolve)


def check_information(information: str) -> Information:
    """The kind of information by its name. Raises RulesError."""
    for kind in INFORMATION:
        if information == kind:
            return kind
    raise RulesError(f"must be all or points, not {information!r:.40}", pointer="/information")
