"""`GET /v1/players/me/audit`: what a player did beside play and what was done to him, for himself alone."""

from typing import Any

from flask.testing import FlaskClient
from http_contract import register
from sqlalchemy import text

from api.db import Database
from api.models import AuditEntry
from api.paging import cursor
from api.services import audit_log
from tests.api.experiments.orders import COIN

PATH = "/v1/players/me/audit"
Json = dict[str, Any]


def listed(client: FlaskClient, auth: dict[str, str], path: str = PATH) -> list[Json]:
    """All entries, page by page along the links."""
    found: list[Json] = []
    while path:
        page = client.get(path, headers=auth)
        assert page.status_code == 200, page.text
        assert (page.json["next"] is None) == ("Link" not in page.headers)
        found += page.json["audit"]
        path = page.headers["Link"].split(";")[0].strip("<>") if "Link" in page.headers else ""
    return found


def busy(client: FlaskClient, who: Json) -> Json:
    """Some of everything: a key that is issued, rotated and revoked, limits, a table, an experiment."""
    auth = who["auth"]
    key = client.post("/v1/players/me/keys", json={"scopes": ["read"]}, headers=auth).json
    new = client.post(f"/v1/players/me/keys/{key['id']}/rotate", headers=auth).json
    client.delete(f"/v1/players/me/keys/{new['id']}", headers=auth)
    client.put("/v1/players/me/bankroll/limits", json={"stake": 20}, headers=auth)
    table = client.post("/v1/tables", json={"game": "house", "private": True}, headers=auth).json
    client.delete(f"/v1/tables/{table['id']}/seats/0", headers=auth)
    made = client.post("/v1/experiments", json=COIN, headers=auth).json
    client.delete(f"/v1/experiments/{made['id']}", headers=auth)
    return {"key": key, "new": new, "table": table, "experiment": made}


DONE = [
    "player_created",
    "key_issued",
    "key_issued",
    "key_issued",  # the one in the place of that which is rotated
    "key_rotated",
    "key_revoked",
    "limits_changed",
    "table_opened",
    "table_closed",
    "experiment_ordered",
    "experiment_deleted",
]


def test_the_newest_come_first_and_no_page_moves_when_more_are_added(
    client: FlaskClient, player: Json
) -> None:
    busy(client, player)
    auth, found = player["auth"], listed(client, player["auth"], f"{PATH}?limit=3")
    assert [entry["action"] for entry in found] == DONE[::-1]
    first = client.get(f"{PATH}?limit=3", headers=auth)
    client.put("/v1/players/me/bankroll/limits", json={"stake": 10}, headers=auth)
    second = client.get(first.headers["Link"].split(";")[0].strip("<>"), headers=auth)
    assert second.json["audit"] == found[3:6]
    newest = client.get(f"{PATH}?limit=1", headers=auth).json["audit"][0]
    assert (newest["before"], newest["after"]) == ({"stake": 20}, {"stake": 10})


def test_it_is_what_the_export_holds(client: FlaskClient, player: Json) -> None:
    """The same entries in the same form, the other way round; that of the export is among them."""
    busy(client, player)
    exported = client.get("/v1/players/me/export", headers=player["auth"]).json["audit"]
    assert exported[-1]["action"] == "player_exported"
    assert listed(client, player["auth"]) == exported[::-1]


def test_nobody_reads_the_entries_of_others(client: FlaskClient, player: Json) -> None:
    """Two players in turn, at one table too: each reads of himself, and no id of the other's is told."""
    other = register(client, "Boris")
    mine, his = busy(client, player), busy(client, other)
    seats = [{"kind": "me"}, {"kind": "open"}]
    body = {"game": "house", "seats": seats}
    table = client.post("/v1/tables", json=body, headers=player["auth"]).json["id"]
    assert client.post(f"/v1/tables/{table}/seats", json={}, headers=other["auth"]).status_code == 201
    for who, made, stranger, theirs in ((player, mine, other, his), (other, his, player, mine)):
        found = listed(client, who["auth"])
        assert len(found) == len(DONE) + (who is player)
        assert {entry["actor"] for entry in found} == {"anonymous", who["id"]}
        told = repr(found)
        assert all(thing["id"] in told for thing in made.values())
        assert not [thing["id"] for thing in (stranger, *theirs.values()) if thing["id"] in told]
    assert client.get(f"{PATH}?actor={other['id']}", headers=player["auth"]).status_code == 422


def test_nothing_secret_is_told(client: FlaskClient, player: Json) -> None:
    """No key, no invite, no name that somebody chose."""
    made = busy(client, player)
    told = repr(listed(client, player["auth"]))
    secrets = [
        player["api_key"],
        made["key"]["secret"],
        made["new"]["secret"],
        made["table"]["invite"],
        "Ada",
    ]
    assert not [secret for secret in secrets if secret in told]


def test_what_a_key_was_used_for_can_be_read(client: FlaskClient, player: Json) -> None:
    """By its id, with the request id that the answer had."""
    lost = client.post("/v1/players/me/keys", json={"scopes": ["read", "play"]}, headers=player["auth"]).json
    used = {"Authorization": f"Bearer {lost['secret']}", "X-Request-Id": "who-was-that"}
    client.put("/v1/players/me/bankroll/limits", json={"time": 60}, headers=used)
    found = listed(client, player["auth"])
    assert [(entry["action"], entry["request_id"]) for entry in found if entry["key"] == lost["id"]] == [
        ("limits_changed", "who-was-that")
    ]


def test_one_kind_of_entries_by_pages(client: FlaskClient, player: Json) -> None:
    busy(client, player)
    found = listed(client, player["auth"], f"{PATH}?action=key_issued&limit=1")
    assert [entry["action"] for entry in found] == ["key_issued"] * 3
    for wrong in ("action=schema_migrated", "action=", "limit=0", f"cursor={cursor('entries', (3,))}"):
        refused = client.get(f"{PATH}?{wrong}", headers=player["auth"])
        assert (refused.status_code, refused.json["code"]) == (422, "validation"), wrong


def test_it_is_found_by_indexes_in_a_long_log(database: Database) -> None:
    """No look-up walks along the entries of everybody: the plan of the database names the indexes."""
    wanted = audit_log.about("ply_1").order_by(AuditEntry.seq.desc()).limit(50)
    with database.read() as session:
        text_of = wanted.compile(session.connection().engine, compile_kwargs={"literal_binds": True})
        if not database.is_sqlite:
            session.execute(text("SET LOCAL enable_seqscan = off"))  # in a log without entries it is quicker
        explain = "EXPLAIN QUERY PLAN" if database.is_sqlite else "EXPLAIN"
        plan = repr(session.execute(text(f"{explain} {text_of}")).all())
    for index in ("ix_audit_entries_actor", "ix_audit_entries_subject"):
        assert index in plan
    assert "SCAN audit_entries" not in plan
    assert "Seq Scan on audit_entries" not in plan


def test_reading_enters_nothing(client: FlaskClient, player: Json) -> None:
    before = listed(client, player["auth"])
    assert listed(client, player["auth"]) == before
