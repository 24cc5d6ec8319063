"""Experiments: many sessions of one player, played chunk by chunk, the same to the bit whoever plays the chunks.

A chunk is a function of (experiment, number) alone: its sessions draw from a stream keyed by the seed, the chunk and
the session. So results depend neither on the number of workers nor on the executor, nor on interruptions; and two
experiments with the same outcomes and seed see the same coups (common random numbers), whatever their systems.

Coups are independent draws from one distribution: the memory of a shoe within a bank is left out.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Final

from analysis import machine
from analysis.coups import CoupTable, coup_table
from analysis.outcomes import BankrollError, Outcomes, rational
from analysis.staking import Plan, Staking
from analysis.stops import Stops
from analysis.systems import LIMITS_SCHEMA, StakeLimits
from casino.options import Schema, check, digest

MOST_SESSIONS = 10**9
MOST_COUPS = 10**12  # of a whole experiment
CHIPS_END = 2**47  # no bankroll may reach so many chips
MARKS = 50  # points of a path
CHUNKS = 4096  # at most
_CHUNK_COUPS = 40_000_000
_CHUNK_SESSIONS = 65_536
LEAST_CHUNKS = 16
_RATE = 5e7  # coups a second that an estimate of cost counts on

PRECISIONS: Final = ("ruin", "gain")
_CHIPS: Schema = {"type": "integer", "minimum": 1, "maximum": 10**13}

SCHEMA: Final[Schema] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "label": {"type": "string", "description": "A name for tables."},
        "outcomes": {
            "type": "object",
            "additionalProperties": {"type": "string"},
            "description": "Net of a coup in stakes -> probability, both as exact texts.",
        },
        "need": {
            "description": "Stakes to be covered for each stake, where more than the worst loss of the outcomes."
        },
        "source": {"type": "object", "description": "What the outcomes were worked out from; not read."},
        "staking": {
            "type": "object",
            "description": 'A system and its options, such as {"system": "flat", "unit": 5}.',
        },
        "bankroll": _CHIPS | {"description": "Chips at the start."},
        "limits": LIMITS_SCHEMA,
        "stops": {"type": "object", "description": 'When a session ends, such as {"coups": 500}.'},
        "sessions": {"type": "integer", "minimum": 1, "maximum": MOST_SESSIONS},
        "precision": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "of": {"enum": list(PRECISIONS)},
                "half_width": {
                    "description": "Of the 95 % interval: a probability, or chips of the mean gain."
                },
                "most": {"type": "integer", "minimum": 1, "maximum": MOST_SESSIONS},
            },
            "required": ["of", "half_width"],
        },
        "seed": {"type": "integer", "minimum": 0, "maximum": 2**128 - 1},
        "turns": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "players": {"type": "integer", "minimum": 2, "maximum": 100},
                "coups": {"type": "integer", "minimum": 1, "maximum": 10**6},
                "stake": _CHIPS,
                "outcomes": {"type": "object", "additionalProperties": {"type": "string"}},
                "need": {"description": "Stakes that the bank must cover."},
            },
            "required": ["players", "coups", "stake", "outcomes"],
        },
    },
    "required": ["outcomes", "staking", "bankroll", "stops"],
}


@dataclass(frozen=True)
class Precision:
    """Play until the 95 % interval of the ruin probability, or of the mean gain in chips, is that narrow; `most`
    sessions at most."""

    of: str
    half_width: Fraction
    most: int = 10_000_000


@dataclass(frozen=True)
class Turns:
    """The player banks one bank in `players`, each of `coups` coups, against a stake of `stake` chips by each punter;
    `outcomes` are the banker's nets in such stakes. He is passed over while his bankroll does not cover a coup."""

    players: int
    coups: int
    stake: int
    outcomes: Outcomes


@dataclass(frozen=True)
class Experiment:
    """Sessions of one player under one system. Chips throughout; outcomes in stakes.

    Without `limits` the table takes any stake from the unit on, in whole chips. Raises BankrollError or
    RulesError with a pointer for anything that cannot be played, or would take more than the cap.
    """

    outcomes: Outcomes
    staking: Staking
    bankroll: int
    stops: Stops
    limits: StakeLimits | None = None
    sessions: int = 100_000
    precision: Precision | None = None
    seed: int = 0
    turns: Turns | None = None
    label: str = ""
    source: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._check_numbers()
        if self.bankroll < self.plan.least_bankroll:
            raise BankrollError(
                f"the bankroll {self.bankroll} is below {self.plan.least_bankroll} chips, which the smallest stake of"
                f" {self.table.min} needs at the worst loss",
                pointer="/bankroll",
            )
        self.stops.ceiling(self.bankroll)
        highest = self.highest
        if highest >= CHIPS_END:
            raise BankrollError(
                f"the bankroll might reach {highest:.3g} chips, the cap is {CHIPS_END:.3g}: lower the table's maximum"
                " or play fewer coups",
                pointer="/limits/max",
            )
        coups = self.planned * self.stops.coups
        if coups > MOST_COUPS:
            raise BankrollError(
                f"too large: {self.planned} sessions of up to {self.stops.coups} coups are {coups:.3g} coups, some"
                f" {coups / _RATE / 3600:.3g} hours of one core; the cap is {MOST_COUPS:.3g} coups",
                pointer="/sessions",
            )

    def _check_numbers(self) -> None:
        given = {"bankroll": self.bankroll, "sessions": self.sessions, "seed": self.seed}
        for name, value in given.items():
            check(value, SCHEMA["properties"][name], f"/{name}")
        if self.precision and self.precision.half_width <= 0:
            raise BankrollError("the half width must be above 0", pointer="/precision/half_width")
        if self.turns and self.turns.stake % self.coups.parts:
            raise BankrollError(
                f"nets are fractions over {self.coups.parts}: for whole chips the stake against the bank must be a"
                f" multiple of {self.coups.parts}, not {self.turns.stake}",
                pointer="/turns/stake",
            )

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Experiment":
        """Checked against SCHEMA. Raises BankrollError or RulesError with a pointer."""
        check(dict(data), SCHEMA, "")
        given: dict[str, Any] = {
            key: data[key] for key in ("bankroll", "sessions", "seed", "label", "source") if key in data
        }
        given["outcomes"] = _outcomes(data, "")
        given["staking"] = Staking.from_json(data["staking"])
        given["stops"] = Stops.from_json(data["stops"])
        if "limits" in data:
            given["limits"] = StakeLimits(**data["limits"])
        if "precision" in data:
            wanted = dict(data["precision"])
            width = rational(wanted.pop("half_width"), "the half width", "/precision/half_width")
            given["precision"] = Precision(half_width=width, **wanted)
        if "turns" in data:
            turns = data["turns"]
            banker = _outcomes(turns, "/turns")
            given["turns"] = Turns(turns["players"], turns["coups"], turns["stake"], banker)
        return cls(**given)

    def to_json(self) -> dict[str, Any]:
        """As `from_json` takes it, limits filled in."""
        plain: dict[str, Any] = {
            **_outcomes_json(self.outcomes),
            "staking": self.staking.to_json(),
            "bankroll": self.bankroll,
            "limits": {"min": self.table.min, "max": self.table.max, "step": self.table.step},
            "stops": self.stops.to_json(),
            "sessions": self.sessions,
            "seed": self.seed,
        }
        if self.label:
            plain["label"] = self.label
        if self.source:
            plain["source"] = dict(self.source)
        if self.precision:
            width = str(self.precision.half_width)
            plain["precision"] = {"of": self.precision.of, "half_width": width, "most": self.precision.most}
        if self.turns:
            turns = self.turns
            plain["turns"] = {"players": turns.players, "coups": turns.coups, "stake": turns.stake}
            plain["turns"] |= _outcomes_json(turns.outcomes)
        return plain

    @property
    def hash(self) -> str:
        """Hex SHA-256 of the canonical JSON: equal experiments have equal results."""
        return digest(self.to_json())

    @property
    def planned(self) -> int:
        """Sessions played at most."""
        return self.precision.most if self.precision else self.sessions

    @cached_property
    def table(self) -> StakeLimits:
        """The table's limits; where none are given, any stake from the unit on that keeps numbers within range."""
        if self.limits is not None:
            return self.limits
        parts = self.coups.parts
        least = int(self.staking.options.get("unit", parts))
        room = CHIPS_END // 2 // (self.stops.coups * math.ceil(self.outcomes.best_win or 1))
        if least % parts:
            raise BankrollError(
                f"nets are fractions over {parts}: for whole chips the unit must be a multiple of {parts}, not {least}",
                pointer="/staking/unit",
            )
        return StakeLimits(least, max(least, min(room, 10**12) // parts * parts), parts)

    @cached_property
    def plan(self) -> Plan:
        """The system compiled for this table and game."""
        return self.staking.compile(self.table, self.outcomes, self.coups.parts)

    @cached_property
    def coups(self) -> CoupTable:
        """The tables that coups are drawn from."""
        return coup_table(self.outcomes, *((self.turns.outcomes,) if self.turns else ()))

    @cached_property
    def highest(self) -> int:
        """Chips that no bankroll of this experiment can exceed."""
        stakes = [self.plan.highest * self.outcomes.best_win]
        if self.turns:
            stakes.append(self.turns.stake * self.turns.outcomes.best_win)
        most = self.bankroll + self.stops.coups * math.ceil(max(stakes))
        ceiling = self.stops.ceiling(self.bankroll)
        one = math.ceil(max(stakes))
        held_back = self.stops.wait or self.stops.not_before
        return most if ceiling is None or held_back else min(most, ceiling + one)

    @cached_property
    def marks(self) -> list[int]:
        """Coups after which paths are noted: whole blocks of coups, and the last."""
        length, last = self.coups.length, self.stops.coups
        whole = {math.ceil(last * i / MARKS / length) * length for i in range(1, MARKS)}
        return sorted({mark for mark in whole if mark < last} | {last})

    @cached_property
    def quantum(self) -> int:
        """Chips that every change of the bankroll is a multiple of."""
        tape, rows = self.plan.tape, self.coups.digits.shape[0] // (2 if self.turns else 1)
        grid = math.gcd(int(tape[machine.LEAST]), int(tape[machine.STEP]))
        steps = grid * math.gcd(*map(int, self.coups.digits[:rows].flat))
        if self.turns:
            steps = math.gcd(steps, self.bank_q * math.gcd(*map(int, self.coups.digits[rows:].flat)))
        return max(1, steps)

    @property
    def bank_q(self) -> int:
        """The banker's stake in the units of the tables."""
        return self.turns.stake // self.coups.parts if self.turns else 0

    @property
    def _chunks_wanted(self) -> int:
        """At least so many, for workers to share, and with a precision for rounds that end early."""
        return LEAST_CHUNKS * 8 if self.precision else LEAST_CHUNKS

    @property
    def chunk_sessions(self) -> int:
        """Sessions of a chunk (the last may have fewer)."""
        size = min(
            _CHUNK_COUPS // self.stops.coups, _CHUNK_SESSIONS, math.ceil(self.planned / self._chunks_wanted)
        )
        return max(1, size, math.ceil(self.planned / CHUNKS))

    @property
    def chunks(self) -> int:
        """Number of chunks, all played."""
        return math.ceil(self.planned / self.chunk_sessions)


def _outcomes(data: Mapping[str, Any], pointer: str) -> Outcomes:
    found = Outcomes.of(data["outcomes"], f"{pointer}/outcomes")
    if "need" not in data:
        return found
    return replace(found, cover=rational(data["need"], "the stakes to be covered", f"{pointer}/need"))


def _outcomes_json(outcomes: Outcomes) -> dict[str, Any]:
    need = {"need": str(outcomes.cover)} if outcomes.cover else {}
    return {"outcomes": outcomes.to_json(), **need}
