"""Recall of matches: every deal in full, for those who may see it."""

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from api.models import Event
from api.services.errors import Conflict
from api.services.tables.model import Json, TableData
from api.services.tables.recall import ended_in_parts, own_results, page_of, row_of, told
from api.services.tables.telling import redacted
from casino.deal_game import DEAL
from casino.record import VERSION, Record

_OPEN: Final = "open"
_PREFIX: Final = "dea"
_TYPES: Final = ("played", "called", "caught", "drew")
# What is told of a deal when it is over, in this order.
_TOLD: Final = (
    "dealer", "hands", "turned", "scores", "winners", "reason", "totals", "won", "stake", "chips", "rules_hash",
    "engine",
)  # fmt: skip


def deals(
    session: Session, table: TableData, player: str, *, before: int | None, limit: int, status: str | None
) -> list[Json]:
    """The deals of a table, newest first; an open one is named, its cards are not."""
    rows = page_of(session, table, _PREFIX, before=before, limit=limit, status=status)
    own = own_results(session, [row.id for row in rows], player)
    return [_deal(row, table, own.get(row.id)) for row in rows]


def deal(session: Session, table: TableData, player: str, deal_id: str) -> Json:
    """One deal in full: cards, choices, who chose, its record, chips, your balances. Raises NotFound."""
    row = deal_row(session, table, deal_id)
    own = own_results(session, [row.id], player).get(row.id)
    return (
        _whole(session, table, [row], player, {row.id: own})[0]
        if row.status != _OPEN
        else _deal(row, table, own)
    )


def record_text(session: Session, table: TableData, deal_id: str) -> str:
    """The record of a deal that is over as lines that people read, and type. Raises NotFound, Conflict."""
    row = deal_row(session, table, deal_id)
    if row.status == _OPEN:
        raise Conflict("a deal has a record once it is over", code="not_settled")
    played = actions(choices_of(session, table, [row])[row.number])
    return Record.from_json(record_of(table, row, played)).to_text()


def deal_row(session: Session, table: TableData, deal_id: str) -> Any:
    """The row of one deal, an open one's secrets too. Raises NotFound."""
    return row_of(session, table, _PREFIX, deal_id, "deal")


def export_ndjson(session: Session, table: TableData, player: str) -> Iterator[str]:
    """Every deal that is over in full, oldest first, one JSON object a line."""
    for rows in ended_in_parts(session, table, _PREFIX):
        own = own_results(session, [row.id for row in rows], player)
        for shown in _whole(session, table, rows, player, own):
            yield json.dumps(shown, ensure_ascii=False, separators=(",", ":")) + "\n"


def _deal(row: Any, table: TableData, own: Json | None) -> Json:
    return told(row, table, own, {name: row.record[name] for name in _TOLD if name in row.record})


def _whole(
    session: Session,
    table: TableData,
    rows: Sequence[Any],
    player: str,
    own: dict[str, Json | None] | dict[str, Json],
) -> list[Json]:
    choices = choices_of(session, table, rows)
    return [
        {
            **_deal(row, table, own.get(row.id)),
            "choices": [
                redacted(event.n, event.at, dict(event._mapping), player, DEAL)
                for event in choices[row.number]
            ],
            "record": record_of(table, row, actions(choices[row.number])),
        }
        for row in rows
    ]


def choices_of(session: Session, table: TableData, rows: Sequence[Any]) -> dict[int, list[Any]]:
    """The events in which somebody chose, of these deals (in order of number), by the number of the deal."""
    found: dict[int, list[Any]] = {row.number: [] for row in rows}
    if rows:
        first, last = rows[0].record["events"][0], rows[-1].record["events"][1]
        query = select(Event.__table__).where(
            Event.table_id == table.id, Event.n >= first, Event.n <= last, Event.type.in_(_TYPES)
        )
        for event in session.execute(query.order_by(Event.n)):
            if event.coup in found and "by" in event.data:
                found[event.coup].append(event)
    return found


def actions(choices: Sequence[Any]) -> list[list[Any]]:
    """The actions that these events tell of, as [seat, text]."""
    return [[event.seat, _text(event)] for event in choices]


def _text(event: Any) -> str:
    match event.type:
        case "played":
            return str(event.data["action"])
        case "called":
            return "macao"
        case "caught":
            return f"catch {event.data['caught']}"
        case _:
            return "draw"


def record_of(table: TableData, row: Any, played: list[list[Any]]) -> Json:
    """The deal as a record that replays card by card (`casino/record.py`); its seed is the key of this deal alone."""
    record = row.record
    return {
        "version": VERSION,
        "game": table.game,
        "options": {name: value for name, value in table.options.items() if name != "match"},
        "seats": len(table.sitters),
        "setup": {DEAL: {"number": row.number, "dealer": record["dealer"]}},
        "seed": record["seed"],
        "actions": played,
        "shuffles": record["shuffles"],
    }
