"""Positions: the form of `rules/banking.md`, its defaults, and everything that cannot be is refused by place."""

import json
from pathlib import Path

import pytest
from tables import act, net, position

from casino.catalogue import find
from casino.errors import CasinoError, NotationError, PositionError, RulesError

CASES = Path(__file__).parents[3] / "shared" / "cases" / "banking.json"
EXAMPLE = {
    "game": "russian-multiple",
    "options": {},
    "seats": 3,
    "banker": 2,
    "to_move": 0,
    "stakes": [10, 10, 0],
    "hands": ["(KD) 9H", "4D", "8S"],
    "done": [False, False, False],
    "shoe": ["5C"],
}


def test_the_example_of_the_rules():
    """9 in place of a zero is worth 9 but no natural; 4 + 5 = 9 pays once; both beat 8."""
    state = find("russian-multiple").position(EXAMPLE)
    assert state.actors() == (0,)
    assert state.legal_texts(0) == ["draw", "stand"]
    state.do(0, "stand")
    state.do(1, "draw")
    assert state.to_json()["over"] is True
    assert state.to_json()["net"] == state.view(None)["net"] == [1, 1, -2]
    assert state.result().scores == (1, 1, -2)
    assert state.last["chips"] == [10, 10, -20]


def test_every_settlement_of_the_shared_cases_through_the_engine():
    if not CASES.exists():
        pytest.skip("the shared cases are not beside this project")
    settlements = json.loads(CASES.read_text())["settlements"]
    assert len(settlements) >= 65
    for case in settlements:
        name, changes = case["rules"]["preset"], case["rules"]["changes"]
        data = {"game": name, "options": changes, "seats": 2, "banker": 1, "done": [True, True]}
        state = find(name).position({**data, "hands": [case["punter"], case["banker"]]})
        assert net(state) == [case["net"], -case["net"]], case["id"]


def test_what_is_absent_has_a_default():
    state = find("house").position({"hands": ["5", "6"]})
    assert (state.game.seats, state.banker, state.awaited()) == (2, 1, (0,))
    assert state.stakes == [5, 0], "the smallest stake"
    assert state.shoe.left == 102, "all other cards"
    again = find("house").position({"hands": ["5", "6"], "seed": 0})
    assert state.to_json() == again.to_json(), "the seed is 0 where none is given"
    other = find("house").position({"hands": ["5", "6"], "seed": 1})
    assert other.shoe.order != state.shoe.order
    assert sorted(other.shoe.order) == sorted(state.shoe.order)
    assert find("house").position({"hands": ["5", "6"], "seed": "01"}).shoe.left == 102


def test_the_number_of_seats_is_that_of_the_hands_or_stated():
    assert position("house", ["5", "", "6"]).game.seats == 3
    state = position("house", ["5", None, "6"])
    assert state.view(None)["seats"][1]["sat"]


def test_suits_may_be_left_out_and_named_cards_come_first():
    state = position("russian-even", ["K", "KS"], options={"decks": 1}, shoe="K K")
    names = [state.view(0)["seats"][0]["cards"], *[str(card) for card in state.coup.hands[1].cards]]
    assert names[0] == "KH", "KS is taken by the banker"
    assert state.shoe.left == 2


def test_forced_and_rote_moves_are_played_at_once():
    state = position("house", ["9", "4"], done=[True, False], shoe="5C")
    assert state.last["hands"] == ["9S", "4S 5C"]
    assert net(state) == [-3, 3]


def test_a_position_is_over_after_its_coup_and_conserves_its_cards():
    state = position("house", ["5", "6"])
    cards = sorted([*state.shoe.order, *state.coup.kept()])
    assert cards == sorted([*range(52)] * 2)
    act(state, "stand")
    assert state.phase == "over"
    assert state.result().reason == "settled"
    assert state.awaited() == ()


def test_cards_not_in_the_given_shoe_lie_aside_and_are_shuffled_in_when_it_is_empty():
    state = position("russian-multiple", ["5", "6"], options={"exhaustion": "reshuffle"}, shoe="", seed=3)
    assert state.legal_texts(0) == ["draw", "stand"]
    act(state, "draw")
    assert state.drain_shuffles() or state.phase == "play"
    state = position("russian-multiple", ["5", "6"], options={"exhaustion": "stand"}, shoe="")
    assert state.phase == "over", "nothing to draw: he stands"


@pytest.mark.parametrize(
    ("change", "error", "pointer"),
    [
        ({"hands": ["9X", "4D", "8S"]}, NotationError, "/hands/0"),
        ({"hands": ["(KD 9H", "4D", "8S"]}, NotationError, "/hands/0"),
        ({"hands": ["() 9H", "4D", "8S"]}, NotationError, "/hands/0"),
        ({"hands": ["BJ", "4D", "8S"]}, PositionError, "/hands/0"),
        ({"hands": ["(5D) 9H", "4D", "8S"]}, PositionError, "/hands/0"),  # no zero
        ({"hands": ["(KD)", "4D", "8S"]}, PositionError, "/hands/0"),  # not replaced
        ({"hands": ["3D (KD)", "4D", "8S"]}, PositionError, "/hands/0"),
        ({"hands": ["2D 3D 4D", "4D", "8S"]}, PositionError, "/hands/0"),  # too long
        ({"hands": ["2D", "4D", "8S 2C"]}, PositionError, "/hands/2"),  # this banker never draws
        ({"hands": ["2D", "4D", "(KD) 8S"]}, PositionError, "/hands/2"),  # nor throws
        ({"hands": ["9H", "9H", "9H"]}, PositionError, "/hands/2"),  # two packs
        ({"hands": ["9H", "9H", "8S"], "shoe": ["9H"]}, PositionError, "/shoe/0"),
        ({"hands": ["9H", "4D"]}, PositionError, "/hands"),
        ({"hands": ["", "", "8S"]}, PositionError, "/hands/0"),
        ({"hands": ["9H", "4D", ""]}, PositionError, "/hands/2"),
        ({"hands": 5}, PositionError, "/hands"),
        ({"hands": [1, 2, 3]}, PositionError, "/hands/0"),
        ({"banker": 3}, PositionError, "/banker"),
        ({"banker": -1}, PositionError, "/banker"),
        ({"to_move": 1}, PositionError, "/to_move"),
        ({"to_move": 12}, PositionError, "/to_move"),
        ({"stakes": [10, -10, 0]}, PositionError, "/stakes/1"),
        ({"stakes": [10, 10]}, PositionError, "/stakes"),
        ({"stakes": [10, 0, 0]}, PositionError, "/hands/1"),  # no stake, no card
        ({"stakes": [10, 10, 10]}, PositionError, "/stakes/2"),  # the banker's
        ({"stakes": [0, 0, 0]}, PositionError, "/stakes"),
        ({"stakes": [10, True, 0]}, PositionError, "/stakes/1"),
        ({"done": [True, False, True]}, PositionError, "/done/2"),  # the banker decides last
        ({"done": [0, 0, 0]}, PositionError, "/done/0"),
        ({"shoe": ["5C", "6Z"]}, NotationError, "/shoe/1"),
        ({"seed": "xyz"}, PositionError, "/seed"),
        ({"seed": -1}, PositionError, "/seed"),
        ({"seats": 4}, PositionError, "/hands"),
        ({"colour": "red"}, PositionError, "/colour"),
        ({"options": {"decks": 0}}, RulesError, "/options/decks"),
        ({"game": "house"}, PositionError, "/game"),
    ],
)
def test_a_position_that_cannot_be_is_refused_by_place(change, error, pointer):
    with pytest.raises(CasinoError) as caught:
        find("russian-multiple").position({**EXAMPLE, **change})
    assert type(caught.value) is error
    assert caught.value.pointer == pointer
    assert len(caught.value.detail) > 10


@pytest.mark.parametrize(
    ("name", "hands", "options"),
    [
        ("punto-banco", ["3 4 2", "2 3"], {}),  # 7 stands
        ("punto-banco", ["2 3 4", "9 9"], {}),  # the banker's natural 8 was shown
        ("punto-banco", ["2 3 8", "A 2 4"], {}),  # 3 stands against an 8
        ("continental", ["9 5", "4"], {}),  # his natural was shown
        ("continental", ["5", "9 3"], {}),
        ("house", ["5", "6 2"], {}),  # the banker draws up to 5
    ],
)
def test_nobody_has_drawn_who_had_to_stand(name, hands, options):
    with pytest.raises(PositionError):
        position(name, hands, options=options, done=[True, True])


@pytest.mark.parametrize("banker", ["(K) 8", "4 K"])
def test_the_banker_has_done_nothing_before_the_punters(banker):
    with pytest.raises(PositionError) as caught:
        position("russian-multiple-active", ["5", banker])
    assert caught.value.pointer == "/hands/1"
    state = position("russian-multiple-active", ["5", banker], done=[True, False])
    assert state.awaited() == (1,), "in the middle of his decision"


def test_one_hand_for_all_stands_at_the_seat_that_plays_it():
    with pytest.raises(PositionError) as caught:
        position("chemin-de-fer", ["2 3", "", "3 4"], stakes=[5, 10, 0])
    assert caught.value.pointer == "/hands/0"
    assert "seat 1" in caught.value.detail


def test_missing_hands_are_named():
    with pytest.raises(PositionError) as caught:
        find("house").position({})
    assert caught.value.pointer == "/hands"


def test_a_built_game_takes_positions_of_its_own_options_only():
    game = find("house").game(None, 2)
    assert game.position({"hands": ["5", "6"], "options": {"decks": 2}})
    with pytest.raises(PositionError) as caught:
        game.position({"hands": ["5", "6"], "options": {"decks": 3}})
    assert caught.value.pointer == "/options"


def test_an_option_of_the_wrong_shape_is_told_all_that_are_right():
    with pytest.raises(RulesError) as caught:
        find("house").game({"banker_draw": "nevr"}, 2)
    assert caught.value.pointer == "/options/banker_draw"
    for right in ('"never"', '"free"', 'object with "upto"', 'object with "tableau"'):
        assert right in caught.value.detail
