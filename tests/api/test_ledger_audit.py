"""The audit finds every fault that is planted behind the ledger's back, and names the place."""

import json
import sqlite3
import tracemalloc
from contextlib import closing

import pytest
from click.testing import CliRunner
from sqlalchemy import update
from stored import bank, coup, player, settle, table

from api.cli import main
from api.models import HOUSE, MINT, Bank, Player, Table
from api.services import audit, ledger
from api.services.audit import check, sum_of_balances
from api.services.ledger import Entry


@pytest.fixture
def played(sqlite, now):
    """Five transfers: grants of 100 to wallets 3 and 4, and three between them and the house."""
    with sqlite.write() as session:
        first, second = (player(session, now, 100)[1] for _ in range(2))
        assert (first, second) == (3, 4)
        ledger.post(
            session, [Entry(3, 4, 30, "gift"), Entry(4, HOUSE, 50, "lost"), Entry(3, 4, 10, "gift")], now
        )
    return sqlite


def tamper(database, *statements):
    """Change the file as one would who has it: triggers dropped, checks and references off."""
    with closing(sqlite3.connect(database.path, isolation_level=None)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        for table_name in ("transfers", "events"):
            for suffix in ("no_update", "no_delete", "next"):
                connection.execute(f"DROP TRIGGER {table_name}_{suffix}")
        for statement in statements:
            assert connection.execute(statement).rowcount == 1, statement


def name_of(database, seq):
    with closing(sqlite3.connect(database.path)) as connection:
        return "transfer " + connection.execute("SELECT id FROM transfers WHERE seq = ?", [seq]).fetchone()[0]


def found(database):
    return {(finding.what, finding.where) for finding in check(database).findings}


def test_a_sound_ledger_has_no_findings(played):
    report = check(played)
    assert (report.ok, report.accounts, report.transfers, report.findings) == (True, 4, 5, [])


def test_a_changed_amount_is_found(played):
    name = name_of(played, 3)
    tamper(played, "UPDATE transfers SET amount = 31 WHERE seq = 3")
    assert found(played) == {
        ("hash", name),
        ("running_balance", f"{name}, account 3"),
        ("running_balance", f"{name}, account 4"),
        ("balance", "account 3 (wallet)"),
        ("balance", "account 4 (wallet)"),
    }


def test_a_changed_hash_is_found_there_and_at_the_next(played):
    tamper(played, "UPDATE transfers SET hash = zeroblob(32) WHERE seq = 3")
    assert found(played) == {("hash", name_of(played, 3)), ("previous_hash", name_of(played, 4))}


def test_a_changed_time_kind_or_reference_is_found(played):
    tamper(
        played,
        "UPDATE transfers SET at = at + 1 WHERE seq = 1",
        "UPDATE transfers SET kind = 'x' WHERE seq = 2",
    )
    assert found(played) == {("hash", name_of(played, 1)), ("hash", name_of(played, 2))}


def test_a_deleted_transfer_is_found(played):
    name = name_of(played, 5)
    tamper(played, "DELETE FROM transfers WHERE seq = 4")
    assert found(played) == {
        ("gap", name),
        ("previous_hash", name),
        ("running_balance", f"{name}, account 4"),
        ("balance", "account 4 (wallet)"),
        ("balance", "account 2 (house)"),
        ("last_balance", "account 2 (house)"),
    }


def test_a_deleted_last_transfer_is_found(played):
    tamper(played, "DELETE FROM transfers WHERE seq = 5")
    what = {what for what, _ in found(played)}
    assert what == {"head", "balance", "last_balance"}


def test_transfers_that_change_places_are_found(played):
    tamper(
        played,
        "UPDATE transfers SET seq = 99 WHERE seq = 3",
        "UPDATE transfers SET seq = 3 WHERE seq = 4",
        "UPDATE transfers SET seq = 4 WHERE seq = 99",
    )
    assert {what for what, _ in found(played)} >= {"hash", "previous_hash"}


def test_a_changed_balance_is_found(played):
    tamper(played, "UPDATE accounts SET balance = balance + 1 WHERE id = 3")
    assert found(played) == {
        ("balance", "account 3 (wallet)"),
        ("last_balance", "account 3 (wallet)"),
        ("sum", "all accounts"),
    }
    with played.read() as session:
        assert sum_of_balances(session) == 1


def test_a_negative_balance_is_found(played):
    tamper(
        played,
        "UPDATE accounts SET balance = -1 WHERE id = 4",
        "UPDATE accounts SET balance = 191 WHERE id = 3",
    )
    assert ("negative", "account 4 (wallet)") in found(played)


def test_a_transfer_that_is_consistent_but_unchained_is_found(played):
    """A forger who keeps amounts, balances and head in step, but does not compute the hashes again."""
    name = name_of(played, 5)
    tamper(
        played,
        "UPDATE transfers SET amount = 20, source_after = source_after - 10, target_after = target_after + 10"
        " WHERE seq = 5",
        "UPDATE accounts SET balance = balance - 10 WHERE id = 3",
        "UPDATE accounts SET balance = balance + 10 WHERE id = 4",
    )
    assert found(played) == {("hash", name)}


def test_a_moved_head_is_found(played):
    tamper(played, "UPDATE chain_head SET seq = 6")
    assert found(played) == {("head", "head of the chain")}


def test_an_account_that_is_gone_is_found(played):
    tamper(played, "DELETE FROM accounts WHERE id = 4")
    name = name_of(played, 2)
    assert {("account", name), ("sum", "all accounts")} <= found(played)


@pytest.fixture
def staked(database, now):
    """Ids and accounts of a table with a bank of 100 and an open coup with 30 from each side in escrow."""
    with database.write() as session:
        owner, wallet = player(session, now, 1000)
        name, escrow, chest = table(session, now, owner, [owner])
        term = bank(session, now, name, banker=owner)
        deal = coup(session, now, name, term)
        moves = [(wallet, chest, 100, "bank"), (wallet, escrow, 30, "stake"), (chest, escrow, 30, "cover")]
        ledger.post(session, [Entry(*move, name, term, deal) for move in moves], now)
    return name, term, deal, escrow, chest, wallet, owner


def test_chips_of_open_coups_and_banks_are_in_order(database, staked):
    assert check(database).ok


def test_chips_left_of_a_settled_coup_are_found(database, staked, now):
    name, _, deal, escrow, *_ = staked
    with database.write() as session:
        settle(session, now, deal)
    assert found(database) == {
        ("closed_coup", f"coup {deal}"),
        ("idle_escrow", f"account {escrow} (escrow of {name})"),
    }


def test_chips_left_of_a_settled_coup_are_found_while_the_next_is_open(database, staked, now):
    """The escrow of the table may hold chips then, but not this coup's."""
    name, term, deal, *_ = staked
    with database.write() as session:
        settle(session, now, deal)
        coup(session, now, name, term, number=2)
    assert found(database) == {("closed_coup", f"coup {deal}")}


def test_chips_left_of_a_closed_bank_are_found(database, staked, now):
    name, term, _, _, chest, *_ = staked
    with database.write() as session:
        session.execute(update(Bank).values(closed_at=now))
    assert found(database) == {
        ("closed_bank", f"bank {term}"),
        ("idle_bank", f"account {chest} (bank of {name})"),
    }


def test_chips_of_a_bot_at_a_closed_table_and_of_a_deleted_player_are_found(database, staked, now):
    name, *_, wallet, owner = staked
    with database.write() as session:
        bot = ledger.open_bot(session, name, now)
        ledger.post(session, [Entry(HOUSE, bot, 500, "bot")], now)
        session.execute(update(Table).values(phase="closed", closed_at=now))
        session.execute(update(Player).values(name=None, deleted_at=now))
    assert found(database) == {
        ("closed_table", f"account {bot} (bot of {name})"),
        ("deleted_player", f"account {wallet} (wallet of {owner})"),
    }


def test_findings_are_counted_beyond_those_kept(played, monkeypatch):
    monkeypatch.setattr("api.services.audit.FINDINGS_KEPT", 2)
    tamper(played, "UPDATE accounts SET balance = balance + 1 WHERE id = 3")
    report = check(played)
    assert (report.total, len(report.findings), report.ok) == (3, 2, False)


def run(*arguments):
    return CliRunner().invoke(main, ["ledger", "check", *arguments], env={"MACAO_DATABASE_URL": None})


def test_the_command_says_that_all_is_well(played):
    result = run("--database", str(played.url))
    assert (result.exit_code, result.output) == (0, "The ledger is sound: 4 accounts, 5 transfers.\n")


def test_the_command_shows_what_it_found_and_fails(played):
    tamper(played, "UPDATE accounts SET balance = balance + 1 WHERE id = 3")
    result = run("--database", str(played.url))
    assert result.exit_code == 1
    assert "account 3 (wallet)" in result.output
    assert "3 findings" in result.output


def test_the_command_prints_json(played):
    tamper(played, "UPDATE accounts SET balance = balance + 1 WHERE id = 3")
    result = run("--database", str(played.url), "--json")
    told = json.loads(result.output)
    assert (result.exit_code, told["ok"], told["total"], told["transfers"]) == (1, False, 3, 5)
    assert told["findings"][-1] == {"what": "sum", "where": "all accounts", "expected": "0", "found": "1"}


def test_the_command_tells_where_there_is_no_database(tmp_path):
    result = run("--database", f"sqlite:///{tmp_path / 'none.db'}")
    assert (result.exit_code, list(tmp_path.iterdir())) == (1, [])
    assert "no database" in result.output
    assert "--database" in result.output


def test_the_audit_reads_only(played):
    before = played.path.read_bytes()
    check(played)
    with played.read() as session:
        assert ledger.balance_of(session, MINT) == -200
    assert played.path.read_bytes() == before


def test_a_part_of_the_transfers_is_in_memory_at_a_time(database, now, monkeypatch):
    """On both databases: 4,000 transfers are more than 3 MB, fifty of them less than a tenth of one."""
    monkeypatch.setattr(audit, "_BATCH", 50)
    for _ in range(8):
        with database.write() as session:
            ledger.post(session, [Entry(MINT, HOUSE, 1, "test")] * 500, now)
    assert check(database).transfers == 4_000  # and all is compiled and imported
    tracemalloc.start()
    try:
        assert check(database).ok
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1_000_000
