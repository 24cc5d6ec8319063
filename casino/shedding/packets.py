"""Several cards in one turn: which may still be added, and what those laid do together."""

from casino.cards import FACES
from casino.shedding.deal import NO_CARD, NOBODY, Deal
from casino.shedding.patterns import BITS
from casino.shedding.tables import Effect, quiet_goal

Draws = list[tuple[int, int]]
"""The attacking cards laid, each with what it makes draw."""


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
    """What the cards laid do together: to the penalty, to turns, to the direction. Returns whether the seat is to
    choose who is next."""
    tables = d.tables
    attack = d.laid[-1]
    if len(d.laid) == 1:
        draw, adds, skip, over, turned, choosing, cancels = tables.effects[attack]
        count = draw or (adds if d.penalty else 0)
    else:
        attack, count, (_, _, skip, over, turned, choosing, cancels) = _together(d)
    answering = d.penalty
    if answering:
        d.backward = NOBODY
        if cancels:
            d.penalty = 0
            d.attack = NO_CARD
    if count:
        d.penalty += count
        d.attack = attack
        if tables.backs >> attack & 1 and not (answering and tables.rules.added_king == "next"):
            d.aim = -1
            d.backward = seat
    if turned & 1:
        over += _turn_round(d)
    d.over = over
    if skip and not d.solo:
        _cost_turns(d, seat, skip)
    return choosing and not d.solo


def _together(d: Deal) -> tuple[int, int, Effect]:
    """Of several cards: the one that the attack stands on (the last that makes draw), how many cards they make draw,
    and the sums of everything else. Of those that turn the game the top one acts, or each."""
    tables = d.tables
    top_only = tables.rules.queen_packets == "top"
    draws: Draws = []
    skip = over = turned = 0
    choosing = cancels = False
    for place, laid in enumerate(d.laid, 1):
        card = _counted_as(d, laid)
        draw, adds, skips, passes_over, reverse, choose, cancel = tables.effects[card]
        count = draw or (adds if d.penalty else 0)
        if count:
            draws.append((card, count))
        skip += skips
        if place == len(d.laid) or not top_only:
            over += passes_over
            turned += reverse
            choosing = choosing or choose
            cancels = cancels or cancel
    attack, total = _sum(d, draws) if draws else (d.laid[-1], 0)
    return attack, total, Effect(0, 0, skip, over, turned, choosing, cancels)


def _counted_as(d: Deal, card: int) -> int:
    """In a packet of 2s or 3s a joker without a value of its own is one of them."""
    if card < FACES or not d.tables.rules.jokers_in_draw_packets or d.tables.effects[card].draw:
        return card
    small = (other for other in d.laid if BITS[other] & d.tables.draw_cards)
    return next(small, card)


def _sum(d: Deal, draws: Draws) -> tuple[int, int]:
    """The card that the attack stands on, and the sum; or that of the uppermost kind alone."""
    tables = d.tables
    attack, _ = draws[-1]
    if tables.rules.mixed_kings == "top":
        power, rank = tables.powers[attack], tables.same_rank[attack]
        draws = [row for row in draws if tables.powers[row[0]] is power or not BITS[row[0]] & rank]
    return attack, sum(count for _, count in draws)


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
