"""Experiments: orders, chunks, results."""

from typing import Final

import sqlalchemy as sa
from alembic import op
from alembic.util import CommandError

from api.migrations.columns import bytes_, check, index, json, key, refers, small, text, whole

revision: Final = "0003"
down_revision: Final = "0002"
branch_labels: Final = None
depends_on: Final = None


def upgrade() -> None:
    op.create_table(
        "experiments",
        text("id", 30),
        text("player_id", 30),
        text("label", 80),
        text("status", 10),
        json("request", null=True),
        json("specs", null=True),
        text("hash", 64),
        small("cells"),
        whole("chunks"),
        whole("coups"),
        whole("done"),
        whole("played"),
        whole("resumed_at", null=True),
        whole("resumed_done"),
        whole("resumed_played"),
        small("idle_tries"),
        json("rows", null=True),
        text("digest", 64, null=True),
        text("fault", 400, null=True),
        whole("created_at"),
        whole("started_at", null=True),
        whole("updated_at"),
        whole("finished_at", null=True),
        whole("deleted_at", null=True),
        check("experiments", "status", "status IN ('waiting', 'running', 'done', 'cancelled', 'failed')"),
        check("experiments", "digest_when_done", "(status = 'done') = (digest IS NOT NULL)"),
        check("experiments", "done", "done >= 0 AND done <= chunks"),
        refers("experiments", "player_id", "players.id"),
        key("experiments", "id"),
    )
    index("ix_experiments_player_id", "experiments", "player_id", "id")
    index("ix_experiments_status", "experiments", "status")
    op.create_table(
        "experiment_chunks",
        text("experiment_id", 30),
        small("cell"),
        small("chunk"),
        whole("sessions"),
        whole("ruined"),
        sa.Column("gain", sa.Float(53), nullable=False),
        sa.Column("gain_squared", sa.Float(53), nullable=False),
        bytes_("tally"),
        refers("experiment_chunks", "experiment_id", "experiments.id"),
        key("experiment_chunks", "experiment_id", "cell", "chunk"),
    )
    op.create_table(
        "experiment_results",
        text("experiment_id", 30),
        small("cell"),
        json("summary"),
        bytes_("tally"),
        refers("experiment_results", "experiment_id", "experiments.id"),
        key("experiment_results", "experiment_id", "cell"),
    )


def downgrade() -> None:
    raise CommandError("experiments of players are not thrown away")
