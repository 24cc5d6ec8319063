"""The protocol that every game of every family follows.

A `Game` is rules and seats, and never changes. `start(seed)` gives a `State`: a small slotted object that
changes in place and copies cheaply. An action is a plain value of the family's own (an int or a tuple); its
text form round-trips through `Game.text` and `Game.parse`. `tests/contract/` holds every listed game to this.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, ClassVar, Generic, Self, TypeVar

from casino.errors import RulesError

A = TypeVar("A")
View = dict[str, Any]
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Result:
    """How a game ended. `scores` by seat, in `unit` (chips, stakes or points); `winners` may be several."""

    scores: tuple[int, ...]
    winners: tuple[int, ...]
    unit: str
    reason: str


@dataclass(slots=True)
class Event:
    """Something that happened: `data` is for everyone, `private` adds to it for single seats only."""

    type: str
    seat: int | None
    data: dict[str, Any]
    private: dict[int, dict[str, Any]] | None = None


class State(ABC, Generic[A]):
    """One game being played. Changes in place; a refused action changes nothing."""

    __slots__ = ()

    @property
    @abstractmethod
    def game(self) -> "Game[A]":
        """The rules and seats it is played by."""

    @abstractmethod
    def actors(self) -> tuple[int, ...]:
        """All seats that may act now, in order: exactly those whose `legal` is not empty. None: over."""

    @abstractmethod
    def awaited(self) -> tuple[int, ...]:
        """The actors without whom the game does not go on (a clock runs for these, a bot moves for these)."""

    @abstractmethod
    def legal(self, seat: int) -> list[Any]:
        """The seat's actions, sorted, without duplicates; empty if it may not act."""

    @abstractmethod
    def apply(self, seat: int, action: A) -> None:
        """Do one action. Raises GameOver, NotYourTurn or IllegalAction and then changes nothing."""

    @abstractmethod
    def view(self, seat: int | None) -> View:
        """What the seat (None: an onlooker) may see, as JSON values; lists what is seen, never a full state less
        something. Holds every open obligation and, as `legal`, the seat's actions as texts."""

    @abstractmethod
    def result(self) -> Result | None:
        """The outcome once nobody may act; None before."""

    @abstractmethod
    def copy(self) -> Self:
        """An independent state that may be played on."""

    @abstractmethod
    def to_json(self) -> Json:
        """The whole state, hidden cards too: for storage, never for a client."""

    @abstractmethod
    def drain(self) -> list[Event]:
        """The events since the last call, in order."""

    def drain_shuffles(self) -> list[list[int]]:
        """The orders of cards that were shuffled since the last call: for records, never for a client."""
        return []

    def report(self) -> Json:
        """What `casino/position.py` tells of a situation: what lies open, and the actions of every seat."""
        return {
            **self.view(None),
            "legal": {str(seat): self.legal_texts(seat) for seat in range(self.game.seats)},
        }

    def legal_texts(self, seat: int) -> list[Any]:
        """`legal` in the form that clients and bots see: texts (an amount as a range)."""
        return [self.game.text(action) for action in self.legal(seat)]

    def do(self, seat: int, text: str) -> None:
        """Do what a text says: one action, or several parted by «;», all or nothing."""
        steps = [part.strip() for part in text.split(";")]
        if len(steps) == 1:
            self.apply(seat, self.game.parse(steps[0]))
            return
        trial = self.copy()
        for step in steps:
            trial.apply(seat, self.game.parse(step))
        for step in steps:
            self.apply(seat, self.game.parse(step))


class Game(ABC, Generic[A]):
    """Rules and seats: immutable, comparable, hashable by its rules."""

    family: ClassVar[str]
    name: str
    seats: int

    @property
    @abstractmethod
    def options(self) -> Json:
        """The full record of rules as JSON values, in the order of the rules."""

    @property
    @abstractmethod
    def rules_hash(self) -> str:
        """Hex SHA-256 of the canonical JSON of the rules: equal in every process."""

    @property
    def setup(self) -> Json:
        """What else a table of this game was told besides rules and seats, as JSON values; empty for most."""
        return {}

    def arranged(self, setup: Mapping[str, Any], /) -> "Game[A]":
        """The same game with another `setup`. Raises RulesError with a pointer for what it does not know."""
        for key in setup:
            raise RulesError("unknown; this game takes no setup", pointer=f"/setup/{key}")
        return self

    @abstractmethod
    def start(self, seed: bytes, /) -> State[A]:
        """A fresh game; all chance comes from the seed."""

    @property
    def match_defaults(self) -> Json:
        """How a match of this game is played where nobody says otherwise: changes to `match.MatchRules`."""
        return {"deals": 1}

    def deal(self, seed: bytes, number: int, dealer: int) -> State[A]:
        """Deal `number` (from 0) of a match, dealt by the seat `dealer`: what `casino/match.py` plays.

        Not overridden where `start` is a whole round with a lot of its own (banking's circle).
        """
        return self.start(seed)

    @abstractmethod
    def position(self, data: Mapping[str, Any], /) -> State[A]:
        """A situation set up from JSON. Raises PositionError, RulesError or NotationError with a pointer."""

    @abstractmethod
    def from_json(self, data: Mapping[str, Any], /) -> State[A]:
        """The state that `to_json` wrote."""

    @abstractmethod
    def text(self, action: A) -> Any:
        """The text of an action."""

    @abstractmethod
    def parse(self, text: str) -> A:
        """The action of a text. Raises NotationError."""

    @abstractmethod
    def world(self, view: View, rng: Random) -> State[A]:
        """A full state drawn at random from those that the view allows: `world(view).view(seat) == view`."""


def replay(game: Game[A], seed: bytes, actions: Sequence[tuple[int, str]]) -> State[A]:
    """The state after these actions (seat, text) from `start(seed)`."""
    state = game.start(seed)
    for seat, text in actions:
        state.do(seat, text)
    return state
