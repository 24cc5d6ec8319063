"""A whole state as JSON and back, hidden cards too: for storage. Outboxes must have been drained."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from casino.banking.coup import Coup
from casino.banking.hands import Hand
from casino.banking.shoe import Shoe
from casino.banking.view import ending
from casino.cards import NAMES, POINTS, face

if TYPE_CHECKING:
    from casino.banking.state import BankingState

# Stored as they are.
_PLAIN: Final = (
    "phase",
    "table",
    "bank_label",
    "reason",
    "banker",
    "bank",
    "bank_number",
    "coups",
    "commitment",
    "waiting",
    "single",
    "last",
)
# Stored as copies.
_LISTS: Final = (
    "purses",
    "occupied",
    "leaving",
    "escrow",
    "stakes",
    "totals",
    "sat",
    "been",
    "declined",
    "seating",
    "net",
)
_FLAGS: Final = ("drew", "stood", "done", "replaced", "opened", "ended")
_FACE_OF: Final = {text: number for number, text in enumerate(NAMES)}


def dump(state: "BankingState") -> dict[str, Any]:
    """The state as JSON values."""
    data: dict[str, Any] = {name: getattr(state, name) for name in _PLAIN}
    for name in _LISTS:
        value = getattr(state, name)
        data[name] = None if value is None else list(value)
    data["root"] = None if state.root is None else state.root.hex()
    data["server_seed"] = state.server_seed.hex()
    data["client_seeds"] = [None if seed is None else seed.hex() for seed in state.client_seeds]
    data["shoe"] = None if state.shoe is None else _dump_shoe(state.shoe)
    data["hands"] = None if state.coup is None else [_dump_hand(hand) for hand in state.coup.hands]
    data["turn"] = 0 if state.coup is None else state.coup.turn
    return data | ending(state) if state.phase == "over" else data


def load(state: "BankingState", data: Mapping[str, Any]) -> "BankingState":
    """Fill a blank state from what `dump` wrote."""
    for name in _PLAIN:
        setattr(state, name, data[name])
    for name in _LISTS:
        value = data[name]
        setattr(state, name, None if value is None else list(value))
    state.root = None if data["root"] is None else bytes.fromhex(data["root"])
    state.server_seed = bytes.fromhex(data["server_seed"])
    state.client_seeds = [None if seed is None else bytes.fromhex(seed) for seed in data["client_seeds"]]
    if data["shoe"] is not None:
        state.shoe = _load_shoe(data["shoe"], state.game.rules.decks)
        if data["hands"] is not None:
            state.coup = Coup(state.game.plan, state.shoe, state.coups, state.events)
            state.coup.hands = [_load_hand(hand) for hand in data["hands"]]
            state.coup.turn = data["turn"]
    return state


def pack_cards(order: Iterable[int]) -> str:
    """An order of cards as one text, two letters each."""
    return "".join([NAMES[card] for card in order])


def unpack_cards(line: str) -> list[int]:
    """The order that `pack_cards` wrote."""
    return [_FACE_OF[line[at : at + 2]] for at in range(0, len(line), 2)]


def _dump_shoe(shoe: Shoe) -> dict[str, Any]:
    return {"orders": [pack_cards(order) for order in shoe.orders], "at": shoe.at, "key": shoe.key.hex()}


def _load_shoe(data: Mapping[str, Any], decks: int) -> Shoe:
    orders = [unpack_cards(line) for line in data["orders"]]
    return Shoe(decks, orders, bytes.fromhex(data["key"]), data["at"])


def _dump_hand(hand: Hand) -> dict[str, Any]:
    flags = " ".join(flag for flag in _FLAGS if getattr(hand, flag))
    return {"seat": hand.seat, "cards": hand.text(), "flags": flags}


def _load_hand(data: Mapping[str, Any]) -> Hand:
    hand = Hand(data["seat"])
    for word in data["cards"].split():
        hand.cards.append(~face(word[1:-1]) if word[0] == "(" else face(word))
    hand.points = sum(POINTS[card] for card in hand.kept()) % 10
    for flag in data["flags"].split():
        setattr(hand, flag, True)
    return hand
