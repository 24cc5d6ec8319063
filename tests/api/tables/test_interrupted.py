"""Interrupted play at banking tables (`api.md`, «Interrupted play»): restarts, who leaves or is late, a banker who
disappears, stakes that are never dealt; and that all of it can be recalled in full, marked as replay.

On SQLite and on PostgreSQL; matches: `tests/api/matches/test_match_life.py`.
"""

import json
from collections.abc import Callable

import pytest
from flask import Flask

from api import create_app
from api.config import from_environment
from api.db import Database
from api.ticker import Ticker
from tests.api.tables.people import Clock, Json, Person, accounts, last_seq, moves, sound
from tests.api.tables.test_rotating_table import Round

People = Callable[[str], Person]
ME, OPEN, BOT = {"kind": "me"}, {"kind": "open"}, {"kind": "bot"}
CHOICES = ("staked", "sat_out", "discarded", "drew", "stood")


@pytest.fixture
def clock() -> Clock:
    """The time of the application."""
    return Clock()


def everything(person: Person, table: str) -> list[Json]:
    """All events of a table, as this person sees them."""
    found: list[Json] = []
    while page := person.get(f"/tables/{table}/events?after={len(found)}&limit=500")["events"]:
        found += page
    return found


def test_a_table_survives_a_restart_as_it_was_in_every_phase(
    person: People, app: Flask, database_url: str, clock: Clock
) -> None:
    """Offered bank, half of the stakes, a hand half played: another process shows the same, and play goes on."""
    table = Round([person("Ada"), person("Boris"), person("Clara")])
    running = [app]

    def restart() -> None:
        before = [table.view(one) for one in table.persons]
        running[-1].extensions["macao"].database.dispose()
        settings = from_environment({}, database_url=database_url, log_level="error")
        running.append(create_app(settings, now=clock))
        for one in table.persons:
            one.client = running[-1].test_client()
        assert [table.view(one) for one in table.persons] == before

    restart()
    banker = table.banker
    banker.do(table.id, "bank 500")
    first, second = table.punters
    first.do(table.id, "stake 10")
    restart()
    second.do(table.id, "stake 20")
    first.do(table.id, "stand")
    restart()
    last = second.do(table.id, "stand")["last"]
    assert sorted(last["stakes"]) == [0, 10, 20]
    restart()
    banker.do(table.id, "close")
    seats = [table.view(one)["you"]["seat"] for one in table.persons]
    assert [one.balance for one in table.persons] == [1000 + last["chips"][seat] for seat in seats]
    database = running[-1].extensions["macao"].database
    assert accounts(database, table.id) == {"bank": 0, "escrow": 0}
    sound(database)
    for made in running[1:]:
        made.extensions["macao"].database.dispose()


def test_a_banker_who_disappears_is_played_till_his_bank_ends_and_gets_what_is_left(
    person: People, clock: Clock, ticker: Ticker, database: Database
) -> None:
    """The default decides for him, marked; when the shoe is used up the bank is over, its chips are his again, and
    the next bank is offered to the others."""
    table = Round([person("Ada"), person("Boris")], game="russian-even-active", options={"decks": 1})
    banker, (punter,) = table.banker, table.punters
    seat = table.view(banker)["you"]["seat"]
    banker.do(table.id, "bank 500")
    view = table.view(punter)
    while view["play"]["bank_number"] == 1 and view["phase"] != "bank":
        if "stand" in view["legal"]:
            view = punter.do(table.id, "stand")
        elif view["phase"] == "stakes" and "sit" in view["legal"]:
            view = punter.do(table.id, "stake 5")
        else:
            clock.pass_(31)
            assert ticker.tick() == 1
            view = table.view(punter)
    events = everything(banker, table.id)
    his = [event for event in events if event["seat"] == seat and event["type"] in ("drew", "stood")]
    assert len(his) > 5
    assert all(event["data"]["by"] == "default" and event["data"]["timed_out"] for event in his)
    (over,) = (event["data"] for event in events if event["type"] == "bank_over")
    won = sum(event["data"]["chips"][seat] for event in events if event["type"] == "settled")
    assert (over["reason"], over["left"]) == ("shoe", 500 + won)
    assert (banker.balance, punter.balance) == (1000 + won, 1000 - won)
    assert accounts(database, table.id) == {"bank": 0, "escrow": 0}
    assert view["play"]["banker"] == table.view(punter)["you"]["seat"]
    sound(database)


def test_stakes_that_are_not_dealt_are_returned_and_the_coup_is_voided(
    person: People, database: Database
) -> None:
    """Who has staked leaves, so does the banker, and then the last punter, who has not: nothing is dealt, the stake
    and what covers it go back, and so does the bank."""
    table = Round([person("Ada"), person("Boris"), person("Clara")], game="continental")
    banker, (first, second) = table.banker, table.punters
    banker.do(table.id, "bank 500")
    first.do(table.id, "stake 10")
    assert (first.balance, accounts(database, table.id)["escrow"]) == (970, 60)
    before = last_seq(database)
    seats = {one.name: table.view(one)["you"]["seat"] for one in table.persons}
    for one in (first, banker, second):
        view = one.ask("DELETE", f"/tables/{table.id}/seats/{seats[one.name]}").json
    assert view["phase"] == "closed"
    assert moves(database, table.id, before) == [
        ("escrow", "wallet", 30, "void"),
        ("escrow", "bank", 30, "void"),
        ("bank", "wallet", 500, "rest"),
    ]
    assert [one.balance for one in table.persons] == [1000, 1000, 1000]
    types = [event["type"] for event in everything(first, table.id)]
    assert types.index("voided") < types.index("bank_over") < types.index("closed")
    assert "dealt" not in types
    (coup,) = first.get(f"/tables/{table.id}/coups?status=voided")["coups"]
    staked = [10 * (seat == seats[first.name]) for seat in range(3)]
    assert (coup["status"], coup["stakes"], coup["replay"], coup["you"]) == ("voided", staked, True, None)
    whole = first.get(f"/tables/{table.id}/coups/{coup['id']}")
    told = [(item["type"], item["seat"], item["data"]["by"]) for item in whole["choices"]]
    assert told == [("staked", seats[first.name], "player")]
    assert "hands" not in whole
    assert first.do(table.id, "stake 10", status=410)["code"] == "table_closed"
    assert first.get("/players/me/bankroll")["held"] == 0
    sound(database)


def test_every_coup_is_recalled_in_order_with_who_chose(
    person: People, clock: Clock, ticker: Ticker, database: Database
) -> None:
    """By hand, by a bot, by the house, by default for who is late and for who leaves: each choice is told as it was
    told then, in the order of the coups, each marked as replay, with the balances that follow one another."""
    ada, boris = person("Ada"), person("Boris")
    table = ada.open(seats=[ME, OPEN, BOT])["id"]
    boris.post(f"/tables/{table}/seats", {}, 201)
    for number in range(6):
        coup = len(settled(ada, table))
        ada.do(table, "stake 10")
        if number == 4:
            boris.do(table, "stake 10")
            boris.ask("DELETE", f"/tables/{table}/seats/1")  # the default plays on for him
        elif number < 4:
            boris.do(table, "sit" if number == 2 else "stake 20")
        if number % 2:
            play_on(ada, boris, table, coup)
        while len(settled(ada, table)) == coup:  # who does not act is late
            clock.pass_(31)
            assert ticker.tick() == 1
    events = everything(ada, table)
    lines = ada.ask("GET", f"/tables/{table}/coups", headers={"Accept": "application/x-ndjson"}).text
    coups = [json.loads(line) for line in lines.splitlines()]
    assert [coup["number"] for coup in coups] == [1, 2, 3, 4, 5, 6]
    for coup in coups:
        assert coup == ada.get(f"/tables/{table}/coups/{coup['id']}")
        told = [event for event in events if event["coup"] == coup["number"] and event["type"] in CHOICES]
        assert coup["choices"] == told
        assert (coup["replay"], coup["status"], coup["game"]) == (True, "settled", "house")
        assert coup["rules_hash"] == ada.get(f"/tables/{table}")["rules_hash"]
        assert coup["engine"].startswith("macao ")
    mine = [coup["you"] for coup in coups]
    before = [1000, *(own["balance_after"] for own in mine)]
    assert [own["balance_before"] for own in mine] == before[:-1]
    assert before[-1] == ada.balance
    by = {choice["data"]["by"] for coup in coups for choice in coup["choices"]}
    assert by >= {"player", "bot", "house", "default"}
    late = [choice["data"].get("timed_out", False) for coup in coups for choice in coup["choices"]]
    assert True in late
    assert False in late
    left = [choice for choice in coups[4]["choices"] if choice["seat"] == 1 and choice["type"] != "staked"]
    assert {choice["data"]["by"] for choice in left} == {"default"}
    sound(database)


def settled(person: Person, table: str) -> list[Json]:
    """The coups that are over."""
    found: list[Json] = person.get(f"/tables/{table}/coups?status=settled")["coups"]
    return found


def play_on(ada: Person, boris: Person, table: str, done: int) -> None:
    """Both stand as soon as they may, until the coup is over."""
    while len(settled(ada, table)) == done:
        mover = next(one for one in (ada, boris) if "stand" in one.get(f"/tables/{table}")["legal"])
        mover.do(table, "stand")
