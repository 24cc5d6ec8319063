"""Who moves next at a table of people and bots: the same at a table over REST and in a terminal."""

from collections.abc import Callable
from typing import Any, Final

from casino.bots import Bot
from casino.game import State
from casino.shedding.actions import MACAO, text

CALL: Final = text(MACAO)  # what a seat says for itself, whoever's turn it is
Move = tuple[int, str]


def next_move(state: State[Any], bot_of: Callable[[int], Bot | None]) -> Move | None:
    """The next move that needs no person (`bot_of` a person's seat is None); None where one is awaited, or nobody.

    Out of turn a bot speaks for itself only. It catches another when its own turn comes, so that a person who is to
    move before it, or who has to call, has the time that a person takes.
    """
    awaited = state.awaited()
    for seat in state.actors():
        bot = None if seat in awaited else bot_of(seat)
        if bot is not None and CALL in state.legal_texts(seat):
            words = bot.aside(state.view(seat))
            if words is not None:
                return seat, words
    for seat in awaited:
        bot = bot_of(seat)
        if bot is not None:
            return seat, bot.choose(state.view(seat))
    return None
