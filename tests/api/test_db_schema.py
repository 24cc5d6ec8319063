"""Migrations: they agree with the models, run from anywhere and at the same time, and guard what is append-only."""

import os
import subprocess
import sys

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import CheckConstraint, insert, inspect, select, text
from sqlalchemy.exc import DBAPIError

from api.db import is_current, migrate
from api.models import MINT, Account, Base, ChainHead, Event, Player, Table
from api.services import ledger

MIGRATE = "import sys; from api.db import Database, migrate; migrate(Database(sys.argv[1]))"


def test_models_and_migrations_agree(database):
    options = {"compare_type": True, "compare_server_default": True}
    with database.writing() as connection:
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, Base.metadata) == []


def test_checks_of_models_and_migrations_agree(database):
    """Alembic does not compare these."""
    with database.writing() as connection:
        inspector = inspect(connection)
        for table in Base.metadata.sorted_tables:
            found = {check["name"] for check in inspector.get_check_constraints(table.name)}
            expected = {str(check.name) for check in table.constraints if isinstance(check, CheckConstraint)}
            assert found == expected, table.name


def test_migrating_again_changes_nothing(database):
    assert is_current(database)
    migrate(database)
    assert is_current(database)


def test_a_fresh_ledger_has_a_mint_a_house_and_an_empty_chain(database):
    with database.read() as session:
        assert session.execute(
            select(Account.id, Account.kind, Account.balance).order_by(Account.id)
        ).all() == [
            (1, "mint", 0),
            (2, "house", 0),
        ]
        assert session.execute(select(ChainHead.seq, ChainHead.hash)).one() == (0, bytes(32))


def test_a_database_that_is_not_there_is_not_current_and_is_not_made(tmp_path, open_database):
    database = open_database(f"sqlite:///{tmp_path / 'none' / 'macao.db'}")
    assert not is_current(database)
    assert list(tmp_path.iterdir()) == []


def test_an_empty_database_is_not_current(tmp_path, open_database):
    (tmp_path / "macao.db").touch()
    assert not is_current(open_database(f"sqlite:///{tmp_path / 'macao.db'}"))


def test_several_processes_may_migrate_at_once_from_any_folder(tmp_path, open_database):
    url = f"sqlite:///{tmp_path / 'new' / 'macao.db'}"
    command = [sys.executable, "-c", MIGRATE, url]
    processes = [subprocess.Popen(command, cwd="/", env=os.environ) for _ in range(3)]
    assert [process.wait() for process in processes] == [0, 0, 0]
    assert is_current(open_database(url))


def fill(database, now):
    """Two transfers and two events."""
    with database.write() as session:
        session.add(Player(id="ply_a", name="Ana", created_at=now))
        session.flush()
        wallet = ledger.open_wallet(session, "ply_a", now)
        entry = ledger.Entry(MINT, wallet, 10, "opening_grant")
        ledger.post(session, [entry, entry], now)
        session.execute(insert(Table), [table_row(now)])
        session.execute(insert(Event), [event_row(now, 1), event_row(now, 2)])
    return database


@pytest.fixture
def written(database, now):
    """A database of either kind with two transfers and two events."""
    return fill(database, now)


def table_row(now):
    return {
        "id": "tbl_a",
        "creator_id": "ply_a",
        "game": "house",
        "options": {},
        "rules_hash": "0" * 64,
        "engine": "test",
        "bank": "house",
        "stakes": "chips",
        "turn_seconds": 30,
        "private": False,
        "spectators": False,
        "settings": {},
        "phase": "bank",
        "state": {},
        "version": 1,
        "last_event": 2,
        "created_at": now,
    }


def event_row(now, n):
    return {"table_id": "tbl_a", "n": n, "at": now, "type": "opened", "data": {}}


CHANGES = [
    "UPDATE transfers SET amount = 11 WHERE seq = 1",
    "UPDATE transfers SET kind = kind",
    "DELETE FROM transfers WHERE seq = 2",
    "DELETE FROM transfers",
    "UPDATE events SET type = 'closed' WHERE n = 1",
    "DELETE FROM events WHERE n = 2",
    "DELETE FROM events",
]


def refused(database, statement, reason):
    with pytest.raises(DBAPIError, match=reason), database.write() as session:
        session.execute(text(statement))


@pytest.mark.parametrize("statement", CHANGES)
def test_the_database_refuses_to_change_what_is_append_only(written, statement):
    refused(written, statement, "append-only")


@pytest.mark.parametrize("table", ["transfers", "events"])
def test_postgresql_refuses_to_truncate_it(postgresql_url, open_database, now, table):
    database = fill(open_database(postgresql_url), now)
    refused(database, f"TRUNCATE {table} CASCADE", "append-only")


COLUMNS = "seq, id, at, source, target, amount, kind, source_after, target_after, previous, hash"


def copied_transfer(seq, name):
    values = COLUMNS.replace("seq", str(seq)).replace("id", f"'{name}'", 1)
    return f"INTO transfers ({COLUMNS}) SELECT {values} FROM transfers WHERE seq = 2"


@pytest.mark.parametrize("seq", [1, 2, 4])
def test_a_transfer_needs_the_next_number(written, seq):
    refused(written, "INSERT " + copied_transfer(seq, "trf_new"), "without gaps")


def test_the_next_number_is_taken(written):
    with written.write() as session:
        session.execute(text("INSERT " + copied_transfer(3, "trf_new")))
    rest = "at, source, target, amount, kind, source_after, target_after, previous, hash"
    with written.read() as session:
        numbers = session.execute(text("SELECT seq FROM transfers ORDER BY seq")).scalars().all()
        copied, new = (
            session.execute(text(f"SELECT {rest} FROM transfers WHERE {which}")).one()
            for which in ("seq = 2", "id = 'trf_new'")
        )
    assert numbers == [1, 2, 3]
    assert new == copied


@pytest.mark.parametrize("n", [1, 2, 4])
def test_an_event_needs_the_next_number_of_its_table(written, n):
    refused(
        written,
        f"INSERT INTO events (table_id, n, at, type, data) VALUES ('tbl_a', {n}, 0, 'opened', '{{}}')",
        "without gaps",
    )


@pytest.mark.parametrize("seq", [2, 3])
def test_sqlite_refuses_to_replace_a_transfer_by_an_insert(sqlite, now, seq):
    """INSERT OR REPLACE deletes rows, and asks no trigger for DELETE: by number, or by the id of transfer 2."""
    database = fill(sqlite, now)
    with database.read() as session:
        name = session.execute(text("SELECT id FROM transfers WHERE seq = 2")).scalar_one()
    refused(database, "INSERT OR REPLACE " + copied_transfer(seq, name), "without gaps")


def test_sqlite_refuses_to_replace_an_event_by_an_insert(sqlite, now):
    refused(
        fill(sqlite, now),
        "INSERT OR REPLACE INTO events (table_id, n, at, type, data) VALUES ('tbl_a', 2, 0, 'x', '{}')",
        "without gaps",
    )
