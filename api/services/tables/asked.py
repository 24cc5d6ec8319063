"""A table as it was asked for (`table.md`, «Opening a table»), and what every family reads of it alike."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from api.services.errors import Invalid, ServiceError
from api.services.tables.model import BOT, HOUSE, OPEN, PLAYER, Json, Sitter
from casino.errors import CasinoError
from casino.game import Game

ME: Final = "me"
ACTION: Final = "/action"  # where the one text of a request stands; of several one stands at /actions/0


@dataclass(frozen=True, slots=True)
class Opening:
    """What a client asks for. None: not said, so the family's default."""

    game: str
    options: Mapping[str, Any]
    seats: Sequence[Mapping[str, Any]] | None
    bank: str | None
    practice: bool
    seed: int
    turn_seconds: int
    private: bool
    spectators: bool
    target: int | None = None
    ante: int | None = None
    chips_per_point: int | None = None
    max_points: int | None = None


@dataclass(frozen=True, slots=True)
class Autoplay:
    """Coups to be played by a policy, each for a stake of so many chips."""

    stake: int
    policy: Any
    coups: int


@dataclass(frozen=True, slots=True)
class Plan:
    """An opening that was found sound. `mine`: the caller's seat; `settings`: choices that are not rules."""

    opening: Opening
    game: Game[Any]
    sitters: list[Sitter]
    mine: int
    bank: str | None = None
    settings: Json = field(default_factory=dict)


def refuse(opening: Opening, names: Sequence[str], why: str) -> None:
    """Refuse members of an opening that make no sense for its game."""
    for name in names:
        if getattr(opening, name) is not None:
            raise Invalid(why, pointer=f"/{name}")


def sitter_of(number: int, seat: Mapping[str, Any], default_policy: str) -> Sitter:
    """Who is to sit there."""
    kind = seat["kind"]
    if kind != BOT and ("policy" in seat or "stake" in seat):
        raise Invalid("only a bot has a policy and a stake", pointer=f"/seats/{number}")
    if kind != ME and "seed" in seat:
        raise Invalid(
            "only for your own seat it is told whether it gives a seed", pointer=f"/seats/{number}/seed"
        )
    if kind == BOT:
        name = seat.get("name") or f"Bot {number}"
        policy = seat.get("policy", default_policy)
        return Sitter(number, BOT, name=name, policy=policy, stake=seat.get("stake"))
    return Sitter(number, kind, name="House" if kind == HOUSE else None)


@contextmanager
def placed(pointer: str) -> Iterator[None]:
    """Whatever an engine refuses of a text that a client sent is told with the text's place in the request."""
    try:
        yield
    except CasinoError as refusal:
        refusal.pointer = pointer
        raise
    except ServiceError as refusal:
        if refusal.pointer == ACTION:
            refusal.pointer = pointer
        raise


def claim_seat(sitters: Sequence[Sitter]) -> int:
    """The caller's seat: the one marked «me», else seat 0."""
    marked = [sitter.number for sitter in sitters if sitter.kind == ME]
    if len(marked) > 1:
        raise Invalid("you can take one seat only", pointer=f"/seats/{marked[1]}/kind")
    mine = marked[0] if marked else 0
    if not sitters or sitters[mine].kind not in (ME, OPEN):
        raise Invalid(
            'whoever opens a table takes seat 0: leave it open, or name another with {"kind": "me"}',
            pointer="/seats/0/kind",
        )
    sitters[mine].kind = PLAYER
    return mine
