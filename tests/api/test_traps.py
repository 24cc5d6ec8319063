"""The traps of flask-smorest as it comes (performance.md, «Known traps»), one test each.

Each refusal: right status and code, nothing changed, one line in the log.
"""

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from http_contract import contents, register, request_lines

from api.context import NAME

Refused = tuple[int, str]


def refused(app: Flask, client: FlaskClient, method: str, path: str, **options: Any) -> dict[str, Any]:
    """Make a call that must be refused; the problem, once nothing is seen to have changed."""
    database = app.extensions[NAME].database
    before = contents(database)
    with request_lines() as lines:
        answer = client.open(path, method=method, **options)
    assert contents(database) == before
    assert [(line["status"], line["code"]) for line in lines] == [(answer.status_code, answer.json["code"])]
    assert lines[0]["request_id"] == answer.json["request_id"] == answer.headers["X-Request-Id"]
    assert answer.mimetype == "application/problem+json"
    assert answer.json["status"] == answer.status_code
    return answer.json | {"headers": answer.headers}


def test_an_unknown_query_parameter_is_422(app: Flask, client: FlaskClient) -> None:
    for path in ("/v1/games?colour=red", "/v1/games/house?x=1", "/livez?x="):
        problem = refused(app, client, "GET", path)
        assert (problem["status"], problem["code"]) == (422, "validation")
        assert problem["errors"][0]["parameter"] in ("colour", "x")


def test_a_query_parameter_given_twice_is_422(app: Flask, client: FlaskClient) -> None:
    problem = refused(app, client, "GET", "/v1/games?family=banking&family=tricks")
    assert (problem["status"], problem["errors"]) == (
        422,
        [{"parameter": "family", "detail": "given more than once"}],
    )


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", None]
)
def test_another_type_of_body_is_415(app: Flask, client: FlaskClient, kind: str | None) -> None:
    problem = refused(app, client, "POST", "/v1/players", data=b'{"name": "Ada"}', content_type=kind)
    assert (problem["status"], problem["code"]) == (415, "unsupported_type")


def test_another_character_set_is_415(app: Flask, client: FlaskClient) -> None:
    problem = refused(
        app, client, "POST", "/v1/players", data=b"{}", content_type="application/json; charset=koi8-r"
    )
    assert (problem["status"], problem["code"]) == (415, "unsupported_type")


@pytest.mark.parametrize(
    ("coding", "status"), [("gzip", 415), ("br, gzip", 415), ("identity", 201), ("Identity", 201)]
)
def test_a_body_in_another_coding_is_415(client: FlaskClient, coding: str, status: int) -> None:
    """RFC 9110, 8.4: nothing here takes a coding off; one that is none is fine."""
    told = client.post("/v1/players", json={"name": "Ada"}, headers={"Content-Encoding": coding})
    assert told.status_code == status
    if status == 415:
        assert told.json is not None
        assert told.json["code"] == "unsupported_type"
        assert told.json["detail"] == f"send the body as it is, not in {coding}"


def test_json_with_the_charset_named_is_taken(client: FlaskClient) -> None:
    made = client.post(
        "/v1/players", data='{"name": "Тётя"}'.encode(), content_type="application/json; charset=UTF-8"
    )
    assert (made.status_code, made.json["name"]) == (201, "Тётя")


def test_405_keeps_allow(app: Flask, client: FlaskClient) -> None:
    problem = refused(app, client, "DELETE", "/v1/games")
    assert (problem["status"], problem["code"]) == (405, "method_not_allowed")
    assert {name.strip() for name in problem["headers"]["Allow"].split(",")} == {"GET", "HEAD", "OPTIONS"}


@pytest.mark.parametrize(
    "path", ["/v1", "/v1/nothing", "/v1/games/", "//v1/games", "/v1/players/you", "/static/x"]
)
def test_an_unrouted_address_is_a_problem(app: Flask, client: FlaskClient, path: str) -> None:
    problem = refused(app, client, "GET", path)
    assert (problem["status"], problem["code"]) == (404, "no_route")


def test_integers_beyond_64_bits_do_not_reach_the_database(
    app: Flask, client: FlaskClient, player: dict[str, Any]
) -> None:
    for number in ("9223372036854775808", "1" + "0" * 400):
        body = f'{{"name": "x", "scopes": {number}}}'.encode()
        problem = refused(
            app,
            client,
            "POST",
            "/v1/players/me/keys",
            data=body,
            headers=player["auth"],
            content_type="application/json",
        )
        assert (problem["status"], problem["errors"][0]["pointer"]) == (422, "/scopes")
        problem = refused(
            app, client, "GET", f"/v1/players/me/bankroll/entries?limit={number}", headers=player["auth"]
        )
        assert (problem["status"], problem["errors"][0]["parameter"]) == (422, "limit")


def test_a_number_in_a_path_beyond_64_bits_is_no_address(
    app: Flask, client: FlaskClient, player: dict[str, Any]
) -> None:
    for number in (2**63, 10**400):
        path = f"/v1/tables/tbl_00000000000000000000000000/seats/{number}"
        problem = refused(app, client, "DELETE", path, headers=player["auth"])
        assert (problem["status"], problem["code"]) == (404, "no_route")


def test_a_name_twice_in_the_body_is_400(app: Flask, client: FlaskClient) -> None:
    problem = refused(
        app,
        client,
        "POST",
        "/v1/players",
        data=b'{"name": "Ada", "name": "Bob"}',
        content_type="application/json",
    )
    assert (problem["status"], problem["code"]) == (400, "duplicate_name")
    assert problem["errors"] == [{"pointer": "/name", "detail": "stands twice"}]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"{", 400, "malformed"),
        (b'{"name": NaN}', 400, "malformed"),
        (b'{"name": "\xff"}', 400, "malformed"),
        (b"[" * 40 + b"]" * 40, 400, "too_deep"),
        (b"[]", 422, "validation"),
        (b'"Ada"', 422, "validation"),
        (b"null", 422, "validation"),
        (b"{}", 422, "validation"),
        (b"", 422, "validation"),
        (b'{"name": null}', 422, "validation"),
        (b'{"name": 7}', 422, "validation"),
        (b'{"name": ""}', 422, "validation"),
        (b'{"name": " Ada"}', 422, "invalid"),
        (b'{"name": "A\\nb"}', 422, "validation"),
        (b'{"name": "A\\u0000b"}', 422, "validation"),
        (b'{"name": "Ada", "admin": true}', 422, "validation"),
    ],
)
def test_bodies(app: Flask, client: FlaskClient, body: bytes, status: int, code: str) -> None:
    problem = refused(app, client, "POST", "/v1/players", data=body, content_type="application/json")
    assert (problem["status"], problem["code"]) == (status, code)


def test_every_flaw_is_told_with_what_would_be_right(app: Flask, client: FlaskClient) -> None:
    problem = refused(app, client, "POST", "/v1/players", json={"nam": "Ada", "x/y": 1})
    assert {flaw["pointer"]: flaw["detail"] for flaw in problem["errors"]} == {
        "/name": "is missing",
        "/nam": "unknown; there are name",
        "/x~1y": "unknown; there are name",
    }


def test_a_body_over_the_cap_is_413(app: Flask, client: FlaskClient) -> None:
    body = b'{"name": "' + b"x" * app.extensions[NAME].config.max_body + b'"}'
    problem = refused(app, client, "POST", "/v1/players", data=body, content_type="application/json")
    assert (problem["status"], problem["code"]) == (413, "too_large")


def test_a_body_where_none_is_taken(app: Flask, client: FlaskClient, player: dict[str, Any]) -> None:
    url = "/v1/players/me/bankroll/refills"
    problem = refused(app, client, "POST", url, json={"sum": 10}, headers=player["auth"])
    assert (problem["status"], problem["errors"][0]["pointer"]) == (422, "/sum")
    problem = refused(app, client, "POST", url, data=b"sum=1", headers=player["auth"])
    assert problem["status"] == 415


@pytest.mark.parametrize("accept", ["text/html", "application/xml;q=0.9", "application/json;q=0"])
def test_accept_that_leaves_nothing_is_406(app: Flask, client: FlaskClient, accept: str) -> None:
    problem = refused(app, client, "GET", "/v1/games", headers={"Accept": accept})
    assert (problem["status"], problem["code"]) == (406, "not_acceptable")


@pytest.mark.parametrize("accept", ["*/*", "application/*", "text/html, application/json;q=0.1", ""])
def test_accept_that_leaves_json(client: FlaskClient, accept: str) -> None:
    assert client.get("/v1/games", headers={"Accept": accept}).status_code == 200


@pytest.mark.parametrize("odd", ["%00", "a%00b", "%0a", "%ff%00", "x" * 101])
def test_a_path_or_parameter_that_no_database_takes(
    database_url: str, make_app: Callable[..., Flask], odd: str
) -> None:
    app = make_app(database_url)
    client = app.test_client()
    auth = register(client)["auth"]
    for path in (f"/v1/players/me/keys/{odd}", f"/v1/games/{odd}", f"/v1/players/me/bankroll/entries/{odd}"):
        problem = refused(app, client, "GET", path, headers=auth)
        assert (problem["status"], problem["code"]) == (404, "not_found")
    problem = refused(app, client, "GET", f"/v1/players/me/bankroll/entries?cursor={odd}", headers=auth)
    assert (problem["status"], problem["errors"][0]["parameter"]) == (422, "cursor")
