"""Eight processes post at once on one database: every chip is where the sums say, and the chain has no gap."""

import subprocess
import sys

from sqlalchemy import func, select
from stored import player

from api.models import MINT, ChainHead, Transfer
from api.services import ledger
from api.services.audit import check

PROCESSES = 8
POSTINGS = 200
WALLETS = 4
CHIPS = 1000

# Gives to and fro between the wallets at random; prints how many were done and how many refused for want of chips.
WORKER = """
import random, sys
from datetime import UTC, datetime
from api.db import Database
from api.services.errors import InsufficientFunds
from api.services.ledger import Entry, post

database, seed, postings = Database(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
wallets = [int(text) for text in sys.argv[4:]]
rng = random.Random(seed)
done = refused = 0
for _ in range(postings):
    one, two = rng.sample(wallets, 2)
    there, back = rng.randrange(1, 600), rng.randrange(1, 600)
    try:
        with database.write() as session:
            post(session, [Entry(one, two, there, "there"), Entry(two, one, back, "back")], datetime.now(UTC))
        done += 1
    except InsufficientFunds:
        refused += 1
print(done, refused)
"""


def test_parallel_processes_lose_and_make_no_chip(database, database_url, now):
    with database.write() as session:
        wallets = [player(session, now, CHIPS)[1] for _ in range(WALLETS)]
    command = [sys.executable, "-c", WORKER, database_url]
    arguments = [str(POSTINGS), *map(str, wallets)]
    processes = [
        subprocess.Popen([*command, str(seed), *arguments], stdout=subprocess.PIPE, text=True)
        for seed in range(PROCESSES)
    ]
    outputs = [process.communicate(timeout=120)[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * PROCESSES
    counts = [tuple(map(int, output.split())) for output in outputs]
    done, refused = (sum(column) for column in zip(*counts, strict=True))
    assert done + refused == PROCESSES * POSTINGS
    assert done > 0
    assert refused > 0
    with database.read() as session:
        assert sum(ledger.balance_of(session, wallet) for wallet in wallets) == WALLETS * CHIPS
        assert ledger.balance_of(session, MINT) == -WALLETS * CHIPS
        transfers = WALLETS + 2 * done
        assert session.scalars(select(ChainHead.seq)).one() == transfers
        assert session.scalars(select(func.max(Transfer.seq))).one() == transfers
    report = check(database)
    assert (report.ok, report.transfers) == (True, transfers), report.findings
