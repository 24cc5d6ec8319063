"""Equilibrium with discards: the levels put together, both strategies rounded to fractions, exact best replies.

`lower` is what the rounded punter secures against any banker, `upper` what the rounded banker concedes to any
punter; both hold for play without the cap on discards, whose chance times what it could change is taken off.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np

from analysis.bilinear import Seen
from analysis.discard_level import Level
from analysis.discard_program import Solved, solve_level
from analysis.discard_tree import Array, CappedShoe
from casino.banking.rules import Rules

_ONE = 1 << 40  # strategies are rounded to multiples of 1 / _ONE
_LEAST = 1e-9  # a share below this is none
_GRAIN = 10**18  # bounds are widened to multiples of 1 / _GRAIN


@dataclass(frozen=True)
class Bounds:
    """What both sides secure, in stakes for the punter, and the levels, shallowest first."""

    lower: Fraction
    upper: Fraction
    levels: list[Solved]

    def punter(self) -> tuple[float | None, ...]:
        """Chance of drawing by points, nothing thrown yet; None where the punter has no turn or throws the zero."""
        top = self.levels[0]
        kept = np.ones(10)
        kept[0] -= top.e
        dealt = (top.level.stand.ways.reshape(-1, 10).sum(0) > 0) & (kept > _LEAST)
        return tuple(float(min(1.0, top.r[0, v] / kept[v])) if dealt[v] else None for v in range(10))

    def dealt_zero(self) -> float | None:
        """Chance of throwing the first dealt zero; None where the rules keep it."""
        return self.levels[0].e if self.levels[0].level.throws else None

    def drawn_zero(self) -> tuple[float | None, ...]:
        """Chance of throwing a drawn zero by first points; None where the punter never draws."""
        top = self.levels[0]
        if not top.level.last:
            return (None,) * 10
        return tuple(
            float(later / now) if now > _LEAST else None
            for now, later in zip(top.r[0], top.r[1], strict=True)
        )

    def banker(self) -> dict[Seen, float]:
        """Chance of drawing by what the banker sees, nothing thrown yet (a zero that he throws is left out)."""
        top, found = self.levels[0], {}
        hands = set(np.flatnonzero(top.level.shoe.left(np.zeros(10, int))).tolist())
        hands -= set(top.level.rules.banker_natural_ends)
        ways = np.concatenate([top.level.stand.ways.sum(1), top.level.draw.ways.sum(1)])
        for group, seen in enumerate(top.level.sights()):
            for points in sorted(hands) if ways[group] else ():
                kept, drawn = top.behaviour(group, points)
                if kept > _LEAST:
                    found[seen._replace(points=points)] = drawn / kept
        return found


def solve(rules: Rules, shoe: CappedShoe) -> Bounds:
    """Both strategies and exact bounds of the value. Cost: seconds, growing with the cube of the cap."""
    deepest = shoe.cap if rules.punter_discards in ("dealt", "both") else 0
    levels: list[Solved] = []
    later = (0.0, 0.0)
    for gone in range(deepest, -1, -1):
        level = solve_level(Level(rules, shoe, gone), later, levels[0] if levels else None)
        later = (level.lower, level.upper)
        levels.insert(0, level)
    lower = upper = Fraction(0)
    for level in reversed(levels):
        lower, upper = _secured(level, lower), _conceded(level, upper)
    payoff = rules.payoff
    slack = Fraction(shoe.beyond) * (payoff.worst_loss + payoff.worst_payout)
    return Bounds(
        Fraction(floor((lower / shoe.orders - slack) * _GRAIN), _GRAIN),
        Fraction(ceil((upper / shoe.orders + slack) * _GRAIN), _GRAIN),
        levels,
    )


def _integers(shares: Array) -> Array:
    return np.array(np.rint(shares * _ONE).astype(np.int64).tolist(), object)


def _secured(solved: Solved, later: Fraction) -> Fraction:
    """Ways times what the rounded plan of this level leaves against the best banker; `later`: the level below."""
    level, e = solved.level, round(solved.e * _ONE)
    r = _integers(solved.r)
    r[0, 0] = min(r[0, 0], _ONE - e)
    r = np.minimum.accumulate(r)
    total = Fraction(0)
    for batch, x in zip((level.stand, level.draw), level.weights(r, e, _ONE), strict=True):
        total += int((batch.costs(x, None, exact=True)[0] * x).sum())
    return level.settled() + (total + e * later) / _ONE


def _conceded(solved: Solved, later: Fraction) -> Fraction:
    """Ways times the best that a punter makes of the rounded mixtures of this level."""
    level = solved.level
    shares = _integers(solved.shares / solved.shares.sum(0))
    shares[0] += _ONE - shares.sum(0)
    stands = len(level.stand.gone)
    tables = []
    for side, batch in enumerate((level.stand, level.draw)):
        mine = shares[:, :stands] if side == 0 else shares[:, stands:]
        total: Array = np.zeros(batch.weight.shape, object)
        for plans, share in zip(solved.menu, mine, strict=True):
            groups = np.flatnonzero(share != 0)
            if len(groups):
                costs = batch.part(groups).costs(None, plans[side].part(groups), exact=True)[0]
                total[groups] += costs * share[groups, None]
        tables.append(total)
    return (
        level.settled() + _best_reply(level, tables[0].ravel(), level.spread(tables[1]), later * _ONE) / _ONE
    )


def _best_reply(level: Level, stand: Array, draw: Array, later: Fraction) -> Fraction:
    """The punter's best tree of choices: dealt zero thrown or not, stand or draw, drawn zero thrown or not."""
    limits, total = level.limits(), Fraction(0)
    for points in range(10):
        drawn: Any = 0
        for step in range(level.last, -1, -1):
            kept = draw[step, points, 0]
            drawn = sum(draw[step, points, 1:]) + (max(kept, drawn) if step < level.last else kept)
        options = [Fraction(stand[points])] if limits[points, 0] == 0 else []
        options += [Fraction(drawn)] if limits[points, 1] == 1 else []
        options += [later] if points == 0 and level.throws else []
        total += max(options)
    return total
