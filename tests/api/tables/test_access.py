"""Who may see and join a table: private ones, spectators, practice (`table.md`)."""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from flask import Flask
from sqlalchemy import select
from werkzeug.test import TestResponse

from api import create_app
from api.config import from_environment
from api.db import Database
from api.models import IdempotencyKey
from tests.api.tables.people import Person, last_seq, sound

People = Callable[[str], Person]


def test_a_private_table_is_unknown_to_strangers(person: People) -> None:
    """404 without the invite; the creator gets it once; with it anybody may join, then sees the table."""
    ada, boris = person("Ada"), person("Boris")
    table = ada.open(private=True, spectators=True, seats=[{"kind": "me"}, {"kind": "open"}])
    invite, where = table["invite"], f"/tables/{table['id']}"
    assert "invite" not in ada.get(where)
    assert boris.get(where, 404)["code"] == "not_found"
    assert boris.post(f"{where}/seats", {}, 404)["code"] == "not_found"
    assert boris.post(f"{where}/seats", {"invite": invite[:-1] + "?"}, 404)["code"] == "not_found"
    assert table["id"] not in [item["id"] for item in boris.get("/tables")["tables"]]
    assert boris.post(f"{where}/seats", {"invite": invite}, 201)["you"]["seat"] == 1
    assert boris.get(where)["play"]["phase"] == "stakes"


def test_the_invite_is_not_kept_to_be_repeated(ada: Person, database: Database) -> None:
    """A copy of the request that opened the table is answered without it, as with keys; it is stored nowhere."""
    body, headers = {"game": "house", "private": True}, {"Idempotency-Key": "one"}
    first, second = (ada.ask("POST", "/tables", json=body, headers=headers) for _ in range(2))
    told = first.json
    invite = told.pop("invite")
    assert second.headers["Idempotency-Replayed"] == "true"
    assert second.json == told
    with database.read() as session:
        kept = session.scalars(select(IdempotencyKey.body)).one()
    assert invite.encode() not in kept


def test_a_player_has_so_many_tables_open_however_many_he_asks_for_at_once(database_url: str) -> None:
    """Of eight requests in parallel three are granted where three tables may be open; one that closes makes room."""
    app = create_app(from_environment({}, database_url=database_url, log_level="error", open_tables="3"))
    ada, gate = Person(app, "Ada"), Barrier(8)

    def ask(_: int) -> TestResponse:
        gate.wait()
        return app.test_client().post("/v1/tables", json={"game": "house"}, headers=ada.headers)

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(ask, range(8)))
    made = [answer.json["id"] for answer in answers if answer.status_code == 201]
    refused = [answer.json["code"] for answer in answers if answer.status_code != 201]
    assert (len(made), set(refused)) == (3, {"too_many_tables"})
    assert ada.ask("DELETE", f"/tables/{made[0]}/seats/0").json["phase"] == "closed"
    ada.open()
    app.extensions["macao"].database.dispose()


def test_many_players_open_tables_at_once(app: Flask, person: People, database: Database) -> None:
    """All their tables have a seat of the house, whose account every bank is put up from: none waits for ever."""
    people, gate = [person(f"Player {number}") for number in range(8)], Barrier(8)

    def ask(who: Person) -> TestResponse:
        gate.wait()
        return app.test_client().post("/v1/tables", json={"game": "house"}, headers=who.headers)

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(ask, people))
    assert [answer.status_code for answer in answers] == [201] * 8, [answer.text for answer in answers]
    sound(database)


def test_spectators_see_what_lies_open(person: People) -> None:
    """`spectators: true` gives a seatless view: no hand, no legal action, no purse."""
    ada, boris = person("Ada"), person("Boris")
    table = ada.open(spectators=True, options={"decks": 1, "max_punters": 1})["id"]
    view = ada.do(table, "stake 5")
    (card,) = view["play"]["seats"][0]["hand"]
    seen = boris.get(f"/tables/{table}")
    assert seen["play"]["seats"][0]["hand"] == [None]
    assert seen["legal"] == []
    assert seen["you"] is None
    assert seen["play"]["purse"] is None
    boris.get(f"/tables/{table}/events?limit=500")
    boris.get(f"/tables/{table}/coups")
    assert not [body for body in boris.seen if re.search(rf"\b{card}\b", body)]
    assert boris.do(table, "stand", status=403)["code"] == "not_seated"


def test_without_spectators_a_full_table_is_unknown(person: People) -> None:
    """A public table is seen by others only while it has an open seat, and then without its play."""
    ada, boris = person("Ada"), person("Boris")
    joinable = ada.open(seats=[{"kind": "me"}, {"kind": "open"}])["id"]
    full = ada.open()["id"]
    assert boris.get(f"/tables/{joinable}")["play"] is None
    boris.get(f"/tables/{full}", 404)
    assert [item["id"] for item in boris.get("/tables?joinable=true")["tables"]] == [joinable]
    assert {item["id"] for item in ada.get("/tables?mine=true")["tables"]} == {joinable, full}


def test_an_open_seat_shows_no_play(person: People) -> None:
    """Without `spectators` events and recall are for who sits or sat there, not for who might take the open seat."""
    ada, boris = person("Ada"), person("Boris")
    where = f"/tables/{ada.open(seats=[{'kind': 'me'}, {'kind': 'open'}])['id']}"
    ada.post(f"{where}/actions", {"action": "autoplay", "stake": 5, "coups": 2})
    coup, bank = ada.get(f"{where}/coups")["coups"][0]["id"], ada.get(f"{where}/banks")["banks"][0]["id"]
    shown = [f"/coups/{coup}", f"/banks/{bank}", f"/banks/{bank}/proof"]
    for path in ("/events", "/coups", "/banks", *shown):
        assert boris.get(f"{where}{path}", 404)["code"] == "not_found", path
    assert boris.ask("GET", f"{where}/events", headers={"Accept": "text/event-stream"}).status_code == 404
    assert boris.ask("GET", f"{where}/coups", headers={"Accept": "text/csv"}).status_code == 404
    boris.post(f"{where}/seats", {}, 201)
    boris.get(f"{where}/events")
    boris.ask("DELETE", f"{where}/seats/1")
    assert boris.get(f"{where}/coups")["coups"][-1]["id"]


def test_a_practice_table_has_no_ledger_and_repeats(ada: Person, database: Database) -> None:
    """Practice: no transfer at all, and the seed gives the same cards every time."""
    before = last_seq(database)
    hands = []
    for seed in (7, 7, 8):
        table = ada.open(stakes="practice", seed=seed)["id"]
        last = ada.do(table, *["stake 10", "stand"] * 5)["last"]
        coups = ada.get(f"/tables/{table}/coups")["coups"]
        hands.append([coup["hands"] for coup in coups])
        assert coups[0]["stakes_for"] == "practice"
        assert {bank["stakes_for"] for bank in ada.get(f"/tables/{table}/banks")["banks"]} == {"practice"}
        sheet = ada.ask("GET", f"/tables/{table}/coups", headers={"Accept": "text/csv"}).text.splitlines()
        assert {line.rpartition(",")[2] for line in sheet[1:]} == {"practice"}
        assert last["coup"] == 5
    assert hands[0] == hands[1] != hands[2]
    assert last_seq(database) == before
    assert ada.balance == 1000


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"game": "no-such-game"}, "/game"),
        ({"options": {"decks": 9}}, "/options/decks"),
        ({"options": {"deck": 1}}, "/options/deck"),
        ({"options": {"punter_discards": "both", "first_cards": 2}}, "/options/punter_discards"),
        ({"seats": [{"kind": "me"}, {"kind": "me"}]}, "/seats/1/kind"),
        ({"seats": [{"kind": "bot"}, {"kind": "open"}]}, "/seats/0/kind"),
        ({"seats": [{"kind": "me"}, {"kind": "bot", "policy": "brave"}]}, "/seats/1/policy"),
        ({"seats": [{"kind": "me"}, {"kind": "bot", "stake": 7}]}, "/seats/1/stake"),
        ({"seats": [{"kind": "me", "policy": "stand"}]}, "/seats/0"),
        ({"seats": [{"kind": "house"}, {"kind": "me"}]}, "/seats/0/kind"),
        ({"bank": "rotates", "seats": [{"kind": "me"}]}, "/seats"),
        ({"seats": [{"kind": "me"}] + [{"kind": "bot"}] * 9}, "/seats"),
        ({"seed": 7}, "/seed"),
        ({"turn_seconds": 100_000}, "/turn_seconds"),
        ({"colour": "green"}, "/colour"),
    ],
)
def test_a_table_that_cannot_be_is_refused_with_a_pointer(ada: Person, body: dict, pointer: str) -> None:
    """Each mistake is 422, with its place and what would be right; no table comes of it."""
    problem = ada.open(status=422, **body)
    assert pointer in [error["pointer"] for error in problem["errors"]], problem
    assert problem["detail"]
    assert ada.get("/tables?mine=true")["tables"] == []
