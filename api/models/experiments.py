"""Experiments that players order, the chunks that were played of them, and their results."""

from datetime import datetime

from sqlalchemy import JSON, CheckConstraint, Float, ForeignKey, Index, LargeBinary, SmallInteger, String
from sqlalchemy.orm import Mapped, mapped_column

from api.models.base import Base, Id, Json, ref

WAITING, RUNNING, DONE, CANCELLED, FAILED = STATUSES = ("waiting", "running", "done", "cancelled", "failed")
OPEN = (WAITING, RUNNING)


class ExperimentOrder(Base):
    """An experiment, or a grid of them: the truth about it, whatever queue carries the work.

    `specs` are the cells in order, each `{"cell": values of the grid, "spec": the experiment}`; `coups` and `chunks`
    are the most that may be played, `played` and `done` those stored so far; the three `resumed_…` tell how far it
    was when it was last taken up, `idle_tries` how often that was since a chunk was stored. `rows` is the table of
    results, `digest` the SHA-256 of all tallies. A deleted one keeps the row for a day without its content, as the
    day's quota counts it.
    """

    __tablename__ = "experiments"
    __table_args__ = (
        CheckConstraint("status IN ('waiting', 'running', 'done', 'cancelled', 'failed')", name="status"),
        CheckConstraint("(status = 'done') = (digest IS NOT NULL)", name="digest_when_done"),
        CheckConstraint("done >= 0 AND done <= chunks", name="done"),
        Index("ix_experiments_player_id", "player_id", "id"),
        Index("ix_experiments_status", "status"),
    )

    id: Mapped[Id]
    player_id: Mapped[str] = ref("players.id")
    label: Mapped[str] = mapped_column(String(80))
    status: Mapped[str] = mapped_column(String(10))
    request: Mapped[Json | None] = mapped_column(JSON(none_as_null=True))
    specs: Mapped[list[Json] | None] = mapped_column(JSON(none_as_null=True))
    hash: Mapped[str] = mapped_column(String(64))
    cells: Mapped[int] = mapped_column(SmallInteger)
    chunks: Mapped[int]
    coups: Mapped[int]
    done: Mapped[int]
    played: Mapped[int]
    resumed_at: Mapped[datetime | None]
    resumed_done: Mapped[int]
    resumed_played: Mapped[int]
    idle_tries: Mapped[int] = mapped_column(SmallInteger)
    rows: Mapped[list[Json] | None] = mapped_column(JSON(none_as_null=True))
    digest: Mapped[str | None] = mapped_column(String(64))
    fault: Mapped[str | None] = mapped_column(String(400))
    created_at: Mapped[datetime]
    started_at: Mapped[datetime | None]
    updated_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]
    deleted_at: Mapped[datetime | None]


class ExperimentChunk(Base):
    """One chunk of one cell, stored once: its tally, and what partial results are told from (`gain` and its squares are
    floats: sums of partial results only)."""

    __tablename__ = "experiment_chunks"

    experiment_id: Mapped[str] = mapped_column(String(30), ForeignKey("experiments.id"), primary_key=True)
    cell: Mapped[int] = mapped_column(SmallInteger, primary_key=True)
    chunk: Mapped[int] = mapped_column(SmallInteger, primary_key=True)
    sessions: Mapped[int]
    ruined: Mapped[int]
    gain: Mapped[float] = mapped_column(Float(53))
    gain_squared: Mapped[float] = mapped_column(Float(53))
    tally: Mapped[bytes] = mapped_column(LargeBinary)


class ExperimentResult(Base):
    """What one cell came to: the summary, and the tally that it was made of."""

    __tablename__ = "experiment_results"

    experiment_id: Mapped[str] = mapped_column(String(30), ForeignKey("experiments.id"), primary_key=True)
    cell: Mapped[int] = mapped_column(SmallInteger, primary_key=True)
    summary: Mapped[Json] = mapped_column(JSON)
    tally: Mapped[bytes] = mapped_column(LargeBinary)
