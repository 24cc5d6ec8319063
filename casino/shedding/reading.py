"""How options are read: held to their schemas, and every set of cards written in one way, so that equal rules have one
hash however their patterns were spelled. A set that a variant has is spelled as there, any other as `spelled` does.
"""

from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import cache
from typing import Any

from casino.errors import RulesError
from casino.options import Schema, check_changes
from casino.shedding.patterns import mask, spelled
from casino.shedding.powers import PATTERN, frozen
from casino.shedding.rules import Rules
from casino.shedding.variants import VARIANTS

Spell = Callable[[str, str], str]


def build(base: Mapping[str, Any], changes: Mapping[str, Any], pointer: str = "") -> Rules:
    """The rules of a variant's full record with some options changed.

    Raises RulesError: an unknown option, a wrong shape, or a contradiction, with a pointer below `pointer`.
    """
    check_changes(Rules, changes, pointer)
    merged = {**base, **_in_one_spelling(changes, pointer)}
    for modifier in ("cross_draw_stack", "draw_cards_match"):
        if merged[modifier] and merged["draw_answers"] != base["draw_answers"]:
            raise RulesError(
                "says how 2s and 3s are answered, and so does «draw_answers»: give one of them",
                pointer=f"{pointer}/{modifier}",
            )
    try:
        return Rules(**{name: frozen(name, value) for name, value in merged.items()})
    except RulesError as refusal:
        raise RulesError(refusal.detail, pointer=pointer + refusal.pointer) from None


def _in_one_spelling(changes: Mapping[str, Any], pointer: str) -> dict[str, Any]:
    """Changes that hold to their schemas, respelled. Raises RulesError for a pattern that means no cards."""

    def spell(pattern: str, where: str) -> str:
        cards = mask(pattern, where)
        return _spellings().get(cards) or spelled(cards)

    return _respelled(changes, spell, pointer)


@cache
def _spellings() -> dict[int, str]:
    """Sets of cards as the variants write them."""
    found: dict[int, str] = {}

    def note(pattern: str, where: str) -> str:
        return found.setdefault(mask(pattern, where), pattern)

    for variant in VARIANTS.values():
        _respelled(variant.rules.to_json(), note, "")
    return found


def _respelled(options: Mapping[str, Any], spell: Spell, pointer: str) -> dict[str, Any]:
    schemas = {item.name: item.metadata["schema"] for item in fields(Rules)}
    return {
        name: _each_pattern(value, schemas[name], spell, f"{pointer}/{name}")
        for name, value in options.items()
    }


def _each_pattern(value: Any, schema: Schema, spell: Spell, pointer: str) -> Any:
    """A value with what `spell` makes of each pattern in it and of its place; where its schema is PATTERN it is one."""
    if schema is PATTERN:
        return spell(value, pointer)
    if schema.get("type") == "array":
        return [
            _each_pattern(item, schema["items"], spell, f"{pointer}/{index}")
            for index, item in enumerate(value)
        ]
    if schema.get("type") == "object":
        known = schema["properties"]
        return {
            name: _each_pattern(item, known[name], spell, f"{pointer}/{name}") for name, item in value.items()
        }
    return value
