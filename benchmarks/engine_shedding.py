"""Random play of the shedding games beside OpenSpiel's `crazy_eights` and RLCard's `uno`: one process, rounds in turn.

All sides play whole deals for four seats through their public calls, ours with its log kept (`State.log`). Moves of
players are counted, dealing and drawing are in the time. OpenSpiel draws by chance nodes that the caller resolves
(`_spiel.py`): by their weights, as its API means it, which is what is to be reached; the two quicker ways, the last of
which looks at no weights, are shown beside it, with the same number to reach for comparison. RLCard is driven at game
level (`get_legal_actions`, `step`) and by its own `env.run`. Everybody picks an action alike, by one call of
`random()`. Times are of the processor, so that a busy machine disturbs less.

The game nearest to crazy eights is `russian-104`: one card a turn, wild cards, drawing. In the Romanian, Hungarian and
Pławno games a turn has several steps, and at random one holds many cards: they are shown for comparison.

    python benchmarks/engine_shedding.py [--moves 6000] [--rounds 15]
"""

import argparse
import platform
import random
import statistics
import sys
import time
from collections.abc import Callable
from importlib.metadata import version

import _throwaway
from _spiel import USUAL, WAYS, Draw

from casino.catalogue import find
from casino.shedding.deal import NOBODY
from casino.shedding.variants import VARIANTS

SEATS = 4
PEERS = ["open_spiel==2.0.2", "rlcard==1.2.0"]
NEAREST = "russian-104"
Rate = Callable[[int, int], float]
"""Moves a second over so many moves, from a seed."""


def our_play(name: str) -> Rate:
    game = find(name).game(None, SEATS)

    def rate(moves: int, seed: int) -> float:
        at_random, seeds = random.Random(seed).random, random.Random(seed)
        done, began = 0, time.process_time()
        while done < moves:
            state = game.start(seeds.randbytes(32))
            legal, apply = state.legal, state.apply
            while (seat := state.to_move) != NOBODY:
                actions = legal(seat)
                apply(seat, actions[int(at_random() * len(actions))])
                done += 1
        return done / (time.process_time() - began)

    return rate


def crazy_eights(draw: Draw) -> Rate:
    import pyspiel  # noqa: PLC0415 (only the throw-away environment has it)

    game = pyspiel.load_game(f"crazy_eights(players={SEATS})")

    def rate(moves: int, seed: int) -> float:
        rng = random.Random(seed)
        at_random = rng.random
        done, began = 0, time.process_time()
        while done < moves:
            state = game.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    state.apply_action(draw(state, rng))
                    continue
                actions = state.legal_actions()
                state.apply_action(actions[int(at_random() * len(actions))])
                done += 1
        return done / (time.process_time() - began)

    return rate


def uno_game(moves: int, seed: int) -> float:
    from rlcard.games.uno import Game  # noqa: PLC0415

    game = Game()
    game.configure({"game_num_players": SEATS})
    game.np_random.seed(seed)
    at_random = random.Random(seed).random
    done, began = 0, time.process_time()
    while done < moves:
        game.init_game()
        while not game.is_over():
            actions = game.get_legal_actions()
            game.step(actions[int(at_random() * len(actions))])
            done += 1
    return done / (time.process_time() - began)


def uno_env(moves: int, seed: int) -> float:
    import rlcard  # noqa: PLC0415
    from rlcard.agents import RandomAgent  # noqa: PLC0415

    env = rlcard.make("uno", config={"game_num_players": SEATS, "seed": seed})
    env.set_agents([RandomAgent(num_actions=env.num_actions) for _ in range(SEATS)])
    done, began = 0, time.process_time()
    while done < moves:
        trajectories, _ = env.run(is_training=False)
        done += sum(len(states) // 2 for states in trajectories)
    return done / (time.process_time() - began)


def measure(moves: int, rounds: int) -> None:
    peers = {
        **{f"crazy_eights, {way}": (crazy_eights(draw), 1.5, 1) for way, draw in WAYS.items()},
        "uno, game level": (uno_game, 4.0, 2),
        "uno, env.run": (uno_env, 15.0, 6),
    }
    ours = {name: our_play(name) for name in VARIANTS}
    found: dict[str, list[float]] = {name: [] for name in (*peers, *ours)}
    for number in range(rounds):
        for name, rate in ours.items():
            found[name].append(rate(moves, number))
        for name, (rate, _, slower) in peers.items():
            found[name].append(rate(moves // slower, number))
    packages = ", ".join(f"{name} {version(name)}" for name in ("open_spiel", "rlcard"))
    print(f"Python {platform.python_version()}, {packages}, {SEATS} seats, {rounds} rounds of {moves} moves")
    print(f"{NEAREST}: {statistics.median(found[NEAREST]) / 1e3:.0f} thousand moves a second")
    print(f"\n{'beside it':46}{'thousand':>9}{'ratio':>7}  middle half   to reach")
    for name, (_, target, _) in peers.items():
        print(f"{name:46}{_against(found[NEAREST], found[name])}  {target:>9}")
    print(f"\n{f'games, beside crazy_eights, {USUAL}':46}{'thousand':>9}{'ratio':>7}  middle half")
    reference = found[f"crazy_eights, {USUAL}"]
    for name in ours:
        print(f"{name:46}{statistics.median(found[name]) / 1e3:10.0f}{_ratios(found[name], reference)}")


def _against(mine: list[float], theirs: list[float]) -> str:
    return f"{statistics.median(theirs) / 1e3:9.0f}{_ratios(mine, theirs)}"


def _ratios(mine: list[float], theirs: list[float]) -> str:
    ratios = [a / b for a, b in zip(mine, theirs, strict=True)]
    low, middle, high = statistics.quantiles(ratios, n=4)
    return f"{middle:7.2f}  ({low:5.2f}-{high:5.2f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--moves", type=int, default=6000)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.inside:
        measure(chosen.moves, chosen.rounds)
    else:
        _throwaway.run(PEERS, __file__, *sys.argv[1:], "--inside")


if __name__ == "__main__":
    main()
