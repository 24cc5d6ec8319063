"""Accounts, transfers and the head of their chain: double entry, append only.

Accounts are numbered, and never named by that number outside: a reader is told «wallet», «escrow of tbl_…».
"""

from datetime import datetime
from typing import Final

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, LargeBinary, SmallInteger, String, text
from sqlalchemy.orm import Mapped, mapped_column

from api.models.base import Base, Id, Serial, ref

MINT: Final = 1
HOUSE: Final = 2

WALLET, BOT, ESCROW, BANK, KIND_HOUSE, KIND_MINT = "wallet", "bot", "escrow", "bank", "house", "mint"


class Account(Base):
    """Whose chips: `wallet` a player's, `bot` a bot seat's (house money), `escrow` and `bank` a table's."""

    __tablename__ = "accounts"
    __table_args__ = (
        CheckConstraint("kind IN ('wallet', 'bot', 'escrow', 'bank', 'house', 'mint')", name="kind"),
        CheckConstraint("balance >= 0 OR kind = 'mint'", name="only_the_mint_is_negative"),
        CheckConstraint("(kind = 'wallet') = (player_id IS NOT NULL)", name="wallet_has_a_player"),
        CheckConstraint(
            "(kind IN ('bot', 'escrow', 'bank')) = (table_id IS NOT NULL)", name="table_has_the_rest"
        ),
        Index("uq_accounts_player_id", "player_id", unique=True),
        Index(
            "uq_accounts_table_id_kind",
            "table_id",
            "kind",
            unique=True,
            sqlite_where=text("kind IN ('escrow', 'bank')"),
            postgresql_where=text("kind IN ('escrow', 'bank')"),
        ),
        Index(
            "uq_accounts_kind",
            "kind",
            unique=True,
            sqlite_where=text("kind IN ('house', 'mint')"),
            postgresql_where=text("kind IN ('house', 'mint')"),
        ),
        Index("ix_accounts_table_id", "table_id"),
    )

    id: Mapped[int] = mapped_column(Serial, primary_key=True)
    kind: Mapped[str] = mapped_column(String(8))
    player_id: Mapped[str | None] = ref("players.id")
    table_id: Mapped[str | None] = ref("tables.id")
    balance: Mapped[int] = mapped_column(BigInteger, default=0)
    created_at: Mapped[datetime]


class Transfer(Base):
    """A positive amount from one account to another. Triggers of the database refuse to change or delete one.

    `seq` numbers all transfers from 1 without gaps; `hash` covers every column and the hash before.
    """

    __tablename__ = "transfers"
    __table_args__ = (
        CheckConstraint("amount > 0", name="positive"),
        CheckConstraint("source <> target", name="two_accounts"),
        Index("ix_transfers_source", "source", "seq"),
        Index("ix_transfers_target", "target", "seq"),
        Index(
            "ix_transfers_minted",
            "target",
            "amount",
            sqlite_where=text("source = 1"),
            postgresql_where=text("source = 1"),
        ),
        Index(
            "ix_transfers_coup_id",
            "coup_id",
            sqlite_where=text("coup_id IS NOT NULL"),
            postgresql_where=text("coup_id IS NOT NULL"),
        ),
    )

    seq: Mapped[int] = mapped_column(Serial, primary_key=True, autoincrement=False)
    id: Mapped[str] = mapped_column(String(30), unique=True)
    at: Mapped[datetime]
    source: Mapped[int] = mapped_column(BigInteger, ForeignKey("accounts.id"))
    target: Mapped[int] = mapped_column(BigInteger, ForeignKey("accounts.id"))
    amount: Mapped[int]
    kind: Mapped[str] = mapped_column(String(32))
    table_id: Mapped[str | None] = ref("tables.id", deferrable=True, initially="DEFERRED")
    bank_id: Mapped[str | None] = ref("banks.id", deferrable=True, initially="DEFERRED")
    coup_id: Mapped[str | None] = ref("coups.id", deferrable=True, initially="DEFERRED")
    parent_id: Mapped[str | None] = ref("transfers.id", deferrable=True, initially="DEFERRED")
    source_after: Mapped[int]
    target_after: Mapped[int]
    previous: Mapped[bytes] = mapped_column(LargeBinary(32))
    hash: Mapped[bytes] = mapped_column(LargeBinary(32))


class ChainHead(Base):
    """The one row that every posting locks first: the last transfer's number and hash."""

    __tablename__ = "chain_head"
    __table_args__ = (CheckConstraint("id = 1", name="single"),)

    id: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    seq: Mapped[int]
    hash: Mapped[bytes] = mapped_column(LargeBinary(32))


class Refill(Base):
    """Chips given again to a player who had run low: kept to limit how often."""

    __tablename__ = "refills"
    __table_args__ = (Index("ix_refills_player_id", "player_id", "at"),)

    transfer_id: Mapped[Id] = ref("transfers.id", deferrable=True, initially="DEFERRED")
    player_id: Mapped[str] = ref("players.id")
    amount: Mapped[int]
    at: Mapped[datetime]
