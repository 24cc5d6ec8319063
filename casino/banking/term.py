"""One banker's term: his bank, the stakes, settlement, the end of it, and who is next (`rules/banking.md`).

Functions that change a `BankingState`; what they are handed has been checked.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from casino import chance
from casino.banking import money, rounds
from casino.banking.coup import Coup, dealing_order
from casino.banking.hands import Hand
from casino.banking.rounds import HOUSE
from casino.banking.shoe import Shoe
from casino.banking.text import BANK, CLOSE, PASS, SEED, SIT, STAKE, TOP
from casino.errors import IllegalAction
from casino.game import Event

if TYPE_CHECKING:
    from casino.banking.state import BankingState


# Limits


def smallest_cover(state: "BankingState") -> int:
    """Chips of bank that the smallest stake may cost."""
    return state.game.rules.limits.min * state.game.plan.worst_payout


def bank_range(state: "BankingState") -> tuple[int, int]:
    """Least and most that the next banker may put up; the least is above the most if he cannot."""
    limits = state.game.rules.limits
    return max(limits.bank_min, smallest_cover(state)), min(limits.bank_max, state.purses[state.banker])


def top_limit(state: "BankingState") -> int:
    """Most that the banker may add: his bank, with what it has in escrow, stays within its limit."""
    rules = state.game.rules
    if not rules.bank_topup:
        return 0
    held = sum(state.stakes) * state.game.plan.worst_payout
    return min(state.purses[state.banker], rules.limits.bank_max - state.bank - held)


def stake_range(state: "BankingState", seat: int) -> tuple[int, int, int]:
    """Least, most and step of a stake, cut to what the purse (worst loss) and the bank (worst payout) cover."""
    limits, plan = state.game.rules.limits, state.game.plan
    most = min(limits.max, state.purses[seat] // plan.worst_loss, state.bank // plan.worst_payout)
    return limits.min, most - (most - limits.min) % limits.step, limits.step


def can_stake(state: "BankingState", seat: int) -> bool:
    """Is somebody there to stay who can cover the worst loss of the smallest stake?"""
    return (
        state.playing(seat) and state.purses[seat] >= state.game.rules.limits.min * state.game.plan.worst_loss
    )


# The bank


def offer_bank(state: "BankingState", first: int) -> None:
    """Ask for the next bank: the first seat from `first` on that somebody could play against.

    Where nobody could, the game is over; or, if it has no end, it waits, and seats may change.
    """
    game, ready = state.game, _could_be_banker(state, first)
    state.phase, state.banker, state.waiting = "bank", first, not ready
    if not ready:
        if game.banks is None:
            state.been = []
            rounds.vacate(state)
        else:
            finish(state, "no_punter")
        return
    while state.banker not in ready:
        _pass_over(state, state.banker)
        state.banker = (state.banker + 1) % game.seats
    if game.bank == HOUSE and game.banks is not None and bank_range(state)[0] > bank_range(state)[1]:
        finish(state, "broke")  # of a table without end the server keeps the house in chips
    else:
        rounds.derive_bank_seed(state)


def _could_be_banker(state: "BankingState", first: int) -> set[int]:
    """Seats against which another seat could stake; of the house's table the house alone."""
    able = {seat for seat in range(state.game.seats) if can_stake(state, seat)}
    candidates = [first] if state.game.bank == HOUSE else range(state.game.seats)
    return {seat for seat in candidates if state.playing(seat) and able - {seat}}


def _pass_over(state: "BankingState", seat: int) -> None:
    if state.occupied[seat]:
        reason = "no_punter" if state.playing(seat) else "left"
        state.events.append(Event("declined", seat, {"reason": reason}))
        rounds.turn_passed(state, seat)


def next_bank(state: "BankingState") -> None:
    """Offer the bank to the left of the last banker, or to the house again; or the game is over."""
    game = state.game
    if game.last_bank is not None and state.bank_number >= game.last_bank:
        finish(state, "banks")
        return
    offer_bank(state, state.banker if game.bank == HOUSE else (state.banker + 1) % game.seats)


def put_up(state: "BankingState", seat: int, value: Any) -> None:
    """`bank 500`."""
    state.bank_number += 1
    state.declined = []
    money.to_bank(state, seat, value, "bank")
    state.events.append(Event("bank", seat, {"bank_number": state.bank_number, "amount": value}))
    open_stakes(state)


def decline(state: "BankingState", seat: int, value: Any) -> None:
    """`pass`: the bank goes to the next seat; once round, the game is over."""
    state.declined.append(seat)
    state.events.append(Event("declined", seat, {"reason": "passed"}))
    rounds.turn_passed(state, seat)
    if _could_be_banker(state, seat) <= set(state.declined):
        finish(state, "declined")
    else:
        offer_bank(state, (seat + 1) % state.game.seats)


def give_seed(state: "BankingState", seat: int, value: Any) -> None:
    """`seed 00ff`: closed at the bank's first stake."""
    state.client_seeds[seat] = value
    state.events.append(Event("seed", seat, {"bytes": len(value)}, {seat: {"seed": value.hex()}}))


def top(state: "BankingState", seat: int, value: Any) -> None:
    """`top 100`."""
    money.to_bank(state, seat, value, "top")
    state.events.append(Event("topped", seat, {"amount": value, "bank": state.bank}))


def close(state: "BankingState", seat: int, value: Any) -> None:
    """`close`: the banker ends his bank between coups."""
    end_bank(state, "closed")


# Stakes


def open_stakes(state: "BankingState") -> None:
    """Open the stakes of the next coup, or end the bank if no coup can be played."""
    reason = _obstacle(state)
    if reason:
        end_bank(state, reason)
    else:
        state.phase = "stakes"
        state.sat = [False] * state.game.seats


def recheck(state: "BankingState") -> None:
    """A seat has changed while stakes are open: can the coup still be played, and is everyone in?"""
    reason = None if any(state.stakes) else _obstacle(state)
    if reason:
        end_bank(state, reason)
    else:
        when_all_in(state)


def _obstacle(state: "BankingState") -> str | None:
    """Why no further coup of this bank can start; None if one can."""
    punters = state.punters()
    if state.leaving[state.banker]:
        return "left"
    if state.shoe is not None and state.shoe.number:
        return "reshuffled"
    if state.bank < smallest_cover(state):
        return "broke"
    if not any(can_stake(state, seat) for seat in punters):
        return "no_punter"
    left = state.game.plan.deck_cards if state.shoe is None else state.shoe.left
    return "shoe" if left < _cards_to_start(state, len(punters)) else None


def _cards_to_start(state: "BankingState", punters: int) -> int:
    rules = state.game.rules
    if rules.exhaustion == "reserve":
        return rules.reserve(punters)
    return rules.first_cards * (1 + (1 if rules.shared_hand else punters))


def take_stake(state: "BankingState", seat: int, value: Any) -> None:
    """`stake 10`: held with the worst loss and the worst payout; the first of a bank closes the seeds."""
    if state.shoe is None:
        _shuffle(state)
    money.hold(state, seat, value)
    state.events.append(Event("staked", seat, {"coup": state.coups + 1, "amount": value}))
    when_all_in(state)


def sit_out(state: "BankingState", seat: int, value: Any) -> None:
    """`sit`: out of this coup."""
    state.sat[seat] = True
    state.events.append(Event("sat_out", seat, {"coup": state.coups + 1}))
    when_all_in(state)


def when_all_in(state: "BankingState") -> None:
    """Deal once every punter has staked or sat out; if all sat out, stakes open again."""
    if state.awaited():
        return
    if state.shoe is not None and any(state.stakes):
        _deal(state, state.shoe)
    else:
        open_stakes(state)


def _shuffle(state: "BankingState") -> None:
    given = [seed or b"" for seed in state.client_seeds]
    key = chance.bank_seed(state.server_seed, state.table, state.bank_label, given)
    state.shoe = Shoe.fresh(state.game.rules.decks, key)
    state.shuffles.append(state.shoe.order)
    data = {"bank_number": state.bank_number, "number": 0, "cards": len(state.shoe.order)}
    state.events.append(Event("shuffled", None, data))


def _deal(state: "BankingState", shoe: Shoe) -> None:
    plan = state.game.plan
    state.phase = "play"
    state.coups += 1
    state.coup = coup = Coup(plan, shoe, state.coups, state.events)
    coup.deal(dealing_order(state.stakes, state.banker, plan.shared))
    if coup.over:
        settle(state, coup)


# Settlement


def settle(state: "BankingState", coup: Coup) -> None:
    """Settle every punter against the banker and go on: stakes of the next coup, or the end of the bank."""
    table, count = state.game.plan.table, state.game.seats
    nets, chips = [0] * count, [0] * count
    for hand, row, column in coup.codes():
        net = table[row][column]
        for seat in _stakers(state, hand):
            nets[seat], chips[seat] = net, state.stakes[seat] * net
            money.release(state, seat, net, money.OUTCOMES[(net > 0) - (net < 0)])
    nets[state.banker], chips[state.banker] = -sum(nets), -sum(chips)
    state.totals = [total + won for total, won in zip(state.totals, chips, strict=True)]
    state.last = _report(state, coup, nets, chips)
    state.events.append(Event("settled", None, state.last))
    state.stakes = [0] * count
    state.shuffles += coup.shoe.orders[1:]
    state.coup = None
    if state.single:
        state.net = nets
        finish(state, "settled")
        return
    if state.game.rules.seats_change == "coup":
        rounds.vacate(state, but=state.banker)
    open_stakes(state)


def _stakers(state: "BankingState", hand: Hand) -> list[int]:
    if not state.game.plan.shared:
        return [hand.seat]
    return [seat for seat, stake in enumerate(state.stakes) if stake]


def _report(state: "BankingState", coup: Coup, nets: list[int], chips: list[int]) -> dict[str, Any]:
    """The whole coup, all hands open: what `settled` tells and what can be recalled."""
    count, after = state.game.seats, state.game.plan.natural_after_discard
    hands: list[str | None] = [None] * count
    points: list[int | None] = [None] * count
    naturals = [False] * count
    for hand in coup.hands:
        holders = [hand.seat] if hand is coup.banker else _stakers(state, hand)
        for seat in holders:
            hands[seat], points[seat], naturals[seat] = hand.text(), hand.points, hand.natural(after)
    return {
        "coup": coup.number,
        "bank_number": state.bank_number,
        "banker": state.banker,
        "played_by": [hand.seat for hand in coup.hands],
        "stakes": state.stakes,
        "hands": hands,
        "points": points,
        "naturals": naturals,
        "net": nets,
        "chips": chips,
        "bank": state.bank,
    }


# The end


def end_bank(state: "BankingState", reason: str) -> None:
    """End this bank, and go on to the next."""
    _close_bank(state, reason)
    rounds.turn_passed(state, state.banker)
    next_bank(state)


def _close_bank(state: "BankingState", reason: str) -> None:
    """What is left goes to the banker; shoe and seeds are put away, `ended_bank` proves them."""
    left = money.empty_bank(state)
    data = {"bank_number": state.bank_number, "reason": reason, "left": left, "coups": state.coups}
    state.events.append(Event("bank_over", state.banker, data))
    state.ended_bank = {
        "number": state.bank_number,
        "table": state.table,
        "label": state.bank_label,
        "commitment": state.commitment,
        "server_seed": state.server_seed,
        "client_seeds": [seed or b"" for seed in state.client_seeds],
        "bank_seed": state.bank_seed(),
        "orders": [] if state.shoe is None else state.shoe.orders,
    }
    state.phase, state.shoe = "bank", None
    state.server_seed, state.commitment, state.bank_label = b"", None, ""
    state.client_seeds = [None] * state.game.seats
    state.sat = [False] * state.game.seats


def finish(state: "BankingState", reason: str) -> None:
    """The game is over."""
    state.phase, state.reason, state.waiting = "over", reason, False
    state.server_seed, state.commitment = b"", None
    rounds.vacate(state)


def abandon(state: "BankingState") -> None:
    """Close the table between coups. Raises IllegalAction in the middle of one."""
    if state.phase == "play":
        raise IllegalAction("a coup has been dealt: it must be settled first", pointer="/action")
    if state.phase == "stakes":
        _void(state)
        _close_bank(state, "closed")
    if state.phase != "over":
        finish(state, "closed")


def _void(state: "BankingState") -> None:
    """Give the stakes of a coup that is not dealt back, to either side."""
    if not any(state.stakes):
        return
    for seat, stake in enumerate(state.stakes):
        if stake:
            money.release(state, seat, 0, "void")
    state.events.append(Event("voided", None, {"coup": state.coups + 1, "stakes": state.stakes}))
    state.stakes = [0] * state.game.seats


HANDLERS: Final[dict[str, Callable[["BankingState", int, Any], None]]] = {
    BANK: put_up,
    PASS: decline,
    SEED: give_seed,
    STAKE: take_stake,
    SIT: sit_out,
    TOP: top,
    CLOSE: close,
}
