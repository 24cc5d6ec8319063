"""Chunks and results in the service's own tables: written by workers, each in one short transaction."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, cast

from sqlalchemy import Table, delete, select, tuple_, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from analysis.tally import Tally
from api.db import Database
from api.models import ExperimentChunk, ExperimentOrder, ExperimentResult
from api.models.experiments import DONE, FAILED, OPEN, RUNNING

_CHUNKS: Final = cast(Table, ExperimentChunk.__table__)
MOST_TRIES: Final = 20
_FAULT_LENGTH: Final = 400
_RESULTS: Final = cast(Table, ExperimentResult.__table__)
_AT_ONCE: Final = 200  # rows deleted in one transaction
Json = dict[str, Any]


class NoLongerWanted(Exception):
    """The experiment was cancelled or deleted, or is over."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A chunk that was played: of which cell, its number, its tally."""

    cell: int
    chunk: int
    tally: Tally


def take_up(database: Database, experiment: str, now: datetime) -> list[Json]:
    """Mark an experiment as running; its cells, as `ExperimentOrder.specs`.

    Raises NoLongerWanted. One that was taken up `MOST_TRIES` times and never got a chunk done fails: it may be what
    kills its workers.
    """
    with database.write() as session:
        order = _locked(session, experiment)
        if order.idle_tries >= MOST_TRIES:
            order.status, order.finished_at, order.updated_at = FAILED, now, now
            order.fault = f"taken up {MOST_TRIES} times, and each time ended before a chunk was done"
            return []
        order.status, order.idle_tries = RUNNING, order.idle_tries + 1
        order.started_at = order.started_at or now
        order.resumed_at = order.updated_at = now
        order.resumed_done, order.resumed_played = order.done, order.played
        return order.specs or []


def _locked(session: Session, experiment: str) -> ExperimentOrder:
    wanted = select(ExperimentOrder).where(ExperimentOrder.id == experiment).with_for_update()
    order = session.scalars(wanted).one_or_none()
    if order is None or order.status not in OPEN:
        raise NoLongerWanted(experiment)
    return order


def chunks(database: Database, experiment: str, cell: int) -> Iterator[Tally]:
    """The chunks of a cell that are stored, in the order of their numbers."""
    wanted = (
        select(ExperimentChunk.tally)
        .where(ExperimentChunk.experiment_id == experiment, ExperimentChunk.cell == cell)
        .order_by(ExperimentChunk.chunk)
        .execution_options(yield_per=64)
    )
    with database.read() as session:
        for data in session.scalars(wanted):
            yield Tally.from_bytes(data)


def merged(database: Database, experiment: str, cell: int) -> Tally:
    """All stored chunks of a cell, merged in the order of their numbers."""
    whole = Tally()
    for part in chunks(database, experiment, cell):
        whole.merge(part)
    return whole


def keep(database: Database, experiment: str, part: Stored, now: datetime) -> None:
    """Store a chunk, unless it is there already. Raises NoLongerWanted."""
    (batch,) = part.tally.batches.values()
    row = {
        "experiment_id": experiment,
        "cell": part.cell,
        "chunk": part.chunk,
        "sessions": batch.sessions,
        "ruined": batch.ruined,
        "gain": float(batch.gain),
        "gain_squared": float(batch.gain_squared),
        "tally": part.tally.to_bytes(),
    }
    wanted = select(ExperimentOrder.status).where(ExperimentOrder.id == experiment).with_for_update()
    counted = (
        update(ExperimentOrder)
        .where(ExperimentOrder.id == experiment)
        .values(
            done=ExperimentOrder.done + 1,
            idle_tries=0,
            played=ExperimentOrder.played + part.tally.sums["played"],
            updated_at=now,
        )
    )
    with database.write() as session:
        if session.scalars(wanted).one_or_none() not in OPEN:
            raise NoLongerWanted(experiment)
        if session.connection().execute(_insert(session, _CHUNKS), row).first():
            session.execute(counted)


def _insert(session: Session, table: Table) -> Any:
    """An insert that does nothing where the row is there already; a row comes back if it was not."""
    dialect = sqlite if session.get_bind().dialect.name == "sqlite" else postgresql
    return dialect.insert(table).on_conflict_do_nothing().returning(table.c.experiment_id)


def keep_result(database: Database, experiment: str, cell: int, summary: Json, tally: bytes) -> None:
    """Store what a cell came to, unless it is there already. Raises NoLongerWanted."""
    row = {"experiment_id": experiment, "cell": cell, "summary": summary, "tally": tally}
    with database.write() as session:
        _locked(session, experiment)
        session.connection().execute(_insert(session, _RESULTS), row)


def finish(database: Database, experiment: str, rows: list[Json], digest: str, now: datetime) -> None:
    """Mark an experiment as done, once all of its cells have results. Raises NoLongerWanted."""
    with database.write() as session:
        order = _locked(session, experiment)
        order.status, order.rows, order.digest = DONE, rows, digest
        order.finished_at = order.updated_at = now


def drop_chunks(database: Database) -> None:
    """Delete the chunks of experiments that are done: their results hold the same. Some at a time, so that others
    who write need not wait."""
    done = select(ExperimentOrder.id).where(ExperimentOrder.status == DONE)
    keys = (_CHUNKS.c.experiment_id, _CHUNKS.c.cell, _CHUNKS.c.chunk)
    some = select(*keys).where(_CHUNKS.c.experiment_id.in_(done)).limit(_AT_ONCE)
    while True:
        with database.read() as session:
            found = session.execute(some).all()
        if not found:
            return
        with database.write() as session:
            session.execute(delete(_CHUNKS).where(tuple_(*keys).in_([tuple(row) for row in found])))


def digest_of(tallies: list[bytes]) -> str:
    """Hex SHA-256 of the tallies of all cells, in order: equal results, to the bit, have equal digests."""
    whole = hashlib.sha256()
    for tally in tallies:
        whole.update(hashlib.sha256(tally).digest())
    return whole.hexdigest()


def fail(database: Database, experiment: str, fault: str, now: datetime) -> None:
    """Mark an experiment as failed, with the reason; one that is not wanted any more stays as it is."""
    with database.write() as session:
        try:
            order = _locked(session, experiment)
        except NoLongerWanted:
            return
        order.status, order.fault = FAILED, fault[:_FAULT_LENGTH]
        order.finished_at = order.updated_at = now


def unfinished(session: Session) -> dict[str, datetime]:
    """The experiments that are to be played, the oldest first, with the time of their order."""
    wanted = select(ExperimentOrder.id, ExperimentOrder.created_at).where(ExperimentOrder.status.in_(OPEN))
    return {row.id: row.created_at for row in session.execute(wanted.order_by(ExperimentOrder.id))}
