"""Tables of every preset at which people do at random whatever they are told they may do, come, go and let time pass.

What is listed as legal is taken; a table that all have left is closed, owes nothing, and every bank of it is proved.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest
from flask import Flask

from api import create_app
from api.config import from_environment
from api.ticker import Ticker
from casino.banking.presets import PRESETS
from casino.banking.proof import verify
from tests.api.tables.people import Json, Person, accounts, sound

STEPS = 40
SEED_BYTES = 32


@pytest.fixture
def time() -> list[datetime]:
    """The service's time: its only item."""
    return [datetime(2030, 1, 1, tzinfo=UTC)]


@pytest.fixture
def app(sqlite_url: str, time: list[datetime]) -> Iterator[Flask]:
    """An application whose bots have few chips, so that they run out of them."""
    settings = {"database_url": sqlite_url, "log_level": "error", "bot_purse": "300", "house_bank": "2000"}
    made = create_app(from_environment({}, **settings), now=lambda: time[0])
    yield made
    made.extensions["macao"].database.dispose()


def _opening(rng: Random, preset: str) -> Json:
    seats = [{"kind": "me"}, *rng.choices(({"kind": "open"}, {"kind": "bot"}), k=rng.randint(1, 4))]
    options: Json = {"seats_change": rng.choice(("coup", "bank", "round"))}
    if rng.random() < 0.5:
        options["stake_limits"] = {"min": 100, "max": 500, "step": 100}
    return {
        "game": preset,
        "options": options,
        "seats": seats,
        "bank": rng.choice(("house", "rotates", "rotates")),
        "stakes": rng.choice(("chips", "chips", "practice")),
        "turn_seconds": rng.choice((0, 1, 30)),
        "spectators": True,
    }


def _text(rng: Random, item: Any) -> str:
    """Something that an item of `legal` stands for."""
    if isinstance(item, str):
        return item
    ((verb, limits),) = item.items()
    if verb == "seed":
        return f"seed {rng.randbytes(SEED_BYTES).hex()}"
    steps = (limits["max"] - limits["min"]) // limits["step"]
    return f"{verb} {limits['min'] + limits['step'] * rng.choice((0, steps // 2, steps))}"


def _step(rng: Random, person: Person, table: str, ticker: Ticker, time: list[datetime]) -> None:
    view = person.get(f"/tables/{table}")
    chance = rng.random()
    if view["phase"] == "closed":
        return
    if view["you"] is None:
        person.ask("POST", f"/tables/{table}/seats", json={})
    elif chance < 0.06:
        person.ask("DELETE", f"/tables/{table}/seats/{view['you']['seat']}")
    elif chance < 0.12:
        time[0] += timedelta(seconds=31)
        ticker.tick()
    elif view["legal"]:
        person.do(table, _text(rng, rng.choice(view["legal"])))


def _everyone_leaves(people: list[Person], table: str) -> None:
    for person in people:
        view = person.get(f"/tables/{table}")
        seat = view["you"]["seat"] if view["you"] and view["phase"] != "closed" else None
        if seat is not None and not view["seats"][seat]["leaving"]:
            person.ask("DELETE", f"/tables/{table}/seats/{seat}")


def _check_past(person: Person, table: str) -> None:
    """Every bank is proved; what the banker put up, and what its coups brought him, is what it was left with."""
    coups = person.get(f"/tables/{table}/coups?limit=200")["coups"]
    assert {coup["status"] for coup in coups} <= {"settled", "voided"}
    for bank in person.get(f"/tables/{table}/banks?limit=200")["banks"]:
        verify(person.ask("GET", f"/tables/{table}/banks/{bank['id']}/proof").data, bank["commitment"])
        own = [coup for coup in coups if coup["bank_id"] == bank["id"] and coup["status"] == "settled"]
        if bank["put_up"] and len(coups) < 200:
            assert bank["left_over"] == bank["put_up"] + sum(coup["chips"][coup["banker"]] for coup in own)


@pytest.mark.parametrize("preset", PRESETS)
def test_what_is_listed_is_taken_and_what_is_over_is_proved(
    app: Flask, time: list[datetime], preset: str
) -> None:
    rng = Random(preset)
    service = app.extensions["macao"]
    ticker = Ticker(service)
    for number in range(2):
        people = [Person(app, f"{name} {number}") for name in ("Ada", "Boris", "Clara")]
        table = people[0].open(**_opening(rng, preset))["id"]
        for _ in range(STEPS):
            _step(rng, rng.choice(people), table, ticker, time)
        _everyone_leaves(people, table)
        assert people[0].get(f"/tables/{table}")["phase"] == "closed"
        assert set(accounts(service.database, table).values()) <= {0}
        _check_past(people[0], table)
        assert all(person.get("/players/me/bankroll")["held"] == 0 for person in people)
    sound(service.database)
