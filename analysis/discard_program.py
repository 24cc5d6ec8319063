"""Equilibrium of one punter and a free banker who may throw zeros away: one level, in floats.

A linear program in the punter's realisation plan, where each thing the banker may have seen is worth what his
best plan leaves. Those plans are too many to list, so they are added as they turn out to be best replies, until
none is missing (J. E. Kelley, The cutting-plane method for solving convex programs, SIAM Journal 8, 1960).
`analysis.discard_equilibrium` puts the levels together and makes the answer exact.
"""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack, vstack

from analysis.discard_level import Level
from analysis.discard_tree import THROWN, Array, Plan, gather
from analysis.linear_program import Floats, maximise

_ROUNDS = 200
_TOLERANCE = 1e-11  # stakes a coup


class Share(NamedTuple):
    """A group of situations, the number of a plan, and how often the banker plays it there."""

    group: int
    plan: int
    share: float


@dataclass
class Cuts:
    """Best replies of the banker so far: group by group, what each leaves as a linear function of (r, e).

    Groups are numbered through, those who stood before those who drew. A row is in units of its group's ways.
    """

    level: Level
    plans: list[tuple[Plan, Plan]] = field(default_factory=list)
    rows: list[Any] = field(default_factory=list)
    free: list[Floats] = field(default_factory=list)
    group: list[NDArray[np.int64]] = field(default_factory=list)
    number: list[NDArray[np.int64]] = field(default_factory=list)

    def __post_init__(self) -> None:
        level = self.level
        self.scale = np.concatenate([level.stand.ways.sum(1), level.draw.ways.sum(1)])
        self.scale[self.scale == 0] = 1.0
        self.variables = level.plan_size + 1

    def add(self, costs: tuple[Array, Array], plans: tuple[Plan, Plan], wanted: NDArray[np.bool_]) -> None:
        """Enter a plan for the groups that want it."""
        chosen = np.flatnonzero(wanted)
        unit = 1 / self.scale[chosen]
        rows, free = self.level.linear(*costs)
        self.rows.append(rows[chosen].multiply(unit[:, None]).tocsr())
        self.free.append(free[chosen] * unit)
        self.group.append(chosen)
        self.number.append(np.full(len(chosen), len(self.plans)))
        self.plans.append(plans)

    def model(self, vector: Floats) -> Floats:
        """What the cuts leave of each group, in ways."""
        found = np.full(len(self.scale), np.inf)
        for rows, free, group in zip(self.rows, self.free, self.group, strict=True):
            np.minimum.at(found, group, (rows @ vector + free) * self.scale[group])
        return found

    def program(self, later: float, scale: float) -> tuple[Floats, float, list[Share]]:
        """The punter's best (r, e) against these cuts, its value, and the banker's mixture of plans.

        `later` is the worth of throwing the dealt zero; it and the value are in units of `scale` ways.
        """
        count, groups, owner = self.variables, len(self.scale), np.concatenate(self.group)
        places = np.arange(len(owner))
        of_group = csr_array((np.ones(len(owner)), (places, owner)), shape=(len(owner), groups))
        fixed, order, whole = self.level.polytope()
        order, whole = (hstack([part, csr_array((part.shape[0], groups))]) for part in (order, whole))
        worth = np.concatenate([np.zeros(count), self.scale / scale])
        worth[count - 1] = later
        best = maximise(
            worth,
            vstack([hstack([-vstack(self.rows), of_group]), order, whole]),
            np.concatenate([*self.free, np.zeros(order.shape[0]), [1.0]]),
            [*map(tuple, fixed), *[(None, None)] * groups],
            equal=whole if self.level.must_act_on_zero else None,
            to=[1.0] if self.level.must_act_on_zero else None,
        )
        shares = best.duals[: len(owner)] * scale / self.scale[owner]
        numbers = np.concatenate(self.number)
        mixture = [
            Share(int(owner[at]), int(numbers[at]), float(shares[at]))
            for at in np.flatnonzero(shares > 1e-12)
        ]
        return best.x[:count], best.value, mixture


@dataclass
class Solved:
    """A level solved in floats: the punter's plan (r, e) and what it secures, in stakes over all coups; `menu`
    holds, for each rank p, every group's p-th plan (the first again where it has fewer), `shares` [p, group]."""

    level: Level
    r: Floats
    e: float
    lower: float
    upper: float
    menu: list[tuple[Plan, Plan]]
    shares: Floats
    rounds: int

    def behaviour(self, group: int, points: int) -> tuple[float, float]:
        """How often the banker keeps a first card of these points, and how often he keeps it and draws."""
        kept = drawn = 0.0
        stands = len(self.level.stand.gone)
        side, place = (0, group) if group < stands else (1, group - stands)
        for plans, share in zip(self.menu, self.shares[:, group].tolist(), strict=True):
            plan, gone = plans[side], self.level.gone
            if points or plan.zero[gone, place] != THROWN:
                kept += share
                drawn += share * bool(plan.draws[gone, place, points])
        return kept, drawn


def solve_level(level: Level, later: tuple[float, float], below: Solved | None) -> Solved:
    """Cutting planes until the bounds of this level meet; `below` is the next deeper level, solved."""
    orders = float(level.shoe.orders)
    fixed = level.settled() / orders
    scale = float(level.stand.ways.sum() + level.draw.ways.sum()) or 1.0
    cuts = Cuts(level)
    r, e = level.first_guess() if below is None else level.adapt(below.r)
    for plans in below.menu if below is not None else []:
        shifted = (
            plans[0].shifted(level.stand.weight.shape[0]),
            plans[1].shifted(level.draw.weight.shape[0]),
        )
        costs = level.stand.costs(None, shifted[0], False)[0], level.draw.costs(None, shifted[1], False)[0]
        cuts.add(costs, shifted, np.ones(len(cuts.scale), bool))
    best, value, mixture = (-np.inf, r, e), np.inf, list[Share]()
    rounds = 0
    while value * scale / orders - best[0] > _TOLERANCE and rounds < _ROUNDS:
        rounds += 1
        weights = level.weights(r, e, 1.0)
        stand, stand_plan = level.stand.costs(weights[0], None, exact=False)
        draw, draw_plan = level.draw.costs(weights[1], None, exact=False)
        worth = np.concatenate([(stand * weights[0]).sum(1), (draw * weights[1]).sum(1)])
        secured = worth.sum() / orders + e * later[0]
        if secured > best[0]:
            best = (secured, r, e)
        missing = worth < cuts.model(np.append(r.ravel(), e)) - 1e-13 * cuts.scale
        if rounds > 1 and not missing.any():
            break
        cuts.add((stand, draw), (stand_plan, draw_plan), missing)
        vector, value, mixture = cuts.program(later[1] * orders / scale, scale)
        r = np.minimum.accumulate(np.clip(vector[:-1], 0, 1).reshape(-1, 10))
        e = float(np.clip(vector[-1], 0, 1))
    menu, shares = _menu(cuts, mixture)
    return Solved(
        level, best[1], best[2], best[0] + fixed, value * scale / orders + fixed, menu, shares, rounds
    )


def _menu(cuts: Cuts, mixture: list[Share]) -> tuple[list[tuple[Plan, Plan]], Floats]:
    """The mixture by rank, likeliest plan first."""
    groups, stands = len(cuts.scale), cuts.level.stand.weight.shape[0]
    options: list[list[Share]] = [[] for _ in range(groups)]
    for item in sorted(mixture, key=lambda item: -item.share):
        options[item.group].append(item)
    ranks = max(1, *map(len, options))
    shares = np.zeros((ranks, groups))
    number = np.zeros((ranks, groups), int)
    for owners, numbers in zip(cuts.group, cuts.number, strict=True):
        number[:, owners] = numbers  # the last plan entered, for a group that the program gave no weight
    for group, items in enumerate(options):
        number[:, group] = items[0].plan if items else number[:, group]
        shares[0, group] = 1.0
        for rank, item in enumerate(items):
            number[rank, group], shares[rank, group] = item.plan, item.share
    menu = [
        (gather([s for s, _ in cuts.plans], row[:stands]), gather([d for _, d in cuts.plans], row[stands:]))
        for row in number
    ]
    return menu, shares
