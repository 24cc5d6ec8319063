"""An application on a fresh database, and players for it."""

from collections.abc import Callable, Iterator
from datetime import datetime

import pytest
from flask import Flask

from api import create_app
from api.config import from_environment
from api.context import utc_now
from api.db import Database
from api.ticker import Ticker
from tests.api.tables.people import Person


@pytest.fixture
def clock() -> Callable[[], datetime]:
    """The time of the application: the real one, unless a module has a `Clock` that its tests set."""
    return utc_now


@pytest.fixture
def app(database_url: str, clock: Callable[[], datetime]) -> Iterator[Flask]:
    """The application: on SQLite and on PostgreSQL."""
    made = create_app(from_environment({}, database_url=database_url, log_level="error"), now=clock)
    yield made
    made.extensions["macao"].database.dispose()


@pytest.fixture
def database(app: Flask) -> Database:
    """The application's database."""
    return app.extensions["macao"].database


@pytest.fixture
def ticker(app: Flask) -> Ticker:
    """The ticker, to be ticked by hand."""
    return Ticker(app.extensions["macao"])


@pytest.fixture
def person(app: Flask) -> Callable[[str], Person]:
    """`person(name)`: a new player."""
    return lambda name: Person(app, name)


@pytest.fixture
def ada(person: Callable[[str], Person]) -> Person:
    """A player with the opening grant of 1000 chips."""
    return person("Ada")
