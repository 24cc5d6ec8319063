"""What cards do, as records of quantities from a closed set of verbs. A card in no record is plain."""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, Final, cast

from casino.options import Schema

PATTERN: Final[Schema] = {"type": "string"}
BOOL: Final[Schema] = {"type": "boolean"}
_COUNT: Final[Schema] = {"type": "integer", "minimum": 0, "maximum": 20}


@dataclass(frozen=True, slots=True)
class Power:
    """What the cards of a pattern do. The engine adds the quantities of all cards laid in a turn.

    draw: cards that an attacked seat draws. adds: cards put on top where laid on an open penalty (it opens none).
    back: the attack goes to the previous seat. skip: turns that the next seat loses unless it answers.
    over: seats passed over at once. cancel: an open penalty is off. pass_on: an open penalty goes on to the next
    seat. reverse: play turns round. choose: the player says who is next. again: another card must follow.
    names: the player says what must follow, a «suit» or a «rank»; free: he need not; held: only what he still
    holds; new: not what is in play already.
    """

    cards: str
    draw: int = 0
    adds: int = 0
    back: bool = False
    skip: int = 0
    over: int = 0
    cancel: bool = False
    pass_on: bool = False
    reverse: bool = False
    choose: bool = False
    again: bool = False
    names: str | None = None
    free: bool = False
    held: bool = False
    new: bool = False

    @property
    def acts(self) -> bool:
        """Does it do anything outside an attack? (A card that only answers attacks is no action card.)"""
        return bool(
            self.draw or self.skip or self.over or self.reverse or self.choose or self.again or self.names
        )

    def to_json(self) -> dict[str, Any]:
        """The record as JSON values; what is not set is left out."""
        return {
            item.name: getattr(self, item.name)
            for item in fields(self)
            if item.default is MISSING or getattr(self, item.name) != item.default
        }


POWER: Final[Schema] = {
    "type": "object",
    "properties": {
        "cards": PATTERN,
        "draw": _COUNT,
        "adds": _COUNT,
        "back": BOOL,
        "skip": _COUNT,
        "over": _COUNT,
        **dict.fromkeys(("cancel", "pass_on", "reverse", "choose", "again"), BOOL),
        "names": {"enum": ["suit", "rank"]},
        **dict.fromkeys(("free", "held", "new"), BOOL),
    },
    "required": ["cards"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Pair:
    """Cards of the pattern `by` may be laid on cards of the pattern `on`."""

    on: str
    by: str

    def to_json(self) -> dict[str, Any]:
        """The pair as JSON values."""
        return {"on": self.on, "by": self.by}


PAIR: Final[Schema] = {
    "type": "object",
    "properties": {"on": PATTERN, "by": PATTERN},
    "required": ["on", "by"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Worth:
    """Points of each card of a pattern that is still held at the end."""

    cards: str
    points: int

    def to_json(self) -> dict[str, Any]:
        """The line as JSON values."""
        return {"cards": self.cards, "points": self.points}


WORTH: Final[Schema] = {
    "type": "object",
    "properties": {"cards": PATTERN, "points": {"type": "integer", "minimum": 0, "maximum": 1000}},
    "required": ["cards", "points"],
    "additionalProperties": False,
}

# The options that hold records, by name.
RECORDS: Final[dict[str, type]] = {"powers": Power, "answers": Pair, "lays_on": Pair, "points": Worth}


def frozen(name: str, value: Any) -> Any:
    """The frozen form of an option's JSON value."""
    if name not in RECORDS:
        return value
    return tuple(RECORDS[name](**cast(Mapping[str, Any], row)) for row in value)


def plain(name: str, value: Any) -> Any:
    """The JSON value of an option."""
    return [row.to_json() for row in value] if name in RECORDS else value
