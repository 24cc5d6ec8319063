"""Where the outcomes of a coup come from: given as they are, recorded play, or rules with policies and a side.

Rules give the exact distribution of the first coup from a full shoe (`analysis.exact`). A bank against several
punters, each with a hand of his own, is dealt coup by coup instead (`analysis.bank_totals`), and its mean put right.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

from analysis.equilibrium import Equilibrium, equilibrium
from analysis.exact import odds
from analysis.numbers import Number
from analysis.outcomes import BankrollError, Outcomes
from analysis.shoe import Shoe, full, infinite
from analysis.solve import solve
from analysis.strategies import cached_plan
from casino.banking.presets import PRESETS
from casino.banking.rules import Rules, build
from casino.errors import RulesError, UnknownGame
from casino.options import Schema, canonical, check

EQUILIBRIUM: Final = "equilibrium"
SIDES: Final = ("punter", "banker", "banker_bet")
DEALT: Final = 4_000_000  # coups dealt for a bank against several punters

SCHEMA: Final[Schema] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "preset": {"enum": list(PRESETS)},
        "changes": {"type": "object", "description": "Options changed in it."},
        "shoe": {
            "oneOf": [
                {"enum": ["infinite"]},
                {"type": "integer", "minimum": 1, "maximum": 8},
            ],
            "description": "Packs, or infinite; those of the rules where left out.",
        },
        "punter": {"description": "A policy: a name or an object."},
        "banker": {"description": "A policy: a name or an object."},
        "side": {
            "enum": list(SIDES),
            "description": "Whose nets: a punter's, the bank's, or those of a bet on the banker's side.",
        },
        "punters": {"type": "integer", "minimum": 1, "maximum": 9, "description": "Against the bank; 1."},
    },
    "required": ["preset"],
}


def rules_of(data: Mapping[str, Any], pointer: str = "/rules") -> Rules:
    """The rules of a preset with changes. Raises UnknownGame or RulesError."""
    name = data.get("preset")
    if name not in PRESETS:
        raise UnknownGame(
            f"no preset {str(name)[:40]!r} of banking rules; there are {', '.join(PRESETS)}",
            pointer=f"{pointer}/preset",
        )
    return build(PRESETS[name][1], data.get("changes") or {}, f"{pointer}/changes")


def outcomes_of(data: Mapping[str, Any], pointer: str = "/rules") -> Outcomes:
    """The outcomes of rules, policies and a side, in one punter's stakes: {"preset": "house", "side": "banker", …}.

    Raises RulesError (an unknown policy, sides that do not go together) or UnknownGame, with a pointer.
    """
    rules = rules_of(data, pointer)
    check(dict(data), SCHEMA, pointer)
    return _worked_out(canonical(dict(data)).decode(), rules, pointer)


@lru_cache(maxsize=256)
def _worked_out(text: str, rules: Rules, pointer: str) -> Outcomes:
    data = json.loads(text)
    side, punters = data.get("side", "punter"), data.get("punters", 1)
    packs = data.get("shoe", rules.decks)
    policies = (data.get("punter"), data.get("banker"))
    if punters > 1:
        _check_punters(rules, side, punters, pointer)
    one = Outcomes.of(
        _distribution(rules, infinite() if packs == "infinite" else full(packs), policies, pointer)
    )
    if side == "punter":
        return replace(one, cover=Fraction(rules.payoff.worst_loss))
    if side == "banker_bet":
        return _bet(rules, one, pointer)
    bank, most = one.flipped(), Fraction(punters * rules.payoff.worst_payout)
    if rules.shared_hand:  # all stakes are on one hand
        bank = Outcomes(tuple(punters * net for net in bank.nets), bank.probabilities, bank.exact)
    elif punters > 1:
        from analysis.bank_totals import bank_totals  # noqa: PLC0415 - loads numba

        bank = bank_totals(rules, packs, punters, policies, bank.mean)
    return replace(bank, cover=most)


def _distribution(rules: Rules, shoe: Shoe, policies: tuple[Any, Any], pointer: str) -> dict[int, Number]:
    """Net of a punter -> probability."""
    punter, banker = policies
    try:
        if (
            EQUILIBRIUM in (punter, banker)
            and rules.banker_is_free
            and {punter, banker} <= {EQUILIBRIUM, None}
        ):
            return _at_equilibrium(rules, shoe)
        return odds(rules, shoe, punter=punter, banker=banker).distribution
    except RulesError as refusal:
        raise RulesError(refusal.detail, pointer=pointer + refusal.pointer) from None


def _at_equilibrium(rules: Rules, shoe: Shoe) -> dict[int, Number]:
    found = equilibrium(rules, shoe)
    if not isinstance(found, Equilibrium):  # one punter was asked for
        raise AssertionError
    mine, his = found.tables()
    return solve(cached_plan(rules), shoe, mine, his, "all").whole().distribution()


def _bet(rules: Rules, one: Outcomes, pointer: str) -> Outcomes:
    """A unit on the banker's side: it wins what the punter loses, less the commission."""
    if not rules.shared_hand or rules.first_cards != 2:
        raise RulesError(
            "bets on the banker's side are known where all punters share one hand of two first cards: not here",
            pointer=f"{pointer}/side",
        )
    kept = 1 - rules.commission
    return Outcomes.of({-net * (kept if net < 0 else 1): chance for net, chance in one})


def _check_punters(rules: Rules, side: str, punters: int, pointer: str) -> None:
    if side != "banker":
        raise BankrollError(
            "several punters play against the bank: side must be banker", pointer=f"{pointer}/side"
        )
    if punters > rules.max_punters:
        raise RulesError(
            f"must be 1 to {rules.max_punters} punters, not {punters}", pointer=f"{pointer}/punters"
        )
