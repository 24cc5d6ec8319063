"""Executors by their URLs: the same bits for any number of processes, on this machine and on Dask, whatever dies."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from analysis.errors import ExecutorError
from analysis.executors import ExecutorUrl, executor, parse
from analysis.experiment import Experiment
from analysis.outcomes import Outcomes
from analysis.runs import play, run, spec
from analysis.staking import Staking
from analysis.stops import Stops
from analysis.systems import StakeLimits
from api.cli import main

WAIT = 600  # seconds; far more than anything here takes
COIN = ["experiment", "--outcomes", "1:0.45,-1:0.55", "--unit", "1", "--limits", "1-50", "--bankroll", "20"]


@pytest.fixture(scope="module")
def coin() -> Experiment:
    return Experiment(
        Outcomes.parse("1:0.45,-1:0.55"),
        Staking("martingale", {"unit": 1}),
        50,
        Stops(coups=100),
        StakeLimits(1, 50),
        sessions=3200,
    )


@pytest.fixture(scope="module")
def alone(coin: Experiment) -> bytes:
    return run(coin).to_bytes()


@pytest.mark.parametrize("processes", [1, 2, pytest.param(8, marks=pytest.mark.slow)])
def test_the_same_bits_for_one_two_and_eight_processes(
    coin: Experiment, alone: bytes, processes: int
) -> None:
    with executor(f"local:{processes}") as pool:
        assert run(coin, executor=pool).to_bytes() == alone


def test_urls_say_how_many_processes_or_which_scheduler() -> None:
    assert parse("local:4") == ExecutorUrl(processes=4)
    assert parse("local:") == ExecutorUrl(processes=os.cpu_count() or 1)
    assert parse("dask://scheduler.example:8786") == ExecutorUrl(scheduler="tcp://scheduler.example:8786")
    assert parse("dask://[::1]:8786") == ExecutorUrl(scheduler="tcp://[::1]:8786")


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("ray://host:1", "names no executor: give local:, local:N"),
        ("", "names no executor"),
        ("local", "names no executor"),
        ("local:0", "1 to 256 processes"),
        ("local:257", "1 to 256 processes"),
        ("local:٣", "1 to 256 processes"),
        ("dask:host:8786", "dask://HOST:PORT"),
        ("dask://host", "dask://HOST:PORT"),
        ("dask://host:99999", "dask://HOST:PORT"),
        ("dask://user@host:8786", "dask://HOST:PORT"),
    ],
)
def test_other_urls_are_refused_with_what_would_be_right(url: str, words: str) -> None:
    with pytest.raises(ExecutorError, match=words), executor(url):
        pass


def test_the_command_refuses_what_cannot_be() -> None:
    found = CliRunner().invoke(main, [*COIN, "--coups", "10", "--executor", "ray://x:1"])
    assert found.exit_code == 2
    assert "names no executor" in found.output
    both = CliRunner().invoke(main, [*COIN, "--coups", "10", "--executor", "local:2", "--workers", "2"])
    assert "not both" in both.output
    from_environment = CliRunner().invoke(
        main, [*COIN, "--coups", "10"], env={"MACAO_EXECUTOR_URL": "ray://x:1"}
    )
    assert "names no executor" in from_environment.output


def test_a_missing_extra_is_told_with_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(ExecutorError, match=r"pip install 'macao\[dask\]'"),
        executor("dask://127.0.0.1:8786"),
    ):
        pass


def test_a_scheduler_that_does_not_answer_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analysis.executors.REACH_SECONDS", 1.0)
    with pytest.raises(ExecutorError, match="no Dask scheduler answers"), executor("dask://127.0.0.1:1"):
        pass


def test_processes_end_with_the_one_that_started_them(tmp_path: Path) -> None:
    """After kill -9 too, which no pool survives to tell them."""
    code = (
        "import os, time\n"
        "from analysis.executors import executor\n"
        "if __name__ == '__main__':\n"
        "    with executor('local:1') as pool:\n"
        "        print(pool.submit(os.getpid).result(), flush=True)\n"
        "        time.sleep(600)\n"
    )
    script = tmp_path / "pool.py"
    script.write_text(code)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    parent = subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True, env=environment)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    parent.kill()
    parent.wait(WAIT)
    parent.stdout.close()
    wait_until(lambda: not is_running(child))


def is_running(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


def wait_until(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + WAIT
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.05)


class Cluster:
    """A Dask scheduler with two workers, each a process of its own, on loopback."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self._folder = folder
        self.url = f"dask://127.0.0.1:{port}"
        self.scheduler = self._start(
            "scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"
        )
        options = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1"]
        options += ["--local-directory", str(folder)]
        self.workers = [self._start("worker", f"tcp://127.0.0.1:{port}", *options) for _ in range(2)]

    def _start(self, *words: str) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [Path(sys.executable).with_name("dask"), *words],
            cwd=self._folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def stop(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait(WAIT)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    pytest.importorskip("distributed", reason="the extra dask is not installed")
    made = Cluster(tmp_path_factory.mktemp("dask"))
    yield made
    made.stop()


def test_the_same_bits_on_dask_though_a_worker_is_killed_in_the_middle(
    cluster: Cluster, coin: Experiment, alone: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("analysis.executors.REACH_SECONDS", float(WAIT))  # they are just starting
    done: list[int] = []

    def kill_one(chunk: int, _: object) -> None:
        done.append(chunk)
        if len(done) == 4:
            cluster.workers[0].send_signal(signal.SIGKILL)

    with executor(cluster.url) as pool:
        pools = {pool.submit(os.getpid).result(WAIT) for _ in range(20)}
        assert pools <= {worker.pid for worker in cluster.workers}
        assert pool.submit(play, spec(coin), 0).result(WAIT) == play(spec(coin), 0)
        assert run(coin, executor=pool, on_chunk=kill_one).to_bytes() == alone
    assert cluster.workers[0].wait(WAIT) == -signal.SIGKILL
    assert sorted(done) == list(range(coin.chunks))


def test_the_command_plays_on_dask(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analysis.executors.REACH_SECONDS", float(WAIT))
    words = [*COIN, "--coups", "50", "--sessions", "1600", "--json"]
    there = CliRunner().invoke(main, [*words, "--executor", cluster.url])
    assert there.exit_code == 0, there.output
    assert there.stdout == CliRunner().invoke(main, words).stdout
