"""«Macao» and catching out of turn: who is first counts, once, with an old version too (`table.md`).

On SQLite and on PostgreSQL, for who is first is decided in the database.
"""

from collections.abc import Callable
from threading import Barrier, Thread

import pytest
from flask import Flask

from api.db import Database
from tests.api.matches.matches import BOT, ME, OPEN, everything, plant
from tests.api.tables.people import Json, Person, snapshot

People = Callable[[str], Person]
# Seat 0 lays the 7 of spades and has one card left; seat 1 is next. Unsaid it costs five cards, if another says it.
LAST_BUT_ONE = {
    "game": "romanian",
    "seats": 3,
    "dealer": 2,
    "to_move": 0,
    "hands": [["7S", "8S"], ["9H", "TD", "JD"], ["QC", "KC", "6D"]],
    "pile": ["9S"],
    "stock": ["5C", "6C", "7C", "8C", "9C", "TC", "JC", "5D", "7D", "8D"],
}


@pytest.fixture
def three(ada: Person, boris: Person, person: People, database: Database) -> tuple[list[Person], str]:
    """Three persons at a table of the Romanian game, the first about to lay the last card but one."""
    people = [ada, boris, person("Clara")]
    table = ada.open(game="romanian", seats=[ME, OPEN, OPEN])["id"]
    for player in people[1:]:
        player.post(f"/tables/{table}/seats", {}, 201)
    plant(database, table, **LAST_BUT_ONE)
    return people, table


def tag(player: Person, table: str) -> str:
    """The entity tag of the table as the player sees it."""
    return player.ask("GET", f"/tables/{table}").headers["ETag"]


def say(player: Person, table: str, words: str, version: str) -> tuple[int, Json]:
    """Act with `If-Match`."""
    response = player.ask(
        "POST", f"/tables/{table}/actions", json={"action": words}, headers={"If-Match": version}
    )
    return response.status_code, response.json


def test_a_call_may_cite_an_old_version_a_card_may_not(three: tuple[list[Person], str]) -> None:
    """`macao` with the version before the own play: 200. In turn an old version is 412."""
    (ada, boris, clara), table = three
    old = {player: tag(player, table) for player in (ada, boris, clara)}
    view = ada.do(table, "play 7S")
    assert view["legal"] == ["macao"]
    assert clara.get(f"/tables/{table}")["legal"] == ["catch 0"]
    assert say(boris, table, "draw", old[boris])[0] == 412
    assert say(ada, table, "macao", old[ada])[0] == 200
    status, problem = say(clara, table, "catch 0", old[clara])
    assert (status, problem["code"]) == (409, "illegal"), "it is said: nobody may be caught any more"


def test_a_catch_from_any_seat_may_cite_an_old_version(three: tuple[list[Person], str]) -> None:
    """A seat that is not next catches, with the version before the play; the five cards are its own to see only."""
    (ada, boris, clara), table = three
    old = tag(clara, table)
    ada.do(table, "play 7S")
    status, view = say(clara, table, "catch 0", old)
    assert status == 200
    assert view["play"]["hand_sizes"] == [6, 3, 3]
    types = [(event["type"], event["seat"], event["data"]) for event in view["new_events"]]
    assert types == [
        ("caught", 2, {"deal": 1, "caught": 0, "by": "player"}),
        ("drew", 0, {"deal": 1, "count": 5, "why": "call"}),
    ]
    mine = everything(ada, table)[-1]
    assert mine["data"]["cards"] == ["5C", "6C", "7C", "8C", "9C"]
    assert "cards" not in everything(boris, table)[-1]["data"]


def test_the_next_action_in_turn_closes_the_window(three: tuple[list[Person], str]) -> None:
    """Where nobody has caught it, silence costs nothing in this game; afterwards it is too late for either."""
    (ada, boris, clara), table = three
    ada.do(table, "play 7S")
    view = boris.do(table, "draw")
    assert view["play"]["hand_sizes"][0] == 1
    for player, words in ((ada, "macao"), (clara, "catch 0")):
        assert player.do(table, words, status=409)["code"] in ("illegal", "not_your_turn")


def test_a_card_and_the_call_in_one_request(three: tuple[list[Person], str], database: Database) -> None:
    """`play 7S; macao`, or a list of both: nobody comes between. All or nothing."""
    (ada, _, clara), table = three
    before = snapshot(database)
    assert ada.do(table, "play 7S", "macao", "macao", status=409)["code"] == "illegal"
    assert snapshot(database) == before
    view = ada.do(table, "play 7S; macao")
    assert view["play"]["window"] == {"seat": 0, "said": True}
    assert [event["type"] for event in view["new_events"]] == ["played", "called"]
    assert clara.do(table, "catch 0", status=409)


def test_of_parallel_calls_and_catches_one_counts(three: tuple[list[Person], str], app: Flask) -> None:
    """The owner and both others speak at once: one is done, the others are told that it is too late."""
    (ada, boris, clara), table = three
    ada.do(table, "play 7S")
    gate, found = Barrier(3), []

    def speak(player: Person, words: str) -> None:
        client = app.test_client()
        gate.wait()
        answer = client.post(f"/v1/tables/{table}/actions", json={"action": words}, headers=player.headers)
        found.append(answer.status_code)

    spoken = ((ada, "macao"), (boris, "catch 0"), (clara, "catch 0"))
    threads = [Thread(target=speak, args=args) for args in spoken]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [200, 409, 409]
    said = [event for event in everything(ada, table) if event["type"] in ("called", "caught")]
    assert len(said) == 1
    size = ada.get(f"/tables/{table}")["play"]["hand_sizes"][0]
    assert size == (1 if said[0]["type"] == "called" else 6)


def test_a_bot_on_turn_catches_who_does_not_call(ada: Person, database: Database) -> None:
    """`simple` says it before it moves; who calls in the request of his card is not caught."""
    for words, size in (("play 7S", 6), ("play 7S; macao", 1)):
        table = ada.open(game="romanian", seats=[ME, BOT, BOT])["id"]
        plant(database, table, **LAST_BUT_ONE)
        view = ada.do(table, words)
        told = [(event["type"], event["seat"]) for event in view["new_events"]]
        assert (("caught", 1) in told) == (size == 6)
        assert len(view["play"]["hands"][0]) >= size


def test_a_bot_calls_for_itself(ada: Person, boris: Person, database: Database) -> None:
    """It lays its last card but one and says «macao» at once: a person cannot be first."""
    table = ada.open(game="romanian", seats=[ME, OPEN, BOT])["id"]
    boris.post(f"/tables/{table}/seats", {}, 201)
    hands = [["9H", "TD", "JD"], ["QC", "KC", "6D"], ["7S", "8S"]]
    plant(database, table, **{**LAST_BUT_ONE, "hands": hands, "to_move": 1})
    view = boris.do(table, "draw")
    if view["play"]["awaited"] == [1]:
        view = boris.do(table, "end")
    told = [(event["type"], event["seat"]) for event in view["new_events"]]
    assert told[-2:] == [("played", 2), ("called", 2)]
    assert view["play"]["window"] == {"seat": 2, "said": True}


def test_the_action_that_closes_the_last_window_is_in_the_record(
    ada: Person, boris: Person, database: Database
) -> None:
    """A last packet wins when its window closes; without the action that closed it the record would not end."""
    table = ada.open(game="romanian", seats=[ME, OPEN])["id"]
    boris.post(f"/tables/{table}/seats", {}, 201)
    plant(
        database,
        table,
        **{**LAST_BUT_ONE, "seats": 2, "dealer": 1, "hands": [["7S", "7H"], ["QC", "KC", "6D"]]},
    )
    ada.do(table, "play 7S; add 7H")
    view = boris.do(table, "draw")
    played, scored = view["new_events"][-3], view["new_events"][-2]
    assert scored["type"] == "scored"
    assert played["data"] == {"deal": 1, "action": "draw", "carried_out": False, "by": "player"}
    deal = ada.get(f"/tables/{table}/deals")["deals"][0]["id"]
    assert ada.get(f"/tables/{table}/deals/{deal}")["record"]["actions"][-1] == [1, "draw"]
