"""A reload (SIGHUP) of `macao serve` replaces its experiment workers too: docs/operation.md, «Reloading»."""

import contextlib
import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from api.config import Config
from api.db import Database
from api.jobs import hiring
from api.jobs.hiring import Staff
from tests.api.experiments.orders import digest
from tests.api.experiments.test_jobs import SLOW, placed, stopped, told, wait_until, workers_of
from tests.api.served import Served

LONG = {name: value for name, value in SLOW.items() if name != "grid"}
needs_proc = pytest.mark.skipif(
    not Path("/proc/self/task").exists(), reason="asks /proc for the processes of the server"
)


@pytest.mark.slow
@needs_proc
def test_a_running_experiment_goes_on_in_a_fresh_worker(
    sqlite_url: str, sqlite: Database, tmp_path: Path
) -> None:
    """Reloaded in the middle: every chunk is stored once, and the results are those of a run without it."""
    settings = {
        "MACAO_DATABASE_URL": sqlite_url,
        "MACAO_EXECUTOR_URL": "local:1",
        "MACAO_WORKER_LEASE": "3600",  # nobody may wait for a lease to run out
        "MACAO_EXPERIMENT_WORKERS": "1",
    }
    experiment = placed(sqlite, LONG)
    served = Served(tmp_path, **settings)
    try:
        wait_until(lambda: told(sqlite, experiment).done > 2)
        (old,) = workers_of(served.process.pid)
        playing = below(old)
        signal_all(playing, signal.SIGSTOP)  # a chunk is in hand until the fresh worker is there
        assert told(sqlite, experiment).status == "running"
        served.process.send_signal(signal.SIGHUP)
        wait_until(lambda: '"event": "worker replaced"' in served.log())
        signal_all(playing, signal.SIGCONT)
        wait_until(lambda: old not in workers_of(served.process.pid))
        assert told(sqlite, experiment).status == "running"
        wait_until(lambda: told(sqlite, experiment).status not in ("waiting", "running"))
        order = told(sqlite, experiment)
        assert (order.status, order.fault, order.done) == ("done", None, order.chunks)
        assert order.digest == digest(LONG)
        assert workers_of(served.process.pid) != [old]
    finally:
        assert stopped(served) == 0
    log = [json.loads(line) for line in served.log().splitlines()]
    assert [line["event"] for line in log if line["level"] in ("error", "critical")] == []
    assert workers_of(served.process.pid) == []


def below(process: int) -> list[int]:
    """The children of a process, and theirs."""
    children = Path(f"/proc/{process}/task").glob("*/children")
    found = [int(number) for path in children for number in path.read_text().split()]
    return found + [number for child in found for number in below(child)]


def signal_all(processes: list[int], number: int) -> None:
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, number)


class Clock:
    """The clock of the staff, set by the test."""

    def __init__(self) -> None:
        self.time = 1000.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(hiring, "monotonic", made)
    return made


WORKS = "import time; print('works', flush=True); time.sleep(600)"
FAILS = "raise SystemExit(1)"
HANGS = "import time; time.sleep(600)"
DEAF = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); " + WORKS


def hired(monkeypatch: pytest.MonkeyPatch, clock: Clock, program: str) -> tuple[Staff, Callable[[str], None]]:
    """A staff of one whose worker is this program, and a function that says what program the next ones are."""
    start = hiring.subprocess.Popen
    programs = [program]

    def popen(_command: list[str], **options: object) -> object:
        return start([sys.executable, "-c", programs[-1]], **options)  # type: ignore[call-overload]

    monkeypatch.setattr(hiring.subprocess, "Popen", popen)
    staff = Staff(Config(experiment_workers=1, graceful_timeout=1))
    clock.time += 2
    staff.see_to()
    return staff, programs.append


@pytest.mark.parametrize("program", [FAILS, HANGS])
def test_the_old_worker_goes_on_if_the_new_one_cannot_start(
    monkeypatch: pytest.MonkeyPatch, clock: Clock, program: str
) -> None:
    """One that ends at once, and one that does not get as far as to work within a minute."""
    staff, then = hired(monkeypatch, clock, WORKS)
    (old,) = staff._living()
    then(program)
    staff.replace()
    (heir,) = [process for process in staff._living() if process is not old] or [None]
    if program == FAILS and heir is not None:
        heir.wait(30)
    if program == HANGS:
        staff.see_to()
        assert set(staff._living()) == {old, heir}
        clock.time += 61
    staff.see_to()
    wait_until(lambda: staff._living() == [old])
    then(WORKS)
    staff.replace()  # a later reload may succeed

    def handed_over() -> bool:
        staff.see_to()
        return len(living := staff._living()) == 1 and living != [old]

    wait_until(handed_over)
    staff.dismiss()
    assert staff._living() == []


def test_an_old_worker_who_does_not_go_is_ended(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    """He has the time for what is in hand and five seconds more; then the fresh one is alone."""
    staff, then = hired(monkeypatch, clock, DEAF)
    (old,) = staff._living()
    wait_until(lambda: bool(old.stdout and old.stdout.read(1)))  # it is deaf by then
    then(WORKS)
    staff.replace()

    def told_to_go() -> bool:
        staff.see_to()
        return any(place.leaving for place in staff._places)

    wait_until(told_to_go)
    clock.time += 5
    staff.see_to()
    assert old.poll() is None
    clock.time += 2
    staff.see_to()
    assert old.wait(30) != 0
    staff.see_to()
    assert len(staff._living()) == 1
    staff.dismiss()
