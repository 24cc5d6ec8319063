"""`Idempotency-Key` (api.md, «Conventions»): n copies have one effect and one answer, on both databases."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from http_contract import contents, register
from sqlalchemy import func, select, text, update

from api.blueprint import Answer, Blueprint
from api.context import NAME
from api.execution import write
from api.idempotency import _Purge, _purge
from api.models import IdempotencyKey, Player
from api.services.errors import PlanStale
from api.services.players import create

COPIES = 20


@pytest.fixture
def app(database_url: str, make_app: Callable[..., Flask]) -> Flask:
    """On SQLite and on PostgreSQL."""
    return make_app(database_url)


def keyed(key: str, **more: str) -> dict[str, str]:
    return {"Idempotency-Key": key, **more}


def players(app: Flask) -> int:
    with app.extensions[NAME].database.read() as session:
        return session.execute(select(func.count()).select_from(Player)).scalar_one()


def stored(app: Flask) -> int:
    with app.extensions[NAME].database.read() as session:
        return session.execute(select(func.count()).select_from(IdempotencyKey)).scalar_one()


def test_a_copy_gets_the_same_answer_marked_and_without_the_secret(app: Flask, client: FlaskClient) -> None:
    first = client.post("/v1/players", json={"name": "Ada"}, headers=keyed("one"))
    before = contents(app.extensions[NAME].database)
    second = client.post("/v1/players", json={"name": "Ada"}, headers=keyed("one"))
    assert (first.status_code, second.status_code) == (201, 201)
    assert "Idempotency-Replayed" not in first.headers
    assert second.headers["Idempotency-Replayed"] == "true"
    assert second.headers["Location"] == first.headers["Location"]
    assert second.headers["ETag"] == first.headers["ETag"]
    told = first.json
    secret = told.pop("api_key")
    assert second.json == told
    assert secret not in second.text
    assert contents(app.extensions[NAME].database) == before


def test_a_copy_without_a_secret_is_the_same_byte_for_byte(app: Flask, client: FlaskClient) -> None:
    auth = poor(app, client)
    first, second = (
        client.post("/v1/players/me/bankroll/refills", headers=keyed("refill", **auth)) for _ in range(2)
    )
    assert first.status_code == 201
    assert (second.status_code, second.data) == (201, first.data)
    assert client.get("/v1/players/me", headers=auth).json["balance"] == 1000


def poor(app: Flask, client: FlaskClient) -> dict[str, str]:
    """The key of a player without chips."""
    config = app.extensions[NAME].config
    object.__setattr__(config, "opening_grant", 0)
    auth: dict[str, str] = register(client)["auth"]
    return auth


def test_twenty_parallel_copies_have_one_effect_and_one_answer(app: Flask, client: FlaskClient) -> None:
    start = threading.Barrier(COPIES)

    def call(_: int) -> Any:
        copy = app.test_client()
        start.wait()
        return copy.post("/v1/players", json={"name": "Ada"}, headers=keyed("parallel"))

    with ThreadPoolExecutor(COPIES) as pool:
        answers = list(pool.map(call, range(COPIES)))
    assert [answer.status_code for answer in answers] == [201] * COPIES
    assert players(app) == 1
    assert len({answer.json["id"] for answer in answers}) == 1
    originals = [answer for answer in answers if "Idempotency-Replayed" not in answer.headers]
    assert len(originals) == 1
    assert [answer for answer in answers if "api_key" in answer.json] == originals


def test_the_same_key_with_another_request_is_422(app: Flask, client: FlaskClient) -> None:
    auth = register(client)["auth"]
    made = client.post("/v1/players/me/keys", json={"name": "a"}, headers=keyed("k", **auth))
    assert made.status_code == 201
    before = contents(app.extensions[NAME].database)
    others = [
        ("/v1/players/me/keys", {"name": "b"}),
        ("/v1/players/me/keys", {"name": "a", "scopes": ["read"]}),
        (f"/v1/players/me/keys/{made.json['id']}/rotate", None),
    ]
    for path, body in others:
        found = client.post(path, json=body, headers=keyed("k", **auth))
        assert (found.status_code, found.json["code"]) == (422, "idempotency_key_reused")
        assert found.json["errors"][0]["parameter"] == "Idempotency-Key"
    assert contents(app.extensions[NAME].database) == before


def test_players_do_not_share_keys(app: Flask, client: FlaskClient) -> None:
    ada, bob = register(client, "Ada")["auth"], register(client, "Bob")["auth"]
    one = client.post("/v1/players/me/keys", json={}, headers=keyed("same", **ada))
    two = client.post("/v1/players/me/keys", json={}, headers=keyed("same", **bob))
    assert (one.status_code, two.status_code) == (201, 201)
    assert one.json["id"] != two.json["id"]
    assert "Idempotency-Replayed" not in two.headers


def test_a_refused_request_is_not_stored(app: Flask, client: FlaskClient) -> None:
    refused = client.post("/v1/players", json={"name": " Ada"}, headers=keyed("again"))
    assert (refused.status_code, stored(app)) == (422, 0)
    auth = register(client)["auth"]
    refused = client.post("/v1/players/me/bankroll/refills", headers=keyed("again", **auth))
    assert (refused.status_code, refused.json["code"], stored(app)) == (409, "refill_not_needed", 0)
    made = client.post("/v1/players", json={"name": "Ada"}, headers=keyed("again"))
    assert made.status_code == 201


@pytest.mark.parametrize("key", ["", "a b", "x" * 256, "ключ"])
def test_a_key_of_the_wrong_shape_is_400(app: Flask, client: FlaskClient, key: str) -> None:
    found = client.post("/v1/players", json={"name": "Ada"}, headers=keyed(key))
    assert (found.status_code, found.json["code"], players(app)) == (400, "bad_request", 0)


def test_a_replay_needs_a_good_key(app: Flask, client: FlaskClient) -> None:
    auth = register(client)["auth"]
    made = client.post("/v1/players/me/keys", json={}, headers=keyed("k", **auth))
    second = {"Authorization": f"Bearer {made.json['secret']}"}
    assert client.delete(f"/v1/players/me/keys/{made.json['id']}", headers=auth).status_code == 204
    found = client.post("/v1/players/me/keys", json={}, headers=keyed("k", **second))
    assert (found.status_code, found.json["code"]) == (401, "unauthorized")


def test_a_copy_that_cannot_have_its_turn_in_time_is_503(
    database_url: str, make_app: Callable[..., Flask]
) -> None:
    app = make_app(database_url, lock_seconds=1)
    inside, go_on = threading.Event(), threading.Event()

    def effect(session: Any) -> dict[str, Any]:
        made = create(session, "Ada", app.extensions[NAME].now(), grant=0)
        inside.set()
        assert go_on.wait(10)
        return made

    blueprint = Blueprint("slow", "For this test.")

    @blueprint.operation("POST", "/slow", answer=Answer(200, {"type": "object"}, {}), key=None)
    def slow() -> Any:
        """Be slow."""
        return write(effect)

    add(app, blueprint)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(lambda: app.test_client().post("/v1/slow", headers=keyed("slow")))
        assert inside.wait(10)
        second = app.test_client().post("/v1/slow", headers=keyed("slow"))
        go_on.set()
        assert first.result().status_code == 200
    assert (second.status_code, second.json["code"]) == (503, "busy")
    assert int(second.headers["Retry-After"]) >= 1
    third = app.test_client().post("/v1/slow", headers=keyed("slow"))
    assert third.headers["Idempotency-Replayed"] == "true"
    assert third.json == first.result().json


def add(app: Flask, blueprint: Blueprint) -> None:
    """Give an application that has served requests another operation."""
    app._got_first_request = False
    app.register_blueprint(blueprint)
    app.test_client_class = FlaskClient


def test_a_stored_answer_is_found_before_anything_is_planned(app: Flask) -> None:
    plans: list[int] = []
    stale = [True] * 12 + [False]  # as the last of many at one table: each time somebody else was first

    def plan(_: Any) -> int:
        plans.append(len(plans))
        return plans[-1]

    def effect(session: Any, made: int) -> dict[str, Any]:
        create(session, "Ada", app.extensions[NAME].now(), grant=0)
        if stale[made]:
            raise PlanStale
        return {"plan": made}

    blueprint = Blueprint("planned", "For this test.")

    @blueprint.operation("POST", "/planned", answer=Answer(200, {"type": "object"}, {}), key=None)
    def planned() -> Any:
        """Plan, then do."""
        return write(effect, plan=plan)

    add(app, blueprint)
    first = app.test_client().post("/v1/planned", headers=keyed("plan"))
    assert (first.json, plans, players(app)) == ({"plan": 12}, list(range(13)), 1)
    second = app.test_client().post("/v1/planned", headers=keyed("plan"))
    assert (second.json, plans) == ({"plan": 12}, list(range(13)))


def test_answers_are_kept_24_hours_at_least_and_purged_later(app: Flask, client: FlaskClient) -> None:
    config = app.extensions[NAME].config
    assert config.idempotency_hours >= 24
    client.post("/v1/players", json={"name": "Ada"}, headers=keyed("old"))
    client.post("/v1/players", json={"name": "Ada"}, headers=keyed("young"))
    now = app.extensions[NAME].now()
    with app.extensions[NAME].database.write() as session:
        for key, hours in (("old", config.idempotency_hours + 1), ("young", 24)):
            session.execute(
                update(IdempotencyKey)
                .where(IdempotencyKey.key == key)
                .values(created_at=now - timedelta(hours=hours))
            )
    _Purge.due = 0.0
    client.post("/v1/players", json={"name": "Ada"}, headers=keyed("new"))
    with app.extensions[NAME].database.read() as session:
        assert set(session.scalars(select(IdempotencyKey.key))) == {"young", "new"}
    again = client.post("/v1/players", json={"name": "Ada"}, headers=keyed("young"))
    assert again.headers["Idempotency-Replayed"] == "true"


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_who_purges_waits_for_nobody_who_purges(app: Flask, client: FlaskClient) -> None:
    """A purge rides on a request that may hold the ledger, which another that purges may be waiting for."""
    config, database = app.extensions[NAME].config, app.extensions[NAME].database
    client.post("/v1/players", json={"name": "Ada"}, headers=keyed("old"))
    now = app.extensions[NAME].now()
    with database.write() as session:
        past = now - timedelta(hours=config.idempotency_hours + 1)
        session.execute(update(IdempotencyKey).values(created_at=past))
    with app.app_context(), database.write() as first:
        _Purge.due = 0.0
        _purge(first, now)
        with database.write() as second:
            second.execute(text("SET LOCAL lock_timeout = '1s'"))
            _Purge.due = 0.0
            _purge(second, now)
    with database.read() as session:
        assert session.scalars(select(IdempotencyKey.key)).all() == []


def test_nothing_of_a_key_is_stored(app: Flask, client: FlaskClient) -> None:
    made = client.post("/v1/players", json={"name": "Ada"}, headers=keyed("one"))
    assert made.json["api_key"] not in repr(contents(app.extensions[NAME].database))


def test_an_answer_without_a_body_is_repeated_too(app: Flask, client: FlaskClient) -> None:
    auth = register(client)["auth"]
    key = client.post("/v1/players/me/keys", json={}, headers=auth).json["id"]
    for _ in range(2):
        gone = client.delete(f"/v1/players/me/keys/{key}", headers=keyed("gone", **auth))
        assert (gone.status_code, gone.data, "Content-Type" in gone.headers) == (204, b"", False)
    assert gone.headers["Idempotency-Replayed"] == "true"


def test_a_key_that_can_be_neither_taken_nor_answered_has_no_effect(app: Flask, client: FlaskClient) -> None:
    """As where a purge deletes it meanwhile: without the key at hand the request could be had twice."""
    client.post("/v1/players", json={"name": "Ada"}, headers=keyed("one"))
    with app.extensions[NAME].database.write() as session:
        nothing = {"status": None, "headers": None, "body": None, "completed_at": None}
        session.execute(update(IdempotencyKey).values(nothing))
    late = client.post("/v1/players", json={"name": "Ada"}, headers=keyed("one"))
    assert (late.status_code, late.json["code"], late.headers["Retry-After"]) == (503, "busy", "1")
    assert players(app) == 1
