"""Whose turn it is, what is asked of him, and how the turn goes on: attacks, skips, the round of fours, solo turns."""

from casino.shedding import ending
from casino.shedding.deal import FOURS, NO_CARD, NOBODY, PENALTY, SKIP, TURN, Deal
from casino.shedding.tables import ANY, NO_DEMAND, RANK


def begin(d: Deal, seat: int) -> None:
    """The turn comes to this seat."""
    if not d.hands[seat]:
        # A packet that was to be called, and play comes round to its owner: nobody has caught him.
        if ending.go_out(d, seat):
            return
        seat = d.next_free(seat, d.direction)
    d.turns += 1
    if d.turns > d.cap:
        ending.settle(d, "turn_limit")
        return
    d.to_move = seat
    d.laid = ()
    d.drawn = NO_CARD
    if d.demand >= 0:
        _lapse(d, seat)
    await_turn(d)


def await_turn(d: Deal) -> None:
    """What is asked of the seat whose turn begins, and which cards will do."""
    d.calm = False
    if d.penalty:
        d.ask = PENALTY
        d.goal = d.tables.answer[d.attack]
    elif d.skip or d.fours:
        d.ask = SKIP if d.skip else FOURS
        d.goal = d.tables.skip_cards
    elif d.demand >= 0:
        d.ask = TURN
        d.goal = d.tables.demanded[d.demand]
    else:
        d.ask = TURN
        d.goal = d.tables.follow[d.active]
        d.calm = not (d.solo or d.sitting or d.passes)


def calm_turn(d: Deal, seat: int) -> None:
    """The turn of this seat is over on a calm table: the next may lay what goes on the top card (`d.goal`)."""
    d.turns += 1
    if d.turns > d.cap:
        ending.settle(d, "turn_limit")
        return
    d.to_move = d.after[seat]
    d.ask = TURN
    d.drawn = NO_CARD


def _lapse(d: Deal, seat: int) -> None:
    """A demand that stands for a lap ends when the turn is back with its caller, asleep or not."""
    by_lap = RANK <= d.demand <= ANY or d.tables.rules.suit_demand_lasts == "lap"
    if not by_lap:
        return
    if seat == d.demand_by or d.demand_left == 0:
        d.demand = NO_DEMAND
    elif d.demand_left > 0 and not (d.penalty or d.skip or d.fours):
        d.demand_left -= 1


def turn_over(d: Deal, seat: int) -> None:
    """The seat's turn is over and nothing was laid."""
    if d.calm:
        calm_turn(d, seat)
    elif d.solo:
        _solo_turn_over(d, seat)
    elif d.sitting:
        begin(d, d.next_free(seat, d.direction))
    else:
        begin(d, d.after[seat])


def hand_over(d: Deal, seat: int) -> None:
    """The seat has laid, named and chosen: the turn goes where that sends it."""
    if d.solo or d.fours or d.sitting or d.over or d.aim < 0 or d.chosen >= 0:
        _hand_over_by_rule(d, seat)
    else:
        begin(d, d.after[seat])


def _hand_over_by_rule(d: Deal, seat: int) -> None:
    """Not simply to the next seat."""
    if d.solo:
        _solo_turn_over(d, seat)
    elif d.fours:
        ask_next(d, seat)
    else:
        begin(d, _target(d, seat))
    d.aim = 1
    d.over = 0
    d.chosen = NOBODY


def _target(d: Deal, seat: int) -> int:
    """Who is next where a seat was chosen, is passed over, or sits out."""
    if d.chosen >= 0:
        return d.chosen
    for _ in range(d.over):
        seat = d.next_free(seat, d.direction)
    if d.over:
        return d.next_free(seat, d.direction)
    hit = d.penalty or d.skip
    return d.next_target(seat, d.direction * d.aim) if hit else d.next_free(seat, d.direction)


def accept_penalty(d: Deal, seat: int) -> None:
    """Draw all of it and lose the turn."""
    tables = d.tables
    owner = ending.double_owner(d) if tables.lone else NOBODY
    origin = d.backward
    d.passes = 0
    d.give(seat, d.penalty, "penalty")
    d.penalty = 0
    d.attack = NO_CARD
    d.backward = NOBODY
    if owner >= 0:
        ending.go_out(d, owner)
    elif d.finished and ending.ended(d):
        ending.settle(d, "out")
    elif origin >= 0 and not d.solo and tables.rules.after_backward == "continue":
        begin(d, d.next_free(origin, d.direction))
    elif d.demand >= 0 or d.solo or d.sitting:
        turn_over(d, seat)
    else:
        d.calm = True
        d.goal = tables.follow[d.active]
        calm_turn(d, seat)


def accept_skip(d: Deal, seat: int) -> None:
    """Lose the turns, this one included."""
    d.passes = 0
    d.out_for[seat] += d.skip - 1
    d.sitting += d.skip - 1
    d.skip = 0
    turn_over(d, seat)


def pass_turn(d: Deal, seat: int) -> None:
    """Nothing to draw and nothing to play. When all have passed so, one after another, the deal ends."""
    d.passes |= 1 << seat
    d.calm = False
    if d.passes.bit_count() >= d.still_in:
        ending.settle(d, "stalemate")
    else:
        turn_over(d, seat)


# The round of skips: all others are asked twice, then the last to lay plays alone.


def ask_next(d: Deal, seat: int) -> None:
    """The round goes on from this seat, or is over."""
    ring = d.ring[d.direction]
    others = d.still_in - (d.last_four not in d.finished)
    following = ring[seat]
    if d.passed >= others:
        if d.lap == 2:
            _round_over(d)
            return
        d.lap, d.passed = 2, 0
        following = ring[d.last_four]
    if following == d.last_four:
        following = ring[following]
    begin(d, following)


def pass_four(d: Deal, seat: int) -> None:
    """The seat adds none."""
    d.passed += 1
    ask_next(d, seat)


def _round_over(d: Deal) -> None:
    count, last = d.fours, d.last_four
    d.fours, d.last_four, d.lap, d.passed = 0, NOBODY, 0, 0
    if last in d.finished:
        begin(d, d.next_free(last, d.direction))
    else:
        d.solo = count
        begin(d, last)


def _solo_turn_over(d: Deal, seat: int) -> None:
    """One turn alone is used; seats passed over cost further ones, but never the last. What is open then is his."""
    left = d.solo - 1
    if left > 1:
        left = max(1, left - d.over)
    d.solo = left
    if left:
        begin(d, seat)
        return
    if d.penalty:
        d.give(seat, d.penalty, "penalty")
        d.penalty, d.attack, d.backward = 0, NO_CARD, NOBODY
    begin(d, d.next_free(seat, d.direction))
