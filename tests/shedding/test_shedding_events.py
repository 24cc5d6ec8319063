"""What is told of a deal: events in order, hidden cards to their owners only, and the views."""

import pytest
from layouts import at, play

from casino.catalogue import find
from casino.match import match_of


def told(state):
    return [(event.type, event.seat, event.data, event.private) for event in state.drain()]


def test_the_deal_is_told_with_each_hand_to_its_owner():
    state = find("russian-104").game(None, 2).start(bytes(32))
    ((kind, seat, data, private),) = told(state)
    report = state.report()
    assert (kind, seat, data["hand_sizes"], data["turned"]) == ("dealt", None, [5, 5], [report["top"]])
    assert private == {owner: {"hand": report["hands"][owner]} for owner in (0, 1)}


def test_a_draw_is_told_with_its_card_to_the_drawer_alone():
    state = at("russian-104", ["7S 4D KC", "5C 5S"], "7D", stock="3C 8H")
    play(state, "0: draw")
    assert told(state) == [("drew", 0, {"count": 1, "why": "draw"}, {0: {"cards": ["3C"]}})]
    assert told(state) == [], "once"


def test_a_turn_is_told_step_by_step():
    state = at("romanian", ["BJ 8C TC", "2C 6D 7D"], "9D", stock="KD JD 3C 3D 4C 4D 5D 5S 6S 6H TS")
    play(state, "0: play BJ; name 9", "1: play 2C", "0: accept")
    assert [(kind, seat, data) for kind, seat, data, _ in told(state)] == [
        ("played", 0, {"action": "play BJ"}),
        ("played", 0, {"action": "name 9"}),
        ("played", 1, {"action": "play 2C"}),
        ("played", 0, {"action": "accept"}),
        ("drew", 0, {"count": 7, "why": "penalty"}),
    ]


def test_calls_catches_and_their_price():
    state = at("russian-104", ["7S 8C", "5C 5S 7C", "6C 6H"], "7D", stock="JD QC TC KC KD")
    play(state, "0: play 7S", "2: catch 0", "1: play 7C")
    assert [(kind, seat, data) for kind, seat, data, _ in told(state)] == [
        ("played", 0, {"action": "play 7S"}),
        ("caught", 2, {"caught": 0}),
        ("drew", 0, {"count": 2, "why": "call"}),
        ("played", 1, {"action": "play 7C"}),
    ]
    state = at("russian-104", ["7S 8C", "5C 5S"], "7D", stock="JD")
    play(state, "0: play 7S", "0: macao")
    assert told(state)[-1] == ("called", 0, {}, None)


def test_a_reshuffle_and_the_end_are_told():
    state = at("russian-104", ["9C 4D", "5S"], "6C 5C 8C 3H", stock="")
    play(state, "0: draw")
    assert told(state)[0] == ("shuffled", None, {"number": 1, "stock_size": 3}, None)
    state = at("russian-104", ["7S", "5C 5S"], "7D", stock="JD")
    play(state, "0: play 7S")
    assert told(state)[-1] == (
        "scored",
        None,
        {"finished": [0], "scores": [0, 10], "winners": [0], "unit": "points", "reason": "out"},
        None,
    )


@pytest.mark.parametrize("closing", ["play 5H", "draw"])
def test_an_action_that_the_end_forestalls_is_told_as_not_carried_out(closing):
    """`rules/shedding.md`, «The window»: the closing action is not carried out if the deal has ended."""
    state = at("romanian", ["7S 7H", "5H 6S"], "9S", stock="JD JH")
    play(state, "0: play 7S; add 7H", f"1: {closing}")
    assert [
        (kind, seat, data.get("action"), data.get("carried_out")) for kind, seat, data, _ in told(state)
    ] == [
        ("played", 0, "play 7S", None),
        ("played", 0, "add 7H", None),
        ("played", 1, closing, False),
        ("scored", None, None, None),
    ]
    assert state.report()["hands"][1] == ["5H", "6S"], "nothing was laid or drawn"


def test_shuffled_orders_are_kept_for_records():
    game = find("russian-104").game(None, 2)
    state = game.start(bytes(32))
    (order,) = state.drain_shuffles()
    assert sorted(order) == sorted(game.pack)
    assert state.drain_shuffles() == []


def test_a_view_lists_the_open_obligations():
    state = at("romanian", ["2S TD 9D", "5C 6S", "JC JH"], "9S", stock="KD QD KC")
    play(state, "0: play 2S")
    view = state.view(1)
    assert (view["penalty"], view["attack"], view["to_move"], view["legal"]) == (2, "2S", 1, ["accept"])
    assert view["hands"] == [None, ["5C", "6S"], None]
    assert (view["hand_sizes"], view["stock_size"], view["stock"]) == ([2, 2, 2], 3, None)
    onlooker = state.view(None)
    assert (onlooker["hands"], onlooker["legal"]) == ([None] * 3, [])


def test_others_see_that_one_has_drawn_but_not_what():
    state = at("romanian", ["5D 8C", "6C 6H"], "9D", stock="TD KC")
    play(state, "0: draw")
    assert [(state.view(seat)["drew"], state.view(seat)["drawn"]) for seat in (0, 1, None)] == [
        (True, "TD"),
        (True, None),
        (True, None),
    ]


def test_a_match_on_points_goes_on_until_one_has_lost():
    match = match_of(find("russian-104").game({"target": 200}, 2))
    rules = match.rules
    assert (rules.count, rules.best, rules.target, rules.dealer) == ("points", "fewest", 200, "left")
    state = match.start(bytes(32))
    while state.awaited():
        seat = state.awaited()[0]
        state.apply(seat, state.legal(seat)[0])
    result = state.result()
    assert max(result.scores) >= 200
    assert result.winners == (result.scores.index(min(result.scores)),)
