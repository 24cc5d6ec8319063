"""Tables and what happens at them. `state` and unrevealed seeds are secret: no view is made from a row."""

from datetime import datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    CheckConstraint,
    ForeignKey,
    Index,
    LargeBinary,
    SmallInteger,
    String,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from api.models.base import Base, Id, Json, Serial, ref


class Table(Base):
    """A table of any family. `version` grows with every change, `last_event` is the number of its last event.

    `bank`: who banks; none where nobody does (matches). `settings` are the choices of the opening that are not rules:
    ante, chips_per_point and the like.
    """

    __tablename__ = "tables"
    __table_args__ = (
        CheckConstraint("bank IN ('house', 'rotates')", name="bank"),
        CheckConstraint("stakes IN ('chips', 'practice')", name="stakes"),
        CheckConstraint("(phase = 'closed') = (closed_at IS NOT NULL)", name="closed"),
        Index("ix_tables_deadline", "phase", "deadline"),
        Index("ix_tables_created_at", "created_at", "id"),
    )

    id: Mapped[Id]
    creator_id: Mapped[str] = ref("players.id")
    game: Mapped[str] = mapped_column(String(40))
    options: Mapped[Json] = mapped_column(JSON)
    rules_hash: Mapped[str] = mapped_column(String(64))
    engine: Mapped[str] = mapped_column(String(32))
    bank: Mapped[str | None] = mapped_column(String(8))
    stakes: Mapped[str] = mapped_column(String(8))
    turn_seconds: Mapped[int] = mapped_column(SmallInteger)
    private: Mapped[bool] = mapped_column(Boolean)
    invite_digest: Mapped[bytes | None] = mapped_column(LargeBinary(32))
    spectators: Mapped[bool] = mapped_column(Boolean)
    settings: Mapped[Json] = mapped_column(JSON)
    phase: Mapped[str] = mapped_column(String(16))
    state: Mapped[Json] = mapped_column(JSON)
    version: Mapped[int]
    last_event: Mapped[int]
    deadline: Mapped[datetime | None]
    created_at: Mapped[datetime]
    closed_at: Mapped[datetime | None]


class Seat(Base):
    """A place at a table and who sits there now; a free place is `open`."""

    __tablename__ = "seats"
    __table_args__ = (
        CheckConstraint("kind IN ('player', 'bot', 'house', 'open')", name="kind"),
        CheckConstraint("(kind = 'player') = (player_id IS NOT NULL)", name="player"),
        Index("ix_seats_player_id", "player_id"),
    )

    table_id: Mapped[str] = mapped_column(String(30), ForeignKey("tables.id"), primary_key=True)
    number: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    kind: Mapped[str] = mapped_column(String(8))
    player_id: Mapped[str | None] = ref("players.id")
    policy: Mapped[Any | None] = mapped_column(JSON(none_as_null=True))
    account_id: Mapped[int | None] = mapped_column(BigInteger, ForeignKey("accounts.id"))
    leaving: Mapped[bool] = mapped_column(Boolean, default=False)
    joined_at: Mapped[datetime | None]


class Bank(Base):
    """One bank (banking), or the one seed of a table (other families). `revealed_at` frees the server seed.

    `banker_id` is the player behind the banker's seat, none for the house and for bots. `client_seeds` are hex
    texts by seat, `shuffles` the orders that were dealt, as lines of cards. `put_up` counts additions; `left_over`
    is what went back to the banker, in chips.
    """

    __tablename__ = "banks"
    __table_args__ = (
        UniqueConstraint("table_id", "number"),
        Index("ix_banks_banker_id", "banker_id", "closed_at"),
    )

    id: Mapped[Id]
    table_id: Mapped[str] = ref("tables.id")
    number: Mapped[int]
    banker_seat: Mapped[int | None] = mapped_column(SmallInteger)
    banker_id: Mapped[str | None] = ref("players.id")
    commitment: Mapped[str] = mapped_column(String(64))
    server_seed: Mapped[bytes] = mapped_column(LargeBinary)
    client_seeds: Mapped[list[str]] = mapped_column(JSON)
    shuffles: Mapped[list[str]] = mapped_column(JSON)
    put_up: Mapped[int] = mapped_column(BigInteger, default=0)
    left_over: Mapped[int | None]
    reason: Mapped[str | None] = mapped_column(String(32))
    opened_at: Mapped[datetime]
    closed_at: Mapped[datetime | None]
    revealed_at: Mapped[datetime | None]


class Coup(Base):
    """One coup (`cou_…`) of a banking table, or one deal (`dea_…`) of another: open until settled or voided.

    `record` is everything needed to recall it in full; while it is open it is secret.
    """

    __tablename__ = "coups"
    __table_args__ = (
        CheckConstraint("status IN ('open', 'settled', 'voided')", name="status"),
        CheckConstraint("(status = 'open') = (settled_at IS NULL)", name="settled"),
        UniqueConstraint("table_id", "number"),
        Index("ix_coups_bank_id", "bank_id"),
        Index(
            "ix_coups_open",
            "table_id",
            sqlite_where=text("status = 'open'"),
            postgresql_where=text("status = 'open'"),
        ),
    )

    id: Mapped[Id]
    table_id: Mapped[str] = ref("tables.id")
    bank_id: Mapped[str] = ref("banks.id")
    number: Mapped[int]
    status: Mapped[str] = mapped_column(String(8))
    record: Mapped[Json] = mapped_column(JSON)
    opened_at: Mapped[datetime]
    settled_at: Mapped[datetime | None]


class CoupResult(Base):
    """What a settled coup for chips was to one player: source of his totals by game and side.

    `side` is `punter`, `banker` or `player` (other families). `stake` (the banker's: all stakes against him),
    `net` and the balances (wallet plus what was held for him at this table) are chips.
    """

    __tablename__ = "coup_results"
    __table_args__ = (
        CheckConstraint("side IN ('punter', 'banker', 'player')", name="side"),
        CheckConstraint("balance_after = balance_before + net", name="adds_up"),
        UniqueConstraint("coup_id", "seat"),
        Index("ix_coup_results_player_id", "player_id", "id"),
    )

    id: Mapped[int] = mapped_column(Serial, primary_key=True)
    coup_id: Mapped[str] = ref("coups.id")
    table_id: Mapped[str] = ref("tables.id")
    player_id: Mapped[str] = ref("players.id")
    seat: Mapped[int] = mapped_column(SmallInteger)
    game: Mapped[str] = mapped_column(String(40))
    side: Mapped[str] = mapped_column(String(8))
    stake: Mapped[int]
    net: Mapped[int]
    balance_before: Mapped[int]
    balance_after: Mapped[int]
    at: Mapped[datetime]


class Event(Base):
    """What happened at a table, numbered from 1 without gaps. Triggers refuse to change or delete one.

    `private` adds to `data` for single players, by their id: never sent to another.
    """

    __tablename__ = "events"
    __table_args__ = ({"sqlite_with_rowid": False},)  # rows lie in the order in which they are read

    table_id: Mapped[str] = mapped_column(String(30), ForeignKey("tables.id"), primary_key=True)
    n: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    at: Mapped[datetime]
    type: Mapped[str] = mapped_column(String(16))
    coup: Mapped[int | None]
    seat: Mapped[int | None] = mapped_column(SmallInteger)
    data: Mapped[Json] = mapped_column(JSON)
    private: Mapped[Json | None] = mapped_column(JSON(none_as_null=True))
