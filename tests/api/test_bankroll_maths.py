"""POST /ruin, /kelly and /sessions/distribution: published figures, the command's answers, costs, refusals by place."""

import json
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from flask import Flask
from flask.testing import FlaskClient
from http_contract import document_of, register

import api
from api.cli import main

Json = dict[str, Any]
COIN: Json = {"outcomes": {"1": "9/20", "-1": "11/20"}}
BANKER: Json = {"rules": {"preset": "house"}, "side": "banker"}
THREE = "3:1/8,1:3/8,-1:1/2"


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Nothing is stored but coups that are looked up: one kind of database will do."""
    return sqlite_url


def exact(figure: Json) -> Fraction:
    return Fraction(int(figure["num"]), int(figure["den"]))


def ask(client: FlaskClient, path: str, body: Any, status: int = 200, **options: Any) -> Json:
    answer = client.post(f"/v1{path}", json=body, **options)
    assert answer.status_code == status, answer.text
    found: Json = answer.json
    return found


def printed(*words: str) -> Json:
    """What a command prints as JSON."""
    done = CliRunner().invoke(main, [*words, "--json"])
    assert done.exit_code == 0, done.output
    found: Json = json.loads(done.stdout)
    return found


def test_fellers_gambler(client: FlaskClient) -> None:
    """W. Feller, vol. I, XIV.3, Table 1: p = 0.45 from 90 to 100 is ruined with 0.866, in 765.6 coups."""
    found = ask(client, "/ruin", COIN | {"bankroll": 90, "goal": 100})
    assert round(found["ruin"]["float"], 3) == 0.866
    assert round(found["expected_coups"]["float"], 1) == 765.6
    assert found["open"]["float"] == 0
    whole = ask(client, "/ruin", COIN | {"bankroll": 90, "goal": 100, "exact": True})
    ratio = Fraction(11, 9)
    assert exact(whole["ruin"]) == (ratio**100 - ratio**90) / (ratio**100 - 1)
    assert exact(whole["ruin"]) + exact(whole["goal"]) == 1


def test_all_four_forms(client: FlaskClient) -> None:
    """A fair coin from 1: in one coup lost with 1/2; in three with 1/2 + 1/8 (L, WLL); to 2 with 1/2; for ever."""
    fair = {"outcomes": "1:1/2,-1:1/2", "bankroll": 1}
    assert exact(ask(client, "/ruin", fair | {"coups": 3, "exact": True})["ruin"]) == Fraction(5, 8)
    assert exact(ask(client, "/ruin", fair | {"goal": 2, "exact": True})["ruin"]) == Fraction(1, 2)
    both = ask(client, "/ruin", fair | {"goal": 3, "coups": 2, "exact": True})
    assert (exact(both["ruin"]), exact(both["goal"]), exact(both["open"])) == (
        Fraction(1, 2),
        Fraction(1, 4),
        Fraction(1, 4),
    )
    for_ever = ask(client, "/ruin", fair)
    assert exact(for_ever["ruin"]) == 1
    assert for_ever["expected_coups"] is None, "it takes for ever on average"
    assert "goal" not in for_ever


def test_the_bankroll_for_a_risk(client: FlaskClient) -> None:
    """p = 0.6: the risk is (2/3)^bankroll; (2/3)^11 = 0.0116, (2/3)^12 = 0.0077."""
    found = ask(client, "/ruin", {"outcomes": "1:3/5,-1:2/5", "risk": "1/100"})
    assert exact(found["bankroll"]) == 12
    assert found["ruin"]["float"] == pytest.approx((2 / 3) ** 12)
    assert exact(found["risk"]) == Fraction(1, 100)


def test_the_bank_that_a_table_needs(client: FlaskClient) -> None:
    """What the study says: 104 stakes for one risk in a hundred; and that bank, asked for its risk, keeps it."""
    needed = ask(client, "/ruin", BANKER | {"risk": 0.01})
    assert exact(needed["bankroll"]) == 104
    assert len(needed["rules_hash"]) == 64
    assert ask(client, "/ruin", BANKER | {"bankroll": 104})["ruin"]["float"] == pytest.approx(
        needed["ruin"]["float"]
    )
    assert ask(client, "/ruin", BANKER | {"bankroll": 103})["ruin"]["float"] > 0.01


def test_kellys_fraction_of_three_outcomes(client: FlaskClient) -> None:
    found = ask(client, "/kelly", {"outcomes": THREE, "bankroll": 10, "fraction": "1/10"})
    assert round(found["full"]["fraction"], 7) == 0.1476668
    assert round(found["full"]["growth"], 7) == 0.0176008
    assert found["half"]["fraction"] == pytest.approx(found["full"]["fraction"] / 2)
    assert found["fraction"]["fraction"] == 0.1
    assert exact(found["coup"]["mean"]) == Fraction(1, 4)
    assert found["coup"]["n0"] == 31
    assert found["coup"]["standard_deviation_100"] == pytest.approx(10 * found["coup"]["standard_deviation"])
    assert found["certainty_equivalent"] == pytest.approx(0.1598, abs=1e-4)


def test_thorps_coin(client: FlaskClient) -> None:
    """E. O. Thorp: p = 0.53 wants 0.06, grows by 0.00180108, and no more from 0.11971214."""
    found = ask(client, "/kelly", {"outcomes": {"1": 0.53, "-1": 0.47}})
    assert found["full"]["fraction"] == pytest.approx(0.06, abs=1e-9)
    assert round(found["full"]["growth"], 8) == 0.00180108
    assert round(found["zero_growth"], 8) == 0.11971214


def test_a_session_of_two_tosses(client: FlaskClient) -> None:
    body = {"outcomes": "1:1/2,-1:1/2", "coups": 2, "exact": True, "quantiles": ["1/4", 0.26, 1]}
    found = ask(client, "/sessions/distribution", body)
    assert {net: exact(chance) for net, chance in found["distribution"].items()} == {
        "-2": Fraction(1, 4),
        "0": Fraction(1, 2),
        "2": Fraction(1, 4),
    }
    assert [exact(found["quantiles"][share]) for share in ("0.25", "0.26", "1")] == [-2, 0, 2]
    near = ask(client, "/sessions/distribution", body | {"quantiles": [0.9999999, 0.99999991]})
    assert list(near["quantiles"]) == ["0.9999999", "0.99999991"]
    assert (exact(found["win"]), exact(found["loss"])) == (Fraction(1, 4), Fraction(1, 4))
    assert found["results"] == 3


def test_more_results_than_are_listed(client: FlaskClient) -> None:
    found = ask(client, "/sessions/distribution", {"outcomes": "100:1/4,1:1/4,-1:1/2", "coups": 190})
    assert found["distribution"] is None
    assert found["results"] > 10_000
    assert found["mean"]["float"] == pytest.approx(190 * 24.75)


def test_the_command_and_the_call_give_the_same(client: FlaskClient) -> None:
    rules = ["--rules", "house", "--side", "banker"]
    assert printed("ruin", *rules, "--bankroll", "50") == ask(client, "/ruin", BANKER | {"bankroll": 50})
    assert printed("kelly", *rules, "--punter", "optimal") == ask(
        client, "/kelly", BANKER | {"punter": "optimal"}
    )
    assert printed("sessions", *rules, "--coups", "20", "--bankroll", "9") == ask(
        client, "/sessions/distribution", BANKER | {"coups": 20, "bankroll": 9}
    )


def test_policies_may_stand_in_the_rules_or_beside_them(client: FlaskClient) -> None:
    inside = {"rules": {"preset": "house", "punter": "optimal", "side": "banker", "shoe": {"decks": 2}}}
    beside = {"rules": {"preset": "house"}, "punter": "optimal", "side": "banker", "shoe": {"decks": 2}}
    assert ask(client, "/kelly", inside) == ask(client, "/kelly", beside)
    assert exact(ask(client, "/kelly", inside)["coup"]["mean"]) == Fraction(252899, 6687135)
    found = ask(client, "/kelly", inside | {"punter": "stand"}, 422)
    assert found["errors"][0]["pointer"] == "/punter"


@pytest.mark.parametrize("shoe", [{"decks": 2}, {"counts": {"0": 32, **{str(n): 8 for n in range(1, 10)}}}])
def test_a_shoe_in_several_words(client: FlaskClient, shoe: Json) -> None:
    whole = ask(client, "/kelly", {"rules": {"preset": "house"}})
    assert ask(client, "/kelly", {"rules": {"preset": "house"}, "shoe": shoe})["coup"] == whole["coup"]


# The caller's own play


@pytest.fixture
def player(client: FlaskClient) -> Json:
    """Somebody who has played ten coups: his key's header."""
    head: Json = register(client)["auth"]
    table = client.post("/v1/tables", json={"game": "house"}, headers=head).json
    play = {"action": "autoplay", "stake": 10, "policy": "textbook", "coups": 10}
    client.post(f"/v1/tables/{table['id']}/actions", json=play, headers=head)
    return head


def test_own_play_is_counted_as_the_export_has_it(client: FlaskClient, player: Json, tmp_path: Any) -> None:
    export = client.get("/v1/players/me/export", headers=player).json
    nets = [Fraction(row["net"], row["stake"]) for row in export["coups"]]
    assert len(nets) >= 1
    found = ask(client, "/sessions/distribution", {"played": {}, "coups": 1, "exact": True}, headers=player)
    assert found["played"] == {"game": "house", "side": "punter", "coups": len(nets)}
    for net in set(nets):
        assert exact(found["distribution"][str(net)]) == Fraction(nets.count(net), len(nets))
    file = tmp_path / "export.json"
    file.write_text(json.dumps(export))
    words = ["sessions", "--played", str(file), "--game", "house", "--coups", "1", "--exact"]
    assert printed(*words) == found


def test_own_play_needs_a_key_and_coups(client: FlaskClient, player: Json) -> None:
    assert ask(client, "/kelly", {"played": {}}, 401)["code"] == "unauthorized"
    found = ask(client, "/kelly", {"played": {"side": "banker"}}, 422, headers=player)
    assert (found["code"], found["errors"][0]["pointer"]) == ("bankroll", "/played")
    found = ask(client, "/kelly", {"played": {}, "rules": {"preset": "house"}}, 422, headers=player)
    assert found["errors"][0]["pointer"] == "/played"
    made = client.post("/v1/players/me/keys", json={"name": "play", "scopes": ["play"]}, headers=player).json
    only = {"Authorization": f"Bearer {made['secret']}"}
    assert ask(client, "/kelly", {"played": {}}, 403, headers=only)["code"] == "scope"


# Refusals

BAD: list[tuple[str, Json, str]] = [
    ("/ruin", {"bankroll": 5}, "/outcomes"),
    ("/ruin", COIN | {"rules": {"preset": "house"}, "bankroll": 5}, "/outcomes"),
    ("/ruin", COIN, "/bankroll"),
    ("/ruin", COIN | {"bankroll": 5, "risk": "0.1"}, "/bankroll"),
    ("/ruin", COIN | {"bankroll": -5}, "/bankroll"),
    ("/ruin", COIN | {"bankroll": "NaN"}, "/bankroll"),
    ("/ruin", COIN | {"bankroll": [5]}, "/bankroll"),
    ("/ruin", COIN | {"bankroll": 1e300}, "/bankroll"),
    ("/ruin", COIN | {"bankroll": 5, "goal": 5}, "/goal"),
    ("/ruin", COIN | {"bankroll": 5, "coups": 0}, "/coups"),
    ("/ruin", COIN | {"bankroll": 5, "coups": 10**12}, ""),
    ("/ruin", COIN | {"bankroll": 5, "gain": 2}, "/gain"),
    ("/ruin", COIN | {"bankroll": 5, "need": 0}, "/need"),
    ("/ruin", COIN | {"risk": "1/100"}, "/risk"),
    ("/ruin", COIN | {"risk": 2}, "/risk"),
    ("/ruin", COIN | {"risk": "1/100", "goal": 9}, "/goal"),
    ("/ruin", COIN | {"risk": "1/100", "gain": "much"}, "/gain"),
    ("/ruin", {"outcomes": "1:3/5,-1:2/5", "bankroll": 5, "exact": True}, "/goal"),
    ("/ruin", {"outcomes": {"1": "1/2"}, "bankroll": 5}, "/outcomes"),
    ("/ruin", {"outcomes": {"1": "1/2", "one": "1/2"}, "bankroll": 5}, "/outcomes"),
    ("/ruin", {"outcomes": [1, 2], "bankroll": 5}, "/outcomes"),
    ("/ruin", {"results": [], "bankroll": 5}, "/results"),
    ("/ruin", {"results": {"1": -1, "-1": 4}, "bankroll": 5}, "/results/1"),
    ("/ruin", {"results": [[1]], "bankroll": 5}, "/results"),
    ("/ruin", COIN | {"side": "banker", "bankroll": 5}, "/side"),
    ("/ruin", COIN | {"luck": 1, "bankroll": 5}, "/luck"),
    ("/ruin", {"rules": {"preset": "roulette"}, "bankroll": 5}, "/rules/preset"),
    ("/ruin", {"rules": {"preset": "house", "changes": {"decks": 9}}, "bankroll": 5}, "/rules/changes/decks"),
    ("/ruin", {"rules": {"preset": "house"}, "punter": "guess", "bankroll": 5}, "/punter"),
    ("/ruin", {"rules": {"preset": "house"}, "punters": 3, "bankroll": 50}, "/side"),
    ("/ruin", BANKER | {"punters": 3, "punter": "optimal", "bankroll": 50}, "/punter"),
    ("/ruin", BANKER | {"punters": 3, "shoe": {"counts": {"5": 8, "6": 8}}, "bankroll": 50}, "/shoe"),
    ("/ruin", {"rules": {"preset": "house"}, "shoe": "endless", "bankroll": 5}, "/shoe"),
    ("/ruin", {"rules": {"preset": "house"}, "shoe": {"counts": {"1": 9}}, "bankroll": 5}, "/shoe/counts/1"),
    ("/kelly", {"outcomes": "1:1"}, "/outcomes"),
    ("/kelly", COIN | {"fraction": 3}, "/fraction"),
    ("/kelly", COIN | {"bankroll": 1}, "/bankroll"),
    ("/kelly", COIN | {"risk_tolerance": 1}, "/risk_tolerance"),
    ("/kelly", COIN | {"bankroll": 9, "risk_tolerance": 2}, "/risk_tolerance"),
    ("/ruin", COIN | {"bankroll": "9" * 400}, "/bankroll"),
    ("/sessions/distribution", COIN, "/coups"),
    ("/sessions/distribution", COIN | {"coups": 5, "goal": 3}, "/bankroll"),
    ("/sessions/distribution", COIN | {"coups": 5, "quantiles": [0.5, 2]}, "/quantiles/1"),
    ("/sessions/distribution", COIN | {"coups": 5, "quantiles": ["half"]}, "/quantiles/0"),
]


@pytest.mark.parametrize(
    ("path", "body", "pointer"), BAD, ids=[f"{path} {json.dumps(body)[:60]}" for path, body, _ in BAD]
)
def test_what_cannot_be_is_refused_by_place(client: FlaskClient, path: str, body: Json, pointer: str) -> None:
    found = ask(client, path, body, 422)
    assert [error["pointer"] for error in found["errors"]] == ([pointer] if pointer else []), found["detail"]
    assert found["code"] in ("bankroll", "rules", "unknown_game", "validation", "too_costly")


def test_what_costs_more_than_the_cap_is_refused_before_any_work(client: FlaskClient) -> None:
    for path, body in (
        ("/ruin", COIN | {"bankroll": 10**6, "coups": 10**9}),
        ("/ruin", {"outcomes": "1:3/5,-1:2/5", "bankroll": 10**13}),
        ("/ruin", COIN | {"bankroll": 10**6, "goal": 10**12}),
        ("/ruin", {"outcomes": "1:1/2,-1:1/2", "risk": "1e-9", "gain": 10**6}),
        ("/sessions/distribution", COIN | {"coups": 10**10}),
        ("/sessions/distribution", COIN | {"coups": 10**5, "exact": True}),
    ):
        found = ask(client, path, body, 422)
        assert found["code"] == "too_costly", body
        assert found["cost"] > found["cap"] == 100_000


def test_what_costs_more_than_is_left_is_429(sqlite_url: str, make_app: Callable[..., Flask]) -> None:
    client = make_app(sqlite_url, rate_limit_anonymous="300/minute").test_client()
    found = ask(client, "/ruin", COIN | {"bankroll": 5000, "coups": 20_000}, 429)
    assert (found["code"], found["cap"]) == ("rate_limited", 300)
    many = {str(net): "1/1000" for net in range(-1, 999)}  # a thousand to read, at 0.2 ms and five units each
    found = ask(client, "/kelly", {"outcomes": many}, 429)
    assert (found["cost"], found["cap"]) == (1000, 300)
    assert ask(client, "/ruin", COIN | {"bankroll": 5, "goal": 9})["ruin"]


def test_requests_of_the_page_are_answered(client: FlaskClient) -> None:
    page = (Path(api.__file__).parent.parent / "docs" / "bankroll.md").read_text(encoding="utf-8")
    asked = re.findall(r"```http\nPOST /v1(/\S+)\n(.*?)\n```", page, re.DOTALL)
    assert {path for path, _ in asked} == {"/ruin", "/kelly", "/sessions/distribution"}
    for path, body in asked:
        ask(client, path, json.loads(body))


def test_examples_of_the_document_are_answered(client: FlaskClient, app: Flask) -> None:
    for path in ("/ruin", "/kelly", "/sessions/distribution"):
        told = document_of(app)["paths"][f"/v1{path}"]["post"]
        ask(client, path, told["requestBody"]["content"]["application/json"]["example"])
        assert told["security"] == []
