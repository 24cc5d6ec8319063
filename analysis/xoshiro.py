"""xoshiro256++ for compiled loops: the state travels in four locals, never in a global or an array.

Calling numpy's `Generator` inside a compiled loop costs twelve times as much. A stream is a function of
(seed, key, index) alone: `words` hashes the seed and the key of a chunk of work with numpy's `SeedSequence`,
`start` derives the state of one item (a session, a shoe) of that chunk, so an item's stream depends neither
on who computes it nor on what was computed before.

Source: D. Blackman and S. Vigna, Scrambled linear pseudorandom number generators (ACM TOMS 47, 2021); the state
is filled by SplitMix64, as the authors advise. Not for deals at a table: those come from `casino.chance`.
Importing this module imports numba: import it where a kernel is used.
"""

import numpy as np
from numpy.typing import NDArray

from analysis.compiled import compiled

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_A = np.uint64(0xBF58476D1CE4E5B9)
_MIX_B = np.uint64(0x94D049BB133111EB)
_17, _19, _23, _27 = np.uint64(17), np.uint64(19), np.uint64(23), np.uint64(27)
_30, _31, _41, _45 = np.uint64(30), np.uint64(31), np.uint64(41), np.uint64(45)


def words(seed: int, *key: int) -> NDArray[np.uint64]:
    """Four 64-bit words for the chunk of work `key` under `seed` (both non-negative)."""
    return np.random.SeedSequence(seed, spawn_key=key).generate_state(4, np.uint64).astype(np.uint64)


@compiled
def mix(word: np.uint64) -> np.uint64:
    """The finaliser of SplitMix64: a bijection of 64-bit words without visible structure."""
    word = (word ^ (word >> _30)) * _MIX_A
    word = (word ^ (word >> _27)) * _MIX_B
    return word ^ (word >> _31)


@compiled
def start(base: NDArray[np.uint64], index: int) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """The state of item `index` (from 0) of a chunk whose words are `base`. The zero state cannot arise."""
    shift = np.uint64(index + 1) * _GOLDEN
    a = mix(base[0] + shift)
    b = mix(base[1] + mix(a + shift))
    c = mix(base[2] + mix(b + shift))
    d = mix(base[3] + mix(c + shift)) | np.uint64(1)
    return a, b, c, d


@compiled
def step(
    a: np.uint64, b: np.uint64, c: np.uint64, d: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64, np.uint64]:
    """The next word of the stream, and the state after it: `word, a, b, c, d = step(a, b, c, d)`.

    Called from Python (tests), it gives plain ints: wrap them in `np.uint64` before the next call.
    """
    total = a + d
    word = ((total << _23) | (total >> _41)) + a
    shifted = b << _17
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= shifted
    d = (d << _45) | (d >> _19)
    return word, a, b, c, d
