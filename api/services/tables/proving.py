"""Proofs: all that it takes to deal a finished bank again (`casino/banking/proof.py`)."""

from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from api.models import Coup, Event
from api.services.errors import Conflict
from api.services.tables.model import Json, TableData
from api.services.tables.recall import bank_row, names_of_bank
from casino import chance
from casino.banking.proof import VERBS
from casino.proof import dump


def proof(session: Session, table: TableData, bank_id: str) -> bytes:
    """The proof of a bank that is over. Raises NotFound, or Conflict while its seed is secret."""
    bank = bank_row(session, table, bank_id)
    if bank.revealed_at is None:
        raise Conflict("the seed of this bank is revealed when the bank is over", code="not_revealed")
    lot = bank.number == 0
    name, label = names_of_bank(table, bank)
    return dump(
        {
            "version": chance.VERSION,
            "table": name,
            "bank": label,
            "number": bank.number,
            "rules": table.options,
            "commitment": bank.commitment,
            "server_seed": bank.server_seed.hex(),
            "client_seeds": [] if lot else bank.client_seeds,
            "seats": len(table.sitters),
            "banker": bank.banker_seat,
            "shuffles": bank.shuffles,
            "coups": [] if lot else _coups(session, table, bank.id),
            "draws": _draws(session, table) if lot else None,
        }
    )


def _coups(session: Session, table: TableData, bank_id: str) -> list[Json]:
    """The settled coups of a bank in order, with every step of play."""
    query = select(Coup.record).where(Coup.bank_id == bank_id, Coup.status == "settled").order_by(Coup.number)
    records = list(session.scalars(query))
    play = steps(session, table, records)
    return [
        {
            "number": record["coup"],
            "order": record["played_by"],
            "stakes": record["stakes"],
            "play": play.get(record["coup"], []),
            "hands": record["hands"],
            "net": record["net"],
        }
        for record in records
    ]


def steps(session: Session, table: TableData, records: list[Json]) -> dict[int, list[list[Any]]]:
    """Every step [seat, verb] of settled coups of one table, in order, by the number of the coup."""
    if not records:
        return {}
    first, last = records[0]["events"][0], records[-1]["events"][1]
    query = select(Event.coup, Event.seat, Event.type).where(
        Event.table_id == table.id, Event.n >= first, Event.n <= last, Event.type.in_(VERBS)
    )
    found: dict[int, list[list[Any]]] = {}
    for row in session.execute(query.order_by(Event.n)):
        found.setdefault(row.coup, []).append([row.seat, VERBS[row.type]])
    return found


def _draws(session: Session, table: TableData) -> list[Json]:
    query = select(Event.data).where(Event.table_id == table.id, Event.type == "seated").order_by(Event.n)
    return next((data["draws"] for data in session.scalars(query) if "draws" in data), [])
