"""Seats of a table: the lot for the first banker, seeds from outside, joining and leaving."""

from collections.abc import Iterator, Sequence
from itertools import count
from typing import TYPE_CHECKING

from casino import chance
from casino.banking import rounds, term
from casino.banking.rounds import HOUSE
from casino.banking.rules import Rules
from casino.cards import NAMES, pack, rank
from casino.errors import IllegalAction
from casino.game import Event

if TYPE_CHECKING:
    from casino.banking.state import BankingState


def begin(state: "BankingState") -> None:
    """Start with the lot, or with the house's bank."""
    if state.game.bank == HOUSE:
        term.offer_bank(state, state.game.seats - 1)
    elif state.root:
        provide(state, chance.derive(state.root, "lot", 0), "", "lot")


def wanted_seed(state: "BankingState") -> str | None:
    """What a seed is wanted for: "lot", "bank" or None."""
    if state.phase == "lot":
        return "lot" if sum(state.occupied) > 1 else None
    return "bank" if state.phase == "bank" and not state.waiting and not state.server_seed else None


def provide(state: "BankingState", server_seed: bytes, table: str, label: str) -> None:
    """Give the seed that is wanted. Raises IllegalAction if none is."""
    wanted = wanted_seed(state)
    if wanted is None or not server_seed:
        raise IllegalAction("no seed is wanted now" if wanted is None else "a seed is at least one byte")
    if wanted == "bank":
        rounds.take_bank_seed(state, server_seed, table, label)
    else:
        draw_lot(state, chance.bank_seed(server_seed, table, label, ()))


# The lot


def draw_lot(state: "BankingState", key: bytes) -> None:
    """Each seat draws a card from shuffle 0 of the key, in seat order; the lowest deals first.

    Ranks go from two to ace, suits do not count, equals draw again among themselves from the cards that follow.
    With `seating="drawn"` the seats are put in the order of the cards, the lowest on seat 0.
    """
    rules = state.game.rules
    state.shuffles.append(chance.shuffled(pack(rules.decks), key, 0))
    order, draws = lot([seat for seat, there in enumerate(state.occupied) if there], key, rules)
    data = {"draws": [{"seat": seat, "card": NAMES[card]} for seat, card in draws]}
    banker = order[0]
    if rules.seating == "drawn":
        _reseat(state, order)
        banker = 0
    state.events.append(Event("seated", banker, {**data, "banker": banker, "seating": state.seating}))
    term.offer_bank(state, banker)


def lot(seats: Sequence[int], key: bytes, rules: Rules) -> tuple[list[int], list[tuple[int, int]]]:
    """The seats from the lowest card up, and every draw as (seat, card) in order.

    Only the lowest place is drawn out to the end unless the seats are put in the order of the cards.
    """
    packs = pack(rules.decks)
    cards = (card for number in count() for card in chance.shuffled(packs, key, number))
    draws: list[tuple[int, int]] = []
    return _by_cards(seats, cards, draws, everyone=rules.seating == "drawn"), draws


def _by_cards(
    seats: Sequence[int], cards: Iterator[int], draws: list[tuple[int, int]], *, everyone: bool
) -> list[int]:
    """Seats from the lowest card up; without `everyone` only the lowest place is drawn out to the end."""
    ranks: dict[int, list[int]] = {}
    for seat in seats:
        card = next(cards)
        draws.append((seat, card))
        ranks.setdefault(rank(card), []).append(seat)
    order: list[int] = []
    for _, equals in sorted(ranks.items()):
        again = len(equals) > 1 and (everyone or not order)
        order += _by_cards(equals, cards, draws, everyone=everyone) if again else equals
    return order


def _reseat(state: "BankingState", order: Sequence[int]) -> None:
    """Put the seats in this order, empty ones behind; `seating[old]` is the new seat."""
    whole = [*order, *(seat for seat, there in enumerate(state.occupied) if not there)]
    state.purses = [state.purses[old] for old in whole]
    state.occupied = [state.occupied[old] for old in whole]
    state.seating = [whole.index(old) for old in range(len(whole))]


# Joining and leaving


def join(state: "BankingState", seat: int, purse: int) -> None:
    """Take an empty seat with a purse. Raises IllegalAction if that may not be now."""
    if state.occupied[seat]:
        raise IllegalAction(f"seat {seat} is taken", pointer="/seat")
    if purse < 0:
        raise IllegalAction(f"a purse cannot hold {purse} chips", pointer="/purse")
    if state.phase == "over" or not rounds.may_change(state, seat):
        raise IllegalAction(f"seats are taken {_when(state)}", pointer="/seat")
    state.occupied[seat], state.purses[seat], state.totals[seat] = True, purse, 0
    state.events.append(Event("seated", seat, {}))
    if state.phase == "bank" and state.waiting:
        term.offer_bank(state, state.banker)
    elif state.phase == "stakes":
        term.recheck(state)


def leave(state: "BankingState", seat: int) -> None:
    """Leave a seat, at once or at the next change. Raises IllegalAction for an empty seat and for the house."""
    if not state.occupied[seat]:
        raise IllegalAction(f"seat {seat} is empty", pointer="/seat")
    if state.game.bank == HOUSE and seat == state.game.seats - 1:
        raise IllegalAction("the house never leaves its bank", pointer="/seat")
    if state.leaving[seat]:
        return
    if rounds.may_change(state, seat):
        rounds.vacate_seat(state, seat)
    else:
        state.leaving[seat] = True
    if state.phase == "bank":
        term.offer_bank(state, state.banker)
    elif state.phase == "stakes":
        term.recheck(state)


def _when(state: "BankingState") -> str:
    return {
        "coup": "between coups, before anyone has staked",
        "bank": "between banks, before the next one is put up",
        "round": "between rounds, when everyone has been banker once",
    }[state.game.rules.seats_change]
