"""Compiled odds with two first cards: the sums of `analysis.rote_pairs`, for one shoe or many, in exact integers.

Every weight is a number of ordered ways, below 416!/410! < 2^53; times a net of up to 100 below 2^63.
Importing this module imports numba: import it where a kernel is used.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analysis.compiled import compiled

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

STOOD, HIDDEN = 0, 11  # as in `analysis.strategies`
STAND, DREW, PLAYED, SHOWN = range(4)
PARTS = 4
BEST = 2


class Pairs(NamedTuple):
    """Rules and policies as the kernels take them.

    `pays[punter code, banker code, layer]`: the net in layer 0 and, where distributions are asked, 1 for one outcome
    in each further layer. `gone`: 1, or 0 for an infinite shoe. `draws[column, points]`: does the banker draw?
    `met[points]`: 0 for his naturals that are shown at once; `shown[points]`: 1 for the punter's. `codes[points]` of
    hands that stand. `choice[points]` of the punter: 0 stands, 1 draws, 2 as is best; `may[points]` = (stand, draw).
    """

    pays: Ints
    gone: int
    banker_draws: int
    punter_draws: int
    face_up: int
    draws: Ints
    met: Ints
    shown: Ints
    codes: Ints
    choice: Ints
    may: Ints


@compiled
def column_of(pairs: Pairs, third: int) -> int:
    """Column of the banker's table after the third card."""
    return 1 + third if pairs.face_up else HIDDEN


@compiled
def _pair_turn(pairs: Pairs, left: Ints, own: int, column: int, out: Ints, weight: int) -> None:
    """Add the banker's turn with two first cards, by their points, as `rote_pairs` counts them."""
    pays, gone = pairs.pays, pairs.gone
    rest = left.sum() - 2 * gone if pairs.banker_draws else 1
    for points in range(10):
        if not pairs.met[points]:
            continue
        count = 0
        for card in range(10):
            count += left[card] * (left[points - card] - gone * (2 * card % 10 == points))
        if pairs.draws[column, points]:
            for card in range(10):
                fewer = 2 * gone * (left[points - card] - gone * (2 * card % 10 == points))
                ways = weight * left[card] * (count - fewer)
                for layer in range(out.size):
                    out[layer] += ways * pays[own, (points + card) % 10, layer]
        else:
            for layer in range(out.size):
                out[layer] += weight * count * rest * pays[own, pairs.codes[points], layer]


@compiled
def _pair_first(pairs: Pairs, left: Ints, own: int, met: int, out: Ints, weight: int) -> None:
    """Add the banker's first pairs that do (`met` 0: do not) come to a turn, nobody drawing."""
    for points in range(10):
        if pairs.met[points] == met:
            count = 0
            for card in range(10):
                count += left[card] * (left[points - card] - pairs.gone * (2 * card % 10 == points))
            for layer in range(out.size):
                out[layer] += weight * count * pairs.pays[own, pairs.codes[points], layer]


@compiled
def two_cards(pairs: Pairs, counts: Ints, lines: Ints) -> int:
    """One shoe. Fills `lines[part, points, layer]`, in ordered ways of all cards that may be dealt: standing, drawing,
    the policy (or the best, hand by hand) and a banker's natural that ends the coup. Gives their denominator.
    """
    gone = pairs.gone
    left = counts.copy()
    total = counts.sum()
    lines[:] = 0
    stand, drew = np.zeros(lines.shape[2], np.int64), np.zeros(lines.shape[2], np.int64)
    third = total - (4 + pairs.banker_draws) * gone if pairs.punter_draws else 1
    rest = total - 4 * gone if pairs.punter_draws else 1
    if pairs.banker_draws:
        rest *= total - (4 + pairs.punter_draws) * gone
    for low in range(10):
        for high in range(low, 10):
            weight = left[low] * (left[high] - gone * (low == high)) * (1 + (low != high))
            if weight == 0:
                continue
            left[low] -= gone
            left[high] -= gone
            points = (low + high) % 10
            own = pairs.codes[points]
            stand[:] = 0
            drew[:] = 0
            _pair_first(pairs, left, own, 0, lines[SHOWN, points], weight * rest)
            if pairs.shown[points]:
                _pair_first(pairs, left, own, 1, stand, weight * rest)
            else:
                if pairs.may[points, 0]:
                    _pair_turn(pairs, left, own, STOOD, stand, weight * third)
                if pairs.may[points, 1]:
                    _pair_drawn(pairs, left, points, weight, drew)
            lines[STAND, points] += stand
            lines[DREW, points] += drew
            draws = pairs.choice[points] == 1 or (pairs.choice[points] == BEST and drew[0] > stand[0])
            lines[PLAYED, points] += drew if draws else stand
            left[low] += gone
            left[high] += gone
    den: int = total * (total - gone) * (total - 2 * gone) * (total - 3 * gone) * rest
    return den


@compiled
def _pair_drawn(pairs: Pairs, left: Ints, points: int, weight: int, out: Ints) -> None:
    for d in range(10):
        if left[d]:
            ways = weight * left[d]
            left[d] -= pairs.gone
            _pair_turn(pairs, left, (points + d) % 10, column_of(pairs, d), out, ways)
            left[d] += pairs.gone


@compiled
def two_cards_many(pairs: Pairs, shoes: Ints, evs: Floats) -> None:
    """EVs over shoes `[s, points]`."""
    lines = np.zeros((PARTS, 10, pairs.pays.shape[2]), np.int64)
    for s in range(len(shoes)):
        den = two_cards(pairs, shoes[s], lines)
        evs[s] = (lines[PLAYED, :, 0].sum() + lines[SHOWN, :, 0].sum()) / den
