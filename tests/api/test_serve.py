"""`macao serve` as a process of its own, and what importing the service loads."""

import gc
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from gunicorn.config import Config

from api.server import Worker, keep_to_a_processor
from tests.api.served import WAIT, Served


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Served]]:
    running: list[Served] = []

    def start(**settings: str) -> Served:
        running.append(Served(tmp_path, **settings))
        return running[-1]

    yield start
    for served in running:
        served.close()


def test_it_starts_greets_serves_stops_and_goes_on(serve: Callable[..., Served], tmp_path: Path) -> None:
    served = serve()
    assert served.greeting[0].startswith("Macao is listening on http://127.0.0.1:")
    assert served.greeting[1] == f"Documentation: {served.url}/docs\n"
    assert (tmp_path / "var" / "macao.db").exists()
    # The first request is ready to be pasted.
    command = served.greeting[3].strip()
    pasted = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=WAIT, check=True)
    player = json.loads(pasted.stdout)
    assert player["balance"] == 1000
    key = {"Authorization": f"Bearer {player['api_key']}"}
    status, _, body = served.ask("GET", "/readyz")
    assert (status, json.loads(body)["ready"]) == (200, True)
    assert served.ask("GET", "/docs")[0] == 200
    assert served.stop() == 0
    # A later start goes on where this one stopped; Ctrl+C stops as well.
    again = serve()
    status, _, body = again.ask("GET", "/v1/players/me", **key)
    assert (status, json.loads(body)["id"]) == (200, player["id"])
    again.ask("GET", "/livez", **{"X-Request-Id": "the-last-one"})
    assert again.stop(signal.SIGINT) == 0
    assert '"the-last-one"' in again.log(), "lines of requests that were still to be written"
    assert player["api_key"] not in again.log()
    for line in again.log().splitlines():
        json.loads(line)


def test_what_is_no_http_is_a_problem_too(serve: Callable[..., Served]) -> None:
    served = serve()
    cases = [
        (b"NONSENSE\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n", 400),
        (b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", 414),
        (b"GET / HTTP/1.1\r\nHost: x\r\nX-Long: " + b"a" * 20000 + b"\r\n\r\n", 431),
        (b"POST /v1/players HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: zigzag\r\n\r\n", 501),
    ]
    for data, status in cases:
        head, _, body = served.raw(data).partition(b"\r\n\r\n")
        problem = json.loads(body)
        assert head.startswith(f"HTTP/1.1 {status} ".encode())
        assert b"content-type: application/problem+json" in head.lower()
        assert (problem["status"], problem["code"]) == (status, "bad_request")
        assert problem["request_id"].encode() in head
        assert problem["request_id"] in served.log()
    chunked = (
        b"POST /v1/players HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n"
        b'Transfer-Encoding: chunked\r\n\r\nf\r\n{"name": "Ada"}\r\n0\r\n\r\n'
    )
    assert served.raw(chunked).startswith(b"HTTP/1.1 201 ")
    assert served.stop() == 0


def run(*arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MACAO_")}
    return subprocess.run(
        [sys.executable, "-m", "api", *arguments],
        env=environment | settings | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=WAIT,
        check=False,
    )


class Hasty(Served):
    """One that waits half a second for a request."""

    command = (
        "-c",
        "import api.server; api.server._READ_SECONDS = 0.5; from api.cli import main; main(['serve'])",
    )


@pytest.mark.parametrize("body", [b"", b'{"name": '])
def test_clients_that_never_end_their_requests_do_not_stop_the_service(tmp_path: Path, body: bytes) -> None:
    """More of them than threads, in the head or in the body: their threads are free again when time is up."""
    served = Hasty(tmp_path, MACAO_THREADS="2", MACAO_MAX_WAITERS="1")
    begun = (
        b"POST /v1/players HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 99\r\n"
    )
    slow = [socket.create_connection(("127.0.0.1", served.port), timeout=WAIT) for _ in range(6)]
    try:
        for client in slow:
            client.sendall(begun + (b"\r\n" + body if body else b""))
        assert served.ask("GET", "/livez")[0] == 200
        assert all(b" 200 " not in client.recv(100) for client in slow)  # hung up, or refused
        assert served.stop() == 0
        assert "Traceback" not in served.log()
    finally:
        for client in slow:
            client.close()
        served.close()


def test_a_busy_port_is_told_in_one_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        database = f"sqlite:///{tmp_path}/x.db"
        found = run("serve", "--bind", f"127.0.0.1:{port}", "--database-url", database)
    assert found.returncode == 1
    (line,) = found.stderr.splitlines()
    assert line.startswith(f"Error: cannot listen on 127.0.0.1:{port}: ")
    assert "MACAO_BIND" in line
    assert not (tmp_path / "x.db").exists()


def test_settings_that_cannot_be_are_told_all_at_once() -> None:
    found = run("serve", "--threads", "none", MACAO_BIND="nowhere", MACAO_COLOUR="red")
    assert found.returncode == 2
    lines = [line.strip() for line in found.stderr.splitlines() if line.startswith("  ")]
    assert [line.split(":")[0] for line in lines] == ["MACAO_COLOUR", "MACAO_BIND", "MACAO_THREADS"]
    assert "Traceback" not in found.stderr


def test_a_storage_whose_client_is_not_installed_is_told_in_one_line() -> None:
    found = run("serve", "--rate-storage", "memcached://127.0.0.1:1", "--bind", "127.0.0.1:0")
    assert found.returncode == 1
    (line,) = found.stderr.splitlines()
    assert line.startswith("Error: MACAO_RATE_STORAGE: ")
    assert "«pip install 'macao[redis]'»" in line


def test_a_database_that_cannot_be_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for url in (f"sqlite:///{tmp_path}/file/x.db", "postgresql://nobody@127.0.0.1:1/none"):
        found = run("migrate", "--database", url)
        assert found.returncode == 1
        (line,) = found.stderr.splitlines()
        assert line.startswith("Error: the database of MACAO_DATABASE_URL cannot be used: ")


def test_what_is_no_database_is_told_in_one_line_with_the_reason_and_no_password(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no database")
    for url, why in (
        (f"sqlite:///{tmp_path}/file", "file is not a database"),
        ("postgresql://nobody:9aKc2x@127.0.0.1:1/none", "port 1 failed: Connection refused"),
    ):
        found = run("ledger", "check", "--database", url)
        assert found.returncode == 1
        (line,) = found.stderr.splitlines()
        assert line.startswith("Error: the database ")
        assert why in line
        assert "9aKc2x" not in line


def test_migrate_makes_what_plain_gunicorn_needs(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path}/x.db"
    assert run("migrate", "--database", database).returncode == 0
    code = "import wsgi; print(wsgi.app.test_client().get('/readyz').json['ready'])"
    found = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"MACAO_DATABASE_URL": database},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=WAIT,
        check=False,
    )
    assert found.stdout.strip() == "True", found.stderr


def test_the_service_loads_neither_numba_nor_scipy(tmp_path: Path) -> None:
    code = (
        "import sys; from api import create_app; from api.config import Config;"
        f"app = create_app(Config(database_url='sqlite:///{tmp_path}/x.db'));"
        "app.test_client().get('/v1/games');"
        "heavy = ('numba', 'scipy', 'numpy', 'dbos', 'distributed', 'analysis.exact');"
        "print([name for name in heavy if name in sys.modules])"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=WAIT, check=True
    )
    assert found.stdout.strip() == "[]"


def test_importing_the_package_loads_no_web_framework() -> None:
    code = (
        "import sys, api, api.cli; print([name for name in ('flask', 'sqlalchemy') if name in sys.modules])"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=WAIT, check=True
    )
    assert found.stdout.strip() == "[]"


@pytest.mark.skipif(sys.platform != "linux", reason="processors are chosen on Linux only")
@pytest.mark.parametrize("workers", [1, 2, 3])
def test_a_process_for_each_processor_keeps_to_its_own(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With fewer processes than processors the system places them; with more two share one."""
    kept: list[set[int]] = []
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {4, 7})
    monkeypatch.setattr(os, "sched_setaffinity", lambda _, to: kept.append(to))
    for place in range(workers):
        keep_to_a_processor(place, workers)
    assert kept == ([] if workers == 1 else [{4}, {7}, {4}][:workers])


def test_workers_have_places_of_their_own_as_long_as_they_live() -> None:
    """Of two, the one that comes for one that died takes its place; at a reload each place is taken twice."""
    config = Config()

    def made(age: int) -> Worker:
        return Worker(age, os.getpid(), [], None, 30, config, None)

    config.set("workers", 2)
    first, second = made(1), made(2)
    assert (first._place, second._place) == (0, 1)
    del first
    gc.collect()
    assert made(3)._place == 0
    gc.collect()
    third = made(4)
    assert third._place == 0
    fresh = [made(5), made(6)]
    assert [worker._place for worker in fresh] == [0, 1]
