"""Proofs: all that it takes to deal and play a match, or one of its deals, again (`casino/match_proof.py`)."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from api.models import Bank, Coup
from api.services.errors import Conflict, NotFound
from api.services.tables.matches.course import PRACTICE
from api.services.tables.matches.deals import actions, choices_of, deal_row
from api.services.tables.model import TableData
from casino import chance
from casino.proof import dump


def proof(session: Session, table: TableData, deal_id: str | None = None) -> bytes:
    """The proof of the match of a table, or of one deal. Raises NotFound, or Conflict while its seed is secret."""
    one = [] if deal_id is None else [deal_row(session, table, deal_id)]
    bank = _seed_row(session, table)
    if bank.revealed_at is None:
        raise Conflict("the seed of a match is revealed when the match is over", code="not_revealed")
    query = (
        select(Coup.__table__).where(Coup.bank_id == bank.id, Coup.status == "settled").order_by(Coup.number)
    )
    rows = one or list(session.execute(query))
    whole = not one
    return dump(
        {
            "version": chance.VERSION,
            "game": table.game,
            "options": table.options,
            "seats": len(table.sitters),
            "table": PRACTICE if table.practice else table.id,
            "commitment": bank.commitment,
            "server_seed": bank.server_seed.hex(),
            "client_seeds": bank.client_seeds,
            "deals": _deals(session, table, rows),
            "totals": _totals(table, rows) if whole else None,
            "ended_by": bank.reason if whole else None,
        }
    )


def _seed_row(session: Session, table: TableData) -> Any:
    row = session.execute(select(Bank.__table__).where(Bank.table_id == table.id, Bank.number == 1)).first()
    if row is None:
        raise NotFound("nothing was shuffled at this table yet")
    return row


def _deals(session: Session, table: TableData, rows: Sequence[Any]) -> list[dict[str, Any]]:
    choices = choices_of(session, table, rows)
    return [
        {
            "number": row.number,
            "dealer": row.record["dealer"],
            "shuffles": [made["cards"] for made in row.record["shuffles"]],
            "actions": actions(choices[row.number]),
            "scores": row.record["scores"],
            "winners": row.record["winners"],
            "reason": row.record["reason"],
        }
        for row in rows
    ]


def _totals(table: TableData, rows: Sequence[Any]) -> list[int]:
    return list(rows[-1].record["totals"]) if rows else [0] * len(table.sitters)
