"""A player's own limits at a banking table: what he may begin is cut to them, what has begun is not touched.

`stake`, `bank` and `top` put chips at risk, so they are held to the limits; `sit`, `pass`, `close`, every decision
in a coup that is dealt, leaving and settlements are not.
"""

from datetime import datetime
from typing import Any, Final

from sqlalchemy.orm import Session

from api.services import limits
from api.services.errors import Conflict
from api.services.limits import Allowance
from api.services.tables.model import TableData
from casino.banking.state import BankingState
from casino.banking.text import BANK, STAKE, TOP
from casino.errors import ActionError

_AT_RISK: Final = frozenset((BANK, STAKE, TOP))


def allow(session: Session, table: TableData, player: str, now: datetime) -> None:
    """Work out what a player's limits leave him at this table, once. For who has none nothing is asked."""
    sitter = table.seat_of(player)
    if sitter is None or sitter.allowance is not None:
        return
    if sitter.limits and not (table.practice or table.closed):
        sitter.allowance = limits.allowance(session, player, sitter.limits, now)


def cut(legal: list[Any], state: BankingState, seat: int, allowance: Allowance | None) -> list[Any]:
    """Legal texts of a seat, amounts cut to what its player's limits leave."""
    if allowance is None:
        return legal
    found = []
    for item in legal:
        verb = next(iter(item)) if isinstance(item, dict) else None
        if verb not in _AT_RISK:
            found.append(item)
            continue
        bounds = item[verb]
        most = min(bounds["max"], _most(state, seat, verb, allowance, bounds["max"]))
        if most >= bounds["min"]:
            found.append({verb: {**bounds, "max": most - (most - bounds["min"]) % bounds["step"]}})
    return found


def _most(state: BankingState, seat: int, verb: str, allowance: Allowance, otherwise: int) -> int:
    """Most chips that the verb may put up."""
    if allowance.barred is not None:
        return 0
    most = otherwise
    if allowance.floor is not None:
        most = (state.purses[seat] - allowance.floor) // _worst(state, verb)
    return min(most, allowance.stake) if verb == STAKE and allowance.stake is not None else most


def _worst(state: BankingState, verb: str) -> int:
    """How many times what is put up may be lost."""
    return state.game.plan.worst_loss if verb == STAKE else 1


def check(state: BankingState, seat: int, text: str, allowance: Allowance | None) -> None:
    """Refuse a text that goes beyond the limits, where the verb may be used at all. Raises Conflict, NotationError."""
    if allowance is None:
        return
    verb, amount = state.game.parse(text)
    if verb not in _AT_RISK or not any(verb == may.verb for may in state.legal(seat)):
        return  # nothing is put at risk, or the engine refuses it
    refused = refusal(state, seat, verb, amount, allowance, "/action")
    if refused is not None:
        raise refused


def refusal(
    state: BankingState, seat: int, verb: str, amount: Any, allowance: Allowance, pointer: str
) -> Conflict | None:
    """Why the limits do not allow a verb with so many chips, with the legal actions; None if they do."""
    legal = {"legal": cut(state.legal_texts(seat), state, seat, allowance)}
    barred, most = allowance.barred, allowance.stake
    if barred is not None:
        members = {**barred.members, **legal}
        return Conflict(barred.detail, code=barred.reason, pointer=pointer, members=members)
    if verb == STAKE and most is not None and amount > most:
        return Conflict(
            f"your limit for one stake is {most} chips, this is {amount}",
            code="stake_limit",
            pointer=pointer,
            members={"limit": most, **legal},
        )
    if allowance.floor is None:
        return None
    left, risk = max(0, state.purses[seat] - allowance.floor), amount * _worst(state, verb)
    if risk <= left:
        return None
    return Conflict(
        f"this may cost {risk} chips, and your limit of losses leaves {left}",
        code="loss_limit",
        pointer=pointer,
        members={"left": left, "needed": risk, **legal},
    )


def within(
    error: ActionError, state: BankingState, seat: int, text: str, allowance: Allowance
) -> ActionError:
    """The engine's refusal, telling what is legal within the limits."""
    if not error.legal:
        return error
    detail = f"seat {seat} may not do «{text}» now; `legal` lists what it may within the limits of its player"
    return type(error)(detail, legal=cut(error.legal, state, seat, allowance), pointer=error.pointer)
