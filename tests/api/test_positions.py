"""POST /positions: any situation of any game, the same as `macao position`; nothing is stored."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from http_contract import contents

from api.cli import main

SHARED = Path(__file__).resolve().parents[3] / "shared" / "cases"
TWO_LEFT = {
    "game": "peklo",
    "seats": 2,
    "dealer": 1,
    "to_move": 0,
    "hands": [["5H", "9C"], ["3H", "KS"]],
    "trump": "S",
    "bids": [1, 0],
    "taken": [0, 0],
}
HOUSE = {"game": "house", "seats": 2, "hands": ["3H", "9D"], "stakes": [10, 0], "shoe": ["6S", "2D"]}


NAMED = {
    "error": lambda told, error: told.get("error") == error,
    "hands": lambda told, hands: all(
        sorted(told["hands"][int(seat)]) == sorted(hands[seat]) for seat in hands
    ),
    "legal": lambda told, legal: all(quiet(told["legal"][seat]) == sorted(legal[seat]) for seat in legal),
    "legal_has": lambda told, legal: all(set(legal[seat]) <= set(told["legal"][seat]) for seat in legal),
    "legal_lacks": lambda told, legal: all(not set(legal[seat]) & set(told["legal"][seat]) for seat in legal),
}


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Positions store nothing: one kind of database will do."""
    return sqlite_url


def quiet(texts):
    """Actions without what may be said, as the cases list them."""
    return sorted(text for text in texts if text != "macao" and not text.startswith("catch"))


def ask(client, body, status=200):
    answer = client.post("/v1/positions", json=body)
    assert answer.status_code == status, answer.text
    return answer.json


def by_the_command(data):
    """What `macao position --json` prints of it."""
    done = CliRunner().invoke(main, ["position", "-", "--json"], input=json.dumps(data))
    return json.loads(done.stdout)


def entries_of(family):
    """The shared cases of a family as entries, and what they expect; banking's are settlements of whole coups."""
    file = SHARED / f"{family}.json"
    if not file.exists():
        pytest.skip("the shared cases are not here")
    data = json.loads(file.read_text())
    if family != "banking":
        return [
            ({name: case[name] for name in ("id", "position", "steps")}, case["expect"])
            for case in data["cases"]
        ]
    return [
        (
            {
                "id": case["id"],
                "position": {
                    "game": case["rules"]["preset"],
                    "options": case["rules"]["changes"],
                    "seats": 2,
                    "banker": 1,
                    "done": [True, True],
                    "hands": [case["punter"], case["banker"]],
                },
            },
            {"net": [case["net"], -case["net"]], "over": True},
        )
        for case in data["settlements"]
    ]


@pytest.mark.parametrize("family", ["shedding", "peklo", "banking"])
def test_every_shared_case_comes_out_and_as_the_command_tells_it(client, family):
    """All cases in one array: the fields that they expect, `error` among them, and the very answer of the command."""
    pairs = entries_of(family)
    found = ask(client, [entry for entry, _ in pairs])
    assert found == by_the_command([entry for entry, _ in pairs])
    for (entry, expected), answer in zip(pairs, found, strict=True):
        assert answer["id"] == entry["id"]
        assert answer.get("error") == expected.get("error"), entry["id"]
        for name, value in expected.items():
            assert NAMED.get(name, lambda told, value, key=name: told[key] == value)(answer, value), (
                entry["id"],
                name,
            )
    assert ask(client, pairs[0][0]) == found[0], "alone it is answered alike"


def test_what_an_action_leads_to(client):
    """Hearts are led: the other must follow with the 3; it takes no trick with it, so 5H wins."""
    found = ask(client, {"position": TWO_LEFT, "steps": [[0, "play 5H"]], "leads_to": True})
    assert found["legal"] == {"0": [], "1": ["play 3H"]}
    after = found["leads_to"]["1"]["play 3H"]
    assert (after["taken"], after["to_move"]) == ([1, 0], 0)
    assert set(found["leads_to"]) == {"1"}


def test_there_are_as_many_seats_as_hands_where_none_are_named(client):
    """docs/peklo.md: only `hands` must be there. Hands that no game is for are refused with its own number of seats."""
    unnamed = {name: value for name, value in TWO_LEFT.items() if name != "seats"}
    assert ask(client, {"position": unnamed}) == ask(client, {"position": TWO_LEFT})
    alone = ask(client, {"position": {"game": "peklo", "hands": [["5H"]]}}, 422)
    assert alone["errors"][0]["pointer"] == "/position/hands"


def test_in_words_every_hand_stands_by_itself():
    """Without --json: one pair of brackets a hand, no run of cards whose owners one would have to guess."""
    told = CliRunner().invoke(main, ["position", "-"], input=json.dumps({"position": TWO_LEFT})).stdout
    assert "hands: [5H, 9C], [3H, KS]\n" in told
    assert "over: no\n" in told


def test_the_view_is_that_of_the_seat_asked_for(client):
    """Absent: of the seat awaited. A view holds no other hand; the rest of the answer does, for it is a position."""
    found = ask(client, {"position": TWO_LEFT})
    assert found["view"]["hands"] == [["5H", "9C"], None]
    assert found["hands"] == TWO_LEFT["hands"]
    assert ask(client, {"position": TWO_LEFT, "seat": 1})["view"]["hands"] == [None, ["3H", "KS"]]


def test_a_text_is_all_or_nothing(client):
    """Of several steps in one text the last is refused: the situation is that before the text."""
    found = ask(client, {"position": TWO_LEFT, "steps": [[0, "play 5H; play 9C"]]})
    assert (found["error"], found["step"]) == ("not_your_turn", 0)
    assert found["hands"] == TWO_LEFT["hands"]
    assert found["detail"]


def test_banking_positions_too(client):
    """3 against 9: standing loses, drawing the 6 makes 9."""
    found = ask(client, {"position": HOUSE, "leads_to": True})
    assert set(found["leads_to"]["0"]) == {"draw", "stand"}
    assert found["leads_to"]["0"]["stand"]["over"] is True


def test_nothing_is_stored(client, app):
    database = app.extensions["macao"].database
    before = contents(database)
    ask(client, {"position": TWO_LEFT, "steps": [[0, "play 5H"]], "leads_to": True})
    assert contents(database) == before


@pytest.mark.parametrize(
    ("body", "pointer", "code"),
    [
        ({}, "/position", "validation"),
        ({"position": []}, "/position", "validation"),
        ({"position": {}}, "/position/game", "position"),
        ({"position": {"game": "whist"}}, "/position/game", "unknown_game"),
        ({"position": {**TWO_LEFT, "seats": 11}}, "/position/seats", "rules"),
        ({"position": {**TWO_LEFT, "options": {"x": 1}}}, "/position/options/x", "rules"),
        (
            {"position": {**TWO_LEFT, "hands": [["5H", "5H"], ["3H", "KS"]]}},
            "/position/hands/0/1",
            "position",
        ),
        (
            {"position": {**TWO_LEFT, "hands": [["5X", "9C"], ["3H", "KS"]]}},
            "/position/hands/0/0",
            "notation",
        ),
        ({"position": {**TWO_LEFT, "to_move": 1}}, "/position/to_move", "position"),
        ({"position": TWO_LEFT, "steps": [[2, "play 5H"]]}, "/steps/0/0", "position"),
        ({"position": TWO_LEFT, "steps": [[True, "play 5H"]]}, "/steps/0/0", "position"),
        ({"position": TWO_LEFT, "steps": [[0, 5]]}, "/steps/0/1", "notation"),
        ({"position": TWO_LEFT, "steps": [[0]]}, "/steps/0", "position"),
        ({"position": TWO_LEFT, "steps": {}}, "/steps", "validation"),
        ({"position": TWO_LEFT, "steps": [[0, "play 5H"]] * 1001}, "/steps", "validation"),
        ({"position": TWO_LEFT, "seat": 2}, "/seat", "position"),
        ({"position": TWO_LEFT, "seat": -1}, "/seat", "validation"),
        ({"position": TWO_LEFT, "depth": 2}, "/depth", "validation"),
    ],
)
def test_what_cannot_be_is_refused_by_place(client, body, pointer, code):
    problem = ask(client, body, 422)
    assert problem["code"] == code
    assert problem["errors"][0]["pointer"] == pointer
    assert problem["errors"][0]["detail"]


def test_an_array_is_answered_one_by_one(client):
    """What cannot be is told in its place, as by the command; the others are answered."""
    bad = {"id": "second", "position": {**TWO_LEFT, "hands": [["5H", "5H"], ["3H", "KS"]]}}
    body = [{"position": TWO_LEFT, "leads_to": True}, bad, {"position": HOUSE, "seat": 1}]
    first, second, third = ask(client, body)
    assert set(first["leads_to"]["0"]) == {"play 5H", "play 9C"}
    assert (second["id"], second["error"], second["pointer"]) == ("second", "position", "/position/hands/0/1")
    assert third["view"]["seat"] == 1
    assert [first, second, third] == by_the_command(body)


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ([], ""),
        ([{"position": TWO_LEFT}] * 201, ""),
        ([{"position": TWO_LEFT}, 3], "/1"),
        ([{"position": TWO_LEFT}, {}], "/1/position"),
        ([{"position": TWO_LEFT}, {"position": TWO_LEFT, "depth": 1}], "/1/depth"),
        ([{"position": TWO_LEFT, "seat": 10}], "/0/seat"),
        ([[{"position": TWO_LEFT}]], "/0"),
        (7, ""),
    ],
)
def test_an_array_of_the_wrong_shape_is_refused_by_place(client, body, pointer):
    problem = ask(client, body, 422)
    assert problem["code"] == "validation"
    assert problem["errors"][0]["pointer"] == pointer
    if pointer == "/1/depth":
        assert "there are id, position, steps, seat, leads_to" in problem["detail"]


def test_what_an_array_costs_is_told_before_the_work(app, client):
    """Twenty units an item, as many for what it leads to, one for four steps."""
    answer = client.post("/v1/positions", json={"position": TWO_LEFT})
    left = int(answer.headers["X-RateLimit-Remaining"])
    body = [{"position": TWO_LEFT, "leads_to": True}, {"position": TWO_LEFT, "steps": [[0, "play 5H"]] * 8}]
    assert left - int(client.post("/v1/positions", json=body).headers["X-RateLimit-Remaining"]) == 20 * 3 + 2


def test_the_example_of_the_page(client):
    """docs/api.md: the 7 of spades is laid on that of diamonds, «macao» is said, the other may answer it or draw."""
    page = (Path(__file__).parents[2] / "docs" / "api.md").read_text(encoding="utf-8")
    body = json.loads(re.search(r"/positions -H .*?-d '(\{.*?\})'\n", page, re.DOTALL)[1])
    found = ask(client, body)
    assert (found["top"], found["to_move"], found["hands"]) == ("7S", 1, [["2H"], ["3D"]])
    assert found["view"]["window"] == {"seat": 0, "said": True}
    assert found["legal"] == {"0": [], "1": ["draw"]}, "3 of diamonds: neither the suit nor the rank"
