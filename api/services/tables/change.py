"""What an action will change, as planned in a read, and how it is written in one transaction."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache, partial
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, bindparam, select, update
from sqlalchemy.orm import Session

from api.db import Turn, after_commit, at_the_end
from api.models import HOUSE, Bank, Coup, CoupResult, Event, Player, Seat, Table
from api.prepared import Batch, Prepared, inserting
from api.services import audit_log, ledger
from api.services.errors import InsufficientFunds, PlanStale
from api.services.tables.model import BOT, Json, Sitter, TableData
from casino.game import State


class Happening(NamedTuple):
    """An event to be. `private` adds to `data` for single players, by their id."""

    type: str
    seat: int | None
    coup: int | None
    data: Json
    private: Json | None = None


@dataclass(slots=True)
class Change:
    """Everything that one request changes at one table.

    `counted_on` are the balances (account: chips) that the plan took for granted, `moves` the ledger's entries,
    the row lists are values for the database (of `results` with the `account` whose balances they tell). `report` goes
    into the answer, `live` is the state as it then is; a `silent` change leaves its events out of the answer, for they
    are many. `thought`: what its bots took to think, in seconds of a processor.
    """

    table: TableData
    state: Json
    phase: str
    deadline: datetime | None
    closed_at: datetime | None = None
    counted_on: Mapping[int, int] = field(default_factory=dict)
    moves: list[ledger.Entry] = field(default_factory=list)
    happenings: list[Happening] = field(default_factory=list)
    new_banks: list[Json] = field(default_factory=list)
    banks: list[Json] = field(default_factory=list)
    new_coups: list[Json] = field(default_factory=list)
    coups: list[Json] = field(default_factory=list)
    results: list[Json] = field(default_factory=list)
    sitters: list[Sitter] = field(default_factory=list)
    settings: Json | None = None
    report: Json = field(default_factory=dict)
    live: State[Any] | None = None
    silent: bool = False
    thought: float = 0.0

    @property
    def version(self) -> int:
        """The table's version once this is written."""
        return self.table.version + 1

    @property
    def ended(self) -> list[str]:
        """How the coups ended that this ends, those that it also begins included."""
        written = (row.get("status", "open") for row in (*self.new_coups, *self.coups))
        return [status for status in written if status != "open"]


def bot_returns(table: TableData) -> list[ledger.Entry]:
    """What the house lent the bots of a table that was never begun, on its way back."""
    return [
        ledger.Entry(sitter.account, HOUSE, table.balance(sitter), "bot_return", table.id)
        for sitter in table.sitters
        if sitter.kind == BOT and sitter.account is not None and table.balance(sitter)
    ]


_STEP: Final = Prepared(
    update(Table)
    .where(Table.id == bindparam("this"), Table.version == bindparam("planned"))
    .values(
        {
            name: bindparam(name)
            for name in ("version", "state", "phase", "deadline", "last_event", "closed_at")
        }
    )
)
_NEW_EVENT: Final = inserting(Event)
_NEW_BANK, _NEW_COUP, _NEW_RESULT = inserting(Bank), inserting(Coup), inserting(CoupResult, besides=["id"])


def commit(session: Session, change: Change, now: datetime, player: str | None = None) -> TableData:
    """Write a change, for the player who asked for it; the table as it then is.

    Its chips move when all else is done, the answer made included: the head of the ledger's chain, for which all
    tables queue, is locked for that moment only. Raises PlanStale, then too, where it was planned for another state.
    """
    table = change.table
    connection = session.connection()
    _move_table(connection, change)
    batch = Batch()
    batch.add(_NEW_BANK, *change.new_banks)
    batch.add(_NEW_COUP, *change.new_coups)
    if not change.moves:
        batch.add(_NEW_RESULT, *change.results)
    _update(batch, Bank, change.banks)
    _update(batch, Coup, change.coups)
    batch.add(_NEW_EVENT, *_event_rows(change, now))
    batch.run(connection)
    if change.moves:
        firm = _firm(change, player)
        at_the_end(session, Turn.LEDGER, partial(_move_chips, change=change, firm=firm, now=now))
    _write_sitters(connection, change, now)
    if ended := change.ended:
        after_commit(session, partial(_count, table.game, ended))
    if change.closed_at is not None:
        after = {"phase": change.phase, "version": change.version}
        audit_log.note(session, "table_closed", table.id, now, before={"phase": table.phase}, after=after)
    return _after(change)


def _firm(change: Change, player: str | None) -> set[int]:
    """Wallets that must hold what the plan counted on: his who is told what he then holds, and theirs whose limits
    were held to. What others win or lose elsewhere meanwhile holds up nobody."""
    spent = {entry.source for entry in change.moves}
    return {
        sitter.account
        for sitter in change.table.sitters
        if sitter.account is not None
        and (sitter.player == player or (sitter.limits and sitter.account in spent))
    }


def _move_chips(session: Session, change: Change, firm: set[int], now: datetime) -> None:
    """Post the transfers, and write what was won and lost with the balances as they turn out to be."""
    try:
        posted = ledger.post(session, change.moves, now)
    except InsufficientFunds:
        # It may be another player who spent it elsewhere: what he has is not told, and the next plan does without him.
        if ledger.balances_of(session, change.counted_on) != change.counted_on:
            raise PlanStale from None
        raise
    held = _held_before(posted)
    drift = {account: held.get(account, counted) - counted for account, counted in change.counted_on.items()}
    if any(drift.get(account) for account in firm):
        raise PlanStale
    rows = [_drifted(row, drift.get(row["account"], 0)) for row in change.results]
    _NEW_RESULT.run_many(session.connection(), rows)


def _drifted(row: Json, by: int) -> Json:
    return {**row, **{name: row[name] + by for name in ("balance_before", "balance_after")}}


def _count(game: str, ends: list[str]) -> None:
    # Imported at the first coup: it reads where processes count together from the environment when it is imported.
    from api.metrics import count_coups  # noqa: PLC0415

    count_coups(game, ends)


def _move_table(connection: Connection, change: Change) -> None:
    """Take the step from the planned version to the next, or raise PlanStale."""
    table = change.table
    values: Json = {
        "version": change.version,
        "state": change.state,
        "phase": change.phase,
        "deadline": change.deadline,
        "last_event": table.last_event + len(change.happenings),
        "closed_at": change.closed_at,
    }
    if change.settings is not None:
        connection.execute(update(Table).where(Table.id == table.id).values(settings=change.settings))
    key = {"this": table.id, "planned": table.version}
    if _STEP.count(connection, {**values, **key}) != 1:
        raise PlanStale


def _update(batch: Batch, model: type[Bank] | type[Coup], rows: list[Json]) -> None:
    for row in rows:
        values = {name: value for name, value in row.items() if name != "id"}
        batch.add(_updating(model, tuple(values)), {**values, "this": row["id"]})


@lru_cache(maxsize=64)
def _updating(model: type[Bank] | type[Coup], names: tuple[str, ...]) -> Prepared:
    """The statement that changes these columns of a row."""
    new: Json = {name: bindparam(name) for name in names}
    return Prepared(update(model).where(model.id == bindparam("this")).values(new))


def _held_before(posted: list[ledger.Posted]) -> dict[int, int]:
    """What each account held when its first transfer was posted."""
    held: dict[int, int] = {}
    for done in posted:
        held.setdefault(done.entry.source, done.source_after + done.entry.amount)
        held.setdefault(done.entry.target, done.target_after - done.entry.amount)
    return held


def _event_rows(change: Change, now: datetime) -> list[Json]:
    first = change.table.last_event + 1
    return [
        {"table_id": change.table.id, "n": first + index, "at": now, **happening._asdict()}
        for index, happening in enumerate(change.happenings)
    ]


def _write_sitters(connection: Connection, change: Change, now: datetime) -> None:
    for sitter in change.sitters:
        seat = (Seat.table_id == change.table.id) & (Seat.number == sitter.number)
        connection.execute(update(Seat).where(seat).values(joined_at=now, **sitter.row()))
    _check_people(connection, {sitter.player: sitter.limits for sitter in change.sitters if sitter.player})


def _check_people(connection: Connection, limits: Mapping[str, Json | None]) -> None:
    """Whoever takes a seat must not have been deleted or have set himself limits since the plan."""
    if not limits:
        return
    people = select(Player.id, Player.limits).where(Player.id.in_(limits), Player.deleted_at.is_(None))
    if {row.id: row.limits for row in connection.execute(people)} != limits:
        raise PlanStale


def _after(change: Change) -> TableData:
    """The table at its new version, with what its seats hold once the chips have moved."""
    table = change.table
    balances = dict(table.balances)
    for entry in change.moves:
        for account, chips in ((entry.source, -entry.amount), (entry.target, entry.amount)):
            if account in balances:
                balances[account] += chips
    table.balances = balances
    table.version += 1
    table.stored = change.state
    table.phase = change.phase
    table.deadline = change.deadline
    table.closed_at = change.closed_at
    table.last_event += len(change.happenings)
    if change.settings is not None:
        table.settings = change.settings
    return table
