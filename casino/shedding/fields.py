"""The fields of a position, as JSON: their schema, and how a deal is written in them.

A field is absent (null in a view) where the turn is quiet. What is written can be read again (`position.py`).
"""

from collections.abc import Sequence
from typing import Final

from casino.cards import FACES, NAMES, RANKS, SUITS
from casino.game import Json
from casino.options import Schema
from casino.shedding.deal import (
    ADDING,
    CHOOSING,
    DREW,
    NAMING,
    NO_CARD,
    NOBODY,
    OVER,
    UNLIMITED,
    Deal,
    cards_of,
)
from casino.shedding.tables import ANY, ANYTHING, FREE, NO_DEMAND, RANK

_CARD: Final[Schema] = {"type": "string"}
_CARDS: Final[Schema] = {"type": "array", "items": _CARD, "maxItems": 400}
_SEAT: Final[Schema] = {"type": "integer", "minimum": 0, "maximum": 9}
_COUNT: Final[Schema] = {"type": "integer", "minimum": 0, "maximum": 10_000}
_SEATS: Final[Schema] = {"type": "array", "items": _SEAT, "uniqueItems": True}
_FLAG: Final[Schema] = {"type": "boolean"}


def _object(required: Sequence[str], **properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


_DEMAND: Final[Schema] = _object(
    (),
    suit={"enum": list(SUITS)},
    rank={"enum": list(RANKS)},
    any={"const": True},
    **{"not": {"enum": list(SUITS)}},
)
_NUMBERS: Final[Schema] = {
    "type": "array",
    "items": {"type": "integer", "minimum": -(10**9), "maximum": 10**9},
}
_FIELDS: Final[dict[str, Schema]] = {
    "game": {"type": "string"},
    "options": {"type": "object"},
    "seats": {"type": "integer", "minimum": 2, "maximum": 10},
    "dealer": _SEAT,
    "to_move": _SEAT,
    "direction": {"enum": [1, -1]},
    "hands": {"type": "array", "items": _CARDS},
    "stock": _CARDS,
    "pile": {**_CARDS, "minItems": 1},
    "penalty": _COUNT,
    "attack": _CARD,
    "attack_by": _SEAT,
    "skip": _COUNT,
    "out_for": {"type": "array", "items": _COUNT},
    "demand": _DEMAND,
    "dormant_demand": _DEMAND,
    "demand_by": _SEAT,
    "demand_left": {"type": "integer", "minimum": 1, "maximum": 1000},
    "free_card": _FLAG,
    "joker_as": _CARD,
    "window": _object(("seat",), seat=_SEAT, said=_FLAG),
    "drawn": _CARD,
    "turn": _object(
        ("laid",),
        laid={**_CARDS, "minItems": 1},
        needs={"oneOf": [{"type": "null"}, {"enum": ["name", "choose", "add"]}]},
        base={"oneOf": [{"type": "null"}, _CARD]},
        aim={"enum": [1, -1]},
        over=_COUNT,
    ),
    "four_round": _object(
        ("last", "fours"),
        last=_SEAT,
        fours={"type": "integer", "minimum": 1, "maximum": 100},
        lap={"enum": [1, 2]},
        passed={"oneOf": [_COUNT, _SEATS]},
    ),
    "solo": _COUNT,
    "finished": _SEATS,
    "passes": {"oneOf": [_COUNT, _SEATS]},
    "turns": {"type": "integer", "minimum": 0, "maximum": 1_000_000},
    "first_card": _CARD,
    "players_at_start": {"type": "integer", "minimum": 2, "maximum": 10},
    "totals": _NUMBERS,
    "shuffle_seed": {"oneOf": [{"type": "integer", "minimum": 0, "maximum": 2**256 - 1}, {"type": "string"}]},
    "shuffles": _COUNT,
    "result": _object(
        ("scores", "winners", "unit", "reason"),
        scores=_NUMBERS,
        winners=_SEATS,
        unit={"enum": ["points", "wins"]},
        reason={"enum": ["out", "stalemate", "turn_limit"]},
    ),
}
SCHEMA: Final[Schema] = {"type": "object", "properties": _FIELDS, "additionalProperties": False}


def names(cards: Sequence[int]) -> list[str]:
    """Cards as texts."""
    return [NAMES[card] for card in cards]


def hand_json(hand: int) -> list[str]:
    """The cards of a hand as texts, in order."""
    return names(cards_of(hand))


def stock_json(d: Deal) -> list[str]:
    """The stock from the next card to be drawn."""
    return names(d.stock[::-1])


def demand_json(demand: int) -> Json | None:
    """A demand as JSON; None for none."""
    if demand == NO_DEMAND:
        return None
    if demand < RANK:
        return {"suit": SUITS[demand]}
    if demand < ANY:
        return {"rank": RANKS[demand - RANK]}
    return {"any": True} if demand == ANY else {"not": SUITS[demand - FREE]}


def open_fields(d: Deal) -> Json:
    """All that lies open: what everyone may see, null where the turn is quiet."""
    joker = d.pile[-1] >= FACES
    return {
        "dealer": d.dealer,
        "to_move": None if d.to_move == NOBODY else d.to_move,
        "direction": d.direction,
        "pile": names(d.pile),
        "penalty": d.penalty,
        "attack": None if d.attack == NO_CARD or not d.penalty else NAMES[d.attack],
        "attack_by": None if d.backward == NOBODY or not d.penalty else d.backward,
        "skip": d.skip,
        "out_for": list(d.out_for) if d.sitting else None,
        **_demand_fields(d),
        "free_card": True if d.active == ANYTHING else None,
        "joker_as": NAMES[d.active] if joker and d.active < FACES else None,
        "window": None if d.window == NOBODY else {"seat": d.window, "said": d.said},
        "turn": _turn_json(d),
        "four_round": _four_json(d),
        "solo": d.solo,
        "finished": list(d.finished),
        "passes": [seat for seat in range(d.seats) if d.passes >> seat & 1],
        "turns": d.turns,
        "first_card": None if d.first_card == NO_CARD else NAMES[d.first_card],
        "players_at_start": d.players_at_start,
        "totals": list(d.totals) or None,
        "result": _result_json(d),
    }


def _demand_fields(d: Deal) -> Json:
    asleep = bool(d.penalty or d.skip or d.fours)
    demand = demand_json(d.demand)
    limited = demand is not None and d.demand_left != UNLIMITED
    return {
        "demand": None if asleep else demand,
        "dormant_demand": demand if asleep else None,
        "demand_by": None if demand is None else d.demand_by,
        "demand_left": d.demand_left + (not asleep) if limited else None,
    }


def _turn_json(d: Deal) -> Json | None:
    if not d.laid or d.ask == OVER:
        return None
    needs = {NAMING: "name", CHOOSING: "choose"}.get(d.ask)
    if d.ask == ADDING and (not d.matched or d.tables.again >> d.laid[-1] & 1):
        needs = "add"
    base = NAMES[d.base] if d.base < FACES else None
    turn: Json = {"laid": _laid_json(d), "needs": needs, "base": base}
    return {**turn, "aim": d.aim, "over": d.over} if d.ask in (NAMING, CHOOSING) else turn


def _laid_json(d: Deal) -> list[str]:
    """The cards of the turn, a named joker with its name (one that was reshuffled since, as what it counted)."""
    if not d.tables.rules.named_jokers:
        return names(d.laid)
    lying = d.pile[-len(d.laid) :]
    gone = len(d.laid) - len(lying)
    pairs = zip(lying, d.laid[gone:], strict=True)
    shown = [NAMES[card] if card < FACES else f"{NAMES[card]} as {NAMES[named]}" for card, named in pairs]
    return names(d.laid[:gone]) + shown


def _four_json(d: Deal) -> Json | None:
    if not d.fours:
        return None
    return {"last": d.last_four, "fours": d.fours, "lap": d.lap, "passed": d.passed}


def _result_json(d: Deal) -> Json | None:
    if d.outcome is None:
        return None
    result = d.outcome
    return {
        "scores": list(result.scores),
        "winners": list(result.winners),
        "unit": result.unit,
        "reason": result.reason,
    }


def write(d: Deal) -> Json:
    """The whole deal as a position, hidden cards too: `position.read` gives it back."""
    shown = {
        **open_fields(d),
        "hands": [hand_json(hand) for hand in d.hands],
        "stock": stock_json(d),
        "drawn": drawn_json(d),
        "shuffle_seed": d.seed.hex(),
        "shuffles": d.shuffles,
    }
    return {key: value for key, value in shown.items() if value is not None}


def drawn_json(d: Deal) -> str | None:
    """The card just drawn, while it is in hand (`DREW`, for its owner only) or has just been laid and must be
    followed."""
    return NAMES[d.drawn] if d.drawn != NO_CARD and d.ask in (DREW, ADDING) else None
