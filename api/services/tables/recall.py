"""Recall: every bank and every coup of a table in full, for those who may see it."""

import csv
import io
import json
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Final

from sqlalchemy import Result, Select, select
from sqlalchemy.orm import Session

from api.ids import is_id
from api.models import Bank, Coup, CoupResult, Event
from api.services.errors import NotFound
from api.services.tables.model import Json, TableData, load_watched
from api.services.tables.telling import redacted, stamp
from casino import chance

_PART: Final = 200  # rows
_OPEN: Final = "open"
_COUP: Final = "cou"
CSV_COLUMNS: Final = (
    "table",
    "bank",
    "coup",
    "number",
    "status",
    "settled_at",
    "seat",
    "side",
    "stake",
    "hand",
    "points",
    "natural",
    "net",
    "chips",
    "stakes_for",
)
_CHOICE_TYPES: Final = ("staked", "sat_out", "discarded", "drew", "stood")


def viewed(session: Session, table_id: str, player: str) -> TableData:
    """The table whose past is asked for: its players' and its spectators' only. Raises NotFound."""
    return load_watched(session, table_id, player)


def banks(session: Session, table: TableData, *, before: int | None, limit: int) -> list[Json]:
    """The banks of a table, newest first (the lot for the first banker is number 0)."""
    query = select(Bank.__table__).where(Bank.table_id == table.id)
    if before is not None:
        query = query.where(Bank.number < before)
    rows = session.execute(query.order_by(Bank.number.desc()).limit(limit))
    return [_bank(row, table) for row in rows]


def bank(session: Session, table: TableData, bank_id: str) -> Json:
    """One bank. Raises NotFound."""
    return _bank(bank_row(session, table, bank_id), table)


def bank_row(session: Session, table: TableData, bank_id: str) -> Any:
    """The row of one bank, secrets too. Raises NotFound."""
    query = select(Bank.__table__).where(Bank.table_id == table.id, Bank.id == bank_id)
    row = session.execute(query).first() if is_id(bank_id, "bnk") else None
    if row is None:
        raise NotFound(f"there is no bank «{bank_id[:40]}» at this table")
    return row


def bank_key(session: Session, table: TableData, bank_id: str) -> bytes:
    """The key of a bank's shuffles: never for a client while the bank is open. Raises NotFound."""
    row = bank_row(session, table, bank_id)
    name, label = names_of_bank(table, row)
    return chance.bank_seed(row.server_seed, name, label, [bytes.fromhex(text) for text in row.client_seeds])


def names_of_bank(table: TableData, row: Any) -> tuple[str, str]:
    """The names of table and bank that go into the key; a practice table's are the same every time."""
    return ("practice", str(row.number)) if table.practice else (table.id, row.id)


def _stakes_for(table: TableData) -> str:
    """A practice table is marked so wherever it is told of."""
    return "practice" if table.practice else "chips"


def _bank(row: Any, table: TableData) -> Json:
    """A bank as it may be told: its seed only once it is revealed."""
    revealed = row.revealed_at is not None
    return {
        "id": row.id,
        "table": row.table_id,
        "number": row.number,
        "stakes_for": _stakes_for(table),
        "banker": row.banker_seat,
        "commitment": row.commitment,
        "server_seed": row.server_seed.hex() if revealed else None,
        "client_seeds": row.client_seeds if revealed else None,
        "put_up": row.put_up,
        "left_over": row.left_over,
        "reason": row.reason,
        "opened_at": stamp(row.opened_at),
        "closed_at": stamp(row.closed_at),
        "revealed_at": stamp(row.revealed_at),
    }


def coups(
    session: Session,
    table: TableData,
    player: str,
    *,
    before: int | None,
    limit: int,
    bank_id: str | None = None,
    status: str | None = None,
) -> list[Json]:
    """The coups of a table, newest first; an open one is named, its cards are not."""
    rows = page_of(session, table, _COUP, before=before, limit=limit, bank_id=bank_id, status=status)
    own = own_results(session, [row.id for row in rows], player)
    return [_coup(row, table, own.get(row.id)) for row in rows]


def coup(session: Session, table: TableData, player: str, coup_id: str) -> Json:
    """One coup in full: cards, choices, who chose, stakes, nets, your balances before and after. Raises NotFound."""
    row = coup_row(session, table, coup_id)
    shown = _coup(row, table, own_results(session, [row.id], player).get(row.id))
    if row.status != _OPEN:
        shown["choices"] = _choices(session, table, [row], player)[row.number]
    return shown


def coup_row(session: Session, table: TableData, coup_id: str) -> Any:
    """The row of one coup, an open one's secrets too. Raises NotFound."""
    return row_of(session, table, _COUP, coup_id, "coup")


def page_of(
    session: Session,
    table: TableData,
    prefix: str,
    *,
    before: int | None,
    limit: int,
    bank_id: str | None = None,
    status: str | None = None,
) -> list[Any]:
    """Rows of the coups (or deals: by the prefix of their ids) of a table, newest first."""
    query = _rows(table, prefix)
    if before is not None:
        query = query.where(Coup.number < before)
    if bank_id is not None:
        query = query.where(Coup.bank_id == bank_id)
    if status is not None:
        query = query.where(Coup.status == status)
    return list(session.execute(query.order_by(Coup.number.desc()).limit(limit)))


def row_of(session: Session, table: TableData, prefix: str, name: str, what: str) -> Any:
    """The row of one coup or deal. Raises NotFound."""
    row = (
        session.execute(_rows(table, prefix).where(Coup.id == name)).first() if is_id(name, prefix) else None
    )
    if row is None:
        raise NotFound(f"there is no {what} «{name[:40]}» at this table")
    return row


def _rows(table: TableData, prefix: str) -> Select[Any]:
    return select(Coup.__table__).where(Coup.table_id == table.id, Coup.id.startswith(f"{prefix}_"))


def own_results(session: Session, coup_ids: list[str], player: str) -> dict[str, Json]:
    """What these coups or deals were to a player, by their ids."""
    query = select(
        CoupResult.coup_id,
        CoupResult.seat,
        CoupResult.side,
        CoupResult.stake,
        CoupResult.net,
        CoupResult.balance_before,
        CoupResult.balance_after,
    ).where(CoupResult.player_id == player, CoupResult.coup_id.in_(coup_ids))
    found = {}
    for row in session.execute(query):
        values = dict(row._mapping)
        found[values.pop("coup_id")] = values
    return found


def _coup(row: Any, table: TableData, own: Json | None) -> Json:
    record = {
        name: value for name, value in row.record.items() if name not in ("events", "coup", "coup_event")
    }
    return told(row, table, own, record)


def told(row: Any, table: TableData, own: Json | None, record: Json) -> Json:
    """A coup, or a deal of a match: where it belongs, and once it is over its `record`."""
    over = row.status != _OPEN
    return {
        "id": row.id,
        "table": row.table_id,
        "bank_id": row.bank_id,
        "number": row.number,
        "status": row.status,
        "game": table.game,
        "stakes_for": _stakes_for(table),
        "opened_at": stamp(row.opened_at),
        "settled_at": stamp(row.settled_at),
        "you": own,
        "replay": over,
        **(record if over else {}),
    }


def _choices(session: Session, table: TableData, rows: Sequence[Any], player: str) -> dict[int, list[Json]]:
    """Every choice of these coups (in order of number) and who made it, by the number of the coup."""
    first, last = rows[0].record["events"][0], rows[-1].record["events"][1]
    query = select(Event.__table__).where(
        Event.table_id == table.id, Event.n >= first, Event.n <= last, Event.type.in_(_CHOICE_TYPES)
    )
    found: dict[int, list[Json]] = {row.number: [] for row in rows}
    for event in session.execute(query.order_by(Event.n)):
        if event.coup in found:
            found[event.coup].append(redacted(event.n, event.at, dict(event._mapping), player))
    return found


def export_ndjson(session: Session, table: TableData, player: str) -> Iterator[str]:
    """Every ended coup in full, oldest first, one JSON object a line."""
    for rows in ended_in_parts(session, table, _COUP):
        own = own_results(session, [row.id for row in rows], player)
        choices = _choices(session, table, rows, player)
        for row in rows:
            shown = {**_coup(row, table, own.get(row.id)), "choices": choices[row.number]}
            yield json.dumps(shown, ensure_ascii=False, separators=(",", ":")) + "\n"


def export_csv(session: Session, table: TableData, player: str) -> Iterator[str]:
    """Every ended coup, oldest first, a row for each seat that had a hand or a stake."""
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(CSV_COLUMNS)
    for row in ended(session, table, _COUP):
        writer.writerows(_seat_rows(row, table))
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
    yield buffer.getvalue()


def ended(session: Session, table: TableData, prefix: str) -> Result[Any]:
    """Rows of the coups or deals that are over, oldest first, fetched part by part."""
    query = _rows(table, prefix).where(Coup.status != _OPEN).order_by(Coup.number)
    return session.execute(query.execution_options(yield_per=_PART))


def ended_in_parts(session: Session, table: TableData, prefix: str) -> Iterator[list[Any]]:
    """The same, so many at a time. (With psycopg's cursor on the server `partitions` would keep all till the end.)"""
    rows = iter(ended(session, table, prefix))
    while part := list(islice(rows, _PART)):
        yield part


def _seat_rows(row: Any, table: TableData) -> Iterator[tuple[Any, ...]]:
    record, settled = row.record, row.status == "settled"
    for seat, stake in enumerate(record["stakes"]):
        if not stake and not (settled and record["hands"][seat]):
            continue
        result = (
            [record[name][seat] for name in ("hands", "points", "naturals", "net", "chips")]
            if settled
            else [None, None, None, 0, 0]
        )
        banks = settled and seat == record["banker"]
        side = "banker" if banks else "punter"
        yield (
            table.id,
            row.bank_id,
            row.id,
            row.number,
            row.status,
            stamp(row.settled_at),
            seat,
            side,
            stake,
            *result,
            _stakes_for(table),
        )
