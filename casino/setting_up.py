"""What the positions of every family are checked for alike: shape, game, seats, options, one entry a seat."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from casino.errors import PositionError, RulesError
from casino.game import Game
from casino.options import Schema, check


def check_shape(
    game: Game[Any],
    data: Mapping[str, Any],
    schema: Schema,
    by_seat: Sequence[str],
    fits: Callable[[Any], bool],
) -> None:
    """Refuse what is no position of this game: `by_seat` are the fields with one entry a seat, `fits` tells whether the
    options of a position make the game's own rules.

    Raises PositionError or RulesError with a pointer.
    """
    try:
        check(dict(data), schema, "")
    except RulesError as refusal:
        raise PositionError(refusal.detail, pointer=refusal.pointer) from None
    if data.get("game", game.name) != game.name:
        raise PositionError(f"a position of «{game.name}» is wanted here", pointer="/game")
    if data.get("seats", game.seats) != game.seats:
        raise PositionError(f"the game here has {game.seats} seats", pointer="/seats")
    if "options" in data and not fits(data["options"]):
        raise PositionError("the game here is played by other options", pointer="/options")
    for key in by_seat:
        if key in data and len(data[key]) != game.seats:
            raise PositionError(
                f"must hold one entry for each of the {game.seats} seats, not {len(data[key])}",
                pointer=f"/{key}",
            )


def checked_seat(seat: int, seats: int, pointer: str) -> int:
    """The seat itself. Raises PositionError if there is none of that number."""
    if seat >= seats:
        raise PositionError(f"there is no seat {seat}: seats are 0 to {seats - 1}", pointer=pointer)
    return seat
