"""Events of a table: numbered from 1 without gaps, the same number for every viewer, the data each may see."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from api.db import Database
from api.models import Event, Table
from api.services.tables.families import conductor_of
from api.services.tables.model import Json, TableData
from api.services.tables.telling import redacted


def after(session: Session, table: TableData, player: str, last: int, limit: int) -> list[Json]:
    """Up to `limit` events with numbers above `last`, in order."""
    query = select(Event.__table__).where(Event.table_id == table.id, Event.n > last).order_by(Event.n)
    rows = session.execute(query.limit(limit))
    unit = conductor_of(table.game).unit
    return [redacted(row.n, row.at, dict(row._mapping), player, unit) for row in rows]


def last_events(database: Database, tables: Sequence[str]) -> dict[str, int]:
    """The number of the last event of each of these tables."""
    with database.read() as session:
        rows = session.execute(select(Table.id, Table.last_event).where(Table.id.in_(tables)))
        return {row.id: row.last_event for row in rows}
