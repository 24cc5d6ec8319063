"""/metrics: the same sums whichever process answers, before and after processes ended; money out of the database."""

import json
import os
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy.exc import OperationalError

from tests.api.served import Served, until
from tests.api.tables.people import Person

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def samples(text: str) -> Samples:
    """Every sample of an exposition; twice the same would be a fault."""
    found: Samples = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            key = (sample.name, tuple(sorted(sample.labels.items())))
            assert key not in found, key
            found[key] = sample.value
    return found


def of(found: Samples, name: str, **labels: str) -> float:
    """The sum of the samples of a name that have these labels."""
    wanted = set(labels.items())
    return sum(value for (known, has), value in found.items() if known == name and wanted <= set(has))


@contextmanager
def serving(folder: Path, **settings: str) -> Iterator[Served]:
    served = Served(folder, MACAO_LOG_LEVEL="warning", **settings)
    try:
        yield served
    finally:
        if served.process.poll() is None:
            served.stop()
        served.close()


def workers_of(served: Served) -> set[int]:
    children = Path(f"/proc/{served.process.pid}/task/{served.process.pid}/children").read_text()
    return {int(number) for number in children.split()}


def play(served: Served, coups: int) -> None:
    """A player with a table, so many coups by hand, and two refused actions."""
    key = ask(served, "POST", "/v1/players", {"name": "Ada"}, 201)["api_key"]
    table = ask(served, "POST", "/v1/tables", {"game": "house"}, 201, key)["id"]
    for _ in range(coups):
        ask(served, "POST", f"/v1/tables/{table}/actions", {"actions": ["stake 10", "stand"]}, 200, key)
    for _ in range(2):
        ask(served, "POST", f"/v1/tables/{table}/actions", {"action": "draw"}, 409, key)


def ask(served: Served, method: str, path: str, body: Any, status: int, key: str | None = None) -> Any:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    code, _, text = served.ask(method, path, body, **headers)
    assert code == status, text
    return json.loads(text)


def counts(served: Served) -> tuple[float, ...]:
    """What `play` makes, as counted."""
    status, _, text = served.ask("GET", "/metrics")
    assert status == 200, served.log()[-3000:]
    found = samples(text.decode())
    route = "/v1/tables/<table_id>/actions"
    answered = of(found, "macao_requests_total", route=route)
    assert of(found, "macao_request_seconds_count", route=route) == answered
    assert of(found, "macao_request_seconds_bucket", route=route, le="+Inf") == answered
    return (
        answered,
        of(found, "macao_requests_total", route=route, status="200"),
        of(found, "macao_refusals_total"),
        of(found, "macao_coups_total", game="house", end="settled"),
    )


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="asks /proc for the processes of the server")
def test_sums_are_those_of_all_processes_alive_or_not(tmp_path: Path) -> None:
    folder = tmp_path / "counts"
    folder.mkdir()
    settings = {
        "MACAO_WORKERS": "2",
        "MACAO_EXPERIMENT_WORKERS": "0",
        "PROMETHEUS_MULTIPROC_DIR": str(folder),
    }
    with serving(tmp_path, MACAO_THREADS="4", MACAO_MAX_WAITERS="2", **settings) as served:
        expected = (22.0, 20.0, 2.0, 20.0)
        play(served, 20)
        assert {counts(served) for _ in range(8)} == {expected}, "whichever process answers"
        workers = until(lambda: len(found := workers_of(served)) == 2 and found)
        wrote = {int(re.split(r"[_.]", file.name)[1]) for file in folder.glob("counter_*.db")}
        assert wrote <= workers
        # One is killed: what it counted stays, its files do not, and another takes its place.
        killed = min(wrote)
        os.kill(killed, signal.SIGKILL)
        until(lambda: not list(folder.glob(f"*_{killed}.db")))
        until(lambda: len(workers_of(served) - {killed}) == 2)
        assert {counts(served) for _ in range(8)} == {expected}
        # All are replaced.
        before = workers_of(served)
        served.process.send_signal(signal.SIGHUP)
        until(lambda: not workers_of(served) & before)
        until(lambda: len(list(folder.glob("counter_*.db"))) <= 3)
        assert {counts(served) for _ in range(8)} == {expected}
        play(served, 5)
        assert counts(served) == (29.0, 25.0, 4.0, 25.0)


def exposed(client: FlaskClient) -> Samples:
    answer = client.get("/metrics")
    assert answer.status_code == 200
    assert answer.mimetype == "text/plain"
    return samples(answer.text)


def test_chips_in_play_are_those_of_banks_and_open_coups(
    database_url: str, make_app: Callable[..., Flask]
) -> None:
    """A bank of 500 and a stake of 10 with worst loss and payout of 3: 530 chips of players are in play."""
    app = make_app(database_url, log_level="error")
    client, ada = app.test_client(), Person(app, "Ada")
    before = exposed(client)
    table = ada.open(game="russian-multiple", bank="rotates", seats=[{"kind": "me"}, {"kind": "open"}])
    assert of(exposed(client), "macao_chips_in_play") == of(before, "macao_chips_in_play")
    boris = Person(app, "Boris")
    boris.post(f"/tables/{table['id']}/seats", {}, 201)
    people = {0: ada, 1: boris}
    banker = next(
        seat for seat, who in people.items() if "bank" in str(who.get(f"/tables/{table['id']}")["legal"])
    )
    people[banker].do(table["id"], "bank 500")
    assert of(exposed(client), "macao_chips_in_play") - of(before, "macao_chips_in_play") == 500
    people[1 - banker].do(table["id"], "stake 10")
    now = exposed(client)
    # The bank's worst payout moved from the bank to the escrow: it is in play already.
    assert of(now, "macao_chips_in_play") - of(before, "macao_chips_in_play") == 530
    assert of(now, "macao_chips") == 0, "over all accounts"
    assert of(now, "macao_chips", account="mint") < 0
    assert of(now, "macao_tables_open", game="russian-multiple") == 1
    assert of(now, "macao_ledger_transfers") > of(before, "macao_ledger_transfers")
    assert of(now, "macao_database_up") == 1
    assert of(now, "macao_tables_overdue") == 0
    assert {
        dict(labels)["status"]: number
        for (name, labels), number in now.items()
        if name == "macao_experiments"
    } == {"waiting": 0, "running": 0, "done": 0, "cancelled": 0, "failed": 0}


def test_without_the_database_the_counts_are_shown(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.get("/v1/games/whist")

    def fail(*_: object) -> None:
        raise OperationalError("SELECT", {}, Exception("planted"))

    monkeypatch.setattr("api.views.operation.resources.measures", fail)
    found = exposed(client)
    assert of(found, "macao_database_up") == 0
    assert of(found, "macao_refusals_total", code="not_found") >= 1
    assert not [name for name, _ in found if name.startswith("macao_chips")]
