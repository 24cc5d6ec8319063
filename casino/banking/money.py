"""Chips of a table: every movement is done and noted here, as in `table.md`, «Money of a coup»."""

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from casino.banking.state import BankingState

Place = str | tuple[str, int]
BANK_PLACE: Final = "bank"
ESCROW: Final = "escrow"
OUTCOMES: Final = ("push", "win", "loss")  # by the sign of the net


class Movement(NamedTuple):
    """Chips that changed place: `("wallet", seat)`, `"bank"` or `"escrow"`. `seat` is whose row of «Money of a
    coup» it is; `kind` is bank, top, stake, win, push, loss, void or rest."""

    source: Place
    target: Place
    amount: int
    kind: str
    seat: int


def wallet(seat: int) -> tuple[str, int]:
    """The purse of a seat as a place."""
    return ("wallet", seat)


def to_bank(state: "BankingState", seat: int, amount: int, kind: str) -> None:
    """wallet → bank."""
    state.purses[seat] -= amount
    state.bank += amount
    state.movements.append(Movement(wallet(seat), BANK_PLACE, amount, kind, seat))


def hold(state: "BankingState", seat: int, stake: int) -> None:
    """Hold a stake with its worst loss and its worst payout."""
    plan = state.game.plan
    loss, payout = stake * plan.worst_loss, stake * plan.worst_payout
    state.purses[seat] -= loss
    state.bank -= payout
    state.escrow[seat] += loss + payout
    state.stakes[seat] = stake
    state.movements.append(Movement(wallet(seat), ESCROW, loss, "stake", seat))
    state.movements.append(Movement(BANK_PLACE, ESCROW, payout, "stake", seat))


def release(state: "BankingState", seat: int, net: int, kind: str) -> None:
    """End a hold: the seat has won `net` stakes (lost, if negative); nothing is noted of no chips."""
    plan, stake = state.game.plan, state.stakes[seat]
    back, kept = stake * (plan.worst_loss + net), stake * (plan.worst_payout - net)
    state.escrow[seat] -= back + kept
    if back:
        state.purses[seat] += back
        state.movements.append(Movement(ESCROW, wallet(seat), back, kind, seat))
    if kept:
        state.bank += kept
        state.movements.append(Movement(ESCROW, BANK_PLACE, kept, kind, seat))


def empty_bank(state: "BankingState") -> int:
    """bank → wallet of the banker: what is left, which is told."""
    left, banker = state.bank, state.banker
    if left:
        state.bank = 0
        state.purses[banker] += left
        state.movements.append(Movement(BANK_PLACE, wallet(banker), left, "rest", banker))
    return left
