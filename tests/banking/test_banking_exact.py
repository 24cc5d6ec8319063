"""The engine as an enumerator: every order of the cards that a coup can use, played and weighed exactly.

Where no zero is thrown a coup uses three cards (the banker never draws) or four. All of them by points, each played
through a position, weighed with the ways of drawing them from the whole shoe: the expected net is a rational number,
and must be the one published with the shared cases (a01, a03, a08, a09, a11).
"""

from collections import defaultdict
from fractions import Fraction
from itertools import product

from casino.bots.banking import BankingBot
from casino.catalogue import find

RANK_OF = "TA23456789"


def distribution(options, policy, cards):
    """Probability of each net of the punter, by points of the punter's first card, the banker's, and those drawn."""
    game = find("russian-even").game(options, 2)
    bot = BankingBot(game.rules, policy)
    shoe = [16 * game.rules.decks] + [4 * game.rules.decks] * 9
    found = defaultdict(Fraction)
    for points in product(range(10), repeat=cards):
        left, chance, total = shoe[:], Fraction(1), sum(shoe)
        for value in points:
            chance *= Fraction(left[value], total)
            left[value] -= 1
            total -= 1
        if chance:
            punter, banker, *drawn = (RANK_OF[value] for value in points)
            state = game.position({"hands": [punter, banker], "shoe": drawn})
            while state.awaited():
                state.do(0, bot.choose(state.view(0)))
            found[state.net[0]] += chance
    assert sum(found.values()) == 1
    return dict(found)


def expected(distribution):
    return sum(net * chance for net, chance in distribution.items())


def test_telling_1_at_its_best_against_the_banker_who_never_draws():
    found = distribution({}, "threshold:4", 3)
    assert found == {-1: Fraction(7088, 22763), 0: Fraction(2207, 22763), 1: Fraction(1036, 1751)}
    assert expected(found) == Fraction(6380, 22763)


def test_telling_1_by_the_textbook():
    assert expected(distribution({}, "textbook", 3)) == Fraction(5930, 22763)


def test_telling_1_with_one_pack():
    assert expected(distribution({"decks": 1}, "threshold:4", 3)) == Fraction(1548, 5525)


def test_nobody_draws_and_nobody_has_an_edge():
    assert expected(distribution({"max_draws": 0}, "stand", 2)) == 0


def test_a_banker_who_draws_up_to_5_meets_his_like():
    assert expected(distribution({"banker_draw": {"upto": 5}}, "threshold:5", 4)) == 0
