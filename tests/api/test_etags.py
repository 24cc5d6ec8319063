"""ETag, If-None-Match (304) and If-Match (412, decided in the transaction of the write)."""

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from http_contract import contents

from api.blueprint import Answer, Blueprint
from api.context import NAME
from api.etags import check_not_modified, etag_of
from api.execution import read, write
from api.services.players import create


def test_a_read_is_304_while_nothing_changed(client: FlaskClient, player: dict[str, Any]) -> None:
    auth = player["auth"]
    first = client.get("/v1/players/me/keys", headers=auth)
    tag = first.headers["ETag"]
    for header in (tag, f'"other", {tag}', f"W/{tag}", "*"):
        again = client.get("/v1/players/me/keys", headers={**auth, "If-None-Match": header})
        assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", tag)
    client.post("/v1/players/me/keys", json={}, headers=auth)
    changed = client.get("/v1/players/me/keys", headers={**auth, "If-None-Match": tag})
    assert (changed.status_code, len(changed.json["keys"])) == (200, 2)
    assert changed.headers["ETag"] != tag


def test_what_is_made_has_the_tag_that_a_read_gives(client: FlaskClient) -> None:
    made = client.post("/v1/players", json={"name": "Ada"})
    auth = {"Authorization": f"Bearer {made.json['api_key']}"}
    assert client.get(made.headers["Location"], headers=auth).headers["ETag"] == made.headers["ETag"]
    key = client.post("/v1/players/me/keys", json={"name": "k"}, headers=auth)
    assert client.get(key.headers["Location"], headers=auth).headers["ETag"] == key.headers["ETag"]


def test_private_answers_are_not_stored_and_public_ones_may_be(
    client: FlaskClient, player: dict[str, Any]
) -> None:
    for path in ("/v1/players/me", "/v1/players/me/bankroll", "/v1/players/me/export"):
        assert client.get(path, headers=player["auth"]).headers["Cache-Control"] == "no-store"
    games = client.get("/v1/games")
    assert games.headers["Cache-Control"] == "public, max-age=3600"
    again = client.get("/v1/games", headers={"If-None-Match": games.headers["ETag"]})
    assert (again.status_code, again.headers["Cache-Control"]) == (304, "public, max-age=3600")


@pytest.fixture
def counter(app: Flask) -> dict[str, int]:
    """A resource with a version: GET and POST /v1/counter."""
    state = {"version": 1, "asked": 0}
    blueprint = Blueprint("counter", "For this test.")

    @blueprint.operation("GET", "/counter", answer=Answer(200, {"type": "object"}, {}), key=None)
    def get_counter() -> Any:
        """Show it."""

        def question(_: Any) -> dict[str, int]:
            check_not_modified(etag_of(state["version"]))
            state["asked"] += 1
            return {"version": state["version"]}

        return read(question, etag=lambda value: etag_of(value["version"]))

    @blueprint.operation(
        "POST", "/counter", answer=Answer(200, {"type": "object"}, {}), key=None, if_match=True
    )
    def count() -> Any:
        """Count."""

        def effect(session: Any) -> dict[str, int]:
            create(session, "Ada", app.extensions[NAME].now(), grant=0)
            state["version"] += 1
            return {"version": state["version"]}

        return write(
            effect,
            current=lambda _: etag_of(state["version"]),
            etag=lambda value: etag_of(value["version"]),
        )

    app._got_first_request = False
    app.register_blueprint(blueprint)
    app.test_client_class = FlaskClient
    return state


def test_304_is_answered_before_the_work(app: Flask, counter: dict[str, int]) -> None:
    client = app.test_client()
    tag = client.get("/v1/counter").headers["ETag"]
    assert client.get("/v1/counter", headers={"If-None-Match": tag}).status_code == 304
    assert counter["asked"] == 1


def test_a_stale_if_match_is_412_and_changes_nothing(app: Flask, counter: dict[str, int]) -> None:
    client = app.test_client()
    tag = client.get("/v1/counter").headers["ETag"]
    done = client.post("/v1/counter", headers={"If-Match": tag})
    assert (done.status_code, done.json) == (200, {"version": 2})
    before = contents(app.extensions[NAME].database)
    for header in (tag, f"W/{done.headers['ETag']}", '"other"', "nonsense"):
        stale = client.post("/v1/counter", headers={"If-Match": header})
        assert (stale.status_code, stale.json["code"]) == (412, "stale")
        assert stale.json["etag"] == done.headers["ETag"]
    assert counter["version"] == 2
    assert contents(app.extensions[NAME].database) == before


def test_if_match_is_optional_and_a_star_always_fits(app: Flask, counter: dict[str, int]) -> None:
    client = app.test_client()
    assert client.post("/v1/counter").status_code == 200
    assert client.post("/v1/counter", headers={"If-Match": "*"}).status_code == 200


def test_a_repetition_is_answered_though_its_if_match_is_stale_by_now(
    app: Flask, counter: dict[str, int]
) -> None:
    client = app.test_client()
    tag = client.get("/v1/counter").headers["ETag"]
    headers = {"If-Match": tag, "Idempotency-Key": "once"}
    first, second = client.post("/v1/counter", headers=headers), client.post("/v1/counter", headers=headers)
    assert (first.status_code, second.status_code) == (200, 200)
    assert second.headers["Idempotency-Replayed"] == "true"
    assert second.headers["ETag"] == first.headers["ETag"]
    assert counter["version"] == 2


def test_the_tag_of_an_app_does_not_depend_on_the_process(
    database_url: str, make_app: Callable[..., Flask]
) -> None:
    one, two = make_app(database_url), make_app(database_url)
    assert (
        one.test_client().get("/v1/games").headers["ETag"]
        == two.test_client().get("/v1/games").headers["ETag"]
    )
