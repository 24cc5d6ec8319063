"""Chunks of a simulation through the compiled loops of `analysis.deal_kernels`, the quickest that fits.

Importing this module imports numba.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis import deal_kernels as kernels
from analysis.dealing import RANKS, Dealing
from analysis.simulate import Tally, Work
from analysis.strategies import banker_table, punter_table
from analysis.xoshiro import words
from casino.banking.presets import PRESETS
from casino.banking.rules import build

_BUFFER = 512  # cards of an infinite shoe made at a time; a coup starts with `_RESERVE` of them
_RESERVE = 64
_NEVER = 1 << 62


def worker(dealing: Dealing, seed: int) -> Work:
    """What plays chunk number n of so many coups."""
    if dealing.infinite and dealing.simple:
        play = _by_table(dealing)
    elif dealing.packed:
        play = _by_lookup(dealing)
    else:
        play = _by_card(dealing)
    hands, outcomes = dealing.hands, len(dealing.nets)

    def work(number: int, coups: int) -> Tally:
        counts = np.zeros((hands, outcomes), np.int64)
        sums = np.zeros((hands, outcomes + 2, 2), np.int64)
        play(words(seed, number), coups, counts, sums)
        # One chunk fits 64 bits; the sums over chunks are Python integers.
        squares, cross = sums[:, :-1, kernels.SQUARES], sums[:, :-1, kernels.CROSS]
        coup_squares, banks = (0, 0) if dealing.infinite else sums[0, -1].tolist()
        return Tally(counts, squares.astype(object), cross.astype(object), coup_squares, banks)

    return work


Play = Callable[[NDArray[np.uint64], int, Any, Any], None]


def _by_table(dealing: Dealing) -> Play:
    lookups = dealing.lookups()
    v, b, w, c = (axis.ravel() for axis in np.meshgrid(RANKS, RANKS, RANKS, RANKS, indexing="ij"))
    outcomes = lookups.outcomes(v, b, w, c).astype(np.uint8)

    def play(base: NDArray[np.uint64], coups: int, counts: Any, sums: Any) -> None:
        kernels.by_table(base, coups, outcomes, counts[0])

    return play


def _by_lookup(dealing: Dealing) -> Play:
    lookups, nets = dealing.lookups(), dealing.nets.astype(np.int64)
    flat = (
        lookups.draws.ravel().astype(np.uint8),
        lookups.shows.ravel().astype(np.uint16),
        lookups.replies.ravel().astype(np.uint8),
        (8 * lookups.place).ravel().astype(np.uint8),
    )
    settings = np.array([dealing.need, dealing.limit, dealing.mixed], np.int64)
    cards = np.concatenate([dealing.deck, [0, 0]]).astype(np.uint8)

    def play(base: NDArray[np.uint64], coups: int, counts: Any, sums: Any) -> None:
        room = cards.copy(), np.zeros(len(nets), np.int64)
        kernels.by_lookup(base, coups, settings, flat, nets, room, counts[0], sums[0])

    return play


def _by_card(dealing: Dealing) -> Play:
    book, settling = by_card_book(dealing)

    def play(base: NDArray[np.uint64], coups: int, counts: Any, sums: Any) -> None:
        shoe, hands = by_card_shoe(dealing)
        room = hands, np.zeros(counts.shape, np.int64)
        kernels.by_card(base, coups, shoe, book, settling, room, counts, sums)

    return play


def by_card_book(dealing: Dealing) -> tuple[Any, Any]:
    """What the rules and policies say, and what hands are settled by: for `kernels.by_card` and `kernels.by_bank`."""
    rules, ends, infinite = dealing.rules, dealing.ends, dealing.infinite
    shown = np.array([ends[0]] * dealing.hands + [ends[1]])
    flags = np.zeros(kernels.FLAGS, np.int64)
    flags[kernels.FIRST_CARDS] = rules.first_cards
    flags[kernels.NEED] = _RESERVE if infinite else dealing.need
    flags[kernels.LIMIT] = _NEVER if infinite else dealing.limit
    flags[kernels.MIXED], flags[kernels.DRY] = dealing.mixed, rules.exhaustion == "stand" and not infinite
    flags[kernels.LATE_NATURAL] = rules.natural_after_discard
    settling = (dealing.codes.astype(np.int64), dealing.nets.astype(np.int64))
    return (dealing.draws, dealing.throws, shown, dealing.columns, flags), settling


def by_card_shoe(dealing: Dealing) -> tuple[Any, Any]:
    """Room for the shoe, and for the hands."""
    deck = np.zeros(_BUFFER if dealing.infinite else len(dealing.deck), np.uint8)
    return (deck, dealing.full, dealing.infinite), np.full((dealing.hands + 1, kernels.HAND), -1)


def warm() -> None:
    """Compile every loop, or load it from disk, so that a first request need not wait."""
    for preset, infinite in (("russian-even", True), ("russian-even", False), ("punto-banco", False)):
        rules = build(PRESETS[preset][1], {})
        punter, banker = punter_table("textbook", rules), banker_table("rules", rules)
        worker(Dealing(rules, (punter,), banker, infinite), 0)(0, 1)
