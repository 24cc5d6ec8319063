"""Players: opening, profile, export, deletion. Their keys are in api/services/keys.py."""

import json
import unicodedata
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Select, delete, select, update
from sqlalchemy.orm import Session

from api.ids import new_id
from api.models import MINT, ApiKey, AuditEntry, CoupResult, IdempotencyKey, Player, Refill, Seat, Table
from api.services import audit_log, bankroll, experiments, keys, ledger, limits
from api.services.errors import Conflict, Invalid, NotFound
from api.services.names import Name
from api.times import rfc3339

NAME_LENGTH: Final = 40
Json = dict[str, Any]
_BATCH: Final = 1_000


def clean_name(text: str) -> str:
    """A name in NFC. Raises Invalid unless it is 1 to 40 printable characters without space at either end."""
    name = unicodedata.normalize("NFC", text)
    if not 1 <= len(name) <= NAME_LENGTH:
        raise Invalid(f"a name has 1 to {NAME_LENGTH} characters, this one {len(name)}", pointer="/name")
    wrong = next((letter for letter in name if not letter.isprintable()), None)
    if wrong is not None:
        raise Invalid(f"a name is made of printable characters, not U+{ord(wrong):04X}", pointer="/name")
    if name != name.strip():
        raise Invalid("a name neither begins nor ends with a space", pointer="/name")
    return name


def create(session: Session, name: str, now: datetime, *, grant: int) -> Json:
    """A new player with `grant` chips from the mint and a key for everything.

    `{"id", "name", "balance", "created_at", "api_key", "key_id"}`; `api_key` is the secret, told this once. Raises
    Invalid for the name.
    """
    clean = clean_name(name)
    player = Player(id=new_id("ply", now), name=clean, created_at=now)
    session.add(player)
    session.flush()
    wallet = ledger.open_wallet(session, player.id, now)
    if grant:
        ledger.post(session, [ledger.Entry(MINT, wallet, grant, "opening_grant")], now)
    audit_log.note(session, "player_created", player.id, now, after={"grant": grant})
    key = keys.issue(session, player.id, now, name="first", scopes=keys.SCOPES)
    return {
        "id": player.id,
        "name": Name(clean, player.id),
        "balance": grant,
        "created_at": rfc3339(now),
        "api_key": key["secret"],
        "key_id": key["id"],
    }


def profile(session: Session, player_id: str) -> Json:
    """`{"id", "name", "balance", "created_at"}`. Raises NotFound."""
    player = find(session, player_id)
    balance = ledger.balance_of(session, ledger.wallet_of(session, player_id))
    return {
        "id": player.id,
        "name": player.name,
        "balance": balance,
        "created_at": rfc3339(player.created_at),
    }


def find(session: Session, player_id: str, *, lock: bool = False) -> Player:
    """A player who is not deleted; with `lock`, so that nobody else changes him meanwhile. Raises NotFound."""
    wanted = select(Player).where(Player.id == player_id, Player.deleted_at.is_(None))
    player = session.scalars(wanted.with_for_update() if lock else wanted).one_or_none()
    if player is None:
        raise NotFound(f"there is no player «{player_id[:40]}»")
    return player


def remove(session: Session, player_id: str, now: datetime) -> int:
    """Delete a player: keys revoked; name, limits, experiments and stored answers gone; chips back to the mint.

    The chips he had. His coups and transfers stay, without a name: the others at those tables need them. Raises
    NotFound, and Conflict (`seated`) while he has a seat at a table that is not closed.
    """
    player = find(session, player_id, lock=True)
    if tables := _tables_of(session, player_id):
        raise Conflict(
            f"first leave the tables where you sit: {', '.join(tables[:5])}",
            code="seated",
            members={"tables": tables},
        )
    # Before the ledger is locked: who purges old answers holds some of these, and may go on to the ledger.
    session.execute(delete(IdempotencyKey).where(IdempotencyKey.owner == player_id))
    _change_tables_of(session, player_id)
    wallet = ledger.wallet_of(session, player_id)
    chips = ledger.balances_of(session, [wallet])[wallet]
    if chips:
        ledger.post(session, [ledger.Entry(wallet, MINT, chips, "player_deleted")], now)
    mine = ApiKey.player_id == player_id
    ended = update(ApiKey).where(mine, ApiKey.revoked_at.is_(None)).values(revoked_at=now)
    revoked = sorted(session.scalars(ended.returning(ApiKey.id)))
    session.execute(update(ApiKey).where(mine).values(name=""))
    dropped = experiments.forget(session, player_id)
    player.name, player.limits, player.deleted_at = None, None, now
    session.flush()
    audit_log.note(
        session,
        "player_deleted",
        player_id,
        now,
        before={"balance": chips, "keys": revoked, "experiments": dropped},
        after={"balance": 0, "keys": [], "experiments": 0},
    )
    return chips


def exported(session: Session, player_id: str, now: datetime) -> None:
    """Note that a player downloads everything that is kept of him."""
    audit_log.note(session, "player_exported", player_id, now)


def export(session: Session, player_id: str, now: datetime) -> Iterator[str]:
    """Everything that is kept of a player, as the text of one JSON object in parts: memory stays small.

    Members: `exported_at`, `player`, `bankroll`, `limits`, `keys` (without secrets), `tables`, `coups`, `refills`,
    `entries`, `experiments`, `audit` (what he did beside play, and what was done to him and to his keys). What others
    hold or hold secret is not in it. Raises NotFound at the call, before the first part.
    """
    head = {
        "exported_at": rfc3339(now),
        "player": profile(session, player_id),
        "bankroll": bankroll.summary(session, player_id),
        "limits": limits.shown(session, player_id, now),
        "keys": keys.listing(session, player_id, now),
    }
    lists = {
        "tables": _seats(session, player_id),
        "coups": _results(session, player_id),
        "refills": _refills(session, player_id),
        "entries": bankroll.all_entries(session, player_id),
        "experiments": experiments.exported(session, player_id),
        "audit": _audited(session, player_id),
    }
    return _object(head, lists)


def _object(head: Json, lists: dict[str, Iterator[Json]]) -> Iterator[str]:
    yield json.dumps(head, ensure_ascii=False)[:-1]
    for name, items in lists.items():
        yield f', "{name}": ['
        yield from _joined(items)
        yield "]"
    yield "}\n"


def _joined(items: Iterable[Json]) -> Iterator[str]:
    separator = ""
    for item in items:
        yield separator + json.dumps(item, ensure_ascii=False)
        separator = ", "


def _tables_of(session: Session, player_id: str) -> list[str]:
    """Tables that are not closed at which he has a seat."""
    wanted = (
        select(Seat.table_id)
        .join(Table, Table.id == Seat.table_id)
        .where(Seat.player_id == player_id, Table.closed_at.is_(None))
        .order_by(Seat.table_id)
    )
    return list(session.scalars(wanted).unique())


def _change_tables_of(session: Session, player_id: str) -> None:
    """A new version of the closed tables where he has a seat: they no longer show his name, so their tags change."""
    sat = Table.id.in_(select(Seat.table_id).where(Seat.player_id == player_id))
    # In one order: another player who is being deleted may have sat at the same tables.
    session.execute(select(Table.id).where(sat).order_by(Table.id).with_for_update(key_share=True)).all()
    session.execute(update(Table).where(sat).values(version=Table.version + 1))


def _stream(session: Session, statement: Select[*tuple[Any, ...]]) -> Iterator[Any]:
    yield from session.execute(statement.execution_options(yield_per=_BATCH))


def _seats(session: Session, player_id: str) -> Iterator[Json]:
    seats = (
        select(Table.id, Table.game, Table.stakes, Table.created_at, Table.creator_id, Seat.number)
        .join(Seat, Seat.table_id == Table.id)
        .where(Seat.player_id == player_id)
        .order_by(Table.id)
    )
    for row in _stream(session, seats):
        yield {
            "table": row.id,
            "game": row.game,
            "stakes": row.stakes,
            "seat": row.number,
            "opened_by_me": row.creator_id == player_id,
            "created_at": rfc3339(row.created_at),
        }


def _results(session: Session, player_id: str) -> Iterator[Json]:
    results = select(CoupResult.__table__).where(CoupResult.player_id == player_id).order_by(CoupResult.id)
    for row in _stream(session, results):
        yield {
            "coup": row.coup_id,
            "table": row.table_id,
            "seat": row.seat,
            "game": row.game,
            "side": row.side,
            "stake": row.stake,
            "net": row.net,
            "balance_before": row.balance_before,
            "balance_after": row.balance_after,
            "at": rfc3339(row.at),
        }


def _audited(session: Session, player_id: str) -> Iterator[Json]:
    wanted = audit_log.about(player_id).order_by(AuditEntry.seq)
    return map(audit_log.shown, _stream(session, wanted))


def _refills(session: Session, player_id: str) -> Iterator[Json]:
    refills = select(Refill.__table__).where(Refill.player_id == player_id).order_by(Refill.at)
    for row in _stream(session, refills):
        yield {"transfer": row.transfer_id, "amount": row.amount, "at": rfc3339(row.at)}
