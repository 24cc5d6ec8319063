"""The first schema: players, ledger, tables, operation."""

from typing import Final

import sqlalchemy as sa
from alembic import op
from alembic.util import CommandError

from api.migrations.append_only import forbid_changes, number_rows
from api.migrations.columns import (
    SERIAL,
    bytes_,
    check,
    flag,
    index,
    json,
    key,
    refers,
    small,
    text,
    unique,
    whole,
)

revision: Final = "0001"
down_revision: Final = None
branch_labels: Final = None
depends_on: Final = None


def _chain_head() -> None:
    op.create_table(
        "chain_head",
        small("id"),
        whole("seq"),
        bytes_("hash", 32),
        check("chain_head", "single", "id = 1"),
        key("chain_head", "id"),
    )


def _idempotency_keys() -> None:
    op.create_table(
        "idempotency_keys",
        text("owner", 80),
        text("key", 255),
        bytes_("request", 32),
        small("status", null=True),
        json("headers", null=True),
        bytes_("body", null=True),
        whole("created_at"),
        whole("completed_at", null=True),
        check("idempotency_keys", "completed", "(completed_at IS NULL) = (status IS NULL)"),
        key("idempotency_keys", "owner", "key"),
    )
    index("ix_idempotency_keys_created_at", "idempotency_keys", "created_at")


def _leases() -> None:
    op.create_table(
        "leases",
        text("name", 40),
        text("holder", 80),
        whole("expires_at"),
        key("leases", "name"),
    )


def _players() -> None:
    op.create_table(
        "players",
        text("id", 30),
        text("name", 40, null=True),
        json("limits", null=True),
        whole("created_at"),
        whole("deleted_at", null=True),
        check("players", "name_until_deleted", "(name IS NULL) = (deleted_at IS NOT NULL)"),
        key("players", "id"),
    )


def _api_keys() -> None:
    op.create_table(
        "api_keys",
        text("id", 30),
        text("player_id", 30),
        text("name", 40),
        text("prefix", 16),
        bytes_("digest", 32),
        json("scopes"),
        whole("created_at"),
        whole("expires_at", null=True),
        whole("revoked_at", null=True),
        refers("api_keys", "player_id", "players.id"),
        key("api_keys", "id"),
        unique("api_keys", "digest"),
    )
    index("ix_api_keys_player_id", "api_keys", "player_id", "created_at")


def _tables() -> None:
    op.create_table(
        "tables",
        text("id", 30),
        text("creator_id", 30),
        text("game", 40),
        json("options"),
        text("rules_hash", 64),
        text("engine", 32),
        text("bank", 8, null=True),
        text("stakes", 8),
        small("turn_seconds"),
        flag("private"),
        bytes_("invite_digest", 32, null=True),
        flag("spectators"),
        json("settings"),
        text("phase", 16),
        json("state"),
        whole("version"),
        whole("last_event"),
        whole("deadline", null=True),
        whole("created_at"),
        whole("closed_at", null=True),
        check("tables", "closed", "(phase = 'closed') = (closed_at IS NOT NULL)"),
        check("tables", "bank", "bank IN ('house', 'rotates')"),
        check("tables", "stakes", "stakes IN ('chips', 'practice')"),
        refers("tables", "creator_id", "players.id"),
        key("tables", "id"),
    )
    index("ix_tables_created_at", "tables", "created_at", "id")
    index("ix_tables_deadline", "tables", "phase", "deadline")


def _accounts() -> None:
    op.create_table(
        "accounts",
        sa.Column("id", SERIAL, nullable=False),
        text("kind", 8),
        text("player_id", 30, null=True),
        text("table_id", 30, null=True),
        whole("balance"),
        whole("created_at"),
        check("accounts", "wallet_has_a_player", "(kind = 'wallet') = (player_id IS NOT NULL)"),
        check(
            "accounts", "table_has_the_rest", "(kind IN ('bot', 'escrow', 'bank')) = (table_id IS NOT NULL)"
        ),
        check("accounts", "only_the_mint_is_negative", "balance >= 0 OR kind = 'mint'"),
        check("accounts", "kind", "kind IN ('wallet', 'bot', 'escrow', 'bank', 'house', 'mint')"),
        refers("accounts", "player_id", "players.id"),
        refers("accounts", "table_id", "tables.id"),
        key("accounts", "id"),
    )
    index("ix_accounts_table_id", "accounts", "table_id")
    index("uq_accounts_kind", "accounts", "kind", unique=True, where="kind IN ('house', 'mint')")
    index("uq_accounts_player_id", "accounts", "player_id", unique=True)
    index(
        "uq_accounts_table_id_kind",
        "accounts",
        "table_id",
        "kind",
        unique=True,
        where="kind IN ('escrow', 'bank')",
    )


def _banks() -> None:
    op.create_table(
        "banks",
        text("id", 30),
        text("table_id", 30),
        whole("number"),
        small("banker_seat", null=True),
        text("banker_id", 30, null=True),
        text("commitment", 64),
        bytes_("server_seed"),
        json("client_seeds"),
        json("shuffles"),
        whole("put_up"),
        whole("left_over", null=True),
        text("reason", 32, null=True),
        whole("opened_at"),
        whole("closed_at", null=True),
        whole("revealed_at", null=True),
        refers("banks", "banker_id", "players.id"),
        refers("banks", "table_id", "tables.id"),
        key("banks", "id"),
        unique("banks", "table_id", "number"),
    )
    index("ix_banks_banker_id", "banks", "banker_id", "closed_at")


def _events() -> None:
    op.create_table(
        "events",
        text("table_id", 30),
        whole("n"),
        whole("at"),
        text("type", 16),
        whole("coup", null=True),
        small("seat", null=True),
        json("data"),
        json("private", null=True),
        refers("events", "table_id", "tables.id"),
        key("events", "table_id", "n"),
        sqlite_with_rowid=False,
    )


def _coups() -> None:
    op.create_table(
        "coups",
        text("id", 30),
        text("table_id", 30),
        text("bank_id", 30),
        whole("number"),
        text("status", 8),
        json("record"),
        whole("opened_at"),
        whole("settled_at", null=True),
        check("coups", "settled", "(status = 'open') = (settled_at IS NULL)"),
        check("coups", "status", "status IN ('open', 'settled', 'voided')"),
        refers("coups", "bank_id", "banks.id"),
        refers("coups", "table_id", "tables.id"),
        key("coups", "id"),
        unique("coups", "table_id", "number"),
    )
    index("ix_coups_bank_id", "coups", "bank_id")
    index("ix_coups_open", "coups", "table_id", where="status = 'open'")


def _seats() -> None:
    op.create_table(
        "seats",
        text("table_id", 30),
        small("number"),
        text("kind", 8),
        text("player_id", 30, null=True),
        json("policy", null=True),
        whole("account_id", null=True),
        flag("leaving"),
        whole("joined_at", null=True),
        check("seats", "player", "(kind = 'player') = (player_id IS NOT NULL)"),
        check("seats", "kind", "kind IN ('player', 'bot', 'house', 'open')"),
        refers("seats", "account_id", "accounts.id"),
        refers("seats", "player_id", "players.id"),
        refers("seats", "table_id", "tables.id"),
        key("seats", "table_id", "number"),
    )
    index("ix_seats_player_id", "seats", "player_id")


def _coup_results() -> None:
    op.create_table(
        "coup_results",
        sa.Column("id", SERIAL, nullable=False),
        text("coup_id", 30),
        text("table_id", 30),
        text("player_id", 30),
        small("seat"),
        text("game", 40),
        text("side", 8),
        whole("stake"),
        whole("net"),
        whole("balance_before"),
        whole("balance_after"),
        whole("at"),
        check("coup_results", "side", "side IN ('punter', 'banker', 'player')"),
        check("coup_results", "adds_up", "balance_after = balance_before + net"),
        refers("coup_results", "coup_id", "coups.id"),
        refers("coup_results", "player_id", "players.id"),
        refers("coup_results", "table_id", "tables.id"),
        key("coup_results", "id"),
        unique("coup_results", "coup_id", "seat"),
    )
    index("ix_coup_results_player_id", "coup_results", "player_id", "id")


def _transfers() -> None:
    op.create_table(
        "transfers",
        sa.Column("seq", SERIAL, nullable=False, autoincrement=False),
        text("id", 30),
        whole("at"),
        whole("source"),
        whole("target"),
        whole("amount"),
        text("kind", 32),
        text("table_id", 30, null=True),
        text("bank_id", 30, null=True),
        text("coup_id", 30, null=True),
        text("parent_id", 30, null=True),
        whole("source_after"),
        whole("target_after"),
        bytes_("previous", 32),
        bytes_("hash", 32),
        check("transfers", "positive", "amount > 0"),
        check("transfers", "two_accounts", "source <> target"),
        refers("transfers", "bank_id", "banks.id", late=True),
        refers("transfers", "coup_id", "coups.id", late=True),
        refers("transfers", "parent_id", "transfers.id", late=True),
        refers("transfers", "source", "accounts.id"),
        refers("transfers", "table_id", "tables.id", late=True),
        refers("transfers", "target", "accounts.id"),
        key("transfers", "seq"),
        unique("transfers", "id"),
    )
    index("ix_transfers_coup_id", "transfers", "coup_id", where="coup_id IS NOT NULL")
    index("ix_transfers_minted", "transfers", "target", "amount", where="source = 1")
    index("ix_transfers_source", "transfers", "source", "seq")
    index("ix_transfers_target", "transfers", "target", "seq")


def _refills() -> None:
    op.create_table(
        "refills",
        text("transfer_id", 30),
        text("player_id", 30),
        whole("amount"),
        whole("at"),
        refers("refills", "player_id", "players.id"),
        refers("refills", "transfer_id", "transfers.id", late=True),
        key("refills", "transfer_id"),
    )
    index("ix_refills_player_id", "refills", "player_id", "at")


def _opening() -> None:
    """The mint and the house, and a chain with no transfer yet."""
    connection = op.get_bind()
    connection.execute(
        sa.text(
            "INSERT INTO accounts (id, kind, balance, created_at) VALUES (1, 'mint', 0, 0), (2, 'house', 0, 0)"
        )
    )
    connection.execute(
        sa.text("INSERT INTO chain_head (id, seq, hash) VALUES (1, 0, :genesis)"), {"genesis": bytes(32)}
    )
    if connection.dialect.name == "postgresql":
        op.execute("SELECT setval(pg_get_serial_sequence('accounts', 'id'), 2)")


_IN_ORDER: Final = (
    _chain_head,
    _idempotency_keys,
    _leases,
    _players,
    _api_keys,
    _tables,
    _accounts,
    _banks,
    _events,
    _coups,
    _seats,
    _coup_results,
    _transfers,
    _refills,
)


def upgrade() -> None:
    for create in _IN_ORDER:
        create()
    forbid_changes("transfers")
    number_rows("transfers", "seq", also_unique="id")
    forbid_changes("events")
    number_rows("events", "n", within="table_id")
    _opening()


def downgrade() -> None:
    raise CommandError("the first schema holds the ledger: it is never taken back")
