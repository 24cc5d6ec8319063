"""Random play of Пекло beside OpenSpiel's `oh_hell` (C++ driven from Python), in one process, rounds in turn.

Both sides play whole deals for four seats, the cards each by lot, through their public calls and with a log kept
(`State.log`, `State.history()`). Only moves of players are counted; dealing is in the time, except in the last row.
OpenSpiel deals by chance nodes that the caller resolves (`_spiel.py`): by their weights, as its API means it, which is
what is to be reached; the two quicker ways are shown beside it. Everybody picks an action alike, by one call of
`random()`. Times are of the processor, so that a busy machine disturbs less.

    python benchmarks/engine_tricks.py [--deals 300] [--rounds 9]
"""

import argparse
import platform
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from typing import Any

import _throwaway
from _spiel import USUAL, WAYS, Draw

from casino.catalogue import find
from casino.tricks.deal import NOBODY

SEATS = 4
PEER = "open_spiel==2.0.2"
TARGET = 1.5
# As `oh_hell` plays: the bid hooked, a trump in every deal, so a hand of 12 at most.
OPTIONS = {"max_hand": 12, "last_deal_no_trump": False, "hook": True}
Play = Callable[[Any, random.Random], int]


def our_deals(rng: random.Random, deals: int) -> Iterator[Any]:
    game = find("peklo").game(OPTIONS, SEATS)
    for _ in range(deals):
        yield game.start(rng.randbytes(32))


def our_moves(state: Any, rng: random.Random) -> int:
    at_random, legal, apply = rng.random, state.legal, state.apply
    while (seat := state.turn) != NOBODY:
        actions = legal(seat)
        apply(seat, actions[int(at_random() * len(actions))])
    return len(state.log)


def their_deals(rng: random.Random, deals: int, draw: Draw) -> Iterator[Any]:
    import pyspiel  # noqa: PLC0415 (only the throw-away environment has it)

    game = pyspiel.load_game(f"oh_hell(players={SEATS})")
    for _ in range(deals):
        state = game.new_initial_state()
        while state.is_chance_node():
            state.apply_action(draw(state, rng))
        yield state


def their_moves(state: Any, rng: random.Random) -> int:
    at_random = rng.random
    moves = 0
    while not state.is_terminal():
        actions = state.legal_actions()
        state.apply_action(actions[int(at_random() * len(actions))])
        moves += 1
    return moves


def rates(states: Iterator[Any], play: Play, rng: random.Random) -> tuple[float, float]:
    """Moves per second with dealing, and without."""
    moves, playing, began = 0, 0.0, time.process_time()
    for state in states:
        dealt = time.process_time()
        moves += play(state, rng)
        playing += time.process_time() - dealt
    return moves / (time.process_time() - began), moves / playing


def measure(deals: int, rounds: int) -> None:
    found: dict[str, list[tuple[float, float]]] = {}
    for number in range(rounds):
        rng = random.Random(number)
        mine, mine_moving = rates(our_deals(rng, deals), our_moves, rng)
        moving = 0.0
        for way, draw in WAYS.items():
            theirs, moving = rates(their_deals(rng, deals, draw), their_moves, rng)
            found.setdefault(f"whole deals, {way}", []).append((mine, theirs))
        found.setdefault("moves alone, dealing left out", []).append((mine_moving, moving))
    print(
        f"Python {platform.python_version()}, open_spiel {version('open_spiel')}, {SEATS} seats, {rounds} rounds"
    )
    print(
        f"{'thousand moves a second':40}{'peklo':>8}{'oh_hell':>9}{'ratio':>7}  (middle half of the rounds)"
    )
    for name, pairs in found.items():
        ratios = sorted(a / b for a, b in pairs)
        low, _, high = statistics.quantiles(ratios, n=4)
        middle = [statistics.median(side) / 1e3 for side in zip(*pairs, strict=True)]
        print(
            f"{name:40}{middle[0]:8.0f}{middle[1]:9.0f}{statistics.median(ratios):7.2f}  ({low:.2f}-{high:.2f})"
        )
    print(f"to reach: {TARGET} for whole deals, {USUAL}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--deals", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.inside:
        measure(chosen.deals, chosen.rounds)
    else:
        _throwaway.run([PEER], __file__, *sys.argv[1:], "--inside")


if __name__ == "__main__":
    main()
