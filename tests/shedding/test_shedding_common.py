"""The common rules, each worked by hand on a small situation."""

import pytest
from layouts import at, hand, may, play, sizes

from casino.errors import GameOver, IllegalAction, NotYourTurn

RUSSIAN = "russian-104"


# Turns and direction


def test_next_is_the_next_seat_still_in_in_the_current_direction():
    state = at(RUSSIAN, ["7S 8S 8C", "5C 5S", "", "6C 6H"], "7D", stock="KC KD", finished=[2], direction=-1,
               options={"end": "one_left"})  # fmt: skip
    assert play(state, "0: play 7S").to_move == 3
    assert play(state, "3: draw").to_move == 1, "KC fits nothing, and seat 2 is out"


def test_after_a_backward_attack_is_served_the_attacker_moves_again():
    state = at(
        "plawno", ["KS 8C TD", "6D 6H", "5C 7D", "JD JH"], "9S", stock="2C 2H 2D 3C 3D 3H", direction=-1
    )
    play(state, "0: play KS")
    assert (state.to_move, state.penalty) == (1, 5), "against the direction -1 the seat before 0 is 1"
    assert play(state, "1: accept").to_move == 0


def test_after_backward_continue_goes_on_behind_the_attacker():
    state = at("plawno", ["KS 8C TD", "6D 6H", "5C 7D", "JD JH"], "9S", stock="2C 2H 2D 3C 3D 3H", direction=-1,
               options={"after_backward": "continue"})  # fmt: skip
    assert play(state, "0: play KS", "1: accept").to_move == 3


# Penalties


def test_an_open_penalty_is_answered_or_accepted_and_nothing_else():
    state = at(RUSSIAN, ["2C 9H AH", "5C 5D"], "7H 2H", penalty=2, stock="3C 8H")
    assert may(state, 0) == {"play 2C", "accept"}
    with pytest.raises(IllegalAction) as caught:
        state.do(0, "draw")
    assert caught.value.legal == ["play 2C", "accept"]


def test_a_served_penalty_card_is_an_ordinary_top_card():
    state = at(RUSSIAN, ["2C 9C", "KS 2D 7H QC"], "7H 2H", penalty=2, stock="3C 8H TD TS")
    play(state, "0: accept")
    assert may(state, 1) == {"play 2D", "play 7H", "draw"}


def test_what_there_is_counts_as_the_whole_penalty():
    state = at(RUSSIAN, ["9C 9D", "5S 5D"], "8C 3H", penalty=3, stock="4D")
    play(state, "0: accept")
    assert (state.penalty, sizes(state), state.to_move) == (0, [4, 2], 1), "4D and 8C were all there was"


# Skips


def test_a_seat_that_sits_out_is_passed_over_by_an_attack_and_uses_a_turn_so():
    state = at(
        "romanian", ["2S TD 9D", "5C 6S", "JC JH", "8C 8H"], "9S", out_for=[0, 2, 0, 0], stock="KD QD KC"
    )
    play(state, "0: play 2S")
    assert (state.to_move, state.penalty, state.out_for) == (2, 2, [0, 1, 0, 0])


def test_with_two_players_the_lost_turns_are_used_up_and_the_attack_faced_at_once():
    state = at("romanian", ["2S TD 9D", "5C 6S"], "9S", out_for=[0, 3], stock="KD QD KC")
    play(state, "0: play 2S")
    assert (state.to_move, state.penalty, state.out_for) == (1, 2, [0, 0])


def test_a_backward_attack_passes_over_a_seat_that_sits_out_too():
    state = at("romanian", ["KS TD 9D", "5C 6S", "JC JH", "8C 8H"], "9S", out_for=[0, 0, 0, 1], stock="QD")
    play(state, "0: play KS")
    assert (state.to_move, state.out_for) == (2, [0, 0, 0, 0])


def test_a_skip_passes_over_a_seat_that_sits_out_too():
    state = at("romanian", ["4S TD 9D", "5C 6S", "JC JH"], "9S", out_for=[0, 1, 0], stock="KD")
    play(state, "0: play 4S")
    assert (state.to_move, state.skip, may(state, 2)) == (2, 1, {"accept"})


def test_four_turns_are_lost_one_at_a_time():
    state = at("romanian", ["4S 4H 4D TS 9D 8D 7D", "5C 6S"], "9S", stock="KD QC QD")
    play(state, "0: play 4S; add 4H; add 4D", "1: accept")
    assert (state.to_move, state.out_for) == (0, [0, 2])
    play(state, "0: play 9D")
    assert (state.to_move, state.out_for) == (0, [0, 1])
    play(state, "0: play 8D")
    assert (state.to_move, state.out_for) == (0, [0, 0])
    assert play(state, "0: play 7D").to_move == 1


# Drawing


def test_only_the_drawn_card_may_be_played_and_need_not_be():
    state = at("romanian", ["5D 8C", "6C 6H"], "9D", stock="TD KC")
    play(state, "0: draw")
    assert may(state, 0) == {"play TD", "end"}
    assert play(state, "0: end").to_move == 1
    assert hand(state, 0) == "5D 8C TD"


def test_reshuffling_waits_until_a_card_is_needed_and_leaves_the_top():
    state = at(RUSSIAN, ["9C 4D", "5S 5D"], "6C 5C 8C 3H", stock="")
    assert may(state, 0) == {"play 9C", "draw"}
    play(state, "0: draw")
    report = state.report()
    assert (report["top"], report["stock_size"]) == ("3H", 2)


def test_the_new_stock_is_the_next_shuffle_of_the_deals_seed():
    """Shuffle 1 under the seed 0, by the published stream: recomputed here from its definition."""
    from hashlib import sha256  # noqa: PLC0415
    from hmac import digest  # noqa: PLC0415

    state = at(RUSSIAN, ["TS TH", "5S 5D"], "6C 5C 8C 3D", stock="", shuffle_seed=0)
    play(state, "0: draw")
    block = digest(bytes(32), b"macao shuffle 1\x00" + (1).to_bytes(8, "big") + bytes(8), sha256)
    words = [int.from_bytes(block[at : at + 4], "big") for at in range(0, 8, 4)]
    order = ["6C", "5C", "8C"]
    for place, word in zip((2, 1), words, strict=True):
        other = word % (place + 1)
        order[place], order[other] = order[other], order[place]
    assert order[0] in hand(state, 0).split()
    assert state.to_json()["stock"] == order[1:]


def test_who_can_play_and_has_nothing_to_draw_must_play():
    assert may(at(RUSSIAN, ["7D KC", "8C 6D"], "7S", stock=""), 0) == {"play 7D"}


def test_only_passes_of_every_seat_still_in_make_a_lap():
    state = at("plawno", ["6S 8C", "5S KS"], "7D", stock="", solo=2)
    play(state, "0: pass", "0: pass")
    assert state.result() is None, "one seat alone has passed, twice"
    assert play(state, "1: pass").result().reason == "stalemate"


def test_at_a_stalemate_the_fewest_points_win_and_equals_share():
    state = at(RUSSIAN, ["4C 6S", "5S 8S", "QC"], "7D", stock="", passes=[0, 1], to_move=2)
    play(state, "2: pass")
    result = state.result()
    assert (result.scores, result.winners, result.reason) == ((10, 10, 10), (0, 1, 2), "stalemate")


def test_at_a_stalemate_without_points_the_fewest_cards_win():
    state = at("hungarian", ["4C 6S 8S", "5S 8C", "QC TC"], "7D", stock="", passes=2, to_move=2)
    play(state, "2: pass")
    assert (state.result().scores, state.result().winners) == ((0, 1, 1), (1, 2))


def test_a_deal_ends_as_a_stalemate_at_the_limit_of_turns():
    options = {"turn_limit": 10}
    state = at(RUSSIAN, ["4C 6S", "5S 8S"], "7D", stock="KC 4H KS QC", options=options, turns=19)
    play(state, "0: draw")
    assert state.result() is None, "the twentieth turn of two players is still played"
    play(state, "1: draw")
    result = state.result()
    assert (result.scores, result.winners, result.reason) == ((20, 15), (1,), "turn_limit"), (
        "4C 6S KC and 5S 8S 4H: everyone counts his hand"
    )
    with pytest.raises(GameOver):
        state.do(0, "draw")


# Demands


def test_a_demanded_suit_is_met_by_the_suit_or_a_wild_card_not_by_the_active_rank():
    state = at("romanian", ["AS TD", "AC TH 9C RJ QH"], "9S", demand={"suit": "H"}, to_move=1, stock="KD")
    assert may(state, 1) == {"play AC", "play TH", "play QH", "play RJ", "draw"}


def test_a_demanded_rank_lapses_when_the_turn_is_back_with_its_caller():
    state = at("hungarian", ["JS 9D 8D", "6C 6H", "TC TH"], "7S", stock="2C 3C KD", direction=1)
    play(state, "0: play JS; name 9", "1: draw", "2: draw")
    assert (state.to_move, state.report()["demand"]) == (0, None)
    assert may(state, 0) == {"draw"}, "he matches his own jack: neither 9D nor 8D does"


def test_a_demanded_rank_that_is_met_is_over():
    state = at("hungarian", ["JS 9D 8D", "9C 6H", "TC TH KD"], "7S", stock="2C 3C KS", direction=1)
    play(state, "0: play JS; name 9", "1: play 9C")
    assert (state.report()["demand"], may(state, 2)) == (None, {"play TC", "draw"})


def test_rank_demand_lasts_next_only():
    state = at("hungarian", ["JS 9D 8D", "6C 6H", "TS TH"], "7S", stock="2C 3C KD", direction=1,
               options={"rank_demand_lasts": "next_only"})  # fmt: skip
    play(state, "0: play JS; name 9")
    assert may(state, 1) == {"draw"}
    play(state, "1: draw")
    assert may(state, 2) == {"play TS", "draw"}


def test_rank_demand_lasts_the_whole_lap_though_met():
    state = at("hungarian", ["JS 9D 8D", "9C 6H", "TC 9H"], "7S", stock="2C 3C KS", direction=1,
               options={"rank_demand_lasts": "lap"})  # fmt: skip
    play(state, "0: play JS; name 9", "1: play 9C")
    assert may(state, 2) == {"play 9H", "draw"}
    assert play(state, "2: draw").report()["demand"] is None


def test_suit_demand_lasts_the_whole_lap():
    state = at(RUSSIAN, ["AS 9D 8D", "5H 6C", "5S 4H"], "7S", stock="2C 3C KS",
               options={"suit_demand_lasts": "lap"})  # fmt: skip
    play(state, "0: play AS; name hearts", "1: play 5H")
    assert may(state, 2) == {"play 4H", "draw"}, "5S would match the 5H by rank"


def test_who_empties_his_hand_with_a_caller_makes_no_demand_and_it_is_matched_as_itself():
    state = at("romanian", ["AS", "8S 9D 7H", "5C 5D"], "9H", stock="KD KC")
    play(state, "0: play AS")
    assert (state.to_move, state.report()["demand"], may(state, 1)) == (1, None, {"play 8S", "draw"})


# «Macao»


def test_a_window_opens_with_the_play_and_only_its_owner_may_say_it():
    state = at(RUSSIAN, ["7S 8C", "5C 5S", "6C 6H"], "7D", stock="JD QC TC")
    play(state, "0: play 7S")
    assert state.actors() == (0, 1, 2)
    assert state.awaited() == (1,)
    assert [state.legal_texts(seat)[-1] for seat in (0, 1, 2)] == ["macao", "catch 0", "catch 0"]


def test_who_is_first_counts_once():
    state = at(RUSSIAN, ["7S 8C", "5C 5S", "6C 6H"], "7D", stock="JD QC TC")
    play(state, "0: play 7S", "0: macao")
    for seat, text in ((0, "macao"), (1, "catch 0"), (2, "catch 0")):
        with pytest.raises(IllegalAction):
            state.do(seat, text)
    assert state.actors() == (1,)


def test_the_automatic_penalty_is_drawn_before_the_closing_action():
    state = at(RUSSIAN, ["7S 8C", "5C 5S", "6C 6H"], "7D", stock="JD QC TC KC")
    play(state, "0: play 7S", "1: draw")
    assert hand(state, 0) == "8C JD QC"
    assert hand(state, 1) == "5C 5S TC", "the drawer had the next card of the stock"


def test_where_one_must_be_caught_silence_costs_nothing_by_itself():
    state = at("romanian", ["7S 8C", "5C 5S", "6C 6H"], "7D", stock="JD QC TC KC KD KH")
    play(state, "0: play 7S", "1: play 5S")
    assert sizes(state) == [1, 1, 2]
    assert "catch 0" not in state.legal_texts(2)


def test_the_window_opens_before_naming():
    state = at(RUSSIAN, ["AS 8C", "5C 5S", "6C 6H"], "7D", stock="JD QC TC")
    play(state, "0: play AS")
    assert "macao" in state.legal_texts(0)
    play(state, "2: catch 0")
    assert (sizes(state), state.to_move) == ([3, 2, 2], 0)
    assert play(state, "0: name clubs").to_move == 1


def test_finished_seats_may_not_catch():
    state = at("romanian", ["7S 8C", "5C 5S", "", "6C 6H"], "7D", stock="JD QC TC", finished=[2])
    play(state, "0: play 7S")
    assert state.legal_texts(2) == []
    with pytest.raises(IllegalAction):
        state.do(2, "catch 0")


def test_a_window_stays_open_while_the_same_seat_moves_again():
    state = at("plawno", ["QD 8D", "5C 5S"], "7D", stock="JS QC TC", direction=1)
    play(state, "0: play QD")
    assert state.to_move == 0, "with two players the Q of diamonds passes over the other"
    assert "catch 0" in state.legal_texts(1)
    play(state, "0: play 8D")
    assert state.report()["finished"] == [0], "out while the call is unsaid: unpunished"


def test_an_own_draw_does_not_close_the_window():
    state = at("plawno", ["QD 8C", "5C 5S"], "7D", stock="9D QC TC TH TS 6C 6S", direction=1)
    play(state, "0: play QD; draw")
    assert may(state, 0) == {"play 9D", "end"}
    assert play(state, "1: catch 0").report()["hand_sizes"] == [7, 2]


# Refusals


def test_refusals_by_class_change_nothing():
    state = at(RUSSIAN, ["4D KC", "5D KS"], "7D", stock="8C 8H")
    before = state.to_json()
    for seat, text, error in (
        (1, "play 5D", NotYourTurn),
        (0, "play KC", IllegalAction),
        (0, "end", IllegalAction),
    ):
        with pytest.raises(error):
            state.do(seat, text)
        assert state.to_json() == before


def test_a_text_of_several_steps_is_all_or_nothing():
    state = at("romanian", ["7S 7C TD", "5D KS"], "9S", stock="8C 8H")
    before = state.to_json()
    with pytest.raises(IllegalAction):
        state.do(0, "play 7S; add TD")
    assert state.to_json() == before
    assert play(state, "0: play 7S; add 7C").to_move == 1


def test_a_state_that_refuses_says_what_would_be_right():
    with pytest.raises(IllegalAction) as caught:
        at(RUSSIAN, ["4D KC", "5D KS"], "7D", stock="8C 8H").do(0, "play KC")
    assert caught.value.legal == ["play 4D", "draw"]
    assert "KC may not be laid on 7D" in caught.value.detail
