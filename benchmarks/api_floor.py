"""Stake and decide over HTTP beside a bare Flask + SQLAlchemy Core app (one insert, one update), in one run.

Both are served by gunicorn with the same workers and threads, both on the same kind of database with the same
durability: SQLite in WAL mode with `synchronous=FULL`, PostgreSQL as it comes. 16 kept-alive connections on loopback,
each a player at a table of his own; a request of ours beside a request of the bare app. Also a read of a table's view
beside a constant JSON answer. Ours is measured once it has loaded what it loads after its start. Prints requests/s,
p50, p99 and the server's processor time a request (its database's processes not counted) of both, and the ratios.
`--seconds` bounds each phase.

To reach (requests for request): writes at 0.3 of the bare app or more, p99 at most three times its p99; reads at 0.4.

    python benchmarks/api_floor.py [--seconds 8] [--database sqlite|postgresql|both]
"""

import argparse
import json
import os
import platform
import statistics
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import version
from pathlib import Path

from flask import Flask, jsonify, request
from sqlalchemy import (
    Column,
    Integer,
    MetaData,
    String,
    Table,
    create_engine,
    event,
    func,
    insert,
    select,
    update,
)

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks._loopback import (  # noqa: E402
    KINDS,
    Connection,
    databases,
    free_port,
    processor_seconds,
    served,
    settle,
)

CONNECTIONS = 16
WORKERS, THREADS = 2, 24


def floor() -> Flask:
    """The bare app: a POST makes one insert and one update in one transaction, a GET answers a constant."""
    engine = create_engine(os.environ["FLOOR_DATABASE_URL"])

    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _prepare)
        event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))

    metadata = MetaData()
    entries = Table("entries", metadata, Column("id", Integer, primary_key=True), Column("what", String))
    totals = Table("totals", metadata, Column("id", Integer, primary_key=True), Column("n", Integer))
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(select(func.pg_advisory_xact_lock(1)))  # of two workers one creates
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


def _prepare(connection, _record) -> None:
    connection.isolation_level = None
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=10000"):
        connection.execute(f"PRAGMA {pragma}")


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


def load(server: int, port: int, jobs: list[tuple[str, str]], seconds: float, kind: str) -> dict[str, float]:
    """Requests/s, latencies and what a request takes of the server's processors, driven from two processes."""
    before = processor_seconds(server)
    with ProcessPoolExecutor(2) as pool:
        halves = [pool.submit(drive, port, jobs[half::2], seconds, kind) for half in range(2)]
        latencies = sorted(value for half in halves for value in half.result())
    return {
        "rps": len(latencies) / seconds,
        "p50": statistics.median(latencies) * 1000,
        "p99": latencies[int(len(latencies) * 0.99)] * 1000,
        "cpu": (processor_seconds(server) - before) / len(latencies) * 1000,
    }


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


def measure(kind: str, seconds: float) -> dict[str, dict[str, float]]:
    """Both servers one after the other, in the order bare, ours, bare: the better bare run counts."""
    results: dict[str, dict[str, float]] = {}
    with databases(kind) as make:
        for label in ("bare", "macao", "bare again"):
            url = make(label.replace(" ", "_"))
            found = ours(url, seconds) if label == "macao" else bare(url, seconds)
            results |= {f"{label} {what}": row for what, row in found.items()}
    return results


def bare(url: str, seconds: float) -> dict[str, dict[str, float]]:
    """The bare app under gunicorn, as many workers and threads as ours has."""
    port = free_port()
    command = [sys.executable, "-m", "gunicorn", "-k", "gthread", "-w", str(WORKERS)]
    command += ["--threads", str(THREADS), "-b", f"127.0.0.1:{port}"]
    command += ["--pythonpath", str(ROOT), "benchmarks.api_floor:floor()"]
    with served(command, {"FLOOR_DATABASE_URL": url}, port, "/read") as server:
        load(server, port, [("-", "/write")] * CONNECTIONS, 1, "write")
        return {
            "write": load(server, port, [("-", "/write")] * CONNECTIONS, seconds, "write"),
            "read": load(server, port, [("-", "/read")] * CONNECTIONS, seconds, "read"),
        }


def ours(url: str, seconds: float) -> dict[str, dict[str, float]]:
    """`macao serve`: stakes and decisions at a table for each connection, then views of it."""
    port = free_port()
    environment = {
        "MACAO_DATABASE_URL": url.replace("+psycopg", ""),
        "MACAO_BIND": f"127.0.0.1:{port}",
        "MACAO_WORKERS": str(WORKERS),
        "MACAO_THREADS": str(THREADS),
        "MACAO_OPENING_GRANT": "1000000",
    }
    with served(
        [str(Path(sys.executable).with_name("macao")), "serve"], environment, port, "/livez"
    ) as server:
        settle(server)
        jobs = open_tables(port)
        actions = [(key, f"{path}/actions") for key, path in jobs]
        load(server, port, actions, 1, "write")
        return {
            "write": load(server, port, actions, seconds, "write"),
            "read": load(server, port, jobs, seconds, "read"),
        }


def show(kind: str, results: dict[str, dict[str, float]]) -> None:
    """Print the rows of both, and the ratios."""
    print(f"== {kind}")
    for name, row in results.items():
        times = f"p50 {row['p50']:6.1f} ms   p99 {row['p99']:6.1f} ms   processor {row['cpu']:5.2f} ms"
        print(f"{name:18} {row['rps']:8.0f} requests/s   {times}")
    for what, floor_ratio in (("write", 0.3), ("read", 0.4)):
        best = max(results[f"bare {what}"], results[f"bare again {what}"], key=lambda row: row["rps"])
        mine = results[f"macao {what}"]
        ratio, tail = mine["rps"] / best["rps"], mine["p99"] / best["p99"]
        work = best["cpu"] / mine["cpu"]
        print(
            f"{what}: {ratio:.2f} of the bare app (to reach {floor_ratio}), p99 {tail:.1f} times its p99;"
            f" by the server's processor time alone {work:.2f}"
        )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=8, help="length of each phase")
    parser.add_argument("--database", choices=(*KINDS, "both"), default="both")
    wanted = parser.parse_args()
    versions = " ".join(f"{name} {version(name)}" for name in ("flask", "sqlalchemy", "psycopg", "gunicorn"))
    print(f"Python {platform.python_version()}, {versions}; {CONNECTIONS} connections, {WORKERS} workers")
    for kind in KINDS if wanted.database == "both" else (wanted.database,):
        show(kind, measure(kind, wanted.seconds))


if __name__ == "__main__":
    main()
