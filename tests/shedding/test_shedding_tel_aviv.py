"""The Tel-Aviv game (S3), each rule worked by hand."""

from layouts import at, hand, may, play, sizes

GAME = "tel-aviv"


def test_two_players_are_dealt_seven_and_more_are_dealt_five():
    from casino.catalogue import find  # noqa: PLC0415

    assert sizes(find(GAME).game(None, 2).start(bytes(32))) == [7, 7]
    assert sizes(find(GAME).game(None, 3).start(bytes(32))) == [5, 5, 5]


def test_a_five_begins_a_turn_by_suit_only_even_on_a_five():
    assert may(at(GAME, ["5D 9H", "6C 6H"], "5C", stock="QD"), 0) == {"draw"}
    assert may(at(GAME, ["5C 9H", "6C 6H"], "9C", stock="QD"), 0) == {"play 5C", "play 9H"}


def test_after_a_five_the_follow_up_is_a_duty_if_one_can():
    state = at(GAME, ["5C 9C 8H", "6C 6H"], "8C", stock="QD")
    assert may(play(state, "0: play 5C"), 0) == {"add 9C"}


def test_an_attack_counts_as_follow_up():
    state = at(GAME, ["5H KH 9D 8D", "6C 6H"], "8H", stock="QD")
    play(state, "0: play 5H; add KH")
    assert (state.penalty, state.to_move, may(state, 1)) == (5, 1, {"accept"})


def test_an_ace_after_a_five_names_a_suit():
    state = at(GAME, ["5H AD 9D 8D", "6C 6H"], "8H", stock="QD")
    play(state, "0: play 5H; add AD; name clubs")
    assert may(state, 1) == {"play 6C"}


def test_the_card_drawn_after_a_five_may_be_declined():
    state = at(GAME, ["5C 8H 7D", "6D 6S"], "9C", stock="4C JD")
    play(state, "0: play 5C; draw")
    assert may(state, 0) == {"play 4C", "end"}
    assert play(state, "0: end").to_move == 1
    assert hand(state, 0) == "4C 7D 8H"


def test_what_does_not_fit_after_a_five_ends_the_turn():
    state = at(GAME, ["5C 8H 7D", "6D 6S"], "9C", stock="4D JD")
    play(state, "0: play 5C; draw")
    assert (state.to_move, state.report()["top"]) == (1, "5C")


def test_a_drawn_five_goes_on_with_the_chain_and_cards_of_the_hand_may_follow_it():
    state = at(GAME, ["5C 8H 7D", "6D 6S"], "9C", stock="5D JD")
    play(state, "0: play 5C; draw; play 5D")
    assert may(state, 0) == {"add 7D"}
    assert play(state, "0: add 7D").to_move == 1


def test_an_ordinary_drawn_five_may_be_followed_from_the_hand():
    state = at(GAME, ["8C 7D", "6D 6S"], "9H", stock="5H JD")
    play(state, "0: draw; play 5H")
    assert may(state, 0) == {"draw"}
    state = at(GAME, ["8H 7D", "6D 6S"], "9D 5S", stock="5C", turn={"laid": ["5S"], "needs": "add"})
    assert may(state, 0) == {"draw"}


def test_a_last_five_is_drawn_for_and_an_unplayable_card_must_be_called():
    state = at(GAME, ["5C", "6D 6S"], "9C", stock="JD KD QS 2S")
    play(state, "0: play 5C; draw")
    assert (state.to_move, hand(state, 0)) == (1, "JD")
    assert state.legal_texts(0) == ["macao"], "the window opens with the draw"
    play(state, "1: draw")
    assert hand(state, 0) == "JD KD QS", "unsaid: two cards"


def test_a_last_five_wins_if_nothing_is_left_to_draw():
    state = at(GAME, ["5C", "6D 6S"], "5S", demand={"suit": "C"}, stock="")
    play(state, "0: play 5C")
    assert state.result() is None, "the 5S under it can be drawn"
    assert may(state, 0) == {"draw"}
    assert play(state, "0: draw; play 5S").report()["finished"] == [0], (
        "a drawn 5, and nothing but 5s to draw"
    )


def test_five_and_one_more_as_the_last_two_need_no_call():
    state = at(GAME, ["5C 9C", "6D 6S", "7D 7S"], "8C", stock="JD KD")
    play(state, "0: play 5C")
    assert state.actors() == (0,), "no window: the laying is not complete"


def test_aces_and_queens_do_not_answer_a_penalty_and_a_three_does_not_answer_a_two():
    assert may(at(GAME, ["2D 3C AH QC", "6C 6H"], "9C 2C", penalty=2, stock="QD"), 0) == {"play 2D", "accept"}


def test_points_of_what_is_held():
    """4-9: 5, ten to king: 10, 2: 20, 3: 30, ace: 50, K of hearts: 150."""
    state = at(GAME, ["8C", "4D 9D TD JD QD KD 2D 3D AD", "KH"], "9C", stock="")
    assert play(state, "0: play 8C").result().scores == (0, 5 + 5 + 40 + 20 + 30 + 50, 150)


def test_the_first_out_ends_the_deal_and_its_attack_is_dropped():
    state = at(GAME, ["KH", "4D", "9D"], "9H", stock="TC JC QC KC 2C")
    result = play(state, "0: play KH").result()
    assert (result.scores, result.winners, sizes(state)) == ((0, 5, 5), (0,), [0, 1, 1])


def test_wild_sevens_may_follow_a_five():
    state = at(GAME, ["5C 7D 8H", "6D 6S"], "9C", stock="4C JD", options={"sevens_own_suit_wild": True})
    assert may(play(state, "0: play 5C"), 0) == {"add 7D"}
