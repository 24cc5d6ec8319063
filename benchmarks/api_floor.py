"""Stake and decide over HTTP beside a bare Flask + SQLAlchemy Core app (one insert, one update), in one run.

Both are served by gunicorn with the same workers and threads, both on SQLite in WAL mode; 16 kept-alive
connections on loopback, each a player at a table of his own. Also a read of a table's view beside a constant
JSON answer. Prints requests/s, p50 and p99 of both and the ratios. `--seconds` bounds each phase.

To reach (requests for request): writes at 0.3 of the bare app or more, p99 at most three times its p99; reads at 0.4.
"""

import argparse
import json
import os
import platform
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

from flask import Flask, jsonify, request
from sqlalchemy import Column, Integer, MetaData, String, Table, create_engine, event, insert, select, update

CONNECTIONS = 16
WORKERS, THREADS = 2, 24


def floor() -> Flask:
    """The bare app: a POST makes one insert and one update in one transaction, a GET answers a constant."""
    engine = create_engine(os.environ["FLOOR_DATABASE_URL"])

    @event.listens_for(engine, "connect")
    def _wal(connection, _record):
        connection.isolation_level = None
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA busy_timeout=10000")

    @event.listens_for(engine, "begin")
    def _begin(connection):
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    metadata = MetaData()
    entries = Table("entries", metadata, Column("id", Integer, primary_key=True), Column("what", String))
    totals = Table("totals", metadata, Column("id", Integer, primary_key=True), Column("n", Integer))
    with engine.begin() as connection:
        metadata.create_all(connection)
        if connection.execute(select(totals.c.n).where(totals.c.id == 1)).first() is None:
            connection.execute(insert(totals).values(id=1, n=0))
    app = Flask(__name__)
    constant = {
        "id": "tbl_0",
        "phase": "stakes",
        "seats": [{"seat": 0, "stake": 10}] * 2,
        "legal": ["stand", "draw"],
    }

    @app.post("/write")
    def write():
        what = request.get_json()["action"]
        with engine.begin() as connection:
            connection.execute(insert(entries).values(what=what))
            connection.execute(update(totals).where(totals.c.id == 1).values(n=totals.c.n + 1))
        return jsonify(constant)

    @app.get("/read")
    def read():
        return jsonify(constant)

    return app


class Connection:
    """One kept-alive HTTP connection: `call` sends a request and returns (status, body)."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file = self.socket.makefile("rb")

    def call(self, method: str, path: str, key: str, body: bytes = b"") -> tuple[int, bytes]:
        head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\n"
        if body:
            head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        self.socket.sendall(head.encode() + b"\r\n" + body)
        status = int(self.file.readline().split()[1])
        length = 0
        while line := self.file.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        return status, self.file.read(length)


def drive(port: int, jobs: list[tuple[str, str]], seconds: float, kind: str) -> list[float]:
    """Run one connection per job (key, table path) in threads for a bounded time; returns latencies in seconds."""
    found: list[float] = []
    deadline = time.perf_counter() + seconds

    def one(key: str, path: str) -> None:
        connection, mine, turn = Connection(port), [], 0
        while (start := time.perf_counter()) < deadline:
            if kind == "read":
                status, body = connection.call("GET", path, key)
            else:
                action = ("stake 10", "stand")[turn % 2]
                status, body = connection.call("POST", path, key, b'{"action": "%s"}' % action.encode())
                turn += 1
            mine.append(time.perf_counter() - start)
            if status != 200:
                raise SystemExit(f"{kind}: unexpected {status} {body[:300]!r}")
        found.extend(mine)

    threads = [threading.Thread(target=one, args=job) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def load(port: int, jobs: list[tuple[str, str]], seconds: float, kind: str) -> dict[str, float]:
    """Requests/s and latencies of all connections, driven from two processes."""
    with ProcessPoolExecutor(2) as pool:
        halves = [pool.submit(drive, port, jobs[half::2], seconds, kind) for half in range(2)]
        latencies = sorted(value for half in halves for value in half.result())
    return {
        "rps": len(latencies) / seconds,
        "p50": statistics.median(latencies) * 1000,
        "p99": latencies[int(len(latencies) * 0.99)] * 1000,
    }


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def served(command: list[str], environment: dict[str, str], port: int, ready: str) -> Iterator[None]:
    """A server in a process group of its own, stopped at the end."""
    server = subprocess.Popen(
        command,
        env=os.environ | environment,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(f"http://127.0.0.1:{port}{ready}", server)
        yield
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(30)


def wait_for(url: str, server: "subprocess.Popen[bytes]") -> None:
    for _ in range(300):
        try:
            urllib.request.urlopen(url, timeout=1).close()
            return
        except OSError:
            if server.poll() is not None:
                raise SystemExit(f"the server ended with {server.returncode}") from None
            time.sleep(0.1)
    raise SystemExit(f"nothing answers at {url}")


def open_tables(port: int) -> list[tuple[str, str]]:
    """A player and a house table for each connection: (key, path of its table)."""
    jobs = []
    for number in range(CONNECTIONS):
        connection = Connection(port)
        _, body = connection.call("POST", "/v1/players", "", json.dumps({"name": f"load {number}"}).encode())
        key = json.loads(body)["api_key"]
        _, body = connection.call("POST", "/v1/tables", key, b'{"game": "house"}')
        jobs.append((key, f"/v1/tables/{json.loads(body)['id']}"))
    return jobs


def measure(folder: Path, seconds: float) -> dict[str, dict[str, float]]:
    """Both servers one after the other, in the order bare, ours, bare: the better bare run counts."""
    results: dict[str, dict[str, float]] = {}
    runs: list[tuple[str, Callable[[], None]]] = []

    def bare(label: str) -> None:
        port = free_port()
        command = [
            sys.executable,
            "-m",
            "gunicorn",
            "-k",
            "gthread",
            "-w",
            str(WORKERS),
            "--threads",
            str(THREADS),
        ]
        command += [
            "-b",
            f"127.0.0.1:{port}",
            "--pythonpath",
            str(Path(__file__).parent),
            "api_floor:floor()",
        ]
        environment = {"FLOOR_DATABASE_URL": f"sqlite:///{folder}/{label}.db"}
        with served(command, environment, port, "/read"):
            load(port, [("-", "/write")] * CONNECTIONS, 1, "write")
            results[f"{label} write"] = load(port, [("-", "/write")] * CONNECTIONS, seconds, "write")
            results[f"{label} read"] = load(port, [("-", "/read")] * CONNECTIONS, seconds, "read")

    def ours() -> None:
        port = free_port()
        environment = {
            "MACAO_DATABASE_URL": f"sqlite:///{folder}/macao.db",
            "MACAO_BIND": f"127.0.0.1:{port}",
            "MACAO_WORKERS": str(WORKERS),
            "MACAO_THREADS": str(THREADS),
        }
        with served([str(Path(sys.executable).with_name("macao")), "serve"], environment, port, "/livez"):
            jobs = open_tables(port)
            actions = [(key, f"{path}/actions") for key, path in jobs]
            load(port, actions, 1, "write")
            results["macao write"] = load(port, actions, seconds, "write")
            results["macao read"] = load(port, jobs, seconds, "read")

    runs = [("bare", lambda: bare("bare")), ("macao", ours), ("bare again", lambda: bare("bare again"))]
    for _, run in runs:
        run()
    return results


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=8, help="length of each phase")
    seconds = parser.parse_args().seconds
    versions = " ".join(f"{name} {version(name)}" for name in ("flask", "sqlalchemy", "gunicorn"))
    print(f"Python {platform.python_version()}, {versions}; {CONNECTIONS} connections, {WORKERS} workers")
    with tempfile.TemporaryDirectory() as folder:
        results = measure(Path(folder), seconds)
    for name, row in results.items():
        print(f"{name:18} {row['rps']:8.0f} requests/s   p50 {row['p50']:6.1f} ms   p99 {row['p99']:6.1f} ms")
    for kind, floor_ratio in (("write", 0.3), ("read", 0.4)):
        best = max(results[f"bare {kind}"], results[f"bare again {kind}"], key=lambda row: row["rps"])
        ratio, tail = (
            results[f"macao {kind}"]["rps"] / best["rps"],
            results[f"macao {kind}"]["p99"] / best["p99"],
        )
        print(f"{kind}: {ratio:.2f} of the bare app (to reach {floor_ratio}), p99 {tail:.1f} times its p99")


if __name__ == "__main__":
    main()
