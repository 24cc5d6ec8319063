"""An application on a fresh database, on SQLite and on PostgreSQL."""

from collections.abc import Iterator

import pytest
from flask import Flask

from api import create_app
from api.config import from_environment
from api.db import Database


@pytest.fixture
def app(database_url: str) -> Iterator[Flask]:
    """The application."""
    made = create_app(from_environment({}, database_url=database_url, log_level="error"))
    yield made
    made.extensions["macao"].database.dispose()


@pytest.fixture
def database(app: Flask) -> Database:
    """The application's database."""
    return app.extensions["macao"].database
