"""Leases: a task that one process at a time does, on however many hosts, until it hands it back or dies."""

from datetime import datetime, timedelta
from typing import Any, Final, cast

from sqlalchemy import Connection, CursorResult, bindparam, delete, insert, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from api.models import Lease
from api.prepared import Prepared

_FIND: Final = Prepared(select(Lease.holder, Lease.expires_at).where(Lease.name == bindparam("name")))


def free(connection: Connection, name: str, holder: str, now: datetime) -> bool:
    """Could this holder take the lease now? (Asked in a glance, so that those who wait do not write.)"""
    row = _FIND.first(connection, {"name": name})
    return row is None or row.holder == holder or row.expires_at <= now


def take(session: Session, name: str, holder: str, now: datetime, seconds: float) -> bool:
    """Take the lease, or hold on to it, for so many seconds; False if another has it."""
    until = now + timedelta(seconds=seconds)
    mine = or_(Lease.holder == holder, Lease.expires_at <= now)
    step = update(Lease).where(Lease.name == name, mine).values(holder=holder, expires_at=until)
    connection = session.connection()
    if cast(CursorResult[Any], connection.execute(step)).rowcount:
        return True
    if connection.execute(select(Lease.name).where(Lease.name == name)).first():
        return False
    try:
        with connection.begin_nested():
            connection.execute(insert(Lease).values(name=name, holder=holder, expires_at=until))
    except IntegrityError:
        return False
    return True


def give_back(session: Session, name: str, holder: str) -> None:
    """Hand the lease back, if it is this holder's."""
    session.execute(delete(Lease).where(Lease.name == name, Lease.holder == holder))
