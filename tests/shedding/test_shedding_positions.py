"""Positions: every field listed in the rules is read and written, and what cannot be is refused by its place."""

import json

import pytest
from layouts import at, may, play

from casino.catalogue import find
from casino.errors import CasinoError, PositionError

QUIET = {"game": "romanian", "seats": 3, "hands": [["7S", "2H"], ["3D"], ["KH", "9C"]], "pile": ["7D", "9D"]}


def position(**changes):
    return {**QUIET, **changes}


@pytest.mark.parametrize(
    ("pointer", "changes"),
    [
        ("/hands/1/0", {"hands": [["7S", "2H"], ["7S"], ["9C"]]}),
        ("/pile/1", {"pile": ["8D", "7S"]}),
        ("/stock/0", {"stock": ["7S"]}),
        ("/hands/0/1", {"hands": [["7S", "1H"], ["3D"], ["9C"]]}),
        ("/hands", {"hands": [["7S"], ["3D"]]}),
        ("/hands/1", {"hands": [["7S"], [], ["9C"]]}),
        ("/pile", {"pile": []}),
        ("/to_move", {"to_move": 3}),
        ("/dealer", {"dealer": 9}),
        ("/seats", {"seats": 11}),
        ("/direction", {"direction": 0}),
        ("/penalty", {"penalty": -1, "pile": ["2D"]}),
        ("/attack", {"penalty": 2}),
        ("/attack", {"attack": "2D"}),
        ("/attack", {"attack": "9D", "penalty": 2}),
        ("/demand", {"demand": {}}),
        ("/demand", {"demand": {"suit": "H", "rank": "9"}}),
        ("/demand/suit", {"demand": {"suit": "hearts"}}),
        ("/demand/rank", {"demand": {"rank": "2"}}),
        ("/demand/rank", {"demand": {"rank": "K"}}),
        ("/demand/any", {"demand": {"any": True}}),
        ("/demand/not", {"demand": {"not": "S"}}),
        ("/demand", {"demand": {"suit": "H"}, "penalty": 2, "pile": ["2D"]}),
        ("/dormant_demand", {"dormant_demand": {"rank": "9"}}),
        ("/demand_by", {"demand": {"suit": "H"}, "demand_by": 4}),
        ("/skip", {"skip": 1, "penalty": 2, "pile": ["2D"]}),
        ("/solo", {"solo": 1}),
        ("/four_round", {"four_round": {"last": 1, "fours": 1}}),
        ("/finished/0", {"finished": [4]}),
        ("/hands/1", {"finished": [1]}),
        ("/finished", {"finished": [1, 1], "hands": [["7S"], [], ["9C"]]}),
        ("/to_move", {"finished": [1], "hands": [["7S"], [], ["9C"]], "to_move": 1}),
        ("/out_for", {"out_for": [0, 1]}),
        ("/out_for/1", {"out_for": [0, 1, 0], "finished": [1], "hands": [["7S"], [], ["9C"]], "to_move": 0}),
        ("/window/seat", {"window": {"seat": 7}}),
        (
            "/window/seat",
            {"window": {"seat": 1}, "finished": [1], "hands": [["7S"], [], ["9C"]], "to_move": 0},
        ),
        ("/drawn", {"drawn": "9H"}),
        ("/turn/laid", {"turn": {"laid": ["7S"]}}),
        ("/turn/laid/0", {"turn": {"laid": ["9X"]}}),
        ("/turn/needs", {"turn": {"laid": ["9D"], "needs": "name"}}),
        ("/joker_as", {"joker_as": "9H"}),
        ("/players_at_start", {"players_at_start": 2}),
        ("/totals", {"totals": [1, 2]}),
        ("/shuffle_seed", {"shuffle_seed": "zz"}),
        ("/passes/0", {"passes": [8]}),
        ("/no_such_field", {"no_such_field": 1}),
        ("/options/no_such_option", {"options": {"no_such_option": 1}}),
    ],
)
def test_what_cannot_be_is_refused_by_its_place(pointer, changes):
    with pytest.raises(CasinoError) as caught:
        find("romanian").position(position(**{"to_move": 0, **changes}))
    assert caught.value.pointer == pointer
    assert caught.value.detail


def test_what_is_missing_is_named():
    for key in ("hands", "pile"):
        with pytest.raises(PositionError) as caught:
            find("romanian").position({name: value for name, value in QUIET.items() if name != key})
        assert caught.value.pointer == f"/{key}"


def test_a_joker_on_top_must_be_named_where_jokers_are_named():
    with pytest.raises(PositionError) as caught:
        at("plawno", ["7S", "8S"], "9D BJ")
    assert caught.value.pointer == "/joker_as"
    assert may(at("plawno", ["7S", "8D"], "9D BJ", joker_as="8S"), 0) == {"play 7S", "draw"}


def test_a_demand_for_which_there_is_no_caller_cannot_be():
    for game, demand in (("tel-aviv", {"rank": "9"}), ("russian-104", {"any": True})):
        with pytest.raises(PositionError):
            at(game, ["7S", "8S"], "9D", demand=demand)


def test_absent_and_null_fields_take_the_state_of_a_quiet_turn():
    quiet = dict.fromkeys(("demand", "skip", "window", "drawn", "turn", "four_round", "solo", "attack"))
    first, second = (find("romanian").position(data) for data in (QUIET, position(**quiet)))
    assert first.to_json() == second.to_json()
    assert (first.to_move, first.direction, first.dealer) == (0, 1, 2)


@pytest.mark.parametrize(
    ("game", "steps", "field", "value"),
    [
        ("romanian", ["0: play 4S; end"], "skip", 1),
        ("romanian", ["0: play 4S; add 4H", "1: accept"], "out_for", [0, 1, 0]),
        ("romanian", ["0: play TS"], "window", None),
        ("romanian", ["0: play 8S; end", "1: draw"], "drawn", "9S"),
        ("plawno", ["0: play 4S; end"], "four_round", {"last": 0, "fours": 1, "lap": 1, "passed": 0}),
        ("plawno", ["0: play 4S; add 4H; end", "1: pass", "2: pass", "1: pass", "2: pass"], "solo", 2),
        ("plawno", ["0: play BJ as 8S; end"], "joker_as", "8S"),
        ("romanian-regional", ["0: play BJ", "1: accept"], "free_card", True),
        ("hungarian", ["0: play JS; name 8"], "demand", {"rank": "8"}),
        ("hungarian", ["0: play JS; name 8"], "demand_by", 0),
        ("romanian", ["0: play BJ; name 9"], "dormant_demand", {"rank": "9"}),
        (
            "hungarian",
            ["0: play JS"],
            "turn",
            {"laid": ["JS"], "needs": "name", "base": "6S", "aim": 1, "over": 0},
        ),
        ("romanian", ["0: play 8S; end"], "turns", 1),
    ],
)
def test_the_fields_of_a_turn_that_is_not_quiet(game, steps, field, value):
    hands = ["4S 4H TS 8S 8H JS BJ", "6C 6D", "7C 7D"]
    state = at(game, hands, "6S", direction=1, stock="9S 9C 9H 5D 5C 3H 3C QD QC")
    play(state, *steps)
    written = json.loads(json.dumps(state.to_json()))
    assert written.get(field) == value
    again = find(game).game(None, 3).position(written)
    assert again.to_json() == written
    assert [again.legal_texts(seat) for seat in range(3)] == [state.legal_texts(seat) for seat in range(3)]


def test_a_position_with_a_drawn_card():
    state = at("romanian", ["5D 8C", "6C 6H"], "9D", drawn="5D", stock="KC")
    assert may(state, 0) == {"play 5D", "end"}


def test_a_position_with_a_window():
    state = at("russian-104", ["8C", "6C 6H"], "9D", window={"seat": 0}, to_move=1, stock="KC KD QD QC")
    assert state.legal_texts(0) == ["macao"]
    said = at(
        "russian-104", ["8C", "6C 6H"], "9D", window={"seat": 0, "said": True}, to_move=1, stock="KC KD QD QC"
    )
    assert play(said, "1: draw").report()["hand_sizes"] == [1, 3]


def test_a_position_with_an_emptied_hand_that_may_still_be_caught():
    state = at(
        "romanian", ["", "6C 6H", "8C 8D"], "7S 7H", window={"seat": 0}, to_move=1, stock="KC KD QD QC 5S"
    )
    assert play(state, "1: catch 0").report()["hand_sizes"] == [5, 2, 2]


def test_a_position_in_the_round_of_fours_takes_passes_as_a_number_or_as_seats():
    for passed in (1, [2]):
        four = {"last": 0, "fours": 1, "lap": 2, "passed": passed}
        state = at(
            "plawno", ["8C 9C", "6C 6H", "8D 9D"], "4S", four_round=four, to_move=1, direction=-1, stock="KC"
        )
        play(state, "1: pass")
        assert (state.to_move, state.solo) == (0, 1)


def test_a_position_on_a_penalty_that_was_passed_on():
    state = at("romanian-numbers", ["2S 3C KC", "6C 6H"], "2D 5D", penalty=2, stock="KD")
    assert may(state, 0) == {"play 2S", "play 3C", "accept"}
    assert state.to_json()["attack"] == "2D"


def test_a_demand_left_binds_so_many_turns():
    state = at(
        "hungarian",
        ["8C 5S", "8D 5C", "8H 5H"],
        "JS",
        demand={"rank": "9"},
        demand_left=2,
        direction=1,
        stock="2C 2D 2H",
    )
    play(state, "0: draw", "1: draw")
    assert state.report()["demand"] is None


def test_a_finished_deal_is_over_and_a_last_attack_is_not():
    over = at("russian-104", ["", "6C 6H"], "7S", finished=[0], to_move=1)
    assert over.result().scores == (0, 10)
    final = at("russian-104", ["", "2C 6H", "6C 6D"], "2S", finished=[0], to_move=1, penalty=2)
    assert may(final, 1) == {"play 2C", "accept"}
    assert play(final, "1: play 2C").result().scores == (0, 5, 10)


def test_a_deal_that_is_over_round_trips_with_its_result():
    state = at("russian-104", ["7S", "6C 6H"], "7D")
    play(state, "0: play 7S")
    again = state.game.from_json(json.loads(json.dumps(state.to_json())))
    assert again.result() == state.result()
    assert again.actors() == ()


def test_totals_are_kept():
    assert at("russian-104", ["7S", "6C 6H"], "7D", totals=[10, 20]).view(0)["totals"] == [10, 20]
