"""Who may do what: every operation of the OpenAPI document, asked by everyone who might ask (OWASP API1, API3, API5).

What each is answered is written down in `roles.json`, one line an operation: `null` where the question makes no sense
(nobody can name another's thing there, or there is no table to watch). An operation that is new, gone or asks for
another scope makes this fail until the line is written.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from api.context import NAME
from tests.api.roles import SCOPES, World, build, expired, operations, revoked
from tests.api.tables.people import Json

EXPECTED: dict[str, Json] = json.loads(Path(__file__).with_name("roles.json").read_text())
# Asked last, for they end what others are asked about.
LAST = ("leave_seat", "rotate_key", "revoke_key", "delete_experiment", "delete_me")


@pytest.fixture
def app(sqlite_url: str, make_app: Callable[..., Flask]) -> Flask:
    """An application that gives everybody a refill, however the cards fell."""
    return make_app(sqlite_url, refill_sum=10**6, log_level="error")


@pytest.fixture
def world(app: Flask) -> World:
    """Ada's things; Boris sits nowhere."""
    return build(app)


def in_order(app: Flask) -> list[str]:
    names = list(operations(app))
    return [name for name in names if name not in LAST] + list(LAST)


def ask(world: World, name: str, headers: dict[str, str], ids: dict[str, str] | None = None) -> TestResponse:
    """One operation, as its example asks it."""
    method, path, _, example = operations(world.app)[name]
    return world.ask(method, world.path(path, ids), headers, example)


def test_every_operation_has_its_line_and_its_scope(app: Flask) -> None:
    told = operations(app)
    assert set(EXPECTED) == set(told)
    scopes = {name: part.get("x-scope") for name, (_, _, part, _) in told.items()}
    assert {name: line["scope"] for name, line in EXPECTED.items()} == scopes
    for name, line in EXPECTED.items():
        keyed = line["scope"] is not None
        assert line["no key"] == 401 if keyed else line["no key"] < 400, name
        assert line["wrong scope"] == (403 if keyed else None), name
        assert line["expired"] == line["revoked"] == (401 if keyed else None), name
        assert line["stranger"] in (404, None), name


def test_what_changes_something_needs_more_than_reading(app: Flask) -> None:
    """Only GET is done with `read`; what needs no key changes nothing, but for registering."""
    for name, (method, _, part, _) in operations(app).items():
        scope = part.get("x-scope")
        assert (scope == "read") == (method == "GET" and scope is not None), name
    free = {
        name
        for name, (method, *_) in operations(app).items()
        if method != "GET" and not EXPECTED[name]["scope"]
    }
    asks_only = {"ask_odds", "ask_policies", "ask_counting", "ask_ruin", "ask_kelly", "ask_sessions"}
    assert free == {"create_player", "explore_position"} | asks_only


def test_without_a_key(world: World) -> None:
    for name in in_order(world.app):
        found = ask(world, name, {})
        assert found.status_code == EXPECTED[name]["no key"], (name, found.text)


@pytest.mark.parametrize("kind", [expired, revoked])
def test_with_a_key_that_is_over(world: World, kind: Callable[[World], dict[str, str]]) -> None:
    """The same answer as to an unknown key: which of them it is is not told."""
    key = kind(world)
    for name in in_order(world.app):
        if EXPECTED[name][kind.__name__] is not None:
            found = ask(world, name, key)
            assert found.status_code == EXPECTED[name][kind.__name__], (name, found.text)
            unknown = ask(world, name, {"Authorization": "Bearer macao_unknown"})
            assert bare(found.json) == bare(unknown.json), name


@pytest.mark.parametrize("scope", SCOPES)
def test_with_a_key_that_lacks_the_scope(world: World, scope: str) -> None:
    key = world.keys[f"without {scope}"]
    asked = [name for name in in_order(world.app) if EXPECTED[name]["scope"] == scope]
    for name in asked:
        found = ask(world, name, key)
        assert (found.status_code, found.json["code"]) == (EXPECTED[name]["wrong scope"], "scope"), name
    assert asked


UNKNOWN = "0" * 26


def test_another_s_things_are_answered_as_if_there_were_none(world: World) -> None:
    """Ada's ids in Boris's requests: 404, the same problem as for ids that name nothing; nothing of hers changes."""
    nowhere = {
        name: value.partition("_")[0] + "_" + UNKNOWN if "_" in value else value
        for name, value in world.ids.items()
    }
    before = seen(world)
    asked = [name for name, line in EXPECTED.items() if line["stranger"] is not None]
    for name in asked:
        found = ask(world, name, world.boris.headers)
        assert found.status_code == EXPECTED[name]["stranger"], (name, found.text)
        unknown = ask(world, name, world.boris.headers, nowhere)
        assert bare(found.json) == bare(unknown.json), name
        assert set(dict(found.headers)) == set(dict(unknown.headers)), name
    assert len(asked) >= 25
    assert seen(world) == before


def seen(world: World) -> list[Any]:
    """What Ada sees of her own, but for the clock."""
    paths = ("/players/me/bankroll", "/players/me/keys", "/players/me/bankroll/limits", "/experiments")
    return [world.ada.get(path) for path in paths] + [world.ada.get("/tables?mine=true")["tables"]]


def bare(problem: Json) -> Json:
    """A problem without what names the request and the things asked for."""
    text = re.sub(
        r"\b(ply|key|tbl|bnk|cou|dea|exp|trf)_[0-9a-z]{26}", r"\1", json.dumps(problem, ensure_ascii=False)
    )
    found: Json = json.loads(text)
    found.pop("request_id")
    return found


def test_a_spectator_sees_what_lies_open_and_does_nothing(app: Flask) -> None:
    world = build(app, spectators=True)
    for name, line in EXPECTED.items():
        if line["spectator"] is not None:
            found = ask(world, name, world.boris.headers)
            assert found.status_code == line["spectator"], (name, found.text)
    assert {name for name, line in EXPECTED.items() if (line["spectator"] or 500) < 300}.isdisjoint(
        name for name, (method, *_) in operations(app).items() if method != "GET"
    )


def test_the_owner_of_everything(world: World) -> None:
    for name in in_order(world.app):
        if name in ("rotate_key", "revoke_key"):
            world.ids["key_id"] = world.ada.post("/players/me/keys", {"name": name}, 201)["id"]
        found = ask(world, name, world.ada.headers)
        assert found.status_code == EXPECTED[name]["owner"], (name, found.text)


def test_a_key_never_answers_for_another_player(world: World) -> None:
    """Every answer to Boris in lists of his own names nothing of Ada's."""
    parts = world.app.extensions[NAME]
    assert parts.now()
    for name, (method, path, part, _) in operations(world.app).items():
        if method == "GET" and "{" not in path and part.get("x-scope"):
            text = ask(world, name, world.boris.headers).text
            assert world.ada.id not in text, name
            for value in world.ids.values():
                assert "_" not in value or value not in text, (name, value)
