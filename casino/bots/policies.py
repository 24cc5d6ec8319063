"""Policies of bots at the tables of matches, by the names of `table.md`: what a seat is told, and the bot it makes.

"simple" · "simple:keep_wild,shed_high" · {"name": "simple", "keep_wild": true}
"search" · "search:500" · {"name": "search", "nodes": 500} · "random"
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from random import Random
from typing import Any, Final

from casino.bots import Bot, RandomBot, shedding, tricks
from casino.bots.shedding_policy import Traits
from casino.errors import RulesError
from casino.game import Game, Json

RANDOM, SIMPLE, SEARCH = "random", "simple", "search"
NAMES: Final = (RANDOM, SIMPLE, SEARCH)
MOST_NODES: Final = 20_000


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy that was read: `traits` are tactics of `simple`, `nodes` the actions that `search` plays out."""

    name: str
    traits: frozenset[str] = frozenset()
    nodes: int | None = None


DEFAULT: Final = Policy(SIMPLE)


def tactics(family: str) -> tuple[str, ...]:
    """The tactics that `simple` knows in a family's games."""
    return tuple(item.name for item in fields(Traits)) if family == "shedding" else ()


def read(spec: Any, family: str, pointer: str = "") -> Policy:
    """The policy that a name, a text or an object means. Raises RulesError with a pointer."""
    if isinstance(spec, str):
        name, colon, rest = spec.partition(":")
        return _checked(name, _words(name, rest, pointer) if colon else {}, family, pointer)
    if isinstance(spec, Mapping) and isinstance(spec.get("name"), str):
        return _checked(
            spec["name"], {key: item for key, item in spec.items() if key != "name"}, family, pointer
        )
    raise RulesError(
        f'a policy is one of {", ".join(NAMES)}, or an object such as {{"name": "{SIMPLE}"}}', pointer=pointer
    )


def _words(name: str, rest: str, pointer: str) -> Json:
    """The options of a policy's text: tactics parted by commas, or a number of nodes."""
    if name != SEARCH:
        return dict.fromkeys(rest.split(","), True)
    if not (rest.isascii() and rest.isdecimal() and len(rest) < 9):
        raise RulesError(
            f"«{SEARCH}:» is followed by a number of nodes, as in «{SEARCH}:500»", pointer=pointer
        )
    return {"nodes": int(rest)}


def _checked(name: str, options: Json, family: str, pointer: str) -> Policy:
    if name not in NAMES:
        raise RulesError(f"no policy «{name[:40]}»; there are {', '.join(NAMES)}", pointer=pointer)
    allowed = {SIMPLE: tactics(family), SEARCH: ("nodes",)}.get(name, ())
    for key, value in options.items():
        where = f"{pointer}/{key}"
        if key not in allowed:
            known = f"there are {', '.join(allowed)}" if allowed else f"«{name}» has none in these games"
            raise RulesError(f"no option «{key[:40]}» of a policy; {known}", pointer=where)
        if key == "nodes":
            if type(value) is not int or not 1 <= value <= MOST_NODES:
                raise RulesError(f"must be a number from 1 to {MOST_NODES}", pointer=where)
        elif not isinstance(value, bool):
            raise RulesError("must be true or false", pointer=where)
    on = frozenset(key for key, value in options.items() if value is True)
    return Policy(name, on, options.get("nodes"))


def make(policy: Policy, game: Game[Any], rng: Random) -> Bot:
    """The bot of a policy for a game of the shedding or the tricks family (not for a match of one)."""
    if policy.name == RANDOM:
        return RandomBot(rng)
    return _MAKERS[game.family](policy, game, rng)


def _shedding(policy: Policy, game: Any, rng: Random) -> Bot:
    if policy.name == SEARCH:
        return shedding.SearchBot(game, rng, policy.nodes or shedding.NODES)
    return shedding.SimpleBot(game, Traits(**dict.fromkeys(policy.traits, True)))


def _tricks(policy: Policy, game: Any, rng: Random) -> Bot:
    if policy.name == SEARCH:
        return tricks.SearchBot(game, rng, policy.nodes or tricks.NODES)
    return tricks.SimpleBot(game)


_MAKERS: Final[dict[str, Callable[[Policy, Any, Random], Bot]]] = {"shedding": _shedding, "tricks": _tricks}
