"""Odds and policies as they are asked for by name, an equilibrium among them where both sides are to be worked out."""

from dataclasses import dataclass
from typing import Any

from analysis.equilibrium import Equilibrium, equilibrium
from analysis.exact import Odds, check_information, engine, odds
from analysis.numbers import Number, to_json
from analysis.policy import BestResponse, best_response
from analysis.shoe import Shoe, full
from analysis.solve import solve
from analysis.strategies import Policy, banker_table, cached_plan, default, is_open, punter_table
from casino.banking.policies import BANKER, BY_ROTE, PUNTER
from casino.banking.rules import Rules
from casino.errors import RulesError

EQUILIBRIUM = "equilibrium"


@dataclass(frozen=True)
class Question:
    """What is asked: rules, a shoe (None: full), cards seen, both policies (None: the default), information."""

    rules: Rules
    shoe: Shoe | None = None
    seen: tuple[str, ...] = ()
    punter: Policy | None = None
    banker: Policy | None = None
    information: str = "all"

    @property
    def left(self) -> Shoe:
        """The shoe less the cards seen. Raises RulesError or NotationError."""
        whole = self.shoe or full(self.rules.decks)
        return whole.without(self.seen, max(self.rules.decks, whole.packs))

    @property
    def policies(self) -> tuple[Policy, Policy]:
        """Both policies by name; a banker without a choice plays by rote, whatever was asked."""
        punter, banker = (
            self.punter or default(PUNTER, self.rules),
            self.banker or default(BANKER, self.rules),
        )
        return punter, BY_ROTE if is_open(banker) and not self.rules.banker_is_free else banker

    @property
    def takes_equilibrium(self) -> bool:
        """Are both sides to be worked out, or one as it is in equilibrium?"""
        policies = self.policies
        return self.rules.banker_is_free and (all(map(is_open, policies)) or EQUILIBRIUM in policies)


@dataclass(frozen=True)
class Answer:
    """The punter's EV, the odds (None where an equilibrium's strategies are no tables), the equilibrium if one was
    worked out.
    """

    question: Question
    ev_punter: Number
    odds: Odds | None
    equilibrium: Equilibrium | None = None

    def to_json(self) -> dict[str, Any]:
        """The answer of `POST /odds`."""
        found: dict[str, Any] = {"ev_punter": to_json(self.ev_punter), "ev_banker": to_json(-self.ev_punter)}
        if self.odds is not None:
            found = self.odds.to_json()
        if self.equilibrium is not None:
            told = self.equilibrium.to_json()
            found |= {"value": told["value"], "strategies": {side: told[side] for side in (PUNTER, BANKER)}}
            found |= {name: told[name] for name in ("bounds", "exploitability", "certified", "note")}
        return found | {"rules_hash": self.question.rules.hash, "engine": engine()}


def answer(question: Question) -> Answer:
    """The odds asked for. Raises RulesError or NotationError with a pointer."""
    rules, left = question.rules, question.left
    punter, banker = question.policies
    if not question.takes_equilibrium:
        found = odds(rules, left, (), punter, banker, question.information)
        return Answer(question, found.ev_punter, found)
    kind = check_information(question.information)
    both = one_punter(rules, left)
    if is_open(punter) and is_open(banker) and not has_tables(both):
        return Answer(question, both.value, None, both)
    mine, his = both.tables()
    mine = mine if is_open(punter) else punter_table(punter, rules)
    his = his if is_open(banker) else banker_table(banker, rules)
    found = Odds(rules, left, punter, banker, kind, solve(cached_plan(rules), left, mine, his, kind))
    return Answer(question, found.ev_punter, found, both)


def one_punter(rules: Rules, shoe: Shoe) -> Equilibrium:
    """The equilibrium of one punter and the banker."""
    found = equilibrium(rules, shoe)
    if not isinstance(found, Equilibrium):
        raise TypeError("one punter was asked for")
    return found


def has_tables(found: Equilibrium) -> bool:
    """Are its strategies tables of points and third cards?"""
    try:
        found.tables()
    except RulesError:
        return False
    return True


def reply(question: Question) -> BestResponse | Equilibrium:
    """The best reply of the one side that is to be worked out to the other's given policy, or the equilibrium where
    both are. Raises RulesError if neither is.
    """
    punter, banker = question.policies
    if question.takes_equilibrium:
        return one_punter(question.rules, question.left)
    if is_open(punter):
        side, against = PUNTER, banker
    elif is_open(banker):
        side, against = BANKER, punter
    else:
        raise RulesError(
            "one side is to be worked out: name it optimal, or both equilibrium", pointer="/punter"
        )
    return best_response(question.rules, side, against, question.left, (), question.information)
