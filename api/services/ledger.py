"""Accounts and transfers: double entry, append only, chained.

`post` is the only code that changes a balance. It locks the head of the chain first and then the accounts in the
order of their numbers, reads the balances there and changes them in the same transaction, so that no two postings
can wait for each other and none acts on an old balance. On SQLite the writer's transaction is the lock.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, Final, NamedTuple

from sqlalchemy import BigInteger, Connection, Table, bindparam, select, update
from sqlalchemy.orm import Session

from api.ids import new_id
from api.models import HOUSE, MINT, Account, ChainHead, Transfer
from api.models.base import micros
from api.models.ledger import BANK, BOT, ESCROW, WALLET
from api.prepared import Batch, Prepared, inserting
from api.services.chain import link
from api.services.errors import InsufficientFunds, LimitReached

MAX_CHIPS: Final = 2**53 - 1  # what every reader of JSON holds exactly
HOUSE_TRANCHE: Final = 1_000_000  # the mint funds the house in whole tranches
_KIND: Final = re.compile(r"[a-z][a-z_]{0,31}")
_NAMES: Final = {
    WALLET: "wallet",
    BOT: "bot's wallet",
    ESCROW: "table's escrow",
    BANK: "bank",
    "house": "house",
}


_Rows = Callable[[], list[Any]]


class Entry(NamedTuple):
    """A transfer to be posted: `amount` chips (positive) from account `source` to account `target`."""

    source: int
    target: int
    amount: int
    kind: str
    table_id: str | None = None
    bank_id: str | None = None
    coup_id: str | None = None
    parent_id: str | None = None


class Posted(NamedTuple):
    """A transfer that was posted."""

    seq: int
    id: str
    entry: Entry
    source_after: int
    target_after: int


class _Held(NamedTuple):
    kind: str
    balance: int


_ACCOUNTS: Final[Table] = Account.__table__  # type: ignore[assignment]
_HEAD: Final[Table] = ChainHead.__table__  # type: ignore[assignment]
_INSERT: Final = inserting(Transfer)
_LOCK_HEAD: Final = Prepared(select(_HEAD.c.seq, _HEAD.c.hash).where(_HEAD.c.id == 1).with_for_update())
_MOVE_HEAD: Final = Prepared(
    update(_HEAD).where(_HEAD.c.id == 1).values(seq=bindparam("seq"), hash=bindparam("hash"))
)
_SET_BALANCE: Final = Prepared(
    update(_ACCOUNTS).where(_ACCOUNTS.c.id == bindparam("account")).values(balance=bindparam("new_balance"))
)


@lru_cache(maxsize=64)
def _locking(count: int) -> Prepared:
    """The statement that reads and locks so many accounts, `a0`, `a1`, …, in the order of their numbers.

    Whoever only refers to one, as a seat does, holds nobody up: he may himself be waiting for the head.
    """
    wanted = [bindparam(f"a{index}", type_=BigInteger()) for index in range(count)]
    return Prepared(
        select(_ACCOUNTS.c.id, _ACCOUNTS.c.kind, _ACCOUNTS.c.balance)
        .where(_ACCOUNTS.c.id.in_(wanted))
        .order_by(_ACCOUNTS.c.id)
        .with_for_update(key_share=True)
    )


def post(session: Session, entries: Sequence[Entry], now: datetime) -> list[Posted]:
    """Post transfers in this order, all or none. Five statements, however many entries.

    Raises InsufficientFunds where an account other than the mint cannot cover its entry at that point, LimitReached
    where a balance would leave ±(2⁵³ − 1), ValueError for an entry that no caller may make. What enters or leaves an
    escrow names its coup, and a bank its bank, so that each can be held to account. The house alone is topped up
    from the mint before it falls short.
    """
    if not entries:
        return []
    for entry in entries:
        _check(entry)
    connection = session.connection()
    seq, previous, held = _lock(connection, entries)
    for entry in entries:
        _check_refs(entry, held)
    before = {account: found.balance for account, found in held.items()}
    balances = dict(before)
    posted = [_apply(entry, balances, held) for entry in _with_funding(entries, balances)]
    rows, done, seq, previous = _chained(posted, seq, previous, now)
    changed = [
        {"account": account, "new_balance": balance}
        for account, balance in balances.items()
        if balance != before[account]
    ]
    batch = Batch()
    batch.add(_INSERT, *rows)
    batch.add(_SET_BALANCE, *changed)
    batch.add(_MOVE_HEAD, {"seq": seq, "hash": previous})
    batch.run(connection)
    return done


def open_wallet(session: Session, player_id: str, now: datetime) -> int:
    """A new player's wallet, empty."""
    return _open(session, WALLET, now, player_id=player_id)


def open_bot(session: Session, table_id: str, now: datetime) -> int:
    """The wallet of a bot's seat, empty: the house lends what is in it, and gets it back."""
    return _open(session, BOT, now, table_id=table_id)


def open_table(session: Session, table_id: str, now: datetime) -> tuple[int, int]:
    """A table's escrow and bank, empty."""
    return _open(session, ESCROW, now, table_id=table_id), _open(session, BANK, now, table_id=table_id)


def wallet_of(session: Session, player_id: str) -> int:
    """The number of a player's wallet. Raises NoResultFound for a player who is not there."""
    return session.execute(select(Account.id).where(Account.player_id == player_id)).scalar_one()


def balance_of(session: Session, account: int) -> int:
    """What an account holds, in chips, as this transaction sees it."""
    return session.execute(select(Account.balance).where(Account.id == account)).scalar_one()


def balances_of(session: Session, accounts: Iterable[int]) -> dict[int, int]:
    """What several accounts hold, in chips, and will hold until this transaction posts: locked as `post` locks."""
    wanted = set(accounts)
    if not wanted:
        return {}
    _, rows = _ask(session.connection(), wanted)
    return {row.id: row.balance for row in rows()}


def _open(session: Session, kind: str, now: datetime, **owner: str) -> int:
    account = Account(kind=kind, balance=0, created_at=now, **owner)
    session.add(account)
    session.flush()
    return account.id


def _check(entry: Entry) -> None:
    if type(entry.amount) is not int or not 0 < entry.amount <= MAX_CHIPS:
        raise ValueError(f"a transfer moves 1 to {MAX_CHIPS} chips, not {entry.amount!r}")
    if entry.source == entry.target:
        raise ValueError(f"a transfer needs two accounts, not {entry.source} twice")
    if not _KIND.fullmatch(entry.kind):
        raise ValueError(f"a kind is 1 to 32 small letters and underscores, not {entry.kind!r}")


def _check_refs(entry: Entry, held: Mapping[int, _Held]) -> None:
    kinds = (held[entry.source].kind, held[entry.target].kind)
    if ESCROW in kinds and entry.coup_id is None:
        raise ValueError(f"what enters or leaves an escrow belongs to a coup: {entry}")
    if BANK in kinds and entry.bank_id is None:
        raise ValueError(f"what enters or leaves a bank names it: {entry}")


def _lock(connection: Connection, entries: Sequence[Entry]) -> tuple[int, bytes, dict[int, _Held]]:
    """Lock the head of the chain, then the accounts; the head's number and hash, and what is in the accounts."""
    wanted = {account for entry in entries for account in (entry.source, entry.target)}
    if any(entry.source == HOUSE for entry in entries):
        wanted.add(MINT)
    head, rows = _ask(connection, wanted)
    ((seq, previous),) = head()
    held = {row.id: _Held(row.kind, row.balance) for row in rows()}
    if missing := wanted - held.keys():
        raise ValueError(f"no account {', '.join(map(str, sorted(missing)))}")
    return seq, previous, held


def _ask(connection: Connection, accounts: Collection[int]) -> tuple[_Rows, _Rows]:
    """Lock and ask for the head, then the accounts; the last is named again till they are a multiple of four."""
    wanted = sorted(accounts)
    wanted += wanted[-1:] * (-len(wanted) % 4)
    named = {f"a{index}": number for index, number in enumerate(wanted)}
    head = _LOCK_HEAD.ask(connection, {})
    return head, _locking(len(wanted)).ask(connection, named)


def _with_funding(entries: Sequence[Entry], balances: Mapping[int, int]) -> Iterable[Entry]:
    """The entries, and before one that the house cannot cover the mint's help. Reads balances as they change."""
    for entry in entries:
        short = entry.amount - balances[HOUSE] if entry.source == HOUSE else 0
        if short > 0:
            yield Entry(MINT, HOUSE, -(-short // HOUSE_TRANCHE) * HOUSE_TRANCHE, "house_funding")
        yield entry


def _apply(entry: Entry, balances: dict[int, int], held: Mapping[int, _Held]) -> tuple[Entry, int, int]:
    """Move the chips in `balances`; the entry with both balances after it."""
    left = balances[entry.source] - entry.amount
    if left < 0 and entry.source != MINT:
        account = _NAMES[held[entry.source].kind]
        raise InsufficientFunds(balances[entry.source], entry.amount, account=account)
    got = balances[entry.target] + entry.amount
    if got > MAX_CHIPS or left < -MAX_CHIPS:
        raise LimitReached(f"no account may hold more than {MAX_CHIPS} chips")
    balances[entry.source] = left
    balances[entry.target] = got
    return entry, left, got


def _chained(
    posted: Sequence[tuple[Entry, int, int]], seq: int, previous: bytes, now: datetime
) -> tuple[list[dict[str, Any]], list[Posted], int, bytes]:
    """Rows for the database, their summary, and the new head."""
    at = micros(now)
    rows: list[dict[str, Any]] = []
    done: list[Posted] = []
    for entry, left, got in posted:
        seq += 1
        name = new_id("trf", now)
        digest = link(previous, (seq, name, at, *entry, left, got))
        rows.append(
            {
                "seq": seq,
                "id": name,
                "at": now,
                **entry._asdict(),
                "source_after": left,
                "target_after": got,
                "previous": previous,
                "hash": digest,
            }
        )
        done.append(Posted(seq, name, entry, left, got))
        previous = digest
    return rows, done, seq, previous
