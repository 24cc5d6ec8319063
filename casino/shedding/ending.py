"""Going out, the end of a deal and its scores: procedures that the rules choose by name."""

from collections.abc import Callable
from typing import Final

from casino.game import Result
from casino.shedding.deal import NO_CARD, NOBODY, OVER, SCORED, Deal, cards_of
from casino.shedding.patterns import BITS


def go_out(d: Deal, seat: int) -> bool:
    """The seat is out; the deal may be over with it. Returns whether it is."""
    d.finished.append(seat)
    d.sitting -= d.out_for[seat]
    d.out_for[seat] = 0
    d.close_ranks()
    d.calm = False
    if d.solo:
        # Alone, every way led back to him: what he leaves goes to the next.
        d.solo, d.aim, d.over, d.backward = 0, 1, 0, NOBODY
    if d.window == seat:
        d.window = NOBODY
    if d.tables.rules.last_attack == "dropped":
        d.penalty, d.attack = 0, NO_CARD
    if ended(d):
        _LAST_ATTACK[d.tables.rules.last_attack](d, seat)
    return d.ask == OVER


def ended(d: Deal) -> bool:
    """Are enough seats out? (A last attack may still be open.)"""
    return bool(d.finished) and _ENDS[d.tables.rules.end](d)


# By `end`: is the deal over with these seats out?
_ENDS: Final[dict[str, Callable[[Deal], bool]]] = {
    "first_out": lambda d: True,
    "one_left": lambda d: d.still_in < 2,
    "third_out_of_five": lambda d: d.still_in < 2 or (d.players_at_start > 4 and len(d.finished) > 2),
}


def _at_once(d: Deal, seat: int) -> None:
    settle(d, "out")


def _answer_first(d: Deal, seat: int) -> None:
    if not d.penalty:
        settle(d, "out")


def _draw_first(d: Deal, seat: int) -> None:
    if d.penalty and BITS[d.attack] & d.tables.final_draws:
        # A packet that had to be called has handed the turn over already.
        target = d.to_move if d.to_move != seat else d.next_target(seat, d.direction)
        d.give(target, d.penalty, "penalty")
    settle(d, "out")


# By `last_attack`: what the last seat's going out does first.
_LAST_ATTACK: Final[dict[str, Callable[[Deal, int], None]]] = {
    "stays": _at_once,
    "dropped": _at_once,
    "answered": _answer_first,
    "drawn": _draw_first,
}


def double_owner(d: Deal) -> int:
    """Who has emptied his hand with a pair that may still be answered («double macao»); NOBODY if none has."""
    if not d.tables.lone or d.players_at_start != 2 or not d.penalty:
        return NOBODY
    waiting = (seat for seat in (0, 1) if not d.hands[seat] and seat not in d.finished and seat != d.to_move)
    return next(waiting, NOBODY)


def undo_double(d: Deal, owner: int) -> None:
    """The pair is answered: its owner draws three times the worth of its rank, and the attack is over."""
    power = d.tables.powers[d.attack]
    count = 3 * power.draw if power else 0
    d.penalty = 0
    d.attack = NO_CARD
    d.give(owner, count, "double")


def settle(d: Deal, reason: str) -> None:
    """The deal is over: count."""
    d.ask = OVER
    d.to_move = NOBODY
    d.window = NOBODY
    d.menu = ()
    points = _points(d, reason)
    winners = _winners(d, reason, points)
    if d.tables.rules.points:
        d.outcome = Result(tuple(points), winners, "points", reason)
    else:
        d.outcome = Result(tuple(int(seat in winners) for seat in range(d.seats)), winners, "wins", reason)
    d.log.append((SCORED,))


def _points(d: Deal, reason: str) -> list[int]:
    """Points of each hand, doubled for a card that does so: turned to begin, or laid to go out."""
    tables = d.tables
    factor = 1
    if d.first_card != NO_CARD and BITS[d.first_card] & tables.doubling:
        factor *= 2
    if reason == "out" and BITS[d.pile[-1]] & tables.doubling:
        factor *= 2
    return [factor * sum(tables.values[card] for card in cards_of(hand)) for hand in d.hands]


def _winners(d: Deal, reason: str, points: list[int]) -> tuple[int, ...]:
    """The first out (of a final attack also who went out answering it); at a stalemate who holds least."""
    if d.finished:
        return tuple(d.finished if d.tables.rules.end == "first_out" else d.finished[:1])
    held = points if d.tables.rules.points else [hand.bit_count() for hand in d.hands]
    least = min(held)
    return tuple(seat for seat, count in enumerate(held) if count == least)
