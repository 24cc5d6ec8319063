"""The equilibrium value of a small shoe from the whole game tree: the textbook's sequence form, nothing reduced.

Tree and rules are those of `brute.py`. Source: B. von Stengel, Efficient computation of behavior strategies (Games
and Economic Behavior 14, 1996): maximise the least that the banker's realisation plan leaves.
"""

from collections.abc import Mapping
from typing import Any

import brute
import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array

Sequence = tuple[Any, ...]


def _seen(table: brute.Table) -> Sequence:
    """What the seat to move goes by: two first cards by their points alone."""
    seen = table.seen()
    if table.rules["first_cards"] == 2:
        return (sum(seen[0]) % 10, *seen[1:])
    return seen


class Tree:
    """Sequences of both seats with their parents, and the expected net of each pair of last sequences."""

    def __init__(self, rules: Mapping[str, Any], counts: tuple[int, ...]) -> None:
        self.number: tuple[dict[Sequence, int], dict[Sequence, int]] = ({(): 0}, {(): 0})
        self.sets: tuple[dict[Sequence, tuple[int, list[int]]], ...] = ({}, {})
        self.net: dict[tuple[int, int], float] = {}
        for chance, table in brute.deals(rules, counts):
            self._walk(float(chance), table, (0, 0))

    def _walk(self, chance: float, table: brute.Table, last: tuple[int, int]) -> None:
        if table.turn == 2:
            self.net[last] = self.net.get(last, 0.0) + chance * table.net()[0]
            return
        seat, seen = table.turn, _seen(table)
        names = self.number[seat]
        _, options = self.sets[seat].setdefault(seen, (last[seat], []))
        for action in table.actions():
            number = names.setdefault((seen, action), len(names))
            if number not in options:
                options.append(number)
            now = (number, last[1]) if seat == 0 else (last[0], number)
            for part, then in table.after(action):
                self._walk(chance * float(part), then, now)

    def _plan(self, seat: int) -> csr_array:
        """Rows «what comes in goes out», the first: the empty sequence is played once."""
        rows, columns, values = [0], [0], [1.0]
        for row, (parent, options) in enumerate(self.sets[seat].values(), start=1):
            rows += [row] * (1 + len(options))
            columns += [parent, *options]
            values += [-1.0] + [1.0] * len(options)
        return csr_array((values, (rows, columns)), shape=(len(self.sets[seat]) + 1, len(self.number[seat])))

    def value(self) -> float:
        """Value of the game for the punter: max over plans x of the banker's least, by the dual of his program."""
        mine, other = self._plan(0), self._plan(1)
        pairs = np.array(list(self.net)).reshape(-1, 2)
        shape = (mine.shape[1], other.shape[1])
        net = csr_array((list(self.net.values()), (pairs[:, 0], pairs[:, 1])), shape=shape)
        plans, sets = shape[0], other.shape[0]
        worth = np.zeros(plans + sets)
        worth[plans] = -1.0  # the value of the banker's empty sequence
        rows = csr_array(np.hstack([-net.T.toarray(), other.T.toarray()]))
        start = np.zeros(mine.shape[0])
        start[0] = 1.0
        equal = csr_array(np.hstack([mine.toarray(), np.zeros((mine.shape[0], sets))]))
        bounds = [(0, None)] * plans + [(None, None)] * sets
        found = linprog(worth, A_ub=rows, b_ub=np.zeros(shape[1]), A_eq=equal, b_eq=start, bounds=bounds)
        assert found.status == 0, found.message
        return float(-found.fun)
