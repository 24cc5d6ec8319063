"""Bankroll experiments beside a bare numba loop, in one process and one run.

The bare loop plays flat stakes with a ruin barrier and keeps nothing but the bankroll: results come from a table of
65,536 nets indexed by 16 bits of a word, the quickest there is, though each probability is off by up to 2^-17. Beside
it the same loop with 64 bits a coup and an alias table, which has no such bias. The experiment is the public
`analysis.runs.run`: unbiased, with drawdown, losing runs, histograms, sums, paths and the merging of chunks.

To reach: flat stakes at 0.8 of the bare loop or more, every other system at 50 million coups a second and core or
more. `--sweep` also plays 100 cells of 10^5 sessions of 500 coups on two processes.
"""

import argparse
import math
import platform
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numba
import numpy as np

from analysis.coups import coup_table
from analysis.experiment import Experiment
from analysis.outcomes import Outcomes
from analysis.runs import run, run_all
from analysis.staking import Staking
from analysis.stops import Stops
from analysis.sweep import Sweep
from analysis.systems import SYSTEMS, StakeLimits
from analysis.xoshiro import start, step, words

COUPS = 1000
# Punter's nets of the preset `house` under the policy `textbook`, exact first coup.
HOUSE = Outcomes.parse(
    "3:32/497,2:1648/32305,1:912868/2865915,-1:259234/514395,-2:47462/1543185,-3:5377/171465"
)
# The same a little in the punter's favour, so that bankrolls live and grow.
FAVOURABLE = Outcomes.parse("3:0.07,2:0.06,1:0.40,0:0.05,-1:0.32,-2:0.05,-3:0.05")
OPTIONS = {
    "proportional": {"fraction": "1/50"},
    "kelly": {"share": "1/2"},
    "table": {"stakes": [10, 30, 20], "on_loss": [1, 2, 2], "on_win": [0, 0, 1]},
}
TARGET_RATIO, TARGET_RATE = 0.8, 50e6


@numba.njit
def bare(base, sessions, coups, bankroll, least, table):
    """Flat stakes of 1 from a table of 16 bits: sessions ruined, coups played."""
    ruined = played = 0
    for session in range(sessions):
        a, b, c, d = start(base, session)
        held = bankroll
        for _ in range(coups):
            word, a, b, c, d = step(a, b, c, d)
            held += table[word >> np.uint64(48)]
            played += 1
            if held < least:
                ruined += 1
                break
    return ruined, played


@numba.njit
def unbiased(base, sessions, coups, bankroll, least, tables):
    """The same with an alias table and all 64 bits."""
    ruined = played = 0
    nets, limits, aliases, shift = tables
    mask = (np.uint64(1) << shift) - np.uint64(1)
    for session in range(sessions):
        a, b, c, d = start(base, session)
        held = bankroll
        for _ in range(coups):
            word, a, b, c, d = step(a, b, c, d)
            place = word >> shift
            if word & mask >= limits[place]:
                place = aliases[place]
            held += nets[place]
            played += 1
            if held < least:
                ruined += 1
                break
    return ruined, played


def sixteen_bits(outcomes: Outcomes) -> np.ndarray:
    """The table of the bare loop."""
    edges = np.round(np.cumsum(outcomes.floats[1]) * 65536).astype(np.int64)
    return np.repeat(np.array([int(net) for net in outcomes.nets], np.int8), np.diff(edges, prepend=0))


def alias(outcomes: Outcomes) -> tuple:
    """Nets, limits, aliases and shift: whole numbers over 2^61 for up to eight outcomes."""
    share = np.zeros(8)
    share[: len(outcomes.nets)] = outcomes.floats[1] * 8
    limits, aliases = np.ones(8), np.arange(8)
    small, large = list(np.flatnonzero(share < 1)), list(np.flatnonzero(share >= 1))
    while small and large:
        low, high = small.pop(), large.pop()
        limits[low], aliases[low] = share[low], high
        share[high] -= 1 - share[low]
        (small if share[high] < 1 else large).append(high)
    nets = np.zeros(8, np.int64)
    nets[: len(outcomes.nets)] = [int(net) for net in outcomes.nets]
    whole = np.minimum(np.floor(limits * 2.0**61), 2.0**61 - 1).astype(np.uint64)
    return nets, whole, aliases.astype(np.uint64), np.uint64(61)


def rate(work: Callable[[], int]) -> float:
    """Coups a second of this thread's time."""
    begun = time.thread_time()
    played = work()
    return played / (time.thread_time() - begun)


def best(works: dict[str, Callable[[], int]], rounds: int) -> dict[str, float]:
    """The best of some rounds each, taken in turn so that all see the same machine."""
    found = dict.fromkeys(works, 0.0)
    for work in works.values():
        work()  # compiles, warms
    for _ in range(rounds):
        for name, work in works.items():
            found[name] = max(found[name], rate(work))
    return found


def flat(sessions: int, rounds: int) -> bool:
    """Flat stakes with a ruin barrier, beside the bare loops."""
    base, table = words(1, 0), sixteen_bits(HOUSE)
    exp = Experiment(
        HOUSE, Staking("flat", {"unit": 1}), 100, Stops(coups=COUPS), StakeLimits(1, 1), sessions=sessions
    )
    found = best(
        {
            "bare loop, 16 bits": lambda: bare(base, sessions, COUPS, 100, 3, table)[1],
            "bare loop, unbiased": lambda: unbiased(base, sessions, COUPS, 100, 3, alias(HOUSE))[1],
            "experiment": lambda: run(exp).sums["played"],
        },
        rounds,
    )
    for name, value in found.items():
        print(f"  {name:22} {value / 1e6:8.0f}M coups/s")
    ratio = found["experiment"] / found["bare loop, 16 bits"]
    print(f"  ratio to the bare loop {ratio:8.2f}   (to reach: {TARGET_RATIO})")
    print(f"  ratio to the unbiased  {found['experiment'] / found['bare loop, unbiased']:8.2f}")
    return ratio >= TARGET_RATIO


def systems(sessions: int, rounds: int) -> bool:
    """Every system with two more stops, so that none takes the way of flat stakes."""
    works = {}
    for name in SYSTEMS:
        staking = Staking.from_json({"system": name, **OPTIONS.get(name, {"unit": 10})})
        exp = Experiment(
            FAVOURABLE,
            staking,
            20_000,
            Stops(coups=COUPS, losing_streak=40, drawdown=19_000),
            StakeLimits(10, 500, 10),
            sessions=sessions,
        )
        works[name] = lambda exp=exp: run(exp).sums["played"]
    found = best(works, rounds)
    for name, value in found.items():
        print(f"  {name:22} {value / 1e6:8.0f}M coups/s   (to reach: {TARGET_RATE / 1e6:.0f}M)")
    return min(found.values()) >= TARGET_RATE


def sweep() -> None:
    """100 cells of 10^5 sessions of 500 coups, on two processes."""
    request = {
        "outcomes": FAVOURABLE.to_json(),
        "stops": {"coups": 500},
        "limits": {"min": 10, "max": 500, "step": 10},
        "sessions": 100_000,
        "staking": {"system": "flat", "unit": 10},
        "bankroll": 100,
        "grid": {
            "staking": [{"system": s, **OPTIONS.get(s, {"unit": 10})} for s in list(SYSTEMS)[:10]],
            "bankroll": [100 * k for k in range(1, 11)],
        },
    }
    cells = Sweep.from_json(request)
    begun, done = time.perf_counter(), [0]

    def told(cell, chunk, part):
        done[0] += 1
        if done[0] % 400 == 0:
            print(f"  {done[0]} chunks, {time.perf_counter() - begun:.0f} s")

    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        tallies = run_all(cells.experiments, executor=pool, on_chunk=told)
    coups = sum(tally.sums["played"] for tally in tallies)
    spent = time.perf_counter() - begun
    print(f"  {len(tallies)} cells, {coups:.3g} coups in {spent:.0f} s: {coups / spent / 1e6:.0f}M coups/s")
    assert len(cells.table(tallies)) == 100


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sessions", type=int, default=300_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sweep", action="store_true")
    given = parser.parse_args()
    print(
        f"Python {platform.python_version()}, numpy {np.__version__}, numba {numba.__version__}, one thread"
    )
    print(
        f"Flat stakes, ruin below 3, {given.sessions} sessions of up to {COUPS} coups, in blocks of"
        f" {coup_table(HOUSE).length}:"
    )
    reached = flat(given.sessions, given.rounds)
    print(f"Other systems, {max(1, given.sessions // 10)} sessions of up to {COUPS} coups:")
    reached &= systems(math.ceil(given.sessions / 10), given.rounds)
    if given.sweep:
        print("Sweep:")
        sweep()
    print("All reached." if reached else "Not all reached in this run.")


if __name__ == "__main__":
    main()
