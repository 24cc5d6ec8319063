"""Staking systems as data. Each is compiled to a few integers that one interpreter plays (`analysis.machine`).

Every stake is a whole number of chips, at least the table's minimum, at most its maximum, on its step, and never
more than the bankroll covers at the worst loss of a coup. So at a limit every system gives way: a wish above the
maximum, or above what is covered, is cut; one below the minimum is raised. What a system does *after* a limit is
told in its `at_limit`. A win is any net above 0, a loss any below 0; a push changes nothing.

None of them changes the expectation per chip staked: they trade many small wins for a few large losses or the
other way round (L. E. Dubins and L. J. Savage, How to Gamble If You Must, 1965).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from analysis import machine
from analysis.kelly import kelly
from analysis.outcomes import BankrollError, Outcomes, rational
from casino.options import Schema, check

MOST_STEPS = 4096  # of a ladder
_FINEST = 2**15  # denominator of a fraction of the bankroll: bankrolls stay below 2**47, products below 2**62
_CHIPS: Schema = {"type": "integer", "minimum": 1, "maximum": 10**12}

Ladder = tuple[list[int], list[int], list[int]]  # stakes in chips, where to go after a loss, after a win
Options = Mapping[str, Any]


@dataclass(frozen=True)
class StakeLimits:
    """A table's limits in chips: from `min` to `max` in steps of `step`. Raises BankrollError where they clash."""

    min: int
    max: int
    step: int = 1

    def __post_init__(self) -> None:
        check({"min": self.min, "max": self.max, "step": self.step}, LIMITS_SCHEMA, "/limits")
        if self.min > self.max or (self.max - self.min) % self.step:
            raise BankrollError(
                f"max {self.max} must be reached from min {self.min} in steps of {self.step}",
                pointer="/limits/max",
            )

    def nearest(self, wish: int) -> int:
        """The stake that the table takes for a wish: raised to min, cut to max, rounded down to the step."""
        held = min(max(wish, self.min), self.max)
        return held - (held - self.min) % self.step


LIMITS_SCHEMA: Final[Schema] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {"min": _CHIPS, "max": _CHIPS, "step": _CHIPS},
    "required": ["min", "max"],
}


@dataclass(frozen=True)
class Plan:
    """A system compiled for a table and a game: the tape that `analysis.machine` interprets."""

    tape: NDArray[np.int64]

    @property
    def flat(self) -> int | None:
        """The stake q where it never changes and is the table's least, so that ruin is the only thing to watch."""
        alone = self.tape[machine.KIND] == machine.LADDER and len(self.tape) == machine.ROWS + machine.ROW
        stake = int(self.tape[machine.ROWS + machine.STAKE])
        return stake if alone and stake == self.tape[machine.LEAST] else None

    @property
    def highest(self) -> int:
        """Chips that no stake exceeds."""
        most, parts = int(self.tape[machine.MOST]), int(self.tape[machine.PARTS])
        if self.tape[machine.KIND] == machine.LADDER:
            most = int(self.tape[machine.ROWS + machine.STAKE :: machine.ROW].max())
        return most * parts

    @property
    def least_bankroll(self) -> int:
        """Chips below which no stake is covered: ruin."""
        return int(self.tape[machine.LEAST] * self.tape[machine.COVER])


@dataclass(frozen=True)
class System:
    """One system of the list: its options, what it does, and what it does after a limit was met."""

    text: str
    at_limit: str
    options: Mapping[str, Schema]
    build: Callable[[Options, StakeLimits, Outcomes], "Ladder | tuple[int, Fraction | int | list[int]]"]
    required: Sequence[str] = ("unit",)

    @property
    def schema(self) -> Schema:
        """JSON Schema of its options, the unit included where it has one."""
        unit = (
            {"unit": _CHIPS | {"description": "The first stake, in chips."}}
            if "unit" in self.required
            else {}
        )
        properties = {**unit, **self.options}
        return {
            "type": "object",
            "additionalProperties": False,
            "properties": {"system": {"type": "string"}, **properties},
            "required": ["system", *self.required],
        }


@dataclass(frozen=True)
class Staking:
    """A system by name with its options, as in JSON: {"system": "martingale", "unit": 10, "doublings": 6}."""

    system: str
    options: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_json(cls, data: Mapping[str, Any], pointer: str = "/staking") -> "Staking":
        """Checked against the system's schema. Raises BankrollError (no such system) or RulesError."""
        name = data.get("system")
        if not isinstance(name, str) or name not in SYSTEMS:
            raise BankrollError(
                f"no staking system {str(name)[:40]!r}; there are {', '.join(SYSTEMS)}",
                pointer=f"{pointer}/system",
            )
        check(dict(data), SYSTEMS[name].schema, pointer)
        return cls(name, {key: value for key, value in data.items() if key != "system"})

    def to_json(self) -> dict[str, Any]:
        """As `from_json` takes it."""
        return {"system": self.system, **self.options}

    @property
    def title(self) -> str:
        """A short text for tables: the name and its options."""
        parts = [f"{key} {value}" for key, value in self.options.items()]
        return f"{self.system} ({', '.join(parts)})" if parts else self.system

    def compile(self, limits: StakeLimits, outcomes: Outcomes, parts: int | None = None) -> Plan:
        """The plan for a table and a game, with nets over `parts` (by default their common denominator).

        Raises BankrollError: a unit off the table's steps, nets that would not pay whole chips, no edge for Kelly.
        """
        parts = parts or math.lcm(*(net.denominator for net in outcomes.nets))
        _check_whole(limits, parts)
        unit = self.options.get("unit")
        if unit is not None and limits.nearest(unit) != unit:
            raise BankrollError(
                f"the unit {unit} is not a stake of this table: {limits.min} to {limits.max} in steps of"
                f" {limits.step}",
                pointer="/staking/unit",
            )
        head = np.zeros(machine.ROWS, dtype=np.int64)
        head[machine.LEAST], head[machine.MOST] = limits.min // parts, limits.max // parts
        head[machine.STEP], head[machine.PARTS] = limits.step // parts, parts
        head[machine.COVER] = int(outcomes.need * parts)
        tape = np.concatenate([head, self._rows(head, limits, outcomes, parts)])
        return Plan(tape)

    def _rows(
        self, head: NDArray[np.int64], limits: StakeLimits, outcomes: Outcomes, parts: int
    ) -> NDArray[np.int64]:
        """Fill in what a system is, and give the rest of its tape: a ladder's rows, or a line."""
        built = SYSTEMS[self.system].build(self.options, limits, outcomes)
        if len(built) == 3:
            stakes, on_loss, on_win = built
            fitting = [limits.nearest(chips) // parts for chips in stakes]
            rows = [fitting, on_loss, range(len(fitting)), on_win]
            head[machine.ALIGNED] = 1
            return np.array(rows, dtype=np.int64).T.reshape(-1)
        kind, value = built
        head[machine.KIND] = kind
        # Whole nets keep sums of stakes on the step, where the step reaches down to 0; a fraction is put on it anyhow.
        head[machine.ALIGNED] = kind == machine.FRACTION or (parts == 1 and limits.min % limits.step == 0)
        if isinstance(value, Fraction):
            share = value.limit_denominator(_FINEST) / parts
            head[machine.TOP], head[machine.BOTTOM] = share.numerator, share.denominator
        elif isinstance(value, list):
            head[machine.TOP] = len(value)
            return np.array([0] * machine.LINE + [chips // parts for chips in value], dtype=np.int64)
        else:
            head[machine.TOP] = value // parts
        return np.zeros(machine.ROW, dtype=np.int64)


class Player:
    """A system at play, one coup at a time: `stake(bankroll)` before it, `settle(stake, net)` after it."""

    def __init__(self, plan: Plan) -> None:
        self._least, self._parts = plan.least_bankroll, int(plan.tape[machine.PARTS])
        self._tape = plan.tape.copy()
        self._place, self._extent = machine.restart(self._tape)

    def stake(self, bankroll: int) -> int:
        """Chips for the next coup. Raises BankrollError where the bankroll covers no stake: ruin."""
        if bankroll < self._least:
            raise BankrollError(f"a bankroll of {bankroll} covers no stake: {self._least} chips are needed")
        return int(machine.stake(self._tape, self._place, self._extent, bankroll)) * self._parts

    def settle(self, stake: int, net: Fraction | int) -> None:
        """Take the net of the coup, in stakes, into account."""
        q, part = stake // self._parts, int(net * self._parts)
        self._place, self._extent = machine.settle(self._tape, self._place, self._extent, q, part)


def _check_whole(limits: StakeLimits, parts: int) -> None:
    if limits.min % parts or limits.step % parts:
        raise BankrollError(
            f"nets are fractions over {parts}: for whole chips min and step must be multiples of {parts}, not"
            f" {limits.min} and {limits.step}",
            pointer="/limits/min",
        )


def _climb(limits: StakeLimits, stakes: Callable[[int], int]) -> list[int]:
    """stakes(0), stakes(1), … up to the first that reaches the table's maximum."""
    found: list[int] = []
    while len(found) < MOST_STEPS:
        found.append(stakes(len(found)))
        if found[-1] >= limits.max:
            break
    return found


def _flat(options: Options, limits: StakeLimits, outcomes: Outcomes) -> Ladder:
    return [options["unit"]], [0], [0]


def _martingale(options: Options, limits: StakeLimits, outcomes: Outcomes) -> Ladder:
    unit, most = options["unit"], options.get("doublings", 6)
    stakes = _climb(limits, lambda i: unit * 2**i)[: most + 1]
    size = len(stakes)
    return stakes, [(i + 1) % size for i in range(size)], [0] * size


def _paroli(options: Options, limits: StakeLimits, outcomes: Outcomes) -> Ladder:
    unit, wins = options["unit"], options.get("wins", 3)
    stakes = _climb(limits, lambda i: unit * 2**i)[:wins]
    size = len(stakes)
    return stakes, [0] * size, [(i + 1) % size for i in range(size)]


def _dalembert(options: Options, limits: StakeLimits, outcomes: Outcomes) -> Ladder:
    unit = options["unit"]
    stakes = _climb(limits, lambda i: unit * (i + 1))
    size = len(stakes)
    return stakes, [min(i + 1, size - 1) for i in range(size)], [max(i - 1, 0) for i in range(size)]


def _fibonacci(options: Options, limits: StakeLimits, outcomes: Outcomes) -> Ladder:
    unit, pair = options["unit"], [1, 1]
    while unit * pair[-1] < limits.max:
        pair.append(pair[-1] + pair[-2])
    stakes = _climb(limits, lambda i: unit * pair[i])
    size = len(stakes)
    return stakes, [min(i + 1, size - 1) for i in range(size)], [max(i - 2, 0) for i in range(size)]


def _one_three_two_six(options: Options, limits: StakeLimits, outcomes: Outcomes) -> Ladder:
    return [options["unit"] * times for times in (1, 3, 2, 6)], [0] * 4, [1, 2, 3, 0]


def _table(options: Options, limits: StakeLimits, outcomes: Outcomes) -> Ladder:
    stakes, on_loss, on_win = options["stakes"], options["on_loss"], options["on_win"]
    size = len(stakes)
    for name, places in (("on_loss", on_loss), ("on_win", on_win)):
        if len(places) != size or any(place >= size for place in places):
            raise BankrollError(
                f"{name} must name for each of the {size} stakes the one to go to, 0 to {size - 1}",
                pointer=f"/staking/{name}",
            )
    return stakes, on_loss, on_win


def _proportional(options: Options, limits: StakeLimits, outcomes: Outcomes) -> tuple[int, Fraction]:
    share = rational(options["fraction"], "the fraction", "/staking/fraction")
    if not 0 < share <= 1:
        raise BankrollError(
            f"the fraction must be above 0 and at most 1, not {share}", pointer="/staking/fraction"
        )
    return machine.FRACTION, share


def _kelly(options: Options, limits: StakeLimits, outcomes: Outcomes) -> tuple[int, Fraction]:
    share = rational(options.get("share", 1), "the share of Kelly's fraction", "/staking/share")
    if not 0 < share <= 2:
        raise BankrollError(
            f"the share of Kelly's fraction must be above 0 and at most 2, not {share}",
            pointer="/staking/share",
        )
    best = kelly(outcomes).full.fraction
    if not best:
        raise BankrollError(
            f"Kelly stakes nothing without an edge: the mean is {float(outcomes.mean):.6g} stakes a coup",
            pointer="/staking/system",
        )
    return machine.FRACTION, min(Fraction(1), share * Fraction(best))


def _labouchere(options: Options, limits: StakeLimits, outcomes: Outcomes) -> tuple[int, list[int]]:
    return machine.LABOUCHERE, [options["unit"] * times for times in options.get("line", (1, 2, 3, 4))]


def _oscar(options: Options, limits: StakeLimits, outcomes: Outcomes) -> tuple[int, int]:
    return machine.OSCAR, options["unit"]


_PLACES: Schema = {
    "type": "array",
    "minItems": 1,
    "maxItems": MOST_STEPS,
    "items": {"type": "integer", "minimum": 0, "maximum": MOST_STEPS - 1},
}
_STAYS = "the last step is the first that reaches the maximum: a loss there stays there"

SYSTEMS: Final[dict[str, System]] = {
    "flat": System("The unit, always.", "nothing changes", {}, _flat),
    "proportional": System(
        "A fraction of the bankroll as it is.",
        "the fraction goes on by the bankroll as it is",
        {"fraction": {"description": 'Of the bankroll, such as "1/50".'}},
        _proportional,
        ("fraction",),
    ),
    "kelly": System(
        "A share of Kelly's fraction for the outcomes played.",
        "the fraction goes on by the bankroll as it is",
        {"share": {"description": 'Of Kelly\'s fraction: "1/2" is half Kelly; 1 where left out.'}},
        _kelly,
        (),
    ),
    "martingale": System(
        "Double after a loss; the unit after a win.",
        "after the last doubling, or a loss at the maximum, back to the unit",
        {"doublings": {"type": "integer", "minimum": 0, "maximum": 40, "description": "Most doublings; 6."}},
        _martingale,
    ),
    "paroli": System(
        "The reverse martingale: double after a win, the unit after a loss or some wins in a row.",
        "a win at the maximum goes back to the unit",
        {"wins": {"type": "integer", "minimum": 1, "maximum": 40, "description": "Wins in a row; 3."}},
        _paroli,
    ),
    "dalembert": System("A unit more after a loss, a unit less after a win.", _STAYS, {}, _dalembert),
    "fibonacci": System(
        "Units by the Fibonacci numbers: one on after a loss, two back after a win.", _STAYS, {}, _fibonacci
    ),
    "labouchere": System(
        "The sum of the ends of a line of numbers; a win strikes both, a loss appends what was lost; a line that is"
        " struck out starts afresh.",
        "a win of a cut stake strikes both ends all the same; a line of 512 numbers is given up and starts afresh",
        {
            "line": {
                "type": "array",
                "minItems": 1,
                "maxItems": 64,
                "items": {"type": "integer", "minimum": 1, "maximum": 10**6},
                "description": "The first line, in units; 1 2 3 4.",
            }
        },
        _labouchere,
    ),
    "oscar": System(
        "Oscar's grind: a unit more after a win, never more than brings the series one unit ahead, where it ends.",
        "the stake made, cut or not, is what the next one is counted from",
        {},
        _oscar,
    ),
    "1-3-2-6": System(
        "1, 3, 2, 6 units while winning; from the start after a loss or the fourth win.",
        "a cut step counts as made",
        {},
        _one_three_two_six,
    ),
    "table": System(
        "Any stakes, with the one to go to after a loss and after a win.",
        "a cut step counts as made",
        {
            "stakes": _PLACES | {"items": _CHIPS, "description": "Chips by step; play begins at the first."},
            "on_loss": _PLACES | {"description": "The step after a loss, by step (from 0)."},
            "on_win": _PLACES | {"description": "The step after a win, by step (from 0)."},
        },
        _table,
        ("stakes", "on_loss", "on_win"),
    ),
}
