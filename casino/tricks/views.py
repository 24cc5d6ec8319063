"""What is seen of a deal: by a seat, by an onlooker, in events, and (all of it) in the report of a position."""

from typing import TYPE_CHECKING

from casino.cards import NAMES, SUITS, members
from casino.game import Event, Json, View
from casino.tricks.actions import text
from casino.tricks.deal import NO_TRUMP, NOBODY, NOT_BID
from casino.tricks.position import tricks_json

if TYPE_CHECKING:
    from casino.tricks.engine import TrickState


def view(state: "TrickState", seat: int | None) -> View:
    """What the seat sees: what lies open, its own hand, its actions. Hands of others stand as null."""
    hands: list[list[str] | None] = [None] * state.seats
    if seat is not None:
        hands[seat] = hand(state, seat)
    legal = [] if seat is None else state.legal_texts(seat)
    return {"game": state.game.name, "seat": seat, **_open(state), "hands": hands, "legal": legal}


def report(state: "TrickState") -> Json:
    """All of a position, hidden hands too, and the actions of every seat; `totals`, where given, with this deal."""
    seats = range(state.seats)
    shown = _open(state)
    shown["hands"] = [hand(state, seat) for seat in seats]
    shown["legal"] = {str(seat): state.legal_texts(seat) for seat in seats}
    if state.origin.totals:
        gains = shown["scores"] or [0] * state.seats
        shown["totals"] = [total + gain for total, gain in zip(state.origin.totals, gains, strict=True)]
    return shown


def hand(state: "TrickState", seat: int) -> list[str]:
    """The cards that a seat holds, in order of rank."""
    return [NAMES[card] for card in members(state.hands[seat])]


def _open(state: "TrickState") -> Json:
    """What lies open on the table: everyone may see it."""
    over = state.turn == NOBODY
    turned = state.origin.turned
    return {
        "phase": "over" if over else "bids" if state.unbid else "tricks",
        "dealer": state.origin.dealer,
        "k": state.k,
        "trump": None if state.trump == NO_TRUMP else SUITS[state.trump],
        "turned": None if turned is None else NAMES[turned],
        "bids": [None if bid == NOT_BID else bid for bid in state.bids],
        "barred_bid": barred_bid(state),
        "taken": list(state.taken),
        "trick": [
            [(state.leader + place) % state.seats, NAMES[card]] for place, card in enumerate(state.trick)
        ],
        "tricks": tricks_json(state.tricks),
        "hand_sizes": [held.bit_count() for held in state.hands],
        "to_move": None if over else state.turn,
        "over": over,
        "scores": state.scores() if over else None,
    }


def barred_bid(state: "TrickState") -> int | None:
    """The bid that the hook forbids to the seat now bidding; None where every bid is free."""
    barred = state.barred_bid() if state.unbid else NOT_BID
    return barred if 0 <= barred <= state.k else None


def dealt(state: "TrickState") -> Event:
    """The deal: the trump for everyone, a hand for its owner."""
    origin = state.origin
    hands = {
        seat: {"hand": [NAMES[card] for card in members(cards)]} for seat, cards in enumerate(origin.hands)
    }
    public = {
        "dealer": origin.dealer,
        "k": state.k,
        "trump": None if origin.trump == NO_TRUMP else SUITS[origin.trump],
        "turned": None if origin.turned is None else NAMES[origin.turned],
    }
    return Event("dealt", None, public, hands)


def played(state: "TrickState", done: int) -> list[Event]:
    """The actions of the log from `done` on; the last card of a trick tells who took it."""
    bids = sum(bid == NOT_BID for bid in state.origin.bids)
    laid_before = len(state.origin.trick) - bids
    taken_before = len(state.origin.tricks)
    events = []
    for index in range(done, len(state.log)):
        seat, action = state.log[index]
        data: Json = {"action": text(action)}
        full, rest = divmod(laid_before + index + 1, state.seats)
        if index >= bids and rest == 0:
            data["taken_by"] = state.tricks[taken_before + full - 1][2]
        events.append(Event("played", seat, data))
    return events


def scored(state: "TrickState") -> Event:
    """The end of the deal."""
    return Event(
        "scored", None, {"scores": state.scores(), "bids": list(state.bids), "taken": list(state.taken)}
    )
