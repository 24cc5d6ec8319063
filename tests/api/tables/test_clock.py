"""Time at a table: turn seconds, the ticker and its lease, `timed_out` (`table.md`, «Time»)."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import update

from api.db import Database
from api.models import Table
from api.services.tables.clock import time_up
from api.services.tables.telling import stamp
from api.ticker import LEASE_SECONDS, SHARE, Ticker
from tests.api.tables.people import Clock, Person, sound

People = Callable[[str], Person]


@pytest.fixture
def clock() -> Clock:
    """The time of the application."""
    return Clock()


def test_a_decision_that_is_late_is_made_by_the_default(
    ada: Person, clock: Clock, ticker: Ticker, database: Database
) -> None:
    """After `turn_seconds` the textbook plays: `timed_out`, then what was done, marked."""
    table = ada.open(turn_seconds=30)["id"]
    ada.do(table, "stake 10")
    clock.pass_(29)
    assert ticker.tick() == 0
    clock.pass_(2)
    assert ticker.tick() == 1
    view = ada.get(f"/tables/{table}")
    assert view["phase"] == "stakes"
    events = ada.get(f"/tables/{table}/events?limit=500")["events"]
    mine = [event for event in events if event["seat"] == 0]
    late = mine[next(at for at, event in enumerate(mine) if event["type"] == "timed_out") :]
    done = [event for event in late if event["type"] in ("discarded", "drew", "stood")]
    assert done
    assert all(event["data"]["by"] == "default" and event["data"]["timed_out"] for event in done)
    sound(database)


def test_getting_changes_nothing_though_time_is_up(ada: Person, clock: Clock) -> None:
    """GET changes nothing: only the ticker plays on."""
    table = ada.open(turn_seconds=30)["id"]
    ada.do(table, "stake 10")
    clock.pass_(1000)
    first, second = (ada.get(f"/tables/{table}")["version"] for _ in range(2))
    assert first == second


def test_stakes_wait_for_the_first(ada: Person, clock: Clock, ticker: Ticker) -> None:
    """While nobody has staked no clock runs: a table with one person and bots does not play by itself."""
    table = ada.open(turn_seconds=30, seats=[{"kind": "me"}, {"kind": "bot"}])["id"]
    assert ada.get(f"/tables/{table}")["deadline"] is None
    clock.pass_(1000)
    assert ticker.tick() == 0


def test_who_does_not_stake_in_time_sits_out(
    person: People, clock: Clock, ticker: Ticker, database: Database
) -> None:
    """In `stakes` he sits out, and the coup is dealt to those who staked; the first stake's clock is not put off."""
    ada, boris, clara = (person(name) for name in ("Ada", "Boris", "Clara"))
    table = ada.open(turn_seconds=30, seats=[{"kind": "me"}, {"kind": "open"}, {"kind": "open"}])["id"]
    for other in (boris, clara):
        other.post(f"/tables/{table}/seats", {}, 201)
    ada.do(table, "stake 10")
    clock.pass_(20)
    boris.do(table, "stake 10")
    clock.pass_(11)
    assert ticker.tick() == 1
    view = ada.get(f"/tables/{table}")
    assert view["phase"] == "play"
    assert [seat["sat"] for seat in view["play"]["seats"][:3]] == [False, False, True]
    sound(database)


def test_when_nobody_is_left_who_stakes_the_late_sit_out_once_and_no_clock_runs(
    ada: Person, person: People, clock: Clock, ticker: Ticker
) -> None:
    """The first stake sets the clock; its owner leaves and takes it back: stakes open again when the rest sit out."""
    boris, clara = person("Boris"), person("Clara")
    seats = [{"kind": "house"}, {"kind": "me"}, {"kind": "open"}, {"kind": "open"}]
    table = ada.open(seats=[*seats[1:], seats[0]], turn_seconds=20)["id"]
    for player in (boris, clara):
        player.post(f"/tables/{table}/seats", {}, 201)
    ada.do(table, "stake 10")
    ada.ask("DELETE", f"/tables/{table}/seats/0")
    clock.pass_(21)
    assert ticker.tick() == 1
    events = boris.get(f"/tables/{table}/events?limit=500")["events"]
    assert sorted(event["seat"] for event in events if event["type"] == "timed_out") == [1, 2]
    assert boris.get(f"/tables/{table}")["phase"] == "stakes"
    clock.pass_(60)
    assert ticker.tick() == 0


def test_a_banker_who_vanishes_passes(
    person: People, clock: Clock, ticker: Ticker, database: Database
) -> None:
    """In `bank` he passes, marked; when all do, the table closes and every chip is where it was."""
    ada, boris = person("Ada"), person("Boris")
    table = ada.open(
        game="russian-even", bank="rotates", turn_seconds=30, seats=[{"kind": "me"}, {"kind": "open"}]
    )["id"]
    boris.post(f"/tables/{table}/seats", {}, 201)
    for _ in range(2):
        clock.pass_(31)
        assert ticker.tick() == 1
    assert ada.get(f"/tables/{table}")["phase"] == "closed"
    events = ada.get(f"/tables/{table}/events?limit=500")["events"]
    assert [event["type"] for event in events].count("timed_out") == 2
    assert (ada.balance, boris.balance) == (1000, 1000)
    sound(database)


def test_one_ticker_at_a_time(ada: Person, app: Flask, clock: Clock, ticker: Ticker) -> None:
    """By a lease in the database: another waits until it runs out."""
    other = Ticker(app.extensions["macao"])
    table = ada.open(turn_seconds=30)["id"]
    ada.do(table, "stake 10")
    assert ticker.tick() == 0
    clock.pass_(LEASE_SECONDS - 1)
    assert other.tick() == 0
    assert not other._holds_lease(clock())
    clock.pass_(2)
    assert other._holds_lease(clock())
    assert not ticker._holds_lease(clock())


def test_a_long_tick_takes_no_time_from_the_tables_that_come_late_in_it(
    ada: Person, clock: Clock, ticker: Ticker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock of each table goes by the time at which it was played on, not by that at which the tick began."""
    first, second = (ada.open(turn_seconds=30)["id"] for _ in range(2))
    for table in (first, second):
        ada.do(table, "stake 10")
        clock.pass_(1)
    clock.pass_(60)

    def slow(*asked: Any) -> bool:
        done = time_up(*asked)
        clock.pass_(20)
        return done

    monkeypatch.setattr("api.ticker.time_up", slow)
    began = clock()
    assert ticker.tick() == 2
    at = [ada.get(f"/tables/{table}/events?limit=500")["events"][-1]["at"] for table in (first, second)]
    assert at == [stamp(began), stamp(began + timedelta(seconds=20))]


def test_who_loses_the_lease_in_a_long_tick_leaves_the_rest_to_who_has_it(
    ada: Person, app: Flask, clock: Clock, ticker: Ticker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One at a time, by a lease: what is left of a tick is the other's, who took the lease when it had run out."""
    other, played = Ticker(app.extensions["macao"]), []
    for _ in range(2):
        ada.do(ada.open(turn_seconds=30)["id"], "stake 10")
        clock.pass_(1)
    clock.pass_(60)

    def stalled(_: Database, table: str, *asked: Any) -> bool:
        played.append(table)
        clock.pass_(LEASE_SECONDS + 1)
        assert other._holds_lease(clock())
        return True

    monkeypatch.setattr("api.ticker.time_up", stalled)
    assert ticker.tick() == 1
    assert len(played) == 1


def test_bots_that_think_long_for_one_player_hold_up_nobody_elses_clock(
    ada: Person,
    person: Callable[[str], Person],
    clock: Clock,
    ticker: Ticker,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of one player's tables as many are played on in a tick as SHARE lets their bots think; the rest in the next."""
    mine = []
    for who in (ada, ada, ada, person("Boris")):
        mine.append(who.open(turn_seconds=30)["id"])
        who.do(mine[-1], "stake 10")
        clock.pass_(1)
    clock.pass_(60)
    spent, played = [0.0], []

    def thinks(_: Database, table: str, *asked: Any) -> bool:
        spent[0] += SHARE * 0.6
        played.append(table)
        return time_up(_, table, *asked)

    monkeypatch.setattr("api.ticker.time_up", thinks)
    monkeypatch.setattr("api.ticker.thread_time", lambda: spent[0])
    assert ticker.tick() == 3
    assert played == [mine[0], mine[1], mine[3]]
    assert ticker.tick() == 1
    assert played[3:] == [mine[2]]


def test_a_table_that_cannot_be_played_on_stops_no_other_clock(
    ada: Person, clock: Clock, ticker: Ticker, database: Database
) -> None:
    """A fault at the table that is longest overdue is logged; the next one is played on all the same."""
    broken, sound_one = (ada.open(turn_seconds=30)["id"] for _ in range(2))
    for table in (broken, sound_one):
        ada.do(table, "stake 10")
        clock.pass_(1)
    with database.write() as session:
        session.execute(update(Table).where(Table.id == broken).values(state={"state": {"phase": "play"}}))
    clock.pass_(60)
    assert ticker.tick() == 1
    assert ada.get(f"/tables/{sound_one}")["phase"] == "stakes"


def test_a_person_who_banks_against_bots_may_end_his_bank_after_each_coup(
    ada: Person, clock: Clock, ticker: Ticker, database: Database
) -> None:
    """Bots stake at once when he puts up, tops up, or when his time is up: one coup each, then he may close."""
    seats = [{"kind": "me"}, {"kind": "bot"}, {"kind": "bot"}]
    for _ in range(60):  # until the lot makes him the first banker
        table = ada.open(game="russian-even", bank="rotates", turn_seconds=30, seats=seats)
        if table["play"]["banker"] == table["you"]["seat"] and table["phase"] == "bank":
            break
        ada.ask("DELETE", f"/tables/{table['id']}/seats/{table['you']['seat']}")
    where = table["id"]

    def settled() -> int:
        return len(ada.get(f"/tables/{where}/coups?status=settled")["coups"])

    view = ada.do(where, "bank 500")
    assert (settled(), view["phase"]) == (1, "stakes")
    assert view["deadline"] is not None
    assert "close" in view["legal"]
    view = ada.do(where, "top 100")
    assert settled() == 2
    assert [event["type"] for event in view["new_events"]][:2] == ["topped", "staked"]
    clock.pass_(31)
    assert ticker.tick() == 1
    assert settled() == 3
    view = ada.do(where, "close")
    assert view["new_events"][0]["type"] == "bank_over", "no further coup is played before it"
    assert settled() == 3
    assert view["play"]["banker"] != view["you"]["seat"]
    sound(database)
