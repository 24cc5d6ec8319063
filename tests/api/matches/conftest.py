"""An application, and players for it."""

from collections.abc import Callable, Iterator

import pytest
from flask import Flask

from api import create_app
from api.config import from_environment
from tests.api.tables.conftest import ada, database, person
from tests.api.tables.people import Person

__all__ = ["ada", "database", "person"]


@pytest.fixture
def url(database_url: str) -> str:
    """The database of these tests: both kinds, one after the other."""
    return database_url


@pytest.fixture
def app(url: str) -> Iterator[Flask]:
    """The application on a fresh database, with no limit of requests."""
    made = create_app(from_environment({}, database_url=url, log_level="error"))
    yield made
    made.extensions["macao"].database.dispose()


@pytest.fixture
def boris(person: Callable[[str], Person]) -> Person:
    """Another."""
    return person("Boris")
