"""Banking engine: coups per second through the public `legal()` / `apply()`, with the record kept.

Also what a server does on every action: a state to JSON text and back. One thread; best of several rounds.

    python benchmarks/engine_banking.py [--seconds 1]
"""

import argparse
import json
import platform
import time
from importlib.metadata import version
from random import Random

from casino.banking import Action, Range
from casino.banking.bank import BankingGame
from casino.banking.text import BANK, STAKE
from casino.catalogue import find

CASES = [("house", 1), ("house", 5), ("russian-multiple-active", 1), ("russian-multiple-active", 5)]
ROUNDS = 5


def amounts(action: object, rng: Random) -> Action:
    """An amount of a range; anything else as it is."""
    if isinstance(action, Range):
        steps = (action.max - action.min) // action.step
        return Action(action.verb, action.min + action.step * rng.randrange(steps + 1))
    return action  # type: ignore[return-value]


def coups_per_second(game: BankingGame, seconds: float) -> float:
    """Random play, everyone staking in every coup: nothing but the engine's own calls, and a list of the actions."""
    rng, coups, record = Random(1), 0, []
    start = time.perf_counter()
    while time.perf_counter() - start < seconds:
        state = game.start(rng.randbytes(32))
        while awaited := state.awaited():
            seat = awaited[0]
            legal = state.legal(seat)
            wanted = {"bank": BANK, "stakes": STAKE}.get(state.phase)
            choices = [action for action in legal if action.verb == wanted] if wanted else legal
            action = amounts(rng.choice(choices or legal), rng)
            state.apply(seat, action)
            record.append((seat, action))
        coups += state.coups
        state.drain()
        state.drain_movements()
    return coups / (time.perf_counter() - start)


def micros(call: object, seconds: float) -> float:
    """Mean microseconds of a call."""
    done, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        for _ in range(50):
            call()  # type: ignore[operator]
        done += 50
    return (time.perf_counter() - start) / done * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1.0, help="length of one round")
    seconds = parser.parse_args().seconds
    print(f"macao {version('macao')}, Python {platform.python_version()}, {platform.machine()}")
    print(f"{'game':26}{'punters':>8}{'coups/s':>10}{'us/coup':>9}{'to text':>9}{'from text':>10}{'view':>7}")
    for name, punters in CASES:
        game = find(name).game(None, punters + 1).arranged({"purse": 10_000_000})
        best = max(coups_per_second(game, seconds) for _ in range(ROUNDS))
        state = game.start(b"benchmark")
        while state.phase != "play":
            seat = state.awaited()[0]
            wanted = BANK if state.phase == "bank" else STAKE
            (item,) = [item for item in state.legal(seat) if item.verb == wanted]
            state.apply(seat, Action(wanted, item.max if wanted == BANK else item.min))
        state.drain()
        text = json.dumps(state.to_json())
        costs = [
            micros(lambda state=state: json.dumps(state.to_json()), seconds / 4),
            micros(lambda game=game, text=text: game.from_json(json.loads(text)), seconds / 4),
            micros(lambda state=state: state.view(0), seconds / 4),
        ]
        columns = "".join(f"{cost:{width}.0f}" for cost, width in zip(costs, (9, 10, 7), strict=True))
        print(f"{name:26}{punters:8}{best:10,.0f}{1e6 / best:9.1f}{columns}")


if __name__ == "__main__":
    main()
