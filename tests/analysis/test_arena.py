"""The arena: parts of wins, leads and intervals, against counts made by hand."""

from math import sqrt

import pytest

from analysis.arena import duel, play
from casino.bots import RandomBot
from casino.catalogue import find


class Fixed:
    """Always the first or the last of its legal actions."""

    def __init__(self, place):
        self.place = place

    def choose(self, view):
        return view["legal"][self.place]


def random_bot(game, rng):
    return RandomBot(rng)


def first_action(game, rng):
    return Fixed(0)


def one_card(seats):
    """One card each, no trump: whoever leads takes the trick unless his suit is beaten."""
    return find("peklo").game({"max_hand": 1}, seats)


def test_a_game_is_played_to_its_end():
    state = play(one_card(3), [Fixed(0)] * 3, bytes(32))
    assert state.result() is not None
    assert state.bids == [0, 0, 0]


def test_equals_share_alike():
    """Bots of one kind, each seat with a generator of its own: from whatever seat it is the same game, so over a
    round the shares add up to 1, and there is no spread."""
    found = duel(one_card(4), random_bot, random_bot, 6)
    assert found.wins.mean == pytest.approx(0.25)
    assert found.lead.mean == pytest.approx(0)
    assert not found.stronger


def test_parts_and_leads_against_a_count_by_hand():
    """One trick. All bid 0, so its taker scores 0 and the others 10; a challenger who bids 1 scores 11 if he takes it.

    With three seats: seat by seat the challenger wins alone (11 to 10, 10) where he takes the trick, and loses
    (0, then 0 and 10 or so) where he does not. So he wins once in a round of three: a third, lead as counted below.
    """
    game = one_card(3)
    found = duel(game, lambda game, rng: Fixed(-1), first_action, 5)
    assert found.wins.mean == pytest.approx(1 / 3)
    lead = ((11 - 10) + 2 * (0 - 5)) / 3
    assert found.lead.mean == pytest.approx(lead)
    assert found.wins.high - found.wins.low == pytest.approx(0, abs=1e-9), "no spread between rounds"


def test_the_interval_is_that_of_the_mean_over_rounds():
    game = find("peklo").game({"max_hand": 3}, 2)
    found = duel(game, random_bot, first_action, 30, seed=4)
    assert found.wins.low < found.wins.mean < found.wins.high
    longer = duel(game, random_bot, first_action, 120, seed=4)
    ratio = (found.wins.high - found.wins.low) / (longer.wins.high - longer.wins.low)
    assert ratio == pytest.approx(sqrt(4), rel=0.4), "four times the rounds, half the width"


def test_a_duel_is_a_function_of_its_seed():
    game = find("peklo").game({"max_hand": 2}, 3)
    first, again, other = (duel(game, random_bot, first_action, 4, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first != other
