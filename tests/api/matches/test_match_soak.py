"""Three people at many matches, doing at random whatever may be done: after each step the books are right.

On SQLite and on PostgreSQL.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from random import Random

from flask import Flask

from api.db import Database
from api.services.tables.matches.stakes import Stakes
from api.ticker import Ticker
from casino.match_proof import verify
from tests.api.matches.matches import BOT, ME, OPEN, SHORT, choice, everything
from tests.api.tables.people import Json, Person, accounts, sound

People = Callable[[str], Person]
STEPS = 100
DEEDS = {"open", "join", "leave", "wait", "act"}
ON_POINTS = ("tel-aviv", "romanian-points", "russian-104", "peklo")
FINE = {200, 201, 409, 410, 422}  # what may be refused at a table that others play at too


class Soak:
    """What is going on: `tables` by id, with their stakes."""

    def __init__(self, app: Flask, people: list[Person], seed: int) -> None:
        self.people, self.rng = people, Random(seed)
        self.database: Database = app.extensions["macao"].database
        self.ticker = Ticker(app.extensions["macao"])
        self.time = datetime(2030, 1, 1, tzinfo=UTC)
        app.extensions["macao"].now = lambda: self.time
        self.tables: dict[str, Stakes] = {}
        self.done: set[str] = set()

    def step(self) -> None:
        """One thing that somebody does, acting far more often than not."""
        deeds = (self.open, self.join, self.leave, self.wait, self.act)
        deed = self.rng.choices(deeds, weights=(6, 8, 2, 4, 80))[0]
        if deed(self.rng.choice(self.people)):
            self.done.add(deed.__name__)

    def send(self, person: Person, method: str, path: str, body: Json | None = None) -> bool:
        """A request; was it done?"""
        answer = person.ask(method, path, json=body)
        assert answer.status_code in FINE, answer.text
        return answer.status_code < 300

    def open(self, person: Person) -> bool:
        game, rng = self.rng.choice(list(SHORT)), self.rng
        seats = [
            ME,
            *[rng.choice((OPEN, BOT, {**BOT, "policy": "random"})) for _ in range(rng.randint(1, 3))],
        ]
        stakes = {"ante": rng.choice((0, 7, 30)), "max_points": 20}
        stakes["chips_per_point"] = 1 if game in ON_POINTS else 0
        if not stakes["chips_per_point"]:
            del stakes["max_points"]
        body = {"game": game, "seats": seats, "turn_seconds": 30, **SHORT[game], **stakes}
        answer = person.ask("POST", "/tables", json=body)
        assert answer.status_code in FINE, answer.text
        if answer.status_code == 201:
            self.tables[answer.json["id"]] = Stakes.of(answer.json)
        return answer.status_code == 201

    def join(self, person: Person) -> bool:
        found = person.get("/tables?joinable=true&limit=200")["tables"]
        return bool(found) and self.send(person, "POST", f"/tables/{self.rng.choice(found)['id']}/seats", {})

    def leave(self, person: Person) -> bool:
        mine = self.mine(person)
        if not mine:
            return False
        table = self.rng.choice(mine)
        return self.send(person, "DELETE", f"/tables/{table['id']}/seats/{table['you']['seat']}")

    def wait(self, person: Person) -> bool:
        self.time += timedelta(seconds=self.rng.choice((5, 31)))
        return self.ticker.tick() > 0

    def act(self, person: Person) -> bool:
        playable = [
            view for view in self.mine(person) if any(isinstance(item, str) for item in view["legal"])
        ]
        if not playable:
            return False
        view = self.rng.choice(playable)
        text = choice(self.rng, view["legal"])
        return self.send(person, "POST", f"/tables/{view['id']}/actions", {"action": text})

    def mine(self, person: Person) -> list[Json]:
        """Views of the tables that are open and that the person has a seat at."""
        found = [
            view["id"]
            for view in person.get("/tables?mine=true&limit=200")["tables"]
            if not view["closed_at"]
        ]
        return [view for name in found if (view := person.get(f"/tables/{name}"))["you"]]

    def check(self) -> None:
        """Escrow holds what the open deals hold and nothing else; the ledger is sound."""
        sound(self.database)
        for name, stakes in self.tables.items():
            view = self.someone(name).get(f"/tables/{name}")
            held = stakes.hold(len(view["seats"])) * len(view["seats"]) if view["phase"] == "play" else 0
            assert accounts(self.database, name)["escrow"] == held, name

    def someone(self, table: str) -> Person:
        """A person who may recall the table."""
        return next(
            person for person in self.people if person.ask("GET", f"/tables/{table}/banks").status_code == 200
        )


def test_whatever_people_do_the_books_are_right(app: Flask, person: People) -> None:
    """Then all leave: every chip is back, every event numbered, every match proved."""
    soak = Soak(app, [person(name) for name in ("Ada", "Boris", "Clara")], 1)
    number = 0
    while number < STEPS or soak.done < DEEDS:  # which of them can be done the cards decide
        soak.step()
        number += 1
        if number % 20 == 0:
            soak.check()
        assert number < 20 * STEPS, f"never done: {DEEDS - soak.done}"
    for player in soak.people:
        for view in soak.mine(player):
            soak.send(player, "DELETE", f"/tables/{view['id']}/seats/{view['you']['seat']}")
    soak.check()
    dealt = 0
    for name in soak.tables:
        witness = soak.someone(name)
        assert witness.get(f"/tables/{name}")["phase"] == "closed"
        assert set(accounts(soak.database, name).values()) == {0}
        events = everything(witness, name)
        assert [event["n"] for event in events] == list(range(1, len(events) + 1))
        deals = witness.get(f"/tables/{name}/deals?limit=200")["deals"]
        assert all(sum(deal["chips"]) == 0 for deal in deals)
        if deals:
            verify(witness.ask("GET", f"/tables/{name}/proof").data)
        dealt += len(deals)
    assert dealt
    assert witness.get("/players/me/bankroll")["held"] == 0
