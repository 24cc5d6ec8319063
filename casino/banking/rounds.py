"""Whose turn as banker has passed, and the points at which leaving seats are vacated (`seats_change`)."""

from typing import TYPE_CHECKING

from casino import chance
from casino.game import Event

if TYPE_CHECKING:
    from casino.banking.state import BankingState

HOUSE = "house"


def turn_passed(state: "BankingState", seat: int) -> None:
    """A seat has been banker or was passed over; seats change here if the rules let them now."""
    if seat not in state.been:
        state.been.append(seat)
    eligible = [seat] if state.game.bank == HOUSE else [s for s, there in enumerate(state.occupied) if there]
    round_over = all(other in state.been for other in eligible)
    if round_over:
        state.been = []
    if round_over or state.game.rules.seats_change != "round":
        vacate(state)


def vacate(state: "BankingState", but: int | None = None) -> None:
    """Empty the seats that are leaving."""
    for seat, going in enumerate(state.leaving):
        if going and seat != but:
            vacate_seat(state, seat)


def vacate_seat(state: "BankingState", seat: int) -> None:
    """Empty one seat: whoever sits there next has had no turn yet."""
    state.leaving[seat] = state.occupied[seat] = state.sat[seat] = False
    state.been = [other for other in state.been if other != seat]
    state.declined = [other for other in state.declined if other != seat]
    if state.shoe is None:  # else it is part of the shoe's key
        state.client_seeds[seat] = None
    state.events.append(Event("left", seat, {}))


def may_change(state: "BankingState", seat: int) -> bool:
    """May this seat be taken or left now?"""
    when = state.game.rules.seats_change
    if state.game.bank == HOUSE and seat == state.game.seats - 1:
        return False
    if state.phase == "bank":
        return when != "round" or not state.been
    if state.phase == "stakes":
        return when == "coup" and not any(state.stakes) and seat != state.banker
    return state.phase != "play"


def take_bank_seed(state: "BankingState", server_seed: bytes, table: str, label: str) -> None:
    """Keep the seed of the coming bank; its commitment is published."""
    state.server_seed, state.table, state.bank_label = server_seed, table, label
    state.commitment = chance.commitment(server_seed)


def derive_bank_seed(state: "BankingState") -> None:
    """Without a server, the seed of each bank comes from the root: its number is the label."""
    if state.root and not state.server_seed:
        number = state.bank_number + 1
        take_bank_seed(state, chance.derive(state.root, "bank", number), "", str(number))
