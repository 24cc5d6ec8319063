"""Two rule sets compared option by option: what each option that differs is worth, in order and by itself."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from itertools import combinations
from typing import Any

from analysis import numbers
from analysis.asked import Question, answer
from analysis.exact import engine
from analysis.numbers import Number
from analysis.strategies import Policy, cached_plan
from casino.banking.rules import Rules, build
from casino.errors import RulesError

Progress = Callable[[int, int], object]


@dataclass(frozen=True)
class Step:
    """Options turned together (one, unless it contradicts the others alone), and the EV of the punter after it.

    `worth`: what the turn brought him, in stakes, the turns before it being made; `alone`: what it brings the first
    rule set by itself (None where that would contradict itself).
    """

    options: tuple[str, ...]
    before: tuple[Any, ...]
    after: tuple[Any, ...]
    ev_punter: Number
    worth: Number
    alone: Number | None

    def to_json(self) -> dict[str, Any]:
        """JSON values."""
        return {
            "options": dict(
                zip(self.options, map(list, zip(self.before, self.after, strict=True)), strict=True)
            ),
            "ev_punter": numbers.to_json(self.ev_punter),
            "worth": numbers.to_json(self.worth),
            "alone": None if self.alone is None else numbers.to_json(self.alone),
        }


@dataclass(frozen=True)
class Comparison:
    """From one rule set to another. EVs are the punter's, per unit staked; the banker's have the other sign."""

    first: Rules
    second: Rules
    punter: Policy
    banker: Policy
    ev_first: Number
    ev_second: Number
    steps: tuple[Step, ...]

    def to_json(self) -> dict[str, Any]:
        """JSON values."""
        return {
            "punter": self.punter,
            "banker": self.banker,
            "first": {"rules_hash": self.first.hash, "ev_punter": numbers.to_json(self.ev_first)},
            "second": {"rules_hash": self.second.hash, "ev_punter": numbers.to_json(self.ev_second)},
            "difference": numbers.to_json(self.ev_second - self.ev_first),
            "steps": [step.to_json() for step in self.steps],
            "engine": engine(),
        }


def compare(
    first: Rules,
    second: Rules,
    punter: Policy = "optimal",
    banker: Policy = "optimal",
    progress: Progress = lambda done, of: None,
) -> Comparison:
    """Turn one option after another of `first` into those of `second`, in the order of the record.

    An option that contradicts the others where it stands is turned later, or together with the fewest that do not.
    With both policies open each EV is best play of both sides: the equilibrium, where the banker is free.
    `progress(done, of)` is called after each EV. Raises RulesError.
    """
    worth = _Worth(punter, banker, progress)
    old, new = first.to_json(), second.to_json()
    open_ = [item.name for item in fields(Rules) if old[item.name] != new[item.name]]
    worth.total = 2 * len(open_) + 1
    base = now = worth.of(first)
    steps, record = [], dict(old)
    for options in _turns(record, new, open_):
        before = tuple(record[name] for name in options)
        record |= {name: new[name] for name in options}
        then = worth.of(build(record, {}))
        alone = _alone(old, {name: new[name] for name in options})
        steps.append(
            Step(
                options,
                before,
                tuple(new[name] for name in options),
                then,
                then - now,
                None if alone is None else worth.of(alone) - base,
            )
        )
        now = then
    return Comparison(first, second, punter, banker, base, now, tuple(steps))


class _Worth:
    """The punter's EV of rules, kept by what bears on it: rules that play the same have the same."""

    def __init__(self, punter: Policy, banker: Policy, progress: Progress) -> None:
        self.punter, self.banker, self.progress = punter, banker, progress
        self.known: dict[Any, Number] = {}
        self.total = self.done = 0

    def of(self, rules: Rules) -> Number:
        key = (cached_plan(rules), rules.decks, rules.commission)
        if key not in self.known:
            asked = Question(rules, punter=self.punter, banker=self.banker)
            self.known[key] = answer(asked).ev_punter
        self.done += 1
        self.progress(self.done, self.total)
        return self.known[key]


def _turns(record: dict[str, Any], new: dict[str, Any], names: list[str]) -> Iterator[tuple[str, ...]]:
    """The options in turn: the first that may be turned now, or the smallest set that may together.

    `record` is changed by the caller between turns.
    """
    left = list(names)
    while left:
        chosen = next(
            options
            for size in range(1, len(left) + 1)
            for options in combinations(left, size)
            if _alone(record, {name: new[name] for name in options}) is not None
        )
        yield chosen
        left = [name for name in left if name not in chosen]


def _alone(record: dict[str, Any], changes: dict[str, Any]) -> Rules | None:
    """The rules with these changes, if they do not contradict themselves."""
    try:
        return build(record | changes, {})
    except RulesError:
        return None
