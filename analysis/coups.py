"""Independent coups drawn in blocks: one random word brings several results, without bias.

With n outcomes the n^K sequences of K coups are one distribution. Its probabilities are cut into 2^16 cells of
a table; a word's upper bits pick a cell, and what the cells could not hold exactly is drawn from an alias table
(M. D. Vose, 1991) over the remainder with the full width of a second word. So probabilities are good to 2^-64 or the
last digits of a float, whichever is coarser; a table of 16 bits alone would be off by up to 2^-17 a cell.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from analysis.outcomes import Outcomes

MOST_SEQUENCES = 4096
LONGEST = 8
CELL_BITS = 16
EMPTY = 2**CELL_BITS - 1  # marks a cell whose draw goes to the remainder

# Columns of `blocks`: what a block of K coups does to a bankroll and to runs, in units of net numerators.
TOTAL, LOWEST, HIGHEST, FALL, LEAD, TRAIL, RUN, KEEPS = range(8)


@dataclass(frozen=True)
class CoupTable:
    """Tables for the kernels. `digits[s, j]` is the net (a numerator over `parts`) of coup j of sequence s.

    `blocks[s]`: sum of the nets; lowest and highest partial sum (highest at least 0); largest fall from a previous
    high inside; coups lost before the first win, after the last one, longest such run (pushes left out);
    -1 where no coup is won, so that a losing run goes on through the block, else 0.
    """

    length: int
    parts: int
    cells: NDArray[np.uint16]
    limits: NDArray[np.uint64]
    aliases: NDArray[np.uint64]
    shift: np.uint64
    digits: NDArray[np.int64]
    blocks: NDArray[np.int64]


@lru_cache(maxsize=64)
def coup_table(outcomes: Outcomes, *others: Outcomes) -> CoupTable:
    """The tables of a distribution, the same for every staking system: so systems see the same coups.

    Tables of other distributions, as of the same player's coups as banker, follow in the same arrays, each of the
    same size, with nets and what is to be covered over the same `parts`.
    """
    games = (outcomes, *others)
    parts = math.lcm(*(game.parts for game in games))
    most = max(len(game.nets) for game in games)
    length = 1
    while length < LONGEST and most ** (length + 1) <= MOST_SEQUENCES:
        length += 1
    bits = max(1, (most**length - 1).bit_length())
    found = [_game(game, parts, length, bits) for game in games]
    cells, limits, aliases, digits = (np.concatenate(part) for part in zip(*found, strict=True))
    return CoupTable(length, parts, cells, limits, aliases, np.uint64(64 - bits), digits, _blocks(digits))


def _game(
    outcomes: Outcomes, parts: int, length: int, bits: int
) -> tuple[NDArray[np.uint16], NDArray[np.uint64], NDArray[np.uint64], NDArray[np.int64]]:
    nets = np.array([int(net * parts) for net in outcomes.nets], dtype=np.int64)
    places = np.array(list(product(range(len(nets)), repeat=length)), dtype=np.int64)
    cells, rest = _cells(outcomes.floats[1][places].prod(axis=1))
    digits = np.zeros((1 << bits, length), dtype=np.int64)
    digits[: len(places)] = nets[places]
    return cells, *_alias(rest, bits), digits


def _cells(chances: NDArray[np.float64]) -> tuple[NDArray[np.uint16], NDArray[np.float64]]:
    scaled = chances * 2**CELL_BITS
    counts = np.floor(scaled).astype(np.int64)
    cells = np.full(2**CELL_BITS, EMPTY, dtype=np.uint16)
    cells[: counts.sum()] = np.repeat(np.arange(len(chances)), counts)
    return cells, scaled - counts


def _alias(weights: NDArray[np.float64], bits: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Vose's tables over 2^bits places: a place is taken if the word's lower bits are below its limit."""
    size, width = 1 << bits, 64 - bits
    share = np.zeros(size)
    total = weights.sum()
    share[: len(weights)] = weights * size / total if total else 1.0
    aliases = np.arange(size)
    small = [int(place) for place in np.flatnonzero(share < 1)]
    large = [int(place) for place in np.flatnonzero(share >= 1)]
    limits = np.ones(size)
    while small and large:
        low, high = small.pop(), large.pop()
        limits[low], aliases[low] = share[low], high
        share[high] -= 1 - share[low]
        (small if share[high] < 1 else large).append(high)
    whole = np.minimum(np.floor(limits * 2.0**width), 2.0**width - 1).astype(np.uint64)
    return whole, aliases.astype(np.uint64)


def _blocks(digits: NDArray[np.int64]) -> NDArray[np.int64]:
    blocks = np.zeros((len(digits), 8), dtype=np.int64)
    total, run = np.zeros(len(digits), dtype=np.int64), np.zeros(len(digits), dtype=np.int64)
    won = np.zeros(len(digits), dtype=bool)
    blocks[:, LOWEST] = np.iinfo(np.int64).max
    for coup in digits.T:
        total += coup
        blocks[:, LOWEST] = np.minimum(blocks[:, LOWEST], total)
        blocks[:, HIGHEST] = np.maximum(blocks[:, HIGHEST], total)
        blocks[:, FALL] = np.maximum(blocks[:, FALL], blocks[:, HIGHEST] - total)
        run = np.where(coup > 0, 0, run + (coup < 0))
        won |= coup > 0
        blocks[:, LEAD] += (coup < 0) & ~won
        blocks[:, RUN] = np.maximum(blocks[:, RUN], run)
    blocks[:, TOTAL], blocks[:, TRAIL], blocks[:, KEEPS] = total, run, np.where(won, 0, -1)
    return blocks
