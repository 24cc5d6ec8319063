"""Every game of the three families by name. A family joins by listing its games in its package's `GAMES`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from casino.errors import UnknownGame
from casino.game import Game


class Factory(Protocol):
    """Builds a game. `options` are changes to the listing's defaults; raises RulesError with a pointer."""

    def __call__(self, name: str, options: Mapping[str, Any], seats: int) -> Game[Any]: ...


@dataclass(frozen=True, slots=True)
class Listing:
    """One game of the catalogue: what a client needs to know before it opens a table."""

    name: str
    family: str
    title: str
    source: str
    min_seats: int
    max_seats: int
    default_seats: int
    build: Factory
    defaults: Mapping[str, Any] = field(hash=False)
    schema: Mapping[str, Any] = field(hash=False)
    actions: Mapping[str, str] = field(hash=False)

    def game(self, options: Mapping[str, Any] | None = None, seats: int | None = None) -> Game[Any]:
        """The game with some options changed. Raises RulesError (an option, a contradiction, the seats)."""
        return self.build(self.name, options or {}, self.default_seats if seats is None else seats)

    def position(self, data: Mapping[str, Any]) -> Any:
        """A state set up from a position of this game; its `options` and `seats` are taken from it.

        Where `seats` is left out there are as many as hands, if the game is for so many.
        """
        seats = data.get("seats")
        if seats is None and isinstance(hands := data.get("hands"), list):
            seats = len(hands) if self.min_seats <= len(hands) <= self.max_seats else None
        game = self.game(data.get("options") or {}, seats if isinstance(seats, int) else None)
        return game.position(data)


def listings() -> tuple[Listing, ...]:
    """All games, family by family."""
    # Imported here: a family's package may itself look a game up.
    from casino import banking, shedding, tricks  # noqa: PLC0415

    return (*banking.GAMES, *shedding.GAMES, *tricks.GAMES)


def find(name: str) -> Listing:
    """The listing of a name. Raises UnknownGame, which lists the names there are."""
    known = {listing.name: listing for listing in listings()}
    if name not in known:
        raise UnknownGame(f"no game «{name[:40]}»; there are {', '.join(known)}", pointer="/game")
    return known[name]
