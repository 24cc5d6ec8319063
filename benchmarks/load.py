"""A house full of players: hundreds of people at a hundred tables, thinking between their moves, for minutes.

Tables against the house, tables whose bank goes round among people and bots, shedding games and Пекло; besides them
visitors who list tables, read sheets, look at their bankroll and ask for odds. Clients are this program's own, on
loopback, in two processes beside the server, which runs with its own defaults. They begin when the server is warm. At
the end it is stopped, the ledger is audited (`macao ledger check`), and what must never be is looked for in the rows.
Ends with 1 on any error but the refusals that play among strangers brings, any finding, or memory that grows.

    python benchmarks/load.py [--minutes 10] [--players 500] [--tables 100] [--think 3] [--database sqlite|postgresql]
"""

import argparse
import os
import platform
import statistics
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from threading import Event, Thread

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from sqlalchemy import select, text  # noqa: E402

from api.db import Database  # noqa: E402
from api.models import Coup  # noqa: E402
from benchmarks._loopback import KINDS, databases, family, free_port, served, wait_for  # noqa: E402
from benchmarks._players import KINDS as TABLES  # noqa: E402
from benchmarks._players import Kind, Share, Tally, play  # noqa: E402

PROCESSES = 2
SEATED = 0.65  # share of the players who sit at tables, as far as there are seats
GROWTH = 0.1  # of the memory over the second half of a run of minutes: more is no longer flat
_LONG = 300.0  # seconds from which on memory is judged


@dataclass(frozen=True)
class Plan:
    """What is to be played."""

    players: int
    tables: int
    seconds: float
    think: float
    seed: int = 1
    least: int = 1  # actions at tables of each kind, however slow the machine


@dataclass
class Outcome:
    """What came of it. `memory`: (seconds, MiB of all server processes); `played`: coups and deals settled."""

    plan: Plan
    tally: Tally
    memory: list[tuple[float, float]]
    played: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    @property
    def slope(self) -> float:
        """MiB a minute over the second half, by least squares."""
        late = self._late
        if len(late) < 2:
            return 0.0
        return statistics.linear_regression(*zip(*late, strict=True)).slope * 60

    @property
    def _late(self) -> list[tuple[float, float]]:
        return [(at, size) for at, size in self.memory if at >= self.plan.seconds / 2]

    def judge(self) -> None:
        """Add to the faults what the clients and the memory tell."""
        self.faults += [f"{count} × {text}" for text, count in self.tally.faults.items()]
        grown = self.slope * self.plan.seconds / 2 / 60
        if self.plan.seconds >= _LONG and grown > GROWTH * self._late[0][1]:
            self.faults.append(f"memory grew by {grown:.0f} MiB in the second half")


def run(kind: str, plan: Plan) -> Outcome:
    """Play a plan on a fresh database of this kind, then audit it."""
    with databases(kind) as make:
        url = make("macao").replace("+psycopg", "")
        port, ended = free_port(), Event()
        environment = {
            "MACAO_DATABASE_URL": url,
            "MACAO_BIND": f"127.0.0.1:{port}",
            "MACAO_OPENING_GRANT": "100000",
            "MACAO_LOG_LEVEL": "warning",
        }
        memory: list[tuple[float, float]] = []
        command = [str(Path(sys.executable).with_name("macao")), "serve"]
        with served(command, environment, port, "/readyz") as master:
            wait_for(f"http://127.0.0.1:{port}/v1/games/house/par")
            watch = Thread(target=_watch, args=(master, memory, ended), daemon=True)
            watch.start()
            with ProcessPoolExecutor(PROCESSES) as pool:
                tallies = list(pool.map(play, shares(port, plan)))
            ended.set()
            watch.join()
        tally = Tally()
        for part in tallies:
            tally.add(part)
        outcome = Outcome(plan, tally, memory)
        outcome.judge()
        _audit(url, outcome)
    return outcome


def shares(port: int, plan: Plan) -> list[Share]:
    """Tables and people for each process: everybody at a table first, then more, up to what its kind seats."""
    kinds = [TABLES[number % len(TABLES)] for number in range(plan.tables)]
    people = [1] * plan.tables
    left = min(int(plan.players * SEATED), sum(kind.most for kind in kinds)) - plan.tables
    if left < 0:
        raise SystemExit(f"{plan.tables} tables need at least {int(plan.tables / SEATED) + 1} players")
    for round_ in range(max(kind.most for kind in kinds)):
        for number, kind in enumerate(kinds):
            if left and people[number] <= round_ and people[number] < kind.most:
                people[number] += 1
                left -= 1
    tables: list[tuple[Kind, int]] = list(zip(kinds, people, strict=True))
    visitors = plan.players - sum(people)
    return [
        Share(
            port,
            f"{plan.seed} {part}",
            plan.seconds,
            plan.think,
            tuple(tables[part::PROCESSES]),
            len(range(part, visitors, PROCESSES)),
            plan.least,
        )
        for part in range(PROCESSES)
    ]


def _watch(master: int, memory: list[tuple[float, float]], ended: Event) -> None:
    start = time.monotonic()
    while not ended.wait(1.0):
        memory.append((time.monotonic() - start, sum(map(_size, family(master)))))


def _size(process: int) -> float:
    """Memory of a process in MiB, what it shares with others counted in parts."""
    try:
        rows = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(row.split()[1]) for row in rows if row.startswith("Pss:")) / 1024


# Each must find nothing. Besides `macao ledger check`, which computes every balance and every hash again.
_NEVER = {
    "accounts that do not add up to 0": "SELECT sum(balance) FROM accounts HAVING sum(balance) <> 0",
    "negative accounts besides the mint": "SELECT id FROM accounts WHERE balance < 0 AND kind <> 'mint'",
    "coups that are over and still hold chips": """
        SELECT coups.id FROM coups JOIN transfers ON transfers.coup_id = coups.id
        JOIN accounts ON accounts.kind = 'escrow' AND accounts.id IN (transfers.source, transfers.target)
        WHERE coups.status <> 'open' GROUP BY coups.id
        HAVING sum(CASE WHEN accounts.id = transfers.target THEN amount ELSE -amount END) <> 0""",
    "tables whose events have a gap": """
        SELECT tables.id FROM tables JOIN events ON events.table_id = tables.id
        GROUP BY tables.id, last_event HAVING count(*) <> last_event OR max(n) <> last_event""",
}


def _audit(url: str, outcome: Outcome) -> None:
    """`macao ledger check`, and what must never be found in the rows."""
    command = [str(Path(sys.executable).with_name("macao")), "ledger", "check", "--database", url]
    checked = subprocess.run(command, check=False, capture_output=True, text=True)
    if checked.returncode:
        outcome.faults.append(f"macao ledger check: {checked.stdout[-2000:]}{checked.stderr[-2000:]}")
    database = Database(url)
    with database.read() as session:
        for what, question in _NEVER.items():
            rows = session.execute(text(question)).all()
            if rows:
                outcome.faults.append(f"{len(rows)} {what}: {[row[0] for row in rows[:5]]}")
        for row in session.execute(select(Coup.id, Coup.record).where(Coup.status == "settled")):
            outcome.played["coups" if row.id.startswith("cou_") else "deals"] += 1
            if sum(row.record["chips"]):
                outcome.faults.append(f"{row.id} does not net to zero: {row.record['chips']}")
    database.dispose()


def show(kind: str, outcome: Outcome) -> None:
    """Print it."""
    plan, tally = outcome.plan, outcome.tally
    count = sum(len(values) for values in tally.seconds.values())
    print(f"== {kind}: {plan.players} players, {plan.tables} tables, {plan.seconds / 60:.1f} minutes")
    print(f"{'request':<18}{'count':>9}{'p50 ms':>10}{'p95 ms':>10}{'p99 ms':>10}")
    for name, values in sorted(tally.seconds.items()):
        ordered = sorted(values)
        cells = "".join(f"{ordered[int(len(ordered) * part)] * 1000:10.1f}" for part in (0.5, 0.95, 0.99))
        print(f"{name:<18}{len(values):9,}{cells}")
    played = ", ".join(f"{number / plan.seconds:.1f} {what}/s" for what, number in outcome.played.items())
    print(f"{count / plan.seconds:.0f} requests/s; {played}")
    refusals = ", ".join(f"{code} {number:,}" for code, number in sorted(tally.refusals.items()))
    print(f"expected refusals: {refusals or 'none'}")
    if outcome.memory:
        first, last = outcome.memory[len(outcome.memory) // 4][1], outcome.memory[-1][1]
        print(
            f"memory of the server: {first:.0f} MiB after a quarter, {last:.0f} at the end;"
            f" slope of the second half {outcome.slope:+.2f} MiB a minute"
        )
    print(f"faults: {len(outcome.faults)}", *outcome.faults[:20], sep="\n  ", flush=True)


def main() -> int:
    """Run it, print it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--players", type=int, default=500)
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--think", type=float, default=3, help="seconds between two requests of one player")
    parser.add_argument("--database", choices=KINDS, action="append", help="default: both")
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    versions = " ".join(f"{name} {version(name)}" for name in ("sqlalchemy", "psycopg", "gunicorn"))
    print(f"Python {platform.python_version()}, {versions}; {os.cpu_count()} processors")
    plan = Plan(wanted.players, wanted.tables, wanted.minutes * 60, wanted.think, wanted.seed)
    outcomes = []
    for kind in wanted.database or KINDS:
        outcomes.append(run(kind, plan))
        show(kind, outcomes[-1])
    return 1 if any(outcome.faults for outcome in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
