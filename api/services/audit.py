"""The audit of the ledger: every hash and every running balance computed again, from nothing.

One pass over the transfers in the order of the chain, on one snapshot, while others go on playing. Memory: two
numbers an account, and one a coup or bank that still holds chips.
"""

from array import array
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import Connection, func, select, text
from sqlalchemy.orm import Session

from api.db import Database
from api.models import MINT, Account, Bank, ChainHead, Coup, Player, Table
from api.models.ledger import BANK, BOT, ESCROW, WALLET
from api.services.chain import COLUMNS, GENESIS, link

FINDINGS_KEPT: Final = 1_000
_BATCH: Final = 5_000
_ASKED_AT_ONCE: Final = 500
_WALK: Final = text(f"SELECT {', '.join(COLUMNS)}, previous, hash FROM transfers ORDER BY seq")  # noqa: S608


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that should be otherwise. `what` is a stable code, `where` an account, transfer, coup or bank."""

    what: str
    where: str
    expected: str
    found: str


@dataclass(slots=True, kw_only=True)
class Findings:
    """What a check saw that should be otherwise. `total` counts all of it; the first thousand are kept."""

    total: int = 0
    findings: list[Finding] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Nothing found?"""
        return self.total == 0

    def add(self, what: str, where: str, expected: object, found: object) -> None:
        """Note a finding."""
        self.total += 1
        if len(self.findings) < FINDINGS_KEPT:
            self.findings.append(Finding(what, where, str(expected), str(found)))


@dataclass(slots=True, kw_only=True)
class Report(Findings):
    """What an audit of the ledger saw."""

    accounts: int = 0
    transfers: int = 0


def check(database: Database) -> Report:
    """Audit the whole ledger. Reads only; never raises for what it finds."""
    report = Report()
    with database.read() as session:
        _Walk(session, report).run()
        _check_owners(session, report)
    return report


def sum_of_balances(session: Session) -> int:
    """The sum over all accounts, which is 0: a quick look for `/readyz`, where `check` is the thorough one."""
    return int(session.execute(select(func.coalesce(func.sum(Account.balance), 0))).scalar_one())


class _Walk:
    """The pass over the transfers, and what it leaves to compare the accounts with."""

    def __init__(self, session: Session, report: Report) -> None:
        self.session = session
        self.report = report
        size = (session.execute(select(func.max(Account.id))).scalar_one() or 0) + 1
        self.entries = array("q", bytes(8 * size))  # sums of entries by account
        self.running = array("q", bytes(8 * size))  # last balance noted in a transfer, by account
        self.kinds: list[str] = [""] * size
        for account, kind in session.execute(select(Account.id, Account.kind)):
            self.kinds[account] = kind
        self.coups: defaultdict[str | None, int] = defaultdict(int)  # chips in escrow by coup
        self.banks: defaultdict[str | None, int] = defaultdict(int)  # chips in a bank by bank

    def run(self) -> None:
        self._chain()
        self._accounts()
        self._open_only("coup", self.coups, Coup)
        self._open_only("bank", self.banks, Bank)

    def _chain(self) -> None:
        last, seq = GENESIS, 0
        add = self.report.add
        for row in _rows(self.session.connection()):
            seq += 1
            name = f"transfer {row[1]}"
            if row[0] != seq:
                add("gap", name, f"number {seq}", f"number {row[0]}")
                seq = row[0]
            if row[13] != last:
                add("previous_hash", name, last.hex(), row[13].hex())
            last = row[14]
            computed = link(row[13], row[:13])
            if computed != last:
                add("hash", name, computed.hex(), last.hex())
            self._move(name, row)
            self.report.transfers += 1
        head = self.session.execute(select(ChainHead.seq, ChainHead.hash)).one_or_none()
        if head is None or (head.seq, head.hash) != (seq, last):
            found = "nothing" if head is None else f"number {head.seq}, {head.hash.hex()}"
            add("head", "head of the chain", f"number {seq}, {last.hex()}", found)

    def _move(self, name: str, row: Any) -> None:
        source, target, amount = row[3], row[4], row[5]
        if amount <= 0:
            self.report.add("amount", name, "more than 0", amount)
        for account, change, after in ((source, -amount, row[11]), (target, amount, row[12])):
            if not 0 < account < len(self.kinds) or not self.kinds[account]:
                self.report.add("account", name, "an account there is", f"account {account}")
                continue
            expected = self.running[account] + change
            if after != expected:
                self.report.add("running_balance", f"{name}, account {account}", expected, after)
            self.running[account] = after
            self.entries[account] += change
            kind = self.kinds[account]
            if kind == ESCROW:
                _count(self.coups, row[9], change)
            elif kind == BANK:
                _count(self.banks, row[8], change)

    def _accounts(self) -> None:
        total = 0
        found = select(Account.id, Account.kind, Account.balance).order_by(Account.id)
        for account, kind, balance in self.session.execute(found.execution_options(yield_per=_BATCH)):
            self.report.accounts += 1
            total += balance
            name = f"account {account} ({kind})"
            if balance != self.entries[account]:
                self.report.add("balance", name, f"{self.entries[account]} by its entries", balance)
            if balance != self.running[account]:
                self.report.add(
                    "last_balance", name, f"{self.running[account]} by its last transfer", balance
                )
            if balance < 0 and account != MINT:
                self.report.add("negative", name, "0 or more", balance)
        if total:
            self.report.add("sum", "all accounts", 0, total)

    def _open_only(self, what: str, left: dict[str | None, int], model: type[Coup] | type[Bank]) -> None:
        """Only coups and banks that are open may still hold chips."""
        names = sorted(name or "" for name in left)
        still_open = Coup.status == "open" if model is Coup else Bank.closed_at.is_(None)
        for start in range(0, len(names), _ASKED_AT_ONCE):
            part = names[start : start + _ASKED_AT_ONCE]
            opened = set(self.session.scalars(select(model.id).where(model.id.in_(part), still_open)))
            for name in part:
                if name not in opened:
                    self.report.add(f"closed_{what}", f"{what} {name or '?'}", 0, left[name or None])


def _count(sums: dict[str | None, int], key: str | None, change: int) -> None:
    sums[key] += change
    if not sums[key]:
        del sums[key]


def _rows(connection: Connection) -> Iterator[Any]:
    # Not by `partitions`: with psycopg's cursor on the server they keep all rows till the end (SQLAlchemy 2.1.9).
    yield from connection.execution_options(yield_per=_BATCH).execute(_WALK)


def _check_owners(session: Session, report: Report) -> None:
    """Closed tables and deleted players hold nothing; an escrow holds chips only while a coup is open."""
    open_coup = select(Coup.id).where(Coup.table_id == Account.table_id, Coup.status == "open").exists()
    open_bank = select(Bank.id).where(Bank.table_id == Account.table_id, Bank.closed_at.is_(None)).exists()
    of_table = select(Account.id, Account.kind, Account.balance, Account.table_id).where(Account.balance != 0)
    held = {
        "idle_escrow": of_table.where(Account.kind == ESCROW, ~open_coup),
        "idle_bank": of_table.where(Account.kind == BANK, ~open_bank),
        "closed_table": of_table.join(Table, Table.id == Account.table_id).where(
            Account.kind == BOT, Table.closed_at.is_not(None)
        ),
        "deleted_player": select(Account.id, Account.kind, Account.balance, Account.player_id)
        .join(Player, Player.id == Account.player_id)
        .where(Account.kind == WALLET, Account.balance != 0, Player.deleted_at.is_not(None)),
    }
    for what, statement in held.items():
        for account, kind, balance, owner in session.execute(statement):
            report.add(what, f"account {account} ({kind} of {owner})", 0, balance)
