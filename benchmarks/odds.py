"""Exact odds: this package beside C of the same algorithm, vectorised numpy, plain Python integers and Fractions.

First, all first cards x stand/draw of one shoe of 104 cards, through the public call and as exact rationals; then the
best EV and the same table over many depleted shoes. One punter with one card against a banker who never draws
(`russian-even`), or draws to 5. C is compiled here by `gcc -O3 -march=native`, gets the same forms, and must give the
same figures. One thread; CPU time, best of several rounds, all in one process.

    python benchmarks/odds.py [--shoes 100000] [--rounds 5]
"""

import argparse
import ctypes
import platform
import subprocess
import tempfile
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numba
import numpy as np

from analysis.exact import odds, resolve
from analysis.fast import Fast, tables
from analysis.loops import CardLoop
from analysis.shoe import full
from analysis.strategies import cached_plan
from casino.banking.presets import PRESETS
from casino.banking.rules import Rules, build

C_SOURCE = r"""
#include <math.h>
#include <stdint.h>
static double dot(const double *a, const double *b) {
    double found = 0;
    for (int i = 1; i < 10; i++) found += a[i] * b[i];
    return found;
}
typedef struct { double stand, zero, other; } form;
static form out_of(int draws, const double *stand, const double *zero, const double *other, const double *line,
                   const double *less, int c, int d) {
    form f = {line[0] - stand[c] - stand[d], 0, 0};
    if (draws) {
        f.zero = line[1] - zero[c] - zero[d];
        f.other = line[2] - less[c] - less[d] + other[10 * c + d];
    }
    return f;
}
/* The banker's turn with `zeros` zeros and `others` other cards left; kept: a first card that is a zero. */
static double turn(int draws, form f, double stand0, double zero0, double other0, double zeros, double others) {
    if (!draws) return f.stand + zeros * stand0;
    double rest = zeros + others - 1;
    return f.stand * rest + f.other + f.zero * zeros + zeros * (stand0 * rest + other0 + zero0 * (zeros - 1));
}
void many(const int64_t *shoes, int64_t count, int64_t forms, int64_t draws, const int64_t *stood,
          const int64_t *drawn, const double *stand, const double *zero, const double *other, const double *kept,
          const double *kept_other, double *line, double *less, double *evs, double *table) {
    for (int64_t s = 0; s < count; s++) {
        double N[10], n = 0, best = 0, kept_sum[256];
        for (int i = 0; i < 10; i++) { N[i] = shoes[10 * s + i]; n += N[i]; }
        double zeros = N[0], total = n - zeros;
        N[0] = 0;
        for (int64_t f = 0; f < forms; f++) {
            line[3 * f] = dot(N, stand + 10 * f);
            if (!draws) continue;
            line[3 * f + 1] = dot(N, zero + 10 * f);
            double pairs = 0;
            for (int b = 1; b < 10; b++) {
                const double *row = other + 100 * f + 10 * b;
                double sum = dot(N, row);
                less[10 * f + b] = sum - row[b];
                pairs += 0.5 * N[b] * (sum - row[b]);
            }
            line[3 * f + 2] = pairs;
            kept_sum[f] = dot(N, kept_other + 10 * f);
        }
        double after = draws ? (n - 1) * (n - 2) * (n - 3) : (n - 1) * (n - 2);
        for (int c = 0; c < 10; c++) {
            double ways = c ? N[c] : zeros;
            double left = zeros - (c == 0), others = total - (c != 0);
            int64_t f = stood[c];
            form mine =
                out_of(draws, stand + 10 * f, zero + 10 * f, other + 100 * f, line + 3 * f, less + 10 * f, c, 0);
            double other0 = draws ? kept_sum[f] - kept_other[10 * f + c] : 0;
            double stay = (n - 2 - draws) * turn(draws, mine, kept[2 * f], kept[2 * f + 1], other0, left, others);
            double draw = 0;
            for (int d = 0; d < 10; d++) {
                double third = d ? N[d] - (c == d) : left;
                int64_t g = drawn[10 * c + d];
                form his =
                    out_of(draws, stand + 10 * g, zero + 10 * g, other + 100 * g, line + 3 * g, less + 10 * g, c, d);
                double rest0 = draws ? kept_sum[g] - kept_other[10 * g + c] - kept_other[10 * g + d] : 0;
                double left0 = left - (d == 0), others0 = others - (d != 0);
                draw += third * turn(draws, his, kept[2 * g], kept[2 * g + 1], rest0, left0, others0);
            }
            best += ways * (draw > stay ? draw : stay);
            table[20 * s + 2 * c] = ways > 0 ? stay / after : NAN;
            table[20 * s + 2 * c + 1] = ways > 0 ? draw / after : NAN;
        }
        evs[s] = best / (n * after);
    }
}
"""


class Compiled:
    """The C program over the forms of one game."""

    def __init__(self, rules: Rules, folder: Path) -> None:
        source, library = folder / "odds.c", folder / "odds.so"
        source.write_text(C_SOURCE)
        flags = ["-O3", "-march=native", "-shared", "-fPIC"]
        subprocess.run(["gcc", *flags, "-o", library, source, "-lm"], check=True)
        self.call = ctypes.CDLL(str(library)).many
        punter, banker = resolve(rules, "optimal", "rules")
        assert banker is not None
        rows = CardLoop(cached_plan(rules), (punter, banker), False, False).rows
        self.rows = rows
        names = ("stand", "zero", "other", "kept", "kept_other")
        self.forms = [np.ascontiguousarray(getattr(rows, name)[0]) for name in names[:3]]
        self.forms += [np.ascontiguousarray(getattr(rows, name)) for name in names[3:]]
        self.forms = [part[0] if part.shape[0] == 1 else part for part in self.forms]

    def many(self, shoes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        size = self.rows.stand.shape[2]
        room = np.zeros((size, 3)), np.zeros((size, 10))
        evs, table = np.empty(len(shoes)), np.empty((len(shoes), 10, 2))
        arrays = [np.ascontiguousarray(self.rows.stood[0]), self.rows.drawn, *self.forms, *room, evs, table]
        pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in arrays]
        numbers = [ctypes.c_int64(number) for number in (len(shoes), size, self.rows.banker_draws)]
        self.call(shoes.ctypes.data_as(ctypes.c_void_p), *numbers, *pointers)
        return evs, table


def by_numpy(rules: Rules, shoes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same table in whole arrays, where the banker never draws: ways of (first, third, banker's card)."""
    pay = np.array(rules.payoff.table, float)
    values = np.arange(10)
    first = values + 10 * (values >= 7)
    left = shoes.astype(float)
    same = np.eye(10)
    pairs = left[:, None, :] - same  # the banker's card, or the third, after the first
    stand = (pairs * pay[first[:, None], first]).sum(2)
    thirds = left[:, None, None, :] - same[:, None, :] - same  # [shoe, first, third, banker]
    drawn = pay[(values[:, None] + values) % 10][:, :, first]
    draw = ((thirds * drawn).sum(3) * pairs).sum(2)
    n = left.sum(1)[:, None]
    table = np.stack([stand / (n - 1), draw / ((n - 1) * (n - 2))], 2)
    table[left == 0] = np.nan
    evs = np.nansum(left * np.nanmax(np.nan_to_num(table, nan=-9), 2), 1) / n[:, 0]
    return evs, table


def by_python(
    rules: Rules, counts: tuple[int, ...], number: Callable[[int], Any] = int
) -> list[tuple[Any, Any]]:
    """One shoe in plain loops: over integers, or over Fractions where `number` says so."""
    pay, n = rules.payoff.table, sum(counts)
    most = rules.banker_draw[0][1] if isinstance(rules.banker_draw, tuple) else -1

    def turn(left: list[int], own: int) -> Any:
        total = sum(left)
        found = number(0)
        for b, count in enumerate(left):
            if b > most:
                found += number(count) * pay[own][b + 10 * (b >= 7)] * (total - 1 if most >= 0 else 1)
                continue
            left[b] -= 1
            found += sum(number(count) * left[e] * pay[own][(b + e) % 10] for e in range(10))
            left[b] += 1
        return found

    rows = []
    after = (n - 1) * (n - 2) * (n - 3 if most >= 0 else 1)
    for c in range(10):
        left = list(counts)
        left[c] -= 1
        stand = turn(left, c + 10 * (c >= 7)) * (n - 2 - (most >= 0))
        draw = number(0)
        for d in range(10):
            ways = left[d]
            left[d] -= 1
            draw += ways * turn(left, (c + d) % 10)
            left[d] += 1
        rows.append((Fraction(stand) / after, Fraction(draw) / after))
    return rows


def depleted(number: int) -> np.ndarray:
    """Shoes of two packs with 0 to 60 cards gone."""
    random = np.random.default_rng(7)
    whole = np.array(full(2).counts)
    gone = [random.multivariate_hypergeometric(whole, cards) for cards in random.integers(0, 61, number)]
    return np.ascontiguousarray(whole - np.array(gone))


def timed(work: Callable[[], Any], rounds: int, least: float = 0.05) -> float:
    """Seconds of CPU of one call: best of the rounds, each at least so long."""
    work()
    times, best = 1, float("inf")
    for _ in range(rounds):
        while True:
            begun = time.process_time()
            for _ in range(times):
                work()
            spent = time.process_time() - begun
            if spent >= least:
                break
            times *= 4
        best = min(best, spent / times)
    return best


def one_shoe(rules: Rules, name: str, rounds: int) -> None:
    counts = full(2).counts

    def public() -> Any:
        source = odds(rules, None, (), "optimal", "rules", exact=False).source
        assert isinstance(source, Fast)
        return source.evs()

    def rationals() -> list[tuple[Fraction, ...]]:
        firsts = odds(rules, None, (), "optimal", "rules").by_first_card.values()
        return [tuple(spread.ev() for spread in first.actions.values()) for first in firsts]

    exact = rationals()
    print(f"\none shoe of 104 cards, {name}: all first cards x stand/draw")
    sides: list[tuple[str, Callable[[], Any]]] = [
        ("compiled, public call, floats correctly rounded", public),
        ("exact rationals, public call", rationals),
    ]
    if rules.banker_discards == "none":
        assert by_python(rules, counts) == exact
        assert [list(row.values()) for row in public()] == [[float(ev) for ev in row] for row in exact]
        sides += [
            ("plain Python, integers", lambda: by_python(rules, counts)),
            ("plain Python, Fractions", lambda: by_python(rules, counts, Fraction)),
        ]
    base = None
    for label, work in sides:
        spent = timed(work, rounds)
        base = base or spent
        print(f"  {label:52} {1e6 * spent:12.1f} us   x {spent / base:9.1f}")


def many_shoes(rules: Rules, name: str, shoes: np.ndarray, rounds: int, folder: Path) -> None:
    punter, banker = resolve(rules, "optimal", "rules")
    assert banker is not None
    compiled = Compiled(rules, folder)
    ours, theirs = tables(rules, shoes, punter, banker), compiled.many(shoes)
    for mine, other in zip(ours, theirs, strict=True):
        assert np.array_equal(mine, other, equal_nan=True), "C and the kernel differ"
    print(f"\n{len(shoes)} depleted shoes, {name}: best EV and the table of each")
    spent = {
        "C, gcc -O3, the same algorithm": timed(lambda: compiled.many(shoes), rounds),
        "this package": timed(lambda: tables(rules, shoes, punter, banker), rounds),
    }
    if rules.banker_draw == "never":
        chunks = np.array_split(shoes, max(1, len(shoes) // 1000))
        assert np.allclose(by_numpy(rules, chunks[0])[1], ours[1][: len(chunks[0])], equal_nan=True)
        spent["numpy, whole arrays"] = timed(lambda: [by_numpy(rules, chunk) for chunk in chunks], 1)
    base = spent["C, gcc -O3, the same algorithm"]
    for label, seconds in spent.items():
        print(f"  {label:52} {len(shoes) / seconds:12,.0f} shoes/s   {base / seconds:6.2f} x C")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--shoes", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    gcc = subprocess.run(["gcc", "--version"], capture_output=True, text=True, check=True).stdout.split("\n")[
        0
    ]
    print(f"Python {platform.python_version()}, numba {numba.__version__}, numpy {np.__version__}, {gcc}")
    even = build(PRESETS["russian-even"][1], {})
    to_five = build(PRESETS["russian-even"][1], {"banker_draw": {"upto": 5}})
    one_shoe(even, "banker never draws", asked.rounds)
    one_shoe(to_five, "banker draws to 5", asked.rounds)
    one_shoe(build(PRESETS["house"][1], {}), "house (both sides discard)", asked.rounds)
    shoes = depleted(asked.shoes)
    with tempfile.TemporaryDirectory(prefix="macao-odds-") as folder:
        many_shoes(even, "banker never draws", shoes, asked.rounds, Path(folder))
        many_shoes(to_five, "banker draws to 5", shoes, asked.rounds, Path(folder))


if __name__ == "__main__":
    main()
