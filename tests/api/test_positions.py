"""POST /positions: any situation of any game, the same as `macao position`; nothing is stored."""

import json
from pathlib import Path

import pytest
from http_contract import contents

from casino.position import explored, told

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


def ask(client, body, status=200):
    answer = client.post("/v1/positions", json=body)
    assert answer.status_code == status, answer.text
    return answer.json


@pytest.mark.parametrize("family", ["shedding", "peklo"])
def test_every_shared_case_is_answered_as_by_the_command(client, family):
    """The fields of `macao position`, refusals of the last step among them, and the view of the seat awaited."""
    file = SHARED / f"{family}.json"
    if not file.exists():
        pytest.skip("the shared cases are not here")
    for case in json.loads(file.read_text())["cases"]:
        found = ask(client, {"position": case["position"], "steps": case["steps"]})
        view = found.pop("view")
        assert found == json.loads(json.dumps(told(case))), case["id"]
        assert found.get("error") == case["expect"].get("error"), case["id"]
        if view["seat"] is not None:
            assert view["legal"] == found["legal"][str(view["seat"])]


def test_what_an_action_leads_to(client):
    """Hearts are led: the other must follow with the 3; it takes no trick with it, so 5H wins."""
    found = ask(client, {"position": TWO_LEFT, "steps": [[0, "play 5H"]], "leads_to": True})
    assert found["legal"] == {"0": [], "1": ["play 3H"]}
    after = found["leads_to"]["1"]["play 3H"]
    assert (after["taken"], after["to_move"]) == ([1, 0], 0)
    assert set(found["leads_to"]) == {"1"}


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


def test_the_function_is_one(client):
    """The endpoint and `casino.position.explored` say the same."""
    body = {"position": TWO_LEFT, "steps": [[0, "play 9C"]], "leads_to": True}
    assert ask(client, body) == json.loads(json.dumps(explored(body, leads=True)))
