"""The bots of Пекло: legal in every situation, from a view alone, with the judgement that their names promise."""

from random import Random

import pytest

from analysis.arena import duel
from casino.bots.policies import NAMES, make, read
from casino.bots.tricks import SearchBot, SimpleBot
from casino.bots.tricks_policy import choose_card, expected_tricks
from casino.cards import faces, mask, name
from casino.catalogue import find
from casino.errors import RulesError
from casino.match import match_of
from casino.tricks.actions import ALL
from casino.tricks.deal import NO_TRUMP

HEARTS = 1


def bot(policy, game, rng):
    return make(read(policy, "tricks"), game, rng)


def hand(text):
    return mask(faces(text))


@pytest.mark.parametrize("policy", NAMES)
@pytest.mark.parametrize("seats", [2, 4, 10])
def test_bots_play_legally_to_the_end(policy, seats):
    rng = Random(seats)
    for options in ({}, {"hook": True, "max_hand": 3, "first_lead": "highest_bid", "first_bid": "dealer"}):
        game = find("peklo").game({**options, "max_hand": 3}, seats)
        player = SearchBot(game, rng, nodes=60) if policy == "search" else bot(policy, game, rng)
        for _ in range(4):
            state = game.start(rng.randbytes(32))
            while state.actors():
                (seat,) = state.actors()
                view = state.view(seat)
                words = player.choose(view)
                assert words in view["legal"]
                state.do(seat, words)


def test_an_unknown_policy_is_refused():
    with pytest.raises(RulesError, match="random, simple, search"):
        read("textbook", "tricks")


def test_bots_take_the_view_of_a_match_too():
    match = match_of(find("peklo").game({"max_hand": 2}, 3))
    bots = [bot(policy, match.game, Random(1)) for policy in NAMES]
    state = match.start(bytes(32))
    while state.actors():
        (seat,) = state.actors()
        state.do(seat, bots[seat].choose(state.view(seat)))
    assert state.result().reason == "deals"


@pytest.mark.parametrize(
    ("cards", "trump", "tricks"),
    [
        ("AH KH QH", HEARTS, 3),  # the three highest trumps take a trick each
        ("AH AS AD", NO_TRUMP, 3),  # leading, aces without trump do
        ("2S 2D 2C", HEARTS, 0),
    ],
)
def test_sure_and_hopeless_hands_are_bid_so(cards, trump, tricks):
    held = hand(cards)
    assert round(expected_tricks(held, ALL & ~held, trump, 3, leads=True)) == tricks


def test_a_better_hand_is_worth_more():
    worth = [
        expected_tricks(hand(f"{rank}H 5S 6D"), ALL & ~hand(f"{rank}H 5S 6D"), HEARTS, 3, True)
        for rank in "2TQA"
    ]
    assert worth == sorted(worth)
    assert worth[0] < worth[3]


@pytest.mark.parametrize(
    ("legal", "best", "wants", "last", "card"),
    [
        ("3D 9D KD", "8D", True, True, "9D"),  # last and in need: as cheaply as possible
        ("3D 9D KD", "8D", True, False, "KD"),  # others follow: the likeliest to hold
        ("3D 5D", "8D", True, True, "3D"),  # cannot take it: the least useful goes
        ("3D 7D KD", "8D", False, False, "7D"),  # no more wanted: the highest that stays below
        ("9D KD", "8D", False, True, "KD"),  # must take it: rid of the highest
        ("9D KD", "8D", False, False, "9D"),  # perhaps another beats it
        ("2H 5H 3S", "8D", True, True, "2H"),  # void and in need: the lowest trump
        ("2H KS 3S", "8D", False, False, "KS"),  # void and served: a high card goes, no trump
        ("AH 2D", "", True, False, "AH"),
        ("AH 2D", "", False, False, "2D"),
    ],
)
def test_tactics_of_simple(legal, best, wants, last, card):
    """Hearts are trump, all cards but those named are still unseen."""
    best_card = faces(best)[0] if best else -1
    unseen = ALL & ~hand(legal) & ~(hand(best) if best else 0)
    assert name(choose_card(hand(legal), best_card, HEARTS, unseen, wants, last)) == card


def test_search_finds_the_only_bid_that_can_be_met():
    """Ace and king of trumps, leading: both tricks are its own whatever the other holds."""
    game = find("peklo").game({"min_hand": 2}, 2)
    state = game.position({"seats": 2, "hands": [["AH", "KH"], ["2S", "3S"]], "trump": "H", "turned": "2H"})
    assert SearchBot(game, Random(1)).choose(state.view(0)) == "bid 2"


def test_search_takes_the_trick_that_can_still_be_had():
    """One trick wanted of two. KS takes this one for sure; after 2S it would have to take one the other leads."""
    state = find("peklo").position(
        {
            "seats": 2,
            "dealer": 0,
            "hands": [["2S", "KS"], ["4C"]],
            "trump": None,
            "bids": [1, 1],
            "taken": [0, 0],
            "trick": [[1, "5S"]],
            "to_move": 0,
        }
    )
    assert SearchBot(state.game, Random(1)).choose(state.view(0)) == "play KS"


def test_search_is_a_function_of_view_and_generator():
    state = find("peklo").game({}, 4).deal(bytes(32), 6, 0)
    choices = {SearchBot(state.game, Random(5), 300).choose(state.view(1)) for _ in range(3)}
    assert len(choices) == 1


def test_simple_beats_random():
    game = match_of(find("peklo").game({"max_hand": 4}, 3))
    found = duel(game, lambda game, rng: SimpleBot(game), lambda game, rng: bot("random", game, rng), 40)
    assert found.stronger
    assert found.fair == pytest.approx(1 / 3)


@pytest.mark.slow
def test_search_beats_simple():
    game = match_of(find("peklo").game({"max_hand": 5}, 2))
    found = duel(game, lambda game, rng: SearchBot(game, rng, 600), lambda game, rng: SimpleBot(game), 40)
    assert found.stronger
