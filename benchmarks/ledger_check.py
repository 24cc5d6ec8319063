"""The audit of the ledger beside its floor: reading the same rows and hashing them, with nothing checked.

Builds a ledger of `--n` transfers (default 200,000) through `ledger.post`, some hundred at a time, between players and
the house, on SQLite, PostgreSQL or both; then times the floor and `audit.check` in one run. To reach: a million in
seconds.

    python benchmarks/ledger_check.py [--n 1000000] [--database sqlite|postgresql|both]
"""

import argparse
import hashlib
import platform
import random
import resource
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from sqlalchemy import text

from api.db import Database, migrate
from api.ids import new_id
from api.models import HOUSE, MINT, Player
from api.services import ledger
from api.services.audit import Report, check
from benchmarks._loopback import KINDS, databases

PLAYERS = 1_000
BATCH = 500
READ_AT_ONCE = 5_000


def build(database: Database, n: int) -> None:
    """A ledger of n transfers: grants first, then chips to and fro."""
    migrate(database)
    now = datetime.now(UTC)
    rng = random.Random(1)
    with database.write() as session:
        names = [new_id("ply", now) for _ in range(PLAYERS)]
        session.add_all(Player(id=name, name="player", created_at=now) for name in names)
        session.flush()
        wallets = [ledger.open_wallet(session, name, now) for name in names]
        grants = [ledger.Entry(MINT, wallet, 100_000, "opening_grant") for wallet in wallets]
        ledger.post(session, grants, now)
    for start in range(PLAYERS, n, BATCH):
        entries = []
        for _ in range(min(BATCH, n - start) // 2):
            wallet, chips = rng.choice(wallets), rng.randrange(1, 100)
            entries += [
                ledger.Entry(wallet, HOUSE, chips, "stake"),
                ledger.Entry(HOUSE, wallet, chips, "won"),
            ]
        with database.write() as session:
            ledger.post(session, entries, datetime.now(UTC))


def floor(database: Database) -> None:
    """Read all columns of all transfers, some thousand at a time, and hash them."""
    with database.read() as session:
        connection = session.connection(execution_options={"yield_per": READ_AT_ONCE})
        for row in connection.execute(text("SELECT * FROM transfers ORDER BY seq")):
            hashlib.sha256(str(row).encode()).digest()


class Spent(NamedTuple):
    """Seconds on the clock, and of a processor: on a busy machine only the second tells."""

    wall: float
    processor: float


def timed(work: Callable[[], object]) -> Spent:
    """How long it takes."""
    wall, processor = time.perf_counter(), time.process_time()
    work()
    return Spent(time.perf_counter() - wall, time.process_time() - processor)


def measure(url: str, n: int) -> None:
    """Build a ledger in an empty database, audit it, and print how long that took."""
    database = Database(url)
    started = time.perf_counter()
    build(database, n)
    built = time.perf_counter() - started
    least = timed(lambda: floor(database))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    reports: list[Report] = []
    took = timed(lambda: reports.append(check(database)))
    (report,) = reports
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert report.ok, report.findings[:5]
    print(f"{report.transfers:,} transfers posted in {built:.1f} s ({n / built:,.0f}/s)")
    for name, spent in (("floor (read and hash)", least), ("audit", took)):
        rate = n / spent.processor
        print(f"{name:<22}{spent.wall:7.2f} s, {spent.processor:6.2f} s of a processor {rate:11,.0f}/s")
    print(f"ratio of processor time: {least.processor / took.processor:.2f}")
    print(f"memory grown by the audit: {grown:.1f} MiB")
    database.dispose()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--n", type=int, default=200_000, help="transfers")
    parser.add_argument("--database", choices=(*KINDS, "both"), default="sqlite")
    wanted = parser.parse_args()
    print(f"Python {platform.python_version()}")
    for kind in KINDS if wanted.database == "both" else (wanted.database,):
        print(f"== {kind}")
        with databases(kind) as make:
            measure(make("ledger"), wanted.n)


if __name__ == "__main__":
    main()
