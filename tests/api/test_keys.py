"""API keys: told once, found by hash, ended at once, and never more than their issuer may."""

import hashlib
from datetime import timedelta

import pytest
from sqlalchemy import select, text
from stored import player

from api.models import ApiKey
from api.services import keys
from api.services.errors import Conflict, Forbidden, Invalid, NotFound


@pytest.fixture
def ana(database, now):
    """A player's id."""
    with database.write() as session:
        return player(session, now)[0]


def issue(database, who, now, **options):
    with database.write() as session:
        return keys.issue(session, who, now, **options)


def find(database, secret, now):
    with database.read() as session:
        return keys.find(session, keys.digest_of(secret), now)


def test_a_secret_has_256_bits_and_only_its_hash_is_kept(database, ana, now):
    key = issue(database, ana, now, name="phone")
    assert key["secret"].startswith("macao_")
    assert len(key["secret"]) == len("macao_") + 43  # 32 bytes in base64 without padding
    with database.read() as session:
        row = session.scalars(select(ApiKey)).one()
        assert row.digest == hashlib.sha256(key["secret"].encode()).digest()
        stored = " ".join(map(str, session.execute(text("SELECT * FROM api_keys")).one()))
    assert key["secret"] not in stored
    assert key["prefix"] == key["secret"][:12]


def test_a_key_is_found_by_its_secret_only(database, ana, now):
    key = issue(database, ana, now, scopes=["read"])
    assert find(database, key["secret"], now) == keys.Caller(ana, key["id"], frozenset({"read"}), None)
    assert find(database, key["secret"] + "x", now) is None
    assert find(database, key["prefix"], now) is None


def test_a_key_ends_at_its_time(database, ana, now):
    end = now + timedelta(hours=1)
    key = issue(database, ana, now, expires_at=end)
    assert key["expires_at"] == "2026-03-01T13:00:00.123456Z"
    assert find(database, key["secret"], end - timedelta(microseconds=1)) is not None
    assert find(database, key["secret"], end) is None
    with database.read() as session:
        assert [shown["state"] for shown in keys.listing(session, ana, end)] == ["expired"]


def test_a_list_shows_no_secret(database, ana, now):
    issue(database, ana, now, name="phone", scopes=["play", "read"])
    with database.read() as session:
        (shown,) = keys.listing(session, ana, now)
    assert set(shown) == {"id", "name", "prefix", "scopes", "state", "created_at", "expires_at", "revoked_at"}
    assert (shown["name"], shown["scopes"], shown["state"]) == ("phone", ["read", "play"], "live")


@pytest.mark.parametrize(
    ("options", "pointer"),
    [
        ({"scopes": []}, "/scopes"),
        ({"scopes": ["admin"]}, "/scopes"),
        ({"name": "x" * 41}, "/name"),
        ({"name": "a\nb"}, "/name"),
    ],
)
def test_what_no_key_may_be_is_refused(database, ana, now, options, pointer):
    with pytest.raises(Invalid) as refusal:
        issue(database, ana, now, **options)
    assert refusal.value.pointer == pointer


def test_an_end_in_the_past_is_refused(database, ana, now):
    with pytest.raises(Invalid, match="future"):
        issue(database, ana, now, expires_at=now)


def test_a_key_gives_no_scope_that_it_lacks(database, ana, now):
    with pytest.raises(Forbidden, match="play"):
        issue(database, ana, now, scopes=["read", "play"], within={"read", "keys"})
    assert issue(database, ana, now, scopes=["read"], within={"read", "keys"})["scopes"] == ["read"]


def test_rotating_ends_the_old_and_keeps_name_scopes_and_end(database, ana, now):
    end = now + timedelta(days=1)
    old = issue(database, ana, now, name="bot", scopes=["read"], expires_at=end)
    with database.write() as session:
        new = keys.rotate(session, ana, old["id"], now)
    assert (new["name"], new["scopes"], new["expires_at"]) == ("bot", ["read"], old["expires_at"])
    assert new["secret"] != old["secret"]
    assert find(database, old["secret"], now) is None
    assert find(database, new["secret"], now).key == new["id"]


def test_a_key_without_a_scope_cannot_rotate_itself_into_it(database, ana, now):
    strong = issue(database, ana, now)
    with pytest.raises(Forbidden), database.write() as session:
        keys.rotate(session, ana, strong["id"], now, within={"read", "keys"})
    assert find(database, strong["secret"], now) is not None


def test_revoking_ends_a_key_at_once_and_once(database, ana, now):
    issue(database, ana, now)
    key = issue(database, ana, now, scopes=["read"])
    with database.write() as session:
        assert keys.revoke(session, ana, key["id"], now)["state"] == "revoked"
    assert find(database, key["secret"], now) is None
    for again in (keys.revoke, keys.rotate):
        with pytest.raises(Conflict) as refusal, database.write() as session:
            again(session, ana, key["id"], now)
        assert refusal.value.reason == "key_revoked"


def test_the_last_key_that_manages_keys_is_not_revoked(database, ana, now):
    last = issue(database, ana, now)
    issue(database, ana, now, scopes=["read", "play"])
    issue(database, ana, now, expires_at=now + timedelta(seconds=1))
    later = now + timedelta(seconds=1)
    with pytest.raises(Conflict) as refusal, database.write() as session:
        keys.revoke(session, ana, last["id"], later)
    assert refusal.value.reason == "last_key"
    issue(database, ana, later)
    with database.write() as session:
        keys.revoke(session, ana, last["id"], later)


def test_keys_of_others_are_not_found(database, ana, now):
    key = issue(database, ana, now)
    with database.write() as session:
        other = player(session, now)[0]
        for call in (keys.get, keys.revoke, keys.rotate):
            with pytest.raises(NotFound):
                call(session, other, key["id"], now)
        assert keys.get(session, ana, key["id"], now)["id"] == key["id"]


def test_a_player_has_at_most_twenty_live_keys(database, ana, now):
    with database.write() as session:
        issued = [keys.issue(session, ana, now) for _ in range(20)]
    with pytest.raises(Conflict) as refusal:
        issue(database, ana, now)
    assert refusal.value.reason == "too_many_keys"
    with database.write() as session:
        keys.rotate(session, ana, issued[0]["id"], now)
        keys.revoke(session, ana, issued[1]["id"], now)
        keys.issue(session, ana, now)
