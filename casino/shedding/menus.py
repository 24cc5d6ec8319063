"""What the seat to move may do, by what is asked of it."""

from collections.abc import Callable
from functools import lru_cache
from typing import Final

from casino.cards import BLACK_JOKER, FACES, members
from casino.shedding.actions import (
    ACCEPT,
    ADD,
    ADD_JOKER_AS,
    CHOOSE,
    DRAW,
    END,
    JOKER_AS,
    NAME,
    NAME_ANY,
    NAME_FREE,
    NAME_RANK,
    PASS,
)
from casino.shedding.deal import DREW, LAYER, NO_CARD, TURN, Deal
from casino.shedding.patterns import BITS, JOKERS, OF_RANK, OF_SUIT, SUITED
from casino.shedding.tables import ANY, FREE, NO_DEMAND, RANK, Tables, quiet_goal

Menu = list[int]


def _turn(d: Deal) -> Menu:
    """What a turn may begin with."""
    tables = d.tables
    hand = d.hands[d.to_move]
    plays = hand & d.goal
    lays = _openings(d, hand, plays) if tables.intricate else members(plays)
    if lays and not tables.voluntary:
        return lays
    return [*lays, DRAW] if d.can_draw() else lays or [PASS]


def _answer(d: Deal) -> Menu:
    hand = d.hands[d.to_move]
    plays = hand & d.goal
    return [*(_openings(d, hand, plays) if d.tables.intricate else members(plays)), ACCEPT]


def _four(d: Deal) -> Menu:
    hand = d.hands[d.to_move]
    return [*_openings(d, hand, hand & d.goal), PASS]


def _drew(d: Deal) -> Menu:
    tables = d.tables
    if tables.intricate:
        return [*_after_draw(d, d.to_move), END]
    if tables.draws_any and not d.laid:
        return [*members(d.hands[d.to_move] & d.goal), END]
    return [d.drawn, END]


def _name(d: Deal) -> Menu:
    power = d.tables.powers[d.laid[-1]]
    if power is None:
        return []
    if not (power.held or power.new):
        return [*_all_names(power.names, d.tables.callable, power.free)]
    held = d.hands[d.to_move] if power.held else SUITED
    if power.names == "suit":
        barred = suit_in_play(d) if power.new else NO_CARD
        suits = (suit for suit in range(4) if held & OF_SUIT[suit] and suit != barred)
        names = [NAME + suit for suit in suits] or [NAME_FREE]
    else:
        barred = d.demand - RANK if power.new and RANK <= d.demand < ANY else NO_CARD
        ranks = (rank for rank in d.tables.callable if held & OF_RANK[rank] and rank != barred)
        names = [NAME_RANK + rank for rank in ranks] or [NAME_ANY]
    return [*names, END] if power.free else names


@lru_cache(maxsize=256)
def _all_names(what: str | None, ranks: tuple[int, ...], free: bool) -> tuple[int, ...]:
    """Everything that a caller may name who need not hold it."""
    names = [NAME + suit for suit in range(4)] if what == "suit" else [NAME_RANK + rank for rank in ranks]
    return (*names, END) if free else tuple(names)


def suit_in_play(d: Deal) -> int:
    """The suit that bound before this turn's first card, demanded or lying; NO_CARD if none did."""
    if NO_DEMAND < d.demand < RANK:
        return d.demand
    if d.demand >= FREE:
        return d.demand - FREE
    return d.base & 3 if d.base < FACES else NO_CARD


def _choose(d: Deal) -> Menu:
    others = [seat for seat in range(d.seats) if seat != d.to_move and seat not in d.finished]
    present = [seat for seat in others if not d.out_for[seat]]
    return [CHOOSE + seat for seat in present or others]


def can_lay_named(d: Deal, hand: int) -> bool:
    """Does the hand hold a joker that may be laid now as some card?"""
    return bool(d.goal and hand & JOKERS and d.tables.rules.named_jokers)


def can_lay_drawn(d: Deal, seat: int) -> int:
    """How many ways are there to lay something after the draw?"""
    return len(_after_draw(d, seat))


def _after_draw(d: Deal, seat: int) -> Menu:
    """What may be laid after a draw: the drawn card, or any; in a chain the drawn one."""
    if d.tables.draws_any and not d.laid:
        hand = d.hands[seat]
        return _openings(d, hand, hand & d.goal)
    drawn = BITS[d.drawn]
    return members(drawn & d.goal) + _named(d.goal, drawn, JOKER_AS, d.tables)


def _openings(d: Deal, hand: int, plays: int) -> Menu:
    """The first cards of a turn, where rules bear on the choice that no mask can say."""
    tables = d.tables
    lone = not hand & (hand - 1)
    if not (lone or hand & tables.odd):
        return members(plays)
    rules = tables.rules
    if lone and tables.lone and d.players_at_start == 2:
        plays &= ~tables.draw_cards
    named = d.goal if hand & JOKERS and rules.named_jokers else 0
    if rules.rank_packets and d.ask in (TURN, DREW):
        plays, named = _openings_of_packets(d, hand, plays, named)
    return members(plays) + _named(named, hand, JOKER_AS, tables)


def _openings_of_packets(d: Deal, hand: int, plays: int, named: int) -> tuple[int, int]:
    """Cards that match, and those that another card, laid later in the packet, will make good."""
    tables = d.tables
    matching = _ranks(d, plays)
    by_joker = _ranks(d, named)
    more = hand & (matching | by_joker)
    if tables.rules.jokers_in_draw_packets:
        more |= hand & tables.draw_cards if plays & JOKERS else 0
        more |= hand & JOKERS if plays & tables.draw_cards else 0
    if named:
        named |= matching & SUITED | (by_joker if _jokers_held(hand) > 1 else 0)
    return plays | more, named


def _ranks(d: Deal, bits: int) -> int:
    """All cards of the ranks of these."""
    found = 0
    for card in members(bits):
        found |= d.tables.same_rank[card]
    return found


def _jokers_held(hand: int) -> int:
    layers = range(0, hand.bit_length(), LAYER)
    return sum((hand >> layer & JOKERS).bit_count() for layer in layers)


def _add(d: Deal) -> Menu:
    tables = d.tables
    hand = d.hands[d.to_move]
    adds = [ADD + card for card in members(hand & d.goal)]
    if not d.matched:
        return adds + _named(d.goal & _keeps_hope(d, hand), hand, ADD_JOKER_AS, tables)
    if hand & tables.odd:
        adds += _named(d.goal, hand, ADD_JOKER_AS, tables)
    if tables.again >> d.laid[-1] & 1:
        return adds or [DRAW]
    return [*adds, END]


def _keeps_hope(d: Deal, hand: int) -> int:
    """What a joker may be named in a packet that does not match yet: not the last card that could make it."""
    wanted = quiet_goal(d.tables, d.demand, d.base)
    others = hand & d.goal & wanted or _jokers_held(hand) > 1
    return SUITED if others else wanted


def can_make_match(d: Deal) -> bool:
    """Does the seat to move hold a card that makes good what it has laid?"""
    hand = d.hands[d.to_move]
    wanted = d.goal & quiet_goal(d.tables, d.demand, d.base)
    return bool(hand & wanted) or bool(wanted and hand & JOKERS and d.tables.rules.named_jokers)


def _named(faces: int, hand: int, first: int, tables: Tables) -> Menu:
    """Actions for each joker of the hand as each of these cards, where jokers are named."""
    if not (tables.rules.named_jokers and hand & JOKERS):
        return []
    starts = [first + (joker - BLACK_JOKER) * FACES for joker in members(hand & JOKERS)]
    return [start + face for start in starts for face in members(faces)]


# By what is asked: the actions of the seat to move, sorted, without duplicates.
MENUS: Final[tuple[Callable[[Deal], Menu], ...]] = (
    lambda d: [], _turn, _drew, _answer, _answer, _four, _add, _name, _choose,
)  # fmt: skip
