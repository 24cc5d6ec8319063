"""Policies by name: how a seat draws and discards (`table.md`, «Policies»). One set for bots, defaults and odds.

Every policy obeys must-draw and must-stand, because it picks from what is legal; every named one discards a zero
whenever it may. `optimal` and `equilibrium` are worked out by the odds, which plug them in with `plug_in`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from casino.banking.rules import FREE, Rules
from casino.banking.text import DISCARD, DRAW, STAND
from casino.errors import RulesError
from casino.game import View
from casino.options import Schema, check

PUNTER, BANKER = "punter", "banker"
BY_ROTE, TEXTBOOK, THRESHOLD = "rules", "textbook", "threshold"
ODDS: Final = ("optimal", "equilibrium")
NAMES: Final = (STAND, TEXTBOOK, f"{THRESHOLD}:T", BY_ROTE, *ODDS)
FREE_BANKER: Final = "threshold:5"
_DRAW_ON_TEXTBOOK: Final = range(7)

OBJECT_SCHEMA: Final[Schema] = {
    "type": "object",
    "properties": {
        "draw_on": {
            "type": "array",
            "items": {"type": "integer", "minimum": 0, "maximum": 9},
            "uniqueItems": True,
            "maxItems": 10,
        },
        "discard_dealt": {"type": "boolean"},
        "discard_drawn": {"type": "boolean"},
    },
    "required": ["draw_on"],
    "additionalProperties": False,
}


class Policy(Protocol):
    """Decides a hand from the view of its seat, which is to act."""

    @property
    def spec(self) -> Any:
        """The policy as JSON: what `parse_policy` takes."""

    def choose(self, view: View) -> str:
        """The text of one of the view's legal actions `discard`, `draw`, `stand`."""


class Maker(Protocol):
    """Works a policy out for one side of a game."""

    def __call__(self, rules: Rules, side: str) -> Policy: ...


@dataclass(frozen=True, slots=True)
class PointsPolicy:
    """A policy by points alone: `draw_on` where the seat is free; zeros discarded or kept."""

    spec: Any
    draw_on: frozenset[int]
    discard_dealt: bool = True
    discard_drawn: bool = True

    def choose(self, view: View) -> str:
        mine = view["seats"][view["seat"]]
        return self.decide(view["legal"], mine["points"], drew=mine["drew"])

    def decide(self, legal: list[Any], points: int, *, drew: bool) -> str:
        """The choice among legal texts with these points, before or after the draw."""
        if DISCARD in legal and (self.discard_drawn if drew else self.discard_dealt):
            return DISCARD
        if DRAW in legal and (points in self.draw_on or STAND not in legal):
            return DRAW
        return STAND if STAND in legal else DISCARD


_MAKERS: Final[dict[str, Maker]] = {}


def plug_in(name: str, maker: Maker) -> None:
    """Let the odds supply `optimal` or `equilibrium`."""
    if name not in ODDS:
        raise RulesError(f"only {' and '.join(ODDS)} are plugged in, not «{name}»")
    _MAKERS[name] = maker


def default_policy(rules: Rules, side: str) -> Policy:
    """The policy of a seat that nobody decides for: a punter's textbook; a banker's rote, or threshold:5."""
    if side == PUNTER:
        return parse_policy(TEXTBOOK, rules, side)
    return parse_policy(FREE_BANKER if rules.banker_is_free else BY_ROTE, rules, side)


def parse_policy(value: Any, rules: Rules, side: str, pointer: str = "") -> Policy:
    """The policy of a name or of an object with `draw_on`. Raises RulesError with the pointer."""
    if isinstance(value, Mapping):
        check(dict(value), OBJECT_SCHEMA, pointer)
        dealt, drawn = value.get("discard_dealt", True), value.get("discard_drawn", True)
        return PointsPolicy(dict(value), frozenset(value["draw_on"]), dealt, drawn)
    if not isinstance(value, str):
        raise RulesError(_unknown(value), pointer=pointer)
    if value in ODDS:
        return _from_odds(value, rules, side, pointer)
    if value == BY_ROTE and is_free(rules, side):
        raise RulesError(
            f"«{BY_ROTE}» is for a side without a choice, and here the {side} has one: name another policy",
            pointer=pointer,
        )
    return PointsPolicy(value, _draw_on(value, pointer))


def is_free(rules: Rules, side: str) -> bool:
    """May this side choose whether to draw on some hand?"""
    if side == BANKER:
        return rules.banker_is_free
    return rules.max_draws > 0 and FREE in rules.punter_draw


def _draw_on(name: str, pointer: str) -> frozenset[int]:
    kind, _, limit = name.partition(":")
    if name == TEXTBOOK:
        return frozenset(_DRAW_ON_TEXTBOOK)
    if name in (STAND, BY_ROTE):
        return frozenset()
    if kind == THRESHOLD:
        if len(limit) == 1 and limit in "0123456789":
            return frozenset(range(int(limit) + 1))
        raise RulesError("a threshold is 0 to 9 points, as in «threshold:5»", pointer=pointer)
    raise RulesError(_unknown(name), pointer=pointer)


def _from_odds(name: str, rules: Rules, side: str, pointer: str) -> Policy:
    maker = _MAKERS.get(name)
    if maker is None:
        raise RulesError(
            f"«{name}» is worked out by the odds, which are not loaded here: take {STAND}, {TEXTBOOK} or"
            f" {THRESHOLD}:T",
            pointer=pointer,
        )
    return maker(rules, side)


def _unknown(value: Any) -> str:
    return (
        f"no policy «{str(value)[:40]}»: there are {', '.join(NAMES)} (T 0 to 9), or an object such as"
        ' {"draw_on": [0, 1, 2, 3, 4], "discard_dealt": true, "discard_drawn": true}'
    )
