"""POST /odds, /policies and /counting: answers by the contract, costs told before the work, refusals by place."""

import json
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from api.context import NAME
from api.warming import Warmer

Json = dict[str, Any]
HOUSE: Json = {"rules": {"preset": "house"}}
PUNTO: Json = {"rules": {"preset": "punto-banco"}, "punter": "rules"}
CHEMIN: Json = {"rules": {"preset": "chemin-de-fer"}, "shoe": "infinite"}


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Odds store nothing: one kind of database will do."""
    return sqlite_url


def exact(figure: Json) -> Fraction:
    return Fraction(int(figure["num"]), int(figure["den"]))


def ask(client: FlaskClient, path: str, body: Any, status: int = 200) -> Json:
    answer = client.post(f"/v1{path}", json=body)
    assert answer.status_code == status, answer.text
    found: Json = answer.json
    return found


def test_the_published_odds_of_punto_banco(client: FlaskClient) -> None:
    """8 packs: player/banker/tie wins 2230518282592256 / 2292252566437888 / 475627426473216 of 4998398275503360;
    edges 1.235081 %, 1.057906 %, 14.359629 % (Wizard of Odds, Baccarat, «Basics» and appendix 1)."""
    found, whole = ask(client, "/odds", PUNTO), 4998398275503360
    assert exact(found["distribution"]["1"]) == Fraction(2230518282592256, whole)
    assert exact(found["distribution"]["-1"]) == Fraction(2292252566437888, whole)
    assert exact(found["distribution"]["0"]) == Fraction(475627426473216, whole)
    assert found["ev_punter"]["float"] == pytest.approx(-0.01235081, abs=5e-9)
    assert found["banker_bet_ev"]["float"] == pytest.approx(-0.01057906, abs=5e-9)
    assert found["tie_bet_8_to_1_ev"]["float"] == pytest.approx(-0.14359629, abs=5e-9)
    assert exact(found["ev_banker"]) == -exact(found["ev_punter"])


def test_an_answer_needs_no_key_and_is_not_kept(client: FlaskClient) -> None:
    answer = client.post("/v1/odds", json=HOUSE)
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-store"
    assert "ETag" not in answer.headers
    assert (answer.json["punter"], answer.json["banker"]) == ("textbook", "rules")


def test_the_equilibrium_of_kemeny_and_snell(client: FlaskClient) -> None:
    """Game-theoretic solution of baccarat (1957): -679568/53094899, 9/11 on 5, 859/2288 on 6 against a stand."""
    found = ask(client, "/policies", CHEMIN | {"punter": "equilibrium", "banker": "equilibrium"})
    assert exact(found["value"]) == Fraction(-679568, 53094899)
    assert exact(found["punter"]["5"]) == Fraction(9, 11)
    assert exact(found["banker"]["6"]["none"]) == Fraction(859, 2288)
    assert found["certified"] is True


def test_a_best_reply_tells_what_every_action_costs(client: FlaskClient) -> None:
    found = ask(client, "/policies", HOUSE | {"punter": "optimal"})
    assert found["side"] == "punter"
    assert exact(found["value"]) == exact(ask(client, "/odds", HOUSE | {"punter": "optimal"})["ev_punter"])
    for decision in found["decisions"]:
        worths = {action: exact(value) for action, value in decision["ev"].items()}
        assert worths[decision["best"]] == max(worths.values())
        for action, cost in decision["cost"].items():
            assert exact(cost) == max(worths.values()) - worths[action]


def test_the_bankers_decision_against_several(client: FlaskClient) -> None:
    """By hand, cards 9, 8 and 7 only are left besides his 4: every punter who stood (on anything, none of them having a
    policy that draws) beats 4, so drawing can only help; with 9 drawn he has 3, with 8 2, with 7 1: it never does."""
    body = {
        "rules": {"preset": "russian-even-active"},
        "shoe": {"counts": {"4": 1, "7": 2, "8": 2, "9": 2}},
        "state": {
            "card": "4",
            "punters": [
                {"stake": 10, "stood": True, "policy": "stand"},
                {"stake": 5, "stood": True, "policy": "stand"},
            ],
        },
    }
    found = ask(client, "/policies", body)
    assert exact(found["ev"]["stand"]) == exact(found["ev"]["draw"]) == -15
    assert (found["side"], found["unexpected"]) == ("banker", [])


def test_counting_tells_effects_and_the_edge_by_depth(client: FlaskClient) -> None:
    body = {
        "rules": {"preset": "russian-even"},
        "punter": "textbook",
        "depths": [20, 60],
        "samples": 200,
        "seed": 5,
    }
    found = ask(client, "/counting", body)
    assert [depth["cards_gone"] for depth in found["by_depth"]] == [20, 60]
    effects = sum(effect["cards"] * exact(effect["punter"]) for effect in found["effects_of_removal"])
    assert effects == 0, "a fixed policy: any card is as good as another to be the next"
    assert ask(client, "/counting", body) == found
    assert (found["side"], found["samples"], found["seed"]) == ("punter", 200, 5)


# Refusals

BAD_SHOE: list[tuple[Any, str]] = [
    ({"counts": {"0": -1}}, "/shoe/counts/0"),
    ({"counts": {"0": 33}}, "/shoe/counts/0"),
    ({"counts": {"1": 1.5}}, "/shoe/counts/1"),
    ({"counts": {"10": 1}}, "/shoe/counts/10"),
    ({"counts": "all"}, "/shoe/counts"),
    ({"counts": {"9": 3}}, "/shoe"),
    ({"decks": 0}, "/shoe/decks"),
    ({"packs": 2}, "/shoe/packs"),
    ("endless", "/shoe"),
    (2, "/shoe"),
]
BAD: list[tuple[str, Json, str]] = [
    *(("/odds", HOUSE | {"shoe": shoe}, pointer) for shoe, pointer in BAD_SHOE),
    ("/odds", HOUSE | {"seen": ["9H", "ZZ"]}, "/seen/1"),
    ("/odds", HOUSE | {"seen": ["9"] * 9}, "/seen/8"),
    ("/odds", HOUSE | {"seen": ["9H", "9H", "9H"]}, "/seen/2"),
    ("/odds", HOUSE | {"seen": ["BJ"]}, "/seen/0"),
    ("/odds", HOUSE | {"seen": [9]}, "/seen/0"),
    ("/odds", HOUSE | {"punter": "cleverly"}, "/punter"),
    ("/odds", HOUSE | {"punter": "threshold:10"}, "/punter"),
    ("/odds", HOUSE | {"punter": {"draw_on": [10]}}, "/punter/draw_on/0"),
    ("/odds", HOUSE | {"punter": {"draws": [1]}}, "/punter/draws"),
    ("/odds", HOUSE | {"punter": 5}, "/punter"),
    ("/odds", HOUSE | {"banker": {"tableau": ["D" * 11] * 9}}, "/banker/tableau"),
    ("/odds", HOUSE | {"banker": {"tableau": ["D" * 10] * 10}}, "/banker/tableau/0"),
    ("/odds", HOUSE | {"information": "some"}, "/information"),
    ("/odds", {}, "/rules"),
    ("/odds", {"rules": {"preset": "baccarat"}}, "/rules/preset"),
    ("/odds", {"rules": {"preset": "house", "changes": {"decks": 9}}}, "/rules/changes/decks"),
    ("/odds", {"rules": {"preset": "house", "changes": {"jokers": 2}}}, "/rules/changes/jokers"),
    (
        "/odds",
        {"rules": {"preset": "house", "changes": {"first_cards": 2}}},
        "/rules/changes/punter_discards",
    ),
    ("/odds", HOUSE | {"state": {}}, "/state"),
    ("/policies", HOUSE, "/punter"),
    (
        "/policies",
        {"rules": {"preset": "continental"}, "state": {"card": "Z", "punters": [{"stake": 5}]}},
        "/state/card",
    ),
    (
        "/policies",
        {"rules": {"preset": "continental"}, "state": {"card": "4", "punters": [{"stake": 5}]}},
        "/state/punters/0",
    ),
    (
        "/policies",
        {"rules": {"preset": "continental"}, "state": {"card": "4", "punters": []}},
        "/state/punters",
    ),
    ("/counting", HOUSE | {"side": "house"}, "/side"),
    ("/counting", HOUSE | {"samples": 1}, "/samples"),
    ("/counting", HOUSE | {"depths": [103]}, "/depths/0"),
    ("/counting", HOUSE | {"depths": []}, "/depths"),
    ("/counting", {"rules": {"preset": "continental"}, "banker": "optimal"}, "/banker"),
]


@pytest.mark.parametrize(
    ("path", "body", "pointer"), BAD, ids=[f"{path} {pointer}" for path, _, pointer in BAD]
)
def test_what_cannot_be_is_refused_by_place(client: FlaskClient, path: str, body: Json, pointer: str) -> None:
    found = ask(client, path, body, 422)
    assert [error["pointer"] for error in found["errors"]] == [pointer], found["detail"]


def test_a_punter_who_is_never_asked_has_no_best_action(client: FlaskClient) -> None:
    """Of a shoe of nines both have 8 in punto banco, 9 in `continental`: naturals, shown at once, points even."""
    for preset, points in (("punto-banco", "8"), ("continental", "9")):
        counts = {"9": 6}
        told = client.post("/v1/odds", json={"rules": {"preset": preset}, "shoe": {"counts": counts}}).json
        assert told["distribution"] == {"0": {"num": "1", "den": "1", "float": 1.0}}
        first = told["by_first_card"][points]
        assert (first["ev"], first["best"]) == ({}, None)
        assert first["played"]["ev"] == {"num": "0", "den": "1", "float": 0.0}


def test_a_shoe_that_might_not_finish_a_coup_is_refused_with_the_reason(client: FlaskClient) -> None:
    found = ask(client, "/odds", HOUSE | {"shoe": {"counts": {"0": 30, "5": 3}}}, 422)
    assert "without a reshuffle" in found["detail"]


# Costs


def spent(client: FlaskClient, path: str, body: Json, status: int = 200) -> int:
    """Units that a call took."""
    left = [int(client.get("/v1/games").headers["X-RateLimit-Remaining"])]
    ask(client, path, body, status)
    left.append(int(client.get("/v1/games").headers["X-RateLimit-Remaining"]))
    return left[0] - left[1] - 1  # the second look cost one


def test_a_question_costs_what_it_takes(client: FlaskClient) -> None:
    """The more zeros may be thrown, and the more is to be worked out, the more it costs."""
    plain = spent(client, "/odds", {"rules": {"preset": "russian-even"}})
    zeros = spent(client, "/odds", HOUSE)
    solved = spent(client, "/policies", CHEMIN | {"punter": "equilibrium", "banker": "equilibrium"})
    assert 1 < plain < zeros < solved


def test_what_costs_more_than_the_cap_is_refused_before_any_work(client: FlaskClient) -> None:
    big = {"rules": {"preset": "punto-banco"}, "depths": [1] * 64, "samples": 1_000_000}
    found = ask(client, "/counting", big, 422)
    assert found["code"] == "too_costly"
    assert found["cost"] > found["cap"] == 100_000
    assert spent(client, "/counting", big, 422) == 1, "no more than any call"


def test_what_costs_more_than_is_left_is_429_with_the_cost_and_the_cap(
    sqlite_url: str, make_app: Callable[..., Flask]
) -> None:
    client = make_app(sqlite_url, rate_limit_anonymous="4000/minute").test_client()
    found = ask(client, "/policies", CHEMIN | {"punter": "equilibrium", "banker": "equilibrium"}, 429)
    assert (found["code"], found["cost"], found["cap"]) == ("rate_limited", 5000, 4000)
    assert ask(client, "/odds", HOUSE)["ev_punter"]


# Nothing heavy before it is asked for, and no stall when it is


def test_importing_the_service_and_building_it_loads_nothing_heavy(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from api import create_app\n"
        "from api.config import from_environment\n"
        f"create_app(from_environment({{}}, database_url='sqlite:///{tmp_path}/none.db'))\n"
        "print(sorted({'numba', 'numpy', 'scipy', 'altair', 'vl_convert'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_process_that_is_warm_compiles_and_loads_nothing_for_a_request(app: Flask) -> None:
    warmer = Warmer(app.extensions[NAME], delay=0)
    warmer.start()
    warmer.join(timeout=300)
    assert warmer.done.is_set()
    from analysis.warm import kernels  # noqa: PLC0415

    before, modules = [state(kernel) for kernel in kernels()], set(sys.modules)
    assert all(signatures for signatures, _, _ in before)
    client = app.test_client()
    for preset in ("russian-even", "house", "punto-banco"):
        ask(client, "/counting", {"rules": {"preset": preset}, "samples": 2, "depths": [10]})
        ask(client, "/odds", {"rules": {"preset": preset}, "punter": "optimal"})
    assert [state(kernel) for kernel in kernels()] == before
    heavy = {name.partition(".")[0] for name in set(sys.modules) - modules}
    assert not heavy & {"numba", "numpy", "scipy", "analysis"}


def state(kernel: Any) -> tuple[int, int, int]:
    """Kinds of arguments that are compiled, loads from disk, compilations."""
    return (
        len(kernel.signatures),
        sum(kernel.stats.cache_hits.values()),
        sum(kernel.stats.cache_misses.values()),
    )


def test_a_process_that_is_told_to_stop_does_not_warm(app: Flask) -> None:
    service = app.extensions[NAME]
    service.stopping.set()
    warmer = Warmer(service, delay=60)
    warmer.start()
    warmer.join(timeout=10)
    assert not warmer.is_alive()
    assert not warmer.done.is_set()


def test_whoever_asks_while_the_analysis_is_compiled_is_told_to_come_back(
    app: Flask, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A short wait, then 503 with Retry-After, and nothing is charged; tables are played meanwhile."""
    monkeypatch.setattr("api.warming._PATIENCE", 0.05)
    compiling, over = Event(), Event()
    service = app.extensions[NAME]
    warmer = Warmer(service, delay=0)
    monkeypatch.setattr(warmer, "_compile", lambda: (compiling.set(), over.wait(60)))
    monkeypatch.setattr(warmer, "_warm", lambda: None)
    warmer.start()
    assert compiling.wait(60)
    key = {"Authorization": f"Bearer {client.post('/v1/players', json={'name': 'Ada'}).json['api_key']}"}
    left = client.get("/v1/players/me", headers=key).headers["X-RateLimit-Remaining"]
    refused = client.post("/v1/odds", json={"rules": {"preset": "house"}}, headers=key)
    assert (refused.status_code, refused.json["code"]) == (503, "busy")
    assert int(refused.headers["Retry-After"]) > 0
    assert "compiled" in refused.json["detail"]
    assert int(left) - int(refused.headers["X-RateLimit-Remaining"]) == 1, (
        "the question itself is not paid for"
    )
    table = client.post("/v1/tables", json={"game": "house"}, headers=key).json["id"]
    played = client.post(f"/v1/tables/{table}/actions", json={"actions": ["stake 10", "stand"]}, headers=key)
    assert played.status_code == 200
    assert client.get("/readyz").status_code == 200
    over.set()
    warmer.join(timeout=60)
    assert client.post("/v1/odds", json={"rules": {"preset": "house"}}, headers=key).status_code == 200


def test_a_failing_compiler_stops_no_question(
    app: Flask, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process then compiles for itself; if that fails too, whoever asks meets the fault, and is not held up."""
    monkeypatch.setattr("api.warming.sys.executable", "/bin/false")
    warmer = Warmer(app.extensions[NAME], delay=0)
    monkeypatch.setattr(warmer, "_warm", lambda: 1 / 0)
    warmer.start()
    warmer.join(timeout=60)
    assert not warmer.done.is_set()
    assert client.post("/v1/odds", json={"rules": {"preset": "house"}}).status_code == 200


def test_one_process_compiles_at_a_time(app: Flask, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The second waits for the first, and is not kept for ever by one that never ends."""
    from api import warming  # noqa: PLC0415

    monkeypatch.setattr("api.warming.tempfile.gettempdir", lambda: str(tmp_path))
    with warming._turns() as first, warming._turns() as second:
        assert first()
        assert not second()
        assert first()
        monkeypatch.setattr(warming, "_LONGEST", 0.3)
        warmer = Warmer(app.extensions[NAME], delay=0)
        monkeypatch.setattr(warmer, "_warm", lambda: None)
        monkeypatch.setattr("api.warming.sys.executable", "/bin/true")
        warmer.start()
        warmer.join(timeout=60)
        assert warmer.done.is_set()
    with warming._turns() as third:
        assert third()


def test_a_process_that_stops_ends_its_compiler(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    service, started = app.extensions[NAME], []
    run = subprocess.Popen

    def sleeper(_command: Any, **options: Any) -> Any:
        started.append(run(["sleep", "600"], **options))
        return started[-1]

    monkeypatch.setattr("api.warming.subprocess.Popen", sleeper)
    warmer = Warmer(service, delay=0)
    warmer.start()
    while not started:
        assert warmer.is_alive()
    service.stopping.set()
    warmer.join(timeout=60)
    assert started[0].returncode is not None
    assert service.warm.is_set()
    assert not warmer.done.is_set()


def test_every_process_of_the_server_warms(monkeypatch: pytest.MonkeyPatch, sqlite_url: str) -> None:
    from api import server  # noqa: PLC0415
    from api.config import Config  # noqa: PLC0415

    begun = Event()
    monkeypatch.setattr(
        server, "Warmer", lambda service: type("Begins", (), {"start": lambda self: begun.set()})()
    )
    monkeypatch.setattr(server, "Ticker", lambda service: type("Idle", (), {"start": lambda self: None})())
    made = server.Server.load(type("Unbound", (), {"_config": Config(database_url=sqlite_url)})())
    made.extensions[NAME].database.dispose()
    assert begun.is_set()


def test_examples_of_the_document_are_answered(client: FlaskClient, app: Flask) -> None:
    from http_contract import document_of  # noqa: PLC0415

    for path in ("/odds", "/policies", "/counting"):
        told = document_of(app)["paths"][f"/v1{path}"]["post"]["requestBody"]["content"]["application/json"]
        ask(client, path, json.loads(json.dumps(told["example"])))
