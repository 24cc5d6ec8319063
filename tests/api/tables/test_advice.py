"""GET …/advice and GET …/coups/{id}/cost: exact, from the view of the seat alone; expected beside actual results."""

import json
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from flask import Flask
from http_contract import register

from analysis.advice import advise
from analysis.exact import odds
from api.db import Database
from casino.banking.presets import PRESETS
from casino.banking.rules import build
from tests.api.tables.people import Json, Person, snapshot, sound

PRACTICE: Json = {"stakes": "practice", "turn_seconds": 0}
BOTS = [{"kind": "me"}, {"kind": "bot"}, {"kind": "bot", "policy": "threshold:3"}]


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """What is read is little, and read as everywhere: one database will do."""
    return sqlite_url


def exact(figure: Json) -> Fraction:
    return Fraction(int(figure["num"]), int(figure["den"]))


def worths(told: Json) -> dict[str, Fraction]:
    return {action: exact(value) for action, value in told["ev"].items()}


def rules(name: str, **options: Any) -> Any:
    return build(PRESETS[name][1], options)


def on_turn(who: Person, table: str, actions: tuple[str, ...] = ("stake 10",)) -> Json:
    """Stake until the table waits for the caller's decision on a card; the view."""
    for _ in range(20):
        view = who.do(table, *actions)
        if view["phase"] == "play":
            return view
    raise AssertionError("twenty coups without a decision")


def test_on_his_turn_a_punter_gets_the_exact_worth_of_each_action(ada: Person) -> None:
    """The first coup of a fresh shoe against the house: those of the odds by first card."""
    table = ada.open(**PRACTICE, seed=4)["id"]
    view = on_turn(ada, table)
    told, mine = ada.get(f"/tables/{table}/advice"), view["play"]["seats"][0]
    first = odds(rules("house", seats_change="coup"), punter="optimal").by_first_card[mine["points"]]
    assert view["play"]["coup"] == 1, "else the shoe is not full any more"
    assert worths(told) == {action: spread.ev() for action, spread in first.actions.items()}
    assert told["best"] == first.best
    assert set(told["ev"]) == set(view["legal"])
    assert told["cost"][told["best"]]["float"] == 0
    assert (told["side"], told["unit"], told["against"]) == ("punter", "stakes", {"1": "rules"})
    assert (told["table"], told["version"], told["seat"], told["coup"]) == (table, view["version"], 0, 1)
    assert sum(told["unseen"].values()) == 103


def test_beside_bots_what_they_are_known_to_play_is_taken_into_account(ada: Person) -> None:
    table = ada.open(**PRACTICE, seats=BOTS, seed=9)["id"]
    on_turn(ada, table)
    told = ada.get(f"/tables/{table}/advice")
    assert told["against"] == {"1": "textbook", "2": "threshold:3", "3": "rules"}


def test_while_stakes_are_open_it_tells_what_a_unit_is_worth(ada: Person) -> None:
    """Fresh shoe, best play against the house: -252899/6687135 (`docs/odds.md`); sitting out brings nothing."""
    table = ada.open()["id"]
    told = ada.get(f"/tables/{table}/advice")
    assert worths(told) == {"sit": 0, "stake": Fraction(-252899, 6687135)}
    assert told["best"] == "sit"
    game = ada.open(game="russian-even")["id"]
    assert ada.get(f"/tables/{game}/advice")["best"] == "stake", "to the letter the punter is ahead"


def test_it_follows_the_cards_that_are_gone(ada: Person) -> None:
    table = ada.open(**PRACTICE, options={"decks": 1, "max_punters": 1})["id"]
    for _ in range(4):
        view = on_turn(ada, table)
        told = ada.get(f"/tables/{table}/advice")
        gone = len(view["play"]["played"].split()) + len(view["play"]["seats"][0]["hand"])
        assert sum(told["unseen"].values()) == 52 - gone
        ada.do(table, "stand")
        if ada.get(f"/tables/{table}")["play"]["coup"] == 1:
            break  # a new bank


def offered(who: Person, seats: list[Json], **opening: Any) -> str:
    """A practice table at which the caller has drawn the first bank."""
    for seed in range(60):
        view = who.open(**PRACTICE, **opening, seed=seed, bank="rotates", seats=seats)
        if view["phase"] == "bank":
            return str(view["id"])
        who.ask("DELETE", f"/tables/{view['id']}/seats/0")
    raise AssertionError("sixty lots lost")


def test_a_banker_is_advised_in_chips_facing_unequal_stakes(ada: Person) -> None:
    """Two bots with unequal stakes against a free banker: what each action brings him over all stakes."""
    seats = [{"kind": "me"}, {"kind": "bot", "stake": 5}, {"kind": "bot", "stake": 50, "policy": "stand"}]
    table = offered(ada, seats, game="russian-even-active")
    view = ada.do(table, "bank 500")
    assert (view["phase"], view["play"]["banker"]) == ("play", 0)
    told = ada.get(f"/tables/{table}/advice")
    assert (told["side"], told["unit"]) == ("banker", "chips")
    assert told["against"] == {"1": "textbook", "2": "stand"}
    assert set(told["ev"]) == {"draw", "stand"}
    free = rules("russian-even-active")
    assert worths(told) == advise(free, {**view["play"], "legal": view["legal"]}, {2: "stand"}).values
    textbook = advise(free, {**view["play"], "legal": view["legal"]})
    assert worths(told) != textbook.values, "a punter who never draws may have stood on anything"


def test_who_has_nothing_to_decide_is_told_so(ada: Person, person: Callable[[str], Person]) -> None:
    open_ = ada.open(bank="rotates")["id"]
    assert ada.get(f"/tables/{open_}/advice", 409)["code"] == "waiting_for_seats"
    seats = [{"kind": "me"}, {"kind": "bot"}]
    table = offered(ada, seats, spectators=True)
    assert ada.get(f"/tables/{table}/advice", 409)["code"] == "nothing_to_decide", (
        "the bank is offered to her"
    )
    bob = person("Bob")
    assert bob.get(f"/tables/{table}/advice", 403)["code"] == "not_seated"
    hidden = ada.open(private=True)["id"]
    assert bob.get(f"/tables/{hidden}/advice", 404)["code"] == "not_found"
    assert bob.get(f"/tables/{hidden}/coups/cou_00000000000000000000000000/cost", 404)["code"] == "not_found"


def test_a_shoe_that_might_run_out_in_this_hand_is_told_not_guessed(ada: Person) -> None:
    """One pack dealt to its end, cards shuffled in again: at some point the last cards might all be zeros."""
    table = ada.open(**PRACTICE, options={"decks": 1, "max_punters": 1, "exhaustion": "reshuffle"})["id"]
    refused = []
    for _ in range(60):
        view = ada.do(table, "stake 5")
        if view["phase"] == "play":
            answer = ada.ask("GET", f"/tables/{table}/advice")
            assert answer.status_code in (200, 409), answer.text
            refused += [answer.json["code"]] if answer.status_code == 409 else []
            ada.do(table, "stand")
    assert set(refused) == {"no_advice"}


def test_advice_tells_no_card_that_the_seat_does_not_see(ada: Person) -> None:
    """Two situations that look the same to the seat get the same advice, whatever lies hidden: the first coup of
    practice tables with other seeds, where his card is the same."""
    told: dict[str, set[str]] = {}
    for seed in range(24):
        table = ada.open(**PRACTICE, seed=seed, options={"decks": 1, "max_punters": 1})["id"]
        view = ada.do(table, "stake 5")
        if view["phase"] != "play" or view["play"]["coup"] != 1:
            continue
        advice = ada.get(f"/tables/{table}/advice")
        points = str(view["play"]["seats"][0]["points"])
        told.setdefault(points, set()).add(json.dumps([advice["ev"], advice["unseen"]], sort_keys=True))
        ada.ask("DELETE", f"/tables/{table}/seats/0")
    assert len(told) > 3
    assert all(len(answers) == 1 for answers in told.values())


def test_advice_changes_nothing(ada: Person, database: Database) -> None:
    table = ada.open()["id"]
    on_turn(ada, table)
    before = snapshot(database)
    first = ada.ask("GET", f"/tables/{table}/advice")
    assert snapshot(database) == before
    again = ada.ask("GET", f"/tables/{table}/advice", headers={"If-None-Match": first.headers["ETag"]})
    assert again.status_code == 304


def test_it_is_paid_for_before_the_work(sqlite_url: str, make_app: Callable[..., Flask]) -> None:
    """A decision in which zeros may be thrown costs 850 units: a window of 700 refuses it, and tells both."""
    client = make_app(sqlite_url, rate_limit="700/minute").test_client()
    auth = register(client)["auth"]
    table = client.post("/v1/tables", json={"game": "house"}, headers=auth).json["id"]
    refused = client.get(f"/v1/tables/{table}/advice", headers=auth)
    assert (refused.status_code, refused.json["code"]) == (429, "rate_limited")
    assert (refused.json["cost"], refused.json["cap"]) == (850, 700)
    plain = client.post("/v1/tables", json={"game": "russian-even"}, headers=auth).json["id"]
    before = int(client.get("/v1/games", headers=auth).headers["X-RateLimit-Remaining"])
    told = client.get(f"/v1/tables/{plain}/advice", headers=auth)
    assert told.status_code == 200
    assert before - int(told.headers["X-RateLimit-Remaining"]) == 1 + 100


# What choices cost


def test_every_choice_of_a_coup_is_judged_by_what_its_seat_saw(ada: Person) -> None:
    """Advice asked before each choice, and the cost told after the settlement: the same figures."""
    table = ada.open(**PRACTICE, seats=BOTS, seed=2)["id"]
    judged = 0
    for _ in range(6):
        view, before = on_turn(ada, table), []
        while view["phase"] == "play":
            before.append((ada.get(f"/tables/{table}/advice"), view["legal"][-1]))
            view = ada.do(table, view["legal"][-1])
        coup = ada.get(f"/tables/{table}/coups?limit=1")["coups"][0]
        told = ada.get(f"/tables/{table}/coups/{coup['id']}/cost")
        mine = [choice for choice in told["choices"] if choice["seat"] == 0]
        assert [(choice["ev"], choice["best"], choice["action"]) for choice in mine] == [
            (advice["ev"], advice["best"], action) for advice, action in before
        ]
        assert [exact(choice["cost"]) for choice in mine] == [
            exact(a["cost"][action]) for a, action in before
        ]
        assert exact(told["cost_in_chips"]["0"]) == 10 * sum(exact(choice["cost"]) for choice in mine)
        assert {choice["by"] for choice in mine} == {"player"}
        assert {choice["by"] for choice in told["choices"] if choice["seat"] in (1, 2)} <= {"bot"}
        judged += len(mine)
    assert judged >= 6


def test_what_the_textbook_gives_away_on_six(ada: Person) -> None:
    """House, fresh shoe: drawing on 6 costs (EV of standing) - (EV of drawing) of the odds; standing costs nothing."""
    first = odds(rules("house", seats_change="coup"), punter="optimal").by_first_card[6].actions
    given_away = first["stand"].ev() - first["draw"].ev()
    for seed in range(60):
        table = ada.open(**PRACTICE, seed=seed)["id"]
        view = ada.do(table, "stake 20")
        if view["phase"] == "play" and view["play"]["coup"] == 1 and view["play"]["seats"][0]["points"] == 6:
            break
        ada.ask("DELETE", f"/tables/{table}/seats/0")
    view = ada.do(table, "draw")
    while view["phase"] == "play":
        view = ada.do(table, "stand")
    coup = ada.get(f"/tables/{table}/coups")["coups"][-1]
    choice = ada.get(f"/tables/{table}/coups/{coup['id']}/cost")["choices"][0]
    assert (choice["action"], choice["best"]) == ("draw", "stand")
    assert exact(choice["cost"]) == given_away > 0


def test_a_coup_that_is_not_settled_has_no_cost_yet(ada: Person) -> None:
    table = ada.open(**PRACTICE, seed=4)["id"]
    on_turn(ada, table)
    coup = ada.get(f"/tables/{table}/coups?status=open")["coups"][0]
    assert ada.get(f"/tables/{table}/coups/{coup['id']}/cost", 409)["code"] == "not_settled"
    assert ada.get(f"/tables/{table}/coups/cou_00000000000000000000000000/cost", 404)["code"] == "not_found"


def test_the_house_and_free_bankers_are_judged_too(ada: Person) -> None:
    """Against the house with a free banker its `threshold:5` is judged, and what it costs is told in chips."""
    table = ada.open(
        game="russian-even-active", options={"stake_limits": {"min": 10, "max": 100, "step": 10}}
    )["id"]
    sides = set()
    for _ in range(8):
        view = on_turn(ada, table)
        assert ada.get(f"/tables/{table}/advice")["against"] == {"1": "threshold:5"}
        while view["phase"] == "play":
            view = ada.do(table, "stand")
        coup = ada.get(f"/tables/{table}/coups?limit=1")["coups"][0]
        told = ada.get(f"/tables/{table}/coups/{coup['id']}/cost")
        sides |= {(choice["seat"], choice.get("side"), choice["by"]) for choice in told["choices"]}
        for choice in told["choices"]:
            assert exact(choice["cost"]) == max(worths(choice).values()) - worths(choice)[choice["action"]]
    assert (1, "banker", "house") in sides


def test_a_coup_in_which_nobody_had_a_choice_costs_nothing(ada: Person) -> None:
    table = ada.open(game="punto-banco")["id"]
    ada.do(table, "stake 10")
    coup = ada.get(f"/tables/{table}/coups?limit=1")["coups"][0]
    told = ada.get(f"/tables/{table}/coups/{coup['id']}/cost")
    assert (told["choices"], told["cost_in_chips"]) == ([], {})


def test_other_families_are_told_that_there_is_none(ada: Person) -> None:
    table = ada.open(game="peklo", seats=[{"kind": "me"}, *[{"kind": "bot"}] * 3])["id"]
    for path in ("advice", "coups/cou_00000000000000000000000000/cost"):
        refused = ada.get(f"/tables/{table}/{path}", 409)
        assert (refused["code"], "banking games" in refused["detail"]) == ("no_advice", True)


# Policies that are worked out


def test_autoplay_by_the_optimal_policy_gives_nothing_away(ada: Person, database: Database) -> None:
    table = ada.open(seats=[{"kind": "me"}, {"kind": "bot", "policy": "optimal"}, {"kind": "bot"}])["id"]
    body = {"action": "autoplay", "stake": 10, "policy": "optimal", "coups": 12}
    report = ada.post(f"/tables/{table}/actions", body)["autoplay"]
    assert report["coups"] == 12
    judged = 0
    for coup in ada.get(f"/tables/{table}/coups")["coups"]:
        if coup["status"] == "settled":
            for choice in ada.get(f"/tables/{table}/coups/{coup['id']}/cost")["choices"]:
                if choice["seat"] in (0, 1) and "reason" not in choice:
                    assert exact(choice["cost"]) == 0
                    judged += 1
    assert judged > 12
    sound(database)


@pytest.mark.parametrize("policy", ["optimal", "equilibrium"])
def test_bots_take_the_bank_and_play_by_what_is_worked_out(
    ada: Person, database: Database, policy: str
) -> None:
    seats = [{"kind": "me"}, *({"kind": "bot", "policy": policy, "stake": 10} for _ in range(2))]
    table = ada.open(game="continental", bank="rotates", seats=seats)["id"]
    settled = 0
    for _ in range(80):
        view = ada.get(f"/tables/{table}")
        if view["play"]["phase"] == "bank" and view["legal"]:
            ada.do(table, "pass")
        elif view["legal"]:
            words = [item for item in view["legal"] if isinstance(item, str) and not item.startswith("seed")]
            view = ada.do(table, "stake 10" if view["play"]["phase"] == "stakes" else words[-1])
        settled = view["play"]["coup"]
        if settled > 12:
            break
    coups = ada.get(f"/tables/{table}/coups?status=settled")["coups"]
    assert {coup["banker"] for coup in coups} & {1, 2}
    sound(database)


def test_a_policy_of_no_name_is_refused_as_ever(ada: Person) -> None:
    table = ada.open()["id"]
    body = {"action": "autoplay", "stake": 10, "policy": "best", "coups": 2}
    assert ada.post(f"/tables/{table}/actions", body, 422)["errors"][0]["pointer"] == "/policy"
    seats = [{"kind": "me"}, {"kind": "bot", "policy": "best"}]
    assert ada.open(422, seats=seats)["errors"][0]["pointer"] == "/seats/1/policy"
