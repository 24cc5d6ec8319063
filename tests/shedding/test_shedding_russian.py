"""The 104-card game (S10), each rule worked by hand."""

from layouts import at, may, play

GAME = "russian-104"


def test_two_packs_without_jokers_for_two_to_five():
    from casino.catalogue import find  # noqa: PLC0415

    game = find(GAME).game(None, 5)
    assert len(game.pack) == 104
    assert (find(GAME).min_seats, find(GAME).max_seats) == (2, 5)


def test_a_king_of_hearts_is_answered_by_the_other_one():
    state = at(GAME, ["KH 8C 8S", "KH 6C 6D", "5C 5D"], "9H", stock="2C 2D")
    play(state, "0: play KH")
    assert may(state, 1) == {"play KH", "accept"}
    assert play(state, "1: play KH").penalty == 10


def test_penalty_cards_are_laid_by_suit_or_rank_on_a_served_card():
    assert may(at(GAME, ["3H 2D KH 3C", "6C 6D"], "9C 2H", stock="5C"), 0) == {
        "play 3H",
        "play 2D",
        "play KH",
        "draw",
    }


def test_a_draw_and_a_penalty_may_be_taken_though_able_to_play():
    state = at(GAME, ["7D 8C", "2S 6C"], "9D", stock="KD KC 4C 4D")
    play(state, "0: draw; end")
    assert state.to_move == 1
    state = at(GAME, ["2D 8C 7C", "2S 6C"], "9D", stock="KD KC 4C 4D")
    play(state, "0: play 2D", "1: accept")
    assert (state.penalty, state.to_move) == (0, 0)


def test_after_the_draw_any_card_of_the_hand_may_be_played():
    state = at(GAME, ["7D 8C", "2S 6C"], "9D", stock="KC 4C")
    assert may(play(state, "0: draw"), 0) == {"play 7D", "end"}


def test_the_next_seat_answers_a_last_attack_and_with_that_the_deal_ends():
    state = at(GAME, ["2D", "2S 7C", "2C 8C"], "7D", stock="4H KD TC 4S")
    result = play(state, "0: play 2D", "1: play 2S").result()
    assert (result.scores, result.winners) == ((0, 5, 25), (0,)), "nobody draws: seat 1 has answered"


def test_who_answers_a_last_attack_with_his_own_last_card_is_out_too():
    state = at(GAME, ["2D", "2S", "2C 8C"], "7D", stock="4H KD TC 4S")
    result = play(state, "0: play 2D", "1: play 2S").result()
    assert (result.scores, result.winners, state.report()["finished"]) == ((0, 0, 25), (0, 1), [0, 1])


def test_points_of_what_is_held():
    """4-8: 5, ten to king: 10, 2: 20, 3: 30, 9: 40, aces and K of hearts: 50."""
    state = at(GAME, ["8C", "4D 8D TD JD QD KD 2D 3D 9D AD", "KH"], "7C", stock="")
    assert play(state, "0: play 8C").result().scores == (0, 5 + 5 + 40 + 20 + 30 + 40 + 50, 50)


def test_five_threes_make_fifteen():
    stock = "4C 4C 4D 4D 4H 4H 5C 5C 5D 5D 6D 6D 6H 7D 7D 8C 8D"
    options = {"uncalled": "caught"}
    state = at(GAME, ["3D 7C", "6C 6H"], "3S 3H 3C 3S", penalty=12, stock=stock, options=options)
    play(state, "0: play 3D", "1: accept")
    assert state.report()["hand_sizes"] == [1, 17]


def test_the_winner_takes_a_match_of_few_points():
    from casino.catalogue import find  # noqa: PLC0415

    game = find(GAME).game({"target": 200})
    assert game.match_defaults == {"count": "points", "best": "fewest", "target": 200, "dealer": "left"}
