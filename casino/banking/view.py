"""What a seat may see of a table: built up from what lies open, never a full state less something."""

from typing import TYPE_CHECKING, Any

from casino.banking.hands import CONCEALED, Hand
from casino.cards import names

if TYPE_CHECKING:
    from casino.banking.coup import Coup
    from casino.banking.state import BankingState


def view_of(state: "BankingState", viewer: int | None) -> dict[str, Any]:
    """The view of a seat; None is an onlooker, who sees what everyone sees.

    `coup` is the number of the coup that is staked on or played. `played` lists the cards of this bank that lie
    aside: everyone has seen them. `been` and `declined`: seats that have been banker in this round, and that
    passed since the last bank. `last` is the last settlement with all its hands. `position`: one coup that was set
    up, after which all is over.
    """
    coup, shoe = state.coup, state.shoe
    own = viewer if viewer is not None and 0 <= viewer < state.game.seats else None
    view: dict[str, Any] = {
        "game": state.game.name,
        "family": state.game.family,
        "phase": state.phase,
        "seat": own,
        "banker": None if state.phase == "lot" else state.banker,
        "bank": state.bank,
        "bank_number": state.bank_number,
        "coup": state.coups + (state.phase == "stakes"),
        "commitment": state.commitment,
        "seats": _seats(state, own),
        "purse": None if own is None else state.purses[own],
        "shoe_left": state.game.plan.deck_cards if shoe is None else shoe.left,
        "shuffles": 0 if shoe is None else len(shoe.orders),
        "played": "" if shoe is None else names(shoe.aside(coup.kept() if coup is not None else ())),
        "been": sorted(state.been),
        "declined": sorted(state.declined),
        "waiting": state.waiting,
        "awaited": list(state.awaited()),
        "legal": [] if own is None else state.legal_texts(own),
        "last": _copied(state.last),
        "position": state.single,
    }
    if state.phase == "over":
        view |= ending(state)
    return view


def ending(state: "BankingState") -> dict[str, Any]:
    """What is told of a game that is over; of a position also the stakes won by seat."""
    end: dict[str, Any] = {"over": True, "reason": state.reason}
    return end if state.net is None else {**end, "net": list(state.net)}


def _copied(report: dict[str, Any] | None) -> dict[str, Any] | None:
    if report is None:
        return None
    return {key: list(value) if isinstance(value, list) else value for key, value in report.items()}


def _seats(state: "BankingState", viewer: int | None) -> list[dict[str, Any]]:
    coup = state.coup
    hands = {} if coup is None else {hand.seat: hand for hand in coup.hands}
    found = []
    for seat, occupied in enumerate(state.occupied):
        entry: dict[str, Any] = {
            "occupied": occupied,
            "leaving": state.leaving[seat],
            "seeded": state.client_seeds[seat] is not None,
            "stake": state.stakes[seat],
            "sat": state.sat[seat],
        }
        if coup is not None and seat in hands:
            entry |= _hand(coup, hands[seat], viewer)
        found.append(entry)
    return found


def _hand(coup: "Coup", hand: Hand, viewer: int | None) -> dict[str, Any]:
    owner = hand.seat == viewer
    looks = owner and (hand is not coup.banker or coup.banker_looks)
    words = hand.seen(first=looks or hand.opened, drawn=owner or coup.plan.face_up)
    kept = [None if word == CONCEALED else word for word in words if word[0] != "("]
    return {
        "cards": " ".join(words),
        "hand": kept,
        "discarded": [word[1:-1] for word in words if word[0] == "("],
        "points": None if None in kept else hand.points,
        "drew": hand.drew,
        "stood": hand.stood,
        "done": hand.done,
        "open": hand.opened,
        "ended": hand.ended,
    }
