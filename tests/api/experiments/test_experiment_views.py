"""Experiments over REST: the order, what is told of it, results, pictures; what is refused, and who sees it."""

import csv
import io
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from http_contract import contents, register
from orders import COIN, digest, order, play_now
from sqlalchemy import update

from analysis.plots import drawn
from analysis.runs import run
from analysis.summary import summary
from analysis.sweep import read
from api.context import NAME
from api.db import Database
from api.jobs import store
from api.models import ExperimentOrder
from casino.banking.presets import PRESETS


@pytest.fixture
def stored(app: Flask) -> Database:
    return app.extensions[NAME].database


def test_an_order_is_taken_at_once_and_told_by_where_it_is(
    client: FlaskClient, player: dict[str, Any]
) -> None:
    made = order(client, player, label="coin")
    assert (made["status"], made["label"], made["cells"]) == ("waiting", "coin", 1)
    assert made["path"] == f"/v1/experiments/{made['id']}"
    assert made["id"].startswith("exp_")
    assert made["coups"] == {"played": 0, "most": 1000 * 100}
    assert made["chunks"]["done"] == 0
    assert made["request"] == {**COIN, "label": "coin"}
    told = client.get(made["path"], headers=player["auth"])
    assert {**told.json, "path": made["path"]} == made
    again = client.get(made["path"], headers={**player["auth"], "If-None-Match": told.headers["ETag"]})
    assert again.status_code == 304


def test_a_copy_of_an_order_is_one_order(client: FlaskClient, player: dict[str, Any]) -> None:
    headers = {**player["auth"], "Idempotency-Key": "coin-1"}
    first, second = (client.post("/v1/experiments", json=COIN, headers=headers) for _ in range(2))
    assert second.headers["Idempotency-Replayed"] == "true"
    assert (first.json, first.headers["Location"]) == (second.json, second.headers["Location"])
    listed = client.get("/v1/experiments", headers=player["auth"]).json["experiments"]
    assert [each["id"] for each in listed] == [first.json["id"]]


def test_results_are_those_of_the_analysis(
    client: FlaskClient, player: dict[str, Any], stored: Database
) -> None:
    made = order(client, player)
    early = client.get(made["path"] + "/results", headers=player["auth"])
    assert (early.status_code, early.json["code"]) == (409, "not_done")
    play_now(stored, made["id"])
    told = client.get(made["path"], headers=player["auth"]).json
    assert (told["status"], told["partial_results"]) == ("done", [])
    assert told["chunks"]["done"] == told["chunks"]["total"]
    found = client.get(made["path"] + "/results", headers=player["auth"])
    alone = read(COIN)
    whole = summary(alone, run(alone))
    assert found.json["digest"] == digest(COIN)
    assert found.json["result"]["ruin"] == whole["ruin"]
    assert found.json["result"]["final"] == whole["final"]
    assert found.json["table"][0]["hash"] == alone.hash
    again = {**player["auth"], "If-None-Match": found.headers["ETag"]}
    assert client.get(made["path"] + "/results", headers=again).status_code == 304
    paths = client.get(made["path"] + "/paths", headers=player["auth"]).json
    assert {name: paths[name] for name in ("coups", "bankrolls")} == whole["paths"]
    assert paths["fan"] == whole["fan"]


def test_a_sweep_has_one_table_as_json_and_as_csv(
    client: FlaskClient, player: dict[str, Any], stored: Database
) -> None:
    made = order(client, player, bankroll=None, grid={"bankroll": [20, 50], "stops/coups": [50, 100]})
    assert made["cells"] == 4
    play_now(stored, made["id"])
    told = client.get(made["path"] + "/results?cell=3", headers=player["auth"]).json
    assert [(row["bankroll"], row["stops/coups"]) for row in told["table"]] == [
        (20, 50),
        (20, 100),
        (50, 50),
        (50, 100),
    ]
    alone = read(COIN)
    assert told["result"]["ruin"] == summary(alone, run(alone))["ruin"]
    text = client.get(made["path"] + "/results", headers={**player["auth"], "Accept": "text/csv"})
    assert text.content_type.startswith("text/csv")
    rows = list(csv.DictReader(io.StringIO(text.text)))
    assert [float(row["ruin"]) for row in rows] == [row["ruin"] for row in told["table"]]
    beyond = client.get(made["path"] + "/results?cell=4", headers=player["auth"])
    assert (beyond.status_code, beyond.json["code"]) == (422, "invalid")


def test_pictures_are_one_specification_drawn_twice(
    client: FlaskClient, player: dict[str, Any], stored: Database
) -> None:
    made = order(client, player, grid={"bankroll": [20, 50]})
    play_now(stored, made["id"])
    for query in ("", "?cell=1"):
        spec = client.get(f"{made['path']}/chart.json{query}", headers=player["auth"])
        assert "vega-lite" in spec.json["$schema"]
        picture = client.get(f"{made['path']}/chart.svg{query}", headers=player["auth"])
        assert picture.content_type.startswith("image/svg+xml")
        assert picture.data == drawn(_Spec(spec.text), "svg")  # type: ignore[arg-type]
    known = {**player["auth"], "If-None-Match": picture.headers["ETag"]}
    assert client.get(f"{made['path']}/chart.svg?cell=1", headers=known).status_code == 304


class _Spec:
    """A specification that is written already, in the place of a picture of Altair's."""

    def __init__(self, text: str) -> None:
        self._text = text

    def to_json(self, **_: Any) -> str:
        return self._text


def test_partial_results_say_what_the_chunks_so_far_do(
    client: FlaskClient, player: dict[str, Any], stored: Database
) -> None:
    from analysis.chunks import play_chunk  # noqa: PLC0415 - loads numba

    made = order(client, player)
    alone, now = read(COIN), stored_now(stored, made["id"])
    store.take_up(stored, made["id"], now)
    parts = [play_chunk(alone, chunk) for chunk in (3, 0)]
    for seconds, part in enumerate(parts, 1):
        for _ in range(2):  # whoever stores it again changes nothing
            store.keep(
                stored,
                made["id"],
                store.Stored(0, next(iter(part.batches)), part),
                now + timedelta(seconds=seconds),
            )
    told = client.get(made["path"], headers=player["auth"]).json
    assert (told["status"], told["chunks"]["done"]) == ("running", 2)
    played = sum(part.sums["played"] for part in parts)
    assert told["coups"]["played"] == played
    assert told["rate"] == pytest.approx(played / 2, abs=0.06)
    assert told["seconds_left"] == told["chunks"]["total"] - 2  # a chunk a second
    (partial,) = told["partial_results"]
    sessions = sum(part.sessions for part in parts)
    assert partial["sessions"] == sessions
    assert partial["ruin"]["value"] == sum(part.reasons["ruin"] for part in parts) / sessions
    assert partial["gain"]["value"] == sum(part.sums["gain"] for part in parts) / sessions


def stored_now(database: Database, experiment: str) -> Any:
    with database.read() as session:
        order = session.get(ExperimentOrder, experiment)
        assert order is not None
        return order.created_at


def test_a_cancelled_experiment_stores_no_more(
    client: FlaskClient, player: dict[str, Any], stored: Database
) -> None:
    made = order(client, player)
    for _ in range(2):
        told = client.post(made["path"] + "/cancel", headers=player["auth"])
        assert (told.status_code, told.json["status"]) == (200, "cancelled")
    with pytest.raises(store.NoLongerWanted):
        play_now(stored, made["id"])
    done = order(client, player)
    play_now(stored, done["id"])
    late = client.post(done["path"] + "/cancel", headers=player["auth"])
    assert (late.status_code, late.json["code"]) == (409, "experiment_over")


def test_deleting_leaves_nothing_of_it(client: FlaskClient, player: dict[str, Any], stored: Database) -> None:
    done, waiting = order(client, player, label="secret plan"), order(client, player)
    play_now(stored, done["id"])
    for made in (done, waiting):
        assert client.delete(made["path"], headers=player["auth"]).status_code == 204
        for path in ("", "/results", "/paths", "/chart.svg", "/chart.json"):
            assert client.get(made["path"] + path, headers=player["auth"]).status_code == 404
    assert client.get("/v1/experiments", headers=player["auth"]).json == {"experiments": [], "next": None}
    kept = contents(stored)
    assert kept["experiment_chunks"] == kept["experiment_results"] == []
    assert "secret plan" not in repr(kept["experiments"])
    with pytest.raises(store.NoLongerWanted):
        play_now(stored, waiting["id"])


def test_nobody_sees_those_of_others(client: FlaskClient, player: dict[str, Any], stored: Database) -> None:
    made, other = order(client, player), register(client, "Ben")
    play_now(stored, made["id"])
    before = contents(stored)["experiments"]
    unknown = made["path"][:-3] + "000"
    for path in ("", "/results", "/paths", "/chart.svg", "/chart.json"):
        found = client.get(made["path"] + path, headers=other["auth"])
        assert (found.status_code, found.json["code"]) == (404, "not_found")
        assert client.get(unknown + path, headers=other["auth"]).json["code"] == "not_found"
    assert client.post(made["path"] + "/cancel", headers=other["auth"]).status_code == 404
    assert client.delete(made["path"], headers=other["auth"]).status_code == 404
    assert client.get("/v1/experiments", headers=other["auth"]).json["experiments"] == []
    assert contents(stored)["experiments"] == before


def test_a_key_that_may_only_read_orders_nothing(client: FlaskClient, player: dict[str, Any]) -> None:
    made = order(client, player)
    key = client.post(
        "/v1/players/me/keys", json={"name": "eyes", "scopes": ["read"]}, headers=player["auth"]
    ).json
    reader = {"Authorization": f"Bearer {key['secret']}"}
    assert client.get(made["path"], headers=reader).status_code == 200
    for method, path in (
        ("POST", "/v1/experiments"),
        ("POST", made["path"] + "/cancel"),
        ("DELETE", made["path"]),
    ):
        found = client.open(path, method=method, json=COIN if path.endswith("s") else None, headers=reader)
        assert (found.status_code, found.json["code"]) == (403, "scope")


def test_lists_come_in_pages_the_newest_first(
    client: FlaskClient, player: dict[str, Any], stored: Database
) -> None:
    ids = [order(client, player)["id"] for _ in range(3)]
    client.post(f"/v1/experiments/{ids[1]}/cancel", headers=player["auth"])
    first = client.get("/v1/experiments?limit=2", headers=player["auth"])
    assert [each["id"] for each in first.json["experiments"]] == sorted(ids, reverse=True)[:2]
    rest = client.get(f"/v1/experiments?limit=2&cursor={first.json['next']}", headers=player["auth"]).json
    assert [each["id"] for each in rest["experiments"]] == [min(ids)]
    cancelled = client.get("/v1/experiments?status=cancelled", headers=player["auth"]).json["experiments"]
    assert [each["id"] for each in cancelled] == [ids[1]]
    assert "request" not in cancelled[0]


REFUSED = [
    ({"bankroll": 0}, "validation", "/bankroll"),
    (
        {"limits": {"min": 60, "max": 100}, "staking": {"system": "flat", "unit": 60}},
        "bankroll",
        "/bankroll",  # below the smallest stake
    ),
    ({"stops": {"coups": 100, "target": 40}}, "bankroll", "/stops/target"),
    ({"staking": {"system": "luck"}}, None, "/staking/system"),
    ({"outcomes": {"1": "NaN", "-1": "1/2"}}, "bankroll", "/outcomes/1"),
    ({"outcomes": "1:1/2"}, "bankroll", "/outcomes"),
    ({"outcomes": None}, "bankroll", "/outcomes"),
    ({"rules": {"preset": "house"}}, "bankroll", "/outcomes"),
    ({"outcomes": None, "rules": {"preset": "roulette"}}, "unknown_game", "/rules/preset"),
    ({"outcomes": None, "rules": {"preset": "house"}, "punter": "guess"}, "rules", "/punter"),
    ({"sessions": 10**9, "stops": {"coups": 10**6}}, "bankroll", "/sessions"),
    ({"precision": {"of": "ruin", "half_width": "0"}}, "bankroll", "/precision/half_width"),
    ({"grid": {"bankroll": []}}, "bankroll", "/grid/bankroll"),
    ({"grid": {"bankroll": [50, 0]}}, "invalid", "/bankroll"),
    ({"stops": None}, "invalid", "/stops"),
    (
        {"outcomes": None, "rules": {"preset": "house", "changes": {"decks": 9}}},
        "rules",
        "/rules/changes/decks",
    ),
    ({"colour": "red"}, "validation", "/colour"),
    ({"played": {"game": "house"}}, "bankroll", "/played"),
]


@pytest.mark.parametrize(("changes", "code", "pointer"), REFUSED)
def test_bad_input_is_refused_with_the_place(
    client: FlaskClient,
    player: dict[str, Any],
    stored: Database,
    changes: Any,
    code: str | None,
    pointer: str,
) -> None:
    body = {name: value for name, value in {**COIN, **changes}.items() if value is not None}
    before = contents(stored)
    found = client.post("/v1/experiments", json=body, headers=player["auth"])
    assert found.status_code == 422, found.text
    assert code in (None, found.json["code"])
    assert found.json["errors"][0]["pointer"] == pointer
    assert contents(stored) == before


@pytest.mark.parametrize(
    ("changes", "pointer", "told"),
    [
        (
            {"staking": None},
            "/staking",
            '«staking» is missing: give an object (a system and its options, such as {"system": "flat", "unit": 5})',
        ),
        (
            {"bankroll": None},
            "/bankroll",
            "«bankroll» is missing: give an integer, 1 to 10000000000000 (chips at the start)",
        ),
        (
            {"stops": {}},
            "/stops/coups",
            "«coups» is missing: give an integer, 1 to 10000000 (most coups of a session)",
        ),
        (
            {"staking": {"system": "flat"}},
            "/staking/unit",
            "«unit» is missing: give an integer, 1 to 1000000000000 (the first stake, in chips)",
        ),
    ],
)
def test_a_missing_member_is_named_with_what_would_be_right(
    client: FlaskClient, player: dict[str, Any], changes: Any, pointer: str, told: str
) -> None:
    """It is no option of rules, so it is not called one."""
    body = {name: value for name, value in {**COIN, **changes}.items() if value is not None}
    found = client.post("/v1/experiments", json=body, headers=player["auth"])
    assert (found.status_code, found.json["code"]) == (422, "invalid")
    assert found.json["errors"] == [{"pointer": pointer, "detail": told}]


def test_absurd_sizes_are_told_with_their_cost(client: FlaskClient, player: dict[str, Any]) -> None:
    huge = {**COIN, "sessions": 10**9, "stops": {"coups": 10**6}}
    found = client.post("/v1/experiments", json=huge, headers=player["auth"])
    assert "1e+15 coups" in found.json["detail"]
    assert "hours of one core" in found.json["detail"]
    assert "the cap is 1e+12" in found.json["detail"]
    plain = b'{"outcomes": {"1": NaN}}'
    found = client.post(
        "/v1/experiments", data=plain, content_type="application/json", headers=player["auth"]
    )
    assert (found.status_code, found.json["code"]) == (400, "malformed")


def test_a_grid_of_many_outcomes_is_charged_before_they_are_read(
    client: FlaskClient, player: dict[str, Any]
) -> None:
    """400 cells of 500 outcomes are 200,000 exact fractions to read: 40 s at 0.2 ms, above the cap of 20 s."""
    many = {str(net): "1/500" for net in range(-1, 499)}
    grid = {**COIN, "outcomes": many, "grid": {"bankroll": list(range(500, 900))}}
    found = client.post("/v1/experiments", json=grid, headers=player["auth"])
    assert (found.status_code, found.json["code"]) == (422, "too_costly")
    assert found.json["cost"] > found.json["cap"]


def test_quotas_are_told_with_cost_and_cap(database_url: str, make_app: Any) -> None:
    app = make_app(database_url, experiments_at_once=2, experiment_coups=250_000)
    client, database = app.test_client(), app.extensions[NAME].database
    ada, ben = register(client), register(client, "Ben")
    body = {**COIN, "sessions": 2501}
    found = client.post("/v1/experiments", json=body, headers=ada["auth"])
    assert (found.status_code, found.json["code"]) == (422, "too_costly")
    assert (found.json["cost"], found.json["cap"]) == (250_100, 250_000)
    first = order(client, ada)
    order(client, ada, sessions=500)
    found = client.post("/v1/experiments", json=COIN, headers=ada["auth"])
    assert (found.status_code, found.json["code"]) == (429, "too_many_experiments")
    assert "Retry-After" in found.headers
    order(client, ben)
    client.post(first["path"] + "/cancel", headers=ada["auth"])  # gives back all of its coups
    order(client, ada, sessions=1900)
    client.post(first["path"] + "/cancel", headers=ada["auth"])
    with database.write() as session:  # as if it had been played
        session.execute(update(ExperimentOrder).where(ExperimentOrder.id == first["id"]).values(played=9_000))
    client.delete(first["path"], headers=ada["auth"])  # deleting gives nothing back
    client.post(f"/v1/experiments/{open_ones(client, ada)[0]}/cancel", headers=ada["auth"])
    found = client.post("/v1/experiments", json={**COIN, "sessions": 1911}, headers=ada["auth"])
    assert (found.status_code, found.json["code"]) == (429, "experiment_quota")
    assert (found.json["cost"], found.json["cap"], found.json["left"]) == (191_100, 250_000, 191_000)
    assert 0 < int(found.headers["Retry-After"]) <= 24 * 3600
    assert order(client, ada, sessions=1910)["status"] == "waiting"


def open_ones(client: FlaskClient, who: dict[str, Any]) -> list[str]:
    listed = client.get("/v1/experiments?status=waiting", headers=who["auth"]).json["experiments"]
    return [each["id"] for each in listed]


def test_working_out_rules_is_taken_off_the_rate_limit(client: FlaskClient, player: dict[str, Any]) -> None:
    def left(**changes: Any) -> int:
        body = {**COIN, **changes}
        body = {name: value for name, value in body.items() if value is not None}
        made = client.post("/v1/experiments", json=body, headers=player["auth"])
        assert made.status_code == 202, made.text
        return int(made.headers["X-RateLimit-Remaining"])

    one = left()
    two = left(
        outcomes=None,
        limits=None,
        bankroll=500,
        staking={"system": "flat", "unit": 5},
        rules={"preset": "house"},
    )
    assert one - two > 20
    expensive = {
        "rules": {"preset": "house-without", "changes": {}},
        **{name: value for name, value in COIN.items() if name != "outcomes"},
    }
    assert "house-without" not in PRESETS
    refused = client.post("/v1/experiments", json=expensive, headers=player["auth"])
    assert refused.json["code"] == "unknown_game"


def test_a_player_takes_his_experiments_with_him(
    client: FlaskClient, player: dict[str, Any], stored: Database
) -> None:
    done, waiting = order(client, player, label="mine"), order(client, player)
    play_now(stored, done["id"])
    exported = client.get("/v1/players/me/export", headers=player["auth"]).json["experiments"]
    assert [each["id"] for each in exported] == sorted([done["id"], waiting["id"]])
    told = {each["id"]: each for each in exported}
    assert told[done["id"]]["request"] == {**COIN, "label": "mine"}
    assert told[done["id"]]["table"][0]["sessions"] == 1000
    assert told[waiting["id"]]["table"] is None
    assert client.delete("/v1/players/me", headers=player["auth"]).status_code == 204
    kept = contents(stored)
    assert kept["experiments"] == kept["experiment_chunks"] == kept["experiment_results"] == []
