"""Events of a table: numbered from 1 without gaps, the same number for every viewer, the data each may see."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from api.models import Event, Table
from api.services.tables.model import Json
from api.services.tables.views import redacted


def after(session: Session, table_id: str, player: str, last: int, limit: int) -> list[Json]:
    """Up to `limit` events with numbers above `last`, in order."""
    query = select(Event.__table__).where(Event.table_id == table_id, Event.n > last).order_by(Event.n)
    rows = session.execute(query.limit(limit))
    return [redacted(row.n, row.at, dict(row._mapping), player) for row in rows]


def last_numbers(session: Session, table_ids: list[str]) -> dict[str, tuple[int, bool]]:
    """The number of the last event of each table, and whether the table is closed."""
    query = select(Table.id, Table.last_event, Table.closed_at).where(Table.id.in_(table_ids))
    return {row.id: (row.last_event, row.closed_at is not None) for row in session.execute(query)}
