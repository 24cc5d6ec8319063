"""What is seen of a deal: by a seat or an onlooker, in events, and (all of it) in the report of a position."""

from typing import TYPE_CHECKING, Any, Final

from casino.cards import NAMES
from casino.game import Event, Json, View
from casino.shedding.actions import CATCH, COUNT, DRAW, MACAO, MAX_SEATS, laid, text
from casino.shedding.deal import (
    ADDING,
    DREW,
    NOBODY,
    OVER,
    PENALTY,
    SEAT_BITS,
    SKIP,
    LogEntry,
    cards_of,
)
from casino.shedding.fields import demand_json, drawn_json, hand_json, names, open_fields, stock_json

if TYPE_CHECKING:
    from casino.shedding.engine import ShedState


def view(state: "ShedState", seat: int | None) -> View:
    """What the seat sees: what lies open, its own hand, its actions. Hands of others stand as null.

    With open cards everyone sees all hands and the order of the stock.
    """
    shown = state.tables.rules.open_cards
    hands = [hand_json(hand) if shown or owner == seat else None for owner, hand in enumerate(state.hands)]
    drawn_is_seen = shown or seat == state.to_move or state.ask == ADDING
    return {
        "game": state.game.name,
        "seat": seat,
        **open_fields(state),
        "hands": hands,
        "hand_sizes": [hand.bit_count() for hand in state.hands],
        "top": NAMES[state.pile[-1]],
        "stock": stock_json(state) if shown else None,
        "stock_size": len(state.stock),
        "drew": state.ask == DREW,
        "drawn": drawn_json(state) if drawn_is_seen else None,
        "actors": list(state.actors()),
        "over": state.ask == OVER,
        "legal": [] if seat is None else state.legal_texts(seat),
    }


def report(state: "ShedState") -> Json:
    """All of a position by the names of the shared cases: hidden hands too, and the actions of every seat."""
    asleep = state.penalty or state.skip or state.fours
    return {
        "to_move": None if state.to_move == NOBODY else state.to_move,
        "hands": [hand_json(hand) for hand in state.hands],
        "hand_sizes": [hand.bit_count() for hand in state.hands],
        "penalty": state.penalty,
        "skip": state.skip,
        "demand": None if asleep else demand_json(state.demand),
        "direction": state.direction,
        "top": NAMES[state.pile[-1]],
        "stock_size": len(state.stock),
        "finished": list(state.finished),
        "over": state.ask == OVER,
        "scores": None if state.outcome is None else list(state.outcome.scores),
        "legal": {str(seat): state.legal_texts(seat) for seat in range(state.seats)},
    }


def events(state: "ShedState") -> list[Event]:
    """What has happened since the log was last emptied. (A draw is told by the card, not by the action.)"""
    return [_event(state, entry) for entry in state.log if entry not in _DRAWS]


# The entries of `draw`: what came of it follows.
_DRAWS: Final = frozenset(DRAW << SEAT_BITS | seat for seat in range(MAX_SEATS))


def _event(state: "ShedState", entry: LogEntry) -> Event:
    if isinstance(entry, tuple):
        match entry[0]:
            case "drew":
                return _drew(state, *entry[1:])
            case "shuffled":
                return Event("shuffled", None, {"number": entry[1], "stock_size": entry[2]})
            case "dealt":
                return _dealt(state, *entry[1:])
            case "undone":
                return Event("played", entry[1], {"action": text(entry[2]), "carried_out": False})
            case _:
                return _scored(state)
    seat, code = entry % (1 << SEAT_BITS), entry >> SEAT_BITS
    if code >= COUNT:
        return _drew(state, seat, (code - COUNT,), "draw")
    if code >= CATCH:
        return Event("caught", seat, {"caught": code - CATCH})
    return Event("called", seat, {}) if code == MACAO else Event("played", seat, {"action": text(code)})


def _drew(state: "ShedState", seat: int, cards: tuple[int, ...], why: str) -> Event:
    """`why`: draw, penalty, call (for «macao» unsaid) or double (an answered «double macao»)."""
    data: Json = {"count": len(cards), "why": why}
    if state.tables.rules.open_cards:
        return Event("drew", seat, {**data, "cards": names(cards)})
    return Event("drew", seat, data, {seat: {"cards": names(cards)}})


def _dealt(state: "ShedState", hands: tuple[int, ...], turned: tuple[int, ...]) -> Event:
    data: Json = {
        "dealer": state.dealer,
        "hand_sizes": [hand.bit_count() for hand in hands],
        "turned": names(turned),
    }
    if state.tables.rules.open_cards:
        return Event("dealt", None, {**data, "hands": [hand_json(hand) for hand in hands]})
    return Event("dealt", None, data, {seat: {"hand": hand_json(hand)} for seat, hand in enumerate(hands)})


def _scored(state: "ShedState") -> Event:
    data: dict[str, Any] = {"finished": list(state.finished)}
    if state.outcome is not None:
        outcome = state.outcome
        data |= {
            "scores": list(outcome.scores),
            "winners": list(outcome.winners),
            "unit": outcome.unit,
            "reason": outcome.reason,
        }
    return Event("scored", None, data)


def fault(state: "ShedState", seat: int, action: int) -> str:
    """Why this action of the seat is refused now."""
    if not 0 <= action < COUNT:
        return "it is no action at all"
    if action == MACAO:
        return "there is nothing to call: one card left by one's own play opens the window, once"
    if action >= CATCH:
        return f"seat {action - CATCH} is not to be caught: it has no call open, or has said it"
    if text(action).startswith(("play", "add")):
        return _fault_of_card(state, seat, action)
    if state.ask == PENALTY:
        return f"a penalty of {state.penalty} is open: answer it or accept"
    if state.ask == SKIP:
        return f"{state.skip} turns are to be lost: answer or accept"
    if action == DRAW and not state.can_draw():
        return "there is nothing left to draw"
    return "nothing of the kind is asked now"


def _fault_of_card(state: "ShedState", seat: int, action: int) -> str:
    card, face = laid(action)
    if card not in cards_of(state.hands[seat]):
        return f"{NAMES[card]} is not in the hand of seat {seat}"
    if state.ask == PENALTY:
        return f"{NAMES[face]} does not answer the penalty of {state.penalty} on {NAMES[state.attack]}"
    if state.ask == SKIP:
        return f"{NAMES[face]} does not answer the turns to be lost"
    verb = "add" if state.laid and state.ask == ADDING else "play"
    if not text(action).startswith(verb):
        return f"here it is «{verb}»"
    demanded = demand_json(state.demand)
    if demanded and not state.laid:
        return f"{NAMES[face]} does not meet the demand {demanded}"
    return f"{NAMES[face]} may not be laid on {NAMES[state.pile[-1]]} now"
