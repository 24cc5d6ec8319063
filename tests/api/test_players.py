"""Players: names, grants, export, deletion."""

import json

import pytest
from sqlalchemy import insert, select, update
from stored import table

from api.models import MINT, ApiKey, IdempotencyKey, Player, Table
from api.services import keys, ledger, players
from api.services.audit import check
from api.services.errors import Conflict, Invalid, NotFound
from api.services.ledger import Entry


@pytest.fixture
def ana(database, now):
    """A player with a grant of 1000 chips, as told at her creation."""
    with database.write() as session:
        return players.create(session, "Ana", now, grant=1000)


def test_a_new_player_has_the_grant_and_a_key_for_everything(database, ana, now):
    assert (ana["name"], ana["balance"], ana["created_at"]) == ("Ana", 1000, "2026-03-01T12:00:00.123456Z")
    with database.read() as session:
        assert ledger.balance_of(session, ledger.wallet_of(session, ana["id"])) == 1000
        assert ledger.balance_of(session, MINT) == -1000
        caller = keys.find(session, keys.digest_of(ana["api_key"]), now)
        assert (caller.player, caller.key, caller.scopes) == (
            ana["id"],
            ana["key_id"],
            {"read", "play", "keys"},
        )
        assert players.profile(session, ana["id"]) == {
            "id": ana["id"],
            "name": "Ana",
            "balance": 1000,
            "created_at": "2026-03-01T12:00:00.123456Z",
        }


def test_a_grant_of_nothing_is_no_transfer(database, now):
    with database.write() as session:
        assert players.create(session, "Ana", now, grant=0)["balance"] == 0
    assert check(database).transfers == 0


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("A", "A"),
        ("x" * 40, "x" * 40),
        ("Иван Грозный", "Иван Грозный"),
        ("José", "José"),
        ("e\u0301" * 40, "é" * 40),  # forty letters once composed
        ("🂡", "🂡"),
    ],
)
def test_a_name_is_kept_in_its_composed_form(given, kept):
    assert players.clean_name(given) == kept


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ("", "1 to 40 characters, this one 0"),
        ("x" * 41, "this one 41"),
        ("a\nb", r"not U\+000A"),
        ("a\u202eb", r"not U\+202E"),  # turns the direction of writing
        ("a\x00", r"not U\+0000"),
        (" a", "space"),
        ("a ", "space"),
        ("\ud800", r"not U\+D800"),  # half of a surrogate pair: no text at all
    ],
)
def test_other_names_are_refused_with_the_reason(database, now, given, reason):
    with pytest.raises(Invalid, match=reason) as refusal, database.write() as session:
        players.create(session, given, now, grant=1000)
    assert refusal.value.pointer == "/name"
    with database.read() as session:
        assert session.scalars(select(Player)).all() == []


def test_a_player_who_is_not_there_is_not_found(database):
    with database.read() as session, pytest.raises(NotFound):
        players.profile(session, "ply_none")


def test_deleting_returns_the_chips_revokes_the_keys_and_forgets_the_name(database, ana, now):
    with database.write() as session:
        keys.issue(session, ana["id"], now, name="Ana's phone", scopes=["read"])
        answer = {
            "owner": ana["id"],
            "key": "k",
            "request": bytes(32),
            "created_at": now,
            "body": b'{"name":"Ana"}',
        }
        session.execute(insert(IdempotencyKey), [answer])
    with database.write() as session:
        assert players.remove(session, ana["id"], now) == 1000
    with database.read() as session:
        row = session.execute(select(Player.name, Player.deleted_at)).one()
        assert row == (None, now)
        assert ledger.balance_of(session, MINT) == 0
        assert set(session.execute(select(ApiKey.name, ApiKey.revoked_at)).all()) == {("", now)}
        assert session.scalars(select(IdempotencyKey)).all() == []
        assert keys.find(session, keys.digest_of(ana["api_key"]), now) is None
        with pytest.raises(NotFound):
            players.profile(session, ana["id"])
    with pytest.raises(NotFound), database.write() as session:
        players.remove(session, ana["id"], now)
    assert check(database).ok


def test_a_player_at_a_table_is_not_deleted_until_it_is_closed(database, ana, now):
    with database.write() as session:
        name, *_ = table(session, now, ana["id"], [ana["id"]])
    with pytest.raises(Conflict) as refusal, database.write() as session:
        players.remove(session, ana["id"], now)
    assert (refusal.value.reason, refusal.value.members) == ("seated", {"tables": [name]})
    with database.read() as session:
        assert players.profile(session, ana["id"])["balance"] == 1000
    with database.write() as session:
        session.execute(update(Table).values(phase="closed", closed_at=now))
        players.remove(session, ana["id"], now)


def test_an_export_holds_everything_but_secrets(database, ana, now):
    with database.write() as session:
        wallet = ledger.wallet_of(session, ana["id"])
        ledger.post(session, [Entry(wallet, MINT, 5, "gift")], now)
        name, *_ = table(session, now, ana["id"], [ana["id"]])
    with database.read() as session:
        text = "".join(players.export(session, ana["id"], now))
    told = json.loads(text)
    lists = {"keys", "tables", "coups", "refills", "entries", "experiments", "audit"}
    assert set(told) == {"exported_at", "player", "bankroll", "limits"} | lists
    assert told["player"]["name"] == "Ana"
    assert [entry["amount"] for entry in told["entries"]] == [1000, -5]
    assert told["tables"] == [
        {
            "table": name,
            "game": "house",
            "stakes": "chips",
            "seat": 0,
            "opened_by_me": True,
            "created_at": "2026-03-01T12:00:00.123456Z",
        }
    ]
    assert ana["api_key"] not in text
    assert keys.digest_of(ana["api_key"]).hex() not in text


def test_an_export_of_nobody_is_refused_before_the_first_part(database, now):
    with database.read() as session, pytest.raises(NotFound):
        players.export(session, "ply_none", now)
