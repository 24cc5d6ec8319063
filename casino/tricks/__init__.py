"""The tricks family: Пекло, by one engine in which a variant is data."""

from collections.abc import Mapping
from typing import Any

from casino.catalogue import Listing
from casino.errors import RulesError
from casino.options import schema_of
from casino.tricks.actions import MEANINGS
from casino.tricks.engine import TrickGame
from casino.tricks.rules import Rules, build
from casino.tricks.variants import VARIANTS


def make(name: str, options: Mapping[str, Any], seats: int) -> TrickGame:
    """A trick game with some options changed. Raises RulesError with a pointer."""
    variant = VARIANTS[name]
    if not variant.min_seats <= seats <= variant.max_seats:
        raise RulesError(
            f"«{name}» is for {variant.min_seats} to {variant.max_seats} seats, not {seats}", pointer="/seats"
        )
    return TrickGame(name, build(variant.rules, options, "/options"), seats, variant.rules)


GAMES: tuple[Listing, ...] = tuple(
    Listing(
        name=name,
        family=TrickGame.family,
        title=variant.title,
        source=variant.source,
        min_seats=variant.min_seats,
        max_seats=variant.max_seats,
        default_seats=variant.default_seats,
        build=make,
        defaults=variant.rules,
        schema=schema_of(Rules, variant.rules),
        actions=MEANINGS,
    )
    for name, variant in VARIANTS.items()
)
