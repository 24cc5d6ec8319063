"""Random play of Пекло beside OpenSpiel's `oh_hell` (C++ driven from Python), in one process, rounds in turn.

Both sides play whole deals for four seats, the cards each by lot, through their public calls and with a log kept
(`State.log`, `State.history()`). Only moves of players are counted; dealing is in the time, except in the last row.
OpenSpiel deals by chance nodes that the caller has to draw: by the weights it gives (its own examples do so), or,
as the cards are equally likely, by an even choice of the legal actions, which is the fastest way from Python.

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

from casino.catalogue import find

SEATS = 4
PEER = "open_spiel==2.0.2"
TARGET = 1.5
# As `oh_hell` plays: the bid hooked, a trump in every deal, so a hand of 12 at most.
OPTIONS = {"max_hand": 12, "last_deal_no_trump": False, "hook": True}


def our_deals(rng: random.Random, deals: int) -> Iterator[Any]:
    game = find("peklo").game(OPTIONS, SEATS)
    for _ in range(deals):
        yield game.start(rng.randbytes(32))


def our_moves(state: Any, rng: random.Random) -> int:
    choice = rng.choice
    while seats := state.actors():
        seat = seats[0]
        state.apply(seat, choice(state.legal(seat)))
    return len(state.log)


def their_deals(rng: random.Random, deals: int) -> Iterator[Any]:
    import pyspiel  # noqa: PLC0415 (only the throw-away environment has it)

    game = pyspiel.load_game(f"oh_hell(players={SEATS})")
    for _ in range(deals):
        yield game.new_initial_state()


def by_weights(state: Any, rng: random.Random) -> None:
    while state.is_chance_node():
        outcomes = state.chance_outcomes()
        state.apply_action(rng.choices([o for o, _ in outcomes], [p for _, p in outcomes])[0])


def evenly(state: Any, rng: random.Random) -> None:
    while state.is_chance_node():
        state.apply_action(rng.choice(state.legal_actions()))


def their_moves(state: Any, rng: random.Random) -> int:
    choice = rng.choice
    moves = 0
    while not state.is_terminal():
        state.apply_action(choice(state.legal_actions()))
        moves += 1
    return moves


def no_chance(state: Any, rng: random.Random) -> None:
    """Ours are dealt by `start`."""


def rates(
    states: Iterator[Any], deal: Callable[..., None], play: Callable[..., int], rng: random.Random
) -> tuple[float, float]:
    """Moves per second with dealing, and without."""
    moves, playing, began = 0, 0.0, time.perf_counter()
    for state in states:
        deal(state, rng)
        dealt = time.perf_counter()
        moves += play(state, rng)
        playing += time.perf_counter() - dealt
    return moves / (time.perf_counter() - began), moves / playing


def measure(deals: int, rounds: int) -> None:
    found: dict[str, list[tuple[float, float]]] = {}
    for number in range(rounds):
        rng = random.Random(number)
        even = rates(their_deals(rng, deals), evenly, their_moves, rng)
        weighted = rates(their_deals(rng, deals), by_weights, their_moves, rng)
        mine, mine_moving = rates(our_deals(rng, deals), no_chance, our_moves, rng)
        found.setdefault("whole deals, chance by its weights", []).append((mine, weighted[0]))
        found.setdefault("whole deals, chance by an even choice", []).append((mine, even[0]))
        found.setdefault("moves alone, dealing left out", []).append((mine_moving, even[1]))
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
    print(f"to reach: {TARGET} for whole deals, chance by its weights")


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
