"""Banking Macao at a table: rules, seats, and how the bank goes round."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random
from typing import Any, ClassVar, Final

from casino.banking import seats
from casino.banking.plan import Plan, plan_of
from casino.banking.position import set_up
from casino.banking.rounds import HOUSE
from casino.banking.rules import Rules
from casino.banking.state import BankingState
from casino.banking.storage import load
from casino.banking.text import Action, Legal, parse, text
from casino.banking.world import draw_world
from casino.errors import RulesError
from casino.game import Game, Json, View
from casino.options import Schema, check

ROTATES: Final = "rotates"
CIRCLE: Final = 0  # as many banks as one full circle takes: one if the house is always the banker
DEFAULT_PURSE: Final = 10_000
_COUNT: Final[Schema] = {"type": "integer", "minimum": 0, "maximum": 10**12}
_SETUP: Final[Schema] = {
    "type": "object",
    "properties": {
        "bank": {"enum": [ROTATES, HOUSE]},
        "banks": {"oneOf": [{"type": "null"}, _COUNT]},
        "purse": _COUNT,
    },
    "additionalProperties": False,
}


@dataclass(frozen=True)
class BankingGame(Game[Legal]):
    """A rule set at a table of `seats`, the banker's included.

    `bank="house"`: the last seat is always the banker. `banks`: how many banks until the game is over; CIRCLE
    for as many as there are seats (one with the house), None for no end. `purse`: chips a seat starts with.
    Raises RulesError where rules and seats contradict each other.
    """

    family: ClassVar[str] = "banking"

    name: str
    rules: Rules
    seats: int
    bank: str = ROTATES
    banks: int | None = CIRCLE
    purse: int = DEFAULT_PURSE

    def __post_init__(self) -> None:
        most = self.rules.max_punters + 1
        if not 2 <= self.seats <= most:
            raise RulesError(f"a table has 2 to {most} seats, the banker's included", pointer="/seats")
        if self.rules.uses_tableau and not self.rules.shared_hand and self.seats > 2:
            raise RulesError(
                f"a tableau goes by one punter's hand: with {self.seats - 1} punters it needs shared_hand",
                pointer="/options/banker_draw",
            )
        if self.bank not in (ROTATES, HOUSE):
            raise RulesError(f"must be {ROTATES} or {HOUSE}", pointer="/bank")
        if self.banks is not None and self.banks < 0:
            raise RulesError("must be a number of banks, or null for no end", pointer="/banks")
        if self.purse < 0:
            raise RulesError("must not be negative", pointer="/purse")

    @property
    def options(self) -> Json:
        return self.rules.to_json()

    @property
    def rules_hash(self) -> str:
        return self.rules.hash

    @property
    def setup(self) -> Json:
        """How the bank goes round, for how long, and with what purses."""
        return {"bank": self.bank, "banks": self.banks, "purse": self.purse}

    def arranged(self, setup: Mapping[str, Any], /) -> "BankingGame":
        try:
            check(dict(setup), _SETUP, "/setup")
            return replace(self, **setup)
        except RulesError as refusal:
            where = refusal.pointer.removeprefix("/setup")
            raise RulesError(refusal.detail, pointer=f"/setup{where}") from None

    @cached_property
    def plan(self) -> Plan:
        """The rules in the form that dealing uses."""
        return plan_of(self.rules)

    @property
    def last_bank(self) -> int | None:
        """Number of the bank that ends the game; None for no end."""
        if self.banks == CIRCLE:
            return 1 if self.bank == HOUSE else self.seats
        return self.banks

    def start(self, seed: bytes, /) -> BankingState:
        """A full table with equal purses; the lot and every bank take their seeds from this one."""
        state = BankingState(self, [self.purse] * self.seats, [True] * self.seats)
        state.root = seed
        seats.begin(state)
        return state

    def open(self, purses: Sequence[int], occupied: Sequence[bool]) -> BankingState:
        """A table whose seeds are given from outside, by `BankingState.provide`, when `needs_seed` asks."""
        state = BankingState(self, list(purses), list(occupied))
        if self.bank == HOUSE:
            state.occupied[-1] = True
        seats.begin(state)
        return state

    def position(self, data: Mapping[str, Any], /) -> BankingState:
        return set_up(self._blank(), data)

    def from_json(self, data: Mapping[str, Any], /) -> BankingState:
        return load(self._blank(), data)

    def world(self, view: View, rng: Random) -> BankingState:
        return draw_world(self._blank(), view, rng)

    def text(self, action: Legal) -> Any:
        return text(action)

    def parse(self, text: str) -> Action:
        return parse(text)

    def _blank(self) -> BankingState:
        return BankingState(self, [0] * self.seats, [False] * self.seats)
