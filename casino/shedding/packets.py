"""Several cards in one turn: which may still be added, and what those laid do together."""

from collections.abc import Callable
from itertools import pairwise
from typing import Final

from casino.cards import FACES
from casino.shedding.deal import NO_CARD, NOBODY, Deal
from casino.shedding.patterns import BITS, JOKERS, OF_SUIT
from casino.shedding.powers import Power
from casino.shedding.tables import Tables


def segment(d: Deal) -> tuple[int, ...]:
    """The cards laid since the last one that plays again: a packet or run of its own."""
    again = d.tables.again
    laid = d.laid
    start = len(laid) - 1
    while start and not BITS[laid[start - 1]] & again:
        start -= 1
    return laid[start:]


def addable(d: Deal) -> int:
    """The cards, as what they count, that may be laid next in this turn."""
    tables = d.tables
    last = d.laid[-1]
    if BITS[last] & tables.again:
        return tables.chain[last] if d.matched else tables.same_rank[last]
    if d.drawn != NO_CARD and tables.rules.play_after_draw == "drawn":
        return 0
    cards = segment(d)
    bits = _PACKETS[tables.rules.packet](tables, cards)
    if tables.rules.rank_packets:
        bits |= _equal(tables, cards)
    if tables.rules.jokers_in_draw_packets:
        bits |= _with_jokers(tables, cards)
    if d.penalty:
        bits &= tables.answer[d.attack]
    if d.skip or d.fours:
        bits &= tables.skip_cards
    return bits


def _equal(tables: Tables, cards: tuple[int, ...]) -> int:
    """The rank that all cards laid have."""
    bits = tables.same_rank[cards[0]]
    return bits if all(BITS[card] & bits for card in cards) else 0


def _equal_or_suit(tables: Tables, cards: tuple[int, ...]) -> int:
    bits = _equal(tables, cards)
    of_suit = OF_SUIT[cards[0] & 3] & tables.plain
    return bits | of_suit if all(BITS[card] & of_suit for card in cards) else bits


def _equal_or_run(tables: Tables, cards: tuple[int, ...]) -> int:
    bits = _equal(tables, cards)
    plain = all(BITS[card] & tables.plain for card in cards)
    if plain and all(BITS[after] & tables.steps[card] for card, after in pairwise(cards)):
        bits |= tables.steps[cards[-1]] & tables.plain
    return bits


# By `packet`: what may be added to these cards of one turn.
_PACKETS: Final[dict[str, Callable[[Tables, tuple[int, ...]], int]]] = {
    "none": lambda tables, cards: 0,
    "rank": _equal,
    "rank_or_suit": _equal_or_suit,
    "run": _equal_or_run,
}


def _with_jokers(tables: Tables, cards: tuple[int, ...]) -> int:
    """Jokers beside 2s or 3s of one rank, in any order."""
    suited = [card for card in cards if card < FACES]
    if not suited:
        return JOKERS | tables.draw_cards
    bits = tables.same_rank[suited[0]]
    fits = bits & tables.draw_cards and all(BITS[card] & bits for card in suited)
    return JOKERS | bits if fits else 0


def strike(d: Deal, seat: int) -> bool:
    """Add up what the cards laid do: to the penalty, to turns, to the direction. Returns whether the seat is to
    choose who is next."""
    tables = d.tables
    rules = tables.rules
    laid = d.laid
    answering = d.penalty > 0
    draws = _draws(d, answering)
    acting = laid if rules.queen_packets == "each" else laid[-1:]
    turning = [power for card in acting if (power := tables.powers[card]) and not _muted(d, card)]
    if answering and any(power.cancel for power in turning):
        d.penalty = 0
    if draws:
        _attack(d, draws, answering)
    turned = sum(power.reverse for power in turning) % 2
    if turned:
        d.direction = -d.direction
    if not d.penalty:
        d.attack = NO_CARD
    d.backward = seat if d.penalty and d.aim < 0 else NOBODY
    d.over = sum(power.over for power in turning)
    if turned and not d.penalty and d.still_in == 2 and rules.reverse_with_two == "skip":
        d.over += 1
    _cost_turns(d, seat)
    return not d.solo and any(power.choose for power in turning)


def _muted(d: Deal, card: int) -> bool:
    """A joker without a value of its own in a packet of 2s or 3s counts as one of them and does nothing else."""
    if card < FACES or not d.tables.rules.jokers_in_draw_packets:
        return False
    power = d.tables.powers[card]
    return not (power and power.draw) and any(BITS[other] & d.tables.draw_cards for other in d.laid)


def _draws(d: Deal, answering: bool) -> list[tuple[int, Power, int]]:
    """The attacking cards laid, each with its power and what it makes draw."""
    found = []
    for laid in d.laid:
        card = laid
        if _muted(d, laid):
            card = next(other for other in d.laid if BITS[other] & d.tables.draw_cards)
        power = d.tables.powers[card]
        count = 0 if power is None else power.draw or (power.adds if answering else 0)
        if power and count:
            found.append((card, power, count))
    return found


def _attack(d: Deal, draws: list[tuple[int, Power, int]], answering: bool) -> None:
    rules = d.tables.rules
    top, power, _ = draws[-1]
    if rules.mixed_kings == "top":
        rank = d.tables.same_rank[top]
        draws = [row for row in draws if row[1] is power or not BITS[row[0]] & rank]
    d.penalty += sum(count for _, _, count in draws)
    d.attack = top
    d.aim = -1 if power.back and not (answering and rules.added_king == "next") else 1


def _cost_turns(d: Deal, seat: int) -> None:
    """Turns that others lose: an open demand, or the round in which all are asked. Alone they cost nobody any."""
    count = sum(power.skip for card in d.laid if (power := d.tables.powers[card]))
    if not count or d.solo:
        return
    if d.tables.rules.skips == "answer":
        d.skip += count
    else:
        d.fours += count
        d.last_four, d.lap, d.passed = seat, 1, 0
