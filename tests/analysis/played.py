"""Coups played through the engine, table, chips and all: nets bank by bank."""

from collections.abc import Iterator

from casino.banking.bank import HOUSE, BankingGame
from casino.banking.rules import Rules
from casino.bots.banking import BankingBot, Spec
from casino.chance import derive


def banks(rules: Rules, punter: Spec, banker: Spec, seats: int, count: int) -> Iterator[list[list[int]]]:
    """`count` banks of the house against `seats - 1` bots: for each the nets in stakes, coup by coup, seat by seat."""
    game = BankingGame("played", rules, seats, bank=HOUSE, purse=10**9)
    bot = BankingBot(rules, punter, banker_policy=banker, bank=rules.limits.bank_max)
    for number in range(count):
        state = game.start(derive(b"played", rules.hash, number))
        nets: list[list[int]] = []
        while state.result() is None:
            for seat in state.awaited()[:1]:
                state.do(seat, bot.choose(state.view(seat)))
            nets += [event.data["net"][:-1] for event in state.drain() if event.type == "settled"]
        yield nets
