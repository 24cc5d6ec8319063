"""Events: one numbering for all, data by viewer; long poll and stream (`table.md`, «Events»)."""

import json
from collections.abc import Callable, Sequence
from threading import Thread
from time import monotonic, sleep

import pytest
import structlog
from flask import Flask
from sqlalchemy.exc import OperationalError

from api.db import Database
from api.services.errors import Busy
from api.waiting import Watcher
from tests.api.tables.people import Json, Person

People = Callable[[str], Person]


def everything(person: Person, table: str) -> list[Json]:
    """All events, page by page."""
    found: list[Json] = []
    while True:
        page = person.get(f"/tables/{table}/events?after={len(found)}&limit=7")["events"]
        if not page:
            return found
        found += page


def test_every_number_once_and_the_same_for_everyone(person: People) -> None:
    """No gaps, no repeats; two viewers differ only in what is theirs."""
    ada, boris = person("Ada"), person("Boris")
    table = ada.open(seats=[{"kind": "me"}, {"kind": "open"}, {"kind": "bot"}])["id"]
    boris.post(f"/tables/{table}/seats", {}, 201)
    for _ in range(3):
        for player in (ada, boris):
            player.do(table, "stake 5")
        for player in (ada, boris):
            player.do(table, "stand")
    mine, his = everything(ada, table), everything(boris, table)
    assert [event["n"] for event in mine] == list(range(1, len(mine) + 1))
    assert [(event["n"], event["type"], event["seat"]) for event in mine] == [
        (event["n"], event["type"], event["seat"]) for event in his
    ]
    differing = {
        event["type"] for event, other in zip(mine, his, strict=True) if event["data"] != other["data"]
    }
    assert differing == {"dealt"}


def test_a_long_poll_gets_an_event_at_once(ada: Person, app: Flask) -> None:
    """A poll that began before the event is answered by it, not at its end."""
    table = ada.open()["id"]
    last = ada.get(f"/tables/{table}")["events"]
    found: list[tuple[float, Json]] = []

    def poll() -> None:
        client = app.test_client()
        answer = client.get(f"/v1/tables/{table}/events?after={last}&wait=20", headers=ada.headers)
        found.append((monotonic(), answer.json))

    thread = Thread(target=poll)
    thread.start()
    sleep(0.3)
    assert not found
    ada.do(table, "stake 10")
    done = monotonic()
    thread.join(10)
    at, answer = found[0]
    assert answer["events"][0]["n"] == last + 1
    assert at - done < 5  # how fast it is on an idle machine: benchmarks/events.py


def test_a_long_poll_ends_with_nothing(ada: Person) -> None:
    """When the time is up the answer is an empty list and the same number."""
    table = ada.open()["id"]
    last = ada.get(f"/tables/{table}")["events"]
    assert ada.get(f"/tables/{table}/events?after={last}&wait=1") == {"events": [], "last": last}


def test_beyond_the_cap_of_waiters_the_answer_comes_at_once(ada: Person, app: Flask) -> None:
    """With `Retry-After`, and nothing is waited for."""
    table = ada.open()["id"]
    last = ada.get(f"/tables/{table}")["events"]
    app.extensions["macao"].watcher._most = 0
    response = ada.ask("GET", f"/tables/{table}/events?after={last}&wait=20")
    assert response.status_code == 200
    assert response.headers["Retry-After"] == "2"
    assert response.json["events"] == []


@pytest.mark.parametrize("wait", [26, -1, "x", "1.5"])
def test_a_wait_beyond_25_seconds_is_refused(ada: Person, wait: object) -> None:
    """`wait` is a whole number from 0 to 25."""
    table = ada.open()["id"]
    ada.get(f"/tables/{table}/events?wait={wait}", 422)


def test_the_stream_takes_up_after_the_last_event_id(ada: Person) -> None:
    """text/event-stream: id, event and data of each; `Last-Event-ID` goes on behind it; it ends at the close."""
    table = ada.open()["id"]
    ada.do(table, "stake 10", "stand")
    ada.ask("DELETE", f"/tables/{table}/seats/0")
    whole = everything(ada, table)
    headers = {"Accept": "text/event-stream", "Last-Event-ID": "3"}
    response = ada.ask("GET", f"/tables/{table}/events", headers=headers)
    assert response.mimetype == "text/event-stream"
    parts = [part for part in response.text.split("\n\n") if part.startswith("id:")]
    events = [json.loads(part.split("data: ", 1)[1]) for part in parts]
    assert events == whole[3:]
    assert events[-1]["type"] == "closed"


def test_a_table_that_may_not_be_seen_has_no_events(ada: Person, person: People) -> None:
    """404 at once, without waiting."""
    table = ada.open()["id"]
    person("Boris").get(f"/tables/{table}/events?wait=20", 404)


def test_at_a_closed_table_nobody_waits(ada: Person, app: Flask) -> None:
    """No further event can come: poll and stream are answered at once, without taking a place among the waiters."""
    table = ada.open()["id"]
    last = ada.ask("DELETE", f"/tables/{table}/seats/0").json["events"]
    app.extensions["macao"].watcher._most = 0
    poll = ada.ask("GET", f"/tables/{table}/events?after={last}&wait=25")
    assert (poll.json, "Retry-After" in poll.headers) == ({"events": [], "last": last}, False)
    headers = {"Accept": "text/event-stream", "Last-Event-ID": str(last)}
    assert ada.ask("GET", f"/tables/{table}/events", headers=headers).text == ": events\n\n"


def revoked_meanwhile(person: Person, wait: Callable[[], object]) -> None:
    """Begin to wait with a second key, and revoke it."""
    key = person.post("/players/me/keys", {"name": "second"}, 201)
    first, person.headers = person.headers, {"Authorization": f"Bearer {key['secret']}"}
    thread = Thread(target=wait)
    thread.start()
    sleep(0.3)
    person.headers = first
    assert person.ask("DELETE", f"/players/me/keys/{key['id']}").status_code == 204
    thread.join(20)
    assert not thread.is_alive()


def test_a_stream_ends_at_the_heartbeat_after_its_key_is_revoked(
    ada: Person, app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The key is looked up again at every heartbeat and every event."""
    monkeypatch.setattr("api.views.tables.events._HEARTBEAT", 0.5)
    table = ada.open()["id"]
    last = ada.get(f"/tables/{table}")["events"]
    found: list[str] = []

    def listen() -> None:
        headers = {**ada.headers, "Accept": "text/event-stream", "Last-Event-ID": str(last)}
        found.append(app.test_client().get(f"/v1/tables/{table}/events", headers=headers).text)

    revoked_meanwhile(ada, listen)
    assert found[0].startswith(": events\n\n")
    assert "data:" not in found[0]


def test_a_stream_ends_where_the_database_is_lost_and_tells_when_to_come_again(
    ada: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its status is sent already: to break it off would be a fault, and the events that were missed are taken up."""

    def wait(*_: object) -> bool:
        monkeypatch.setattr(Database, "read", lost)
        return True

    def lost(_: Database) -> None:
        raise Busy("not reached")

    table = ada.open()["id"]
    monkeypatch.setattr(Watcher, "wait", wait)
    headers = {"Accept": "text/event-stream", "Last-Event-ID": "2"}
    response = ada.ask("GET", f"/tables/{table}/events", headers=headers)
    assert response.text.startswith(": events\n\nid: 3\n")
    assert response.text.endswith("\n\nretry: 2000\n\n")


def test_a_long_poll_is_refused_if_its_key_was_revoked_meanwhile(ada: Person, app: Flask) -> None:
    """401 in the place of events."""
    table = ada.open()["id"]
    last = ada.get(f"/tables/{table}")["events"]
    found: list[int] = []

    def poll() -> None:
        address = f"/v1/tables/{table}/events?after={last}&wait=2"
        found.append(app.test_client().get(address, headers=ada.headers).status_code)

    revoked_meanwhile(ada, poll)
    assert found == [401]


def test_a_run_of_faults_of_the_database_is_logged_once() -> None:
    """The watcher asks 50 times a second: a line for the first fault of each run, and nobody's wait ends."""
    calls: list[int] = []

    def ask(tables: Sequence[str]) -> dict[str, int]:
        calls.append(len(calls))
        if len(calls) in (1, 2, 3, 5, 6):
            raise OperationalError("SELECT 1", {}, Exception("the database is gone"))
        return {"tbl_a": 1} if len(calls) > 6 else {}

    with structlog.testing.capture_logs() as lines:
        assert Watcher(ask, 10, lambda: False).wait("tbl_a", 0, 60)
    assert len(calls) == 7, "three faults, an answer without news, two faults, an event"
    told = [(line["log_level"], line["event"], line["exc_info"]) for line in lines]
    assert told == [("error", "events", True)] * 2
