"""Opening a table: what is asked for is held against the rules, seats are filled, and play begins if it can."""

import hashlib
import secrets
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from sqlalchemy import func, insert, select
from sqlalchemy.orm import Session

from api.models import Player, Seat, Table
from api.models.ledger import HOUSE as HOUSE_ACCOUNT
from api.services import audit_log, ledger, limits
from api.services.errors import LimitReached, Unauthorized
from api.services.tables.asked import Opening, Plan
from api.services.tables.bank_needed import Spend
from api.services.tables.families import conductor_of
from api.services.tables.model import BOT, HOUSE, OPEN, PLAYER, SAME, Json, Sitter, TableData
from api.services.tables.play import Terms

_AUDITED: Final = ("game", "rules_hash", "bank", "stakes", "turn_seconds", "private", "spectators")


def plan(opening: Opening) -> Plan:
    """Hold an opening against the rules. Raises UnknownGame, RulesError or Invalid, with a pointer."""
    return conductor_of(opening.game).plan(opening)


def foretell(made: Plan, spend: Spend) -> Plan:
    """The plan with what is worked out of its table, for its settings."""
    told = conductor_of(made.opening.game).foretell(made, spend)
    return replace(made, settings={**made.settings, **told})


def rehearse(made: Plan, table_id: str, terms: Terms) -> Any:
    """What bots do as the table begins: they think before the write transaction, not in it."""
    return conductor_of(made.opening.game).rehearse(made, table_id, terms)


def create(
    session: Session,
    made: Plan,
    player: str,
    terms: Terms,
    now: datetime,
    *,
    table_id: str,
    engine: str,
    most_open: int,
) -> tuple[TableData, str | None]:
    """Write the row, seats and accounts of a new table; the table, not yet begun, and the invite if it is private.

    Raises LimitReached, and Conflict where the player's own limits let him begin no play for chips.
    """
    _seat_caller(session, made, player, now)
    _check_number(session, player, most_open)
    invite = secrets.token_urlsafe(12) if made.opening.private else None
    row = _row(made, player, now, table_id=table_id, engine=engine, invite=invite)
    session.execute(insert(Table), [row])
    audit_log.note(session, "table_opened", table_id, now, after={name: row[name] for name in _AUDITED})
    accounts = _accounts(session, made, table_id, player, terms, now)
    balances = _balances(session, made)
    session.execute(insert(Seat), [_seat_row(table_id, sitter, now) for sitter in made.sitters])
    return _opened(made, row, accounts, balances), invite


def _seat_caller(session: Session, made: Plan, player: str, now: datetime) -> None:
    """Put the caller on his seat. Raises Conflict where his own limits let him begin no play for chips.

    His row stays locked, so that of his tables one is opened, and counted, after the other.
    """
    mine = made.sitters[made.mine]
    mine.player = player
    person = select(Player.name, Player.limits).where(Player.id == player, Player.deleted_at.is_(None))
    found = session.execute(person.with_for_update(key_share=True)).one_or_none()
    if found is None:  # deleted since he asked
        raise Unauthorized("this API key is unknown, expired or revoked")
    mine.name, mine.limits = found
    if not made.opening.practice:
        limits.check_free(session, player, mine.limits, now)


def _row(made: Plan, player: str, now: datetime, *, table_id: str, engine: str, invite: str | None) -> Json:
    """The columns of the table."""
    opening, game = made.opening, made.game
    return {
        "id": table_id,
        "creator_id": player,
        "game": opening.game,
        "options": game.options,
        "rules_hash": game.rules_hash,
        "engine": engine,
        "bank": made.bank,
        "stakes": "practice" if opening.practice else "chips",
        "turn_seconds": opening.turn_seconds,
        "private": opening.private,
        "invite_digest": digest(invite) if invite else None,
        "spectators": opening.spectators,
        "settings": {"players": [player], **made.settings},
        "phase": "open",
        "state": {},
        "version": 1,
        "last_event": 0,
        "deadline": None,
        "created_at": now,
        "closed_at": None,
    }


def _balances(session: Session, made: Plan) -> dict[int, int]:
    """What the accounts of the seats hold, locked as the ledger locks, before rows refer to them.

    PostgreSQL locks what a new row refers to. Who held accounts so while he waits for the head of the chain, and who
    has the head while he waits for the accounts, would wait for each other.
    """
    return ledger.balances_of(
        session,
        [sitter.account for sitter in made.sitters if sitter.account not in (None, HOUSE_ACCOUNT)],
    )


def _opened(made: Plan, row: Json, accounts: dict[str, int], balances: dict[int, int]) -> TableData:
    """The table as it was just written, with what its accounts hold."""
    opening = made.opening
    return TableData(
        creator=row["creator_id"],
        practice=opening.practice,
        stored={"accounts": accounts, **({"seed": opening.seed} if opening.practice else {})},
        sitters=made.sitters,
        balances=balances,
        **{name: row[name] for name in SAME},
    )


def _check_number(session: Session, player: str, most: int) -> None:
    open_tables = (
        select(func.count()).select_from(Table).where(Table.creator_id == player, Table.closed_at.is_(None))
    )
    if session.execute(open_tables).scalar_one() >= most:
        raise LimitReached(f"a player may have {most} tables open; leave one first", code="too_many_tables")


def _accounts(
    session: Session, made: Plan, table_id: str, player: str, terms: Terms, now: datetime
) -> dict[str, int]:
    """Escrow and bank of a table for chips; wallets of its seats, the bots' lent by the house."""
    if made.opening.practice:
        return {}
    loans = []
    for sitter in made.sitters:
        if sitter.kind == PLAYER:
            sitter.account = ledger.wallet_of(session, player)
        elif sitter.kind == HOUSE:
            sitter.account = HOUSE_ACCOUNT
        elif sitter.kind == BOT:
            sitter.account = ledger.open_bot(session, table_id, now)
            loans.append(ledger.Entry(HOUSE_ACCOUNT, sitter.account, terms.bot_purse, "bot_loan", table_id))
    escrow, bank = ledger.open_table(session, table_id, now)
    ledger.post(session, loans, now)
    return {"escrow": escrow, "bank": bank}


def _seat_row(table_id: str, sitter: Sitter, now: datetime) -> Json:
    return {"table_id": table_id, "joined_at": None if sitter.kind == OPEN else now, **sitter.row()}


def digest(invite: str) -> bytes:
    """What is kept of an invite code."""
    return hashlib.sha256(invite.encode()).digest()
