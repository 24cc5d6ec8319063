"""Players, bankroll, games and the operation's own addresses over REST."""

import csv
import io
import json
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from flask import Flask
from flask.testing import FlaskClient
from http_contract import register
from sqlalchemy import text

from api import metrics
from api.context import NAME
from api.models import MINT
from api.paging import cursor
from api.services import health, ledger
from casino import catalogue


def test_a_player_is_registered_with_the_grant(client: FlaskClient) -> None:
    made = client.post("/v1/players", json={"name": "Ada"})
    assert made.status_code == 201
    assert made.headers["Location"] == "/v1/players/me"
    assert made.json["name"] == "Ada"
    assert made.json["balance"] == 1000
    assert made.json["id"].startswith("ply_")
    auth = {"Authorization": f"Bearer {made.json['api_key']}"}
    assert client.get("/v1/players/me", headers=auth).json == {
        name: made.json[name] for name in ("id", "name", "balance", "created_at")
    }
    bankroll = client.get("/v1/players/me/bankroll", headers=auth).json
    assert bankroll == {"balance": 1000, "held": 0, "net": 0, "granted": 1000, "games": {}, "sides": {}}


def test_the_grant_is_a_setting(database_url: str, make_app: Callable[..., Flask]) -> None:
    client = make_app(database_url, opening_grant=77).test_client()
    assert client.post("/v1/players", json={"name": "Ada"}).json["balance"] == 77


def test_everything_kept_of_a_player_can_be_downloaded(client: FlaskClient, player: dict[str, Any]) -> None:
    found = client.get("/v1/players/me/export", headers=player["auth"])
    assert found.headers["Content-Disposition"] == f'attachment; filename="{player["id"]}.json"'
    assert found.json["player"]["name"] == "Ada"
    assert [entry["amount"] for entry in found.json["entries"]] == [1000]
    assert player["api_key"] not in found.text


def test_a_deleted_player_is_gone(app: Flask, client: FlaskClient, player: dict[str, Any]) -> None:
    assert client.delete("/v1/players/me", headers=player["auth"]).status_code == 204
    assert client.get("/v1/players/me", headers=player["auth"]).status_code == 401
    with app.extensions[NAME].database.read() as session:
        assert session.execute(text("SELECT name FROM players")).all() == [(None,)]
        assert session.execute(text("SELECT sum(balance) FROM accounts")).scalar_one() == 0


def post(app: Flask, player: dict[str, Any], amounts: list[int]) -> None:
    """Transfers from the mint to a player's wallet."""
    parts = app.extensions[NAME]
    with parts.database.write() as session:
        wallet = ledger.wallet_of(session, player["id"])
        for amount in amounts:
            ledger.post(session, [ledger.Entry(MINT, wallet, amount, "test")], parts.now())


def test_entries_are_paged_by_cursor_and_link(
    app: Flask, client: FlaskClient, player: dict[str, Any]
) -> None:
    post(app, player, [1, 2, 3, 4])
    path, pages = "/v1/players/me/bankroll/entries?limit=2", []
    while path:
        found = client.get(path, headers=player["auth"])
        pages.append([entry["amount"] for entry in found.json["entries"]])
        link = found.headers.get("Link")
        assert (link is None) == (found.json["next"] is None)
        path = link.split(";")[0].strip("<>") if link else ""
        if len(pages) == 1:
            post(app, player, [99])  # a new entry moves no page
            query = parse_qs(urlsplit(path).query)
            assert query == {"limit": ["2"], "cursor": [found.json["next"]]}
            assert link.endswith('; rel="next"')
    assert pages == [[4, 3], [2, 1], [1000]]


@pytest.mark.parametrize(
    "bad",
    [
        "x",
        "!!!!",
        "e30",
        cursor("entries", ("a",)),
        cursor("entries", (True,)),
        cursor("entries", (2**63,)),
        cursor("entries", (1, 2)),
        cursor("tables", (1,)),
        cursor("entries", ()),
        "x" * 401,
    ],
)
def test_a_cursor_that_is_none_is_refused(client: FlaskClient, player: dict[str, Any], bad: str) -> None:
    found = client.get(
        "/v1/players/me/bankroll/entries", query_string={"cursor": bad}, headers=player["auth"]
    )
    assert (found.status_code, found.json["errors"][0]["parameter"]) == (422, "cursor")


@pytest.mark.parametrize("bad", ["0", "201", "-1", "1.0", " 1", "+1", "1_0", "٣", "", "ten"])
def test_a_limit_that_is_none_is_refused(client: FlaskClient, player: dict[str, Any], bad: str) -> None:
    found = client.get("/v1/players/me/bankroll/entries", query_string={"limit": bad}, headers=player["auth"])
    assert found.status_code == 422
    assert found.json["errors"] == [{"parameter": "limit", "detail": "must be a whole number from 1 to 200"}]


def test_entries_as_csv(app: Flask, client: FlaskClient, player: dict[str, Any]) -> None:
    post(app, player, [5])
    found = client.get("/v1/players/me/bankroll/entries", headers={**player["auth"], "Accept": "text/csv"})
    assert found.mimetype == "text/csv"
    rows = list(csv.DictReader(io.StringIO(found.text)))
    assert [(row["kind"], row["amount"], row["balance"]) for row in rows] == [
        ("opening_grant", "1000", "1000"),
        ("test", "5", "1005"),
    ]
    refused = client.get(
        "/v1/players/me/bankroll/entries?limit=1", headers={**player["auth"], "Accept": "text/csv"}
    )
    assert (refused.status_code, refused.json["errors"][0]["parameter"]) == (422, "limit")


def test_one_entry_of_ones_own(client: FlaskClient, player: dict[str, Any]) -> None:
    entry = client.get("/v1/players/me/bankroll/entries", headers=player["auth"]).json["entries"][0]
    path = f"/v1/players/me/bankroll/entries/{entry['id']}"
    assert client.get(path, headers=player["auth"]).json == entry
    assert client.get(path, headers=register(client, "Bob")["auth"]).status_code == 404


def test_refills_fill_up_and_are_limited(database_url: str, make_app: Callable[..., Flask]) -> None:
    client = make_app(database_url, opening_grant=10, refill_sum=50, refills_a_day=1).test_client()
    auth = register(client)["auth"]
    made = client.post("/v1/players/me/bankroll/refills", headers=auth)
    assert (made.status_code, made.json["amount"], made.json["balance"]) == (201, 40, 50)
    assert client.get(made.headers["Location"], headers=auth).json == made.json
    found = client.post("/v1/players/me/bankroll/refills", headers=auth)
    assert (found.status_code, found.json["code"]) == (409, "refill_not_needed")


def test_the_curve_is_empty_before_the_first_coup(client: FlaskClient, player: dict[str, Any]) -> None:
    assert client.get("/v1/players/me/bankroll/series?points=10", headers=player["auth"]).json == {
        "points": []
    }


def test_every_game_of_the_catalogue_is_listed_and_shown(client: FlaskClient) -> None:
    listed = client.get("/v1/games").json["games"]
    assert [game["name"] for game in listed] == [item.name for item in catalogue.listings()]
    for game in listed:
        shown = client.get(game["href"]).json
        listing = catalogue.find(game["name"])
        assert shown["defaults"] == json.loads(json.dumps(dict(listing.defaults)))
        assert shown["rules_hash"] == listing.game().rules_hash
        for name, option in shown["options"]["properties"].items():
            assert option["description"], name
            assert option["x-source"], name
            assert option["default"] == shown["defaults"][name]


def test_games_of_one_family(client: FlaskClient) -> None:
    games = client.get("/v1/games?family=banking").json["games"]
    assert "house" in {game["name"] for game in games}
    assert {game["family"] for game in games} == {"banking"}


def test_an_unknown_game_is_404_and_lists_those_there_are(client: FlaskClient) -> None:
    found = client.get("/v1/games/whist")
    assert (found.status_code, found.json["code"]) == (404, "not_found")
    assert "house" in found.json["detail"]


def test_alive_and_ready(client: FlaskClient) -> None:
    assert client.get("/livez").json == {"alive": True}
    found = client.get("/readyz")
    assert found.json == {
        "ready": True,
        "checks": {"database": "ok", "migrations": "ok", "ledger": "ok", "generator": "ok"},
    }


def test_not_ready_when_the_ledger_does_not_add_up(app: Flask, client: FlaskClient) -> None:
    register(client)
    with app.extensions[NAME].database.write() as session:
        session.execute(text("UPDATE accounts SET balance = balance + 7 WHERE kind = 'wallet'"))
    found = client.get("/readyz")
    assert (found.status_code, found.json["code"]) == (503, "not_ready")
    assert found.json["checks"]["ledger"] == "the balances add up to 7, not to 0"
    assert found.headers["Retry-After"] == "5"
    assert client.get("/livez").status_code == 200


def test_not_ready_without_a_schema(tmp_path: Any, make_app: Callable[..., Flask]) -> None:
    client = make_app(f"sqlite:///{tmp_path}/empty.db").test_client()
    checks = client.get("/readyz").json["checks"]
    assert "migrate" in checks["migrations"]
    assert checks["ledger"].startswith("cannot be asked")


def test_not_ready_when_the_generator_is_another(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The order is that of Fisher-Yates by hand on the words 79027d5e 4112846f ff804c17 … of the vector.
    words = [int(health._VECTOR[start : start + 8], 16) for start in range(0, 64, 8)]
    more = "713e272435db2830a03ed1f244bc4568"  # the second block, by another HMAC program
    words += [int(more[start : start + 8], 16) for start in range(0, 32, 8)]
    order = list(range(13))
    for place, word in zip(range(12, 0, -1), words, strict=True):
        other = word % (place + 1)
        order[place], order[other] = order[other], order[place]
    assert order == health._ORDER
    assert health.generator() == "ok"
    monkeypatch.setattr(health, "shuffled", lambda cards, key, number: list(cards))
    assert client.get("/readyz").json["checks"]["generator"] != "ok"


def test_metrics_count_by_template_and_code(client: FlaskClient, player: dict[str, Any]) -> None:
    client.get("/v1/games/house")
    client.get("/v1/games/whist")
    client.get("/nowhere/at/all")
    found = client.get("/metrics")
    assert found.mimetype == "text/plain"
    lines = found.text.splitlines()
    samples = {line.rsplit(" ", 1)[0] for line in lines if line.startswith("macao_")}
    assert 'macao_requests_total{method="GET",route="/v1/games/<name>",status="200"}' in samples
    assert 'macao_requests_total{method="GET",route="/v1/games/<name>",status="404"}' in samples
    assert 'macao_requests_total{method="none",route="none",status="404"}' in samples
    assert 'macao_refusals_total{code="no_route"}' in samples
    assert any(name.startswith('macao_request_seconds_bucket{le="0.005"') for name in samples)
    assert "whist" not in found.text
    assert player["id"] not in found.text
    assert metrics.NO_ROUTE == "none"
