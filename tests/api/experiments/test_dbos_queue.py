"""The queue on dbos itself: what `api/jobs/queue.py` promises, and where it keeps what it keeps."""

import ast
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event

import pytest
from dbos import DBOS

import api
from api.db import Database
from api.jobs import dbos_queue
from api.jobs.dbos_queue import DbosQueue
from api.jobs.queue import Held

WAIT = 300


def wait_until(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + WAIT
    while not condition():
        assert time.monotonic() < until, "it takes too long"
        time.sleep(0.02)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(dbos_queue, "_POLL_SECONDS", 0.05)
    monkeypatch.setattr(dbos_queue, "_WAIT_SECONDS", 0.01)
    yield
    DBOS.destroy(destroy_registry=True)


@pytest.mark.usefixtures("quick")
def test_a_queue_keeps_its_promises(sqlite: Database) -> None:
    """Submitted twice is played once; a job that is held is played on by whoever resumes it, and what its former
    holder does in the end does not count; faults are tried again, and given up with the last."""
    played: list[str] = []
    given_up: list[tuple[str, str]] = []
    hold = Event()

    def play(job: str) -> None:
        played.append(job)
        if job == "bad":
            raise ValueError("never")
        if job == "slow" and played.count("slow") == 1:
            hold.wait(WAIT)

    def give_up(job: str, fault: Exception) -> None:
        given_up.append((job, type(fault).__name__))

    queue = DbosQueue(sqlite, "worker-1", play, give_up)
    queue.submit("one")
    queue.submit("one")
    wait_until(lambda: not queue.progress())
    assert played == ["one"]
    queue.submit("bad")
    wait_until(lambda: bool(given_up))
    assert (played.count("bad"), [job for job, _ in given_up]) == (5, ["bad"])
    queue.submit("slow")
    wait_until(lambda: played.count("slow") == 1)
    assert queue.progress() == {"slow": Held("slow", "worker-1")}
    queue.submit("next")
    time.sleep(0.3)
    assert "next" not in played  # one job at a time
    queue.cancel("next")
    assert set(queue.progress()) == {"slow"}
    queue.resume("slow")
    hold.set()
    wait_until(lambda: played.count("slow") == 2 and not queue.progress())
    queue.submit("one")  # it was over, and is wanted again
    wait_until(lambda: played.count("one") == 2 and not queue.progress())
    queue.forget(datetime.now(UTC) - timedelta(hours=1))
    assert DBOS.get_workflow_status("one") is not None
    queue.forget(datetime.now(UTC) + timedelta(hours=1))
    assert DBOS.get_workflow_status("one") is None
    assert Path(f"{sqlite.path}.jobs").exists()


def test_one_module_alone_knows_dbos() -> None:
    root = Path(api.__file__).parent
    found = {
        str(path.relative_to(root))
        for path in root.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if (isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "dbos")
        or (isinstance(node, ast.Import) and any(name.name.split(".")[0] == "dbos" for name in node.names))
    }
    assert found == {"jobs/dbos_queue.py"}
