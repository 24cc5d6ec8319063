"""One deal of a match as a game of its own: which one it is and who dealt it are told, not found by lot.

So a deal can be recorded, replayed and looked through without the match that it was part of.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from random import Random
from typing import Any, Final

from casino.errors import RulesError
from casino.game import A, Game, Json, State, View
from casino.options import Schema, check, digest

DEAL: Final = "deal"
_PLACE: Final[Schema] = {
    "type": "object",
    "properties": {
        "number": {"type": "integer", "minimum": 1, "maximum": 1_000_000},
        "dealer": {"type": "integer", "minimum": 0, "maximum": 99},
    },
    "required": ["number", "dealer"],
    "additionalProperties": False,
}


class DealGame(Game[A]):
    """Deal `number` (from 1) of a match of `game`, dealt by the seat `dealer`. Its seed is the key of that deal."""

    def __init__(self, game: Game[A], number: int, dealer: int) -> None:
        self.game = game
        self.number = number
        self.dealer = dealer
        self.family = game.family  # type: ignore[misc]  # an instance has the family of what it is built on
        self.name = game.name
        self.seats = game.seats

    @property
    def options(self) -> Json:
        return self.game.options

    @property
    def setup(self) -> Json:
        return {**self.game.setup, DEAL: {"number": self.number, "dealer": self.dealer}}

    @cached_property
    def rules_hash(self) -> str:
        return digest({"game": self.game.rules_hash, DEAL: [self.number, self.dealer]})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DealGame) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    @property
    def _identity(self) -> Sequence[Any]:
        return self.game, self.number, self.dealer

    def start(self, seed: bytes, /) -> State[A]:
        return self.game.deal(seed, self.number - 1, self.dealer)

    def position(self, data: Mapping[str, Any], /) -> State[A]:
        return self.game.position(data)

    def from_json(self, data: Mapping[str, Any], /) -> State[A]:
        return self.game.from_json(data)

    def text(self, action: A) -> Any:
        return self.game.text(action)

    def parse(self, text: str) -> A:
        return self.game.parse(text)

    def world(self, view: View, rng: Random) -> State[A]:
        return self.game.world(view, rng)


def deal_of(game: Game[A], place: Any, *, pointer: str) -> DealGame[A]:
    """The deal of a game that `place` names: `{"number": 3, "dealer": 1}`. Raises RulesError with a pointer."""
    check(place, _PLACE, pointer)
    if place["dealer"] >= game.seats:
        raise RulesError(f"seats are 0 to {game.seats - 1}", pointer=f"{pointer}/dealer")
    return DealGame(game, place["number"], place["dealer"])
