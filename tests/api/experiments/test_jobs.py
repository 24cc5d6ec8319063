"""Jobs: durable on SQLite and PostgreSQL, the same bits whatever is killed, and no worker that is gone keeps one."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from orders import COIN, digest
from sqlalchemy import select

from analysis.errors import BankrollError, ExecutorError
from api.cli import main
from api.config import Config
from api.db import Database
from api.jobs import store
from api.jobs.playing import Stopped, play
from api.jobs.queue import Held
from api.jobs.worker import CARETAKER, Worker
from api.models import ExperimentChunk, ExperimentOrder, Lease
from api.services import experiments, players
from api.services.errors import Busy, LimitReached, NotFound
from api.services.experiment_requests import prepare
from tests.api.deleting import asked_while_deleted
from tests.api.served import Served

WAIT = 600  # seconds; far more than anything here takes
SLOW: dict[str, Any] = {
    **COIN,
    "sessions": 120_000,
    "stops": {"coups": 400},
    "grid": {"bankroll": [40, 50, 60]},
}


def placed(database: Database, request: dict[str, Any], at_once: int = 10) -> str:
    """The id of an order for a request, of a player of its own."""
    now = datetime.now(UTC)
    with database.write() as session:
        player = players.create(session, "Ada", now, grant=0)["id"]
    with database.read() as session:
        prepared = prepare(session, player, request, lambda _: None)
    with database.write() as session:
        made = experiments.create(session, player, prepared, now, at_once=at_once, coups_a_day=10**12)
    identity: str = made["id"]
    return identity


def told(database: Database, experiment: str) -> ExperimentOrder:
    with database.read() as session:
        order = session.get(ExperimentOrder, experiment)
        assert order is not None
        return order


def wait_until(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + WAIT
    while not condition():
        assert time.monotonic() < until, "it takes too long"
        time.sleep(0.05)


def test_who_is_being_deleted_orders_nothing(
    postgresql_url: str, open_database: Callable[..., Database]
) -> None:
    """Both asked for at once, the deletion first: no experiment is kept, and played, for one who is gone."""
    database, now = open_database(postgresql_url), datetime.now(UTC)
    with database.write() as session:
        player = players.create(session, "Ada", now, grant=0)["id"]
    with database.read() as session:
        prepared = prepare(session, player, COIN, lambda _: None)

    answer = asked_while_deleted(
        database,
        player,
        now,
        lambda tx: experiments.create(tx, player, prepared, now, at_once=1, coups_a_day=10**12),
    )
    with pytest.raises(NotFound):
        answer.result()
    with database.read() as session:
        assert session.scalars(select(ExperimentOrder.id)).all() == []


class Here(Executor):
    """Plays in this thread, and counts."""

    def __init__(self) -> None:
        self.played: list[int] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.played.append(args[1])
        future.set_result(fn(*args, **kwargs))
        return future


def now() -> datetime:
    return datetime.now(UTC)


def stop_after(chunks: int) -> Callable[[], bool]:
    """Tells that a worker stops, once so many chunks are stored (the first look is before any)."""
    looks = iter([False] * chunks)
    return lambda: next(looks, True)


def test_what_is_stored_is_not_played_again(database: Database) -> None:
    """Interrupted after every third chunk: each is stored once, and the results are those of one run."""
    request = {**COIN, "grid": {"bankroll": [20, 50]}}
    experiment = placed(database, request)
    for runs in range(7):
        with pytest.raises(Stopped):
            play(database, experiment, Here(), now, stop_after(3))
        assert told(database, experiment).done == 3 * (runs + 1)
    last = Here()
    play(database, experiment, last, now)
    order = told(database, experiment)
    assert len(last.played) == order.chunks - 21
    with database.read() as session:
        assert session.scalars(select(ExperimentChunk.chunk)).all() == []
    assert (order.done, order.digest) == (order.chunks, digest(request))
    with pytest.raises(store.NoLongerWanted):
        play(database, experiment, Here(), now)


def test_two_who_play_the_same_experiment_do_no_harm(database: Database) -> None:
    """A worker that was taken to be dead goes on, chunk by chunk, beside the one in its place."""
    experiment = placed(database, COIN)

    class Beside(Here):
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
            if not self.played:
                with pytest.raises(Stopped):
                    play(database, experiment, Here(), now, stop_after(4))
            return super().submit(fn, *args, **kwargs)

    play(database, experiment, Beside(), now)
    order = told(database, experiment)
    assert (order.status, order.done, order.digest) == ("done", order.chunks, digest(COIN))


def test_what_kills_its_workers_fails_in_the_end(database: Database) -> None:
    experiment = placed(database, COIN)
    for _ in range(store.MOST_TRIES):
        assert store.take_up(database, experiment, now())
    assert store.take_up(database, experiment, now()) == []
    order = told(database, experiment)
    assert order.status == "failed"
    assert "20 times" in (order.fault or "")


def test_orders_of_one_player_at_the_same_time_do_not_pass_the_quota(database: Database) -> None:
    placed(database, COIN, at_once=1)
    with pytest.raises(LimitReached):
        placed_again(database)


def placed_again(database: Database) -> None:
    with database.read() as session:
        player = session.scalars(select(ExperimentOrder.player_id)).one()
        prepared = prepare(session, player, COIN, lambda _: None)
    with database.write() as session:
        experiments.create(session, player, prepared, now(), at_once=1, coups_a_day=10**12)


class Queue:
    """A queue in memory, which notes what it is told."""

    def __init__(self) -> None:
        self.jobs: dict[str, Held | None] = {}
        self.calls: list[tuple[str, str]] = []

    def submit(self, job: str) -> None:
        self.calls.append(("submit", job))
        self.jobs[job] = None

    def cancel(self, job: str) -> None:
        self.calls.append(("cancel", job))
        del self.jobs[job]

    def resume(self, job: str) -> None:
        self.calls.append(("resume", job))
        self.jobs[job] = None

    def forget(self, before: datetime) -> None:
        assert before < now()

    def progress(self) -> dict[str, Held | None]:
        return dict(self.jobs)


def worker_on(url: str, queue: Queue, clock: Callable[[], datetime]) -> Worker:
    worker = Worker(Config(database_url=url, worker_lease=10), clock)
    worker._open_queue = lambda: queue  # type: ignore[method-assign]
    return worker


def test_one_worker_brings_orders_and_queue_together(database_url: str, database: Database) -> None:
    """Submits what is ordered, cancels what is not wanted, resumes what is held by one whose lease ran out; the
    others leave that to it until its own lease runs out."""
    moment = [now()]
    queue = Queue()
    first, second = (worker_on(database_url, queue, lambda: moment[0]) for _ in range(2))
    first.look()
    second.look()
    assert queue.calls == []
    one, two = placed(database, COIN), placed(database, COIN)
    second.look()
    first.look()
    assert queue.calls == [("submit", one), ("submit", two)]
    ending = {"exp_ending": Held("exp_ending", first.name)}  # done, but its workflow is not quite
    queue.jobs = {one: Held(one, first.name), two: Held(two, second.name), "exp_gone": None, **ending}
    moment[0] += timedelta(seconds=9)
    second.look()
    first.look()
    assert queue.calls[2:] == [("cancel", "exp_gone")]
    moment[0] += timedelta(seconds=11)  # the second is not heard of any more, nor is its care
    first.look()
    assert queue.calls[3:] == [("resume", two)]
    with database.read() as session:
        leases = {row.name: row.holder for row in session.scalars(select(Lease))}
    assert set(leases) >= {CARETAKER, f"worker:{first.name}"}
    assert leases[CARETAKER] == leases[f"worker:{first.name}"]
    for worker in (first, second):
        worker.database.dispose()


class Crew:
    """Processes of `macao worker`."""

    def __init__(self, folder: Path, url: str) -> None:
        self.folder = folder
        self.environment = {
            name: value for name, value in os.environ.items() if not name.startswith("MACAO_")
        }
        self.environment |= {
            "MACAO_DATABASE_URL": url,
            "MACAO_EXECUTOR_URL": "local:1",
            "MACAO_WORKER_LEASE": "2",
            "PYTHONPATH": os.pathsep.join(sys.path),
        }
        self.running: list[subprocess.Popen[bytes]] = []

    def start(self) -> "subprocess.Popen[bytes]":
        with (self.folder / "worker.log").open("ab") as log:
            command = [sys.executable, "-m", "api", "worker"]
            self.running.append(
                subprocess.Popen(command, env=self.environment, cwd=self.folder, stdout=log, stderr=log)
            )
        return self.running[-1]

    def log(self) -> str:
        return (self.folder / "worker.log").read_text()


@pytest.fixture
def crew(tmp_path: Path) -> Iterator[Callable[[str], Crew]]:
    made: list[Crew] = []

    def hire(url: str) -> Crew:
        made.append(Crew(tmp_path, url))
        return made[-1]

    yield hire
    for each in made:
        for process in each.running:
            process.kill()
            process.wait(WAIT)


@pytest.mark.slow
def test_five_kills_at_random_points_change_no_bit(
    sqlite_url: str, sqlite: Database, crew: Callable[[str], Crew]
) -> None:
    """kill -9 of the worker after a random number of chunks and a random moment; each time another is started."""
    seed = int(os.environ.get("KILL_SEED", "20261130"))
    rng = random.Random(seed)
    print(f"KILL_SEED={seed}")
    experiment, workers = placed(sqlite, SLOW), crew(sqlite_url)
    chunks = told(sqlite, experiment).chunks
    points = sorted(rng.sample(range(1, chunks - 5), 5))
    worker = workers.start()
    for point in points:
        wait_until(lambda point=point: told(sqlite, experiment).done >= point)  # type: ignore[misc]
        time.sleep(rng.uniform(0, 0.1))
        worker.kill()
        worker.wait(WAIT)
        order = told(sqlite, experiment)
        print(f"killed at {point}: {order.status}, {order.done} of {order.chunks} chunks")
        assert order.status in ("running", "done")
        worker = workers.start()
    wait_until(lambda: told(sqlite, experiment).status not in ("waiting", "running"))
    order = told(sqlite, experiment)
    assert (order.status, order.fault) == ("done", None)
    assert (order.done, order.digest) == (chunks, digest(SLOW))
    assert "worker gone" in workers.log()
    assert "Traceback" not in workers.log(), workers.log()
    worker.terminate()
    assert worker.wait(WAIT) == 0


def test_a_worker_is_replaced_cancelled_jobs_end_and_stopping_is_clean(
    sqlite_url: str, sqlite: Database, crew: Callable[[str], Crew]
) -> None:
    """One is told to stop in the middle: it gives its lease back, and another goes on at once; cancelling frees it."""
    workers = crew(sqlite_url)
    workers.environment["MACAO_WORKER_LEASE"] = "3600"  # nobody may wait for a lease to run out
    first, second = placed(sqlite, SLOW), placed(sqlite, {**SLOW, "sessions": 600_000})
    one = workers.start()
    wait_until(lambda: told(sqlite, first).done > 2)
    one.send_signal(signal.SIGTERM)
    assert one.wait(WAIT) == 0
    kept = told(sqlite, first).done
    two = workers.start()
    wait_until(lambda: told(sqlite, first).status == "done")
    assert 2 < kept <= told(sqlite, first).chunks
    assert told(sqlite, first).digest == digest(SLOW)
    wait_until(lambda: told(sqlite, second).done > 0)
    with sqlite.write() as session:
        experiments.cancel(session, told(sqlite, second).player_id, second, now())
    third = placed(sqlite, COIN)
    wait_until(lambda: told(sqlite, third).status == "done")
    assert told(sqlite, second).status == "cancelled"
    assert told(sqlite, third).digest == digest(COIN)
    two.send_signal(signal.SIGINT)
    assert two.wait(WAIT) == 0
    with sqlite.read() as session:
        assert not session.scalars(select(Lease)).all()
    assert "Traceback" not in workers.log(), workers.log()


def workers_of(process: int) -> list[int]:
    """The workers that a service started."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            words = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if parent == process and b"worker" in words:
            found.append(int(entry.name))
    return found


def stopped(served: Served) -> int:
    """The exit code of a service that is told to stop, however long a chunk takes."""
    served.process.terminate()
    return served.process.wait(WAIT)


@pytest.mark.slow
def test_a_service_on_postgresql_starts_its_worker_again_and_goes_on_after_a_restart(
    postgresql_url: str, tmp_path: Path, open_database: Callable[[str], Database]
) -> None:
    """kill -9 of the worker that `macao serve` started; then the service itself is stopped and started again."""
    database = open_database(postgresql_url)
    settings = {
        "MACAO_DATABASE_URL": postgresql_url,
        "MACAO_EXECUTOR_URL": "local:1",
        "MACAO_WORKER_LEASE": "2",
        "MACAO_EXPERIMENT_WORKERS": "1",
    }
    experiment = placed(database, SLOW)
    served = Served(tmp_path, **settings)
    try:
        wait_until(lambda: told(database, experiment).done > 2)
        (killed,) = workers_of(served.process.pid)
        os.kill(killed, signal.SIGKILL)
        wait_until(lambda: bool(set(workers_of(served.process.pid)) - {killed}))
        assert stopped(served) == 0
        assert told(database, experiment).status == "running"
        served = Served(tmp_path, **settings)
        wait_until(lambda: told(database, experiment).status != "running")
        order = told(database, experiment)
        assert (order.status, order.digest) == ("done", digest(SLOW))
    finally:
        if served.process.poll() is None:
            assert stopped(served) == 0
    assert workers_of(served.process.pid) == []


def test_a_worker_waits_for_an_executor_that_is_away(
    database_url: str, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The experiment neither fails nor is given back meanwhile."""
    tries: list[str] = []

    @contextmanager
    def coming(url: str) -> Iterator[Executor]:
        tries.append(url)
        if len(tries) < 3:
            raise ExecutorError("no Dask scheduler answers")
        yield Here()

    monkeypatch.setattr("api.jobs.worker.executor", coming)
    monkeypatch.setattr("api.jobs.worker._UNREACHED_SECONDS", 0.01)
    experiment = placed(database, COIN)
    worker = Worker(Config(database_url=database_url, executor_url="dask://127.0.0.1:1"))
    worker._play(experiment)
    assert tries == ["dask://127.0.0.1:1"] * 3
    assert told(database, experiment).status == "done"
    worker._play(experiment)  # handed out once more: nothing is done
    assert told(database, experiment).digest == digest(COIN)
    worker.database.dispose()


def test_an_outage_of_the_database_fails_no_experiment(
    database_url: str, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However often it is not reached, more often than the queue would try: it goes on from what is stored."""
    keep, tries = store.keep, []

    def keep_sometimes(*given: Any) -> None:
        tries.append(given)
        if len(tries) < 9:
            raise Busy("not reached")
        keep(*given)

    @contextmanager
    def here(url: str) -> Iterator[Executor]:
        yield Here()

    monkeypatch.setattr(store, "keep", keep_sometimes)
    monkeypatch.setattr("api.jobs.worker.executor", here)
    monkeypatch.setattr("api.jobs.worker._UNREACHED_SECONDS", 0.01)
    experiment = placed(database, COIN)
    worker = Worker(Config(database_url=database_url))
    worker._play(experiment)
    order = told(database, experiment)
    assert (order.status, order.digest) == ("done", digest(COIN))
    worker.database.dispose()


def test_what_cannot_be_played_fails_with_the_reason(database_url: str, database: Database) -> None:
    experiment = placed(database, COIN)
    worker = Worker(Config(database_url=database_url))
    worker._give_up(experiment, BankrollError("there is no such figure"))
    order = told(database, experiment)
    assert (order.status, order.fault) == ("failed", "there is no such figure")
    other = placed(database, COIN)
    worker._give_up(other, ZeroDivisionError("of a secret"))
    assert told(database, other).fault == "a fault of the service (ZeroDivisionError)"
    worker._give_up(experiment, ZeroDivisionError())  # over already
    assert told(database, experiment).fault == "there is no such figure"
    worker.database.dispose()


def test_a_worker_refuses_what_cannot_be_at_its_start(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("analysis.executors.REACH_SECONDS", 1.0)
    words = ["worker", "--database", sqlite_url, "--executor"]
    unknown = CliRunner().invoke(main, [*words, "ray://127.0.0.1:1"])
    assert unknown.exit_code == 2
    assert "MACAO_EXECUTOR_URL: must be local:, local:N (processes) or dask://HOST:PORT" in unknown.output
    away = CliRunner().invoke(main, [*words, "dask://127.0.0.1:1"])
    assert away.exit_code == 1
    assert away.output.startswith(
        "Error: MACAO_EXECUTOR_URL: no Dask scheduler answers at dask://127.0.0.1:1"
    )
