"""The log: one JSON line a request, and no secret in any."""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import insert, select

from api.context import NAME
from api.db import Database
from api.models import Bank
from tests.api.tables.people import Person

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def lines_of(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def tell(database_url: str, make_app: Callable[..., Flask], capfd: pytest.CaptureFixture[str]) -> Any:
    """Makes an application whose log is caught, and a function that gives the lines since its last call."""

    def start() -> Any:
        app = make_app(database_url)
        capfd.readouterr()
        return app, lambda: lines_of(capfd.readouterr().err)

    return start


def test_one_line_a_request_refused_ones_included(tell: Any) -> None:
    app, lines = tell()
    client = app.test_client()
    made = client.post(
        "/v1/players", json={"name": "Ada"}, headers={"X-Request-Id": "mine", "Idempotency-Key": "k"}
    )
    (line,) = lines()
    assert line["event"] == "request"
    assert (line["method"], line["route"], line["status"]) == ("POST", "/v1/players", 201)
    assert (line["request_id"], line["level"]) == ("mine", "info")
    assert line["ms"] >= 0
    assert line["timestamp"].endswith("Z")
    client.post("/v1/players", json={"name": "Ada"}, headers={"Idempotency-Key": "k"})
    assert [line["replayed"] for line in lines()] == [True]
    client.get("/v1/players/me", headers={"Authorization": f"Bearer {made.json['api_key']}"})
    client.get("/v1/games/whist")
    client.get("/nowhere?seed=00ff")
    client.delete("/v1/games")
    found = lines()
    assert [(line["route"], line["status"], line.get("code")) for line in found] == [
        ("/v1/players/me", 200, None),
        ("/v1/games/<name>", 404, "not_found"),
        (None, 404, "no_route"),
        (None, 405, "method_not_allowed"),
    ]
    assert (found[0]["player"], found[0]["key"]) == (made.json["id"], made.json["key_id"])
    assert found[1]["of"] == {"name": "whist"}


def test_no_secret_is_in_a_line(tell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    app, lines = tell()
    client = app.test_client()
    secret = client.post("/v1/players", json={"name": "Canary"}).json["api_key"]
    auth = {"Authorization": f"Bearer {secret}"}
    client.get(f"/v1/players/me?key={secret}", headers=auth)
    client.get(f"/{secret}", headers=auth)
    client.post("/v1/players/me/keys", json={"name": "Canary", "expires_at": secret}, headers=auth)
    client.post("/v1/players/me/keys", data=secret, content_type="application/json", headers=auth)
    monkeypatch.setattr("api.services.keys.secrets.token_urlsafe", lambda _: "canary-token")
    monkeypatch.setattr("api.services.keys._SHOWN", 200)  # the whole secret is among what is inserted
    app.test_client_class = FlaskClient
    for _ in range(2):  # the same secret again: the database refuses it
        app.test_client().post("/v1/players", json={"name": "Canary"})
    text = json.dumps(lines())
    assert text.count('"request"') == 7
    assert "IntegrityError" in text or "StringDataRightTruncation" in text  # PostgreSQL minds lengths
    for canary in (secret, "Canary", "canary-token"):
        assert canary not in text


def test_no_secret_of_a_table_is_in_a_line_at_its_loudest(
    database_url: str, make_app: Callable[..., Flask], capfd: pytest.CaptureFixture[str]
) -> None:
    """Key, invite, client seed, server seed and every card stay out of the log, whatever is asked and refused."""
    app = make_app(database_url, log_level="debug")
    capfd.readouterr()
    ada, boris = Person(app, "Ada"), Person(app, "Boris")
    seats = [{"kind": "me"}, {"kind": "open"}]
    made = ada.open(game="russian-even", bank="rotates", private=True, seats=seats)
    table, invite, seed = made["id"], made["invite"], "c0ffee" * 5
    boris.post(f"/tables/{table}/seats", {"invite": invite[:-1] + "!"}, 404)
    boris.post(f"/tables/{table}/seats", {"invite": invite}, 201)
    banker, punter = (
        (ada, boris) if '"bank"' in json.dumps(ada.get(f"/tables/{table}")["legal"]) else (boris, ada)
    )
    banker.do(table, "bank 500")
    punter.do(table, f"seed {seed}")
    punter.do(table, "seed " + "g" * 64, status=422)
    punter.do(table, "stake 5")
    banker.do(table, "draw", status=409)
    banker.get(f"/tables/{table}/events")
    with app.extensions[NAME].database.read() as session:
        secret = session.execute(select(Bank.server_seed).where(Bank.closed_at.is_(None))).scalar_one()
    told = capfd.readouterr().err
    assert told.count('"request"') == len(ada.seen) + len(boris.seen) + 2  # and two registrations
    keys = [person.headers["Authorization"].removeprefix("Bearer ") for person in (ada, boris)]
    for canary in (*keys, invite, seed, secret.hex()):
        assert canary not in told
    assert not re.search(r"\b[2-9TJQKA][SHDC]\b", told), "a card"


def test_a_row_that_the_database_refuses_is_not_told(
    tell: Any, monkeypatch: pytest.MonkeyPatch, database_url: str
) -> None:
    """PostgreSQL tells the whole row that it refuses: here with the seed of a bank."""
    app, lines = tell()
    seed = bytes.fromhex("c0ffee" * 10 + "0102")

    def fail(database: Database) -> None:
        with database.write() as session:
            row = {"id": "bnk_x", "table_id": "tbl_x", "commitment": "0" * 64, "server_seed": seed}
            session.execute(insert(Bank.__table__).values(**row, client_seeds=[], shuffles=[], opened_at=NOW))

    monkeypatch.setattr("api.views.operation.resources.readiness", fail)
    assert app.test_client().get("/readyz").status_code == 500
    fault, _ = lines()
    assert ("NotNullViolation" if "postgresql" in database_url else "NOT NULL") in fault["exception"]
    assert "c0ffee" not in json.dumps(fault)


def test_a_fault_is_logged_with_its_trace_and_the_request(tell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    app, lines = tell()

    def fail(_: Any) -> dict[str, Any]:
        raise ZeroDivisionError("planted")

    monkeypatch.setattr("api.views.operation.resources.readiness", fail)
    answer = app.test_client().get("/readyz")
    assert answer.status_code == 500
    fault, line = lines()
    assert (fault["level"], fault["event"]) == ("error", "unexpected fault")
    assert "ZeroDivisionError: planted" in fault["exception"]
    assert fault["request_id"] == line["request_id"] == answer.json["request_id"]
    assert line["code"] == "internal"


def test_the_level_is_a_setting(
    database_url: str, make_app: Callable[..., Flask], capfd: pytest.CaptureFixture[str]
) -> None:
    app = make_app(database_url, log_level="warning")
    capfd.readouterr()
    app.test_client().get("/v1/games")
    assert capfd.readouterr().err == ""
    assert app.extensions[NAME].config.log_level == "warning"
