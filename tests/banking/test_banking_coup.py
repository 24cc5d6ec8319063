"""One deal of cards: each rule of `rules/banking.md` by a position whose outcome was worked out by hand.

Unless said, seat 0 is the punter and the last seat the banker. Nets are in stakes.
"""

import pytest
from tables import act, net, position

TABLEAU = [
    "DDDDDDDDDDD",
    "DDDDDDDDDDD",
    "DDDDDDDDDDD",
    "DDDDDDDDDSD",
    "DSSDDDDDDSS",
    "DSSSSDDDDSS",
    "SSSSSSSDDSS",
    "SSSSSSSSSSS",
    "SSSSSSSSSSS",
    "SSSSSSSSSSS",
]


# Settlement (step 6)


@pytest.mark.parametrize(
    ("game", "punter", "banker", "won"),
    [
        # telling 1: once, whatever it is; equal points push
        ("russian-even", "9", "8", 1),
        ("russian-even", "4 5", "8", 1),
        ("russian-even", "5 K", "4", 1),
        ("russian-even", "5 6", "2", -1),
        ("russian-even", "A", "K", 1),
        ("russian-even", "T", "A", -1),
        ("russian-even", "3 7", "J", 0),
        ("russian-even", "9", "9", 0),
        # tellings 2-3: natural 9 threefold, 8 twofold, 7 once; nine by drawing once; equal points to the banker
        ("russian-multiple", "9", "8", 3),
        ("russian-multiple", "8", "7", 2),
        ("russian-multiple", "7", "6", 1),
        ("russian-multiple", "4 5", "8", 1),
        ("russian-multiple", "9", "9", -3),
        ("russian-multiple", "4 5", "9", -3),
        ("russian-multiple", "8", "8", -2),
        ("russian-multiple", "7", "7", -1),
        ("russian-multiple", "K", "Q", -1),
        ("russian-multiple", "8", "9", -1),
        # a card in place of a thrown zero is no natural
        ("russian-multiple", "(K) 9", "6", 1),
        ("russian-multiple", "(J) (T) 8", "7", 1),
        # against a drawn nine of the banker either nine pays once
        ("russian-multiple-active", "9", "4 5", -1),
        ("russian-multiple-active", "4 5", "2 7", -1),
        ("house", "9", "4 5", -3),
        # naturals of either side are paid
        ("continental", "9", "7", 3),
        ("continental", "6", "9", -3),
        ("continental", "6", "8", -2),
        ("continental", "9", "9", 0),
        ("continental", "4", "2 5", -1),
        # two cards each
        ("punto-banco", "4 5", "3 5", 1),
        ("punto-banco", "3 4", "9 9", -1),
        ("punto-banco", "K Q 7", "J T 7", 0),
    ],
)
def test_settlement(game, punter, banker, won):
    state = position(game, [punter, banker], done=[True, True])
    assert state.phase == "over"
    assert net(state) == [won, -won]
    assert state.result().scores == (won, -won)
    assert state.result().unit == "stakes"


def test_every_punter_is_settled_separately_by_his_own_stake():
    state = position("house", ["9", "4", "", "5 K", "5"], banker=4, stakes=[5, 10, 0, 15, 0], done=[True] * 5)
    assert net(state) == [3, -1, 0, -1, -1]
    assert state.last["chips"] == [15, -10, 0, -15, 10]


def test_a_natural_after_a_discard_counts_only_where_the_rules_say_so():
    options = {"natural_after_discard": True}
    assert net(position("russian-multiple", ["(K) 9", "6"], options=options, done=[True, True]))[0] == 3
    assert net(position("russian-multiple", ["(K) 9", "6"], done=[True, True]))[0] == 1
    active = {"natural_takes": {"9": 3}}
    hands = ["3", "(K) 9"]
    assert net(position("russian-multiple-active", hands, options=active, done=[True, True]))[0] == -1
    both = active | options
    assert net(position("russian-multiple-active", hands, options=both, done=[True, True]))[0] == -3


@pytest.mark.parametrize(
    ("on", "hands", "won"),
    [
        ("points", ["4 5", "2 7"], -3),
        ("banker_natural", ["4 5", "2 7"], -1),
        ("banker_natural", ["4 5", "9"], -3),
        ("punter_natural", ["4 5", "9"], -1),
        ("punter_natural", ["9", "2 7"], -3),
    ],
)
def test_when_equal_points_take_a_multiple(on, hands, won):
    options = {"tie_takes_on": on}
    assert net(position("russian-multiple-active", hands, options=options, done=[True, True]))[0] == won


# A punter decides (step 4)


def test_a_punter_stands_or_draws_once():
    assert net(act(position("russian-even", ["5", "4"]), "stand")) == [1, -1]
    state = act(position("russian-even", ["5", "4"], shoe="4"), "draw")
    assert state.last["hands"][0] == "5S 4S"
    assert net(state) == [1, -1]


def test_a_dealt_zero_may_be_thrown_as_often_as_it_is_a_zero_again_and_the_draw_is_left():
    state = position("russian-multiple", ["K", "6"], shoe="QD TH 3C 5S")
    assert state.legal_texts(0) == ["discard", "draw", "stand"]
    act(state, "discard")
    assert state.view(0)["seats"][0]["cards"] == "(KS) QD"
    act(state, "discard", "discard")
    assert state.view(0)["seats"][0]["cards"] == "(KS) (QD) (TH) 3C"
    assert state.legal_texts(0) == ["draw", "stand"], "3 is no zero"
    act(state, "draw")
    assert state.last["points"][0] == 8
    assert net(state) == [1, -1], "8 by drawing: no natural"


def test_a_drawn_zero_may_be_thrown_or_kept():
    state = act(position("russian-multiple", ["3", "7"], shoe="QD 5S"), "draw")
    assert state.legal_texts(0) == ["discard", "stand"]
    kept, thrown = state.copy(), state.copy()
    assert net(act(kept, "stand")) == [-1, 1]
    assert net(act(thrown, "discard")) == [1, -1]
    assert thrown.last["hands"][0] == "3S (QD) 5S"


def test_a_drawn_zero_that_may_not_be_thrown_ends_the_hand():
    state = act(
        position("russian-multiple", ["3", "7"], options={"punter_discards": "dealt"}, shoe="QD"), "draw"
    )
    assert state.phase == "over"
    assert state.last["hands"][0] == "3S QD"


@pytest.mark.parametrize(
    ("discards", "dealt", "drawn"),
    [("none", False, False), ("dealt", True, False), ("drawn", False, True), ("both", True, True)],
)
def test_which_zeros_a_punter_may_throw(discards, dealt, drawn):
    options = {"punter_discards": discards}
    state = position("russian-multiple", ["K", "6"], options=options, shoe="QD 2S")
    assert ("discard" in state.legal_texts(0)) == dealt
    act(state, "draw")
    assert ("discard" in state.legal_texts(0)) == drawn


def test_a_total_of_zero_made_of_two_cards_is_no_card_and_is_not_thrown():
    state = act(position("russian-multiple", ["3", "2"], shoe="7D"), "draw")
    assert state.phase == "over", "3 + 7 makes nothing, and there is nothing to choose"
    assert state.last["points"][0] == 0


def test_who_must_draw_draws_by_himself_and_who_must_stand_stands():
    rule = ["draw"] * 5 + ["free"] + ["stand"] * 4
    for first, shoe, hand in (("4", "3C", "4S 3C"), ("6", "3C", "6S")):
        state = position("russian-even", [first, "2"], options={"punter_draw": rule}, shoe=shoe)
        assert state.phase == "over", "no choice: it is played by itself"
        assert state.last["hands"][0] == hand
    state = position("russian-even", ["5", "2"], options={"punter_draw": rule}, shoe="3C")
    assert state.legal_texts(0) == ["draw", "stand"]


def test_who_must_draw_on_zero_may_still_throw_the_zero_first():
    rule = ["draw"] * 10
    state = position("russian-multiple", ["K", "6"], options={"punter_draw": rule}, shoe="4D 5S")
    assert state.legal_texts(0) == ["discard", "draw"]
    act(state, "discard")
    assert state.phase == "over", "with 4 he must draw: 4 + 5"
    assert state.last["hands"][0] == "(KS) 4D 5S"


def test_who_must_stand_may_still_throw_a_zero():
    rule = ["stand"] * 10
    state = position("russian-multiple", ["K", "6"], options={"punter_draw": rule}, shoe="9D")
    assert state.legal_texts(0) == ["discard", "stand"]
    assert net(act(state, "discard")) == [1, -1]


def test_no_draws_at_all():
    state = position("russian-even", ["3", "2"], options={"max_draws": 0, "banker_draw": "free"})
    assert state.last["hands"] == ["3S", "2S"], "max_draws binds both sides"


def test_punters_decide_one_after_another_from_the_bankers_left():
    state = position("russian-even", ["5", "4", "3", "2"], banker=1, shoe="A A A A")
    order = []
    while state.phase == "play":
        (seat,) = state.actors()
        order.append(seat)
        act(state, "draw")
    assert order == [2, 3, 0]


# The banker decides (step 5)


def test_a_banker_who_never_draws_is_settled_at_once():
    state = act(position("russian-even", ["5", "K"], shoe="4D"), "stand")
    assert state.last["hands"][1] == "KS"


@pytest.mark.parametrize(
    ("first", "shoe", "hand"),
    [
        ("6", "3C", "6S"),
        ("5", "3C", "5S 3C"),
        ("K", "QD 7C", "(KS) (QD) 7C"),
        ("K", "QD 3C 4H", "(KS) (QD) 3C 4H"),
        ("2", "KD TD 4H", "2S (KD) (TD) 4H"),
    ],
)
def test_a_banker_by_rote_throws_every_zero_and_draws_up_to_his_limit(first, shoe, hand):
    state = act(position("house", ["8", first], shoe=shoe), "stand")
    assert state.phase == "over"
    assert state.last["hands"][1] == hand


@pytest.mark.parametrize(
    ("discards", "hand"), [("none", "KS QD"), ("dealt", "(KS) (QD) 2C 3C"), ("drawn", "KS (QD) 2C")]
)
def test_a_banker_by_rote_throws_only_the_zeros_he_may(discards, hand):
    # «dealt»: K goes, then Q that came in its place, then he draws on 2.
    options = {"banker_discards": discards}
    state = act(position("house", ["8", "K"], options=options, shoe="QD 2C 3C"), "stand")
    assert state.last["hands"][1] == hand


def test_a_free_banker_chooses_and_a_zero_is_his_to_keep():
    state = act(position("russian-multiple-active", ["8", "K"], shoe="QD 9C"), "stand")
    assert state.actors() == (1,)
    assert state.legal_texts(1) == ["discard", "draw", "stand"]
    act(state, "draw")
    assert state.legal_texts(1) == ["discard", "stand"]
    assert net(act(state, "discard")) == [-1, 1], "0 + 9 against a natural 8"


def test_a_tableau_goes_by_the_third_card():
    options = {"banker_draw": {"tableau": TABLEAU}}
    # Banker's 3: draws against no third card (he has met a stand) and against all but an 8.
    for shoe, hand in (("8D 5C", "3S"), ("9D 5C", "3S 5C"), ("KD 5C", "3S 5C")):
        state = act(position("russian-even", ["4", "3"], options=options, shoe=shoe), "draw")
        assert state.last["hands"][1] == hand
    state = act(position("russian-even", ["4", "3"], options=options, shoe="5C"), "stand")
    assert state.last["hands"][1] == "3S 5C"
    # Banker's 6: draws against a third card of 6 or 7 only.
    for shoe, hand in (("5D 5C", "6S"), ("6D 5C", "6S 5C"), ("7D 5C", "6S 5C"), ("8D 5C", "6S")):
        state = act(position("russian-even", ["4", "6"], options=options, shoe=shoe), "draw")
        assert state.last["hands"][1] == hand


def test_a_tableau_may_leave_a_choice():
    rows = ["SSSSSSSSSSS"] * 5 + ["SSSSSFSSSSS"] + ["SSSSSSSSSSS"] * 4
    options = {"banker_draw": {"tableau": rows}, "banker_peeks": True}
    state = act(position("russian-even", ["4", "5"], options=options, shoe="4D 2C"), "draw")
    assert state.actors() == (1,), "5 against a third card of 4: free"
    assert net(act(state, "stand")) == [1, -1]
    state = act(position("russian-even", ["4", "5"], options=options, shoe="3D 2C"), "draw")
    assert state.phase == "over", "against a 3 he stands"


def test_the_third_card_is_the_one_kept():
    rows = ["DSSSSSSSSSS"] * 10
    options = {"banker_draw": {"tableau": rows}}
    state = act(position("russian-multiple", ["4", "5"], options=options, shoe="KD 2C 9S"), "draw", "discard")
    assert state.last["hands"] == ["4S (KD) 2C", "5S"]
    # A zero thrown before any draw is no third card: column 0.
    state = act(position("russian-multiple", ["K", "5"], options=options, shoe="2C 4D"), "discard", "stand")
    assert state.last["hands"] == ["(KS) 2C", "5S 4D"]


# Naturals that end a coup


def test_a_bankers_natural_is_shown_at_once_and_nobody_draws():
    state = position("continental", ["5", "4", "8"], done=[False, False, False])
    assert state.phase == "over"
    assert [event.type for event in state.drain()] == ["shown", "settled"]
    assert net(state) == [-2, -2, 4]


def test_only_the_points_named_end_a_coup():
    options = {"banker_natural_ends": [9]}
    assert position("continental", ["5", "8"], options=options).actors() == (0,)
    assert position("continental", ["5", "9"], options=options).phase == "over"


def test_a_punters_natural_meets_the_bankers_first_cards_and_the_others_play_on():
    state = position("continental", ["9", "5", "4"], shoe="5D", stakes=[10, 10, 0])
    assert state.actors() == (1,)
    assert state.view(1)["seats"][0]["hand"] == ["9S"], "it was shown"
    act(state, "stand")
    assert state.actors() == (2,), "the banker meets seat 1"
    act(state, "draw")
    assert state.last["points"][2] == 9
    assert net(state) == [3, -1, -2], "the natural 9 beat the 4 that was dealt, not the 9 drawn"


def test_a_punters_natural_meets_the_zero_that_the_banker_threw_later():
    options = {"banker_discards": "both", "banker_draw": {"upto": 5}}
    state = position("continental", ["9", "5", "K"], options=options, shoe="9D", stakes=[5, 5, 0])
    act(state, "stand")
    assert state.last["hands"][2] == "(KS) 9D"
    assert net(state) == [3, -1, -2], "9 against the 0 dealt; 5 against 9"


def test_where_every_punter_has_shown_a_natural_the_banker_does_not_draw():
    state = position("continental", ["9", "7", "2"], shoe="7D")
    assert state.phase == "over"
    assert state.last["hands"][2] == "2S"
    assert net(state) == [3, 1, -4]


def test_a_natural_in_place_of_a_thrown_zero_ends_only_where_it_counts():
    options = {"punter_discards": "both"}
    state = act(position("continental", ["K", "2"], options=options, shoe="9D 5C"), "discard")
    assert state.legal_texts(0) == ["draw", "stand"]
    options["natural_after_discard"] = True
    state = act(position("continental", ["K", "2"], options=options, shoe="9D 5C"), "discard")
    assert state.phase == "over"
    assert net(state)[0] == 3


# One hand for all punters


def test_a_shared_hand_is_played_by_the_highest_stake_and_settles_all():
    state = position("chemin-de-fer", ["", "2 3", "", "3 4"], stakes=[5, 20, 10, 0], shoe="4D")
    assert state.actors() == (1,)
    act(state, "draw", "stand")
    assert net(state) == [1, 1, 1, -3]
    assert state.last["chips"] == [5, 20, 10, -35]
    assert state.last["hands"][:3] == ["2S 3S 4D"] * 3


def test_of_equal_stakes_the_nearest_to_the_bankers_left_plays():
    state = position("chemin-de-fer", ["", "3 4", "2 3", ""], banker=1, stakes=[10, 0, 10, 10])
    assert state.actors() == (2,), "seat 2 sits to the left of banker 1"


def test_the_usual_tableau_by_rote():
    # Punter 2 + 3 must draw the 6; banker 1 + 4 = 5 draws against a third card of 4 to 7.
    state = position("punto-banco", ["2 3", "A 4"], shoe="6D 2C")
    assert state.last["hands"] == ["2S 3S 6D", "AS 4S 2C"]
    assert net(state) == [-1, 1], "1 against 7"
