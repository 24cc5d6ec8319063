"""The six modifiers and the options that go with them, each worked by hand; senseless pairs are refused."""

import pytest
from layouts import NAMES, at, hand, may, play

from casino.catalogue import find
from casino.errors import RulesError

RUSSIAN = "russian-104"


def refused(game, **options):
    with pytest.raises(RulesError) as caught:
        find(game).game(options)
    return caught.value.pointer


# cross_draw_stack, draw_cards_match


@pytest.mark.parametrize("game", ["hungarian", "romanian-regional", "tel-aviv", RUSSIAN])
def test_easier_twos_and_threes_answer_each_other_without_matching(game):
    state = at(
        game, ["2H 3D AH", "6C 6H"], "9S 3S", penalty=3, stock="QD", options={"cross_draw_stack": True}
    )
    assert may(state, 0) == {"play 2H", "play 3D", "accept"}


@pytest.mark.parametrize("game", ["plawno", "romanian", "romanian-points", "romanian-numbers"])
def test_easier_is_refused_where_it_is_so_anyway(game):
    assert refused(game, cross_draw_stack=True) == "/options/cross_draw_stack"


@pytest.mark.parametrize("game", ["plawno", "romanian", "romanian-points", "romanian-numbers"])
def test_harder_a_two_matches_a_three_by_suit(game):
    state = at(
        game, ["2S 2H 3D", "6C 6H"], "9S 3S", penalty=3, stock="QD", options={"draw_cards_match": True}
    )
    assert may(state, 0) == {"play 2S", "play 3D", "accept"}


@pytest.mark.parametrize("game", ["hungarian", "romanian-regional", "tel-aviv", RUSSIAN])
def test_harder_is_refused_where_it_would_forbid_nothing(game):
    assert refused(game, draw_cards_match=True) == "/options/draw_cards_match"


@pytest.mark.parametrize("game", NAMES)
def test_both_together_are_refused(game):
    assert refused(game, draw_cards_match=True, cross_draw_stack=True).startswith("/options/")


def test_a_modifier_is_refused_beside_an_explicit_choice_of_the_same():
    assert refused(RUSSIAN, cross_draw_stack=True, draw_answers="match") == "/options/cross_draw_stack"
    assert refused("romanian", draw_cards_match=True, draw_answers="same_rank") == "/options/draw_cards_match"


def test_draw_answers_by_itself():
    state = at(
        "hungarian",
        ["2H 3S 3D", "6C 6H"],
        "9S 3H",
        penalty=3,
        stock="QD",
        options={"draw_answers": "same_rank"},
    )
    assert may(state, 0) == {"play 3S", "play 3D", "accept"}


# rank_packets


def test_any_one_card_of_the_packet_must_match_in_any_order():
    options = {"rank_packets": True}
    state = at(RUSSIAN, ["7S 7D 8C QS", "6C 6H"], "9D", options=options, stock="KD")
    assert may(state, 0) == {"play 7S", "play 7D", "draw"}
    play(state, "0: play 7S")
    assert may(state, 0) == {"add 7D"}, "alone the 7S does not match"
    state = at(RUSSIAN, ["7S 7D 8C QS", "6C 6H"], "9D", options=options, stock="KD")
    play(state, "0: play 7D")
    assert may(state, 0) == {"add 7S", "end"}


def test_a_card_without_a_partner_that_matches_does_not_open_a_packet():
    state = at(RUSSIAN, ["7S 7H 8C QS", "6C 6H"], "9D", options={"rank_packets": True}, stock="KD")
    assert may(state, 0) == {"draw"}


def test_a_run_needs_a_first_card_that_matches_by_itself():
    options = {"rank_packets": True}
    state = at("hungarian", ["7H 7C 6H 8C QS", "6C 6D"], "2C", options=options, stock="KD")
    assert may(play(state, "0: play 7H"), 0) == {"add 7C"}
    assert play(state, "0: add 7C").to_move == 1, "a packet, no run: the 8C does not follow"
    state = at("hungarian", ["7H 7C 6H 8C QS", "6C 6D"], "2C", options=options, stock="KD")
    assert may(play(state, "0: play 7C"), 0) == {"add 7H", "add 8C", "end"}


def test_packets_under_a_penalty_hold_answers_only():
    options = {"rank_packets": True, "draw_answers": "match"}
    state = at(RUSSIAN, ["3S 3H 8C QS", "6C 6H"], "9D 2S", penalty=2, options=options, stock="KD")
    assert may(state, 0) == {"play 3S", "accept"}
    assert play(state, "0: play 3S").penalty == 5


def test_draw_effects_add():
    state = at(RUSSIAN, ["2S 2D 2C QS", "6C 6H"], "9D", options={"rank_packets": True}, stock="KD")
    assert play(state, "0: play 2S; add 2C; add 2D").penalty == 6


@pytest.mark.parametrize("game", ["romanian", "romanian-points", "romanian-numbers"])
def test_a_packet_that_empties_the_hand_needs_no_call(game):
    state = at(game, ["9S 9H", "6C 6H", "8C 8D"], "TS", options={"rank_packets": True}, stock="KD")
    assert play(state, "0: play 9S; add 9H").report()["finished"] == [0]


def test_a_named_joker_may_be_the_card_that_matches():
    options = {"rank_packets": True}
    state = at("plawno", ["7S BJ", "6C 6H"], "9D", options=options, stock="KC")
    assert "play 7S" in may(state, 0)
    play(state, "0: play 7S")
    assert may(state, 0) == {"add BJ as 7D"}, "any other seven would leave the packet without a match"
    state = at("plawno", ["7D BJ", "6C 6H"], "9D", options=options, stock="KC")
    assert "play BJ as 7S" in may(state, 0)
    assert may(play(state, "0: play BJ as 7S"), 0) == {"add 7D"}


def test_in_tel_aviv_a_five_that_matches_may_come_second():
    state = at("tel-aviv", ["5D 5C 8C 9D", "6C 6H"], "9C", options={"rank_packets": True}, stock="KC")
    play(state, "0: play 5D")
    assert may(state, 0) == {"add 5C"}, "nothing follows before the packet matches"
    play(state, "0: add 5C")
    assert may(state, 0) == {"add 8C"}


def test_after_the_draw_the_packet_may_be_laid_where_any_card_may():
    state = at(RUSSIAN, ["7S 8C", "6C 6H"], "9D", options={"rank_packets": True}, stock="7D KC")
    assert may(play(state, "0: draw"), 0) == {"play 7S", "play 7D", "end"}


def test_nothing_of_the_hand_joins_a_drawn_card_where_only_it_may_be_played():
    state = at("romanian", ["7S 8C", "6C 6H"], "9D", options={"rank_packets": True}, stock="7D KC")
    play(state, "0: draw")
    assert may(state, 0) == {"play 7D", "end"}
    assert play(state, "0: play 7D").to_move == 1


# jokers_in_draw_packets


BOTH = {"rank_packets": True, "jokers_in_draw_packets": True}


def test_a_joker_keeps_its_own_value_and_may_come_first():
    state = at("romanian-regional", ["RJ 3S 8C TD", "6C 6H"], "9S", options=BOTH, direction=1, stock="KD")
    play(state, "0: play RJ; add 3S")
    assert (state.penalty, state.to_json()["attack"]) == (13, "3S")


def test_a_joker_without_a_value_takes_the_packets_and_does_not_turn_round():
    for text in ("play 2S; add BJ", "play BJ; add 2S"):
        state = at(
            "hungarian", ["2S BJ 8C TD", "6C 6H", "5C 5D"], "9S", options=BOTH, direction=1, stock="KD"
        )
        play(state, f"0: {text}")
        assert (state.penalty, state.direction, state.to_move) == (4, 1, 1)


def test_a_joker_makes_good_a_two_that_does_not_match():
    state = at("romanian-regional", ["2H BJ 8C TD", "6C 6H"], "9S", options=BOTH, direction=1, stock="KD")
    play(state, "0: play 2H")
    assert may(state, 0) == {"add BJ"}


def test_under_a_penalty_a_joker_joins_only_where_it_is_an_answer():
    state = at(
        "hungarian", ["2H BJ 8C TD", "6C 6H"], "9S 2S", penalty=2, options=BOTH, direction=1, stock="KD"
    )
    play(state, "0: play 2H")
    assert (state.to_move, state.penalty) == (1, 4)


def test_jokers_in_packets_need_packets_and_jokers():
    assert refused("romanian", jokers_in_draw_packets=True) == "/options/jokers_in_draw_packets"
    for game in ("tel-aviv", RUSSIAN):
        assert refused(game, **BOTH) == "/options/jokers_in_draw_packets"
    assert refused("plawno", **BOTH) == "/options/jokers_in_draw_packets", "its jokers are any card already"


# sevens_own_suit_wild


@pytest.mark.parametrize("game", [name for name in NAMES if name != "romanian-numbers"])
def test_a_seven_goes_on_any_card_but_answers_no_penalty(game):
    options = {"sevens_own_suit_wild": True}
    assert "play 7S" in may(at(game, ["7S 8C", "6C 6H"], "9D", options=options, stock="KD"), 0)
    attacked = at(game, ["7S 8C", "6C 6H"], "9D 2D", penalty=2, options=options, stock="KD")
    assert may(attacked, 0) == {"accept"}


def test_a_wild_seven_meets_a_demanded_suit_and_leaves_only_its_own():
    options = {"sevens_own_suit_wild": True}
    state = at("romanian", ["AS TD 9D", "7C 7D 8H 8S"], "9S", options=options, stock="KD")
    play(state, "0: play AS; name hearts")
    assert may(state, 1) == {"play 7C", "play 7D", "play 8H", "draw"}
    play(state, "1: play 7C; end")
    assert may(state, 0) == {"draw"}


def test_a_wild_seven_does_not_meet_a_demanded_rank():
    options = {"sevens_own_suit_wild": True}
    state = at("hungarian", ["JS 9D 8D", "7C 9H"], "TS", options=options, direction=1, stock="KD")
    assert may(play(state, "0: play JS; name 9"), 1) == {"play 9H", "draw"}


def test_sevens_with_a_power_of_their_own_are_not_wild_too():
    assert refused("romanian-numbers", sevens_own_suit_wild=True) == "/options/sevens_own_suit_wild"


# open_cards


@pytest.mark.parametrize("game", NAMES)
def test_open_cards_shows_all_hands_and_the_stock_and_nothing_else_does(game):
    for shown in (False, True):
        state = find(game).game({"open_cards": shown}, 3).start(bytes(32))
        view = state.view(1)
        assert (view["stock"] is not None) == shown
        assert [held is not None for held in view["hands"]] == [shown, True, shown]
        dealt = state.drain()[0]
        assert ("hands" in dealt.data) == shown
        if shown:
            assert view["hands"] == state.report()["hands"]
            assert view["stock"] == state.to_json()["stock"]


def test_open_cards_tells_everyone_what_is_drawn():
    state = at(RUSSIAN, ["7S 4D KC", "5C 5S"], "7D", options={"open_cards": True}, stock="3C 8H")
    play(state, "0: draw")
    assert state.view(1)["drawn"] == "3C"
    assert [event.data.get("cards") for event in state.drain()] == [["3C"]]


# The rest of the options


def test_voluntary_draw_may_be_switched_on_and_off():
    assert may(at("tel-aviv", ["9C", "6C 6H"], "8C", stock="KD", options={"voluntary_draw": True}), 0) == {
        "play 9C",
        "draw",
    }


def test_play_after_draw_any():
    state = at("romanian", ["5D 8C", "6C 6H"], "9D", stock="KC", options={"play_after_draw": "any"})
    assert may(play(state, "0: draw"), 0) == {"play 5D", "end"}


def test_uncalled_may_be_switched():
    state = at(RUSSIAN, ["7S 8C", "5C 5S"], "7D", stock="JD QC TC", options={"uncalled": "caught"})
    play(state, "0: play 7S", "1: draw")
    assert hand(state, 0) == "8C"


def test_packs_and_jokers_may_be_changed():
    assert len(find("romanian").game({"packs": 2, "jokers": 1}).pack) == 106
    assert len(find("hungarian").game(None, 10).pack) == 162
    assert len(find("plawno").game(None, 9).pack) == 108
    assert refused("tel-aviv", jokers=2) == "/options/jokers", "nothing there lets a joker be laid"


def test_a_deal_that_leaves_nothing_to_turn_and_draw_is_refused():
    with pytest.raises(RulesError) as caught:
        find("romanian").game({"cards_dealt": 9}, 6)
    assert caught.value.pointer == "/options/packs"
    assert find("romanian").game({"cards_dealt": 8}, 6).start(bytes(32)).awaited()
