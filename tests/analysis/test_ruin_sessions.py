"""The distribution of a session's result against binomials and the enumeration of every sequence."""

import math
from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from published_games import coin

from analysis.outcomes import BankrollError, Outcomes
from analysis.sessions import session

GAMES = ["1:1/3,-1:2/3", "3:1/8,1:3/8,-1:1/4,-2:1/4", "19/20:9/20,0:1/10,-1:9/20", "2:1/2,5:1/2"]


def _enumerated(outcomes, coups, held=None, goal=None):
    """Net -> chance over every sequence of results; with a bankroll, play ends below `need` or at the goal."""
    found = Counter()
    for path in product(list(outcomes), repeat=coups):
        net, chance = Fraction(0), Fraction(1)
        for x, p in path:
            chance *= p
            over = held is not None and (
                held + net < outcomes.need or (goal is not None and held + net >= goal)
            )
            net += 0 if over else x
        found[net] += chance
    return found


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(("held", "goal"), [(None, None), (3, None), (3, 5)])
def test_a_session_is_every_sequence_added_up(game, held, goal):
    outcomes, coups = Outcomes.parse(game), 5
    expected = _enumerated(outcomes, coups, held, goal)
    exact = session(outcomes, coups, bankroll=held, goal=goal, exact=True)
    floats = session(outcomes, coups, bankroll=held, goal=goal)
    assert {
        exact.net(i): exact.chance(exact.net(i)) for i in range(len(exact.masses)) if exact.masses[i]
    } == {net: chance for net, chance in expected.items() if chance}
    for net, chance in expected.items():
        assert floats.chance(net) == pytest.approx(float(chance), abs=1e-15)
        assert exact.at_most(net) == sum(p for x, p in expected.items() if x <= net)
    assert exact.win == sum(p for x, p in expected.items() if x > 0)
    assert exact.loss == sum(p for x, p in expected.items() if x < 0)
    assert exact.mean == sum(p * x for x, p in expected.items())
    assert floats.mean == pytest.approx(float(exact.mean))
    assert floats.deviation == pytest.approx(exact.deviation)


def test_a_hundred_tosses_are_binomial():
    exact = session(coin("9/20"), 100, exact=True)
    p = Fraction(9, 20)
    for wins in (0, 30, 45, 50, 100):
        assert exact.chance(2 * wins - 100) == math.comb(100, wins) * p**wins * (1 - p) ** (100 - wins)
    assert exact.chance(1) == exact.chance(Fraction(1, 2)) == exact.chance(1000) == 0


@pytest.mark.parametrize("exact", [True, False])
def test_quantiles_by_hand(exact):
    """Two fair tosses: -2, 0, 2 with 1/4, 1/2, 1/4."""
    two = session(coin("1/2"), 2, exact=exact)
    shares = (0, 0.25, 0.26, 0.5, 0.75, 0.76, 1)
    assert [two.quantile(share) for share in shares] == [-2, -2, 0, 0, 0, 2, 2]


def test_a_share_that_is_met_exactly_is_met():
    """P(-1) = 5/9, which no float is: 0.5555555555555556 would be above it."""
    assert session(Outcomes.parse("-1:5/9,1:4/9"), 1, exact=True).quantile(Fraction(5, 9)) == -1


@pytest.mark.parametrize("exact", [True, False])
def test_the_worst_result_is_one_that_may_come(exact):
    """From 3 stakes, two must be there: a loss of two leaves 1, ruined; nothing leads to 0 in one coup."""
    found = session(Outcomes.parse("-2:1/2,1:1/2"), 1, bankroll=3, exact=exact)
    assert (found.quantile(0), found.net(0), found.net(len(found.masses) - 1)) == (-2, -2, 1)
    assert (found.loss, found.win) == (0.5, 0.5)


def test_quantiles_of_exact_sessions_of_any_length():
    """2000 fair tosses: the median is 0; masses are integers beyond any float."""
    found = session(coin("1/2"), 2000, exact=True)
    assert found.quantile(0.5) == 0
    assert found.quantile(0.975) == session(coin("1/2"), 2000).quantile(0.975)


def test_ruin_out_of_reach_takes_no_room():
    """A bankroll of 2^62 stakes and ten coups: nothing but the sums of ten coups may come."""
    far, free = session(coin("1/2"), 10, bankroll=2**62), session(coin("1/2"), 10)
    assert len(far.masses) == 21
    assert [far.chance(net) for net in range(-10, 11)] == [free.chance(net) for net in range(-10, 11)]


def test_mean_and_deviation_grow_with_the_coups_and_their_root():
    game = Outcomes.parse("3:0.07,2:0.06,1:0.45,-1:0.32,-2:0.06,-3:0.04")
    for coups in (1, 50, 3000, 40_000):  # the last by Fourier transform
        found = session(game, coups)
        assert found.masses.sum() == pytest.approx(1, abs=1e-12)
        assert found.mean == pytest.approx(coups * float(game.mean), rel=1e-9)
        assert found.deviation == pytest.approx(game.deviation * math.sqrt(coups), rel=1e-6)


def test_a_session_ends_at_the_goal_or_in_ruin():
    """By optional stopping a fair game stays fair: E[result] = 0, whatever the stops."""
    found = session(coin("1/2"), 500, bankroll=10, goal=15)
    assert found.mean == pytest.approx(0, abs=1e-12)
    assert found.net(len(found.masses) - 1) == 5
    assert found.net(0) == -10
    assert np.isclose(found.chance(5), 2 / 3, atol=1e-4)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: session(coin("1/2"), 10**9), "the cap is"),
        (lambda: session(coin("1/2"), 10**5, exact=True), "the cap is"),
        (lambda: session(coin("1/2"), 2.5), "whole number"),
        (lambda: session(coin("1/2"), 5, goal=3), "needs a bankroll"),
        (lambda: session(coin("1/2"), 5).quantile(2), "between 0 and 1"),
        (lambda: session(Outcomes.parse("0:1"), 5), "nothing is ever won"),
    ],
)
def test_bad_questions_are_refused(call, words):
    with pytest.raises(BankrollError, match=words):
        call()
