"""The clock of the tables: whose time is up is played for by the default policy, and marked `timed_out`."""

from collections.abc import Callable
from datetime import datetime
from typing import Final, NamedTuple

from sqlalchemy import Connection, bindparam, select

from api.db import Database
from api.models import Table
from api.prepared import Prepared
from api.services.errors import PlanStale
from api.services.tables.acting import plan_time_up
from api.services.tables.change import commit
from api.services.tables.model import load
from api.services.tables.play import Terms

_AT_ONCE: Final = 1_000  # more than those of a few players, who may have to wait for the next tick


class Due(NamedTuple):
    """A table whose time is up, and who opened it."""

    table: str
    creator: str


_DUE: Final = Prepared(
    select(Table.id, Table.creator_id)
    .where(Table.phase != "closed", Table.deadline <= bindparam("now"))
    .order_by(Table.deadline)
    .limit(_AT_ONCE)
)


def due(connection: Connection, now: datetime) -> list[Due]:
    """Tables whose time is up, the longest overdue first."""
    return [Due(*row) for row in _DUE.all(connection, {"now": now})]


def time_up(
    database: Database, table_id: str, terms: Terms, now: datetime, tell: Callable[[str, int], object]
) -> bool:
    """Play on at one table; False if somebody acted meanwhile. `tell(table, last event)` is called after the commit."""
    with database.read() as session:
        table = load(session, table_id)
        if table.deadline is None or table.deadline > now:
            return False
        change = plan_time_up(session, table, terms, now)
    try:
        with database.write() as session:
            after = commit(session, change, now)
    except PlanStale:
        return False
    tell(after.id, after.last_event)
    return True
