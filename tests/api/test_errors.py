"""The shape of every error (api.md, «Conventions»), over all routes and all kinds of refusals."""

from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from http_contract import contents, operations, register, request_lines

from api import codes, context
from api.context import NAME
from api.services.errors import Busy, Gone, InsufficientFunds, LimitReached, ServiceError
from api.services.health import readiness
from casino.errors import CasinoError, GameOver, IllegalAction, NotYourTurn, RulesError, UnknownGame

MEMBERS = {"type", "title", "status", "detail", "instance", "code", "errors", "request_id"}


def calls(app: Flask) -> list[tuple[str, str, Any]]:
    return [(operation.method, path, operation) for operation, path in operations(app).values()]


def test_every_route_refuses_a_wrong_method_an_unknown_parameter_and_a_wrong_type(
    app: Flask, client: FlaskClient, player: dict[str, Any]
) -> None:
    before = contents(app.extensions[NAME].database)
    with request_lines() as lines:
        expected = []
        for method, path, operation in calls(app):
            found = client.open(path, method="PATCH", headers=player["auth"])
            assert (found.status_code, found.json["code"]) == (405, "method_not_allowed"), path
            assert method in found.headers["Allow"]
            found = client.open(f"{path}?no_such=1", method=method, headers=player["auth"])
            assert (found.status_code, found.json["code"]) == (422, "validation"), path
            assert found.json["errors"][0]["parameter"] == "no_such"
            expected += ["method_not_allowed", "validation"]
            if method != "GET":
                found = client.open(
                    path, method=method, data=b"<x/>", content_type="text/xml", headers=player["auth"]
                )
                assert (found.status_code, found.json["code"]) == (415, "unsupported_type"), path
                expected.append("unsupported_type")
            assert operation.id
    assert [line["code"] for line in lines] == expected
    assert contents(app.extensions[NAME].database) == before


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"{,}", 400, "malformed"),
        (b'{"a": 1, "a": 2}', 400, "duplicate_name"),
        (b'{"a": [' + b"9" * 400 + b"]}", 422, "validation"),
        (b'{"a": -9223372036854775809}', 422, "validation"),
        (b'{"a": Infinity}', 400, "malformed"),
        (b'{"a": 1e999}', 422, "validation"),
        (b'{"no_such_field": 1}', 422, "validation"),
        (b"[1]", 422, "validation"),
        (b"[" * 50 + b"]" * 50, 400, "too_deep"),
    ],
)
def test_every_route_refuses_bodies_that_cannot_be(
    app: Flask, client: FlaskClient, player: dict[str, Any], body: bytes, status: int, code: str
) -> None:
    before = contents(app.extensions[NAME].database)
    with request_lines() as lines:
        count = 0
        for method, path, _ in calls(app):
            if method != "GET":
                found = client.open(
                    path, method=method, data=body, content_type="application/json", headers=player["auth"]
                )
                assert (found.status_code, found.json["code"]) == (status, code), (path, found.text)
                count += 1
    assert [line["code"] for line in lines] == [code] * count
    assert count >= 5
    assert contents(app.extensions[NAME].database) == before


def test_every_route_that_needs_a_key_says_so(app: Flask, client: FlaskClient) -> None:
    for method, path, operation in calls(app):
        if operation.scope is None:
            continue
        for header in (
            {},
            {"Authorization": "Bearer macao_nobody"},
            {"Authorization": "Basic QTpC"},
            {"Authorization": "Bearer"},
            {"Authorization": "Bearer " + "x" * 5000},
        ):
            found = client.open(path, method=method, headers=header)
            assert (found.status_code, found.json["code"]) == (401, "unauthorized"), path
            assert found.headers["WWW-Authenticate"].startswith("Bearer")
            assert found.headers["Cache-Control"] == "no-store"


def test_a_key_without_the_scope_is_403(client: FlaskClient, app: Flask, player: dict[str, Any]) -> None:
    made = client.post("/v1/players/me/keys", json={"scopes": ["read"]}, headers=player["auth"])
    reader = {"Authorization": f"Bearer {made.json['secret']}"}
    for method, path, operation in calls(app):
        if operation.scope not in (None, "read"):
            found = client.open(path, method=method, headers=reader)
            assert (found.status_code, found.json["code"]) == (403, "scope"), path
    assert client.get("/v1/players/me", headers=reader).status_code == 200


def answer_to(app: Flask, error: Exception, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What a client is told when a service raises this."""

    def fail(*_: Any) -> dict[str, Any]:
        raise error

    monkeypatch.setattr("api.views.operation.resources.readiness", fail)
    app.test_client_class = FlaskClient  # /readyz does not declare these
    return app.test_client().get("/readyz")


@pytest.mark.parametrize(
    ("error", "status", "code", "more"),
    [
        (RulesError("decks must be 1 to 8, not 9", pointer="/options/decks"), 422, "rules", {}),
        (UnknownGame("no game «whist»", pointer="/game"), 422, "unknown_game", {}),
        (IllegalAction("no draw now", legal=["stand", "draw"]), 409, "illegal", {"legal": ["stand", "draw"]}),
        (NotYourTurn("seat 2 is to act"), 409, "not_your_turn", {"legal": []}),
        (GameOver("the deal is over"), 409, "over", {"legal": []}),
        (CasinoError("no"), 422, "refused", {}),
        (InsufficientFunds(5, 10), 409, "insufficient_funds", {"balance": 5, "needed": 10}),
        (Gone("this table is closed", code="table_closed"), 410, "table_closed", {}),
    ],
)
def test_refusals_of_engines_and_services(
    app: Flask,
    monkeypatch: pytest.MonkeyPatch,
    error: CasinoError | ServiceError,
    status: int,
    code: str,
    more: dict[str, Any],
) -> None:
    found = answer_to(app, error, monkeypatch)
    assert (found.status_code, found.mimetype) == (status, "application/problem+json")
    problem = found.json
    assert set(problem) >= MEMBERS
    assert (problem["code"], problem["type"]) == (code, f"urn:macao:problem:{code}")
    assert (problem["detail"], problem["instance"]) == (error.detail, "/readyz")
    assert {name: problem[name] for name in more} == more
    pointers = [flaw["pointer"] for flaw in problem["errors"]]
    assert pointers == ([error.pointer] if error.pointer else [])


def test_what_may_be_tried_again_says_when(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    found = answer_to(app, Busy("queue", retry_after=3), monkeypatch)
    assert (found.status_code, found.headers["Retry-After"]) == (503, "3")
    found = answer_to(app, LimitReached("enough", retry_after=60), monkeypatch)
    assert (found.status_code, found.headers["Retry-After"]) == (429, "60")


def test_a_fault_tells_the_client_nothing_of_it(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    found = answer_to(app, KeyError("seed 00ff"), monkeypatch)
    assert (found.status_code, found.json["code"]) == (500, "internal")
    assert "KeyError" not in found.text
    assert "00ff" not in found.text
    assert "Traceback" not in found.text


def test_a_fault_is_told_in_development(
    database_url: str, make_app: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make_app(database_url, environment="development")
    found = answer_to(app, KeyError("gone"), monkeypatch)
    assert "KeyError" in found.json["detail"]


def test_the_request_id_is_echoed_where_it_is_sane(client: FlaskClient) -> None:
    for sane in ("abc-1.2:3", "x" * 64):
        found = client.get("/v1/nothing", headers={"X-Request-Id": sane})
        assert found.headers["X-Request-Id"] == found.json["request_id"] == sane
    for odd in ("", "x" * 65, "a b", "ключ", '"><script>'):
        found = client.get("/v1/nothing", headers={"X-Request-Id": odd})
        assert found.json["request_id"] == found.headers["X-Request-Id"] != odd
        assert found.json["request_id"].startswith("req_")


def test_head_and_options_are_served(client: FlaskClient) -> None:
    head = client.head("/v1/games")
    assert (head.status_code, head.data) == (200, b"")
    assert client.options("/v1/games").headers["Allow"]


def test_no_code_is_used_twice_and_every_code_is_explained() -> None:
    found = codes.catalogue()
    assert len({entry.code for entry in found}) == len(found) > 25
    for entry in found:
        assert 400 <= entry.status < 600
        assert entry.text.endswith((".", ")", "client.")), entry
        assert entry.title


def test_two_players_do_not_see_each_other(client: FlaskClient) -> None:
    ada, bob = register(client, "Ada"), register(client, "Bob")
    keys = client.get("/v1/players/me/keys", headers=ada["auth"]).json["keys"]
    for method, path in (("GET", ""), ("DELETE", ""), ("POST", "/rotate")):
        found = client.open(f"/v1/players/me/keys/{keys[0]['id']}{path}", method=method, headers=bob["auth"])
        assert (found.status_code, found.json["code"]) == (404, "not_found")


def test_the_helpers_of_this_file_reach_what_they_replace(app: Flask) -> None:
    assert readiness(app.extensions[NAME].database)["ready"]
    assert callable(context.now)
