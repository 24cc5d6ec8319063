"""Saying «macao»: the window that a play opens, who may act in it, and what silence costs."""

from casino.shedding import ending
from casino.shedding.actions import CATCH, MACAO
from casino.shedding.deal import NOBODY, Deal


def open_window(d: Deal, seat: int) -> None:
    """The seat must say «macao» before the next action in turn of another seat."""
    d.window = seat
    d.said = False


def aside(d: Deal, seat: int) -> tuple[int, ...]:
    """What the seat may say, whoever's turn it is."""
    if d.window == NOBODY or d.said:
        return ()
    if seat == d.window:
        return (MACAO,)
    there = 0 <= seat < len(d.hands) and seat not in d.finished
    return (CATCH + d.window,) if there else ()


def close(d: Deal) -> None:
    """Another seat acts: the window closes before its action is carried out."""
    seat, d.window = d.window, NOBODY
    if not d.said and d.tables.rules.uncalled == "automatic":
        _draw(d, seat)
    elif not d.hands[seat]:
        ending.go_out(d, seat)


def say(d: Deal, seat: int) -> None:
    """The owner of the window says it in time. If his hand is empty he is out."""
    d.said = True
    if not d.hands[seat]:
        ending.go_out(d, seat)


def catch(d: Deal) -> None:
    """Another seat has said it first."""
    seat, d.window = d.window, NOBODY
    _draw(d, seat)


def _draw(d: Deal, seat: int) -> None:
    if d.give(seat, d.tables.rules.call_penalty, "call"):
        d.passes = 0
    elif not d.hands[seat]:
        ending.go_out(d, seat)
