"""Opening and joining a match, and what is refused (`table.md`, «Opening a table», «Shedding and trick tables»)."""

import re
from collections.abc import Callable

import pytest

from api.db import Database
from tests.api.matches.matches import BOT, ME, OPEN, everything
from tests.api.tables.people import Json, Person, snapshot

People = Callable[[str], Person]
HEX = re.compile(r"[0-9a-f]{64}")


def test_only_the_game_is_required(ada: Person) -> None:
    """The caller and bots at the default number of seats; dealt at once, the commitment published."""
    table = ada.open(game="russian-104")
    assert [seat["kind"] for seat in table["seats"]] == ["player", "bot", "bot", "bot"]
    assert {seat["policy"] for seat in table["seats"][1:]} == {"simple"}
    assert (table["family"], table["phase"], table["bank"]) == ("shedding", "play", None)
    assert (table["target"], table["ante"], table["chips_per_point"], table["max_points"]) == (500, 0, 0, 200)
    assert HEX.fullmatch(table["play"]["commitment"])
    assert table["play"]["awaited"] == [0]
    assert table["play"]["match"]["deal"] == 1


@pytest.mark.parametrize("game", ["peklo", "tel-aviv"])
def test_it_waits_until_its_seats_are_taken(ada: Person, boris: Person, game: str) -> None:
    """`open` until nobody is missing; the commitment stands before anyone joins and does not change."""
    table = ada.open(game=game, seats=[ME, BOT, OPEN])
    where = f"/tables/{table['id']}"
    assert (table["phase"], table["legal"]) == ("open", [{"seed": {"max_bytes": 32}}])
    seen = boris.get(where)
    assert seen["play"]["commitment"] == table["play"]["commitment"]
    assert seen["legal"] == []
    assert boris.get("/tables?joinable=true")["tables"][0]["ante"] == 0
    joined = boris.post(f"{where}/seats", {}, 201)
    assert (joined["seat"], joined["phase"]) == (2, "play")
    assert joined["play"]["commitment"] == table["play"]["commitment"]
    assert boris.post(f"{where}/seats", {}, 409)["code"] == "seated_already"
    types = [event["type"] for event in everything(ada, table["id"])]
    assert types[:5] == ["opened", "seated", "seated", "seated", "dealt"]


def test_seeds_are_taken_while_it_is_open(ada: Person, boris: Person) -> None:
    """`seed` while `open`, once a seat, and with the seat itself; not any more once the cards are dealt."""
    table = ada.open(game="peklo", seats=[ME, OPEN])["id"]
    assert ada.do(table, "bid 0", status=409)["code"] == "waiting_for_seats"
    assert ada.do(table, "seed 0", status=422)["code"] == "notation"
    view = ada.do(table, "seed 00ff")
    assert (view["play"]["seeded"], view["legal"], view["phase"]) == ([True, False], [], "open")
    assert ada.do(table, "seed 01", status=409)["code"] == "illegal"
    assert boris.post(f"/tables/{table}/seats", {"seed": "xyz"}, 422)["code"] == "notation"
    view = boris.post(f"/tables/{table}/seats", {"seed": "c0ffee"}, 201)
    assert (view["play"]["seeded"], view["phase"]) == ([True, True], "play")
    seeds = [(e["seat"], e["data"]["bytes"]) for e in everything(ada, table) if e["type"] == "seed"]
    assert seeds == [(0, 2), (1, 3)]
    for player in (ada, boris):
        problem = player.do(table, "seed 02", status=409)
        assert problem["code"] == "illegal"
        assert "dealt" in problem["detail"]


def test_the_deal_waits_for_a_seed_that_was_promised(ada: Person) -> None:
    """Who plays against bots alone can give a seed too: the first deal waits for it."""
    table = ada.open(game="russian-104", seats=[{**ME, "seed": True}, BOT])
    assert (table["phase"], table["play"]["seeded"]) == ("open", [False, False])
    view = ada.do(table["id"], "seed 00ff")
    assert view["phase"] == "play"
    assert view["new_events"][0]["type"] == "seed"


def test_a_seat_left_before_the_deal_is_free_again(ada: Person, boris: Person, database: Database) -> None:
    """Leaving while `open`; the last to go closes the table, and bots' chips go back."""
    table = ada.open(game="peklo", seats=[ME, BOT, OPEN, OPEN])["id"]
    boris.post(f"/tables/{table}/seats", {"seed": "00"}, 201)
    boris.ask("DELETE", f"/tables/{table}/seats/2")
    view = ada.get(f"/tables/{table}")
    assert (view["seats"][2]["kind"], view["play"]["seeded"][2], view["phase"]) == ("open", False, "open")
    view = ada.ask("DELETE", f"/tables/{table}/seats/0").json
    assert (view["phase"], view["new_events"][-1]["data"]) == ("closed", {"reason": "left"})
    (bank,) = ada.get(f"/tables/{table}/banks")["banks"]
    assert HEX.fullmatch(bank["server_seed"])


REFUSED: list[tuple[Json, str, str]] = [
    ({"game": "whist"}, "/game", "unknown_game"),
    ({"game": "peklo", "bank": "house"}, "/bank", "invalid"),
    ({"game": "peklo", "seats": [ME, {"kind": "house"}]}, "/seats/1/kind", "invalid"),
    ({"game": "peklo", "seats": [ME]}, "/seats", "rules"),
    ({"game": "russian-104", "seats": [ME, *[BOT] * 5]}, "/seats", "rules"),
    ({"game": "peklo", "seats": [ME, {**BOT, "policy": "textbook"}]}, "/seats/1/policy", "rules"),
    (
        {"game": "peklo", "seats": [ME, {**BOT, "policy": {"name": "simple", "keep_wild": True}}]},
        "/seats/1/policy/keep_wild",
        "rules",
    ),
    ({"game": "tel-aviv", "seats": [ME, {**BOT, "policy": "search:0"}]}, "/seats/1/policy/nodes", "rules"),
    ({"game": "tel-aviv", "seats": [ME, {**BOT, "policy": 7}]}, "/seats/1/policy", "rules"),
    ({"game": "peklo", "seats": [ME, {**BOT, "stake": 5}]}, "/seats/1/stake", "invalid"),
    ({"game": "peklo", "seats": [ME, {**OPEN, "seed": True}]}, "/seats/1/seed", "invalid"),
    ({"game": "peklo", "seats": [BOT, OPEN]}, "/seats/0/kind", "invalid"),
    ({"game": "hungarian", "chips_per_point": 1}, "/chips_per_point", "invalid"),
    ({"game": "russian-104", "max_points": 100}, "/max_points", "invalid"),
    ({"game": "russian-104", "target": 200, "options": {"target": 500}}, "/target", "invalid"),
    ({"game": "russian-104", "target": 0}, "/target", "validation"),
    ({"game": "russian-104", "ante": -1}, "/ante", "validation"),
    ({"game": "russian-104", "options": {"packs": 9}}, "/options/packs", "rules"),
    ({"game": "peklo", "options": {"match": {"deals": 2}}}, "/options/match", "rules"),
    ({"game": "house", "target": 500}, "/target", "invalid"),
    ({"game": "house", "ante": 5}, "/ante", "invalid"),
    ({"game": "house", "chips_per_point": 1}, "/chips_per_point", "invalid"),
    ({"game": "house", "max_points": 100}, "/max_points", "invalid"),
    ({"game": "house", "seats": [{**ME, "seed": True}]}, "/seats/0/seed", "invalid"),
    ({"game": "peklo", "seed": 7}, "/seed", "validation"),
    ({"game": "peklo", "seats": [ME, BOT], "ante": 20_000}, "/ante", "insufficient_funds"),
]


@pytest.mark.parametrize(("body", "pointer", "code"), REFUSED, ids=[f"{row[1]}-{row[0]}" for row in REFUSED])
def test_what_makes_no_sense_is_refused_by_place(
    ada: Person, database: Database, body: Json, pointer: str, code: str
) -> None:
    """Every refusal says where, and changes nothing."""
    before = snapshot(database)
    problem = ada.post("/tables", body, 409 if code == "insufficient_funds" else 422)
    assert problem["code"] == code
    assert problem["errors"][0]["pointer"] == pointer
    assert problem["errors"][0]["detail"]
    assert snapshot(database) == before


def test_a_target_is_the_matches_own(ada: Person) -> None:
    """Пекло to 100, Hungarian to two wins, the Russian game to 200, the championship to five."""
    for game, target, options in (
        ("peklo", 100, {}),
        ("hungarian", 2, {}),
        ("russian-104", 200, {}),
        ("plawno", 5, {"championship": True}),
    ):
        table = ada.open(game=game, target=target, options=options)
        assert table["target"] == table["options"]["match"]["target"] == target
        ada.ask("DELETE", f"/tables/{table['id']}/seats/0")


def test_private_tables_and_invites_are_the_same_for_every_family(ada: Person, boris: Person) -> None:
    """404 to strangers; with the invite anybody may take the open seat."""
    table = ada.open(game="peklo", private=True, seats=[ME, OPEN])
    where = f"/tables/{table['id']}"
    boris.get(where, 404)
    boris.post(f"{where}/seats", {}, 404)
    assert boris.post(f"{where}/seats", {"invite": table["invite"]}, 201)["phase"] == "play"


def test_who_only_passes_by_sees_no_play(ada: Person, person: People) -> None:
    """Without `spectators` a stranger sees neither the play of a full table nor the table."""
    table = ada.open(game="peklo", seats=[ME, BOT])["id"]
    stranger = person("Clara")
    stranger.get(f"/tables/{table}", 404)
    watched = ada.open(game="peklo", seats=[ME, BOT], spectators=True)["id"]
    view = stranger.get(f"/tables/{watched}")
    assert view["play"]["hands"] == [None, None]
    assert view["legal"] == []


def test_autoplay_is_for_banking_tables(ada: Person) -> None:
    """A match is played action by action."""
    table = ada.open(game="peklo", seats=[ME, BOT])["id"]
    body = {"action": "autoplay", "stake": 5, "policy": "textbook", "coups": 3}
    problem = ada.post(f"/tables/{table}/actions", body, 422)
    assert (problem["code"], problem["errors"][0]["pointer"]) == ("family", "/action")
