"""Several cards in one turn: which may still be added, and what those laid do together."""

from casino.cards import FACES
from casino.shedding.deal import NO_CARD, NOBODY, Deal
from casino.shedding.patterns import BITS
from casino.shedding.powers import Power
from casino.shedding.tables import quiet_goal

Draws = list[tuple[int, Power, int]]
"""The attacking cards laid, each with its power and what it makes draw."""


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
    if d.drawn >= 0 and not tables.draws_any:
        return 0
    bits = tables.joins[last]
    if tables.rules.rank_packets and not _first_matches(d):
        bits = tables.packing(segment(d))
    elif bits and len(d.laid) > 1 and not tables.joins_alike:
        bits = tables.joining(segment(d))
    if d.penalty:
        bits &= tables.answer[d.attack]
    elif d.skip or d.fours:
        bits &= tables.skip_cards
    return bits


def _first_matches(d: Deal) -> bool:
    """Does the first card laid match by itself? If another of its rank makes it good, that rank is all there is."""
    answering = d.penalty or d.skip or d.fours
    return bool(answering or BITS[d.laid[0]] & quiet_goal(d.tables, d.demand, d.base))


def strike(d: Deal, seat: int) -> bool:
    """Add up what the cards laid do: to the penalty, to turns, to the direction. Returns whether the seat is to
    choose who is next."""
    tables = d.tables
    rules = tables.rules
    answering = d.penalty > 0
    last = len(d.laid) - 1 if rules.queen_packets == "top" else 0
    draws: Draws = []
    turned = over = costs = 0
    choosing = False
    for place, card in enumerate(d.laid):
        power = _power(d, card) if rules.jokers_in_draw_packets else tables.powers[card]
        if power is None:
            continue
        count = power.draw or (power.adds if answering else 0)
        if count:
            draws.append((card, power, count))
        costs += power.skip
        if place >= last:
            turned += power.reverse
            over += power.over
            choosing = choosing or power.choose
            if power.cancel:
                d.penalty = 0
    if draws:
        _attack(d, draws, answering)
    if turned & 1:
        over += _turn_round(d)
    if not d.penalty:
        d.attack = NO_CARD
    d.over = over
    d.backward = seat if d.penalty and d.aim < 0 else NOBODY
    if costs and not d.solo:
        _cost_turns(d, seat, costs)
    return choosing and not d.solo


def _power(d: Deal, card: int) -> Power | None:
    """What a card laid does. In a packet of 2s or 3s a joker without a value of its own is one of them."""
    power = d.tables.powers[card]
    if card < FACES or (power and power.draw):
        return power
    small = (other for other in d.laid if BITS[other] & d.tables.draw_cards)
    return d.tables.powers[next(small, card)]


def _attack(d: Deal, draws: Draws, answering: bool) -> None:
    """The sum grows, and stands on the last card that makes draw: that one also says where it goes."""
    rules = d.tables.rules
    top, power, count = draws[-1]
    if len(draws) > 1:
        rank = d.tables.same_rank[top]
        top_only = rules.mixed_kings == "top"
        count = sum(
            number for card, other, number in draws if not top_only or other is power or not BITS[card] & rank
        )
    d.penalty += count
    d.attack = top
    d.aim = -1 if power.back and not (answering and rules.added_king == "next") else 1


def _turn_round(d: Deal) -> int:
    """Play goes the other way. Returns how many seats that passes over."""
    d.turn_round()
    skips = d.tables.rules.reverse_with_two == "skip"
    return int(skips and not d.penalty and d.still_in == 2)


def _cost_turns(d: Deal, seat: int, count: int) -> None:
    """Turns that others lose: an open demand, or the round in which all are asked."""
    if d.tables.rules.skips == "answer":
        d.skip += count
    else:
        d.fours += count
        d.last_four = seat
        d.lap = 1
        d.passed = 0
