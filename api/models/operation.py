"""What the service keeps for itself: replies to repeat, and leases."""

from datetime import datetime

from sqlalchemy import JSON, CheckConstraint, Index, LargeBinary, SmallInteger, String
from sqlalchemy.orm import Mapped, mapped_column

from api.models.base import Base, Json


class IdempotencyKey(Base):
    """A request seen under its Idempotency-Key, and the answer to give again.

    `owner` is the player, or what stands for a caller without a key; `request` the SHA-256 of method, path and body.
    """

    __tablename__ = "idempotency_keys"
    __table_args__ = (
        CheckConstraint("(completed_at IS NULL) = (status IS NULL)", name="completed"),
        Index("ix_idempotency_keys_created_at", "created_at"),
    )

    owner: Mapped[str] = mapped_column(String(80), primary_key=True)
    key: Mapped[str] = mapped_column(String(255), primary_key=True)
    request: Mapped[bytes] = mapped_column(LargeBinary(32))
    status: Mapped[int | None] = mapped_column(SmallInteger)
    headers: Mapped[Json | None] = mapped_column(JSON(none_as_null=True))
    body: Mapped[bytes | None] = mapped_column(LargeBinary)
    created_at: Mapped[datetime]
    completed_at: Mapped[datetime | None]


class Lease(Base):
    """A task that one process at a time does, until the lease runs out or is handed back."""

    __tablename__ = "leases"

    name: Mapped[str] = mapped_column(String(40), primary_key=True)
    holder: Mapped[str] = mapped_column(String(80))
    expires_at: Mapped[datetime]
