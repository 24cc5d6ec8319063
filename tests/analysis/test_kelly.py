"""Kelly fractions and growth against published figures and closed forms."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from published_games import coin, jacks_or_better

from analysis.kelly import certainty_equivalent, growth, kelly, spread
from analysis.outcomes import BankrollError, Outcomes


def test_the_coin_of_thorp():
    """E. O. Thorp, The Kelly Criterion in Blackjack, Sports Betting and the Stock Market, section 2: p = 0.53 gives
    f* = 0.06 and growth 0.001801; f* = p - q, g = p·log 2p + q·log 2q for any coin. Zero growth by hand: the
    root of p·log(1 + f) + q·log(1 - f)."""
    found = kelly(coin("0.53"))
    assert found.full.fraction == pytest.approx(0.06, abs=1e-14)
    assert found.full.growth == pytest.approx(0.53 * math.log(1.06) + 0.47 * math.log(0.94), abs=1e-16)
    assert round(found.full.growth, 8) == 0.00180108
    assert round(found.zero_growth, 8) == 0.11971214
    f = found.zero_growth
    assert 0.53 * math.log(1 + f) + 0.47 * math.log(1 - f) == pytest.approx(0, abs=1e-16)


def test_three_outcomes_give_the_root_of_the_quadratic():
    """E. Noma and Y. Bai, «The Kelly criterion for three-outcome gambles» (2013): 12·f² + 5·f - 1 = 0 here."""
    found = kelly(Outcomes.parse("3:1/8,1:3/8,-1:1/2"))
    f = (math.sqrt(73) - 5) / 24
    assert found.full.fraction == pytest.approx(f, abs=1e-15)
    assert round(found.full.fraction, 7) == 0.1476668
    assert round(found.full.growth, 7) == 0.0176008
    assert found.edge_over_variance == pytest.approx(0.25 / 1.9375)


def test_jelly_beans():
    """«Kelly Criterion with More than Two Outcomes» (Mathematics Stack Exchange): about 0.248."""
    assert round(kelly(Outcomes.parse("30:0.1,10:0.2,-1:0.7")).full.fraction, 3) == 0.248


@pytest.mark.parametrize(
    "game", ["1:0.53,-1:0.47", "3:1/8,1:3/8,-1:1/2", "3:0.1,1:0.5,0:0.1,-1:0.25,-3:0.05"]
)
def test_the_fraction_is_the_maximum(game):
    outcomes = Outcomes.parse(game)
    found = kelly(outcomes)
    f, best = found.full.fraction, found.full.growth
    for other in (0, f / 2, f * 0.99, f * 1.01, found.zero_growth):
        assert growth(outcomes, other).growth < best
    assert growth(outcomes, found.zero_growth).growth == pytest.approx(0, abs=1e-12)
    assert growth(outcomes, found.zero_growth * 1.01).growth < 0
    assert found.half == growth(outcomes, f / 2)
    # About three quarters of the growth for half the swings (Thorp, section 7.3: exact for small edges).
    assert 0.7 < found.half.growth / best < 0.8
    assert 0.45 < found.half.deviation / found.full.deviation < 0.55
    assert found.full.doubling == pytest.approx(math.log(2) / best)


def test_at_kellys_fraction_the_chance_of_falling_to_a_share_is_that_share():
    """E[(1 + f·X)^-1] = 1 holds exactly where the slope E[X / (1 + f·X)] is 0."""
    for game in ("1:0.53,-1:0.47", "3:1/8,1:3/8,-1:1/2"):
        found = kelly(Outcomes.parse(game))
        assert found.full.fall == pytest.approx(1, abs=1e-9)
        assert found.half.fall == pytest.approx(3, abs=0.1)  # 2 / (1/2) - 1 for small edges


def test_nothing_is_staked_without_an_edge():
    for game in (coin("1/2"), coin("0.45"), jacks_or_better()):
        found = kelly(game)
        assert (found.full.fraction, found.full.growth, found.zero_growth) == (0, 0, 0)


def test_a_small_worst_loss_may_let_everything_be_staked():
    found = kelly(Outcomes.parse("1:0.9,-1/2:0.1"))
    assert found.full.fraction == found.zero_growth == 1
    assert kelly(Outcomes.parse("1:0.99,-1:0.01")).full.fraction == pytest.approx(0.98)


def test_jacks_or_better_with_cashback():
    game = jacks_or_better(Fraction(1, 100))
    # Variance 19.51 (R. A. Epstein's and Wizard of Odds' figure for 9/6), return 0.995439 and 0.01 back.
    assert round(float(game.variance), 2) == 19.51
    assert round(float(game.mean), 6) == 0.005439
    found = kelly(game)
    nets, chances = game.floats
    slope = sum(p * x / (1 + found.full.fraction * x) for x, p in zip(nets, chances, strict=True))
    assert slope == pytest.approx(0, abs=1e-12)
    # The royal flush is so rare and so large that the approximation is off by more than a tenth.
    assert found.full.fraction > 1.1 * found.edge_over_variance


def test_spread_by_hand():
    """Mean 1/4, E[X²] = 9/8 + 3/8 + 1/2 = 2, variance 31/16, N0 = (31/16) / (1/16) = 31."""
    found = spread(Outcomes.parse("3:1/8,1:3/8,-1:1/2"))
    assert (found.mean, found.mean_100, found.n0) == (Fraction(1, 4), 25, 31)
    assert found.deviation == pytest.approx(math.sqrt(31) / 4)
    assert found.deviation_100 == pytest.approx(math.sqrt(31) / 4 * 10)
    assert spread(coin("1/2")).n0 == math.inf


def test_certainty_equivalent_of_logarithmic_utility():
    """exp(E log w) - w of a coin at 10: sqrt(11 · 9) - 10 where p = 1/2."""
    assert certainty_equivalent(coin("1/2"), 10) == pytest.approx(math.sqrt(99) - 10, abs=1e-14)
    # Half Kelly: utility -1/w; w = 1 / E[1/w] = 2 / (1/11 + 1/9).
    assert certainty_equivalent(coin("1/2"), 10, "1/2") == pytest.approx(2 / (1 / 11 + 1 / 9) - 10, abs=1e-13)
    # At the bankroll 1 / f* the certainty equivalent of Kelly's stake is about half the mean (second order).
    assert certainty_equivalent(coin("0.51"), 50) == pytest.approx(0.01, rel=1e-3)


@pytest.mark.parametrize("parts", [20, 100, 1000])
def test_certainty_equivalent_of_the_very_cautious(parts):
    """By decimals of 60 digits: B · (E[(1 + X / B)^g]^(1/g) - 1) with g = 1 - parts, far beyond what floats hold."""
    with localcontext() as context:
        context.prec, g = 60, 1 - parts
        mean = Decimal("0.53") * Decimal("1.5") ** g + Decimal("0.47") * Decimal("0.5") ** g
        worth = 2 * (mean ** (Decimal(1) / g) - 1)
    found = certainty_equivalent(coin("0.53"), 2, Fraction(1, parts))
    assert found == pytest.approx(float(worth), rel=1e-12)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: kelly(Outcomes.parse("1:1/2,0:1/2")), "nothing can be lost"),
        (lambda: growth(coin("0.6"), "1.5"), "0 to 1"),
        (lambda: growth(Outcomes.parse("1:0.9,-3:0.1"), "0.5"), "0 to 0.333"),
        (lambda: growth(coin("0.6"), "nan"), "finite number"),
        (lambda: certainty_equivalent(coin("0.6"), 1), "above the worst loss"),
        (lambda: certainty_equivalent(coin("0.6"), 5, 2), "at most 1"),
    ],
)
def test_bad_questions_are_refused(call, words):
    with pytest.raises(BankrollError, match=words):
        call()


def test_staking_everything_on_what_may_be_lost_ends_in_nothing():
    assert growth(coin("0.6"), 1).growth == -math.inf


def test_where_growth_ends_a_fall_is_certain():
    """At the fraction of no growth the exponent of a fall is 0, however rounding leaves the growth."""
    for game in (coin("0.53"), Outcomes.parse("3:1/8,1:3/8,-1:1/2")):
        end = kelly(game).zero_growth
        for fraction in (end, end * (1 - 1e-13), end * (1 + 1e-13)):
            assert growth(game, fraction).fall == pytest.approx(0, abs=1e-9)
