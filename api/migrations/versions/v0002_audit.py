"""The audit log: who changed what beside play, append-only and chained as the ledger is."""

from typing import Final

import sqlalchemy as sa
from alembic import op
from alembic.util import CommandError

from api.migrations.append_only import forbid_changes, number_rows
from api.migrations.columns import SERIAL, bytes_, check, index, key, small, text, whole

revision: Final = "0002"
down_revision: Final = "0001"
branch_labels: Final = None
depends_on: Final = None


def upgrade() -> None:
    op.create_table(
        "audit_head",
        small("id"),
        whole("seq"),
        bytes_("hash", 32),
        check("audit_head", "single", "id = 1"),
        key("audit_head", "id"),
    )
    # No references: a row stays as it was written, whatever becomes of what it names.
    op.create_table(
        "audit_entries",
        sa.Column("seq", SERIAL, nullable=False, autoincrement=False),
        whole("at"),
        text("actor", 80),
        text("key_id", 30, null=True),
        text("action", 32),
        text("subject", 80),
        text("request_id", 64, null=True),
        sa.Column("before", sa.Text(), nullable=True),
        sa.Column("after", sa.Text(), nullable=True),
        bytes_("previous", 32),
        bytes_("hash", 32),
        key("audit_entries", "seq"),
    )
    index("ix_audit_entries_actor", "audit_entries", "actor", "seq")
    index("ix_audit_entries_subject", "audit_entries", "subject", "seq")
    forbid_changes("audit_entries")
    number_rows("audit_entries", "seq")
    op.get_bind().execute(
        sa.text("INSERT INTO audit_head (id, seq, hash) VALUES (1, 0, :genesis)"), {"genesis": bytes(32)}
    )


def downgrade() -> None:
    raise CommandError("the audit log is never taken back")
