"""ETag, 304, 412 and Idempotency-Key at a table (`api.md`, «Conventions»)."""

from collections.abc import Callable
from itertools import pairwise
from threading import Barrier, Thread
from time import sleep
from typing import Any

import pytest
from flask import Flask

from api.db import Database
from api.services.tables import bank_needed, opening
from tests.api.tables.people import Json, Person, snapshot, sound


def together(app: Flask, count: int, path: str, body: Json, headers: dict[str, str]) -> list:
    """The same POST from so many clients at once; who is told to come back (503, the machine is busy) asks again."""
    gate, found = Barrier(count), []

    def send() -> None:
        client = app.test_client()
        gate.wait()
        answer = client.post(path, json=body, headers=headers)
        while answer.status_code == 503:
            sleep(float(answer.headers["Retry-After"]))
            answer = client.post(path, json=body, headers=headers)
        found.append(answer)

    threads = [Thread(target=send) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def test_a_view_that_is_known_is_304(ada: Person) -> None:
    """The tag names the version, the viewer and his balance."""
    table = ada.open()["id"]
    tag = ada.ask("GET", f"/tables/{table}").headers["ETag"]
    assert ada.ask("GET", f"/tables/{table}", headers={"If-None-Match": tag}).status_code == 304
    ada.do(table, "stake 10")
    fresh = ada.ask("GET", f"/tables/{table}", headers={"If-None-Match": tag})
    assert fresh.status_code == 200
    assert fresh.headers["ETag"] != tag


def test_an_action_for_an_old_version_is_412(ada: Person, database: Database) -> None:
    """Stale `If-Match`: 412 and nothing changed; the present one: done."""
    table = ada.open()["id"]
    old = ada.ask("GET", f"/tables/{table}").headers["ETag"]
    new = ada.ask("POST", f"/tables/{table}/actions", json={"action": "stake 10"}).headers["ETag"]
    before = snapshot(database)
    stale = ada.ask("POST", f"/tables/{table}/actions", json={"action": "stand"}, headers={"If-Match": old})
    assert (stale.status_code, stale.json["code"]) == (412, "stale")
    assert snapshot(database) == before
    done = ada.ask("POST", f"/tables/{table}/actions", json={"action": "stand"}, headers={"If-Match": new})
    assert done.status_code == 200


def test_an_old_version_is_412_though_the_action_would_be_refused_anyway(
    ada: Person, database: Database
) -> None:
    """Who acts on an old version is told so, not that the table has moved on without him; others' reasons come with
    the present version only."""
    table = ada.open()["id"]
    where, old = f"/tables/{table}/actions", ada.ask("GET", f"/tables/{table}").headers["ETag"]
    new = ada.ask("POST", where, json={"action": "stake 10"}).headers["ETag"]
    before = snapshot(database)
    for match, status, code in ((old, 412, "stale"), (new, 409, "illegal"), ("*", 409, "illegal")):
        refused = ada.ask("POST", where, json={"action": "stake 10"}, headers={"If-Match": match})
        assert (refused.status_code, refused.json["code"]) == (status, code)
    assert snapshot(database) == before


def test_twenty_copies_have_one_effect(ada: Person, app: Flask, database: Database) -> None:
    """The same key twenty times in parallel: one effect, one answer, nineteen marked as repetitions."""
    table = ada.open()["id"]
    headers = {**ada.headers, "Idempotency-Key": "one-stake"}
    found = together(app, 20, f"/v1/tables/{table}/actions", {"action": "stake 10"}, headers)
    assert {response.status_code for response in found} == {200}
    assert len({response.text for response in found}) == 1
    assert sum("Idempotency-Replayed" in response.headers for response in found) == 19
    assert ada.balance == 970
    sound(database)


def test_two_actions_for_one_seat_at_once_one_wins(ada: Person, app: Flask, database: Database) -> None:
    """Without a key the second meets the new state: a stake already taken."""
    for _ in range(10):
        table = ada.open(options={"stake_limits": {"min": 5, "max": 5, "step": 5}})["id"]
        found = together(app, 2, f"/v1/tables/{table}/actions", {"action": "stake 5"}, ada.headers)
        assert sorted(response.status_code for response in found) == [200, 409]
        ada.do(table, "stand")
        ada.ask("DELETE", f"/tables/{table}/seats/0")
    sound(database)


def test_a_table_that_is_asked_for_again_is_neither_thought_out_nor_paid_for_again(
    ada: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stored answer is found first: a repetition costs one unit, whatever the first one cost."""
    bank_needed._known.clear()
    asked: list[str] = []
    for name in ("foretell", "rehearse"):
        work = getattr(opening, name)

        def counted(*given: Any, name: str = name, work: Callable[..., Any] = work) -> Any:
            asked.append(name)
            return work(*given)

        monkeypatch.setattr(opening, name, counted)
    body, headers = {"game": "house"}, {"Idempotency-Key": "one-table"}
    first, *again = (ada.ask("POST", "/tables", json=body, headers=headers) for _ in range(3))
    assert [response.status_code for response in (first, *again)] == [201] * 3
    assert {response.json["id"] for response in again} == {first.json["id"]}
    assert all(response.headers["Idempotency-Replayed"] == "true" for response in again)
    assert asked == ["foretell", "rehearse"]
    left = [int(response.headers["X-RateLimit-Remaining"]) for response in (first, *again)]
    assert [before - after for before, after in pairwise(left)] == [1, 1]
