"""Requests about odds turned into calls of the analysis: bodies of `POST /odds`, `/policies` and `/counting`.

Pure functions of JSON values: the command line, REST and tests use the same.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from analysis.asked import Question, answer, reply
from analysis.counting import DEPTHS, MOST_SAMPLES, SAMPLES, SIDES, counting
from analysis.decision import banker_decision, steps_of
from analysis.exact import engine
from analysis.shoe import MOST_DECKS, SHOE_SCHEMA, may_discard, shoe_of
from analysis.sources import rules_of
from analysis.strategies import cached_plan, is_open, punter_table
from analysis.table_state import BankerState, PunterSeen
from casino.banking.policies import TEXTBOOK
from casino.banking.rules import Rules
from casino.cards import BLACK_JOKER, POINTS, face
from casino.errors import RulesError
from casino.options import Schema, check

_STEPS: Final = 1000  # multiplications of a banker's decision in a millisecond
_PER_SHOE: Final = {1: 0.02, 2: 0.4}  # milliseconds for the edge of one shoe of many, by first cards
Spend = Callable[[int], object]
HIDDEN: Final = "hidden"

_TEXTS: Schema = {"type": "array", "items": {"type": "string"}, "maxItems": 52 * MOST_DECKS}
_COUNT: Schema = {"type": "integer", "minimum": 0, "maximum": 16 * MOST_DECKS}
_DISCARDED: Schema = {
    "type": "object",
    "properties": {"dealt": _COUNT, "drawn": _COUNT},
    "additionalProperties": False,
}
_PUNTER: Schema = {
    "type": "object",
    "properties": {
        "stake": {"type": "integer", "minimum": 1, "maximum": 10**12},
        "policy": {},
        "stood": {"const": True},
        "drew": {"type": "string"},
        "first": {"type": "string"},
        "shown": {"type": "boolean"},
        "discarded": _DISCARDED,
    },
    "required": ["stake"],
    "additionalProperties": False,
}
_STATE: Schema = {
    "type": "object",
    "properties": {
        "card": {"type": "string"},
        "drawn": {"type": "string"},
        "discarded": _DISCARDED,
        "punters": {"type": "array", "minItems": 1, "maxItems": 9, "items": _PUNTER},
    },
    "required": ["card", "punters"],
    "additionalProperties": False,
}
ODDS_SCHEMA: Final[Schema] = {
    "type": "object",
    "properties": {
        "rules": {
            "type": "object",
            "properties": {"preset": {"type": "string"}, "changes": {"type": "object"}},
            "required": ["preset"],
            "additionalProperties": False,
        },
        "shoe": SHOE_SCHEMA,
        "seen": _TEXTS,
        "punter": {},
        "banker": {},
        "information": {"enum": ["all", "points"]},
    },
    "required": ["rules"],
    "additionalProperties": False,
}
POLICIES_SCHEMA: Final[Schema] = ODDS_SCHEMA | {"properties": {**ODDS_SCHEMA["properties"], "state": _STATE}}
COUNTING_SCHEMA: Final[Schema] = ODDS_SCHEMA | {
    "properties": {
        **{name: ODDS_SCHEMA["properties"][name] for name in ("rules", "punter", "banker")},
        "side": {"enum": list(SIDES)},
        "depths": {
            "type": "array",
            "items": {"type": "integer", "minimum": 0},
            "minItems": 1,
            "maxItems": 64,
        },
        "samples": {"type": "integer", "minimum": 2, "maximum": MOST_SAMPLES},
        "seed": {"type": "integer", "minimum": 0, "maximum": 2**63 - 1},
    }
}


def free(milliseconds: int) -> None:
    """Let a question cost what it costs."""


def odds_answer(body: Any, spend: Spend = free) -> dict[str, Any]:
    """The answer to a body of `POST /odds`. Raises RulesError, NotationError or UnknownGame with a JSON Pointer.

    `spend` is told the cost in about milliseconds before the work, and may raise.
    """
    question = question_of(body, ODDS_SCHEMA)
    spend(cost(question))
    return answer(question).to_json()


def policies_answer(body: Any, spend: Spend = free) -> dict[str, Any]:
    """The answer to a body of `POST /policies`: a best reply, an equilibrium, or (`state`) the banker's decision."""
    question = question_of(body, POLICIES_SCHEMA)
    if "state" in body:
        state = state_of(body["state"], question.rules)
        spend(_decision_cost(question, state))
        return banker_decision(question.rules, question.left, state).to_json()
    spend(cost(question))
    return reply(question).to_json() | {"engine": engine()}


def counting_answer(body: Any, spend: Spend = free) -> dict[str, Any]:
    """The answer to a body of `POST /counting`."""
    check(body, COUNTING_SCHEMA, "")
    rules = rules_of(body["rules"])
    asked = {name: value for name, value in body.items() if name != "rules"}
    question = Question(rules, None, (), _policy(body, "punter") or "optimal", _policy(body, "banker"))
    shoes = body.get("samples", SAMPLES) * len(body.get("depths", range(DEPTHS)))
    spend(10 * cost(question) + round(shoes * _PER_SHOE[rules.first_cards]))
    return counting(rules, **asked).to_json()


def question_of(body: Any, schema: Schema = ODDS_SCHEMA) -> Question:
    """What a body asks. Raises RulesError, NotationError or UnknownGame."""
    check(body, schema, "")
    rules = rules_of(body["rules"])
    return Question(
        rules,
        shoe_of(body.get("shoe"), rules.decks),
        tuple(body.get("seen", ())),
        _policy(body, "punter"),
        _policy(body, "banker"),
        body.get("information", "all"),
    )


def _policy(body: Mapping[str, Any], side: str) -> Any:
    policy = body.get(side)
    if policy is not None and not isinstance(policy, str | Mapping):
        raise RulesError("must be a policy's name, or an object", pointer=f"/{side}")
    return policy


def cost(question: Question) -> int:
    """What an answer takes, in about milliseconds of one core: a guess on the safe side, told before the work."""
    plan = cached_plan(question.rules)
    zeros = question.left.counts[0] if may_discard(plan) and not question.left.infinite else 0
    banker = question.policies[1]
    if question.takes_equilibrium:
        return 10_000 if may_discard(plan) else 1_000
    if is_open(banker):
        return 400 if plan.first == 2 else 20 + 40 * zeros
    return 30 + zeros if plan.first == 2 else 5 + zeros


def _decision_cost(question: Question, state: BankerState) -> int:
    """The same for a banker's decision."""
    plan = cached_plan(question.rules)
    zeros = question.left.counts[0] if plan.banker_dealt and state.cards == (0,) else 0
    return 30 + 20 * zeros + steps_of(question.rules, question.left, state) // _STEPS


def state_of(data: Mapping[str, Any], rules: Rules) -> BankerState:
    """The banker's view of a coup from JSON (as `POST /policies` takes it). Raises RulesError or NotationError."""
    cards = tuple(
        _points(text, f"/state/card/{at}" if at else "/state/card")
        for at, text in enumerate(data["card"].split())
    )
    third = _points(data["drawn"], "/state/drawn") if "drawn" in data else None
    punters = tuple(_punter(each, rules, f"/state/punters/{at}") for at, each in enumerate(data["punters"]))
    return BankerState(cards, punters, third, _thrown(data))


def _punter(data: Mapping[str, Any], rules: Rules, pointer: str) -> PunterSeen:
    shown = data.get("shown", False)
    if not shown and ("stood" in data) == ("drew" in data):
        raise RulesError('needs "stood": true, or "drew": a card or "hidden", and not both', pointer=pointer)
    drew, third = "drew" in data, None
    if drew and data["drew"] != HIDDEN:
        third = _points(data["drew"], f"{pointer}/drew")
    if drew and (third is None) == rules.draw_face_up:
        what = "face up: name it" if rules.draw_face_up else "face down: it is hidden"
        raise RulesError(f"by the rules a drawn card lies {what}", pointer=f"{pointer}/drew")
    first = None
    if "first" in data:
        first = tuple(_points(text, f"{pointer}/first") for text in data["first"].split())
        if len(first) != rules.first_cards:
            raise RulesError(f"must be {rules.first_cards} first cards", pointer=f"{pointer}/first")
    if shown and first is None:
        raise RulesError(
            "a natural that was shown lies open: give its first cards", pointer=f"{pointer}/first"
        )
    table = punter_table(data.get("policy", TEXTBOOK), rules, f"{pointer}/policy")
    return PunterSeen(data["stake"], table, drew, third, first, _thrown(data), shown)


def _thrown(data: Mapping[str, Any]) -> tuple[int, int]:
    counts = data.get("discarded", {})
    return counts.get("dealt", 0), counts.get("drawn", 0)


def _points(text: str, pointer: str) -> int:
    card = face(text, suitless=True, pointer=pointer)
    if card >= BLACK_JOKER:
        raise RulesError("banking games are played without jokers", pointer=pointer)
    return POINTS[card]
