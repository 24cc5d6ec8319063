"""The audit log: what is entered and by whom, nothing secret, append-only, chained, and nothing of play."""

import hashlib
import json
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from alembic import command
from click.testing import CliRunner
from flask import Flask
from http_contract import contents, register
from sqlalchemy import event, text
from sqlalchemy.exc import DBAPIError
from stored import player

from api.cli import main
from api.context import NAME
from api.db import Database, _alembic, migrate
from api.models import MINT
from api.services import audit_log, keys, ledger
from tests.api.experiments.orders import COIN, order, play_now

PAGE = Path(__file__).parents[2] / "docs" / "audit.md"
Json = dict[str, Any]


def entries(database: Database) -> list[Json]:
    """All entries, the oldest first."""
    with database.read() as session:
        return audit_log.listing(session, limit=1000)[::-1]


def told(database: Database) -> list[tuple[str, str]]:
    """What was done to what, the oldest first."""
    return [(entry["action"], entry["subject"]) for entry in entries(database)]


@pytest.fixture
def service(database_url: str, make_app: Callable[..., Flask]) -> Flask:
    """The application, on SQLite and on PostgreSQL."""
    return make_app(database_url)


@pytest.fixture
def log(service: Flask) -> Database:
    """The database of the application."""
    return service.extensions[NAME].database


def test_everything_beside_play_is_entered_with_who_what_before_and_after(
    service: Flask, log: Database
) -> None:
    """One call of each kind, then the log, entry by entry, against what the calls told."""
    client = service.test_client()
    made = register(client)
    who, auth = made["id"], made["auth"]
    key = client.post("/v1/players/me/keys", json={"name": "phone", "scopes": ["read"]}, headers=auth).json
    new = client.post(f"/v1/players/me/keys/{key['id']}/rotate", headers=auth).json
    client.delete(f"/v1/players/me/keys/{new['id']}", headers=auth)
    client.put("/v1/players/me/bankroll/limits", json={"stake": 20}, headers=auth)
    table = client.post("/v1/tables", json={"game": "house"}, headers=auth).json["id"]
    client.delete(f"/v1/tables/{table}/seats/0", headers=auth)
    client.get("/v1/players/me/export", headers={**auth, "X-Request-Id": "the-export"})
    client.delete("/v1/players/me", headers=auth)
    found = entries(log)
    every, reader = ["read", "play", "keys"], ["read"]
    live = {"state": "live", "expires_at": None}
    over = {"state": "revoked", "expires_at": None}
    opened = {
        "game": "house",
        "bank": "house",
        "stakes": "chips",
        "turn_seconds": 30,
        "private": False,
        "spectators": False,
    }
    expected = [
        ("anonymous", "player_created", who, None, {"grant": 1000}),
        ("anonymous", "key_issued", made["key_id"], None, {"scopes": every, **live}),
        (who, "key_issued", key["id"], None, {"scopes": reader, **live}),
        (who, "key_issued", new["id"], None, {"scopes": reader, **live}),
        (
            who,
            "key_rotated",
            key["id"],
            {"scopes": reader, **live},
            {"scopes": reader, **over, "replaced_by": new["id"]},
        ),
        (who, "key_revoked", new["id"], {"scopes": reader, **live}, {"scopes": reader, **over}),
        (who, "limits_changed", who, None, {"stake": 20}),
        (who, "table_opened", table, None, opened),
        (who, "table_closed", table, {"phase": "stakes"}, {"phase": "closed"}),
        (who, "player_exported", who, None, None),
        (
            who,
            "player_deleted",
            who,
            {"balance": 1000, "keys": [made["key_id"]], "experiments": 0},
            {"balance": 0, "keys": [], "experiments": 0},
        ),
    ]
    for entry in found:
        (entry["after"] or {}).pop("rules_hash", None)
        (entry["after"] or {}).pop("version", None)
    members = ("actor", "action", "subject", "before", "after")
    assert [tuple(entry[name] for name in members) for entry in found] == expected
    assert [entry["seq"] for entry in found] == list(range(1, 12))
    assert {entry["key"] for entry in found[2:]} == {made["key_id"]}
    assert found[9]["request_id"] == "the-export"
    assert all(entry["request_id"] for entry in found)
    assert audit_log.check(log).ok


def test_a_refill_is_entered_with_its_transfer(service: Flask, log: Database) -> None:
    client = service.test_client()
    auth = register(client)["auth"]
    with log.write() as session:  # a wallet that has run low
        ledger.post(session, [ledger.Entry(3, MINT, 400, "test")], datetime.now(UTC))
    made = client.post("/v1/players/me/bankroll/refills", headers=auth).json
    last = entries(log)[-1]
    assert (last["action"], last["before"]) == ("refill_taken", {"worth": 600})
    assert last["after"] == {"worth": 1000, "transfer": made["id"]}


def test_experiments_are_entered_when_they_are_ordered_stopped_and_deleted(
    service: Flask, log: Database
) -> None:
    """By whom, with what was asked for and how far they were; what only repeats, or is refused, is not."""
    client = service.test_client()
    made = register(client)
    key = {**made["auth"], "Idempotency-Key": "once"}
    body = {**COIN, "label": "Grandmother's system"}
    first, again = (client.post("/v1/experiments", json=body, headers=key).json for _ in range(2))
    assert again == first
    path = f"/v1/experiments/{first['id']}"
    for _ in range(2):
        assert client.post(f"{path}/cancel", headers=made["auth"]).status_code == 200
    second = order(client, made)
    play_now(log, second["id"])
    done = client.get(second["path"], headers=made["auth"]).json
    assert client.post(f"{second['path']}/cancel", headers=made["auth"]).status_code == 409
    for place in (path, second["path"]):
        assert client.delete(place, headers=made["auth"]).status_code == 204
        assert client.delete(place, headers=made["auth"]).status_code == 404
    total, played = done["chunks"]["total"], done["coups"]["played"]
    ordered = {"status": "waiting", "cells": 1, "chunks": total, "coups": 100_000}  # 1000 sessions of 100
    found = [entry for entry in entries(log) if entry["action"].startswith("experiment")]
    assert {(entry["actor"], entry["key"]) for entry in found} == {(made["id"], made["key_id"])}
    none = {"chunks": 0, "coups": 0}
    assert [(entry["action"], entry["subject"], entry["before"], entry["after"]) for entry in found] == [
        ("experiment_ordered", first["id"], None, {**ordered, "hash": first["hash"]}),
        (
            "experiment_cancelled",
            first["id"],
            {"status": "waiting", **none},
            {"status": "cancelled", **none},
        ),
        ("experiment_ordered", second["id"], None, {**ordered, "hash": second["hash"]}),
        ("experiment_deleted", first["id"], {"status": "cancelled", **none}, None),
        ("experiment_deleted", second["id"], {"status": "done", "chunks": total, "coups": played}, None),
    ]
    assert "Grandmother" not in json.dumps(entries(log))
    assert audit_log.check(log).ok


def test_a_player_who_is_deleted_takes_his_experiments_with_him_and_the_log_tells_how_many(
    service: Flask, log: Database
) -> None:
    """Those that he had not deleted himself."""
    client = service.test_client()
    made = register(client)
    paths = [order(client, made)["path"] for _ in range(3)]
    client.delete(paths[0], headers=made["auth"])
    assert client.delete("/v1/players/me", headers=made["auth"]).status_code == 204
    last = entries(log)[-1]
    assert (last["action"], last["before"]["experiments"], last["after"]["experiments"]) == (
        "player_deleted",
        2,
        0,
    )


def test_nothing_secret_is_in_the_log_and_no_name(service: Flask, log: Database) -> None:
    """Neither keys nor their digests, seeds, invites, cards, nor the names of players and keys."""
    client = service.test_client()
    made = register(client, "Rumpelstiltskin")
    auth = made["auth"]
    key = client.post("/v1/players/me/keys", json={"name": "Grandmother"}, headers=auth).json
    table = client.post("/v1/tables", json={"game": "house", "private": True}, headers=auth).json
    client.post(f"/v1/tables/{table['id']}/actions", json={"action": "stake 5"}, headers=auth)
    with log.read() as session:
        seeds = [row.hex() for row in session.execute(text("SELECT server_seed FROM banks")).scalars()]
        stored = repr(session.execute(text("SELECT * FROM audit_entries")).all())
    secrets = [made["api_key"], key["secret"], table["invite"], *seeds]
    secrets += [keys.digest_of(secret).hex() for secret in secrets]
    for secret in (*secrets, "Rumpelstiltskin", "Grandmother"):
        assert secret not in stored
    assert made["id"] in stored


def test_play_enters_nothing_and_runs_no_statement_for_it(service: Flask, log: Database) -> None:
    client = service.test_client()
    auth = register(client)["auth"]
    table = client.post("/v1/tables", json={"game": "house"}, headers=auth).json["id"]
    before, asked = entries(log), []
    for engine in (log._writer, log._reader):
        event.listen(engine, "before_cursor_execute", lambda *args: asked.append(args[2]))
    body = {"action": "autoplay", "stake": 5, "coups": 3}
    assert client.post(f"/v1/tables/{table}/actions", json=body, headers=auth).status_code == 200
    assert asked
    assert not [statement for statement in asked if "audit" in statement]
    assert entries(log) == before


def test_what_is_refused_or_repeated_is_not_entered_again(service: Flask, log: Database) -> None:
    client = service.test_client()
    auth = register(client)["auth"]
    once = {**auth, "Idempotency-Key": "once"}
    for _ in range(2):
        assert client.post("/v1/players/me/keys", json={"name": "a"}, headers=once).status_code == 201
    assert client.post("/v1/players/me/keys", json={"scopes": []}, headers=auth).status_code == 422
    assert client.put("/v1/players/me/bankroll/limits", json={"stake": None}, headers=auth).status_code == 200
    assert [action for action, _ in told(log)] == ["player_created", "key_issued", "key_issued"]


def test_a_transaction_that_is_rolled_back_enters_nothing(database: Database, now: datetime) -> None:
    def fail_late() -> None:
        with database.write() as session:
            audit_log.note(session, "player_exported", "ply_a", now)
            session.execute(text("SELECT * FROM nowhere"))

    with pytest.raises(DBAPIError):
        fail_late()
    assert entries(database) == []


def test_an_action_that_there_is_not_is_refused(database: Database, now: datetime) -> None:
    with pytest.raises(ValueError, match="player_created"), database.write() as session:
        audit_log.note(session, "player_praised", "ply_a", now)


def test_the_log_stays_when_a_player_is_deleted_and_is_in_his_export(service: Flask, log: Database) -> None:
    client = service.test_client()
    other, made = register(client, "Boris"), register(client)
    exported = client.get("/v1/players/me/export", headers=made["auth"]).json["audit"]
    assert [entry["action"] for entry in exported] == ["player_created", "key_issued", "player_exported"]
    assert other["id"] not in json.dumps(exported)
    client.delete("/v1/players/me", headers=made["auth"])
    assert len(entries(log)) == 6
    assert audit_log.check(log).ok


# The chain


@pytest.fixture
def written(database: Database, now: datetime) -> Database:
    """Three entries."""
    with database.write() as session:
        audit_log.come_from(session, audit_log.Origin("ply_a", "key_a", "req_a"))
        audit_log.note(session, "player_created", "ply_a", now, after={"grant": 7})
        audit_log.note(session, "limits_changed", "ply_a", now, before={"stake": 5}, after=None)
    with database.write() as session:
        audit_log.note(session, "table_closed", "tbl_a", now)
    return database


def test_the_hash_is_what_the_page_says(written: Database, now: datetime) -> None:
    """SHA-256 of domain, previous hash and columns parted by line feeds, worked out here."""
    at = str(round((now - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(microseconds=1)))
    rows = [
        ["1", at, "ply_a", "key_a", "player_created", "ply_a", "req_a", "", '{"grant":7}'],
        ["2", at, "ply_a", "key_a", "limits_changed", "ply_a", "req_a", '{"stake":5}', ""],
        ["3", at, "system", "", "table_closed", "tbl_a", "", "", ""],
    ]
    last, hashes = bytes(32), []
    for row in rows:
        last = hashlib.sha256(b"macao audit 1\0" + last + "\n".join(row).encode()).digest()
        hashes.append(last.hex())
    assert [entry["hash"] for entry in entries(written)] == hashes


def test_the_vector_of_the_page_comes_out_of_its_own_command() -> None:
    """docs/audit.md gives a command for any shell and what it prints."""
    page = PAGE.read_text()
    command = page.split("\n    { printf", 1)[1].split("\n\n", 1)[0]
    printed = subprocess.run(
        ["bash", "-c", "{ printf" + command], capture_output=True, text=True, check=True
    ).stdout.split()[0]
    assert f"gives `{printed}`" in page
    content = '1\n0\nanonymous\n\nplayer_created\nply_00000000000000000000000000\n\n\n{"grant":1000}'
    assert hashlib.sha256(b"macao audit 1\0" + bytes(32) + content.encode()).hexdigest() == printed


def test_the_page_lists_every_action() -> None:
    listed = [line.split("`")[1] for line in PAGE.read_text().splitlines() if line.startswith("| `")]
    assert set(audit_log.ACTIONS) <= set(listed)


CHANGES = [
    "UPDATE audit_entries SET actor = 'ply_b' WHERE seq = 1",
    "UPDATE audit_entries SET actor = actor",
    "DELETE FROM audit_entries WHERE seq = 3",
    "DELETE FROM audit_entries",
]


@pytest.mark.parametrize("statement", CHANGES)
def test_the_database_refuses_to_change_an_entry(written: Database, statement: str) -> None:
    with pytest.raises(DBAPIError, match="append-only"), written.write() as session:
        session.execute(text(statement))


@pytest.mark.parametrize("seq", [1, 3, 5])
def test_an_entry_needs_the_next_number(written: Database, seq: int) -> None:
    columns = "at, actor, action, subject, previous, hash"
    verbs = ["INSERT", "INSERT OR REPLACE"] if written.is_sqlite else ["INSERT"]
    for verb in verbs:
        copied = f"{verb} INTO audit_entries (seq, {columns}) SELECT {seq}, {columns} FROM audit_entries WHERE seq = 2"
        with pytest.raises(DBAPIError, match="without gaps"), written.write() as session:
            session.execute(text(copied))


def tamper(database: Database, *statements: str) -> None:
    """What somebody with the file in his hands could do: take the triggers off first."""
    with database.write() as session:
        if database.is_sqlite:
            for name in ("no_update", "no_delete", "next"):
                session.execute(text(f"DROP TRIGGER audit_entries_{name}"))
        else:
            session.execute(text("SET LOCAL session_replication_role = replica"))
        for statement in statements:
            session.execute(text(statement))


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("UPDATE audit_entries SET actor = 'ply_b' WHERE seq = 2", ["hash"]),
        ("UPDATE audit_entries SET before = '{}' WHERE seq = 2", ["hash"]),
        ("UPDATE audit_entries SET at = at + 1 WHERE seq = 2", ["hash"]),
        ("DELETE FROM audit_entries WHERE seq = 2", ["gap", "previous_hash"]),
        ("DELETE FROM audit_entries WHERE seq = 3", ["head"]),
        ("DELETE FROM audit_entries", ["head"]),
        ("UPDATE audit_head SET seq = 4", ["head"]),
    ],
)
def test_what_was_tampered_with_is_found(written: Database, statement: str, found: list[str]) -> None:
    assert audit_log.check(written).ok
    tamper(written, statement)
    report = audit_log.check(written)
    assert [finding.what for finding in report.findings] == found
    assert (report.ok, report.total) == (False, len(found))


def test_writers_at_the_same_time_make_one_chain(database: Database, now: datetime) -> None:
    """Four threads, each with entries, postings and a lock of its own: nobody waits for ever, no number twice."""

    def work() -> None:
        for _ in range(5):
            with database.write() as session:
                audit_log.note(session, "player_exported", "ply_a", now)
                player(session, now, 10)

    threads = [Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    report = audit_log.check(database)
    assert (report.entries, report.ok) == (20, True)


# The commands


def run(database: Database | str, *arguments: str) -> Any:
    """`macao …` on a database."""
    url = database if isinstance(database, str) else database.url.render_as_string(hide_password=False)
    return CliRunner().invoke(main, [*arguments, "--database", url], env={"MACAO_DATABASE_URL": None})


def test_the_list_is_paged_and_filtered(written: Database) -> None:
    first = json.loads(run(written, "audit", "list", "--json", "--limit", "2").output)
    assert ([entry["seq"] for entry in first["entries"]], first["next"]) == ([3, 2], 2)
    rest = json.loads(run(written, "audit", "list", "--json", "--before", "2").output)
    assert ([entry["seq"] for entry in rest["entries"]], rest["next"]) == ([1], None)
    for option, value, seqs in (
        ("--actor", "ply_a", [2, 1]),
        ("--actor", "system", [3]),
        ("--subject", "tbl_a", [3]),
        ("--action", "player_created", [1]),
    ):
        found = json.loads(run(written, "audit", "list", "--json", option, value).output)
        assert [entry["seq"] for entry in found["entries"]] == seqs, option
    shown = run(written, "audit", "list", "--limit", "1")
    assert "go on with --before 3" in shown.output
    assert run(written, "audit", "list", "--action", "praised").exit_code == 2
    assert run(written, "audit", "list", "--actor", "ply_z").output == "No such entries.\n"


def test_the_list_cuts_nothing_short(written: Database) -> None:
    """Who, when, what, by which key and request, what was before and after: the same as in the JSON, however long."""
    entries = json.loads(run(written, "audit", "list", "--json").output)["entries"]
    shown = run(written, "audit", "list").output
    for entry in entries:
        told = [entry[name] for name in ("at", "actor", "key", "action", "subject", "request_id")]
        told += [json.dumps(entry[name]) for name in ("before", "after") if entry[name] is not None]
        assert all(text in shown for text in told if text), entry


def test_the_check_says_what_it_found(written: Database) -> None:
    sound = run(written, "audit", "check")
    assert (sound.exit_code, sound.output) == (0, "The audit log is sound: 3 entries.\n")
    tamper(written, "UPDATE audit_entries SET actor = 'ply_b' WHERE seq = 2")
    broken = run(written, "audit", "check")
    assert broken.exit_code == 1
    assert "1 findings in 3 entries" in broken.output
    told = json.loads(run(written, "audit", "check", "--json").output)
    assert (told["ok"], told["findings"][0]["where"]) == (False, "entry 2")


def test_what_is_done_by_command_is_entered_under_the_user(
    tmp_path: Path, open_database: Callable[..., Database], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A migration of what was there (a new database is none), audit, backup; and a restore carries the log on."""
    monkeypatch.setenv("LOGNAME", "ursula")
    url, copy, file = (
        f"sqlite:///{tmp_path}/old.db",
        f"sqlite:///{tmp_path}/copy.db",
        str(tmp_path / "house.macao"),
    )
    old = open_database(url)
    with old.writing() as connection:
        config = _alembic()
        config.attributes["connection"] = connection
        command.upgrade(config, "0002")
    for arguments in (["migrate"], ["migrate"], ["ledger", "check"], ["backup", file]):
        assert run(url, *arguments).exit_code == 0
    migrated, checked, saved = entries(old)
    assert {entry["actor"] for entry in (migrated, checked, saved)} == {"os:ursula"}
    assert (migrated["action"], migrated["before"]) == ("schema_migrated", {"revisions": ["0002"]})
    assert len(migrated["after"]["revisions"]) == 1
    assert (checked["action"], checked["after"]) == (
        "ledger_checked",
        {"ok": True, "transfers": 0, "findings": 0},
    )
    assert (saved["action"], saved["after"]["transfers"]) == ("database_backed_up", 0)
    assert run(copy, "migrate").exit_code == 0
    assert run(copy, "restore", file).exit_code == 0
    restored = entries(open_database(copy))
    assert [entry["action"] for entry in restored] == [
        "schema_migrated",
        "ledger_checked",
        "database_restored",
    ]
    assert restored[:2] == [migrated, checked]
    assert restored[2]["after"]["digest"] == saved["after"]["digest"]
    assert run(copy, "audit", "check").exit_code == 0


def test_a_ledger_that_cannot_be_written_to_is_checked_all_the_same(
    tmp_path: Path, open_database: Callable[..., Database], monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"sqlite:///{tmp_path}/copy.db"
    database = open_database(url)
    migrate(database)
    before = contents(database)

    def refuse(_self: Database) -> Any:
        raise OSError("read-only file system")

    monkeypatch.setattr(Database, "write", refuse)
    found = run(url, "ledger", "check")
    assert found.exit_code == 0
    assert "This is not in the audit log: read-only file system" in found.output
    assert contents(database) == before
