"""An application on a fresh database, on SQLite and on PostgreSQL."""

from tests.api.tables.conftest import app, clock, database

__all__ = ["app", "clock", "database"]
