"""A player's own limits (`api.md`: «loss, stake, time, exclusion: stricter at once, looser after 24 h; never stops a
settlement»), at tables of a server whose clock the tests set."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from threading import Barrier, Thread
from time import sleep
from typing import Any

import pytest
from flask import Flask
from http_contract import ContractClient, contents
from sqlalchemy import event

from api.db import Database
from api.services.errors import PlanStale
from api.services.tables import views
from api.services.tables.acting import plan_actions
from api.services.tables.change import commit
from api.services.tables.play import Terms
from api.ticker import Ticker
from tests.api.tables.people import Clock, Json, Person, snapshot, sound

People = Callable[[str], Person]
TERMS = Terms(100_000, 10_000)
NONE = {"day": None, "week": None, "month": None}
HOUR, DAY = 3600, 24 * 3600


@pytest.fixture
def clock() -> Clock:
    """The time of the application."""
    return Clock()


@pytest.fixture
def app(app: Flask) -> Flask:
    """The application with that clock; its answers are held to the document."""
    app.test_client_class = ContractClient
    return app


def put(who: Person, status: int = 200, **body: object) -> Json:
    """Set limits."""
    response = who.ask("PUT", "/players/me/bankroll/limits", json=body)
    assert response.status_code == status, response.text
    return response.json


def shown(who: Person) -> Json:
    """The limits as they are told."""
    return who.get("/players/me/bankroll/limits")


def amounts(view: Json, verb: str = "stake") -> Json | None:
    """The range of a verb among the legal actions."""
    return next((item[verb] for item in view["legal"] if isinstance(item, dict) and verb in item), None)


def refused(who: Person, table: str, action: str, code: str) -> Json:
    """An action that is refused with 409 and this code, and changes nothing."""
    database = who.client.application.extensions["macao"].database
    before = snapshot(database)
    problem = who.do(table, action, status=409)
    assert problem["code"] == code, problem
    assert problem["errors"][0]["pointer"] == "/action"
    assert snapshot(database) == before
    return problem


def chips_of(who: Person, table: str, coups: int, stake: int = 5) -> int:
    """Play coups by hand; what they came to."""
    return sum(who.do(table, f"stake {stake}", "stand")["last"]["chips"][0] for _ in range(coups))


# Asking


def test_who_asked_for_none_has_none(ada: Person) -> None:
    """And is told so."""
    assert shown(ada) == {
        "loss": NONE,
        "stake": None,
        "time": None,
        "exclusion": None,
        "pending": [],
        "lost": {"day": 0, "week": 0, "month": 0},
        "played": 0,
    }


def test_stricter_holds_at_once_and_looser_after_a_day(ada: Person, clock: Clock) -> None:
    """100, then 50 at once; then 80: 50 for 24 hours to the second, then 80; then none: 80 for a day more."""
    assert put(ada, stake=100)["stake"] == 100
    assert put(ada, stake=50)["stake"] == 50
    told = put(ada, stake=80)
    assert told["stake"] == 50
    assert told["pending"] == [{"pointer": "/stake", "value": 80, "at": "2030-02-01T12:00:00.000000Z"}]
    clock.pass_(DAY - 1)
    assert shown(ada)["stake"] == 50
    clock.pass_(1)
    assert (shown(ada)["stake"], shown(ada)["pending"]) == (80, [])
    told = put(ada, stake=None)
    assert told["pending"] == [{"pointer": "/stake", "value": None, "at": "2030-02-02T12:00:00.000000Z"}]
    clock.pass_(DAY)
    assert (shown(ada)["stake"], shown(ada)["pending"]) == (None, [])


def test_asking_again_does_not_put_it_off_and_another_value_does(ada: Person, clock: Clock) -> None:
    """The same looser value keeps its time; another one is asked for anew."""
    put(ada, time=30)
    first = put(ada, time=60)["pending"]
    clock.pass_(HOUR)
    assert put(ada, time=60)["pending"] == first
    assert put(ada, time=45)["pending"][0]["at"] == "2030-02-01T13:00:00.000000Z"


@pytest.mark.parametrize("value", [30, 20])
def test_what_is_pending_ends_when_the_wish_is_taken_back(ada: Person, clock: Clock, value: int) -> None:
    """By asking for what holds now, or for less."""
    put(ada, time=30)
    put(ada, time=60)
    assert (put(ada, time=value)["time"], shown(ada)["pending"]) == (value, [])
    clock.pass_(2 * DAY)
    assert shown(ada)["time"] == value


def test_what_is_left_out_stays(ada: Person) -> None:
    """Each limit is set by itself; `"loss": null` takes all three away, a day later."""
    put(ada, loss={"day": 100, "week": 300}, stake=20)
    told = put(ada, loss={"month": 500}, time=90)
    assert (told["loss"], told["stake"], told["time"]) == ({"day": 100, "week": 300, "month": 500}, 20, 90)
    told = put(ada, loss=None)
    assert told["loss"] == {"day": 100, "week": 300, "month": 500}
    assert [item["pointer"] for item in told["pending"]] == ["/loss/day", "/loss/month", "/loss/week"]


def test_an_exclusion_is_never_shortened(ada: Person, clock: Clock, database: Database) -> None:
    """Later is taken at once, sooner and none are refused, until it has run out."""
    assert put(ada, exclusion="2030-02-07T00:00:00Z")["exclusion"] == "2030-02-07T00:00:00.000000Z"
    assert put(ada, exclusion="2030-02-08T01:00:00+01:00")["exclusion"] == "2030-02-08T00:00:00.000000Z"
    before = contents(database)
    for sooner in (None, "2030-02-07T23:59:59Z"):
        problem = put(ada, 409, exclusion=sooner, stake=5)
        assert (problem["code"], problem["until"]) == ("exclusion_stands", "2030-02-08T00:00:00.000000Z")
    assert contents(database) == before  # the stake that came with it neither
    put(ada, exclusion="2030-02-08T00:00:00Z")
    clock.time = datetime(2030, 2, 8, tzinfo=UTC)
    assert shown(ada)["exclusion"] is None
    put(ada, exclusion=None)


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, ""),
        ({"loss": {}}, "/loss"),
        ({"loss": 100}, "/loss"),
        ({"loss": {"day": -1}}, "/loss/day"),
        ({"loss": {"day": 2**53}}, "/loss/day"),
        ({"loss": {"year": 1}}, "/loss/year"),
        ({"stake": 1.5}, "/stake"),
        ({"stake": "10"}, "/stake"),
        ({"stake": True}, "/stake"),
        ({"time": 1441}, "/time"),
        ({"exclusion": "tomorrow"}, "/exclusion"),
        ({"exclusion": "2030-02-07"}, "/exclusion"),
        ({"exclusion": "2030-01-31T12:00:00Z"}, "/exclusion"),  # now
        ({"exclusion": "2035-02-05T12:00:00Z"}, "/exclusion"),  # more than five years
        ({"limit": 10}, "/limit"),
    ],
)
def test_what_is_no_limit_is_refused(ada: Person, database: Database, body: Json, pointer: str) -> None:
    """With where it is wrong; nothing is changed."""
    before = contents(database)
    problem = put(ada, 422, **body)
    assert [item["pointer"] for item in problem["errors"]] == [pointer]
    assert contents(database) == before


# A stake


def test_a_stake_keeps_within_its_limit(ada: Person, database: Database) -> None:
    """1000 chips and a worst loss of three cover 330; a limit of 23 leaves 20 in steps of 5."""
    table = ada.open()["id"]
    assert amounts(ada.get(f"/tables/{table}")) == {"min": 5, "max": 330, "step": 5}
    put(ada, stake=23)
    view = ada.get(f"/tables/{table}")
    assert amounts(view) == {"min": 5, "max": 20, "step": 5}
    problem = refused(ada, table, "stake 25", "stake_limit")
    assert (problem["limit"], problem["legal"]) == (23, view["legal"])
    assert ada.do(table, "stake 20")["phase"] == "play"
    sound(database)


def test_a_limit_below_the_smallest_stake_leaves_no_stake(ada: Person) -> None:
    """He may sit out, and the seed is his too."""
    put(ada, stake=4)
    view = ada.open()
    assert (amounts(view), "sit" in view["legal"]) == (None, True)
    refused(ada, view["id"], "stake 5", "stake_limit")
    assert ada.do(view["id"], "sit")["phase"] == "stakes"


def test_what_the_engine_refuses_tells_what_the_limits_leave(ada: Person) -> None:
    """`legal` of a refusal is cut as that of a view: whatever was asked for."""
    table = ada.open()["id"]
    put(ada, stake=20)
    for wrong in ("stake 7", "draw", "stake 1"):
        problem = ada.do(table, wrong, status=409)
        assert problem["code"] == "illegal"
        assert amounts(problem) == {"min": 5, "max": 20, "step": 5}
        assert "330" not in problem["detail"]


def test_several_actions_in_one_text_are_held_to_the_limits(ada: Person) -> None:
    """A text may hold several actions, parted by «;»: none of them goes around a limit."""
    table = ada.open()["id"]
    put(ada, stake=20)
    refused(ada, table, "seed 00ff; stake 25", "stake_limit")
    refused(ada, table, "stake 20; stand; stake 25", "stake_limit")
    assert ada.do(table, "seed 00ff; stake 20; stand")["last"]["stakes"][0] == 20


# Losses


def test_a_stake_whose_worst_loss_is_more_than_is_left_is_refused(ada: Person, database: Database) -> None:
    """100 chips a day, worst loss x3: 33 chips, in steps of 5 30; with 90 held 10 are left, and no stake."""
    first, second = ada.open()["id"], ada.open()["id"]
    put(ada, loss={"day": 100})
    assert amounts(ada.get(f"/tables/{first}")) == {"min": 5, "max": 30, "step": 5}
    problem = refused(ada, first, "stake 35", "loss_limit")
    assert (problem["left"], problem["needed"]) == (100, 105)
    ada.do(first, "stake 30")
    assert shown(ada)["lost"] == {"day": 90, "week": 90, "month": 90}
    assert amounts(ada.get(f"/tables/{second}")) is None
    assert refused(ada, second, "stake 5", "loss_limit")["left"] == 10
    chips = ada.do(first, "stand")["last"]["chips"][0]
    assert shown(ada)["lost"] == {"day": -chips, "week": -chips, "month": -chips}
    most = (100 + chips) // 3 // 5 * 5
    assert amounts(ada.get(f"/tables/{second}")) == ({"min": 5, "max": most, "step": 5} if most else None)
    sound(database)


def test_losses_are_counted_by_day_week_and_month_of_utc(ada: Person, clock: Clock) -> None:
    """31 January 2030 is a Thursday: at midnight day and month begin anew, the week on Monday."""
    table = ada.open()["id"]
    put(ada, loss={"day": 1000, "week": 800, "month": 900})
    january = chips_of(ada, table, 8)
    lost = shown(ada)["lost"]
    assert lost == {"day": -january, "week": -january, "month": -january}
    assert amounts(ada.get(f"/tables/{table}"))["max"] == (800 + january) // 3 // 5 * 5
    clock.time = datetime(2030, 1, 31, 23, 59, 59, tzinfo=UTC)
    assert shown(ada)["lost"] == lost
    clock.time = datetime(2030, 2, 1, tzinfo=UTC)
    assert shown(ada)["lost"] == {"day": 0, "week": -january, "month": 0}
    friday = chips_of(ada, table, 4)
    assert shown(ada)["lost"] == {"day": -friday, "week": -january - friday, "month": -friday}
    clock.time = datetime(2030, 2, 4, tzinfo=UTC)
    assert shown(ada)["lost"] == {"day": 0, "week": 0, "month": -friday}


def test_chips_held_over_midnight_count_in_the_new_day(ada: Person, clock: Clock) -> None:
    """A stake that is still open may still be lost: 60 of 100 are taken until it is settled."""
    first, second = ada.open(turn_seconds=0)["id"], ada.open()["id"]
    put(ada, loss={"day": 100})
    ada.do(first, "stake 20")
    clock.pass_(DAY)
    assert shown(ada)["lost"]["day"] == 60
    assert amounts(ada.get(f"/tables/{second}"))["max"] == 10
    chips = ada.do(first, "stand")["last"]["chips"][0]
    assert shown(ada)["lost"]["day"] == -chips


def test_a_refill_gives_no_further_loss(person: People) -> None:
    """What the mint gives was not won: after 200 chips of a limit of 200 are held, a refill frees nothing."""
    ada = person("Ada")
    options = {"stake_limits": {"min": 300, "max": 300, "step": 1}}
    table, other = ada.open(options=options)["id"], ada.open()["id"]
    put(ada, loss={"day": 905})
    while (last := ada.do(table, "stake 300", "stand")["last"]["chips"][0]) >= 0:
        ada = person("Ada")
        table, other = ada.open(options=options)["id"], ada.open()["id"]
        put(ada, loss={"day": 905})
    left = 905 + last
    assert amounts(ada.get(f"/tables/{other}"))["max"] == min(1000 + last, left) // 3 // 5 * 5
    given = ada.post("/players/me/bankroll/refills", {}, 201)["amount"]
    assert given == -last
    assert shown(ada)["lost"]["day"] == -last
    assert amounts(ada.get(f"/tables/{other}"))["max"] == left // 3 // 5 * 5


def test_a_bank_counts_in_full(person: People, database: Database) -> None:
    """A banker may lose his bank: a limit of 300 lets him put up 300, whatever its coups bring, till it is over."""
    ada, boris = person("Ada"), person("Boris")
    table = ada.open(game="russian-even", bank="rotates", seats=[{"kind": "me"}, {"kind": "open"}])["id"]
    boris.post(f"/tables/{table}/seats", {}, 201)
    banker, punter = (ada, boris) if _banker(ada, table) == 0 else (boris, ada)
    put(banker, loss={"week": 300})
    assert amounts(banker.get(f"/tables/{table}"), "bank") == {"min": 100, "max": 300, "step": 1}
    refused(banker, table, "bank 301", "loss_limit")
    view = banker.do(table, "bank 250")
    assert amounts(view, "top") == {"min": 1, "max": 50, "step": 1}
    refused(banker, table, "top 51", "loss_limit")
    assert amounts(banker.do(table, "top 50"), "top") is None
    chips = punter.do(table, "stake 10", "stand")["last"]["chips"][banker is boris]
    assert shown(banker)["lost"]["week"] == 300
    assert amounts(banker.get(f"/tables/{table}"), "top") is None
    banker.do(table, "close")
    assert shown(banker)["lost"]["week"] == -chips
    sound(database)


def _banker(who: Person, table: str) -> int:
    return int(who.get(f"/tables/{table}")["play"]["banker"])


def test_two_stakes_at_once_do_not_both_slip_under_the_limit(
    ada: Person, app: Flask, database: Database
) -> None:
    """A limit of 30 covers one stake of 10: of two at two tables at the same time one is taken, every time."""
    tables = [ada.open(turn_seconds=0)["id"] for _ in range(2)]
    put(ada, loss={"day": 30})
    found: list[int] = []
    start = Barrier(2)

    def stake(table: str) -> None:
        client = app.test_client()
        start.wait()
        answer = client.post(f"/v1/tables/{table}/actions", json={"action": "stake 10"}, headers=ada.headers)
        found.append(answer.status_code)

    threads = [Thread(target=stake, args=(table,)) for table in tables]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [200, 409]
    assert shown(ada)["lost"]["day"] == 30
    sound(database)


def test_limits_set_while_he_plays_stop_neither(ada: Person, app: Flask, database: Database) -> None:
    """Calls that set limits and calls that settle coups wait for each other's rows: never for each other in a ring."""
    table = ada.open(turn_seconds=0)["id"]
    codes: set[int] = set()

    def set_limits() -> None:
        client = app.test_client()
        for chips in range(60, 40, -1):
            sleep(0.02)  # else a stake would be planned anew again and again
            body = {"stake": chips, "loss": {"day": 10 * chips}}
            answer = client.put("/v1/players/me/bankroll/limits", json=body, headers=ada.headers)
            codes.add(answer.status_code)

    other = Thread(target=set_limits)
    other.start()
    for _ in range(15):
        answer = ada.ask("POST", f"/tables/{table}/actions", json={"actions": ["stake 5", "stand"]})
        codes.add(answer.status_code)
    other.join()
    assert codes == {200}
    sound(database)


def test_a_plan_is_stale_once_the_wallet_or_the_limits_changed(
    ada: Person, database: Database, clock: Clock
) -> None:
    """Two stakes planned on the same balance: the second is planned anew. So is one whose limits came meanwhile."""
    first, second, third = (ada.open(turn_seconds=0)["id"] for _ in range(3))
    put(ada, loss={"day": 30})

    def plan(table: str, text: str) -> object:
        with database.read() as session:
            return plan_actions(session, table, ada.id, {"/action": text}, TERMS, clock())

    def write(change: object) -> None:
        with database.write() as session:
            commit(session, change, clock())

    early, late = plan(first, "stake 10"), plan(second, "stake 10")
    write(early)
    with pytest.raises(PlanStale):
        write(late)
    boris = Person(ada.client.application, "Boris")
    table = boris.open()["id"]
    with database.read() as session:
        change = plan_actions(session, table, boris.id, {"/action": "stake 50"}, TERMS, clock())
    put(boris, stake=10)  # he had none before
    with pytest.raises(PlanStale):
        write(change)
    assert third


# Time


def test_minutes_of_play_are_those_of_coups_and_short_pauses(ada: Person, clock: Clock) -> None:
    """12:00 coup of 2 minutes, pause of 8, coup of 1; a pause of 30 minutes is none: 11, then 12 minutes."""
    put(ada, time=13)
    table = ada.open(turn_seconds=0)["id"]
    assert shown(ada)["played"] == 0
    ada.do(table, "stake 5")
    clock.pass_(120)
    ada.do(table, "stand")
    assert shown(ada)["played"] == 2
    clock.pass_(480)
    assert shown(ada)["played"] == 10  # he may be about to stake
    ada.do(table, "stake 5")
    clock.pass_(60)
    ada.do(table, "stand")
    clock.pass_(1800)
    assert shown(ada)["played"] == 11
    ada.do(table, "stake 5")
    clock.pass_(3600)  # a coup is play, however long it takes
    ada.do(table, "stand")
    assert shown(ada)["played"] == 71


def test_coups_at_several_tables_at_once_are_counted_once(ada: Person, clock: Clock) -> None:
    """12:00–12:05 here, 12:03–12:06 there: six minutes."""
    here, there = ada.open(turn_seconds=0)["id"], ada.open(turn_seconds=0)["id"]
    ada.do(here, "stake 5")
    clock.pass_(180)
    ada.do(there, "stake 5")
    clock.pass_(120)
    ada.do(here, "stand")
    clock.pass_(60)
    ada.do(there, "stand")
    assert shown(ada)["played"] == 6


def test_who_is_out_of_time_begins_nothing_until_midnight(
    person: People, clock: Clock, database: Database
) -> None:
    """No table, no seat, no stake; the coup that is dealt is played to its end."""
    ada, boris = person("Ada"), person("Boris")
    table = ada.open(turn_seconds=0)["id"]
    other = boris.open(seats=[{"kind": "me"}, {"kind": "open"}])["id"]
    put(ada, time=5)
    ada.do(table, "stake 5")
    clock.pass_(300)
    assert ada.do(table, "stand")["last"]["stakes"][0] == 5
    until = "2030-02-01T00:00:00.000000Z"
    assert refused(ada, table, "stake 5", "out_of_time")["until"] == until
    assert ada.get(f"/tables/{table}")["legal"] == ["sit"]
    assert ada.open(409)["code"] == "out_of_time"
    assert ada.post(f"/tables/{other}/seats", {}, 409)["code"] == "out_of_time"
    assert ada.open(stakes="practice")["stakes"] == "practice"
    clock.time = datetime(2030, 2, 1, tzinfo=UTC)
    ada.do(table, "stake 5")
    ada.post(f"/tables/{other}/seats", {}, 201)
    sound(database)


# Exclusion, and what is never stopped


def test_who_is_excluded_begins_nothing(person: People, clock: Clock, database: Database) -> None:
    """No table for chips, no seat, no stake; he sees everything, may sit out and leave, and practise."""
    ada, boris = person("Ada"), person("Boris")
    table = ada.open()["id"]
    other = boris.open(seats=[{"kind": "me"}, {"kind": "open"}])["id"]
    put(ada, exclusion="2030-02-07T00:00:00Z")
    before = contents(database)
    for problem in (
        ada.do(table, "stake 5", status=409),
        ada.open(409),
        ada.post(f"/tables/{other}/seats", {}, 409),
        ada.post(f"/tables/{table}/actions", {"action": "autoplay", "stake": 5, "coups": 3}, 409),
    ):
        assert (problem["code"], problem["until"]) == ("excluded", "2030-02-07T00:00:00.000000Z")
    assert contents(database) == before
    assert ada.do(table, "sit")["phase"] == "stakes"
    practice = ada.open(stakes="practice")
    assert amounts(practice)["max"] == 500
    ada.do(practice["id"], "stake 5")
    assert ada.ask("DELETE", f"/tables/{table}/seats/0").status_code == 200
    clock.time = datetime(2030, 2, 7, tzinfo=UTC)
    ada.do(ada.open()["id"], "stake 5")


def test_a_settlement_is_never_stopped(ada: Person, database: Database) -> None:
    """Every limit at its strictest while a coup is dealt: it is decided and settled by its cards, in full."""
    table = ada.open(turn_seconds=0)["id"]
    ada.do(table, "stake 100")
    put(ada, loss=dict.fromkeys(NONE, 0), stake=0, time=0, exclusion="2030-12-31T00:00:00Z")
    view = ada.get(f"/tables/{table}")
    assert set(view["legal"]) <= {"draw", "stand", "discard"}
    assert view["legal"]
    view = ada.do(table, "stand")
    assert ada.balance == 1000 + view["last"]["chips"][0]
    assert view["legal"] == ["sit"]
    sound(database)


def test_who_is_excluded_is_given_no_chips(ada: Person, clock: Clock, database: Database) -> None:
    """A refill is the first step to play again: refused until the exclusion is over, and nothing changes by asking."""
    table = ada.open(seats=[{"kind": "me"}])["id"]
    while ada.balance >= 1000:
        ada.do(table, "stake 100")
        if ada.get(f"/tables/{table}")["play"]["phase"] == "play":
            ada.do(table, "stand")
    put(ada, exclusion="2030-02-07T00:00:00Z")
    before = contents(database)
    problem = ada.post("/players/me/bankroll/refills", None, 409)
    assert (problem["code"], problem["until"]) == ("excluded", "2030-02-07T00:00:00.000000Z")
    assert contents(database) == before
    clock.pass_(8 * DAY)
    ada.post("/players/me/bankroll/refills", None, 201)
    assert ada.balance == 1000


def test_who_vanishes_while_excluded_is_played_for(
    ada: Person, ticker: Ticker, clock: Clock, database: Database
) -> None:
    """The ticker decides and settles his coup as any other."""
    table = ada.open(turn_seconds=30)["id"]
    ada.do(table, "stake 100")
    put(ada, exclusion="2030-12-31T00:00:00Z")
    clock.pass_(31)
    assert ticker.tick() == 1
    view = ada.get(f"/tables/{table}")
    assert (view["phase"], ada.balance) == ("stakes", 1000 + view["last"]["chips"][0])
    sound(database)


def test_a_bank_that_is_up_goes_on(person: People, database: Database) -> None:
    """Its banker is excluded: others stake on, he decides and is settled with, and may close it; not top it."""
    ada, boris = person("Ada"), person("Boris")
    table = ada.open(game="house", bank="rotates", seats=[{"kind": "me"}, {"kind": "open"}])["id"]
    boris.post(f"/tables/{table}/seats", {}, 201)
    banker, punter = (ada, boris) if _banker(ada, table) == 0 else (boris, ada)
    banker.do(table, "bank 500")
    put(banker, exclusion="2030-12-31T00:00:00Z", loss={"day": 0})
    refused(banker, table, "top 10", "excluded")
    view = punter.do(table, "stake 10", "stand")
    while view["phase"] == "play":
        view = banker.do(table, "stand" if "stand" in banker.get(f"/tables/{table}")["legal"] else "draw")
    chips = punter.get(f"/tables/{table}")["last"]["chips"]
    assert punter.balance == 1000 + chips[punter.get(f"/tables/{table}")["you"]["seat"]]
    banker.do(table, "close")
    assert banker.balance == 1000 + chips[banker.get(f"/tables/{table}")["you"]["seat"]]
    sound(database)


def test_an_excluded_seat_passes_the_bank(person: People) -> None:
    """The bank is offered to him: he may only decline it."""
    ada, boris = person("Ada"), person("Boris")
    table = ada.open(game="russian-even", bank="rotates", seats=[{"kind": "me"}, {"kind": "open"}])["id"]
    boris.post(f"/tables/{table}/seats", {}, 201)
    offered = ada if _banker(ada, table) == 0 else boris
    put(offered, exclusion="2030-12-31T00:00:00Z")
    legal = offered.get(f"/tables/{table}")["legal"]
    assert ("pass" in legal, amounts({"legal": legal}, "bank")) == (True, None)
    refused(offered, table, "bank 200", "excluded")
    offered.do(table, "pass")


# Autoplay, views, cost


def test_autoplay_stops_at_a_limit_and_tells_why(ada: Person, database: Database) -> None:
    """Stakes of 20 on a limit of 150: it ends with less than 60 to lose, and never beyond the limit."""
    table = ada.open()["id"]
    put(ada, loss={"day": 150})
    body = {"action": "autoplay", "stake": 20, "coups": 1000, "policy": "textbook"}
    done = ada.post(f"/tables/{table}/actions", body)["autoplay"]
    while done["stopped"] is None:  # a lucky run
        done = ada.post(f"/tables/{table}/actions", body)["autoplay"]
    left = 150 - shown(ada)["lost"]["day"]
    assert 0 <= left < 60
    assert done["stopped"] == f"this may cost 60 chips, and your limit of losses leaves {left}"
    problem = ada.post(f"/tables/{table}/actions", body, 409)
    assert (problem["code"], problem["errors"][0]["pointer"]) == ("loss_limit", "/stake")
    put(ada, stake=10)
    problem = ada.post(f"/tables/{table}/actions", {**body, "stake": 15}, 409)
    assert problem["code"] == "stake_limit"
    sound(database)


def test_other_players_and_bots_are_not_bound(person: People) -> None:
    """A limit is its player's."""
    ada, boris = person("Ada"), person("Boris")
    seats = [{"kind": "me"}, {"kind": "open"}, {"kind": "bot", "stake": 100}]
    table = ada.open(seats=seats)["id"]
    boris.post(f"/tables/{table}/seats", {}, 201)
    put(ada, stake=5)
    assert amounts(boris.get(f"/tables/{table}"))["max"] == 330
    boris.do(table, "stake 300")
    assert ada.do(table, "stake 5")["play"]["seats"][2]["stake"] == 100


def test_a_view_changes_its_tag_with_what_the_limits_leave(ada: Person, clock: Clock) -> None:
    """Nothing happens at the table, but a day begins, or a looser limit holds: the legal actions are others."""
    table = ada.open(turn_seconds=0)["id"]
    put(ada, stake=20)
    put(ada, stake=50)
    first = ada.ask("GET", f"/tables/{table}")
    again = {"If-None-Match": first.headers["ETag"]}
    assert ada.ask("GET", f"/tables/{table}", headers=again).status_code == 304
    clock.pass_(DAY)
    second = ada.ask("GET", f"/tables/{table}", headers=again)
    assert (amounts(first.json)["max"], amounts(second.json)["max"]) == (20, 50)
    stale = {"If-Match": first.headers["ETag"]}
    answer = ada.ask("POST", f"/tables/{table}/actions", json={"action": "stake 50"}, headers=stale)
    assert answer.status_code == 412
    right = {"If-Match": answer.json["etag"]}
    assert answer.json["etag"] == second.headers["ETag"]
    done = ada.ask("POST", f"/tables/{table}/actions", json={"action": "stake 50"}, headers=right)
    assert done.status_code == 200
    shown_now = ada.ask("GET", f"/tables/{table}")
    assert shown_now.headers["ETag"] == done.headers["ETag"]


@contextmanager
def statements(database: Database) -> Iterator[list[str]]:
    """What is asked of the database meanwhile, and that a transaction begins."""
    sent: list[str] = []

    def note(_c: object, _cursor: object, text: str, *_: object) -> None:
        sent.append(text)

    def begun(_c: object) -> None:
        sent.append("BEGIN")

    pools = (database._writer, database._glancer)
    heard = [(engine, *of) for engine in pools for of in (("before_cursor_execute", note), ("begin", begun))]
    for one in heard:
        event.listen(*one)
    try:
        yield sent
    finally:
        for one in heard:
            event.remove(*one)


def test_limits_cost_nothing_to_whoever_has_none(person: People, database: Database) -> None:
    """A stake and a view take as many statements with a limit of a stake as without, with all others one more.

    A view that is known opens no transaction, whatever the limits.
    """
    counts: dict[str, tuple[int, int]] = {}
    wishes: dict[str, Json] = {
        "none": {},
        "stake": {"stake": 50},
        "loss": {"loss": {"day": 90}},
        "time": {"time": 9},
        "all": {"loss": {"day": 90, "week": 200, "month": 300}, "time": 9, "stake": 50},
    }
    for name, wish in wishes.items():
        who = person(name)
        table = who.open(turn_seconds=0)["id"]
        if wish:
            put(who, **wish)
        who.do(table, "stake 5", "stand")
        who.get(f"/tables/{table}")
        with statements(database) as acting:
            who.do(table, "stake 5")
        who.get(f"/tables/{table}")
        with statements(database) as looking:
            who.get(f"/tables/{table}")
        assert "BEGIN" in acting
        assert "BEGIN" not in looking, (name, looking)
        counts[name] = (len(acting), len(looking))
    acting_plain, looking_plain = counts["none"]
    more = {
        name: (acting - acting_plain, looking - looking_plain) for name, (acting, looking) in counts.items()
    }
    assert more == {"none": (0, 0), "stake": (0, 0), "loss": (1, 1), "time": (1, 1), "all": (1, 1)}


def test_a_limit_that_is_hit_is_in_a_known_view_at_once(ada: Person, clock: Clock) -> None:
    """The view of one table, its tag and its legal actions follow what is staked, and played for, at another."""
    table, other = ada.open(turn_seconds=0)["id"], ada.open(turn_seconds=0)["id"]
    put(ada, loss={"day": 60}, time=5)
    known = ada.ask("GET", f"/tables/{table}")
    again = {"If-None-Match": known.headers["ETag"]}
    assert ada.ask("GET", f"/tables/{table}", headers=again).status_code == 304
    ada.do(other, "stake 15")  # 45 chips are held: 15 may be lost yet
    held = ada.ask("GET", f"/tables/{table}", headers=again)
    assert (amounts(known.json)["max"], amounts(held.json)["max"]) == (20, 5)
    clock.pass_(5 * 60)
    ada.do(other, "stand")  # the coup took five minutes
    over = ada.ask("GET", f"/tables/{table}", headers={"If-None-Match": held.headers["ETag"]})
    assert (over.status_code, amounts(over.json)) == (200, None)
    put(ada, stake=5)  # what is legal stays as it is, but not what it rests upon
    assert (
        ada.ask("GET", f"/tables/{table}", headers={"If-None-Match": over.headers["ETag"]}).status_code == 200
    )


@pytest.mark.parametrize("change", ["limits", "seat"])
def test_what_changes_between_two_look_ups_gives_no_tag_of_neither(
    ada: Person, database: Database, clock: Clock, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    """Between the look-ups of a view his limits change, or he leaves: then the table is read in full."""
    table = ada.open(turn_seconds=0)["id"]
    put(ada, loss={"day": 60})
    asked = views._own

    def own(figures: tuple[str, ...] = ()) -> Any:
        if figures and change == "limits":
            put(ada, time=5)
        elif figures:
            ada.ask("DELETE", f"/tables/{table}/seats/0")
        return asked(figures)

    monkeypatch.setattr(views, "_own", own)
    assert views.own_parts(database, table, ada.id, clock()) is None
