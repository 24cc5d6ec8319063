"""A deleted player: his name is nowhere, the ledger keeps its entries, and whoever sits at a table stays."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from flask import Flask
from http_contract import ContractClient, contents
from sqlalchemy import func, select

from api.db import Database
from api.models import Transfer
from api.services.errors import PlanStale
from api.services.tables.acting import plan_join
from api.services.tables.change import Change, commit
from api.services.tables.play import Terms
from tests.api.matches.matches import BOT, ME, OPEN, play_out
from tests.api.tables.people import Json, Person, sound

NAME = "Zebedee"


@pytest.fixture
def app(app: Flask) -> Flask:
    """The application; its answers are held to the document."""
    app.test_client_class = ContractClient
    return app


@pytest.fixture
def zebedee(person: Callable[[str], Person]) -> Person:
    """Who will be deleted."""
    return person(NAME)


def ask(who: Person, path: str, body: Json, key: str, method: str = "POST") -> Any:
    """A call under an Idempotency-Key."""
    return who.ask(method, path, json=body, headers={"Idempotency-Key": key})


def where_named(database: Database, word: str) -> list[str]:
    """Tables of the database in which a word stands, in whatever column and case."""
    return [
        name
        for name, rows in contents(database).items()
        if any(word.lower() in repr(value).lower() for row in rows for value in row)
    ]


def delete(who: Person, status: int = 204) -> Any:
    """DELETE /v1/players/me."""
    response = who.ask("DELETE", "/players/me")
    assert response.status_code == status, response.text
    return response.json


def played(zebedee: Person, boris: Person) -> tuple[str, tuple[Any, Json]]:
    """A private table of two at which both were bankers, every call with a key; how Boris joined."""
    seats = [{"kind": "me"}, {"kind": "open"}]
    body = {"game": "russian-even", "bank": "rotates", "private": True, "spectators": True, "seats": seats}
    opened = ask(zebedee, "/tables", body, "open").json
    table = f"/tables/{opened['id']}"
    invited = {"invite": opened["invite"]}
    joined = ask(boris, f"{table}/seats", invited, "join")
    told, first = [], joined.json["play"]["banker"]
    for turn, banker in enumerate((zebedee, boris) if first == 0 else (boris, zebedee)):
        punter = boris if banker is zebedee else zebedee
        for number, (who, texts) in enumerate(
            ((banker, ["bank 200"]), (punter, ["stake 10", "stand"]), (banker, ["close"]))
        ):
            told.append(ask(who, f"{table}/actions", {"actions": texts}, f"act-{turn}-{number}"))
    assert (joined.status_code, {answer.status_code for answer in told}) == (201, {200})
    return opened["id"], (joined, invited)


def test_the_name_of_a_deleted_player_is_nowhere(
    zebedee: Person, person: Callable[[str], Person], database: Database
) -> None:
    """Not in a seat, an event, a record, a key, a kept answer: not in any row of the database."""
    boris = person("Boris")
    table, _ = played(zebedee, boris)
    zebedee.post("/players/me/keys", {"name": f"{NAME}'s phone", "scopes": ["read"]}, 201)
    zebedee.ask("PUT", "/players/me/bankroll/limits", json={"stake": 100})
    practice = zebedee.open(stakes="practice")["id"]
    before = boris.get(f"/tables/{table}/coups")["coups"]
    zebedee.ask("DELETE", f"/tables/{practice}/seats/0")
    assert ask(zebedee, f"/tables/{table}/seats/0", {}, "left", "DELETE").status_code == 200
    assert where_named(database, NAME)  # the search can find it
    with database.read() as session:
        entries = session.execute(select(func.count()).select_from(Transfer)).scalar_one()
    delete(zebedee)
    assert where_named(database, NAME) == []
    assert where_named(database, "Boris") == ["players"]
    with database.read() as session:
        kept = session.execute(select(func.count()).select_from(Transfer)).scalar_one()
    assert kept == entries + 1  # what he had went back to the mint
    assert boris.get(f"/tables/{table}/coups")["coups"] == before
    sound(database)


def test_a_kept_answer_is_repeated_to_the_letter_and_then_without_the_name(
    zebedee: Person, person: Callable[[str], Person], database: Database
) -> None:
    """An answer under an Idempotency-Key tells the same again; once the other player is deleted, null for his name."""
    boris = person("Boris")
    table, joined = played(zebedee, boris)
    join, body = joined
    path = f"/tables/{table}/seats"
    again = ask(boris, path, body, "join")
    assert (again.data, again.headers["Idempotency-Replayed"]) == (join.data, "true")
    assert [seat["name"] for seat in again.json["seats"]] == [NAME, "Boris"]
    zebedee.ask("DELETE", f"{path}/0")
    delete(zebedee)
    again = ask(boris, path, body, "join")
    expected = join.json
    expected["seats"][0]["name"] = None
    assert again.json == expected


def test_a_repeated_registration_of_a_deleted_player_has_no_name(app: Flask, database: Database) -> None:
    """The answer to POST /v1/players is kept for whoever asked without a key."""
    client = app.test_client()
    headers = {"Idempotency-Key": "one"}
    made = client.post("/v1/players", json={"name": NAME}, headers=headers)
    same = client.post("/v1/players", json={"name": NAME}, headers=headers)
    assert same.json == {name: value for name, value in made.json.items() if name != "api_key"}
    auth = {"Authorization": f"Bearer {made.json['api_key']}"}
    assert client.delete("/v1/players/me", headers=auth).status_code == 204
    assert where_named(database, NAME) == []
    again = client.post("/v1/players", json={"name": NAME}, headers=headers)
    assert (again.status_code, again.json["name"], again.json["id"]) == (201, None, made.json["id"])


def test_who_sits_at_a_table_is_not_deleted(
    zebedee: Person, person: Callable[[str], Person], database: Database
) -> None:
    """At a table that waits, in a coup, on the way out: 409 with the tables, and nothing is changed."""
    boris = person("Boris")
    waiting = zebedee.open(game="russian-even", bank="rotates", seats=[{"kind": "me"}, {"kind": "open"}])[
        "id"
    ]
    other = boris.open(seats=[{"kind": "me"}, {"kind": "open"}])["id"]
    seat = zebedee.post(f"/tables/{other}/seats", {}, 201)["seat"]
    boris.do(other, "stake 10")
    zebedee.do(other, "stake 10")
    zebedee.ask("DELETE", f"/tables/{waiting}/seats/0")
    before = contents(database)
    problem = delete(zebedee, 409)
    assert (problem["code"], problem["tables"]) == ("seated", [other])
    assert contents(database) == before
    assert zebedee.ask("DELETE", f"/tables/{other}/seats/{seat}").json["seats"][seat]["leaving"]
    assert delete(zebedee, 409)["code"] == "seated"
    boris.do(other, "stand")
    delete(zebedee)
    sound(database)


def test_a_seat_planned_before_a_deletion_or_a_limit_is_not_taken(
    zebedee: Person, person: Callable[[str], Person], database: Database, now: datetime
) -> None:
    """The plan is stale: it is planned anew, with the limit, or refused."""
    boris = person("Boris")
    table = boris.open(seats=[{"kind": "me"}, {"kind": "open"}])["id"]

    def plan() -> Change:
        with database.read() as session:
            return plan_join(session, table, zebedee.id, Terms(1000, 1000), now, seat=None, invite=None)

    def write(change: Change) -> None:
        with database.write() as session:
            commit(session, change, now)

    planned = plan()
    zebedee.ask("PUT", "/players/me/bankroll/limits", json={"stake": 5})
    with pytest.raises(PlanStale):
        write(planned)
    planned = plan()
    delete(zebedee)
    with pytest.raises(PlanStale):
        write(planned)
    assert [seat["kind"] for seat in boris.get(f"/tables/{table}")["seats"]] == ["player", "open", "house"]


def test_a_closed_table_that_is_known_is_sent_anew_without_the_name(
    zebedee: Person, person: Callable[[str], Person], database: Database
) -> None:
    """Its tag changes with what is shown: he keeps his seat at a match that is over, but not his name."""
    boris = person("Boris")
    table = zebedee.open(game="peklo", options={"max_hand": 2}, seats=[ME, OPEN, BOT], spectators=True)["id"]
    boris.post(f"/tables/{table}/seats", {}, 201)
    other = boris.open()["id"]
    play_out([zebedee, boris], table)

    def known(name: str, tag: str | None = None) -> Any:
        headers = {"If-None-Match": tag} if tag else {}
        return boris.ask("GET", f"/tables/{name}", headers=headers)

    closed, open_one = known(table), known(other)
    assert closed.json["closed_at"] is not None
    assert NAME in [seat["name"] for seat in closed.json["seats"]]
    assert [
        known(table, closed.headers["ETag"]).status_code,
        known(other, open_one.headers["ETag"]).status_code,
    ] == [
        304,
        304,
    ]
    delete(zebedee)
    anew = known(table, closed.headers["ETag"])
    assert anew.status_code == 200
    assert anew.headers["ETag"] != closed.headers["ETag"]
    assert NAME not in anew.text
    assert known(table, anew.headers["ETag"]).status_code == 304
    assert known(other, open_one.headers["ETag"]).status_code == 304, "he never sat there"
    sound(database)
