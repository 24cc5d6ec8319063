"""Experiments that players order: quotas, what is told of them, cancelling, deleting. Loads none of the analysis.

How a request becomes an order is in api/services/experiment_requests.py, how it is played in api/jobs.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil
from typing import Any, Final

from sqlalchemy import ColumnElement, case, delete, func, select
from sqlalchemy.orm import Session, defer

from analysis.intervals import mean_interval, share_interval
from api.ids import new_id
from api.models import ExperimentChunk, ExperimentOrder, ExperimentResult, Player
from api.models.experiments import CANCELLED, DONE, OPEN, RUNNING, STATUSES, WAITING
from api.services import audit_log
from api.services.errors import Conflict, Invalid, LimitReached, NotFound
from api.times import rfc3339, rfc3339_or_none

QUOTA_WINDOW: Final = timedelta(hours=24)
PARTIAL_CELLS: Final = 50  # cells of which partial results are told
_ASK_AGAIN: Final = 30  # seconds, where nobody knows when one of them ends
_RATE: Final = 5e7  # coups a second that estimates count on, as those of the analysis do
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A request worked out: its cells, and the most that will be played."""

    request: Json
    label: str
    hash: str
    specs: list[Json]
    chunks: int
    coups: int


def create(
    session: Session, player_id: str, prepared: Prepared, now: datetime, *, at_once: int, coups_a_day: int
) -> Json:
    """Order an experiment; as `told`. Raises Invalid (`too_costly`) and LimitReached with cost and cap, NotFound for a
    player who is gone."""
    # His orders one after another, so that two at once do not both find room.
    his = select(Player.id).where(Player.id == player_id, Player.deleted_at.is_(None)).with_for_update()
    if session.execute(his).one_or_none() is None:
        raise NotFound(f"there is no player «{player_id[:40]}»")
    _check_cost(session, player_id, prepared.coups, now, coups_a_day)
    _check_number(session, player_id, at_once)
    old = ExperimentOrder.deleted_at < now - QUOTA_WINDOW
    session.execute(delete(ExperimentOrder).where(ExperimentOrder.player_id == player_id, old))
    order = ExperimentOrder(
        id=new_id("exp", now),
        player_id=player_id,
        label=prepared.label,
        status=WAITING,
        request=prepared.request,
        specs=prepared.specs,
        hash=prepared.hash,
        cells=len(prepared.specs),
        chunks=prepared.chunks,
        coups=prepared.coups,
        done=0,
        played=0,
        resumed_done=0,
        resumed_played=0,
        idle_tries=0,
        created_at=now,
        updated_at=now,
    )
    session.add(order)
    session.flush()
    audit_log.note(session, "experiment_ordered", order.id, now, after=_ordered(order))
    return told(session, player_id, order.id)


def _ordered(order: ExperimentOrder) -> Json:
    """What the audit log tells of an order. Its label is the player's own words: it is left out."""
    return {
        "status": order.status,
        "hash": order.hash,
        "cells": order.cells,
        "chunks": order.chunks,
        "coups": order.coups,
    }


def _reached(order: ExperimentOrder) -> Json:
    """The same of how far it is."""
    return {"status": order.status, "chunks": order.done, "coups": order.played}


def _check_cost(session: Session, player_id: str, coups: int, now: datetime, cap: int) -> None:
    seconds = coups / _RATE
    if coups > cap:
        raise Invalid(
            f"this may take {coups:.3g} coups, some {seconds:.3g} seconds of a processor; the most that one player may"
            f" order in 24 hours are {cap:.3g}: fewer sessions, coups or cells",
            code="too_costly",
            members={"cost": coups, "cap": cap},
        )
    since = now - QUOTA_WINDOW
    ended = ExperimentOrder.status.not_in(OPEN)
    counted = case((ended, ExperimentOrder.played), else_=ExperimentOrder.coups)
    recent = (ExperimentOrder.player_id == player_id, ExperimentOrder.created_at > since)
    spent, first = session.execute(
        select(func.coalesce(func.sum(counted), 0), func.min(ExperimentOrder.created_at)).where(*recent)
    ).one()
    left = max(0, cap - int(spent))
    if coups > left:
        wait = ceil((first + QUOTA_WINDOW - now).total_seconds())
        raise LimitReached(
            f"this may take {coups:.3g} coups, some {seconds:.3g} seconds of a processor; of the {cap:.3g} that one"
            f" player may order in 24 hours {left:.3g} are left",
            code="experiment_quota",
            retry_after=max(1, wait),
            members={"cost": coups, "cap": cap, "left": left},
        )


def _check_number(session: Session, player_id: str, at_once: int) -> None:
    mine = (ExperimentOrder.player_id == player_id, ExperimentOrder.status.in_(OPEN))
    count = session.execute(select(func.count()).select_from(ExperimentOrder).where(*mine)).scalar_one()
    if count >= at_once:
        raise LimitReached(
            f"{count} of your experiments wait or run, the most at a time are {at_once}: wait for one, or cancel it",
            code="too_many_experiments",
            retry_after=_ASK_AGAIN,
            members={"running": count, "cap": at_once},
        )


def find(session: Session, player_id: str, experiment_id: str, *, lock: bool = False) -> ExperimentOrder:
    """An experiment of this player. Raises NotFound, for those of others too."""
    wanted = select(ExperimentOrder).where(
        ExperimentOrder.id == experiment_id,
        ExperimentOrder.player_id == player_id,
        ExperimentOrder.deleted_at.is_(None),
    )
    light = wanted.options(defer(ExperimentOrder.specs), defer(ExperimentOrder.rows))
    order = session.scalars(light.with_for_update() if lock else light).one_or_none()
    if order is None:
        raise NotFound(f"there is no experiment «{experiment_id[:40]}» of yours")
    return order


def told(session: Session, player_id: str, experiment_id: str) -> Json:
    """All that is told of an experiment but its results. Raises NotFound."""
    order = find(session, player_id, experiment_id)
    partial = [] if order.status == DONE else _partial(session, order)
    return {**_head(order), "request": order.request, "partial_results": partial}


def listing(
    session: Session, player_id: str, before: str | None, limit: int, status: str | None
) -> list[Json]:
    """A player's experiments, the newest first."""
    mine: list[ColumnElement[bool]] = [
        ExperimentOrder.player_id == player_id,
        ExperimentOrder.deleted_at.is_(None),
    ]
    mine += [] if before is None else [ExperimentOrder.id < before]
    mine += [] if status is None else [ExperimentOrder.status == status]
    heavy = (ExperimentOrder.request, ExperimentOrder.specs, ExperimentOrder.rows)
    wanted = select(ExperimentOrder).where(*mine).order_by(ExperimentOrder.id.desc()).limit(limit)
    return [_head(order) for order in session.scalars(wanted.options(*map(defer, heavy)))]


def _head(order: ExperimentOrder) -> Json:
    rate, left = _pace(order)
    return {
        "id": order.id,
        "label": order.label,
        "status": order.status,
        "hash": order.hash,
        "cells": order.cells,
        "chunks": {"done": order.done, "total": order.chunks},
        "coups": {"played": order.played, "most": order.coups},
        "rate": rate,
        "seconds_left": left,
        "fault": order.fault,
        "created_at": rfc3339(order.created_at),
        "started_at": rfc3339_or_none(order.started_at),
        "finished_at": rfc3339_or_none(order.finished_at),
    }


def _pace(order: ExperimentOrder) -> tuple[float | None, float | None]:
    """Coups a second since it was last taken up, and seconds to the end at that pace, at most."""
    if order.status != RUNNING or order.resumed_at is None or order.done == order.resumed_done:
        return None, None
    seconds = (order.updated_at - order.resumed_at).total_seconds()
    if seconds <= 0:
        return None, None
    each = seconds / (order.done - order.resumed_done)
    return round((order.played - order.resumed_played) / seconds, 1), round(
        each * (order.chunks - order.done), 1
    )


def _partial(session: Session, order: ExperimentOrder) -> list[Json]:
    """What the chunks stored so far say of the first cells: ruin, mean gain in chips."""
    chunk = ExperimentChunk
    sums = (
        select(
            chunk.cell,
            func.sum(chunk.sessions).label("sessions"),
            func.sum(chunk.ruined).label("ruined"),
            func.sum(chunk.gain).label("gain"),
            func.sum(chunk.gain_squared).label("squares"),
        )
        .where(chunk.experiment_id == order.id, chunk.cell < PARTIAL_CELLS)
        .group_by(chunk.cell)
        .order_by(chunk.cell)
    )
    return [
        {
            "cell": row.cell,
            "sessions": int(row.sessions),
            "ruin": share_interval(int(row.ruined), int(row.sessions)).to_json(),
            "gain": mean_interval(row.gain, row.squares, int(row.sessions)).to_json(),
        }
        for row in session.execute(sums)
    ]


def cancel(session: Session, player_id: str, experiment_id: str, now: datetime) -> Json:
    """Stop an experiment; chunks under way are not kept. One that is cancelled already stays so.

    Raises NotFound, and Conflict (`experiment_over`) where it is done or has failed.
    """
    order = find(session, player_id, experiment_id, lock=True)
    if order.status in OPEN:
        before = _reached(order)
        order.status, order.finished_at, order.updated_at = CANCELLED, now, now
        session.flush()
        audit_log.note(session, "experiment_cancelled", order.id, now, before=before, after=_reached(order))
    elif order.status != CANCELLED:
        raise Conflict(f"the experiment is over: {order.status}", code="experiment_over")
    return told(session, player_id, experiment_id)


def remove(session: Session, player_id: str, experiment_id: str, now: datetime) -> None:
    """Delete an experiment with its results, stopping it first. Raises NotFound."""
    order = find(session, player_id, experiment_id, lock=True)
    audit_log.note(session, "experiment_deleted", order.id, now, before=_reached(order))
    if order.status in OPEN:
        order.status, order.finished_at = CANCELLED, now
    order.request, order.specs, order.rows, order.label, order.fault = None, None, None, "", None
    order.deleted_at = order.updated_at = now
    session.flush()
    _drop_parts(session, [experiment_id])


def forget(session: Session, player_id: str) -> int:
    """Delete all experiments of a player who is deleted; how many he had not deleted himself."""
    wanted = select(ExperimentOrder.id, ExperimentOrder.deleted_at).where(
        ExperimentOrder.player_id == player_id
    )
    mine = session.execute(wanted.with_for_update()).all()  # so that no worker stores a chunk meanwhile
    _drop_parts(session, [row.id for row in mine])
    session.execute(delete(ExperimentOrder).where(ExperimentOrder.player_id == player_id))
    return sum(row.deleted_at is None for row in mine)


def _drop_parts(session: Session, ids: list[str]) -> None:
    for part in (ExperimentChunk, ExperimentResult):
        session.execute(delete(part).where(part.experiment_id.in_(ids)))


def exported(session: Session, player_id: str) -> Iterator[Json]:
    """A player's experiments with their requests and tables of results, for his export."""
    wanted = (
        select(ExperimentOrder)
        .where(ExperimentOrder.player_id == player_id, ExperimentOrder.deleted_at.is_(None))
        .options(defer(ExperimentOrder.specs))
        .order_by(ExperimentOrder.id)
        .execution_options(yield_per=20)
    )
    for order in session.scalars(wanted):
        yield {**_head(order), "request": order.request, "table": order.rows}


def table(session: Session, player_id: str, experiment_id: str) -> tuple[ExperimentOrder, list[Json]]:
    """The finished experiment and its table of results. Raises NotFound, and Conflict (`not_done`)."""
    order = find(session, player_id, experiment_id)
    if order.status != DONE:
        raise Conflict(
            f"there are results when the experiment is done; it is {order.status}, with {order.done} of"
            f" {order.chunks} chunks",
            code="not_done",
        )
    rows = session.execute(select(ExperimentOrder.rows).where(ExperimentOrder.id == order.id)).scalar_one()
    return order, rows or []


def cell_summary(session: Session, order: ExperimentOrder, cell: int) -> Json:
    """The summary of one cell of a finished experiment. Raises Invalid."""
    if cell >= order.cells:
        raise Invalid(f"the experiment has the cells 0 to {order.cells - 1}, not {cell}")
    wanted = select(ExperimentResult.summary).where(
        ExperimentResult.experiment_id == order.id, ExperimentResult.cell == cell
    )
    return session.execute(wanted).scalar_one()


def results(session: Session, player_id: str, experiment_id: str, cell: int) -> Json:
    """The table of all cells, and the figures of one; its paths are told by `paths`."""
    order, rows = table(session, player_id, experiment_id)
    whole = cell_summary(session, order, cell)
    figures = {name: value for name, value in whole.items() if name not in ("paths", "fan")}
    return {
        "id": order.id,
        "hash": order.hash,
        "digest": order.digest,
        "table": rows,
        "cell": cell,
        "result": figures,
    }


def paths(session: Session, player_id: str, experiment_id: str, cell: int) -> Json:
    """Some sessions of a cell, and the quantiles of all whose paths are kept, by coup."""
    order, _ = table(session, player_id, experiment_id)
    whole = cell_summary(session, order, cell)
    return {"cell": cell, **whole["paths"], "fan": whole["fan"]}


def by_status(session: Session) -> Mapping[str, int]:
    """How many experiments there are in every status."""
    counted = select(ExperimentOrder.status, func.count().label("number")).where(
        ExperimentOrder.deleted_at.is_(None)
    )
    rows = session.execute(counted.group_by(ExperimentOrder.status))
    found = {row.status: row.number for row in rows}
    return {status: found.get(status, 0) for status in STATUSES}
