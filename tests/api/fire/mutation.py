"""Guards taken out of the service: a text of one function replaced, for the time of a test."""

import inspect
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import event

from api.db import Database
from tests.api.postgresql import administer, emptied


def without(patch: pytest.MonkeyPatch, owner: Any, name: str, guard: str, instead: str, **names: Any) -> None:
    """Put a copy of a function of a module or class in its place, in which `guard` is replaced.

    The guard must stand there exactly once: who moves it has to say here where it went. `names` are known to the copy
    besides those of its module.
    """
    function = getattr(owner, name)
    source = textwrap.dedent(inspect.getsource(function))
    assert source.count(guard) == 1, f"«{guard}» is not to be found once in {name}"
    made: dict[str, Any] = {}
    known = {**function.__globals__, **names} if names else function.__globals__
    exec(compile(source.replace(guard, instead), f"<{name}>", "exec"), known, made)
    patch.setattr(owner, name, made[name])
    for module in list(sys.modules.values()):  # who imported it by name
        if vars(module).get(name) is function:
            patch.setattr(module, name, made[name])


@contextmanager
def unchecked(database: Database, url: str) -> Iterator[None]:
    """A database that takes any balance."""
    if database.is_sqlite:

        def ignore(connection: Any, _record: object) -> None:
            connection.execute("PRAGMA ignore_check_constraints = ON")

        event.listen(database._writer, "connect", ignore)
        database.dispose()
        yield
        event.remove(database._writer, "connect", ignore)
        database.dispose()
        return
    name = "ck_accounts_only_the_mint_is_negative"
    with altered(
        url,
        f"ALTER TABLE accounts DROP CONSTRAINT {name}",
        f"ALTER TABLE accounts ADD CONSTRAINT {name} CHECK (balance >= 0 OR kind = 'mint')",
    ):
        yield


@contextmanager
def changeable(database: Database, url: str) -> Iterator[None]:
    """A database that lets transfers be changed."""
    if database.is_sqlite:
        administer(url, "DROP TRIGGER transfers_no_update")
        yield
        return
    trigger = "TRIGGER transfers_no_change"
    with altered(url, f"ALTER TABLE transfers DISABLE {trigger}", f"ALTER TABLE transfers ENABLE {trigger}"):
        yield


@contextmanager
def altered(url: str, change: str, back: str) -> Iterator[None]:
    """A schema that is changed, and changed back once the rows are gone: other tests use the same database."""
    administer(url, change)
    try:
        yield
    finally:
        emptied(url)
        administer(url, back)
