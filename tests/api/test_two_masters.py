"""Two masters of gunicorn on different ports, one PostgreSQL, the same tables, as on two hosts. One is killed."""

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
from typing import Any
from urllib.request import Request, urlopen

import pytest
from sqlalchemy import func, select

from api.db import Database
from api.models import Event, Lease, Transfer
from api.ticker import LEASE
from tests.api.served import PATIENCE, Served, until
from tests.api.tables import test_ten_banks as ten_banks
from tests.api.tables.people import sound
from tests.api.tables.test_ten_banks import Client

Json = dict[str, Any]
BANKS = 4

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not Path("/proc/self/task").exists(), reason="asks /proc for the processes of a server"
    ),
]


@pytest.fixture
def masters(postgresql_url: str, tmp_path: Path) -> Iterator[list[Served]]:
    """Two servers that share nothing but the database."""
    running = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        running.append(
            Served(
                tmp_path / name,
                MACAO_DATABASE_URL=postgresql_url,
                MACAO_WORKERS="1",
                MACAO_LOG_LEVEL="warning",
                MACAO_LOCK_SECONDS="60",
            )
        )
    yield running
    for served in running:
        if served.process.poll() is None:
            assert served.stop() == 0
        served.close()


@pytest.fixture
def database(postgresql_url: str) -> Iterator[Database]:
    found = Database(postgresql_url)
    yield found
    found.dispose()


def processes_of(served: Served) -> list[int]:
    """The workers, and then the master."""
    master = served.process.pid
    children = Path(f"/proc/{master}/task/{master}/children").read_text().split()
    return [*map(int, children), master]


def keeper(database: Database, masters: list[Served]) -> int | None:
    """Which of the servers keeps the clocks: by the lease in the database."""
    with database.read() as session:
        holder = session.scalar(select(Lease.holder).where(Lease.name == LEASE))
    pid = int(holder.split(":")[1]) if holder else None
    alive = [served for served in masters if served.process.poll() is None]
    return next((masters.index(served) for served in alive if pid in processes_of(served)), None)


def idle_table(client: Client) -> str:
    """A table with the shortest turns at which a stake is made, and then nothing more."""
    table = client.ask("POST", "/tables", {"game": "house", "turn_seconds": 5})["id"]
    client.ask("POST", f"/tables/{table}/actions", {"action": "stake 10"})
    return str(table)


def timed_out(database: Database, table: str) -> int:
    with database.read() as session:
        query = select(func.count()).where(Event.table_id == table, Event.type == "timed_out")
        return session.execute(query).scalar_one()


def test_one_is_killed_and_the_other_carries_on(
    masters: list[Served], database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three persons and three bots play on; clocks are kept by one server, and then by the one that is left."""
    monkeypatch.setattr(ten_banks, "BANKS", BANKS)
    urls = [served.url for served in masters]
    clients = [
        Client(name, lambda at=at: urls[at], at) for at, name in ((0, "Ada"), (1, "Boris"), (1, "Clara"))
    ]
    table = ten_banks.seat_all(clients)
    dora = Client("Dora", lambda: urls[0], 3)
    before = idle_table(dora)
    for client in clients:
        client.start()
    until(lambda: timed_out(database, before))
    until(lambda: clients[0].settled >= 3 or not clients[0].is_alive())

    killed = until(lambda: None if (found := keeper(database, masters)) is None else [found])[0]
    for pid in processes_of(masters[killed]):
        os.kill(pid, signal.SIGKILL)
    masters[killed].process.wait(PATIENCE)
    urls[killed] = urls[1 - killed]  # as a proxy in front would do
    after = idle_table(dora)
    until(lambda: timed_out(database, after))
    assert keeper(database, masters) == 1 - killed

    for client in clients:
        client.join(PATIENCE)
    assert not any(client.is_alive() for client in clients)
    assert [client.faults for client in clients] == [[], [], []]
    for client in clients:
        assert client.numbers == list(range(1, len(client.numbers) + 1)), "every number once, in order"
    assert_once(database, table)
    sound(database)


def assert_once(database: Database, table: str) -> None:
    """What two servers might do twice was done once: clocks, stakes, bots, settlements."""
    what = (Event.table_id, Event.coup, Event.seat, Event.type)
    once = ("timed_out", "staked", "drew", "stood", "settled")
    with database.read() as session:
        twice = select(*what).where(Event.type.in_(once), Event.coup.is_not(None)).group_by(*what)
        assert session.execute(twice.having(func.count() > 1)).all() == []
        staked = select(func.count()).where(Event.table_id == table, Event.type == "staked")
        assert session.execute(staked).scalar_one() > 10
        numbers = session.execute(select(func.count(), func.max(Transfer.seq))).one()
        assert numbers[0] == numbers[1]


def test_what_is_done_at_one_is_seen_at_the_other(masters: list[Served]) -> None:
    """A poll is woken, a key is known, an Idempotency-Key is kept: across servers."""
    urls = [served.url for served in masters]
    ada = Client("Ada", lambda: urls[0], 1)
    there = Client.__new__(Client)
    there.address, there.key, there.bodies = (lambda: urls[1]), ada.key, []
    table = ada.ask("POST", "/tables", {"game": "house"})
    found: list[tuple[float, Json]] = []

    def poll() -> None:
        answer = there.ask("GET", f"/tables/{table['id']}/events?after={table['events']}&wait=25")
        found.append((monotonic(), answer))

    waiting = Thread(target=poll)
    waiting.start()
    sleep(1)
    ada.ask("POST", f"/tables/{table['id']}/actions", {"action": "stake 10"})
    done = monotonic()
    waiting.join(PATIENCE)
    assert found[0][1]["events"][0]["n"] == table["events"] + 1
    assert found[0][0] - done < 20, "not by its time running out"

    once = {
        "Idempotency-Key": "once",
        "Authorization": f"Bearer {ada.key}",
        "Content-Type": "application/json",
    }
    body = json.dumps({"action": "stand"}).encode()
    answers = []
    for url in urls:
        asked = Request(f"{url}/v1/tables/{table['id']}/actions", body, once, method="POST")
        with urlopen(asked, timeout=PATIENCE) as answer:
            answers.append((answer.headers.get("Idempotency-Replayed"), answer.read()))
    assert [replayed for replayed, _ in answers] == [None, "true"]
    assert answers[0][1] == answers[1][1]
