"""Where the outcomes of a coup come from: given as they are, recorded play, or rules with policies and a side.

A request names one of them: `outcomes` (a text, or net -> probability), `results` (nets of coups that were played: a
list, or net -> times) or `rules` with a preset; the shoe, the policies and the side stand in `rules` or beside them.

Rules give the exact distribution of the first coup from a full shoe (`analysis.exact`). That of a bank against several
punters, each with a hand of his own, is told by `analysis.bank_totals`: against more than three it is dealt coup by
coup, and its mean and variance put right.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

from analysis.equilibrium import Equilibrium, equilibrium
from analysis.exact import odds
from analysis.numbers import Number
from analysis.outcomes import BankrollError, Outcomes
from analysis.shoe import MOST_DECKS, SHOE_SCHEMA, Shoe, full, shoe_of
from analysis.solve import solve
from analysis.strategies import cached_plan
from casino.banking.presets import PRESETS
from casino.banking.rules import Rules, build
from casino.errors import CasinoError, RulesError, UnknownGame
from casino.options import Schema, canonical, check

EQUILIBRIUM: Final = "equilibrium"
SIDES: Final = ("punter", "banker", "banker_bet")
SOURCES: Final = ("outcomes", "rules", "results")
BESIDE: Final = ("shoe", "punter", "banker", "side", "punters")  # may stand beside `rules`

_A_POLICY: Final = "a policy's name, or an object"
_NOT_EMPTY: Final = {
    "punter": _A_POLICY,
    "banker": _A_POLICY,
    "shoe": "packs, counts left by points, or infinite",
}

SCHEMA: Final[Schema] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "preset": {"enum": list(PRESETS)},
        "changes": {"type": "object", "description": "Options changed in it."},
        "shoe": {
            "oneOf": [
                *SHOE_SCHEMA["oneOf"],
                {"type": "integer", "minimum": 1, "maximum": MOST_DECKS},
            ],
            "description": "Packs, counts left by points, or infinite; the full shoe of the rules where left out.",
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
    if not isinstance(name, str) or name not in PRESETS:
        raise UnknownGame(
            f"no preset {str(name)[:40]!r} of banking rules; there are {', '.join(PRESETS)}",
            pointer=f"{pointer}/preset",
        )
    changes = data.get("changes", {})
    if not isinstance(changes, Mapping):
        raise RulesError("must be an object, option -> value", pointer=f"{pointer}/changes")
    return build(PRESETS[name][1], changes, f"{pointer}/changes")


def checked_rules(data: Mapping[str, Any], pointer: str = "/rules") -> Rules:
    """The same, all of it held to SCHEMA."""
    rules = rules_of(data, pointer)
    check(dict(data), SCHEMA, pointer)
    for name, wanted in _NOT_EMPTY.items():
        if data.get(name) is not None and not data[name]:
            raise RulesError(f"must be {wanted}, not empty", pointer=f"{pointer}/{name}")
    return rules


def folded(request: Mapping[str, Any]) -> dict[str, Any]:
    """A request with what stands beside its `rules` put into them.

    Raises RulesError: there are no rules, or they hold the same name.
    """
    beside = [name for name in BESIDE if name in request]
    if not beside:
        return dict(request)
    rules = request.get("rules")
    if not isinstance(rules, Mapping):
        raise RulesError("goes with rules only", pointer=f"/{beside[0]}")
    twice = [name for name in beside if name in rules]
    if twice:
        raise RulesError("stands in rules already: give it once", pointer=f"/{twice[0]}")
    rest = {key: value for key, value in request.items() if key not in beside}
    return rest | {"rules": {**rules, **{name: request[name] for name in beside}}}


@contextmanager
def placed(request: Mapping[str, Any]) -> Iterator[None]:
    """Refusals of what stood beside the rules of a request, or might as well, point there."""
    try:
        yield
    except CasinoError as refusal:
        parts = refusal.pointer.split("/")
        moved = parts[1:2] == ["rules"] and parts[2:3] and parts[2] in BESIDE
        if moved and parts[2] not in request["rules"] and any(name in request for name in BESIDE):
            refusal.pointer = "/" + "/".join(parts[2:])
        raise


def source_of(request: Mapping[str, Any]) -> str:
    """Which of SOURCES a request names. Raises BankrollError: none, or several."""
    given = [name for name in SOURCES if name in request]
    if len(given) != 1:
        said = " and ".join(given) or "none"
        raise BankrollError(
            f"give one of {', '.join(SOURCES)}, not {said}", pointer=f"/{(given or SOURCES)[0]}"
        )
    return given[0]


def asked_outcomes(request: Mapping[str, Any]) -> Outcomes:
    """The outcomes that a request names, in stakes of one coup. Raises BankrollError, RulesError or UnknownGame."""
    plain = folded(request)
    kind = source_of(plain)
    value = plain[kind]
    if kind == "rules":
        if not isinstance(value, Mapping):
            raise RulesError("must be an object with a preset", pointer="/rules")
        with placed(request):
            return outcomes_of(value)
    if kind == "outcomes":
        return Outcomes.parse(value) if isinstance(value, str) else Outcomes.of(_mapping(value))
    if not isinstance(value, list | Mapping):
        raise BankrollError("must be a list of nets in stakes, or net -> times", pointer="/results")
    return Outcomes.observed(value)


def _mapping(value: Any) -> Mapping[Number, Number]:
    if not isinstance(value, Mapping):
        raise BankrollError(
            'must be net -> probability, such as {"1": "1/2", "-1": "1/2"}, or a text such as 1:1/2,-1:1/2',
            pointer="/outcomes",
        )
    return value


def outcomes_of(data: Mapping[str, Any], pointer: str = "/rules") -> Outcomes:
    """The outcomes of rules, policies and a side, in one punter's stakes: {"preset": "house", "side": "banker", …}.

    Raises RulesError (an unknown policy, sides that do not go together) or UnknownGame, with a pointer.
    """
    rules = checked_rules(data, pointer)
    return _worked_out(canonical(dict(data)).decode(), rules, pointer)


@lru_cache(maxsize=256)
def _worked_out(text: str, rules: Rules, pointer: str) -> Outcomes:
    data = json.loads(text)
    side, punters = data.get("side", "punter"), data.get("punters", 1)
    shoe = shoe_of(data.get("shoe"), rules.decks, f"{pointer}/shoe") or full(rules.decks)
    policies = (data.get("punter"), data.get("banker"))
    if punters > 1:
        _check_punters(rules, side, punters, pointer)
    one = Outcomes.of(_distribution(rules, shoe, policies, pointer))
    if side == "punter":
        return replace(one, cover=Fraction(rules.payoff.worst_loss))
    if side == "banker_bet":
        return _bet(rules, one, pointer)
    bank, most = one.flipped(), Fraction(punters * rules.payoff.worst_payout)
    if rules.shared_hand:  # all stakes are on one hand
        bank = Outcomes(tuple(punters * net for net in bank.nets), bank.probabilities, bank.exact)
    elif punters > 1:
        from analysis.bank_totals import bank_totals  # noqa: PLC0415 - for several hands only

        bank = bank_totals(rules, _packs(shoe, pointer), punters, policies)
    return replace(bank, cover=most)


def _packs(shoe: Shoe, pointer: str) -> int | str:
    """Full packs, or infinite, as several hands are dealt from. Raises RulesError."""
    if shoe.infinite:
        return "infinite"
    if shoe != full(shoe.packs):
        raise RulesError(
            "several punters, each with a hand of his own, are dealt to from full packs: give packs, or infinite",
            pointer=f"{pointer}/shoe",
        )
    return shoe.packs


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
