"""API keys over REST: scopes, revocation at once, what another process may still see, and nothing of a secret."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from http_contract import register

from api.context import NAME


def bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


def test_a_key_is_made_shown_rotated_and_revoked(client: FlaskClient, player: dict[str, Any]) -> None:
    auth = player["auth"]
    made = client.post("/v1/players/me/keys", json={"name": "bot", "scopes": ["read", "play"]}, headers=auth)
    assert made.status_code == 201
    key = made.json
    assert client.get(made.headers["Location"], headers=auth).json == {
        name: value for name, value in key.items() if name != "secret"
    }
    assert client.get("/v1/players/me", headers=bearer(key["secret"])).status_code == 200
    rotated = client.post(f"/v1/players/me/keys/{key['id']}/rotate", headers=auth)
    assert rotated.status_code == 201
    assert (rotated.json["name"], rotated.json["scopes"]) == ("bot", ["read", "play"])
    assert client.get("/v1/players/me", headers=bearer(key["secret"])).status_code == 401
    assert client.get("/v1/players/me", headers=bearer(rotated.json["secret"])).status_code == 200
    assert client.delete(f"/v1/players/me/keys/{rotated.json['id']}", headers=auth).status_code == 204
    assert client.get("/v1/players/me", headers=bearer(rotated.json["secret"])).status_code == 401
    states = [item["state"] for item in client.get("/v1/players/me/keys", headers=auth).json["keys"]]
    assert states == ["live", "revoked", "revoked"]


def test_a_list_shows_no_secret(client: FlaskClient, player: dict[str, Any]) -> None:
    listed = client.get("/v1/players/me/keys", headers=player["auth"]).text
    assert player["api_key"] not in listed
    assert player["api_key"][12:] not in listed


def test_nobody_gives_away_more_than_he_has(client: FlaskClient, player: dict[str, Any]) -> None:
    keeper = client.post("/v1/players/me/keys", json={"scopes": ["keys"]}, headers=player["auth"]).json
    found = client.post("/v1/players/me/keys", json={"scopes": ["play"]}, headers=bearer(keeper["secret"]))
    assert (found.status_code, found.json["errors"][0]["pointer"]) == (403, "/scopes")


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"scopes": []}, "/scopes"),
        ({"scopes": ["admin"]}, "/scopes/0"),
        ({"scopes": "read"}, "/scopes"),
        ({"name": "x" * 41}, "/name"),
        ({"expires_at": "tomorrow"}, "/expires_at"),
        ({"expires_at": "2030-01-31T12:00:00"}, "/expires_at"),
        ({"expires_at": "2030-02-31T12:00:00Z"}, "/expires_at"),
        ({"expires_at": "2001-01-31T12:00:00Z"}, "/expires_at"),
        ({"expires_at": 1}, "/expires_at"),
    ],
)
def test_a_key_that_cannot_be(
    client: FlaskClient, player: dict[str, Any], body: dict[str, Any], pointer: str
) -> None:
    found = client.post("/v1/players/me/keys", json=body, headers=player["auth"])
    assert (found.status_code, found.json["errors"][0]["pointer"]) == (422, pointer)


def test_a_key_ends_at_its_time(app: Flask, client: FlaskClient, player: dict[str, Any]) -> None:
    parts = app.extensions[NAME]
    end = parts.now() + timedelta(hours=1)
    key = client.post(
        "/v1/players/me/keys", json={"expires_at": end.isoformat()}, headers=player["auth"]
    ).json
    assert client.get("/v1/players/me", headers=bearer(key["secret"])).status_code == 200
    clock = parts.now
    parts.now = lambda: clock() + timedelta(hours=1, seconds=1)
    assert client.get("/v1/players/me", headers=bearer(key["secret"])).status_code == 401
    assert client.post("/v1/players/me/keys", json={}, headers=bearer(key["secret"])).status_code == 401


def test_another_process_may_read_for_a_moment_but_never_write(
    database_url: str, make_app: Callable[..., Flask]
) -> None:
    one, two = make_app(database_url, key_cache_seconds=60), make_app(database_url, key_cache_seconds=60)
    player = register(one.test_client())
    key = one.test_client().post("/v1/players/me/keys", json={}, headers=player["auth"]).json
    other = two.test_client()
    assert other.get("/v1/players/me", headers=bearer(key["secret"])).status_code == 200
    one.test_client().delete(f"/v1/players/me/keys/{key['id']}", headers=player["auth"])
    assert one.test_client().get("/v1/players/me", headers=bearer(key["secret"])).status_code == 401
    assert other.get("/v1/players/me", headers=bearer(key["secret"])).status_code == 200
    found = other.post("/v1/players/me/keys", json={}, headers=bearer(key["secret"]))
    assert (found.status_code, found.json["code"]) == (401, "unauthorized")


def test_without_the_cache_no_process_reads_either(database_url: str, make_app: Callable[..., Flask]) -> None:
    one, two = make_app(database_url), make_app(database_url, key_cache_seconds=0)
    player = register(one.test_client())
    other = two.test_client()
    assert other.get("/v1/players/me", headers=player["auth"]).status_code == 200
    one.test_client().delete("/v1/players/me", headers=player["auth"])
    assert other.get("/v1/players/me", headers=player["auth"]).status_code == 401


def test_the_last_key_that_manages_keys_stays(client: FlaskClient, player: dict[str, Any]) -> None:
    found = client.delete(f"/v1/players/me/keys/{player['key_id']}", headers=player["auth"])
    assert (found.status_code, found.json["code"]) == (409, "last_key")
