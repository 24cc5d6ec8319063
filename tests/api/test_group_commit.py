"""Writers of one process that queue on SQLite are committed together, each in a savepoint of his own."""

import sqlite3
import threading
import time

import pytest
from sqlalchemy import event, select, text
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError

from api.db import Database
from api.models import Lease
from api.services.errors import Busy

DEADLINE = 30  # seconds, for a machine under load


def names(database: Database) -> list[str]:
    with database.read() as session:
        return sorted(session.scalars(select(Lease.name)))


class Writers:
    """Threads that write one lease each, in the order of their names; the first holds the turn till all others wait."""

    def __init__(self, database: Database, now, monkeypatch) -> None:
        self.database, self.now = database, now
        self.commits = 0
        self.raised: dict[str, BaseException] = {}
        self.seen: dict[str, list[str]] = {}
        self._threads: list[threading.Thread] = []
        self._all_wait = threading.Event()
        self._first_is_in = threading.Event()
        monkeypatch.setattr("api.write_queue.LONGEST", DEADLINE)
        event.listen(database._writer, "commit", self._count)

    def _count(self, _connection) -> None:
        self.commits += 1

    def start(self, *steps) -> None:
        """`steps`: (name, what the writer does with its session besides) in the order of the queue."""
        for index, (name, also) in enumerate(steps):
            thread = threading.Thread(target=self._run, args=(name, also, index == 0))
            self._threads.append(thread)
            thread.start()
            if index == 0:
                assert self._first_is_in.wait(DEADLINE)
            else:
                self._wait_for(index)
        self._all_wait.set()
        for thread in self._threads:
            thread.join(DEADLINE)
            assert not thread.is_alive()

    def _wait_for(self, count: int) -> None:
        until = time.monotonic() + DEADLINE
        while len(self.database._queue._line._waiting) < count:
            assert time.monotonic() < until
            time.sleep(0.001)

    def _run(self, name, also, first) -> None:
        try:
            with self.database.write() as session:
                if first:
                    self._first_is_in.set()
                    assert self._all_wait.wait(DEADLINE)
                session.add(Lease(name=name, holder="x", expires_at=self.now))
                session.flush()
                also(session)
        except Exception as error:
            self.raised[name] = error
        self.seen[name] = names(self.database)


@pytest.fixture
def writers(sqlite, now, monkeypatch):
    return Writers(sqlite, now, monkeypatch)


def nothing(_session) -> None:
    pass


def test_who_queues_together_is_committed_together(sqlite, writers):
    writers.start(("a", nothing), ("b", nothing), ("c", nothing))
    assert (names(sqlite), writers.commits, writers.raised) == (["a", "b", "c"], 1, {})


def test_nobody_goes_on_before_his_work_is_committed(writers):
    """Each sees all of the group by the time his own block is over: the first was not told of success too soon."""
    writers.start(("a", nothing), ("b", nothing), ("c", nothing))
    assert writers.seen == {name: ["a", "b", "c"] for name in "abc"}


def test_who_is_refused_by_what_another_wrote_goes_on_when_it_is_committed(writers):
    """What he was told was so, also if the server is killed; and who plans anew plans with it."""

    def refuse(_session):
        raise LookupError

    writers.start(("a", nothing), ("b", refuse), ("c", nothing))
    assert writers.seen["b"] == ["a", "c"]


def test_a_later_writer_reads_what_an_earlier_one_of_the_group_wrote(writers):
    found = []
    writers.start(("a", nothing), ("b", lambda session: found.extend(session.scalars(select(Lease.name)))))
    assert sorted(found) == ["a", "b"]


def test_what_one_raises_undoes_his_work_alone(sqlite, writers):
    def refuse(_session):
        raise LookupError

    def twice(session):
        session.execute(text("INSERT INTO leases SELECT * FROM leases WHERE name = 'a'"))

    writers.start(("a", nothing), ("b", refuse), ("c", twice), ("d", nothing))
    assert (names(sqlite), writers.commits) == (["a", "d"], 1)
    assert {name: type(error) for name, error in writers.raised.items()} == {
        "b": LookupError,
        "c": IntegrityError,
    }


def test_where_the_database_fails_one_nobody_of_the_group_is_told_of_success(sqlite, writers):
    """A full disk may undo the whole transaction: those before are told to come back, those after begin anew."""

    def disk_full(_session):
        raise OperationalError("INSERT", {}, Exception("database or disk is full"))

    writers.start(("a", nothing), ("b", disk_full), ("c", nothing))
    assert names(sqlite) == ["c"]
    assert {name: type(error) for name, error in writers.raised.items()} == {"a": Busy, "b": Busy}


def test_a_commit_that_fails_is_told_to_all(sqlite, writers):
    """A reference that is checked at the commit fails it for the group: nothing of it is stored."""

    def dangle(session):
        session.execute(text("PRAGMA defer_foreign_keys = ON"))
        session.execute(
            text(
                "INSERT INTO accounts (id, kind, player_id, balance, created_at) VALUES (9, 'wallet', 'x', 0, 0)"
            )
        )

    writers.start(("a", nothing), ("b", dangle))
    assert names(sqlite) == []
    assert [isinstance(error, DBAPIError) for error in writers.raised.values()] == [True, True]


def test_where_the_transaction_is_gone_nobody_is_told_of_success(sqlite, writers):
    """What SQLite does by itself on a full disk, done by hand: the savepoint cannot be released any more."""
    writers.start(("a", nothing), ("b", lambda session: session.connection().connection.rollback()))
    assert names(sqlite) == []
    assert sorted(writers.raised) == ["a", "b"]


def test_a_writer_outside_the_queue_makes_it_busy_and_no_fault(sqlite, sqlite_url, monkeypatch):
    """Such as a shell that holds the database: told to come back, whatever the driver calls it."""
    monkeypatch.setattr("api.db._BUSY_TIMEOUT_MS", 10)
    shell = sqlite3.connect(sqlite_url.removeprefix("sqlite:///"), isolation_level=None)
    shell.execute("BEGIN IMMEDIATE")
    with pytest.raises(Busy), sqlite.write():
        pass
    shell.execute("ROLLBACK")
    shell.close()
    with sqlite.write() as session:
        assert session.execute(text("SELECT 1")).scalar_one() == 1


def test_a_group_is_closed_when_it_is_full(sqlite, writers, monkeypatch):
    monkeypatch.setattr("api.write_queue.MOST", 2)
    writers.start(*((name, nothing) for name in "abcde"))
    assert (names(sqlite), writers.commits) == (["a", "b", "c", "d", "e"], 3)


def test_hooks_run_after_the_common_commit(sqlite, writers):
    told = []

    def hook(session):
        sqlite.on_commit(session, lambda: told.append(names(sqlite)))

    writers.start(("a", hook), ("b", nothing))
    assert told == [["a", "b"]]


def test_bulk_work_that_fails_leaves_nothing(sqlite, now):
    def fail():
        with sqlite.writing() as connection:
            connection.execute(text("DELETE FROM chain_head"))
            raise LookupError

    with pytest.raises(LookupError):
        fail()
    with sqlite.read() as session:
        assert session.execute(text("SELECT count(*) FROM chain_head")).scalar_one() == 1
