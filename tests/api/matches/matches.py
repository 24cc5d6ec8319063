"""What the tests of matches share: seats, situations put into the database, matches played to their end."""

from random import Random
from typing import Any

from sqlalchemy import select, update

from api.db import Database
from api.models import Table
from casino.catalogue import listings
from tests.api.tables.people import Json, Person

ME, OPEN, BOT = {"kind": "me"}, {"kind": "open"}, {"kind": "bot"}
PASSIVE = ("draw", "pass")
# A short match of each game that is played in matches.
SHORT: dict[str, Json] = {
    listing.name: {"target": 30} if listing.name in ("tel-aviv", "romanian-points", "russian-104") else {}
    for listing in listings()
    if listing.family == "shedding"
}
SHORT["peklo"] = {"options": {"max_hand": 3}}


def state_of(database: Database, table: str) -> Json:
    """The secret state of a table."""
    with database.read() as session:
        return session.scalar(select(Table.state).where(Table.id == table))


def plant(database: Database, table: str, **position: Any) -> None:
    """Put a situation in the place of the deal that is on: a shedding position, cards of other seats unchanged."""
    stored = state_of(database, table)
    stored["state"]["state"] = position
    with database.write() as session:
        session.execute(
            update(Table).where(Table.id == table).values(state=stored, version=Table.version + 1)
        )


def choice(rng: Random, legal: list[Any]) -> str:
    """Something that a lively player does."""
    words = [item for item in legal if isinstance(item, str)]
    active = [item for item in words if item not in PASSIVE and not item.startswith("catch")]
    return "macao" if "macao" in words else rng.choice(active or words)


def play_out(people: list[Person], table: str, *, most: int = 3000, rng: Random | None = None) -> Json:
    """Let these people play until the table is closed; the last view of the first."""
    rng = rng or Random(1)
    for _ in range(most):
        views = [person.get(f"/tables/{table}") for person in people]
        if views[0]["phase"] == "closed":
            return views[0]
        awaited = views[0]["play"]["awaited"]
        mover = next(
            (at for at, view in enumerate(views) if view["you"] and view["you"]["seat"] in awaited), None
        )
        assert mover is not None, f"nobody here is awaited: {awaited}"
        people[mover].do(table, choice(rng, views[mover]["legal"]))
    raise AssertionError(f"no end after {most} actions")


def everything(person: Person, table: str) -> list[Json]:
    """All events of a table, as this person sees them."""
    found: list[Json] = []
    while page := person.get(f"/tables/{table}/events?after={len(found)}&limit=500")["events"]:
        found += page
    return found
