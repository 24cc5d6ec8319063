"""The staking systems by name: their options, what they do, and what they do at a limit.

Every stake is a whole number of chips, at least the table's minimum, at most its maximum, on its step, and never
more than the bankroll covers at the worst loss of a coup. So at a limit every system gives way: a wish above the
maximum, or above what is covered, is cut; one below the minimum is raised. What a system does *after* a limit is
told in its `at_limit`. A win is any net above 0, a loss any below 0; a push changes nothing.

None of them changes the expectation per chip staked: they trade many small wins for a few large losses or the
other way round (L. E. Dubins and L. J. Savage, How to Gamble If You Must, 1965).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from analysis import machine
from analysis.kelly import kelly
from analysis.outcomes import BankrollError, Outcomes, rational
from casino.options import Schema, check

MOST_STEPS = 4096  # of a ladder
_CHIPS: Schema = {"type": "integer", "minimum": 1, "maximum": 10**12}

Ladder = tuple[list[int], list[int], list[int]]  # stakes in chips, where to go after a loss, after a win
Built = Ladder | tuple[int, Fraction | int | list[int]]
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
class System:
    """One system of the list: its options, what it does, and what it does after a limit was met."""

    text: str
    at_limit: str
    options: Mapping[str, Schema]
    build: Callable[[Options, StakeLimits, Outcomes], Built]
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
    "dalembert": System(
        "A unit more after a loss, a unit less after a win.",
        f"the last step is the first that reaches the maximum, or the {MOST_STEPS}th: a loss there stays there",
        {},
        _dalembert,
    ),
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


def table() -> str:
    """The systems as a table in Markdown, for the documentation."""
    lines = ["| system | options | what it does | at the limit |", "|---|---|---|---|"]
    for name, system in SYSTEMS.items():
        options = ", ".join(f"`{option}`" for option in system.schema["properties"] if option != "system")
        lines.append(f"| `{name}` | {options} | {system.text} | {system.at_limit} |")
    return "\n".join(lines) + "\n"
