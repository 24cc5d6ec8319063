"""Laying cards, one at a time, until the laying is complete and does what it does; drawing one; naming."""

from casino.cards import FACES
from casino.shedding import calls, ending, menus, packets, turns
from casino.shedding.actions import CHOOSE, COUNT, NAME, NAME_ANY, NAME_FREE, laid
from casino.shedding.deal import (
    ADDING,
    CHOOSING,
    DREW,
    LAYER,
    NAMING,
    NO_CARD,
    OVER,
    PENALTY,
    SEAT_BITS,
    TOOK,
    TURN,
    UNLIMITED,
    Deal,
)
from casino.shedding.patterns import BITS
from casino.shedding.tables import ANY, ANYTHING, FREE, NO_DEMAND, RANK, quiet_goal


def lay(d: Deal, seat: int, card: int) -> None:
    """Lay a card of the hand."""
    hands = d.hands
    hand = hands[seat]
    bit = BITS[card]
    while hand >> LAYER & bit:
        bit <<= LAYER
    hands[seat] = hand = hand ^ bit
    d.pile.append(card)
    more, blow, goal = d.tables.quick[card]
    if not d.calm or (more and hand & more) or not hand & (hand - 1):
        _lay(d, seat, card, card)
        return
    # The common case: on a calm table a card that does nothing, or only makes the next seat draw, and none to add.
    d.active = card
    d.drawn = NO_CARD
    d.goal = goal
    d.turns = turns = d.turns + 1
    if turns > d.cap:
        ending.settle(d, "turn_limit")
        return
    d.to_move = d.after[seat]
    if blow:
        d.penalty = blow
        d.attack = card
        d.ask = PENALTY
        d.calm = False
    else:
        d.ask = TURN


def lay_as(d: Deal, seat: int, action: int) -> None:
    """Lay a further card of the turn, or a joker as a named card."""
    card, face = laid(action)
    hand = d.hands[seat]
    bit = BITS[card]
    while hand >> LAYER & bit:
        bit <<= LAYER
    d.hands[seat] = hand ^ bit
    d.pile.append(card)
    _lay(d, seat, card, face)


def _lay(d: Deal, seat: int, card: int, face: int) -> None:
    """A card was laid as `face`: another may or must follow, or the laying is complete."""
    tables = d.tables
    if not d.laid:
        d.base = d.active
    if tables.rules.rank_packets:
        wanted = quiet_goal(tables, d.demand, d.base) if d.laid else d.goal
        d.matched = bool(BITS[face] & wanted) or (d.matched and bool(d.laid))
    d.laid = (*d.laid, face)
    if face < FACES:
        d.active = face
    elif tables.rules.after_joker == "any":
        d.active = ANYTHING
    d.passes = 0
    if tables.goes_on[face]:
        d.goal = packets.addable(d)
        if _goes_on(d, seat, face):
            d.ask = ADDING
            d.calm = False
            if d.drawn != card or not tables.again >> face & 1:
                d.drawn = NO_CARD
            return
    complete(d, seat)


def _goes_on(d: Deal, seat: int, face: int) -> bool:
    """May or must another card follow?"""
    tables = d.tables
    hand = d.hands[seat]
    if hand & d.goal or (hand & tables.odd and menus.can_lay_named(d, hand)):
        return True
    return bool(tables.again >> face & 1) and _must_draw(d)


def _must_draw(d: Deal) -> bool:
    """Must one be drawn to follow a card that plays again? Not if it was drawn itself and only its like are left."""
    if not d.can_draw():
        return False
    again = d.tables.again
    only_more = all(BITS[card] & again for card in (*d.stock, *d.pile[:-1]))
    return not (only_more and d.drawn != NO_CARD)


def complete(d: Deal, seat: int) -> None:
    """No more cards: what was laid takes effect, a window may open, and a question may be left to the seat."""
    tables = d.tables
    asleep = d.penalty or d.skip or d.fours
    final = bool(d.finished) and ending.ended(d)
    choosing = False
    d.calm = False
    last = d.laid[-1]
    if tables.lone and (owner := ending.double_owner(d)) >= 0:
        ending.undo_double(d, owner)
    elif asleep or len(d.laid) > 1 or not tables.inert[last]:
        choosing = packets.strike(d, seat)
    hand = d.hands[seat]
    if not hand & (hand - 1):
        _look_at_hand(d, seat)
        if d.ask == OVER:
            return
    if final:
        ending.settle(d, "out")
        return
    calling = tables.calls[last]
    if calling and hand:
        # What was demanded before only tells now what may not be named again.
        d.demand_left = UNLIMITED
        d.ask = NAMING
        return
    if d.demand >= 0:
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


def draw(d: Deal, seat: int, action: int) -> None:
    """Draw one card; if nothing may be laid now, the turn ends by itself."""
    d.passes = 0
    if not d.stock:
        if len(d.pile) < 2:
            # What there was went to a seat that had not said «macao».
            d.log.append((TOOK, seat, (), "draw"))
            finish_turn(d, seat)
            return
        d.reshuffle()
    card = d.stock.pop()
    bit = BITS[card]
    hand = d.hands[seat]
    while hand & bit:
        bit <<= LAYER
    d.hands[seat] = hand = hand | bit
    d.log.append(COUNT + card << SEAT_BITS | seat)
    tables = d.tables
    if tables.intricate or d.laid:
        d.drawn = card
        playable = menus.can_lay_drawn(d, seat)
    else:
        playable = d.goal & (hand if tables.draws_any else BITS[card])
    if playable:
        d.drawn = card
        d.ask = DREW
    elif d.calm:
        turns.calm_turn(d, seat)
    else:
        finish_turn(d, seat)


def finish_turn(d: Deal, seat: int) -> None:
    """The turn is over, whether cards were laid in it or not."""
    if d.laid:
        complete(d, seat)
    else:
        turns.turn_over(d, seat)


def end(d: Deal, seat: int, action: int) -> None:
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


def choose(d: Deal, seat: int, action: int) -> None:
    """The seat says who is next."""
    d.chosen = action - CHOOSE
    turns.hand_over(d, seat)
