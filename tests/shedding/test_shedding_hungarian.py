"""The Hungarian game and its Romanian variation (S1, S2), each rule worked by hand."""

import pytest
from layouts import at, hand, may, play, sizes

from casino.errors import IllegalAction, RulesError

GAME = "hungarian"
REGIONAL = "romanian-regional"


# Attacks


def test_a_three_answers_a_two_of_its_suit_and_the_sums_add():
    state = at(GAME, ["2S 8C TD", "6C 6H", "3S 7C 7D"], "9S", direction=-1, stock="KD")
    play(state, "0: play 2S", "2: play 3S")
    assert (state.to_move, state.penalty) == (1, 5)
    assert may(state, 1) == {"accept"}


def test_a_king_added_to_an_attack_sends_the_sum_to_the_next_even_the_king_of_spades():
    state = at(GAME, ["KH 8C TD", "6C 6H", "5C 5D", "KS 7C 7D"], "9H", direction=-1, stock="QD")
    play(state, "0: play KH", "3: play KS")
    assert (state.to_move, state.penalty) == (2, 10)


def test_added_king_own_sends_the_king_of_spades_back():
    state = at(GAME, ["KH 8C TD", "6C 6H", "5C 5D", "KS 7C 7D"], "9H", direction=-1, stock="QD",
               options={"added_king": "own"})  # fmt: skip
    play(state, "0: play KH", "3: play KS")
    assert (state.to_move, state.penalty, may(state, 0)) == (0, 10, {"accept"})


def test_kings_and_small_penalty_cards_do_not_mix():
    assert may(at(GAME, ["KS KH QH 3D", "6C 6H"], "9S 2S", penalty=2, stock="QD"), 0) == {"accept"}
    assert may(at(GAME, ["2H 3H QH", "6C 6D"], "9S KH", penalty=5, stock="QD"), 0) == {"play QH", "accept"}


def test_the_queen_of_hearts_is_ordinary_outside_an_attack():
    state = at(GAME, ["QH 8C TD", "6C 6H", "5C 5D"], "9H", direction=-1, stock="QD")
    play(state, "0: play QH")
    assert (state.penalty, state.to_move) == (0, 2)


def test_kings_of_diamonds_and_clubs_are_ordinary():
    state = at(GAME, ["KD 8C TD", "6C 6H", "5C 5D"], "9D", direction=-1, stock="QD")
    assert play(state, "0: play KD").penalty == 0


def test_mixed_kings_add_and_the_last_gives_the_direction():
    state = at(GAME, ["KH KS TD 8C", "6C 6H", "5C 5D", "7C 7D"], "9H", direction=-1, stock="QD")
    play(state, "0: play KH; add KS")
    assert (state.penalty, state.to_move) == (10, 1), "back, against the direction"


def test_a_king_without_attack_on_top_leaves_the_attack_under_it():
    state = at(GAME, ["KH KD TD 8C", "6C 6H", "5C KC QH"], "9H", direction=-1, stock="QD")
    play(state, "0: play KH; add KD")
    assert (state.penalty, state.report()["top"], may(state, 2)) == (5, "KD", {"play QH", "accept"})


def test_threes_of_one_packet_add():
    state = at(GAME, ["3H 3S 3D TD 8C", "6C 6H", "5C 5D"], "9H", direction=-1, stock="QD")
    assert play(state, "0: play 3H; add 3D; end").penalty == 6


def test_under_a_penalty_every_card_of_a_packet_must_be_an_answer_itself():
    state = at(GAME, ["3S 3H TD 8C", "6C 6H", "5C 5D"], "9S 2S", penalty=2, direction=-1, stock="QD")
    play(state, "0: play 3S")
    assert (state.to_move, state.penalty) == (2, 5), "3H matches neither suit nor rank of the 2S"


# Fours


def test_a_four_is_answered_by_a_four_only():
    state = at(
        GAME, ["4S 8C TD", "6C 6H", "4D 4H AS BJ 9S"], "9H", demand={"suit": "S"}, direction=-1, stock="QD"
    )
    play(state, "0: play 4S")
    assert may(state, 2) == {"play 4D", "play 4H", "accept"}


def test_two_fours_at_once_answer_and_cost_three_turns():
    state = at(GAME, ["4S 8C TD", "6C 6H", "4D 4H 9D 8D"], "9S", direction=-1, stock="QD")
    play(state, "0: play 4S", "2: play 4D; add 4H")
    assert (state.to_move, state.skip) == (1, 3)
    assert play(state, "1: accept").out_for == [0, 2, 0]


# Jacks and aces


def test_a_jack_is_not_wild():
    assert "play JD" not in may(at(GAME, ["JD 8C", "6C 6H"], "9S", stock="QD"), 0)


def test_a_jack_names_only_what_is_held_of_five_to_ten_and_queen():
    state = at(GAME, ["JS 2C 4C 5D TD QH KD AC BJ", "6C 6H"], "9S", stock="QD")
    play(state, "0: play JS")
    assert may(state, 0) == {"name 5", "name T", "name Q"}


def test_holding_is_checked_after_the_jack_has_left_and_none_held_is_any():
    state = at(GAME, ["JS 2C 4C", "6C 6H"], "9S", stock="QD")
    assert may(play(state, "0: play JS"), 0) == {"name any"}


def test_jack_on_jack_names_another_rank():
    state = at(GAME, ["JS 8D 7D", "JH 8C TC 3D", "6C 6H"], "TS", direction=1, stock="QD")
    play(state, "0: play JS; name 8", "1: play JH")
    assert may(state, 1) == {"name T"}


def test_jack_on_jack_with_nothing_but_the_rank_in_force_is_any():
    state = at(GAME, ["JS 8D 7D", "JH 8C 3D", "6C 6H"], "TS", direction=1, stock="QD")
    assert may(play(state, "0: play JS; name 8", "1: play JH"), 1) == {"name any"}


def test_any_is_met_by_non_action_cards_and_another_jack():
    state = at(
        GAME, ["JS 2C 4H", "5D 9C KD KC QH JD 2D 3D 4D AD KH KS BJ", "6C 6H"], "TS", direction=1, stock="QD"
    )
    play(state, "0: play JS; name any")
    assert may(state, 1) == {f"play {card}" for card in ["5D", "9C", "KD", "KC", "QH", "JD"]} | {"draw"}


def test_any_stands_for_one_lap():
    state = at(GAME, ["JS 2C 4H 5S", "2D 3D", "6C 6H 7H"], "TS", direction=1, stock="3C 3H KS QD")
    play(state, "0: play JS")
    assert may(state, 0) == {"name 5"}
    state = at(GAME, ["JS 2C 4H", "2D 3D", "AC 2H 7H"], "TS", direction=1, stock="3C 3H KS QD")
    play(state, "0: play JS; name any", "1: draw", "2: draw")
    assert (state.to_move, state.report()["demand"]) == (0, None)


def test_an_ace_names_a_held_suit_other_than_the_one_demanded_before_it():
    state = at(GAME, ["AS 9H 8H", "AC 7H 5D 5S", "6C 6H"], "TS", direction=1, stock="QD")
    play(state, "0: play AS; name hearts", "1: play AC")
    assert may(state, 1) == {"name diamonds", "name spades"}, "hearts were in play"


def test_free_suit_is_met_by_other_suits_and_wilds_and_the_rank_does_not_rescue():
    state = at(GAME, ["AS 7S 8S", "9S TD 9C AH BJ", "6C 6H"], "TS", direction=1, stock="QD")
    play(state, "0: play AS; name free")
    assert state.report()["demand"] == {"not": "S"}
    assert may(state, 1) == {"play TD", "play 9C", "play AH", "play BJ", "draw"}


def test_an_ace_on_free_takes_the_excluded_suit_for_the_suit_in_play():
    state = at(GAME, ["AS 7S 8S", "AH 5S 5D", "6C 6H"], "TS", direction=1, stock="QD")
    play(state, "0: play AS; name free", "1: play AH")
    assert may(state, 1) == {"name diamonds"}


def test_an_ace_never_answers_a_penalty():
    assert may(at(GAME, ["AS AH", "6C 6H"], "9S 2S", penalty=2, stock="QD"), 0) == {"accept"}


# Jokers


def test_on_a_joker_one_matches_what_lay_under_it_or_with_any_any_card():
    assert may(at(GAME, ["9D 5S 8D", "6C 6H"], "9S BJ", stock="QD"), 0) == {"play 9D", "play 5S", "draw"}
    free = at(GAME, ["9D 5S 8D", "6C 6H"], "9S BJ", stock="QD", options={"after_joker": "any"})
    assert may(free, 0) == {"play 9D", "play 5S", "play 8D", "draw"}


def test_two_jokers_are_a_packet_and_turn_round_twice():
    state = at(GAME, ["BJ RJ 8C TD", "6C 6H", "5C 5D"], "9S", direction=-1, stock="QD")
    play(state, "0: play BJ; add RJ")
    assert (state.direction, state.to_move) == (-1, 2)


def test_with_two_players_a_reversal_may_be_made_a_skip():
    state = at(
        GAME, ["BJ 8D 9D", "9C TC"], "7D", direction=1, stock="QD", options={"reverse_with_two": "skip"}
    )
    play(state, "0: play BJ")
    assert (state.to_move, state.direction) == (0, -1)


# Runs


def test_a_run_does_not_pass_over_action_cards_or_round_the_ace():
    state = at(GAME, ["TS JS QS KS 5D", "6C 6H"], "9S", stock="QD")
    assert play(state, "0: play TS").to_move == 1, "a jack may not enter the run"


def test_the_queen_of_hearts_and_a_plain_king_may_stand_in_a_run():
    state = at(GAME, ["QH QD KD KC 5D", "6C 6H"], "9H", stock="2D")
    assert play(state, "0: play QH; add QD; add KD; add KC").report()["top"] == "KC"


def test_a_run_goes_down_as_well_and_its_first_card_must_match():
    state = at(GAME, ["8S 7S 6S 9D 5D", "6C 6H"], "9S", stock="2D")
    assert "play 7S" in may(state, 0)
    play(state, "0: play 8S; add 7S; add 6S")
    assert (state.to_move, hand(state, 0)) == (1, "5D 9D")
    assert "play 6D" not in may(at(GAME, ["6D 6S", "6C 6H"], "9S", stock="2D"), 0)


# The end


def test_a_pair_of_twos_or_threes_may_be_the_last_cards_of_two_but_a_lone_one_may_not():
    assert may(at(GAME, ["2S 2H", "6C 6H"], "9S", stock="QD KD"), 0) == {"play 2S", "draw"}
    assert may(at(GAME, ["2S", "6C 6H"], "9S", stock="QD KD"), 0) == {"draw"}
    assert may(at(GAME, ["2S", "6C 6H", "5C 5H"], "9S", stock="QD KD"), 0) == {"play 2S", "draw"}


def test_a_lone_two_does_not_answer_a_penalty_of_two_players():
    assert may(at(GAME, ["2S", "6C 6H"], "9S 2D", penalty=2, stock="QD KD"), 0) == {"accept"}


def test_double_macao_of_twos_answered_costs_six_however_many_answer():
    state = at(GAME, ["2S 2H", "2D 2C 8C"], "9S", direction=1, stock="4C 4D 5C 5D 6C 6D 8H")
    play(state, "0: play 2S; add 2H")
    assert (state.penalty, state.result()) == (4, None)
    play(state, "1: play 2D; add 2C")
    assert (sizes(state), state.penalty, state.to_move) == ([6, 1], 0, 0)
    assert state.legal_texts(1) == ["macao"], "the one card left must be called"


def test_double_macao_may_be_answered_by_a_matching_three():
    state = at(GAME, ["2S 2H", "3H 8C 7C"], "9S", direction=1, stock="4C 4D 5C 5D 6C 6D 8H")
    play(state, "0: play 2S; add 2H", "1: play 3H")
    assert (sizes(state), state.to_move) == ([6, 2], 0)


def test_double_macao_answered_by_a_pair_that_empties_the_hand_ends_the_deal():
    state = at(GAME, ["2S 2H", "2D 2C"], "9S", direction=1, stock="4C 4D 5C 5D 6C 6D 8H")
    play(state, "0: play 2S; add 2H", "1: play 2D; add 2C")
    report = state.report()
    assert (report["over"], report["finished"], report["hand_sizes"]) == (True, [1], [6, 0])


def test_double_macao_unanswered_is_won_after_the_accept():
    state = at(GAME, ["3S 3H", "2D 8C"], "9S", direction=1, stock="4C 4D 5C 5D 6C 6D 8H")
    play(state, "0: play 3S; add 3H", "1: accept")
    report = state.report()
    assert (report["over"], report["finished"], report["hand_sizes"]) == (True, [0], [0, 8])


def test_in_a_group_one_may_end_with_a_three_and_the_attack_stays():
    state = at(GAME, ["3S", "6C 6H", "2S 7C 7D"], "9S", direction=-1, stock="QD KD")
    play(state, "0: play 3S")
    assert (state.report()["finished"], state.to_move, may(state, 2)) == ([0], 2, {"play 2S", "accept"})
    assert play(state, "2: play 2S").penalty == 5, "the text: five cards from the next"


# S2


def test_regional_jacks_kings_and_queens_do_nothing():
    for card in ("JS", "KS", "KH", "QH"):
        state = at(REGIONAL, [f"{card} 8C TD", "6C 6H", "5C 5D"], f"9{card[1]}", direction=-1, stock="QD")
        play(state, f"0: play {card}")
        assert (state.penalty, state.to_move, state.report()["demand"]) == (0, 2, None)


def test_regional_aces_name_any_suit():
    state = at(REGIONAL, ["AS 8C TD", "6C 6H"], "9D", stock="QD")
    assert may(play(state, "0: play AS"), 0) == {"name spades", "name hearts", "name diamonds", "name clubs"}


def test_a_joker_is_answered_only_by_a_joker():
    state = at(REGIONAL, ["BJ 8C TD", "6C 6H", "RJ 2S 3S"], "9S", direction=-1, stock="QD")
    play(state, "0: play BJ")
    assert may(state, 2) == {"play RJ", "accept"}
    assert play(state, "2: play RJ").penalty == 15


def test_inherit_hungarian_keeps_both_lists():
    options = {"inherit_hungarian": True}
    state = at(REGIONAL, ["KS 8C TD", "6C 6H", "5C 5D"], "9S", direction=-1, stock="QD", options=options)
    assert play(state, "0: play KS").penalty == 5
    state = at(REGIONAL, ["BJ 8C TD", "6C 6H", "5C 5D"], "9S", direction=-1, stock="QD", options=options)
    assert (play(state, "0: play BJ").penalty, state.direction) == (5, -1), (
        "its jokers draw, they do not turn round"
    )
    state = at(REGIONAL, ["JS 8C TD", "6C 6H", "5C 5D"], "9S", direction=-1, stock="QD", options=options)
    assert may(play(state, "0: play JS"), 0) == {"name 8", "name T"}
    with pytest.raises(RulesError) as caught:
        at(GAME, ["JS", "6C"], "9S", options=options)
    assert caught.value.pointer == "/options/inherit_hungarian"


def test_a_turn_is_not_left_between_packet_and_naming():
    state = at(GAME, ["JS JH 9D 8D", "6C 6H"], "7S", stock="QD")
    play(state, "0: play JS")
    assert may(state, 0) == {"add JH", "end"}, "naming follows `end`"
    with pytest.raises(IllegalAction):
        state.do(0, "name 9")
    assert may(play(state, "0: end"), 0) == {"name 8", "name 9"}
