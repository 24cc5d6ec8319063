"""Every example of the OpenAPI document is executed: as it stands, in a situation that it fits, and it succeeds.

Bodies and query parameters are sent to a live application as they are written down; only ids, which name something of
another house, are put in the place of the example's. What is answered is held to the document by the client itself
(`http_contract.py`): status, type, headers, shape. Examples of answers are held to their schemas in test_openapi.py.
"""

import re
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from http_contract import resolved

from api.context import NAME
from tests.api.experiments.orders import COIN, play_now
from tests.api.matches.matches import ME, OPEN
from tests.api.roles import World, build, examples, operations
from tests.api.tables.people import Json, Person

# Done last, in this order: they end what the others are about.
LAST = ("leave_seat", "rotate_key", "revoke_key", "cancel_experiment", "delete_experiment", "delete_me")


@pytest.fixture
def world(sqlite_url: str, make_app: Callable[..., Flask]) -> World:
    """Ada's things, with an experiment that is done, and a refill for everybody."""
    app = make_app(sqlite_url, refill_sum=10**6, log_level="error")
    made = build(app)
    done = made.ada.post("/experiments", {**COIN, "sessions": 50}, 202)["id"]
    play_now(app.extensions[NAME].database, done)
    made.ids["done"] = done
    return made


def parameters(world: World, told: Json) -> dict[str, Any]:
    """The examples of an operation's query parameters, all of them at once; an id is one of Ada's."""
    document = world.app.extensions["test.document"]
    found = {}
    for part in told.get("parameters", []):
        parameter = resolved(document, part)
        example = parameter.get("example", parameter.get("schema", {}).get("example"))
        if parameter["in"] == "query" and example is not None:
            of_hers = world.ids.get(f"{parameter['name']}_id")
            found[parameter["name"]] = of_hers if of_hers and "_" in str(example) else example
    return found


def prepared(world: World, name: str) -> tuple[Person, dict[str, str]]:
    """Who asks, and the ids of what is asked about, where it is not Ada about her own."""
    ada, boris = world.ada, world.boris
    if name == "take_seat":
        return boris, {"table_id": ada.open(seats=[ME, OPEN])["id"]}
    if name in ("get_results", "get_paths", "get_chart_svg", "get_chart_json"):
        return ada, {"experiment_id": world.ids["done"]}
    if name in ("rotate_key", "revoke_key"):
        return ada, {"key_id": ada.post("/players/me/keys", {"name": name}, 201)["id"]}
    if name in ("open_table", "act", "delete_me"):  # not Ada, who has set herself limits by then
        clara = Person(world.app, "Clara")
        return clara, {"table_id": clara.open(seats=[ME])["id"]} if name == "act" else {}
    return ada, {}


def bodies(part: Json) -> list[Any]:
    """The bodies that an operation is sent: all its examples, or none at all where it takes none."""
    return examples(part) if "requestBody" in part else [None]


def test_every_example_of_a_request_succeeds(world: World) -> None:
    """With all its query parameters, and without any."""
    told = operations(world.app)
    sent = 0
    for name in [*(name for name in told if name not in LAST), *LAST]:
        method, path, part, _ = told[name]
        good = {int(status) for status in part["responses"] if status.startswith("2")}
        for body in bodies(part):
            asked = [{}, parameters(world, part)]
            for query in [query for place, query in enumerate(asked) if query or not place]:
                who, ids = prepared(world, name)
                answer = who.client.open(
                    world.path(path, ids), method=method, json=body, query_string=query, headers=who.headers
                )
                assert answer.status_code in good, f"{name} {query}: {answer.status_code} {answer.text[:400]}"
                sent += 1
    assert sent >= len(told) + 10


def test_a_table_of_every_kind_is_among_the_examples(world: World) -> None:
    """All three families, a bank that goes round, the house's, practice with a seed, and a place for a friend."""
    opened = {}
    for body in examples(operations(world.app)["open_table"][2]):
        table = world.ada.open(**body)
        opened[table["id"]] = table
        stakes = body.get("stakes", "chips")
        assert (table["game"], table["stakes"]) == (body["game"], stakes)
        assert (table["phase"] == "open") == ({"kind": "open"} in body.get("seats", []))
    assert {table["family"] for table in opened.values()} == {"banking", "shedding", "tricks"}
    assert {table["bank"] for table in opened.values()} == {"house", "rotates", None}
    assert {table["stakes"] for table in opened.values()} == {"chips", "practice"}
    assert [table for table in opened.values() if table["private"] and table["invite"]]
    assert [table for table in opened.values() if table["spectators"]]


def test_every_body_that_an_operation_takes_has_an_example(world: World) -> None:
    for name, (_, _, part, _) in operations(world.app).items():
        assert bodies(part), name


def test_every_example_of_a_header_is_taken(world: World) -> None:
    """Idempotency-Key, If-Match (a tag of another version: 412) and If-None-Match (of another: 200)."""
    document = world.app.extensions["test.document"]
    headers = {
        parameter["name"]: parameter["example"] for parameter in document["components"]["parameters"].values()
    }
    assert set(headers) == {"Idempotency-Key", "If-Match", "If-None-Match"}
    ada, table = world.ada, f"/tables/{world.ids['table_id']}"
    once = {"Idempotency-Key": headers["Idempotency-Key"]}
    first, second = (ada.ask("POST", "/players/me/keys", json={"name": "x"}, headers=once) for _ in range(2))
    assert (first.status_code, second.status_code) == (201, 201)
    assert second.headers["Idempotency-Replayed"] == "true"
    assert ada.ask("GET", table, headers={"If-None-Match": headers["If-None-Match"]}).status_code == 200
    stale = ada.ask(
        "POST",
        f"{table}/actions",
        json={"action": "stake 10"},
        headers={"If-Match": headers["If-Match"]},
    )
    assert (stale.status_code, stale.json["code"]) == (412, "stale")


def test_every_example_of_a_path_is_of_the_right_kind(world: World) -> None:
    """Ids have the prefix of what they name; asked for, they are unknown, not malformed."""
    kinds = {"table": "tbl", "bank": "bnk", "coup": "cou", "deal": "dea", "key": "key", "entry": "trf"}
    kinds["experiment"] = "exp"
    for name, (method, path, part, body) in operations(world.app).items():
        told = {
            item["name"]: item["example"] for item in part.get("parameters", []) if item.get("in") == "path"
        }
        for parameter, example in told.items():
            kind = kinds.get(parameter.removesuffix("_id"))
            assert kind is None or re.fullmatch(rf"{kind}_[0-9a-z]{{26}}", example), (name, parameter)
        if any(parameter.endswith("_id") for parameter in told):
            filled = re.sub(r"{(\w+)}", lambda found: str(told[found[1]]), path)  # noqa: B023 (used at once)
            answer = world.ask(method, filled, world.ada.headers, body)
            assert (answer.status_code, answer.json["code"]) == (404, "not_found"), name


def test_what_the_document_tells_of_a_game_is_so(world: World) -> None:
    """The example of `GET /games/{name}` says of the game what the service does; of its options one is shown."""
    document = world.app.extensions["test.document"]["paths"]["/v1/games/{name}"]["get"]
    wanted = document["responses"]["200"]["content"]["application/json"]["example"]
    told = world.ada.get(f"/games/{wanted['name']}")
    for name in ("family", "title", "seats", "source"):
        assert wanted[name] == told[name], name
    assert wanted["options"]["properties"].items() <= told["options"]["properties"].items()
    assert wanted["defaults"].items() <= told["defaults"].items()
    assert wanted["actions"].items() <= told["actions"].items()
