"""Chunks of a simulation without numba: many banks side by side in numpy arrays, one coup of each at a time.

The same rules as `analysis.deal_kernels`, told a second time for arrays [bank]; a test holds the two together.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.dealing import ALWAYS, RANKS, Dealing
from analysis.simulate import Tally, Work

_BANKS = 4096  # side by side, at most
_BUFFER = 64  # cards of an infinite shoe made at a time
Array = NDArray[Any]


def worker(dealing: Dealing, seed: int) -> Work:
    """What plays chunk number n of so many coups."""

    def work(number: int, coups: int) -> Tally:
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(number,)))
        total = Tally.empty(dealing.hands, len(dealing.nets))
        left = coups
        while left:
            outcomes, played = _Banks(dealing, rng, left).play()
            left -= _add(total, dealing, outcomes, played, left)
        return total

    return work


def _add(total: Tally, dealing: Dealing, outcomes: Array, played: Array, most: int) -> int:
    """Enter whole banks, [round, hand, bank] and coups [bank], until `most` coups: the last one is cut short."""
    before = np.cumsum(played) - played
    coups = np.clip(most - before, 0, played)
    coups = coups[coups > 0]
    counted = np.arange(len(outcomes))[:, None] < coups
    kinds, banks = len(dealing.nets), np.broadcast_to(np.arange(len(coups)), counted.shape)
    squares, cross = np.zeros_like(total.squares), np.zeros_like(total.cross)
    for hand in range(dealing.hands):
        cell = banks[counted] * kinds + outcomes[:, hand, : len(coups)][counted]
        counts = np.bincount(cell, minlength=len(coups) * kinds).reshape(-1, kinds)
        total.counts[hand] += counts.sum(0)
        rows = np.column_stack([counts @ dealing.nets, counts])
        squares[hand], cross[hand] = (rows**2).sum(0).tolist(), (rows * coups[:, None]).sum(0).tolist()
    banks_played = 0 if dealing.infinite else len(coups)
    coup_squares = 0 if dealing.infinite else int((coups**2).sum())
    total.add(Tally(np.zeros_like(total.counts), squares, cross, coup_squares, banks_played))
    return int(coups.sum())


class _Banks:
    """Banks side by side. `deck` [bank, place], the next card at `at`, the last before `end`."""

    def __init__(self, dealing: Dealing, rng: np.random.Generator, coups: int) -> None:
        self.dealing, self.rng = dealing, rng
        self.dry = dealing.rules.exhaustion == "stand" and not dealing.infinite
        banks = min(_BANKS, max(1, coups if dealing.infinite or dealing.limit == 1 else coups // 8))
        if dealing.infinite:
            self.deck = self._ranks(banks)
        else:
            self.deck = rng.permuted(np.tile(dealing.deck.astype(np.int8), (banks, 1)), axis=1)
        self.at, self.end = np.zeros(banks, np.int64), np.full(banks, self.deck.shape[1])
        self.cards = np.full((dealing.hands + 1, 3, banks), -1, np.int64)
        self.points = np.zeros((dealing.hands + 1, banks), np.int64)
        self.replaced, self.ended = np.zeros((2, dealing.hands + 1, banks), bool)

    def _ranks(self, banks: int) -> Array:
        return RANKS[self.rng.integers(0, len(RANKS), (banks, _BUFFER))].astype(np.int8)

    def play(self) -> tuple[Array, Array]:
        """Outcomes [round, hand, bank] and the coups of each bank; an infinite shoe is played for a few rounds."""
        dealing, played = self.dealing, np.zeros(len(self.at), np.int64)
        rounds: list[Array] = []
        whole = self.deck.shape[1]
        limit = 1 if dealing.infinite else dealing.limit
        need = 0 if dealing.infinite else dealing.need
        while True:
            on = np.flatnonzero((self.end - self.at >= need) & (self.end == whole) & (played < limit))
            if not len(on):
                return np.array(rounds), played
            found = np.zeros((dealing.hands, len(self.at)), np.int16)
            found[:, on] = self._coup(on)
            rounds.append(found)
            played[on] += 1

    def _coup(self, on: Array) -> Array:
        """One coup of the banks `on`: outcomes [hand, bank]."""
        dealing, last = self.dealing, self.dealing.hands
        self.cards[:, :, on] = -1
        self.points[:, on], self.replaced[:, on] = 0, False
        for place in range(dealing.rules.first_cards):
            for seat in range(last + 1):
                card = self._take(on)
                self.cards[seat, place, on] = card
                self.points[seat, on] = (self.points[seat, on] + card) % 10
        for seat in range(last + 1):
            self.ended[seat, on] = dealing.ends[int(seat == last), self.points[seat, on]]
        own = self.points[last].copy()
        first = own + 10 * (own >= 7)
        live = on[~self.ended[last, on]]
        for seat in range(last):
            self._turn(seat, live[~self.ended[seat, live]], None)
        met = live[~self.ended[:last, live].all(0)]
        third = self.cards[0, 2, met]
        column = np.where(third >= 0, dealing.columns[third], 0) if last == 1 else np.zeros(len(met), int)
        self._turn(last, met, column)
        codes, shown = self._codes(), self.ended[last]
        return np.array(
            [
                dealing.codes[codes[seat, on], np.where(shown | self.ended[seat], first, codes[last])[on]]
                for seat in range(last)
            ]
        )

    def _codes(self) -> Array:
        """Rows and columns of the payoff table [seat, bank]."""
        late = self.dealing.rules.natural_after_discard
        natural = (self.points >= 7) & (self.cards[:, 2] < 0) & (late | ~self.replaced)
        return np.asarray(self.points + 10 * natural)

    def _turn(self, seat: int, on: Array, column: Array | None) -> None:
        """One seat's turn in the banks `on`; `column`: what the banker saw there, None for a punter."""
        dealing, punter = self.dealing, column is None
        sight = np.zeros(len(self.at), int)
        if column is not None:
            sight[on] = column
        throws = dealing.throws[seat]
        again = on[self._servable(on) & (self.points[seat, on] == 0)] if throws[0] else on[:0]
        while len(again):
            self.cards[seat, 0, again] = -1
            card = self._take(again)
            self.cards[seat, 0, again] = self.points[seat, again] = card
            self.replaced[seat, again] = True
            if punter and dealing.rules.natural_after_discard:
                self.ended[seat, again] = dealing.ends[0, card]
            again = again[(card == 0) & self._servable(again)]
        on = on[~self.ended[seat, on]]
        wish = dealing.draws[seat, sight[on], self.points[seat, on]]
        drawing = on[(self.rng.integers(0, ALWAYS, len(on)) < wish) & self._servable(on)]
        card = self._take(drawing)
        again = np.flatnonzero((card == 0) & self._servable(drawing)) if throws[1] else drawing[:0]
        while len(again):
            card[again] = self._take(drawing[again])
            again = again[(card[again] == 0) & self._servable(drawing[again])]
        self.cards[seat, 2, drawing] = card
        self.points[seat, drawing] = (self.points[seat, drawing] + card) % 10

    def _servable(self, on: Array) -> Array:
        return self.at[on] < self.end[on] if self.dry else np.ones(len(on), bool)

    def _take(self, on: Array) -> Array:
        """The next card of each of these banks; an empty shoe is filled first."""
        for bank in on[self.at[on] == self.end[on]].tolist():
            self._fill(bank)
        card = self.deck[on, self.at[on]].astype(np.int64)
        self.at[on] += 1
        return card

    def _fill(self, bank: int) -> None:
        """Shuffle in all cards that no hand holds; an infinite shoe gets any cards."""
        self.at[bank] = 0
        if self.dealing.infinite:
            self.deck[bank] = self._ranks(1)[0]
            return
        held = self.cards[:, :, bank]
        left = self.dealing.full - np.bincount(held[held >= 0], minlength=10)
        self.end[bank] = left.sum()
        self.deck[bank, : self.end[bank]] = self.rng.permutation(np.repeat(np.arange(10), left))
