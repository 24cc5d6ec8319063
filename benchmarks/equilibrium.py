"""Milliseconds of an equilibrium of two packs: in floats, with its rational certificate, with discards.

Beside them the same games as they come, nothing settled by dominance: by HiGHS in floats, and by a simplex in integers
(plain Python) from an arbitrary start. CPU
time, best of several rounds, tables of chances worked out anew each time. Two and three punters with what is left to
gain.

    python benchmarks/equilibrium.py [--rounds 3] [--three]
"""

import argparse
import platform
import time
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import scipy
from scipy.optimize import linprog

from analysis import bilinear as games
from analysis.equilibrium import Equilibrium, equilibrium
from analysis.exact_lp import Tableau, bounds
from analysis.many_punters import Several
from analysis.shoe import full
from casino.banking.presets import PRESETS
from casino.banking.rules import Rules, build

CASES: list[tuple[str, dict[str, object]]] = [
    ("russian-even-active", {}),
    ("russian-even-active", {"draw_face_up": False}),
    ("russian-even-active", {"exposed": "dealt"}),
    ("continental", {}),
]
WITH_DISCARDS = [("russian-multiple-active", {}), ("russian-multiple-active", {"draw_face_up": False})]


def milliseconds(work: Callable[[], object], rounds: int) -> float:
    """CPU time of the best round."""
    best = float("inf")
    for _ in range(rounds):
        games.ways.cache_clear()
        begun = time.process_time()
        work()
        best = min(best, time.process_time() - begun)
    return best * 1000


def by_highs(rules: Rules) -> float:
    """Its value by HiGHS alone."""
    game = games.bilinear(rules, full(2), reduced=False)
    rows, columns = game.cross.shape
    unit = float(game.scale)
    found = linprog(
        np.concatenate([-game.gain / unit, np.ones(rows)]),
        A_ub=np.hstack([-game.cross / unit, -np.eye(rows)]),
        b_ub=game.offset / unit,
        bounds=[(0, 1)] * columns + [(0, None)] * rows,
    )
    return float(game.base / unit - found.fun)


def by_integers(rules: Rules) -> Fraction:
    """Its value by the integer simplex from an arbitrary start."""
    game = games.bilinear(rules, full(2), reduced=False)
    tableau = Tableau(game)
    tableau.optimise()
    lower, upper = bounds(game, *tableau.solution())
    assert lower == upper
    return lower


def one(rules: Rules, exact: bool = True) -> Equilibrium:
    """One punter's game by this package."""
    found = equilibrium(rules, full(2), exact=exact)
    assert isinstance(found, Equilibrium)
    return found


def preset(name: str, changes: dict[str, object]) -> Rules:
    """Rules of a preset with some options changed."""
    return build(PRESETS[name][1], changes)


def without_discards(rounds: int) -> None:
    """Floats, certificate, and the plain programs."""
    print(f"{'ms':<46}{'floats':>8}{'certified':>11}{'HiGHS plain':>13}{'integers plain':>16}   value")
    for name, changes in CASES:
        rules = preset(name, changes)
        quick, certified = (
            milliseconds(lambda e=exact, r=rules: one(r, e), rounds) for exact in (False, True)
        )
        plain = milliseconds(lambda r=rules: by_highs(r), rounds)
        value = one(rules).value
        assert abs(by_highs(rules) - float(value)) < 1e-7
        # Open cards make 1,100 rows: too many for a plain tableau of integers.
        slow = "-" if changes.get("exposed") else f"{milliseconds(lambda r=rules: by_integers(r), 1):.0f}"
        print(
            f"{name + ' ' + str(changes or ''):<46}{quick:8.1f}{certified:11.1f}{plain:13.1f}{slow:>16}   {value}"
        )
    print("to reach:                                          100       1000")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--three", action="store_true", help="three punters too: half a minute")
    given = parser.parse_args()
    print(
        f"python {platform.python_version()}, numpy {np.__version__}, scipy {scipy.__version__}; {platform.machine()}"
    )
    one(preset(*CASES[0]))  # modules and HiGHS are loaded
    without_discards(given.rounds)
    for name, changes in WITH_DISCARDS:
        rules = preset(name, changes)
        spent = milliseconds(lambda r=rules: one(r), 1)
        found = one(rules)
        width = float(found.exploitability)
        print(
            f"{name} {changes or ''}, with discards: {spent / 1000:.1f} s (to reach: 10),"
            f" value {float(found.value):.10f}, bounds {width:.1e} apart"
        )
    for punters in (2, 3) if given.three else (2,):
        rules = preset(*CASES[0])
        begun = time.process_time()
        several = equilibrium(rules, full(2), punters=punters)
        assert isinstance(several, Several)
        spent = time.process_time() - begun
        print(
            f"{punters} punters: {spent:.1f} s, {several.rounds} rounds, best replies gain {several.exploitability:.1e}"
        )


if __name__ == "__main__":
    main()
