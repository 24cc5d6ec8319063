"""Simulated coups per second: this package beside C of the same algorithm, vectorised numpy and plain Python.

One punter drawing on 0-5 against a banker drawing to 5, one card each, a shoe of two packs dealt in order (a coup
starts while four cards remain), and an infinite shoe (a table over 13**4 deals). One thread; C is compiled here by
`gcc -O3`, gets the same look-ups and streams, and must count the very same outcomes. CPU time, best of several
rounds, the two sides taking turns.

    python benchmarks/simulate.py [--rounds 5]
"""

import argparse
import ctypes
import platform
import random
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numba
import numpy as np

from analysis.deal_compiled import worker
from analysis.dealing import RANKS, Dealing
from analysis.strategies import banker_table, punter_table
from analysis.xoshiro import start, words
from casino.banking.presets import PRESETS
from casino.banking.rules import build

SHOE_COUPS, TABLE_COUPS, NUMPY_COUPS, PYTHON_COUPS = 10_000_000, 200_000_000, 2_000_000, 100_000
SEED = 1

C_SOURCE = r"""
#include <stdint.h>
typedef uint64_t u64;
typedef struct { u64 a, b, c, d; } rng;
static inline u64 turn(u64 x, int k) { return (x << k) | (x >> (64 - k)); }
static inline u64 step(rng *r) {
    u64 word = turn(r->a + r->d, 23) + r->a, shifted = r->b << 17;
    r->c ^= r->a; r->d ^= r->b; r->b ^= r->c; r->a ^= r->d; r->c ^= shifted; r->d = turn(r->d, 45);
    return word;
}
static inline u64 below(u64 size, u64 word, rng *r) {
    u64 product = word * size;
    if ((product & 0xffffffffu) < size) {
        u64 least = (1ull << 32) % size;
        while ((product & 0xffffffffu) < least) product = (step(r) >> 32) * size;
    }
    return product >> 32;
}
static inline void mix(uint8_t *deck, int64_t at, int64_t end, u64 word, rng *r) {
    u64 far = below(end - at, word, r) + at;
    uint8_t card = deck[at]; deck[at] = deck[far]; deck[far] = card;
}
void by_table(const u64 *state, int64_t coups, const uint8_t *outcomes, u64 size, int64_t *counts) {
    rng r = {state[0], state[1], state[2], state[3]};
    const u64 low = (1ull << 48) - 1, least = (1ull << 48) % size;
    while (coups > 0) {
        u64 product = (step(&r) >> 16) * size;
        if ((product & low) >= least) { counts[outcomes[product >> 48]]++; coups--; }
    }
}
void by_lookup(const u64 *state, int64_t coups, int64_t need, uint8_t *deck, int64_t size, const uint8_t *draws,
               const uint16_t *shows, const uint8_t *replies, const uint8_t *place, int64_t kinds, int64_t *counts) {
    rng r = {state[0], state[1], state[2], state[3]};
    int64_t done = 0;
    while (done < coups) {
        for (int64_t at = 0; at < size; at += 2) {
            u64 word = step(&r);
            mix(deck, at, size, word >> 32, &r);
            if (at + 1 < size) mix(deck, at + 1, size, word & 0xffffffffu, &r);
        }
        u64 packed = 0, top = 0, last = size - need;
        int64_t played = 0, most = coups - done;
        while (top <= last && played < most) {
            u64 own = deck[top + 1], pair = deck[top] * 10u + own;
            top += 2;
            u64 show = shows[pair * 10 + deck[top]];
            top += draws[pair];
            u64 reply = replies[(own * 13 + (show & 15)) * 10 + deck[top]];
            top += reply >> 5;
            packed += 1ull << place[(show >> 4) * 20 + (reply & 31)];
            played++;
        }
        done += played;
        for (int64_t kind = 0; kind < kinds; kind++) counts[kind] += (packed >> (8 * kind)) & 255;
    }
}
"""


def game(infinite: bool) -> Dealing:
    """What is dealt."""
    rules = build(PRESETS["russian-even"][1], {"banker_draw": {"upto": 5}})
    return Dealing(rules, (punter_table("threshold:5", rules),), banker_table("rules", rules), infinite)


def pointer(array: np.ndarray) -> ctypes.c_void_p:
    """An array as C takes it."""
    return ctypes.c_void_p(array.ctypes.data)


class InC:
    """The same loops compiled by gcc."""

    def __init__(self, folder: str) -> None:
        source, library = Path(folder) / "deal.c", Path(folder) / "deal.so"
        source.write_text(C_SOURCE)
        subprocess.run(["gcc", "-O3", "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
        self.library = ctypes.CDLL(str(library))
        version = subprocess.run(["gcc", "--version"], capture_output=True, text=True, check=True).stdout
        self.version = version.splitlines()[0]
        self.state = np.array(start(words(SEED, 0), 0), np.uint64)
        self.shoe, self.endless = game(False), game(True)
        looked = self.shoe.lookups()
        self.tables = (
            looked.draws.ravel().astype(np.uint8),
            looked.shows.ravel().astype(np.uint16),
            looked.replies.ravel().astype(np.uint8),
            (8 * looked.place).ravel().astype(np.uint8),
        )
        axes = (axis.ravel() for axis in np.meshgrid(RANKS, RANKS, RANKS, RANKS, indexing="ij"))
        self.outcomes = self.endless.lookups().outcomes(*axes).astype(np.uint8)

    def from_shoe(self, coups: int) -> np.ndarray:
        """Counts of outcomes from a shoe in order."""
        counts = np.zeros(len(self.shoe.nets), np.int64)
        deck = np.concatenate([self.shoe.deck, [0, 0]]).astype(np.uint8)
        wide = ctypes.c_int64
        self.library.by_lookup(
            pointer(self.state),
            wide(coups),
            wide(self.shoe.need),
            pointer(deck),
            wide(len(self.shoe.deck)),
            *map(pointer, self.tables),
            wide(len(counts)),
            pointer(counts),
        )
        return counts

    def endlessly(self, coups: int) -> np.ndarray:
        """Counts of outcomes from an infinite shoe."""
        counts = np.zeros(len(self.shoe.nets), np.int64)
        size = ctypes.c_uint64(len(self.outcomes))
        self.library.by_table(
            pointer(self.state), ctypes.c_int64(coups), pointer(self.outcomes), size, pointer(counts)
        )
        return counts


def in_numpy(coups: int) -> np.ndarray:
    """Banks side by side, one coup of each at a time: as quick as this game goes in numpy."""
    dealing, rng = game(False), np.random.default_rng(SEED)
    looked, need = dealing.lookups(), dealing.need
    shows, replies = looked.shows.astype(np.uint8), looked.replies.astype(np.uint8)
    draws, place = looked.draws.astype(np.uint8), looked.place.astype(np.uint8)
    counts, size, wide = np.zeros(len(dealing.nets), np.int64), len(dealing.deck), 4096
    while counts.sum() < coups:
        deck = rng.permuted(np.tile(dealing.deck.astype(np.uint8), (wide, 1)), axis=1)
        flat, base, at = np.ravel(deck), np.arange(wide) * size, np.zeros(wide, np.int64)
        while len(at):
            first, own, third = (flat[base + at + step] for step in range(3))
            drew = draws[first, own]
            show = shows[first, own, third]
            fourth = flat[base + at + 2 + drew]
            reply = replies[own, show & 15, fourth]
            counts += np.bincount(place[show >> 4, reply & 31], minlength=len(counts))
            at = at + 2 + drew + (reply >> 5)
            on = at <= size - need
            at, base = at[on], base[on]
    return counts


def in_python(coups: int) -> list[int]:
    """The plain loop."""
    dealing, rng = game(False), random.Random(SEED)
    table, need = dealing.rules.payoff.table, dealing.need
    deck, counts, done = dealing.deck.tolist(), [0, 0, 0], 0
    while done < coups:
        rng.shuffle(deck)
        at = 0
        while len(deck) - at >= need and done < coups:
            first, own = deck[at], deck[at + 1]
            at += 2
            punter = first + 10 if first >= 7 else first
            banker = own + 10 if own >= 7 else own
            if first <= 5:
                punter = (first + deck[at]) % 10
                at += 1
            if own <= 5:
                banker = (own + deck[at]) % 10
                at += 1
            counts[table[punter][banker] + 1] += 1
            done += 1
    return counts


def rates(coups: int, rounds: int, *sides: Callable[[int], object]) -> list[float]:
    """Coups per second of CPU time of each side, taking turns; the best round of each."""
    best = [0.0] * len(sides)
    for _ in range(rounds):
        for place, side in enumerate(sides):
            begun = time.process_time()
            side(coups)
            best[place] = max(best[place], coups / (time.process_time() - begun))
    return best


def line(what: str, ours: float, other: str, theirs: float, least: str) -> None:
    """One comparison."""
    print(
        f"{what:<24} {ours / 1e6:8.1f}M/s   {other:<8} {theirs / 1e6:8.2f}M/s   ratio {ours / theirs:7.2f}  {least}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    shoe, endless = worker(game(False), SEED), worker(game(True), SEED)
    with tempfile.TemporaryDirectory() as folder:
        c = InC(folder)
        print(
            f"python {platform.python_version()}, numba {numba.__version__}, numpy {np.__version__}, {c.version};"
            f" {platform.machine()}"
        )
        for ours, theirs in ((shoe, c.from_shoe), (endless, c.endlessly)):
            assert (ours(0, 1_000_003).counts[0] == theirs(1_000_003)).all(), "C counts other outcomes"
        mine, gcc = rates(SHOE_COUPS, rounds, lambda coups: shoe(0, coups), c.from_shoe)
        line("shoe of 104 in order", mine, "C", gcc, "(to reach: 0.9)")
        (numpy_rate,) = rates(NUMPY_COUPS, rounds, in_numpy)
        line("", mine, "numpy", numpy_rate, "(to reach: 6)")
        (python_rate,) = rates(PYTHON_COUPS, rounds, in_python)
        line("", mine, "Python", python_rate, "")
        mine, gcc = rates(TABLE_COUPS, rounds, lambda coups: endless(0, coups), c.endlessly)
        line("infinite shoe", mine, "C", gcc, "(to reach: 0.9)")


if __name__ == "__main__":
    main()
