"""What a seat does not see is told to it nowhere (`design.md`, «Non-interference»: a canary card).

Practice tables: the seed is given, so the cards are the same every time; what is told of them is told as for chips.
"""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from api import create_app
from api.config import from_environment
from tests.api.matches.matches import ME, OPEN, SHORT
from tests.api.tables.people import Json, Person

SEED = 11
PATHS = ("", "/events?limit=500", "/deals", "/banks", "/coups", "/proof", "/advice")
WORDS = (
    "play 2H", "play 2H; macao", "add 2H", "draw", "accept", "pass", "end", "macao", "catch 0", "catch 1", "bid 99",
    "bid 0", "name hearts", "choose 1", "play BJ as 2H", "seed 00", "nonsense",
)  # fmt: skip
TYPED = ("2H", "BJ")


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """One kind of database: none of this depends on it."""
    return sqlite_url


@contextmanager
def three_people(database_url: str) -> Iterator[list[Person]]:
    """Three players of an application that logs all there is to be logged, to what is standard error by now."""
    root = logging.getLogger()
    handlers, level = root.handlers.copy(), root.level
    app = create_app(from_environment({}, database_url=database_url, log_level="debug"))
    try:
        yield [Person(app, name) for name in ("Ada", "Boris", "Clara")]
    finally:
        app.extensions["macao"].database.dispose()
        root.handlers[:] = handlers  # what was standard error here is closed by the end of the test
        root.setLevel(level)


def watched(people: list[Person], opening: Json) -> tuple[str, list[str]]:
    """A card in the hand of a seat that has done nothing yet, and all that was sent to that seat, to another and to an
    onlooker, who ask for all there is and try whatever may be tried."""
    table = people[0].open(seats=[ME, OPEN], stakes="practice", seed=SEED, spectators=True, **opening)["id"]
    people[1].post(f"/tables/{table}/seats", {}, 201)
    owner, other = people[:2]
    if 0 in owner.get(f"/tables/{table}")["play"]["awaited"]:
        owner, other = other, owner
    for person in (other, people[2]):
        attempt(person, table)
    mine, his = (person.get(f"/tables/{table}")["play"] for person in (owner, other))
    canary = hidden_card(mine, his)
    return canary, ["".join(person.seen) for person in (owner, other, people[2])]


def hidden_card(mine: Json, his: Json) -> str:
    """A card in a hand that the other has neither in his own nor lying open (of two packs there are two)."""
    lies_open = {*his["hands"][his["seat"]], *his.get("pile", ()), his.get("turned"), *TYPED}
    lies_open |= {card for _, card in his.get("trick", ())}
    return next(card for card in mine["hands"][mine["seat"]] if card not in lies_open)


def attempt(person: Person, table: str) -> None:
    """Try what may be done and what may not; ask for everything."""
    legal = [text for text in person.get(f"/tables/{table}")["legal"] if isinstance(text, str)]
    for text in (*WORDS, *legal):
        person.ask("POST", f"/tables/{table}/actions", json={"action": text})
    for path in PATHS:
        person.ask("GET", f"/tables/{table}{path}")
    for deal in person.get(f"/tables/{table}/deals")["deals"]:
        for path in ("", "/proof"):
            person.ask("GET", f"/tables/{table}/deals/{deal['id']}{path}")
        person.ask("GET", f"/tables/{table}/deals/{deal['id']}", headers={"Accept": "text/plain"})
    person.ask("GET", f"/tables/{table}/deals", headers={"Accept": "application/x-ndjson"})
    person.ask("GET", "/tables?mine=true")


@pytest.mark.parametrize("game", SHORT)
def test_a_card_in_another_hand_never_shows(
    database_url: str, game: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """Not in views, events, errors, lists of legal actions, recall or the log."""
    with three_people(database_url) as people:
        canary, (owner, *others) = watched(people, {"game": game})
    search, log = re.compile(rf"\b{canary}\b"), capfd.readouterr().err
    assert search.search(owner), "the search finds it where it may be"
    assert not [body for body in others if search.search(body)]
    assert log.count('"event": "request"') > 2 * len(WORDS)
    assert not search.search(log)


@pytest.mark.parametrize("game", [name for name in SHORT if name != "peklo"])
def test_open_cards_show_everything_to_everyone(database_url: str, game: str) -> None:
    """`open_cards`: all hands and the stock, to every seat and to onlookers."""
    opening: Json = {"game": game, "options": {"open_cards": True}}
    with three_people(database_url) as people:
        canary, bodies = watched(people, opening)
    assert all(f'"{canary}"' in body for body in bodies)
