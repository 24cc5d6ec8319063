"""An application, and players for it, as tables have them."""

from collections.abc import Callable

import pytest

from tests.api.tables.conftest import ada, app, clock, database, person, ticker
from tests.api.tables.people import Person

__all__ = ["ada", "app", "clock", "database", "person", "ticker"]


@pytest.fixture
def boris(person: Callable[[str], Person]) -> Person:
    """Another."""
    return person("Boris")
