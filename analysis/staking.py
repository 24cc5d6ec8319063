"""Staking systems as data: a system, a table and a game make a plan, which one interpreter plays.

What each system does stands in `analysis.systems`, how it goes on in `analysis.machine`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis import machine
from analysis.outcomes import BankrollError, Outcomes
from analysis.systems import SYSTEMS, StakeLimits
from casino.options import check

_FINEST = 2**15  # denominator of a fraction of the bankroll: bankrolls stay below 2**47, products below 2**62
_SMALLEST = Fraction(1, 2**22)  # fraction of the bankroll: times a stake of 10**12 it is below 2**62 too


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
        """The plan for a table and a game, with nets over `parts` (by default those of the game).

        Raises BankrollError: a unit off the table's steps, nets that would not pay whole chips, no edge for Kelly.
        """
        parts = parts or outcomes.parts
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
            share = _storable(value) / parts
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


def _storable(share: Fraction) -> Fraction:
    """The fraction to about one part in 2**15, as small integers; a small one as one part in so many."""
    if share < _SMALLEST:
        raise BankrollError(
            f"a fraction of {float(share):.3g} of the bankroll is too small: from {_SMALLEST} on, or stake flat",
            pointer="/staking",
        )
    return share.limit_denominator(_FINEST) if share * _FINEST >= 1 else Fraction(1, round(1 / share))


def _check_whole(limits: StakeLimits, parts: int) -> None:
    if limits.min % parts or limits.step % parts:
        raise BankrollError(
            f"nets, or stakes to be covered, are fractions over {parts}: for whole chips min and step must be"
            f" multiples of {parts}, not {limits.min} and {limits.step}",
            pointer="/limits/min",
        )
