"""A bankroll under flat stakes as a walk on a lattice, and its first passage below ruin or up to a goal.

State u counts lattice steps above the least bankroll on which a coup can still be played (`need`), so the
player is ruined at the first u < 0, and has reached his goal at the first u >= `goal`. Whatever lies between
two lattice points (a bankroll of 10 1/2 with even money) is carried along and changes nothing.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.outcomes import BankrollError, Outcomes

MOST_WORK = 4 * 10**9  # multiply-adds of one answer: a few seconds of one core
_ROW_COST = 800  # to begin a coup's row of one outcome costs that many of them
_EXACT_COST = 40  # a step on exact integers costs that many of floats, and more as they grow
_TRIMMED = 1e-15  # probability that float answers may lose in all by cutting off far tails
_TRIM_EVERY = 32
_NEGLIGIBLE = 1e-18

Array = NDArray[Any]


@dataclass(frozen=True)
class Walk:
    """The lattice walk of `outcomes` played with a stake of 1 from `bankroll`, in stakes.

    `goal` is the bankroll at which he stops, None for never. `need` is the least bankroll on which a coup can be
    played: the stake, or the worst loss where that is more; a table on credit may ask for less.
    Raises BankrollError: a bankroll below `need`, a goal not above the bankroll.
    """

    outcomes: Outcomes
    bankroll: Fraction
    goal: Fraction | None = None
    need: Fraction = field(default=Fraction(0))

    def __post_init__(self) -> None:
        if self.need <= 0:
            object.__setattr__(self, "need", self.outcomes.need)
        if self.bankroll < self.need:
            raise BankrollError(
                f"the bankroll {_short(self.bankroll)} is below {_short(self.need)} stakes, the least on which a"
                " coup can be played: ruined from the start",
                pointer="/bankroll",
            )
        if self.goal is not None and self.goal <= self.bankroll:
            raise BankrollError(
                f"the goal {_short(self.goal)} must be above the bankroll {_short(self.bankroll)}",
                pointer="/goal",
            )

    @cached_property
    def steps(self) -> tuple[int, ...]:
        """Nets in lattice steps, ascending."""
        return tuple(int(net / self.outcomes.step) for net in self.outcomes.nets)

    @cached_property
    def start(self) -> int:
        """The state from which he starts, 0 or more."""
        return math.floor((self.bankroll - self.need) / self.outcomes.step)

    @cached_property
    def top(self) -> int | None:
        """The first state at the goal (above `start`), None without a goal."""
        if self.goal is None:
            return None
        return self.start + math.ceil((self.goal - self.bankroll) / self.outcomes.step)

    @property
    def down(self) -> int:
        """Most steps lost in a coup, 0 or more."""
        return max(0, -self.steps[0])

    @property
    def up(self) -> int:
        """Most steps won in a coup, 0 or more."""
        return max(0, self.steps[-1])

    @cached_property
    def chances(self) -> Array:
        """Probabilities of the steps as floats."""
        return self.outcomes.floats[1]

    @cached_property
    def long_chances(self) -> Array:
        """Probabilities of the steps in extended precision, where the platform has it."""
        pairs = [(str(p.numerator), str(p.denominator)) for p in self.outcomes.probabilities]
        return np.array([np.longdouble(top) / np.longdouble(bottom) for top, bottom in pairs])

    @cached_property
    def weights(self) -> tuple[int, ...]:
        """Exact integer weights of the steps; they add up to `total`."""
        return tuple(int(p * self.total) for p in self.outcomes.probabilities)

    @cached_property
    def total(self) -> int:
        """The least common denominator of the probabilities."""
        return math.lcm(*(p.denominator for p in self.outcomes.probabilities))

    @cached_property
    def drift(self) -> Fraction:
        """Expected move of a coup in lattice steps."""
        return self.outcomes.mean / self.outcomes.step

    def bankroll_at(self, state: int) -> Fraction:
        """The bankroll in a state, in stakes."""
        return self.bankroll + (state - self.start) * self.outcomes.step


@dataclass(frozen=True)
class Passage:
    """First passage within some coups, by forward recursion. Probabilities: floats, or integers over `scale`.

    `ruined[n]` and `reached[n]` are the chances that coup n (from 1; index 0 holds 0) brings ruin or the goal.
    `low[i]` is the chance of being ruined in state i - down, `high[i]` of reaching the goal in state goal + i,
    `alive[i]` of playing on in state `first + i` after the last coup.
    """

    ruined: Array
    reached: Array
    low: Array
    high: Array
    alive: Array
    first: int
    scale: int | None = None

    def value(self, mass: Any) -> Fraction | float:
        """A mass as a probability: a Fraction where exact, else a float."""
        return float(mass) if self.scale is None else Fraction(int(mass), self.scale)


def passage(walk: Walk, coups: int, *, exact: bool = False, whole: bool = True) -> Passage:
    """First passage of `walk` within `coups`. With `whole` false, states that can no longer be ruined are
    dropped (without a goal), so `alive` is not complete then.

    Floats are good to 1e-13 absolute. Raises BankrollError where the work exceeds the cap, or exact
    answers are asked of probabilities that are not exact.
    """
    check_coups(coups)
    check_work(walk, coups, exact=exact, whole=whole)
    front = _Front(walk, coups, exact=exact, whole=whole)
    for coup in range(1, coups + 1):
        front.play(coup)
        if not front.alive.size:
            break
    return front.result()


class _Front:
    """The forward recursion: the mass that plays on, and where the rest was absorbed."""

    def __init__(self, walk: Walk, coups: int, *, exact: bool, whole: bool) -> None:
        self.walk, self.coups, self.exact, self.whole = walk, coups, exact, whole
        kind: Any = object if exact else np.float64
        self.chances: Sequence[Any] = walk.weights if exact else [float(p) for p in walk.chances]
        self.first = walk.start
        self.alive = np.ones(1, dtype=kind)
        self.ruined, self.reached = np.zeros(coups + 1, dtype=kind), np.zeros(coups + 1, dtype=kind)
        self.low = np.zeros(walk.down, dtype=kind)
        self.high = np.zeros(max(walk.up, 1), dtype=kind)

    def play(self, coup: int) -> None:
        walk, size = self.walk, self.alive.size
        moved = np.zeros(size + walk.down + walk.up, dtype=self.alive.dtype)
        for step, chance in zip(walk.steps, self.chances, strict=True):
            at = walk.down + step
            moved[at : at + size] += chance * self.alive
        self.first -= walk.down
        if self.exact:  # every mass is over total ** coup: bring what was absorbed along
            self.low, self.high = self.low * walk.total, self.high * walk.total
            self.ruined[:coup] *= walk.total
            self.reached[:coup] *= walk.total
        self.alive = moved
        self._absorb(coup)
        self._drop(coup)

    def _absorb(self, coup: int) -> None:
        walk = self.walk
        if self.first < 0:
            lost = self.alive[: -self.first]
            self.ruined[coup] = lost.sum()
            self.low[walk.down + self.first : walk.down + self.first + lost.size] += lost
            self.alive, self.first = self.alive[lost.size :], 0
        if walk.top is not None and self.first + self.alive.size > walk.top:
            won = self.alive[max(0, walk.top - self.first) :]
            self.reached[coup] = won.sum()
            at = max(0, self.first - walk.top)
            self.high[at : at + won.size] += won
            self.alive = self.alive[: max(0, walk.top - self.first)]

    def _drop(self, coup: int) -> None:
        walk = self.walk
        if not self.whole and walk.top is None:
            self.alive = self.alive[: max(0, (self.coups - coup) * walk.down - self.first)]
        if self.exact or coup % _TRIM_EVERY or not self.alive.size:
            return
        budget = _TRIMMED * _TRIM_EVERY / self.coups / 2
        over = int(np.searchsorted(np.cumsum(self.alive[::-1]), budget))
        under = int(np.searchsorted(np.cumsum(self.alive), budget))
        self.alive = self.alive[under : max(under, self.alive.size - over)]
        self.first += under

    def result(self) -> Passage:
        scale = self.walk.total**self.coups if self.exact else None
        return Passage(self.ruined, self.reached, self.low, self.high, self.alive, self.first, scale)


def ruin_by_state(walk: Walk, coups: int) -> Array:
    """Chance of ruin within `coups`, without a goal, from state 0 up to where it falls below 1e-18 (floats).

    Backward recursion: one run answers for every bankroll at once. Raises BankrollError above the cap of work.
    """
    check_coups(coups)
    _check_rows(walk, coups)
    refuse_above(states_work(walk, coups), f"ruin within {coups} coups from every bankroll")
    chance = np.zeros(0)
    for _ in range(coups):
        size = chance.size + walk.down
        padded = np.concatenate([np.ones(walk.down), chance, np.zeros(walk.down + walk.up)])
        chance = np.zeros(size)
        for step, p in zip(walk.steps, walk.chances, strict=True):
            chance += p * padded[walk.down + step : walk.down + step + size]
        chance = chance[: np.searchsorted(-chance, -_NEGLIGIBLE)]
    return chance


def check_coups(coups: int) -> None:
    """Raise BankrollError where a number of coups is not a whole number from 1 on."""
    if isinstance(coups, bool) or not isinstance(coups, int) or coups < 1:
        raise BankrollError(f"coups must be a whole number from 1 on, not {coups!r}", pointer="/coups")


def check_work(walk: Walk, coups: int, *, exact: bool, whole: bool) -> None:
    """Raise BankrollError where `passage` would cost more than the cap, with the estimate."""
    check_exact(walk.outcomes, exact=exact)
    _check_rows(walk, coups)
    width = _width(walk, coups, exact=exact, whole=whole)
    work = passage_work(walk, coups, exact=exact, whole=whole)
    refuse_above(work, f"{coups} coups over about {width:.3g} bankrolls")


def passage_work(walk: Walk, coups: int, *, exact: bool = False, whole: bool = True) -> float:
    """About how many multiply-adds of floats `passage` takes."""
    work = coups * _width(walk, coups, exact=exact, whole=whole) * len(walk.steps)
    return work * _EXACT_COST * (1 + coups * math.log2(walk.total) / 4096) if exact else work


def _check_rows(walk: Walk, coups: int) -> None:
    """Raise BankrollError where the coups alone are too many, however few bankrolls each looks at."""
    refuse_above(coups * len(walk.steps) * _ROW_COST, f"{coups} coups one after another")


def states_work(walk: Walk, coups: int) -> float:
    """About how many multiply-adds `ruin_by_state` takes."""
    fall = coups * max(0.0, -float(walk.drift)) + _spread(walk, coups)
    return coups * min(coups * walk.down, fall) * len(walk.steps)


def _width(walk: Walk, coups: int, *, exact: bool, whole: bool) -> float:
    """About how many states are looked at for each coup."""
    width = coups * (walk.up + walk.down) + 1.0
    if walk.top is not None:
        width = min(width, float(walk.top))
    elif not whole:
        width = min(width, walk.start + coups * walk.up + 1.0, float(coups * walk.down + 1))
    if not exact:
        width = min(width, _spread(walk, coups) + _TRIM_EVERY * (walk.up + walk.down))
    return width


def _spread(walk: Walk, coups: int) -> float:
    """About how many states hold all but a negligible part of the mass after so many coups."""
    return 18 * walk.outcomes.deviation / float(walk.outcomes.step) * math.sqrt(coups) + walk.down + walk.up


def check_exact(outcomes: Outcomes, *, exact: bool) -> None:
    """Raise BankrollError where an exact answer is asked of probabilities that are not exact."""
    if exact and not outcomes.exact:
        raise BankrollError(
            "no exact answer for rounded probabilities: give them as fractions that add up to 1",
            pointer="/outcomes",
        )


def refuse_above(work: float, what: str) -> None:
    """Raise BankrollError where `work` multiply-adds are above the cap."""
    if work > MOST_WORK:
        raise BankrollError(
            f"too large: {what} would take about {work:.2g} steps (some {work / 10**9:.3g} s), the cap is"
            f" {MOST_WORK:.2g}; ask for less, or run an experiment",
            pointer="/coups",
        )


def _short(value: Fraction) -> str:
    return str(value) if value.denominator == 1 and abs(value) < 10**15 else f"{float(value):.6g}"
