"""A player's chips: what he has, what is held for him, what he won and lost, entry by entry and as a curve."""

import csv
import io
from collections import deque
from collections.abc import Iterator
from datetime import datetime, timedelta
from math import ceil
from typing import Any, Final

from sqlalchemy import Select, bindparam, case, func, literal, or_, select, union_all
from sqlalchemy.orm import Session

from api.models import MINT, Account, Bank, Coup, CoupResult, Player, Refill, Seat, Table, Transfer
from api.models.ledger import BANK, ESCROW
from api.services import audit_log, ledger, limits
from api.services.errors import Conflict, LimitReached, NotFound
from api.times import rfc3339

REFILL_WINDOW: Final = timedelta(hours=24)
MOST_POINTS: Final = 2_000
ENTRY_COLUMNS: Final = (
    "seq",
    "id",
    "at",
    "kind",
    "amount",
    "balance",
    "other",
    "table",
    "bank",
    "coup",
    "parent",
    "hash",
)
_PAGE: Final = 1_000
_CSV_PART: Final = 16_384  # characters
_OPEN: Final = literal("open", literal_execute=True)  # written out, so that the partial index is seen to fit
_MINT: Final = literal(MINT, literal_execute=True)
Json = dict[str, Any]

# Escrows and banks of the tables where he sits; `keeps`: is the bank his?
_TABLE_ACCOUNTS: Final = (
    select(Account.id, Account.kind, Account.balance, Account.table_id, Bank.id.is_not(None).label("keeps"))
    .join(Table, Table.id == Account.table_id)
    .join(Seat, Seat.table_id == Table.id)
    .outerjoin(
        Bank, (Bank.table_id == Table.id) & Bank.closed_at.is_(None) & (Bank.banker_id == bindparam("player"))
    )
    .where(Seat.player_id == bindparam("player"), Table.closed_at.is_(None), Account.kind.in_((ESCROW, BANK)))
)


def summary(session: Session, player_id: str) -> Json:
    """`{"balance", "held", "net", "granted", "games": {name: totals}, "sides": {side: totals}}`, all in chips.

    `held` is his part of escrows and banks; `net` = balance + held - granted, where `granted` came from the mint
    (opening grant, refills). Totals are `{"coups", "staked", "net"}` over settled coups; a side is `punter`, `banker`
    or `player` (games without a banker).
    """
    wallet = ledger.wallet_of(session, player_id)
    balance = ledger.balance_of(session, wallet)
    held = held_for(session, player_id, wallet)
    granted = _granted(session, wallet)
    games, sides = _totals(session, player_id)
    return {
        "balance": balance,
        "held": held,
        "net": balance + held - granted,
        "granted": granted,
        "games": games,
        "sides": sides,
    }


def held_for(session: Session, player_id: str, wallet: int) -> int:
    """His chips in escrow and in banks, in chips: stakes of open coups, and what is in the banks that he keeps.

    An escrow holds chips of several seats: his are those that came from his wallet or from his bank in a coup that
    is still open, less what went back to them.
    """
    accounts = session.execute(_TABLE_ACCOUNTS, {"player": player_id}).all()
    escrows = [row.id for row in accounts if row.kind == ESCROW]
    if not escrows:
        return 0
    banks = [row for row in accounts if row.kind == BANK and row.keeps]
    mine = [wallet, *(row.id for row in banks)]
    into = Transfer.source.in_(mine) & Transfer.target.in_(escrows)
    out_of = Transfer.source.in_(escrows) & Transfer.target.in_(mine)
    signed = case((into, Transfer.amount), (out_of, -Transfer.amount), else_=0)
    open_coups = select(Coup.id).where(
        Coup.table_id.in_({row.table_id for row in accounts}), Coup.status == _OPEN
    )
    # Only the coup is in WHERE: with the accounts there too, SQLite would read all that the wallet ever did.
    in_escrow = select(func.coalesce(func.sum(signed), 0)).where(Transfer.coup_id.in_(open_coups))
    in_banks = sum(int(row.balance) for row in banks)
    return in_banks + int(session.execute(in_escrow).scalar_one())


def refill(session: Session, player_id: str, now: datetime, *, fill_to: int, per_day: int) -> Json:
    """Fill a player's wallet so that balance and held make `fill_to` chips; the entry as `entries` shows it.

    Raises Conflict (`excluded`) while he stays away by his own limits, Conflict (`refill_not_needed`) if he has that
    much, LimitReached after `per_day` refills in 24 hours, NotFound for a player who is gone.
    """
    _keep(session, player_id)
    limits.check_not_excluded(session, player_id, now)
    wallet = ledger.wallet_of(session, player_id)
    balance = ledger.balances_of(session, [wallet])[wallet]
    worth = balance + held_for(session, player_id, wallet)
    if worth >= fill_to:
        raise Conflict(
            f"a refill is for players with less than {fill_to} chips, held ones counted; you have {worth}",
            code="refill_not_needed",
            members={"worth": worth, "below": fill_to},
        )
    _check_refills(session, player_id, now, per_day)
    (posted,) = ledger.post(session, [ledger.Entry(MINT, wallet, fill_to - worth, "refill")], now)
    session.add(Refill(transfer_id=posted.id, player_id=player_id, amount=posted.entry.amount, at=now))
    session.flush()
    audit_log.note(
        session,
        "refill_taken",
        player_id,
        now,
        before={"worth": worth},
        after={"worth": fill_to, "transfer": posted.id},
    )
    return entry(session, player_id, posted.id)


def entries(
    session: Session, player_id: str, *, before: int | None = None, after: int | None = None, limit: int = 50
) -> list[Json]:
    """At most `limit` entries of the wallet: the newest first, older than number `before`; or, with `after`, the
    oldest first, newer than that number.

    `{"seq", "id", "at", "kind", "amount", "balance", "other", "table", "bank", "coup", "parent", "hash"}`: `amount` is
    signed, `balance` what the wallet held after it, `other` the kind of account on the other side.
    """
    wallet = ledger.wallet_of(session, player_id)
    newest_first = after is None
    bounds = [] if before is None else [Transfer.seq < before]
    bounds += [] if after is None else [Transfer.seq > after]
    order = Transfer.seq.desc() if newest_first else Transfer.seq
    halves = [
        select(Transfer.seq).where(side == wallet, *bounds).order_by(order).limit(limit).subquery()
        for side in (Transfer.source, Transfer.target)
    ]
    wanted = union_all(*(select(half.c.seq) for half in halves)).subquery()
    statement = _entry_rows(wallet).where(Transfer.seq.in_(select(wanted.c.seq))).order_by(order).limit(limit)
    return [_entry(row, wallet) for row in session.execute(statement)]


def entry(session: Session, player_id: str, transfer_id: str) -> Json:
    """One entry of the wallet. Raises NotFound for a transfer of others too."""
    wallet = ledger.wallet_of(session, player_id)
    mine = or_(Transfer.source == wallet, Transfer.target == wallet)
    row = session.execute(_entry_rows(wallet).where(Transfer.id == transfer_id, mine)).one_or_none()
    if row is None:
        raise NotFound(f"your wallet has no entry «{transfer_id[:40]}»")
    return _entry(row, wallet)


def all_entries(session: Session, player_id: str) -> Iterator[Json]:
    """Every entry of the wallet, the oldest first, read page by page."""
    last = 0
    while page := entries(session, player_id, after=last, limit=_PAGE):
        yield from page
        last = page[-1]["seq"]


def entries_csv(session: Session, player_id: str) -> Iterator[str]:
    """The same as CSV (RFC 4180) with a heading, in parts."""
    buffer = io.StringIO(newline="")
    writer = csv.DictWriter(buffer, ENTRY_COLUMNS)
    writer.writeheader()
    for row in all_entries(session, player_id):
        writer.writerow(row)
        if buffer.tell() > _CSV_PART:
            yield _emptied(buffer)
    yield _emptied(buffer)


def series(session: Session, player_id: str, *, points: int = 500) -> list[Json]:
    """His curve over settled coups, in at most `points` points, each for one coup or for several in a row.

    `{"coups", "at", "net", "low", "high", "balance"}`: coups so far, the time of the last; what they came to, and the
    least and the most that was reached within the point; `balance` = net + what the mint had given by then.
    """
    step = step_of(session, player_id, points)
    grants = _grants(session, ledger.wallet_of(session, player_id))
    curve: list[Json] = []
    net = granted = coups = 0
    for row in session.execute(_buckets(player_id, step)):
        coups += row.coups
        net += int(row.net)
        while grants and grants[0][0] <= row.at:
            granted += grants.popleft()[1]
        curve.append(
            {
                "coups": coups,
                "at": rfc3339(row.at),
                "net": net,
                "low": int(row.low),
                "high": int(row.high),
                "balance": granted + net,
            }
        )
    return curve


def step_of(session: Session, player_id: str, points: int) -> int:
    """Coups to a point of a curve in at most so many points."""
    count = session.execute(
        select(func.count()).select_from(CoupResult).where(CoupResult.player_id == player_id)
    ).scalar_one()
    return max(1, -(-count // max(1, min(points, MOST_POINTS))))


def _buckets(player_id: str, step: int) -> Select[*tuple[Any, ...]]:
    """Results in the order of play, `step` to a row."""
    ranked = (
        select(
            CoupResult.at,
            CoupResult.net,
            (func.row_number().over(order_by=CoupResult.id) - 1).label("place"),
            func.sum(CoupResult.net).over(order_by=CoupResult.id, rows=(None, 0)).label("total"),
        )
        .where(CoupResult.player_id == player_id)
        .subquery()
    )
    bucket = ranked.c.place.op("/")(step)
    return (
        select(
            func.count().label("coups"),
            func.max(ranked.c.at).label("at"),
            func.sum(ranked.c.net).label("net"),
            func.min(ranked.c.total).label("low"),
            func.max(ranked.c.total).label("high"),
        )
        .group_by(bucket)
        .order_by(func.min(ranked.c.place))
    )


def _grants(session: Session, wallet: int) -> deque[tuple[datetime, int]]:
    """What the mint gave, in order."""
    given = select(Transfer.seq, Transfer.at, Transfer.amount).where(
        Transfer.target == wallet, Transfer.source == _MINT
    )
    return deque((row.at, row.amount) for row in sorted(session.execute(given)))


def _granted(session: Session, wallet: int) -> int:
    given = select(func.coalesce(func.sum(Transfer.amount), 0))
    return int(session.execute(given.where(Transfer.target == wallet, Transfer.source == _MINT)).scalar_one())


def _totals(session: Session, player_id: str) -> tuple[dict[str, Json], dict[str, Json]]:
    """Totals by game and by side."""
    sums = select(
        CoupResult.game,
        CoupResult.side,
        func.count().label("coups"),
        func.sum(CoupResult.stake).label("staked"),
        func.sum(CoupResult.net).label("net"),
    )
    games: dict[str, Json] = {}
    sides: dict[str, Json] = {}
    grouped = sums.where(CoupResult.player_id == player_id).group_by(CoupResult.game, CoupResult.side)
    for row in session.execute(grouped.order_by(CoupResult.game, CoupResult.side)):
        for totals, name in ((games, row.game), (sides, row.side)):
            known = totals.setdefault(name, {"coups": 0, "staked": 0, "net": 0})
            known["coups"] += row.coups
            known["staked"] += int(row.staked)
            known["net"] += int(row.net)
    return games, sides


def _keep(session: Session, player_id: str) -> None:
    """He is not deleted meanwhile: one who is gone is given no chips. Raises NotFound."""
    wanted = select(Player.id).where(Player.id == player_id, Player.deleted_at.is_(None))
    if session.execute(wanted.with_for_update(read=True, key_share=True)).one_or_none() is None:
        raise NotFound(f"there is no player «{player_id[:40]}»")


def _check_refills(session: Session, player_id: str, now: datetime, per_day: int) -> None:
    recent = select(Refill.at).where(Refill.player_id == player_id, Refill.at > now - REFILL_WINDOW)
    times = list(session.scalars(recent.order_by(Refill.at)))
    if len(times) < per_day:
        return
    if not per_day:
        raise Conflict("this server gives no refills", code="no_refills")
    freed = times[-per_day] + REFILL_WINDOW
    raise LimitReached(
        f"{per_day} refills in 24 hours are taken; the next may be had at {rfc3339(freed)}",
        retry_after=max(1, ceil((freed - now).total_seconds())),
    )


def _entry_rows(wallet: int) -> Select[*tuple[Any, ...]]:
    """Transfers with the kind of the account on the other side."""
    other = case((Transfer.source == wallet, Transfer.target), else_=Transfer.source)
    return select(Transfer, Account.kind.label("other")).join(Account, Account.id == other)


def _entry(row: Any, wallet: int) -> Json:
    transfer: Transfer = row.Transfer
    leaves = transfer.source == wallet
    return {
        "seq": transfer.seq,
        "id": transfer.id,
        "at": rfc3339(transfer.at),
        "kind": transfer.kind,
        "amount": -transfer.amount if leaves else transfer.amount,
        "balance": transfer.source_after if leaves else transfer.target_after,
        "other": row.other,
        "table": transfer.table_id,
        "bank": transfer.bank_id,
        "coup": transfer.coup_id,
        "parent": transfer.parent_id,
        "hash": transfer.hash.hex(),
    }


def _emptied(buffer: io.StringIO) -> str:
    text = buffer.getvalue()
    buffer.seek(0)
    buffer.truncate()
    return text
