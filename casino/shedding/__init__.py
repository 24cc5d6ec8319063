"""The shedding family: eight variants by one engine in which a variant is data."""

from collections.abc import Mapping
from typing import Any

from casino.catalogue import Listing
from casino.errors import RulesError
from casino.options import schema_of
from casino.shedding.actions import MEANINGS
from casino.shedding.engine import ShedGame
from casino.shedding.reading import build
from casino.shedding.rules import Rules
from casino.shedding.variants import VARIANTS, played_by


def make(name: str, options: Mapping[str, Any], seats: int) -> ShedGame:
    """A shedding game with some options changed. Raises RulesError with a pointer."""
    variant = VARIANTS[name]
    if not variant.min_seats <= seats <= variant.max_seats:
        raise RulesError(
            f"«{name}» is for {variant.min_seats} to {variant.max_seats} seats, not {seats}", pointer="/seats"
        )
    defaults = variant.rules.to_json()
    rules = build(defaults, options, "/options")
    played = played_by(variant, rules, "/options")
    wanted = played.hand_size(seats) * seats + 2
    held = played.pack_count(seats) * (52 + played.jokers)
    if wanted > held:
        raise RulesError(
            f"{seats} seats take {wanted - 2} cards, and one to turn and one to draw must be left: the pack has {held}",
            pointer="/options/packs",
        )
    return ShedGame(name, rules, played, seats, defaults)


GAMES: tuple[Listing, ...] = tuple(
    Listing(
        name=name,
        family=ShedGame.family,
        title=variant.title,
        source=variant.source,
        min_seats=variant.min_seats,
        max_seats=variant.max_seats,
        default_seats=variant.default_seats,
        build=make,
        defaults=variant.rules.to_json(),
        schema=schema_of(Rules, variant.rules.to_json()),
        actions=MEANINGS,
    )
    for name, variant in VARIANTS.items()
)
