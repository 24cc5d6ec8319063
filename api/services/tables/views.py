"""What a player may see of a table. Made of what the engine's view lists for his seat, never of the state."""

from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import Select, bindparam, or_, select
from sqlalchemy.orm import Session

from api.db import Database
from api.models import Account, Player, Seat, Table
from api.prepared import Prepared
from api.services import limits, limits_used
from api.services.tables.change import Change
from api.services.tables.families import conductor_of
from api.services.tables.model import OPEN, Json, TableData, load_all
from api.services.tables.play import Terms
from api.services.tables.telling import redacted, stamp
from casino.game import State


def table_view(
    table: TableData, player: str, terms: Terms, now: datetime, live: State[Any] | None = None
) -> Json:
    """The table as this player may see it, with his legal actions; `play` only for seats and spectators."""
    sitter = table.seat_of(player)
    shown: Json = {
        **summary(table, player),
        "options": table.options,
        "engine": table.engine,
        "deadline": stamp(table.deadline),
        "events": table.last_event,
        "you": None,
        **conductor_of(table.game).shown(table, player, terms, now, live),
    }
    if sitter is not None:
        purse = shown["play"]["purse"] if table.practice and shown["play"] else table.balance(sitter)
        shown["you"] = {"seat": sitter.number, "balance": purse}
    return shown


def summary(table: TableData, player: str) -> Json:
    """What a list of tables tells of one."""
    return {
        "id": table.id,
        "game": table.game,
        "family": table.family,
        "rules_hash": table.rules_hash,
        "version": table.version,
        "phase": table.phase,
        "bank": table.bank,
        "stakes": "practice" if table.practice else "chips",
        "turn_seconds": table.turn_seconds,
        "private": table.private,
        "spectators": table.spectators,
        "created_at": stamp(table.created_at),
        "closed_at": stamp(table.closed_at),
        "seats": [sitter.to_json(player) for sitter in table.sitters],
        **conductor_of(table.game).summary(table),
    }


def answer(change: Change, table: TableData, player: str, terms: Terms, now: datetime) -> Json:
    """The answer to an action: the view after it, and the events that it set off."""
    happenings = [] if change.silent else change.happenings
    first, unit = table.last_event - len(happenings) + 1, conductor_of(table.game).unit
    events = [
        redacted(first + index, now, happening._asdict(), player, unit)
        for index, happening in enumerate(happenings)
    ]
    return {**table_view(table, player, terms, now, change.live), "new_events": events, **change.report}


Parts = tuple[object, ...]


@lru_cache
def _own(figures: tuple[str, ...] = ()) -> Prepared:
    """What the tag of a view depends on for somebody who has a seat, with these figures for his limits."""
    return Prepared(
        select(Table.version, Table.closed_at, Seat.number, Account.balance, Player.limits)
        .add_columns(*limits_used.columns(figures))
        .select_from(Table)
        .join(Seat, Seat.table_id == Table.id)
        .join(Player, Player.id == Seat.player_id)
        .outerjoin(Account, Account.id == Seat.account_id)
        .where(Table.id == bindparam("id"), Seat.player_id == bindparam("player"))
    )


def parts_of_tag(table: TableData, player: str) -> Parts:
    """What the view, and so its entity tag, depends on: the version, whose view it is, his balance, and what his
    limits leave him."""
    sitter = table.seat_of(player)
    if sitter is None:
        return (table.id, table.version, player, "-", "-")
    left = sitter.allowance.key if sitter.allowance is not None else ()
    return (table.id, table.version, player, sitter.number, table.balance(sitter), *left)


def own_parts(database: Database, table_id: str, player: str, now: datetime) -> Parts | None:
    """The same for somebody who has a seat there, in a look-up or two; None where the table is to be read in full.

    All that may change meanwhile is of one moment: whose limits need figures is asked for everything again with them.
    """
    with database.glance() as connection:
        wanted = {"id": table_id, "player": player}
        row = _own().first(connection, wanted)
        figures = _figures(row, now)
        if figures:
            row = _own(figures).first(connection, {**wanted, **limits_used.moment(player, now)})
            if _figures(row, now) != figures:  # he has just changed his limits, or left
                return None
        if row is None:
            return None
        allowance = limits.left(connection, player, row.limits, row, now) if _is_limited(row) else None
    left = allowance.key if allowance is not None else ()
    return (table_id, row.version, player, row.number, row.balance or 0, *left)


def _is_limited(row: Any | None) -> bool:
    """Are a player's limits held to at this seat? At practice tables, which have no accounts, they are not."""
    return row is not None and bool(row.limits) and row.balance is not None and row.closed_at is None


def _figures(row: Any | None, now: datetime) -> tuple[str, ...]:
    return limits.figures(row.limits, now) if row is not None and _is_limited(row) else ()


def listed(
    session: Session,
    player: str,
    *,
    mine: bool,
    joinable: bool,
    game: str | None,
    before: str | None,
    limit: int,
) -> list[TableData]:
    """Tables that a player may see, newest first: public ones, and those he has a seat at or opened."""
    query = _visible(player, mine=mine, joinable=joinable)
    if game is not None:
        query = query.where(Table.game == game)
    if before is not None:
        query = query.where(Table.id < before)
    return load_all(session, list(session.scalars(query.order_by(Table.id.desc()).limit(limit))))


def _visible(player: str, *, mine: bool, joinable: bool) -> Select[str]:
    sits = select(Seat.table_id).where(Seat.player_id == player)
    free = select(Seat.table_id).where(Seat.kind == OPEN)
    own = or_(Table.creator_id == player, Table.id.in_(sits))
    public = Table.private.is_(False) & Table.closed_at.is_(None) & or_(Table.spectators, Table.id.in_(free))
    query = select(Table.id).where(own if mine else or_(own, public))
    if joinable:
        query = query.where(Table.closed_at.is_(None), Table.id.in_(free))
    return query
