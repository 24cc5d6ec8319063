"""`Database`: snapshots that refuse writes, transactions whole or not at all, writers that queue."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from postgresql import administer
from sqlalchemy import select, text, update
from sqlalchemy.exc import DBAPIError, IntegrityError

from api.db import Database, DatabaseError
from api.models import HOUSE, Account, Lease
from api.services.errors import Busy

HOLD_AND_DIE = """
import os, signal, sys
from datetime import UTC, datetime
from api.db import Database
from api.models import Lease
database = Database(sys.argv[1])
with database.write() as session:
    session.add(Lease(name="committed", holder="x", expires_at=datetime.now(UTC)))
with database.write() as session:
    session.add(Lease(name="lost", holder="x", expires_at=datetime.now(UTC)))
    session.flush()
    print("holding", flush=True)
    signal.pause()
"""


def lease(name, now):
    return Lease(name=name, holder="test", expires_at=now)


def names(database):
    with database.read() as session:
        return sorted(session.scalars(select(Lease.name)))


def test_a_write_is_committed_at_the_end_of_the_block(database, now):
    with database.write() as session:
        session.add(lease("a", now))
    assert names(database) == ["a"]


def test_an_exception_rolls_the_whole_block_back(database, now):
    def fail():
        with database.write() as session:
            session.add(lease("a", now))
            session.flush()
            raise LookupError

    with pytest.raises(LookupError):
        fail()
    assert names(database) == []


def test_a_read_sees_one_snapshot_whatever_others_commit(database, now):
    with database.read() as session:
        assert session.scalars(select(Lease.name)).all() == []
        with database.write() as other:
            other.add(lease("later", now))
        assert session.scalars(select(Lease.name)).all() == []
    assert names(database) == ["later"]


def test_a_read_refuses_writes(database):
    with pytest.raises(DBAPIError, match=r"read-?only"), database.read() as session:
        session.execute(update(Account).values(balance=1))


def test_a_time_comes_back_to_the_microsecond_and_in_utc(database, now):
    with database.write() as session:
        session.add(lease("a", now))
    with database.read() as session:
        assert session.scalars(select(Lease.expires_at)).one() == now
    assert now.microsecond == 123456


def test_a_time_without_a_zone_is_refused(database, now):
    with pytest.raises(Exception, match="offset-naive"), database.write() as session:
        session.add(lease("a", now.replace(tzinfo=None)))


def test_references_are_enforced(database):
    with pytest.raises(IntegrityError), database.write() as session:
        session.execute(
            text(
                "INSERT INTO accounts (id, kind, player_id, balance, created_at) VALUES (9, 'wallet', 'x', 0, 0)"
            )
        )


def test_only_the_mint_may_be_negative_in_the_database_itself(database):
    with pytest.raises(IntegrityError), database.write() as session:
        session.execute(update(Account).where(Account.id == HOUSE).values(balance=-1))


def test_hooks_run_after_the_commit_and_see_it(database, now):
    seen = []
    with database.write() as session:
        session.add(lease("a", now))
        database.on_commit(session, lambda: seen.append(names(database)))
        assert seen == []
    assert seen == [["a"]]


def test_a_hook_may_write_again(database, now):
    def again():
        with database.write() as session:
            session.add(lease("b", now))

    with database.write() as session:
        session.add(lease("a", now))
        database.on_commit(session, again)
    assert names(database) == ["a", "b"]


def test_hooks_do_not_run_after_a_rollback(database):
    seen = []

    def fail():
        with database.write() as session:
            database.on_commit(session, lambda: seen.append(1))
            raise LookupError

    with pytest.raises(LookupError):
        fail()
    assert seen == []


def test_a_hook_that_fails_stops_neither_the_commit_nor_the_other_hooks(database, now, caplog):
    seen = []
    with database.write() as session:
        session.add(lease("a", now))
        database.on_commit(session, lambda: 1 / 0)
        database.on_commit(session, lambda: seen.append(1))
    assert (names(database), seen) == (["a"], [1])
    assert "ZeroDivisionError" in caplog.text


def test_a_read_waits_for_no_writer(database, now):
    with database.write() as session:
        session.add(lease("a", now))
        session.flush()
        assert names(database) == []


def test_a_writer_that_waits_too_long_is_told_to_come_back(database_url, open_database, now):
    database = open_database(database_url, patience=0.1)
    with database.write() as session:
        session.add(lease("a", now))
    refused = []

    def write():
        try:
            with database.write() as session:
                session.execute(update(Lease).values(holder="other"))
        except Busy as busy:
            refused.append(busy)

    with database.write() as session:
        session.execute(update(Lease).values(holder="first"))
        other = threading.Thread(target=write)
        other.start()
        other.join()
    assert [(busy.status, busy.retry_after) for busy in refused] == [(503, 1)]
    with database.read() as session:
        assert session.scalars(select(Lease.holder)).one() == "first"


def test_sqlite_syncs_every_commit_and_checks_references(sqlite):
    with sqlite.write() as session:
        pragmas = [
            session.execute(text(f"PRAGMA {name}")).scalar_one()
            for name in ("journal_mode", "synchronous", "foreign_keys")
        ]
    assert pragmas == ["wal", 2, 1]  # 2 is FULL


def test_a_second_write_in_the_same_thread_is_a_fault_and_no_deadlock(sqlite):
    with sqlite.write(), pytest.raises(RuntimeError, match="open in this thread"), sqlite.write():
        pass


def test_writers_of_several_threads_and_objects_take_turns(sqlite_url, open_database, now):
    """Two `Database` objects are two processes to each other: the file's lock parts them."""
    databases = [open_database(sqlite_url), open_database(sqlite_url)]
    with databases[0].write() as session:
        session.add(Lease(name="counter", holder="0", expires_at=now))

    def count_up(database):
        for _ in range(25):
            with database.write() as session:
                row = session.get_one(Lease, "counter")
                row.holder = str(int(row.holder) + 1)

    threads = [threading.Thread(target=count_up, args=(databases[i % 2],)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with databases[0].read() as session:
        assert session.scalars(select(Lease.holder)).one() == "100"


@pytest.fixture
def killed(database_url):
    """A writer that was killed in the middle of its second transaction."""
    command = [sys.executable, "-c", HOLD_AND_DIE, database_url]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "holding\n"
        process.send_signal(signal.SIGKILL)
    return database_url


def test_a_killed_writer_loses_nothing_committed_and_frees_its_turn(killed, open_database, now):
    database = open_database(killed)
    assert names(database) == ["committed"]
    started = time.monotonic()
    with database.write() as session:
        session.add(lease("lost", now))
    assert names(database) == ["committed", "lost"]
    assert time.monotonic() - started < 8  # the patience of a writer is 10 s


def test_a_writer_waits_no_longer_than_its_patience_for_another_process(database_url, open_database, now):
    """The process that has the turn stands still: 503 in time, and what comes too late keeps nobody waiting."""
    command = [sys.executable, "-c", HOLD_AND_DIE, database_url]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "holding\n"
        database = open_database(database_url, patience=0.2)

        def write():
            with database.write() as session:
                session.add(lease("lost", now))  # which the other is about to write
                session.flush()

        for _ in range(3):
            with pytest.raises(Busy):
                write()
        process.send_signal(signal.SIGKILL)
    other = open_database(database_url)
    for name in ("first", "second"):
        with other.write() as session:
            session.add(lease(name, now))
    with open_database(database_url).write() as session:
        session.add(lease("third", now))
    assert names(other) == ["committed", "first", "second", "third"]


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_opens_its_own_connections_and_lock(database, now):
    with database.write() as session:
        session.add(lease("parent", now))
    child = os.fork()
    if child == 0:
        with database.write() as session:
            session.add(lease("child", now))
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    with database.write() as session:
        session.add(lease("parent again", now))
    assert names(database) == ["child", "parent", "parent again"]


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("sqlite://", "in memory"),
        ("sqlite:///:memory:", "in memory"),
        ("mysql://localhost/macao", "not supported"),
        ("macao.db", "not the URL"),
    ],
)
def test_other_databases_are_refused_with_what_would_be_right(url, reason):
    with pytest.raises(DatabaseError, match=reason) as refusal:
        Database(url)
    assert "sqlite" in str(refusal.value)


def test_a_postgresql_url_of_either_form_means_psycopg_and_the_password_is_not_shown():
    for scheme in ("postgresql", "postgresql+psycopg"):
        database = Database(f"{scheme}://me:secret@localhost/macao")
        assert database.url.drivername == "postgresql+psycopg"
        assert "secret" not in repr(database)


def test_a_database_that_is_not_reached_is_told_to_be_busy():
    """A server that is down is no fault of the request: 503, as for one that is late."""
    database = Database("postgresql://nobody@127.0.0.1:1/none")
    for transaction in (database.read, database.write):
        with pytest.raises(Busy), transaction() as session:
            session.execute(text("SELECT 1"))


@pytest.mark.parametrize("kind", ["read", "write"])
def test_a_connection_that_is_lost_before_it_is_given_back_is_told_to_be_busy(
    postgresql_url, open_database, kind
):
    """Not as a fault of the service, though it is the rollback that notices it."""
    database = open_database(postgresql_url)
    others = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"

    def lose_it(session):
        session.execute(text("SELECT 1"))
        administer(postgresql_url, f"SELECT pg_terminate_backend(pid, 60000) {others}")
        raise KeyError

    with pytest.raises(Busy), getattr(database, kind)() as session:
        lose_it(session)
    assert names(database) == []
