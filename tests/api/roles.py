"""A small world for the tests of access: what one player has, and keys of every kind."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from flask import Flask
from http_contract import document_of
from werkzeug.test import TestResponse

from api.context import NAME
from tests.api.matches.matches import BOT, ME, play_out
from tests.api.tables.people import Json, Person

SCOPES = ("read", "play", "keys")
TABLE, MATCH = "table_id", "match"


@dataclass
class World:
    """Ada's things by the names of the parts of paths, and headers of keys of hers."""

    app: Flask
    ada: Person
    boris: Person
    ids: dict[str, str] = field(default_factory=dict)
    keys: dict[str, dict[str, str]] = field(default_factory=dict)

    def path(self, rule: str, ids: dict[str, str] | None = None) -> str:
        """An operation's path with Ada's ids in it; a deal is one of the match, all else of the banking table."""
        known = self.ids | (ids or {})
        if "deal" in rule or rule.endswith("{table_id}/proof"):
            known = known | {TABLE: known[MATCH]}
        return re.sub(r"{(\w+)}", lambda part: known[part[1]], rule)

    def ask(self, method: str, path: str, headers: dict[str, str], body: Any = None) -> TestResponse:
        """A request with these headers and no others."""
        return self.app.test_client().open(path, method=method, headers=headers, json=body)


def operations(app: Flask) -> dict[str, tuple[str, str, Json, Any]]:
    """Of every operation of the document: method, path, its part of the document, the first example of a body."""
    found = {}
    for path, methods in document_of(app)["paths"].items():
        for method, told in methods.items():
            if method != "parameters":
                bodies = examples(told)
                found[told["operationId"]] = (method.upper(), path, told, bodies[0] if bodies else None)
    return found


def examples(part: Json) -> list[Any]:
    """The bodies that the document shows for an operation."""
    content = part.get("requestBody", {}).get("content", {}).get("application/json", {})
    alone = [content["example"]] if "example" in content else []
    return alone + [item["value"] for item in content.get("examples", {}).values()]


def build(app: Flask, *, spectators: bool = False) -> World:
    """A banking table in its second bank, a match that is over, a key, an experiment, and keys without each scope."""
    ada, boris = Person(app, "Ada"), Person(app, "Boris")
    world = World(app, ada, boris)
    table = ada.open(seats=[ME, BOT], spectators=spectators, options={"decks": 1})["id"]
    ada.post(f"/tables/{table}/actions", {"action": "autoplay", "stake": 5, "coups": 25})
    match = ada.open(game="peklo", seats=[ME, BOT, BOT], options={"max_hand": 1}, spectators=spectators)["id"]
    play_out([ada], match)
    banks = ada.get(f"/tables/{table}/banks")["banks"]
    world.ids = {
        TABLE: table,
        MATCH: match,
        "bank_id": next(bank["id"] for bank in banks if bank["server_seed"]),
        "coup_id": ada.get(f"/tables/{table}/coups")["coups"][-1]["id"],
        "deal_id": ada.get(f"/tables/{match}/deals")["deals"][0]["id"],
        "entry_id": ada.get("/players/me/bankroll/entries")["entries"][0]["id"],
        "key_id": ada.post("/players/me/keys", {"name": "other"}, 201)["id"],
        "seat": "0",
        "name": "house",
    }
    example = operations(app)["create_experiment"][3]
    world.ids["experiment_id"] = ada.post("/experiments", example, 202)["id"]
    for scope in SCOPES:
        world.keys[f"without {scope}"] = _issued(world, scopes=[other for other in SCOPES if other != scope])
    return world


def _issued(world: World, **body: Any) -> dict[str, str]:
    made = world.ada.post("/players/me/keys", body, 201)
    return {"Authorization": f"Bearer {made['secret']}", "id": made["id"]}


def revoked(world: World) -> dict[str, str]:
    """A key for everything that was revoked, asked of a moment before."""
    key = _issued(world)
    name = key.pop("id")
    assert world.ask("GET", "/v1/players/me", key).status_code == 200
    world.ada.ask("DELETE", f"/players/me/keys/{name}")
    return key


def expired(world: World) -> dict[str, str]:
    """A key for everything whose time is over: the clock of the service goes on by an hour."""
    parts = world.app.extensions[NAME]
    end = parts.now() + timedelta(minutes=30)
    key = _issued(world, expires_at=end.isoformat())
    key.pop("id")
    assert world.ask("GET", "/v1/players/me", key).status_code == 200
    clock: Callable[[], Any] = parts.now
    parts.now = lambda: clock() + timedelta(hours=1)
    return key
