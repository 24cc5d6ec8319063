"""Players, the limits they set themselves, and their keys."""

from datetime import datetime

from sqlalchemy import JSON, CheckConstraint, Index, LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column

from api.models.base import Base, Id, Json, ref


class Player(Base):
    """A person. A deleted player keeps the row (his coups and transfers stay), without the name.

    `limits` is what he allows himself (`api/services/limits.py`), None if he never set any.
    """

    __tablename__ = "players"
    __table_args__ = (
        CheckConstraint("(name IS NULL) = (deleted_at IS NOT NULL)", name="name_until_deleted"),
    )

    id: Mapped[Id]
    name: Mapped[str | None] = mapped_column(String(40))
    limits: Mapped[Json | None] = mapped_column(JSON(none_as_null=True))
    created_at: Mapped[datetime]
    deleted_at: Mapped[datetime | None]


class ApiKey(Base):
    """A key. The secret itself is never stored: `digest` is its SHA-256, `prefix` its first characters."""

    __tablename__ = "api_keys"
    __table_args__ = (Index("ix_api_keys_player_id", "player_id", "created_at"),)

    id: Mapped[Id]
    player_id: Mapped[str] = ref("players.id")
    name: Mapped[str] = mapped_column(String(40))
    prefix: Mapped[str] = mapped_column(String(16))
    digest: Mapped[bytes] = mapped_column(LargeBinary(32), unique=True)
    scopes: Mapped[list[str]] = mapped_column(JSON)
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
