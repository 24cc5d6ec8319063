"""Bilinear games solved by linear programming: HiGHS finds a basis, integers make it exact.

The game is  base + gain·x + y·(offset + cross x)  over 0 <= x, y <= 1, x maximising (see `analysis.bilinear`). Its
linear program: maximise gain·x - sum(s) with s >= 0 and s >= -(offset + cross x). The basis that HiGHS ends on is
built up in an integer tableau (every entry over one common denominator, the last pivot) and pivoted on, if it
must be, until it is optimal without rounding. Sources: J. Edmonds and J.-F. Maurras, Note sur les Q-matrices
d'Edmonds (RAIRO 31, 1997) for integer pivoting; R. Bland, New finite pivoting rules for the simplex method
(Mathematics of Operations Research 2, 1977) against cycles.
"""

from fractions import Fraction
from typing import Any

import numpy as np

from analysis.bilinear import Bilinear
from analysis.linear_program import Floats, maximise

_NEAR = 1e-9  # a float this near a bound is taken to lie on it


def solve_float(game: Bilinear) -> tuple[Floats, Floats]:
    """Optimal x and y to the accuracy of HiGHS."""
    (rows, columns), unit = game.cross.shape, float(game.scale)
    if not columns:
        return np.zeros(0), (game.offset < 0).astype(float)
    if not rows:
        return (game.gain > 0).astype(float), np.zeros(0)
    best = maximise(
        np.concatenate([game.gain / unit, -np.ones(rows)]),
        np.hstack([-game.cross / unit, -np.eye(rows)]),
        game.offset / unit,
        [(0, 1)] * columns + [(0, None)] * rows,
    )
    return np.clip(best.x[:columns], 0, 1), np.clip(best.duals, 0, 1)


def solve_exact(game: Bilinear) -> tuple[list[Fraction], list[Fraction]]:
    """Optimal x and y as fractions, from the basis of HiGHS if that is optimal."""
    tableau = Tableau(game)
    tableau.adopt(*solve_float(game))
    tableau.optimise()
    return tableau.solution()


def bounds(game: Bilinear, x: list[Fraction], y: list[Fraction]) -> tuple[Fraction, Fraction]:
    """What x secures against every y, and what y concedes to any x: the value lies between them (in stakes)."""
    gain, offset, cross = (array.tolist() for array in (game.gain, game.offset, game.cross))
    rows = [free + _dot(row, x) for free, row in zip(offset, cross, strict=True)]
    columns = [free + _dot((row[place] for row in cross), y) for place, free in enumerate(gain)]
    lower = game.base + _dot(gain, x) + sum(min(row, Fraction(0)) for row in rows)
    upper = game.base + _dot(offset, y) + sum(max(column, Fraction(0)) for column in columns)
    return Fraction(lower) / game.scale, Fraction(upper) / game.scale


def _dot(numbers: Any, shares: list[Fraction]) -> Fraction:
    return sum((number * share for number, share in zip(numbers, shares, strict=True)), Fraction(0))


class Tableau:
    """Simplex tableau in Python integers: rows and the objective (last), over `unit`.

    Columns: x, 1 - x, s, slack of s (the dual of that row is y), right-hand side.
    """

    def __init__(self, game: Bilinear) -> None:
        self.rows, self.columns = rows, columns = game.cross.shape
        cross, offset, gain = (array.astype(object) for array in (game.cross, game.offset, game.gain))
        sign = np.array([1 if free < 0 else -1 for free in offset], object)
        table = np.zeros((columns + rows + 1, 2 * columns + 2 * rows + 1), object)
        for place in range(columns):
            table[place, [place, columns + place, -1]] = 1
        body = slice(columns, columns + rows)
        table[body, :columns] = sign[:, None] * cross
        table[body, 2 * columns : -1] = np.hstack([np.diag(sign), -np.diag(sign)])
        table[body, -1] = -sign * offset
        table[-1, :columns] = -gain
        table[-1, 2 * columns : 2 * columns + rows] = 1
        starts_on_s = [place for place in range(rows) if sign[place] == 1]
        for place in starts_on_s:
            table[-1] -= table[columns + place]
        self.table, self.unit = table, 1
        self.basis = [columns + place for place in range(columns)]
        self.basis += [2 * columns + place + rows * (sign[place] == -1) for place in range(rows)]

    def adopt(self, x: Floats, y: Floats) -> None:
        """Move to the basis of a float solution as far as it can be told; stay at the start if it is unusable."""
        kept = self.table.copy(), self.unit, list(self.basis)
        wanted = set(self._basis_of(x, y))
        for column in sorted(wanted - set(self.basis)):
            leaving = [
                row for row, basic in enumerate(self.basis) if basic not in wanted and self.table[row, column]
            ]
            if leaving:
                self._pivot(leaving[0], column)
        if any(self.table[:-1, -1] < 0):
            self.table, self.unit, self.basis = kept

    def _basis_of(self, x: Floats, y: Floats) -> list[int]:
        """Basic columns: of each x and 1 - x, and of each s and its slack, those that are not zero."""
        columns, rows = self.columns, self.rows
        wanted = [place for place in range(columns) if x[place] > _NEAR]
        wanted += [columns + place for place in range(columns) if x[place] < 1 - _NEAR]
        mixed = [place for place in range(rows) if _NEAR < y[place] < 1 - _NEAR]
        for place in range(rows):
            if place not in mixed:
                wanted.append(2 * columns + place + rows * (y[place] < 0.5))
        return wanted

    def optimise(self) -> None:
        """Primal simplex; the entering column is the first that gains (Bland), so that it ends."""
        while True:
            entering = next((place for place, cost in enumerate(self.table[-1, :-1]) if cost < 0), None)
            if entering is None:
                return
            ratios = [
                (Fraction(self.table[row, -1], self.table[row, entering]), self.basis[row], row)
                for row in range(len(self.basis))
                if self.table[row, entering] > 0
            ]
            self._pivot(min(ratios)[2], entering)

    def _pivot(self, row: int, column: int) -> None:
        table, pivot = self.table, self.table[row, column]
        kept = table[row].copy()
        table = (table * pivot - np.outer(table[:, column], kept)) // self.unit
        table[row] = kept
        if pivot < 0:
            table, pivot = -table, -pivot
        self.table, self.unit = table, pivot
        self.basis[row] = column

    def solution(self) -> tuple[list[Fraction], list[Fraction]]:
        """x and y of the present basis."""
        value = dict(zip(self.basis, self.table[:-1, -1], strict=True))
        x = [Fraction(value.get(place, 0), self.unit) for place in range(self.columns)]
        first = 2 * self.columns + self.rows
        y = [Fraction(self.table[-1, first + place], self.unit) for place in range(self.rows)]
        return x, y
