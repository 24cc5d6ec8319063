"""Trick games with bids as data: every option of `rules/peklo.md`, with its schema, meaning and source.

«Seed» is the first section of the Russian text on Macao (Пекло); a `*` marks a choice made where it is silent.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Final

from casino.cards import FACES
from casino.errors import RulesError
from casino.options import Schema, check_changes, digest, option

_BOOL: Final[Schema] = {"type": "boolean"}
_HAND: Final[Schema] = {"type": "integer", "minimum": 1, "maximum": FACES // 2}
_POINTS: Final[Schema] = {"type": "integer", "minimum": 0, "maximum": 1000}


@dataclass(frozen=True)
class Rules:
    """One frozen record: the engine deals by it, the catalogue publishes it."""

    min_hand: int = option(_HAND, "Cards each in the first deal of the cycle.", "seed: one")
    max_hand: int | None = option(
        {"oneOf": [{"type": "null"}, _HAND]},
        "Cards each in the last deal of the cycle; null: as many as the pack of 52 has for everyone.",
        "null*; seed: until the pack is too small for all",
    )
    last_deal_no_trump: bool = option(
        _BOOL,
        "Is the last deal of the cycle without trump, even if a card could be turned? (Where none is left there is"
        " never one.)",
        "yes*: «Последний розыгрыш является бескозырным»",
    )
    hook: bool = option(
        _BOOL,
        "May the last to bid not make the bids add up to the tricks there are?",
        "no*; a usual rule of the Oh Hell family",
    )
    first_bid: str = option(
        {"enum": ["left", "dealer"]}, "Who bids first: the dealer's left, or he.", "left*"
    )
    first_lead: str = option(
        {"enum": ["left", "dealer", "highest_bid"]},
        "Who leads first: the dealer's left, the dealer, or the first who made the highest bid.",
        "left*",
    )
    overtricks: str = option(
        {"enum": ["fail", "count"]},
        "A bid that was passed: missed, or as good as met.",
        "fail*: «не может выполнить свою заявку»",
    )
    missed: str = option(
        {"enum": ["nothing", "tricks", "difference"]},
        "What a missed bid scores: nothing, its tricks alone, or minus a trick's points for each trick off.",
        "seed: «очков не получает вообще»; the others are known of Oh Hell",
    )
    bonus: int = option(_POINTS, "Points for a bid that was met.", "seed: 10")
    trick_points: int = option(_POINTS, "Points for each trick taken on a bid that was met.", "seed: 1")

    def __post_init__(self) -> None:
        if self.max_hand is not None and self.max_hand < self.min_hand:
            raise RulesError(
                f"the last deal has {self.max_hand} cards each, fewer than the first (min_hand {self.min_hand})",
                pointer="/max_hand",
            )

    def cycle(self, seats: int, pointer: str = "/options") -> range:
        """Cards each, deal by deal. Raises RulesError if the pack is too small for the hands wanted."""
        most = FACES // seats
        for name, size in (("max_hand", self.max_hand), ("min_hand", self.min_hand)):
            if size is not None and size > most:
                raise RulesError(
                    f"{size} cards for each of {seats} seats are more than the 52 of the pack: at most {most}",
                    pointer=f"{pointer}/{name}",
                )
        return range(self.min_hand, (self.max_hand or most) + 1)

    def score(self, bid: int, taken: int) -> int:
        """Points of a deal for a seat that bid and took so many tricks."""
        if taken == bid or (self.overtricks == "count" and taken > bid):
            return self.trick_points * taken + self.bonus
        return self.trick_points * _MISSED[self.missed](bid, taken)

    def to_json(self) -> dict[str, Any]:
        """The full record as JSON values, in the order of the fields."""
        return {item.name: getattr(self, item.name) for item in fields(self)}

    @cached_property
    def hash(self) -> str:
        """Hex SHA-256 of the canonical JSON of the record."""
        return digest(self.to_json())


# Tricks that a missed bid counts for.
_MISSED: Final[dict[str, Callable[[int, int], int]]] = {
    "nothing": lambda bid, taken: 0,
    "tricks": lambda bid, taken: taken,
    "difference": lambda bid, taken: -abs(taken - bid),
}


def build(base: Mapping[str, Any], changes: Mapping[str, Any], pointer: str = "") -> Rules:
    """The rules of a variant's full record with some options changed.

    Raises RulesError: an unknown option, a wrong shape, or a contradiction, with a pointer below `pointer`.
    """
    check_changes(Rules, changes, pointer)
    try:
        return Rules(**{**base, **changes})
    except RulesError as refusal:
        raise RulesError(refusal.detail, pointer=pointer + refusal.pointer) from None
