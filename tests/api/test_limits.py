"""Rate limits by key and cost, their headers, CORS, security headers."""

from collections.abc import Callable
from typing import Any

import http_sf
import pytest
from flask import Flask
from flask.testing import FlaskClient
from http_contract import contents, operations, register

from api.blueprint import Answer, Blueprint
from api.context import NAME
from api.execution import reply
from api.headers import EXPOSED
from api.limits import charge
from api.rate_storage import ProcessStorage
from api.views.odds.spending import spend_thought


def field(response: Any, name: str) -> tuple[str, dict[str, int]]:
    """A structured field of one item, by a parser that is not the one that wrote it."""
    ((label, parameters),) = http_sf.parse(response.headers[name].encode(), tltype="list")
    return label, parameters


def test_headers_tell_the_limit_and_what_is_left(client: FlaskClient, player: dict[str, Any]) -> None:
    first = client.get("/v1/players/me", headers=player["auth"])
    second = client.get("/v1/players/me", headers=player["auth"])
    assert field(first, "RateLimit-Policy") == ("key", {"q": 300_000, "w": 60})
    assert field(first, "RateLimit")[1]["r"] == 299_999
    label, parameters = field(second, "RateLimit")
    assert (label, parameters["r"]) == ("key", 299_998)
    assert 1 <= parameters["t"] <= 60
    assert second.headers["X-RateLimit-Limit"] == "300000"
    assert second.headers["X-RateLimit-Remaining"] == "299998"
    assert second.headers["X-RateLimit-Reset"] == str(parameters["t"])


def test_operations_cost_what_they_say(app: Flask, client: FlaskClient, player: dict[str, Any]) -> None:
    known = operations(app)
    left = 300_000
    for name in ("get_me", "get_series", "export_me", "list_keys"):
        operation, path = known[name]
        answer = client.get(path, headers=player["auth"])
        left -= operation.cost
        assert answer.headers["X-RateLimit-Remaining"] == str(left), name
    assert known["export_me"][0].cost > known["get_me"][0].cost


def test_a_spent_limit_is_429_and_changes_nothing(sqlite_url: str, make_app: Callable[..., Flask]) -> None:
    app = make_app(sqlite_url, rate_limit="3/hour")
    client = app.test_client()
    ada, bob = register(client, "Ada")["auth"], register(client, "Bob")["auth"]
    for _ in range(3):
        assert client.get("/v1/players/me", headers=ada).status_code == 200
    before = contents(app.extensions[NAME].database)
    refused = client.post("/v1/players/me/keys", json={}, headers=ada)
    assert (refused.status_code, refused.json["code"]) == (429, "rate_limited")
    assert 1 <= int(refused.headers["Retry-After"]) <= 3600
    assert refused.headers["X-RateLimit-Remaining"] == "0"
    assert contents(app.extensions[NAME].database) == before
    assert client.get("/v1/players/me", headers=bob).status_code == 200


def test_callers_without_a_key_share_their_address(sqlite_url: str, make_app: Callable[..., Flask]) -> None:
    client = make_app(sqlite_url, rate_limit_anonymous="40/hour").test_client()
    first = client.post("/v1/players", json={"name": "Ada"})
    assert field(first, "RateLimit-Policy")[0] == "address"
    assert client.post("/v1/players", json={"name": "Bob"}).status_code == 201
    assert client.post("/v1/players", json={"name": "Eve"}).status_code == 429
    elsewhere = client.post(
        "/v1/players", json={"name": "Eve"}, environ_overrides={"REMOTE_ADDR": "192.0.2.7"}
    )
    assert elsewhere.status_code == 201


def test_wrong_keys_are_counted_by_address(sqlite_url: str, make_app: Callable[..., Flask]) -> None:
    client = make_app(sqlite_url, rate_limit_anonymous="3/hour").test_client()
    codes = [
        client.get("/v1/players/me", headers={"Authorization": f"Bearer guess{n}"}).status_code
        for n in range(5)
    ]
    assert codes == [401, 401, 401, 429, 429]


def test_looking_after_the_service_costs_nothing(sqlite_url: str, make_app: Callable[..., Flask]) -> None:
    client = make_app(sqlite_url, rate_limit_anonymous="1/hour").test_client()
    assert client.get("/v1/games").status_code == 200
    assert client.get("/v1/games").status_code == 429
    for path in ("/livez", "/readyz", "/metrics"):
        assert client.get(path).status_code == 200


def test_a_cost_that_is_known_late_is_charged_late(sqlite_url: str, make_app: Callable[..., Flask]) -> None:
    app = make_app(sqlite_url, rate_limit_anonymous="100/hour")
    blueprint = Blueprint("heavy", "For this test.")

    @blueprint.operation("GET", "/heavy/<int:seat>", answer=Answer(200, {"type": "object"}, {}), key=None)
    def heavy(seat: int) -> Any:
        """Cost as much as is asked for."""
        charge(seat)
        return reply({})

    app._got_first_request = False
    app.register_blueprint(blueprint)
    app.test_client_class = FlaskClient
    client = app.test_client()
    assert client.get("/v1/heavy/60").headers["X-RateLimit-Remaining"] == "39"
    refused = client.get("/v1/heavy/60")
    assert (refused.status_code, refused.json["cost"], refused.json["cap"]) == (429, 60, 100)
    assert int(refused.headers["Retry-After"]) >= 1
    never = client.get("/v1/heavy/101")
    assert (never.status_code, "Retry-After" in never.headers) == (429, False)


def test_what_was_thought_counts_though_less_was_left(
    sqlite_url: str, make_app: Callable[..., Flask]
) -> None:
    """Five units a millisecond: 50 ms cost 250. They are over, so the answer is given, and the window is spent."""
    app = make_app(sqlite_url, rate_limit_anonymous="200/hour")
    blueprint = Blueprint("thoughtful", "For this test.")

    @blueprint.operation("GET", "/thoughtful", answer=Answer(200, {"type": "object"}, {}), key=None)
    def thoughtful() -> Any:
        """Think for 50 ms."""
        spend_thought(0.05)
        return reply({})

    app._got_first_request = False
    app.register_blueprint(blueprint)
    app.test_client_class = FlaskClient
    client = app.test_client()
    answered = client.get("/v1/thoughtful")
    assert (answered.status_code, answered.headers["X-RateLimit-Remaining"]) == (200, "0")
    refused = client.get("/v1/thoughtful")
    assert (refused.status_code, refused.json["code"]) == (429, "rate_limited")


@pytest.mark.parametrize(("hops", "limited"), [(0, True), (1, False)])
def test_addresses_behind_a_proxy(
    sqlite_url: str, make_app: Callable[..., Flask], hops: int, limited: bool
) -> None:
    client = make_app(sqlite_url, rate_limit_anonymous="1/hour", trusted_proxies=hops).test_client()
    codes = [
        client.get("/v1/games", headers={"X-Forwarded-For": f"192.0.2.{n}"}).status_code for n in range(2)
    ]
    assert codes == ([200, 429] if limited else [200, 200])


def test_pages_may_read_the_headers(client: FlaskClient) -> None:
    found = client.get("/v1/games", headers={"Origin": "https://play.example"})
    assert found.headers["Access-Control-Allow-Origin"] == "*"
    exposed = {name.strip() for name in found.headers["Access-Control-Expose-Headers"].split(",")}
    assert exposed == set(EXPOSED)
    assert {"ETag", "Location", "Link", "Retry-After", "X-Request-Id", "RateLimit"} <= exposed
    refused = client.get("/v1/nothing", headers={"Origin": "https://play.example"})
    assert refused.headers["Access-Control-Allow-Origin"] == "*"


def test_a_preflight_is_answered(client: FlaskClient) -> None:
    found = client.options(
        "/v1/players",
        headers={
            "Origin": "https://play.example",
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization, content-type, idempotency-key",
        },
    )
    assert found.status_code == 200
    assert "POST" in found.headers["Access-Control-Allow-Methods"]
    allowed = found.headers["Access-Control-Allow-Headers"].lower()
    assert all(name in allowed for name in ("authorization", "content-type", "idempotency-key"))


def test_only_named_origins(sqlite_url: str, make_app: Callable[..., Flask]) -> None:
    client = make_app(sqlite_url, cors_origins=("https://play.example",)).test_client()
    good = client.get("/v1/games", headers={"Origin": "https://play.example"})
    assert good.headers["Access-Control-Allow-Origin"] == "https://play.example"
    bad = client.get("/v1/games", headers={"Origin": "https://evil.example"})
    assert "Access-Control-Allow-Origin" not in bad.headers
    for answer in (good, bad, client.get("/v1/games")):
        assert "Origin" in answer.headers["Vary"]


def test_no_origin_at_all(sqlite_url: str, make_app: Callable[..., Flask]) -> None:
    client = make_app(sqlite_url, cors_origins=()).test_client()
    found = client.get("/v1/games", headers={"Origin": "https://play.example"})
    assert "Access-Control-Allow-Origin" not in found.headers


def test_security_headers_are_on_every_answer(client: FlaskClient, player: dict[str, Any]) -> None:
    for path in ("/v1/games", "/v1/nothing", "/docs", "/openapi.json", "/v1/players/me"):
        headers = client.get(path, headers=player["auth"]).headers
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["X-Frame-Options"] == "DENY"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]


def test_strict_transport_is_asked_for_over_tls_only(sqlite_url: str, make_app: Callable[..., Flask]) -> None:
    client = make_app(sqlite_url, trusted_proxies=1).test_client()
    assert "Strict-Transport-Security" not in client.get("/v1/games").headers
    found = client.get("/v1/games", headers={"X-Forwarded-For": "192.0.2.1", "X-Forwarded-Proto": "https"})
    assert found.headers["Strict-Transport-Security"] == "max-age=31536000"


def test_a_storage_that_fails_is_503_and_not_a_way_around(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> int:
        raise ValueError("the storage is gone")

    monkeypatch.setattr(ProcessStorage, "incr", fail)
    found = app.test_client().get("/v1/games")
    assert (found.status_code, found.json["code"]) == (503, "busy")


def test_windows_end_and_are_swept(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [1000.0]
    monkeypatch.setattr("api.rate_storage.time", lambda: clock[0])
    storage = ProcessStorage()
    assert [storage.incr("a", 60, amount=2) for _ in range(3)] == [2, 4, 6]
    assert (storage.get("a"), storage.get_expiry("a")) == (6, 1060.0)
    for number in range(1100):
        storage.incr(f"b{number}", 30)
    clock[0] = 1060.0
    assert storage.get("a") == 0
    assert storage.incr("a", 60) == 1
    assert storage.reset() == 1  # the sweep took all the others
