"""A state machine of players, tables, coups and refills over REST, beside a plain model of money (`money.py`).

After every step each account of the database holds what the model says; after every example the eight invariants
hold, by the rows alone.
"""

from collections import Counter
from itertools import count
from typing import Any

from flask import Flask
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from api.services.audit import check
from tests.api.fire.book import connect, read
from tests.api.fire.invariants import faults
from tests.api.fire.money import Money, Table
from tests.api.tables.people import Json, Person

EXAMPLES, STEPS = 10, 25
ME, OPEN, BOT = {"kind": "me"}, {"kind": "open"}, {"kind": "bot"}
pick = st.integers(0, 1000)
games = st.sampled_from(["russian-even", "continental"])
choices = st.lists(pick, min_size=3, max_size=12)
_names = count(1)


class Machine(RuleBasedStateMachine):
    """Rules take numbers, which pick among what there is."""

    app: Flask
    url: str

    def __init__(self) -> None:
        super().__init__()
        self.people: dict[str, Person] = {}
        self.seats: set[tuple[str, str]] = set()  # (player, table) where he may still act
        with connect(self.url) as rows:
            held = {row["kind"]: row["balance"] for row in self._accounts(rows) if row["id"] <= 2}
        self.money = Money(held["house"], held["mint"])

    @staticmethod
    def _accounts(rows: Any) -> list[Json]:
        found = rows.execute("SELECT id, kind, player_id, table_id, balance FROM accounts ORDER BY id")
        return [dict(row) for row in found]

    def one(self, number: int) -> Person:
        """A player."""
        return list(self.people.values())[number % len(self.people)]

    def ask(self, who: Person, method: str, path: str, body: Json | None = None) -> Any:
        """A write; what it tells goes to the model. The answer, or None if it was refused."""
        answer = who.ask(method, path, **({} if body is None else {"json": body}))
        assert answer.status_code < 500, answer.text
        if answer.status_code >= 300:
            return None
        shown = answer.json
        if method == "POST" and path.endswith("/seats"):
            self.money.tables[shown["id"]].seats[shown["seat"]] = who.name
            self.seats.add((who.name, shown["id"]))
        if path.startswith("/tables/"):
            self.money.take(shown["id"], shown["new_events"])
        return shown

    # Players

    @initialize(game=games)
    def two_at_three_tables(self, game: str) -> None:
        self.register()
        self.register()
        self.open_against_the_house(0, 1)
        self.open_with_banks_in_turn(0, 0, game)
        self.open_a_match(0, OPEN)
        self.join(1, 1)
        self.join(1, 2)

    @rule()
    @precondition(lambda self: len(self.people) < 3)
    def register(self) -> None:
        name = f"player {next(_names)}"
        self.people[name] = Person(self.app, name)
        self.money.register(name)

    @rule(number=pick)
    @precondition(lambda self: self.people)
    def refill(self, number: int) -> None:
        who = self.one(number)
        assert (self.ask(who, "POST", "/players/me/bankroll/refills") is not None) == self.money.refill(
            who.name
        )

    @rule(number=pick)
    @precondition(lambda self: len(self.people) > 1)
    def delete(self, number: int) -> None:
        who = self.one(number)
        sits = any(who.name in table.seats for table in self.money.tables.values() if not table.closed)
        assert who.ask("DELETE", "/players/me").status_code == (409 if sits else 204)
        if not sits:
            self.money.delete(who.name)
            del self.people[who.name]

    # Tables

    def open(self, who: Person, seats: list[Json], **body: Any) -> None:
        """Open a table, whose seats in the model are named after who plays them."""
        view = who.open(seats=seats, turn_seconds=0, **body)
        name = view["id"]
        owners = {"player": who.name, "open": "open", "house": "house"}
        kinds = [{"me": "player"}.get(seat["kind"], seat["kind"]) for seat in seats]
        kinds += ["house"] * (view["bank"] == "house")
        chairs = [owners.get(kind, f"bot {at} of {name}") for at, kind in enumerate(kinds)]
        self.money.open(name, Table(body.get("game", "house"), chairs, 30 if "ante" in body else 0))
        self.seats.add((who.name, name))
        self.money.take(name, view["new_events"])

    @rule(number=pick, bots=st.integers(0, 2))
    @precondition(lambda self: self.people and len(self.money.tables) < 6)
    def open_against_the_house(self, number: int, bots: int) -> None:
        self.open(self.one(number), [ME, *[BOT] * bots])

    @rule(number=pick, bots=st.integers(0, 1), game=games)
    @precondition(lambda self: self.people and len(self.money.tables) < 6)
    def open_with_banks_in_turn(self, number: int, bots: int, game: str) -> None:
        options = {"seats_change": "coup"}
        self.open(self.one(number), [ME, OPEN, *[BOT] * bots], game=game, bank="rotates", options=options)

    @rule(number=pick, other=st.sampled_from([OPEN, BOT]))
    @precondition(lambda self: self.people and len(self.money.tables) < 6)
    def open_a_match(self, number: int, other: Json) -> None:
        who = self.one(number)
        if self.money.chips[who.name] >= 30:
            stakes = {"ante": 10, "chips_per_point": 1, "max_points": 20}
            self.open(who, [ME, other], game="russian-104", target=100, **stakes)

    @rule(number=pick, which=pick)
    @precondition(lambda self: len(self.people) > 1 and self.money.tables)
    def join(self, number: int, which: int) -> None:
        who, name = self.one(number), list(self.money.tables)[which % len(self.money.tables)]
        self.ask(who, "POST", f"/tables/{name}/seats", {})

    @rule(which=pick)
    @precondition(lambda self: len(self.seats) > 2)
    def leave(self, which: int) -> None:
        name, table = sorted(self.seats)[which % len(self.seats)]
        self.seats.discard((name, table))
        if name in self.people and (you := self.people[name].get(f"/tables/{table}")["you"]) is not None:
            self.ask(self.people[name], "DELETE", f"/tables/{table}/seats/{you['seat']}")

    @rule(which=pick, choices=choices)
    @precondition(lambda self: self.seats)
    def go_on(self, which: int, choices: list[int]) -> None:
        """As `act`: more is played than anything else done."""
        self.act(which, choices)

    @rule(which=pick, choices=choices)
    @precondition(lambda self: self.seats)
    def act(self, which: int, choices: list[int]) -> None:
        """Whoever is awaited at a table does something that is legal; several times."""
        table = sorted(self.seats)[which % len(self.seats)][1]
        for choice in choices:
            for name in sorted(name for name, at in self.seats if at == table and name in self.people):
                view = self.people[name].get(f"/tables/{table}")
                play = view["play"] or {}
                if view["legal"] and view["you"] and view["you"]["seat"] in play.get("awaited", ()):
                    text = chosen(view["legal"], choice)
                    assert self.ask(self.people[name], "POST", f"/tables/{table}/actions", {"action": text})
                    break

    # What holds after every step

    @invariant()
    def every_account_is_as_the_model_says(self) -> None:
        with connect(self.url) as rows:
            found = self._accounts(rows)
        ids = {person.id: name for name, person in self.people.items()}
        bots = dict.fromkeys(self.money.tables, 0)
        for row in found:
            name, balance = row["table_id"], row["balance"]
            if row["kind"] in ("house", "mint"):
                assert balance == self.money.chips[row["kind"]]
            elif row["player_id"] in ids:
                assert balance == self.money.chips[ids[row["player_id"]]]
            elif name in self.money.tables and row["kind"] == "bot":
                bots[name] += balance
            elif name in self.money.tables:
                assert balance == self.money.at_table(name)[row["kind"] == "bank"]
        for name, table in self.money.tables.items():
            assert bots[name] == sum(
                self.money.chips[owner] for owner in table.seats if owner.startswith("bot")
            )

    @invariant()
    def the_bankroll_tells_what_the_model_says(self) -> None:
        for name, person in self.people.items():
            told = person.get("/players/me/bankroll")
            assert (told["balance"], told["held"]) == (self.money.chips[name], self.money.held(name))

    def teardown(self) -> None:
        assert faults(self.url) == []


def chosen(legal: list[Any], choice: int) -> str:
    """One of the legal actions as a text."""
    item = legal[choice % len(legal)]
    if isinstance(item, str):
        return item
    ((verb, limits),) = item.items()
    if verb == "seed":
        return f"seed {choice % 256:02x}"
    steps = (limits["max"] - limits["min"]) // limits["step"]
    return f"{verb} {limits['min'] + limits['step'] * (choice % (min(steps, 40) + 1))}"


def test_the_ledger_does_what_a_plain_model_does(app: Flask, database: Any, database_url: str) -> None:
    """Whatever players do; and the audit agrees with it."""
    machine = type("MachineHere", (Machine,), {"app": app, "url": database_url})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=EXAMPLES,
            stateful_step_count=STEPS,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
    report = check(database)
    assert report.ok, report.findings
    ended = Counter(coup["id"][:3] for coup in read(database_url).coups.values() if coup["status"] != "open")
    assert ended["cou"] > EXAMPLES, f"they played: {ended}"
