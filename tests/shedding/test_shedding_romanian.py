"""The Romanian games (S7, on points S8, with numbers S9), each rule worked by hand."""

import pytest
from layouts import at, hand, may, play, sizes

from casino.catalogue import find
from casino.errors import IllegalAction

GAME, POINTS, NUMBERS = "romanian", "romanian-points", "romanian-numbers"


# S7: attacks


def test_a_red_king_goes_to_the_next_and_a_black_one_to_the_previous():
    for card, target in (("KH", 1), ("KD", 1), ("KS", 3), ("KC", 3)):
        state = at(GAME, [f"{card} 8C TD", "5C 6S", "7C 7D", "JC JH"], f"9{card[1]}", stock="QD")
        play(state, f"0: play {card}")
        assert (state.to_move, state.penalty) == (target, 5)


def test_mixed_kings_add_and_the_last_gives_the_direction():
    state = at(GAME, ["KH KS 8C TD", "5C 6S", "7C 7D", "JC JH"], "9H", stock="QD")
    play(state, "0: play KH; add KS")
    assert (state.to_move, state.penalty) == (3, 10)


def test_a_joker_counts_five_or_ten_and_needs_no_match():
    for card, count in (("BJ", 5), ("RJ", 10)):
        state = at(GAME, [f"{card} 8C TD", "5C 6S"], "9S", stock="QD")
        assert play(state, f"0: play {card}; end").penalty == count


def test_specials_wild_lets_every_special_card_go_on_any():
    hands = ["2H 3D 4C KD 9C", "6C 6H"]
    assert may(at(GAME, hands, "TS", stock="QD"), 0) == {"draw"}
    wild = at(GAME, hands, "TS", stock="QD", options={"specials_wild": True})
    assert may(wild, 0) == {"play 2H", "play 3D", "play 4C", "play KD", "draw"}


# S7: the joker's demand


def test_the_jokers_demand_is_free_and_sleeps_under_the_penalty():
    state = at(GAME, ["BJ 8C TC", "2C 6D", "9C 8D"], "9D", stock="KD JD 3C 3D 4C 4D 5D 5S")
    play(state, "0: play BJ")
    assert "end" in may(state, 0)
    play(state, "0: name 9")
    assert state.report()["demand"] is None
    assert state.to_json()["dormant_demand"] == {"rank": "9"}
    assert may(state, 1) == {"play 2C", "accept"}, "an answer to the penalty, though no 9"
    play(state, "1: play 2C", "2: accept")
    assert (state.to_move, state.report()["demand"]) == (0, None), "back with its caller it is over"


def test_the_demand_wakes_when_the_penalty_is_served():
    state = at(
        GAME, ["BJ 8C TC", "2C 6D", "9C 8D", "7S 7H RJ 9H"], "9D", stock="KD JD 3C 3D 4C 4D 5D 5S QH QS"
    )
    play(state, "0: play BJ; name 9", "1: play 2C", "2: accept")
    assert (state.to_move, state.report()["demand"]) == (3, {"rank": "9"})
    assert may(state, 3) == {"play RJ", "play 9H", "draw"}


def test_a_new_joker_cancels_a_sleeping_demand_even_if_it_names_nothing():
    state = at(GAME, ["BJ 8C TC", "RJ 6D 6H", "9C 8D", "7S 7H"], "9D", stock="KD JD")
    play(state, "0: play BJ; name 9", "1: play RJ; end")
    assert "dormant_demand" not in state.to_json()


def test_a_sleeping_demand_dies_when_an_attack_reaches_its_caller():
    state = at(GAME, ["BJ 8C TC", "KC 6D 6H", "9C 8D", "7S 7H"], "9D", stock="KD JD")
    play(state, "0: play BJ; name 9", "1: play KC")
    assert (state.to_move, state.penalty) == (0, 10)
    assert "dormant_demand" not in state.to_json()


def test_on_a_served_joker_one_matches_what_lay_under_it():
    assert may(at(GAME, ["9C 5S 8D", "6C 6H"], "9D BJ", stock="QD"), 0) == {"play 9C", "play 8D", "draw"}


# S7: packets and the call


def test_in_a_packet_the_first_card_matches_and_the_rest_come_in_any_order():
    state = at(GAME, ["7S 7H 7C TD 8D", "6C 6H"], "9S", stock="QD")
    assert may(state, 0) == {"play 7S", "draw"}
    assert may(play(state, "0: play 7S"), 0) == {"add 7H", "add 7C", "end"}


def test_packet_of_rank_or_suit_takes_plain_cards_of_one_suit_too():
    options = {"packet": "rank_or_suit"}
    state = at(GAME, ["7S 8S 2S 7H TD", "6C 6H"], "9S", stock="QD", options=options)
    play(state, "0: play 7S")
    assert may(state, 0) == {"add 8S", "add 7H", "end"}, "the 2S is no plain card"
    play(state, "0: add 8S")
    assert state.to_move == 1, "7H has neither the rank nor the suit of both"


def test_an_emptied_hand_is_out_when_macao_is_said():
    state = at(GAME, ["7S 7H", "5C 6S", "8D 8C"], "9S", stock="JD JH")
    play(state, "0: play 7S; add 7H")
    assert state.report()["finished"] == []
    assert play(state, "0: macao").report()["finished"] == [0]


def test_an_emptied_hand_is_out_when_its_window_closes_uncaught():
    state = at(GAME, ["7S 7H", "5H 6S", "8D 8C"], "9S", stock="JD JH")
    play(state, "0: play 7S; add 7H", "1: play 5H")
    assert (state.report()["finished"], state.report()["top"], state.to_move) == ([0], "5H", 2)


def test_the_closing_action_is_not_carried_out_if_the_deal_is_over():
    state = at(GAME, ["7S 7H", "5H 6S"], "9S", stock="JD JH")
    play(state, "0: play 7S; add 7H", "1: play 5H")
    report = state.report()
    assert (report["over"], report["finished"], report["top"], report["hand_sizes"]) == (
        True,
        [0],
        "7H",
        [0, 2],
    )


def test_the_closing_action_must_be_legal_beforehand():
    state = at(GAME, ["7S 7H", "5C 6S"], "9S", stock="JD JH")
    play(state, "0: play 7S; add 7H")
    with pytest.raises(IllegalAction):
        state.do(1, "play 5C")
    assert state.result() is None


def test_a_single_last_card_needs_no_call():
    state = at(GAME, ["7S", "5C 6S", "8D 8C"], "9S", stock="JD JH")
    assert play(state, "0: play 7S").report()["finished"] == [0]


def test_with_five_or_six_the_third_out_ends_the_deal_with_four_one_left():
    state = at(GAME, ["7S", "5C", "", "", "8D 8C"], "9S", finished=[2, 3], stock="JD JH")
    assert play(state, "0: play 7S").result().winners == (2,)
    state = at(GAME, ["7S", "5C", "", "8D 8C"], "9S", finished=[2], stock="JD JH")
    assert play(state, "0: play 7S").result() is None


def test_if_the_deal_ends_with_an_attack_open_nobody_draws():
    state = at(GAME, ["2S", "5C 6S"], "9S", stock="JD JH QD")
    result = play(state, "0: play 2S").result()
    assert (result.winners, sizes(state)) == ((0,), [0, 2])


def test_the_first_card_is_turned_until_it_has_no_power():
    for number in range(60):
        pile = find(GAME).game().start(bytes([number]) * 32).to_json()["pile"]
        assert pile[-1][0] in "56789TJQ"
        assert all(card[0] in "234KA" or card in ("BJ", "RJ") for card in pile[:-1])


# S8


def test_a_closing_packet_of_sevens_doubles_once_and_with_a_turned_seven_fourfold():
    for first, factor in (("9S", 2), ("7D", 4)):
        state = at(POINTS, ["7S 7H", "TC JS"], "9S", stock="JD JH", first_card=first)
        play(state, "0: play 7S; add 7H", "0: macao")
        assert state.result().scores == (0, 12 * factor)


def test_points_of_what_is_held():
    """2-10 their number, J 2, Q 3, K 4, A 1, 7: 25, joker 50."""
    state = at(POINTS, ["8C", "2D 3D 4D 5D 6D 8D 9D TD", "JD QD KD AD 7D BJ"], "9C", stock="")
    assert play(state, "0: play 8C").result().scores == (
        0,
        2 + 3 + 4 + 5 + 6 + 8 + 9 + 10,
        2 + 3 + 4 + 1 + 25 + 50,
    )


def test_going_out_with_a_two_over_an_open_sum_draws_the_whole_sum():
    state = at(POINTS, ["2S", "TC 5D", "QD 9C"], "8S 3S", penalty=3, stock="6H 4C KD AC AD 2C")
    result = play(state, "0: play 2S").result()
    assert sizes(state) == [0, 7, 2]
    assert result.scores == (0, 15 + 6 + 4 + 4 + 1 + 1, 12)


def test_a_final_king_draws_nothing_even_over_an_open_sum():
    state = at(POINTS, ["KD", "TC 5D", "QD 9C"], "8S 3S", penalty=3, stock="6H 4C 8D AC AD 2C")
    assert play(state, "0: play KD").result().scores == (0, 15, 12)


def test_a_final_joker_draws_and_demands_nothing():
    state = at(POINTS, ["BJ", "TC 5D", "QD 9C"], "8S", stock="6H 4C 8D AC AD 2C")
    assert play(state, "0: play BJ").result().scores == (0, 15 + 6 + 4 + 8 + 1 + 1, 12)


def test_a_turned_seven_doubles_at_a_stalemate_too():
    state = at(POINTS, ["TC", "JD"], "8S", stock="", first_card="7S", passes=[1])
    assert play(state, "0: pass").result().scores == (20, 4)


def test_a_position_without_first_card_doubles_nothing():
    state = at(POINTS, ["9S", "TC JD"], "7S", stock="KD")
    assert play(state, "0: play 9S").result().scores == (0, 12)


def test_a_packet_of_twos_that_is_called_makes_the_next_seat_draw_before_counting():
    state = at(POINTS, ["2S 2H", "TC 5D", "QD 9C"], "8S", stock="6H 4C 8D AC AD 3C")
    play(state, "0: play 2S; add 2H")
    assert (state.to_move, state.penalty) == (1, 4)
    result = play(state, "0: macao").result()
    assert result.scores == (0, 15 + 6 + 4 + 8 + 1, 12)


# S9


def test_a_five_or_seven_must_match_outside_an_attack():
    assert may(at(NUMBERS, ["5C 7C 5S 7S", "6C 6H"], "9S", stock="QD"), 0) == {"play 5S", "play 7S", "draw"}


def test_jokers_kings_and_jacks_demand_nothing_and_a_joker_is_answered_by_all_five():
    state = at(NUMBERS, ["BJ 8C TD", "2C 3C RJ 7C 5C KC 4C AC"], "9S", stock="QD")
    play(state, "0: play BJ")
    assert may(state, 1) == {"play 2C", "play 3C", "play RJ", "play 7C", "play 5C", "accept"}


def test_a_packet_of_sevens_cancels_and_of_twos_adds():
    state = at(NUMBERS, ["7C 7D 8H", "6C 6H"], "9D 3D", penalty=5, stock="QD")
    play(state, "0: play 7C; add 7D")
    assert (state.penalty, state.to_move) == (0, 1)


def test_a_passed_penalty_stands_on_the_attacking_card():
    state = at(NUMBERS, ["5C 8H 9H", "6C 6H QC"], "9D 3D", penalty=3, stock="TS TC TH TD")
    play(state, "0: play 5C")
    assert state.to_json()["attack"] == "3D"
    play(state, "1: accept")
    assert (sizes(state), hand(state, 1)) == ([2, 6], "6C 6H QC TC TH TS")


def test_fives_and_sevens_are_no_first_card():
    for number in range(60):
        pile = find(NUMBERS).game().start(bytes([number]) * 32).to_json()["pile"]
        assert pile[-1][0] in "689TJQK"
