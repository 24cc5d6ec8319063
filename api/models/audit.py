"""The audit log: what was changed beside play. Written by `api/services/audit_log.py` alone."""

from datetime import datetime

from sqlalchemy import CheckConstraint, Index, LargeBinary, SmallInteger, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from api.models.base import Base, Serial


class AuditEntry(Base):
    """Who did what to what. Triggers of the database refuse to change or delete one.

    `actor` is a player's id, `anonymous`, `system` or `os:` and the name of a user of the machine. `before` and
    `after` are JSON texts, hashed as they stand; None where there was or is nothing. Nothing is referred to by a
    foreign key, so a row stays as it is whatever becomes of what it names.
    """

    __tablename__ = "audit_entries"
    __table_args__ = (
        Index("ix_audit_entries_actor", "actor", "seq"),
        Index("ix_audit_entries_subject", "subject", "seq"),
    )

    seq: Mapped[int] = mapped_column(Serial, primary_key=True, autoincrement=False)
    at: Mapped[datetime]
    actor: Mapped[str] = mapped_column(String(80))
    key_id: Mapped[str | None] = mapped_column(String(30))
    action: Mapped[str] = mapped_column(String(32))
    subject: Mapped[str] = mapped_column(String(80))
    request_id: Mapped[str | None] = mapped_column(String(64))
    before: Mapped[str | None] = mapped_column(Text)
    after: Mapped[str | None] = mapped_column(Text)
    previous: Mapped[bytes] = mapped_column(LargeBinary(32))
    hash: Mapped[bytes] = mapped_column(LargeBinary(32))


class AuditHead(Base):
    """The one row that whoever adds an entry locks: the last entry's number and hash."""

    __tablename__ = "audit_head"
    __table_args__ = (CheckConstraint("id = 1", name="single"),)

    id: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    seq: Mapped[int]
    hash: Mapped[bytes] = mapped_column(LargeBinary(32))
