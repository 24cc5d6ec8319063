"""The game of Pławno (S4), each rule worked by hand. Play goes from 0 to the highest seat: direction -1."""

from layouts import at, hand, may, play, sizes

from casino.catalogue import find

GAME = "plawno"


def table(hands, pile, **fields):
    return at(GAME, hands, pile, **{"direction": -1, "stock": "KD TS JC JD", **fields})


def asked(state, *seats):
    """Each of these seats passes in the round of fours."""
    return play(state, *(f"{seat}: pass" for seat in seats))


# Matching


def test_any_ace_goes_on_any_jack_and_any_jack_on_any_ace():
    assert may(table(["AS JD 9H", "6C 6H"], "TC JC", stock="KD"), 0) == {"play AS", "play JD", "draw"}
    assert may(table(["AS JD 9H", "6C 6H"], "TC AC", stock="KD"), 0) == {"play AS", "play JD", "draw"}


def test_a_jack_or_an_ace_meets_either_kind_of_demand_and_replaces_it():
    state = table(["AC 8C TD", "6D 6S", "JS 9H 2C"], "9C")
    play(state, "0: play AC; name hearts")
    assert may(state, 2) == {"play JS", "play 9H", "draw"}
    play(state, "2: play JS")
    assert may(state, 2) == {f"name {rank}" for rank in "56789T"}
    play(state, "2: name 6")
    assert (state.report()["demand"], may(state, 1)) == ({"rank": "6"}, {"play 6D", "play 6S", "draw"})


def test_a_jack_names_five_to_ten_whether_held_or_not():
    assert may(play(table(["JC 2D 3D", "6D 6S"], "9C", stock="KD"), "0: play JC"), 0) == {
        f"name {rank}" for rank in "56789T"
    }


# War


def test_every_war_card_answers_every_other_without_matching():
    for attack, count in (("2C", 2), ("3C", 3), ("KH", 5), ("KS", 5)):
        state = table(["2D 3D QS 4C AC KD", "6C 6H"], f"9C {attack}", penalty=count, stock="8S")
        assert may(state, 0) == {"play 2D", "play 3D", "play QS", "accept"}


def test_the_queen_of_spades_turns_round_and_sends_the_sum_back():
    state = table(["2C 8C TD", "6D 6C", "5H 9D", "QS JH 7S"], "9C")
    play(state, "0: play 2C", "3: play QS")
    assert (state.to_move, state.direction, state.penalty) == (0, 1, 2)


def test_the_queen_of_clubs_gives_the_sum_to_the_chosen_seat():
    state = table(["2C 8C TD", "6D 6C", "5H 9D", "QC JH 7S"], "9C")
    play(state, "0: play 2C", "3: play QC; choose 1")
    assert (state.to_move, state.penalty, may(state, 1)) == (1, 2, {"accept"})
    assert play(state, "1: accept").to_move == 0, "play goes on from the seat that was chosen"


def test_the_queen_of_diamonds_in_a_war_of_two_leaves_the_sum_with_its_player():
    """«Q♦ skips the next and the following one faces the sum»: with two the following one is he."""
    state = table(["QD 8C TD", "6D 6C"], "9C 2C", penalty=2)
    play(state, "0: play QD")
    assert (state.to_move, state.penalty) == (0, 2)


def test_of_queens_laid_together_only_the_top_one_acts():
    state = table(["QH QD 8C TD", "6D 6C", "5H 9D", "7S 7H"], "9C 2C", penalty=2)
    play(state, "0: play QH; add QD")
    assert (state.penalty, state.to_move) == (2, 2), "Q of diamonds on top: seat 3 is passed over"
    state = table(["QH QD 8C TD", "6D 6C", "5H 9D", "7S 7H"], "9C 2C", penalty=2)
    play(state, "0: play QD; add QH")
    assert (state.penalty, state.to_move) == (0, 3), "Q of hearts on top: the war is over"


def test_queen_packets_each_lets_every_queen_act():
    state = table(["QS QD 8C TD", "6D 6C", "5H 9D", "7S 7H"], "9S", options={"queen_packets": "each"})
    play(state, "0: play QS; add QD")
    assert (state.direction, state.to_move) == (1, 2), "turned round, and seat 1 passed over"


def test_kings_of_one_face_add_and_of_two_faces_the_upper_one_counts():
    hands = ["KS KS 8C TD", *["6D 6C"] * 1, "5H 9D", "7S 7H", "8H 8S", "5S 5C"]
    state = table(hands, "9S")
    play(state, "0: play KS; add KS")
    assert (state.penalty, state.to_move) == (10, 1), "two kings of spades: ten, to the previous"
    state = table(["KH KS 8C TD", "6D 6C", "5H 9D"], "9H")
    play(state, "0: play KH; add KS")
    assert (state.penalty, state.to_move) == (5, 1)
    state = table(["KH KS 8C TD", "6D 6C", "5H 9D"], "9H", options={"mixed_kings": "sum"})
    assert play(state, "0: play KH; add KS").penalty == 10


def test_a_king_of_diamonds_on_top_of_a_war_king_leaves_its_five():
    state = table(["KS KD 8C TD", "6D 6C", "5H 9D"], "9S", stock="TS JC")
    play(state, "0: play KS; add KD")
    assert (state.penalty, state.to_move, state.report()["top"]) == (5, 1, "KD")


def test_queens_go_on_served_war_cards_only():
    assert may(table(["QH QD QS QC 5H", "6C 6H"], "9C KS"), 0) == {
        "play QH",
        "play QD",
        "play QS",
        "play QC",
        "draw",
    }
    assert may(table(["QH QD 5H", "6C 6H"], "9C KC"), 0) == {"draw"}


def test_the_queen_of_hearts_outside_a_war_is_ordinary_and_the_others_act():
    assert play(table(["QH 8C TD", "6D 6C", "5H 9D"], "9H"), "0: play QH").to_move == 2
    assert play(table(["QD 8C TD", "6D 6C", "5H 9S"], "9D"), "0: play QD").to_move == 1
    state = play(table(["QS 8C TD", "6D 6C", "5H 9D"], "9S"), "0: play QS")
    assert (state.to_move, state.direction) == (1, 1)


# Jokers


def test_a_joker_may_be_named_whatever_would_be_legal():
    state = table(["BJ TH", "6D 6C"], "9S")
    named = {text.removeprefix("play BJ as ") for text in may(state, 0) if text.startswith("play BJ as ")}
    assert named == {f"{rank}S" for rank in "23456789TJQKA"} | {"9H", "9D", "9C"}


def test_a_joker_named_as_a_war_card_is_one_served_or_not():
    state = table(["BJ TH 8D", "6D 6C", "QH 5H 9D"], "9S")
    play(state, "0: play BJ as 3S")
    assert (state.penalty, may(state, 2)) == (3, {"play QH", "accept"})
    play(state, "2: accept")
    assert "play QH" not in may(state, 1)
    served = table(["QH 5H", "6D 6C"], "9S BJ", joker_as="3S")
    assert may(served, 0) == {"play QH", "draw"}


def test_a_joker_named_as_a_caller_names_and_as_a_four_opens_the_round():
    state = table(["BJ TH 8D", "6D 6C", "5H 9D"], "9S")
    assert "name hearts" in may(play(state, "0: play BJ as AS"), 0)
    state = table(["BJ TH 8D", "6D 6C", "4H 9D RJ"], "9S")
    play(state, "0: play BJ as 4S")
    assert may(state, 2) == {"play 4H", "pass"} | {f"play RJ as 4{suit}" for suit in "SHDC"}


def test_a_joker_joins_a_packet_by_the_rank_it_is_named():
    state = table(["7S BJ TH 8D", "6D 6C"], "9S")
    play(state, "0: play 7S")
    assert may(state, 0) == {f"add BJ as 7{suit}" for suit in "SHDC"} | {"end"}
    assert play(state, "0: add BJ as 7H").report()["top"] == "BJ"
    assert state.to_json()["joker_as"] == "7H"


def test_a_joker_loses_its_name_when_reshuffled():
    state = table(["5H 5D", "6D 6C"], "BJ 9S", stock="")
    play(state, "0: draw")
    assert "play BJ as 9H" in may(state, 0)


# The round of fours


def test_all_are_asked_twice_and_the_second_time_one_may_still_show_a_four():
    state = table(["4C 8C TD", "6D 6H", "4H 9S 2C"], "9C")
    asked(play(state, "0: play 4C"), 2, 1)
    assert may(state, 2) == {"play 4H", "pass"}
    play(state, "2: play 4H")
    assert state.to_json()["four_round"] == {"last": 2, "fours": 2, "lap": 1, "passed": 0}
    asked(state, 1, 0, 1, 0)
    assert (state.to_move, state.to_json()["solo"]) == (2, 2)


def test_a_packet_of_fours_counts_each():
    state = table(["4C 8C TD", "6D 6H", "4H 4D 9S"], "9C")
    play(state, "0: play 4C", "2: play 4H; add 4D")
    assert state.to_json()["four_round"]["fours"] == 3


def test_out_on_a_four_the_round_is_still_asked_and_then_the_next_seat_moves():
    state = table(["4C", "6D 6H", "5H 9S"], "9C")
    play(state, "0: play 4C")
    assert (state.report()["finished"], state.to_move) == ([0], 2)
    asked(state, 2, 1, 2, 1)
    assert (state.to_move, "draw" in may(state, 2)) == (2, True)


def test_out_on_a_four_another_may_take_the_round_over():
    state = table(["4C", "4D 6H 7H", "5H 9S"], "9C")
    play(state, "0: play 4C", "2: pass", "1: play 4D")
    asked(state, 2, 2)
    assert (state.to_move, state.to_json()["solo"]) == (1, 2)


def test_in_solo_turns_a_further_four_a_stuck_draw_and_an_accept_use_one_each():
    state = table(["4S 9C 2C TH", "6D 6H"], "4D 4C", solo=4, stock="KH KD JD JH")
    play(state, "0: play 4S")
    assert (state.to_move, state.solo) == (0, 3), "no new round"
    play(state, "0: draw")
    assert (state.to_move, state.solo) == (0, 2), "KH does not fit"
    state = table(["2C TH 9D", "6D 6H"], "4D 4C", solo=3, stock="KH KD JD JH")
    play(state, "0: play 2C")
    assert (state.solo, may(state, 0)) == (2, {"accept"})
    assert play(state, "0: accept").solo == 1


def test_in_solo_turns_the_queen_of_clubs_has_no_effect():
    state = table(["QC TH 9D", "6D 6H"], "4D 4C", solo=2)
    play(state, "0: play QC")
    assert (state.to_move, state.solo) == (0, 1)


def test_in_solo_turns_the_queen_of_diamonds_costs_one_more_but_never_the_last():
    for turns, left in ((4, 2), (3, 1), (2, 1)):
        state = table(["QD TH 9C", "6D 6H"], "4C 4D", solo=turns)
        assert play(state, "0: play QD").solo == left
    assert play(table(["QD TH 9C", "6D 6H"], "4C 4D", solo=1), "0: play QD").to_move == 1


def test_in_solo_turns_a_rank_demand_lapses_at_once_and_a_suit_demand_binds_oneself():
    state = table(["JD TH 9C", "6D 6H"], "4C 4D", solo=2, stock="8S")
    play(state, "0: play JD; name 9")
    assert (state.report()["demand"], state.to_move) == (None, 0)
    state = table(["AD TH 9C", "6D 6H"], "4C 4D", solo=2)
    play(state, "0: play AD; name hearts")
    assert (state.to_move, may(state, 0)) == (0, {"play TH", "draw"})


def test_who_goes_out_in_solo_turns_with_an_attack_sends_it_to_the_next():
    state = table(["KS", "6D 6H", "5H 9D"], "4D 4S", solo=2)
    play(state, "0: play KS")
    assert (state.report()["finished"], state.to_move, state.penalty) == ([0], 2, 5)


def test_with_two_players_the_other_is_asked_twice_running():
    state = table(["4C 8C TD", "6D 6H"], "9C")
    asked(play(state, "0: play 4C"), 1, 1)
    assert (state.to_move, state.solo) == (0, 1)


# The end


def test_who_goes_out_with_the_queen_of_clubs_still_chooses():
    state = table(["QC", "6D 6H", "5H 9D"], "9C")
    play(state, "0: play QC")
    assert (state.report()["finished"], state.to_move, may(state, 0)) == ([0], 0, {"choose 1", "choose 2"})
    assert play(state, "0: choose 1").to_move == 1


def test_championship_ends_with_the_first_out_and_gives_him_a_win():
    state = table(["8C", "6D 6H", "5H 9D"], "9C", options={"championship": True})
    assert play(state, "0: play 8C").result().scores == (1, 0, 0)
    game = find(GAME).game({"championship": True})
    assert game.match_defaults == {"count": "wins", "best": "most", "target": 3, "dealer": "winner"}


def test_the_penalty_for_the_call_is_five_and_automatic():
    state = table(["8C 9D", "6C 6H", "5C 9H"], "9C", stock="KD TS JC JD 2D 3D")
    play(state, "0: play 8C", "2: play 5C")
    assert (sizes(state), hand(state, 0)) == ([6, 2, 1], "2D 9D JC JD KD TS")
