"""Laying cards, one at a time, until the laying is complete and does what it does; drawing one; naming."""

from casino.cards import FACES
from casino.shedding import calls, ending, menus, packets, turns
from casino.shedding.actions import NAME, NAME_ANY, NAME_FREE
from casino.shedding.deal import (
    ADDING,
    CHOOSING,
    DREW,
    LAYER,
    NAMING,
    NO_CARD,
    NOBODY,
    OVER,
    UNLIMITED,
    Deal,
)
from casino.shedding.patterns import BITS
from casino.shedding.tables import ANY, ANYTHING, FREE, NO_DEMAND, RANK, quiet_goal


def lay(d: Deal, seat: int, card: int, face: int) -> None:
    """Lay a card of the hand as `face` (which differs for a named joker)."""
    tables = d.tables
    hand = d.hands[seat]
    bit = BITS[card]
    while hand & bit << LAYER:
        bit <<= LAYER
    hand ^= bit
    d.hands[seat] = hand
    d.pile.append(card)
    d.passes = 0
    if d.calm and tables.simple[face] and hand & (hand - 1) and not (hand & tables.joins[face] or d.laid):
        # The common case: a plain card on a quiet table, and nothing that could be added.
        d.active = face
        turns.turn_over(d, seat)
        return
    if d.laid:
        d.matched = d.matched or bool(BITS[face] & quiet_goal(tables, d.demand, d.base))
    else:
        d.base = d.active
        d.matched = bool(BITS[face] & d.goal)
    d.laid = (*d.laid, face)
    if face < FACES:
        d.active = face
    elif tables.rules.after_joker == "any":
        d.active = ANYTHING
    _go_on(d, seat, card)


def _go_on(d: Deal, seat: int, card: int) -> None:
    """Another card may or must follow, or the laying is complete."""
    d.goal = packets.addable(d)
    d.calm = False
    if menus.can_lay(d, d.hands[seat]) or _must_draw(d):
        d.ask = ADDING
        if d.drawn != card or not BITS[d.laid[-1]] & d.tables.again:
            d.drawn = NO_CARD
    else:
        complete(d, seat)


def _must_draw(d: Deal) -> bool:
    """Does the last card laid need another, to be drawn? Not if it was drawn itself and only its like are left."""
    again = d.tables.again
    if not BITS[d.laid[-1]] & again or not d.can_draw():
        return False
    only_more = all(BITS[card] & again for card in (*d.stock, *d.pile[:-1]))
    return not (only_more and d.drawn != NO_CARD)


def complete(d: Deal, seat: int) -> None:
    """No more cards: what was laid takes effect, a window may open, and a question may be left to the seat."""
    power = d.tables.powers[d.laid[-1]]
    calling = power is not None and power.names is not None
    asleep = d.penalty > 0 or d.skip > 0
    final = ending.ended(d)
    owner = ending.double_owner(d)
    choosing = False
    d.calm = False
    if owner == NOBODY:
        choosing = packets.strike(d, seat)
    else:
        ending.undo_double(d, owner)
    _look_at_hand(d, seat)
    if d.ask == OVER:
        return
    if final:
        ending.settle(d, "out")
        return
    if calling and d.hands[seat]:
        d.ask = NAMING
        return
    _lift_demand(d, lifted_by_any=not asleep, calling=calling)
    if choosing:
        d.ask = CHOOSING
    else:
        turns.hand_over(d, seat)


def _look_at_hand(d: Deal, seat: int) -> None:
    """One card left opens a window; none left is out, unless the packet must be called or may be answered."""
    hand = d.hands[seat]
    if hand:
        if not hand & (hand - 1):
            calls.open_window(d, seat)
        return
    if d.tables.rules.multiple_macao and len(packets.segment(d)) > 1:
        calls.open_window(d, seat)
    elif not _is_double(d):
        ending.go_out(d, seat)


def _is_double(d: Deal) -> bool:
    """«Double macao»: with two players, a packet of 2s or 3s that the other may still answer."""
    tables = d.tables
    restricted = tables.rules.last_card != "free" and d.players_at_start == 2
    return restricted and d.penalty > 0 and len(d.laid) > 1 and bool(BITS[d.attack] & tables.draw_cards)


def _lift_demand(d: Deal, *, lifted_by_any: bool, calling: bool) -> None:
    """The cards laid lift the demand: a caller does, others if it was awake and does not stand for a whole lap."""
    if d.demand == NO_DEMAND or calling:
        d.demand = NO_DEMAND
        return
    rules = d.tables.rules
    by_rank = RANK <= d.demand <= ANY
    stands = rules.rank_demand_lasts == "lap" if by_rank else rules.suit_demand_lasts == "lap"
    if not stands and (lifted_by_any or not by_rank):
        d.demand = NO_DEMAND


def draw(d: Deal, seat: int) -> None:
    """Draw one card; if nothing may be laid now, the turn ends by itself."""
    cards = d.give(seat, 1, "draw")
    d.passes = 0
    if cards:
        d.drawn = cards[0]
        if menus.can_lay_drawn(d, seat):
            d.ask = DREW
            return
    finish_turn(d, seat)


def finish_turn(d: Deal, seat: int) -> None:
    """The turn is over, whether cards were laid in it or not."""
    if d.laid:
        complete(d, seat)
    else:
        turns.turn_over(d, seat)


def end(d: Deal, seat: int) -> None:
    """No more cards, no demand, or the drawn card stays in the hand."""
    if d.ask == NAMING:
        d.demand = NO_DEMAND
        turns.hand_over(d, seat)
    else:
        finish_turn(d, seat)


def name(d: Deal, seat: int, action: int) -> None:
    """The caller says what must follow. A rank demanded in turns alone is back with its caller at once."""
    if action == NAME_ANY:
        d.demand = ANY
    elif action == NAME_FREE:
        suit = menus.suit_in_play(d)
        d.demand = NO_DEMAND if suit == NO_CARD else FREE + suit
    else:
        d.demand = action - NAME
    by_rank = RANK <= d.demand <= ANY
    if d.solo and by_rank:
        d.demand = NO_DEMAND
    next_only = by_rank and d.tables.rules.rank_demand_lasts == "next_only"
    d.demand_by = seat
    d.demand_left = 1 if next_only else UNLIMITED
    turns.hand_over(d, seat)


def choose(d: Deal, seat: int, chosen: int) -> None:
    """The seat says who is next."""
    d.chosen = chosen
    turns.hand_over(d, seat)
