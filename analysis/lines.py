"""Lines of play from the middle of a coup: what is still to come, dealt from the cards that a seat has not seen.

A line takes some cards that are no zeros (a multiset) and so many zeros. Its weight is the number of ordered ways to
take them from the unseen cards, times the weighted ways of giving the concealed cards of other seats what is left
(see `analysis.posterior`), on one denominator. Zeros thrown one after another are sums over the number of zeros:
`Lines.weights[k]` are the weights summed k times over all numbers of zeros from there on.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations_with_replacement, product
from math import prod
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from analysis.posterior import Concealed, kinds_of

Row = NDArray[Any]  # integers of any size, or floats
Cards = tuple[int, ...]
OTHERS: Final = tuple(range(1, 10))
_SUMS: Final = 2
_SLACK: Final = 3  # zeros that are kept, beyond those thrown: one of the punter, two of the banker


@dataclass(frozen=True)
class Unseen:
    """Cards by points that a seat has not seen; `held`: weights by points of each that another seat holds, as far as
    they tell anything (a card of which nothing is known may as well lie in the shoe). `left`: cards in the shoe; None:
    all that no hand is known to hold.
    """

    pool: tuple[int, ...]
    held: tuple[tuple[int, ...], ...] = ()
    left: int | None = None

    @property
    def free(self) -> int:
        """Cards that may lie in the shoe."""
        return sum(self.pool) - len(self.held)

    @property
    def possible(self) -> bool:
        """Can the held cards be given at all?"""
        return bool(self.served((), 0)[0])

    @cached_property
    def classes(self) -> tuple[int, ...]:
        """The class of each number of points: those of one class have the same weights; a zero has its own."""
        order: list[object] = [None]
        classes = [0]
        for points in OTHERS:
            key = tuple(weights[points] for weights in self.held)
            if key not in order:
                order.append(key)
            classes.append(order.index(key))
        return tuple(classes)

    @cached_property
    def _concealed(self) -> Concealed:
        by_class = [self.classes.index(each) for each in range(1 + max(self.classes))]
        return Concealed(kinds_of([tuple(weights[at] for at in by_class) for weights in self.held])[0])

    def served(self, taken: Sequence[int], zeros: int) -> list[int]:
        """Weighted ways of giving the held cards theirs once cards of the classes `taken` are gone, by 0 … `zeros`
        zeros gone."""
        if not self.held:
            return [1] * (zeros + 1)
        pool = [0] * (1 + max(self.classes))
        for points in OTHERS:
            pool[self.classes[points]] += self.pool[points]
        for each in taken:
            pool[each] -= 1
        if min(pool) < 0:
            return [0] * (zeros + 1)
        nothing = [[0] * len(pool)] * len(self._concealed.kinds)
        others = self._concealed.over(pool, nothing, range(1, len(pool)))
        if not any(weights[0] for weights in self.held):
            return [others[-1].ways] * (zeros + 1)
        found = []
        for gone in range(zeros + 1):
            pool[0] = max(self.pool[0] - gone, 0)
            found.append(self._concealed.whole(pool, nothing, 0, others).ways)
        return found


@lru_cache(maxsize=8)
def _multisets(most: int) -> tuple[Cards, ...]:
    return tuple(taken for size in range(most + 1) for taken in combinations_with_replacement(OTHERS, size))


@lru_cache(maxsize=8)
def _places(most: int) -> dict[Cards, int]:
    return {taken: place for place, taken in enumerate(_multisets(most))}


@lru_cache(maxsize=4096)
def _rows(most: int, taken: Cards, *more: Cards) -> NDArray[np.int64]:
    places = _places(most)
    return np.array([places[tuple(sorted(taken + cards))] for cards in product(*more)])


class Lines:
    """Weights of all lines of up to `length` cards that take up to `most` others than zeros, and up to `zeros` zeros.

    Exact integers on one denominator, or floats; an array [place of the cards, zeros].
    """

    def __init__(self, unseen: Unseen, length: int, most: int, zeros: int, exact: bool) -> None:
        self.most, self.zeros = most, zeros
        kind: type = object if exact else float
        weights: Row = np.zeros((len(_multisets(most)), zeros + 1 + _SLACK), kind)
        # Zeros in columns; some more columns of nothing, which lines that keep zeros look into.
        weights[:, : zeros + 1] = self._ways(unseen, kind) * self._served(unseen, kind)
        weights[:, : zeros + 1] *= self._scale(unseen.free, length, kind)
        self.weights: list[Row] = [weights]
        for _ in range(_SUMS):
            self.weights.append(np.add.accumulate(self.weights[-1][:, ::-1], axis=1)[:, ::-1])

    def rows(self, taken: Cards, *more: Cards) -> NDArray[np.int64]:
        """The places of lines with the cards `taken` and one of each of `more`, in lexical order."""
        return _rows(self.most, taken, *more)

    def _ways(self, unseen: Unseen, kind: type) -> Row:
        """Ordered ways of the cards: others by zeros."""
        pool = unseen.pool
        others = [
            prod(max(pool[card] - taken[:place].count(card), 0) for place, card in enumerate(taken))
            for taken in _multisets(self.most)
        ]
        zeros = [prod(range(pool[0] - gone + 1, pool[0] + 1)) for gone in range(self.zeros + 1)]
        return np.multiply.outer(np.array(others, kind), np.array(zeros, kind))

    def _served(self, unseen: Unseen, kind: type) -> Row:
        """Weighted ways of the cards that others hold."""
        if not unseen.held:
            return np.ones((1, 1), kind)
        known: dict[Cards, list[int]] = {}
        found = []
        for taken in _multisets(self.most):
            key = tuple(sorted(unseen.classes[card] for card in taken))
            if key not in known:
                known[key] = unseen.served(key, self.zeros)
            found.append(known[key])
        return np.array(found, kind)

    def _scale(self, free: int, length: int, kind: type) -> Row:
        """What brings lines of each length to one denominator; 0 for longer ones, of which there are none."""
        scale = [prod(range(free - length + 1, free - used + 1)) for used in range(length + 1)]
        scale += [0] * (self.most + self.zeros - length)
        sizes = np.array([len(taken) for taken in _multisets(self.most)])
        found: Row = np.array(scale, kind)[sizes[:, None] + np.arange(self.zeros + 1)]
        return found
