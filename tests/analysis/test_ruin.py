"""Risk of ruin: published tables, closed forms, and enumeration of every sequence of coups."""

import math
import random
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from published_games import coin, jacks_or_better

from analysis.ladder import adjustment_root, ladder
from analysis.outcomes import BankrollError, Outcomes
from analysis.ruin import bankroll_for, make_walk, risk_of_ruin
from analysis.walk import passage

# W. Feller, An Introduction to Probability Theory and Its Applications, vol. I (3rd ed.), XIV.3, Table 1:
# p, initial capital, goal, ruin, expected duration (as printed).
FELLER = [
    ("0.5", 9, 10, "0.1", "9"),
    ("0.5", 90, 100, "0.1", "900"),
    ("0.5", 900, 1000, "0.1", "90000"),
    ("0.5", 950, 1000, "0.05", "47500"),
    ("0.45", 9, 10, "0.210", "11.0"),
    ("0.45", 90, 100, "0.866", "765.6"),
    ("0.45", 99, 100, "0.182", "171.8"),
    ("0.4", 90, 100, "0.983", "441.3"),
    ("0.4", 99, 100, "0.333", "161.7"),
]


def _rounded(value, printed):
    return round(float(value), len(printed.partition(".")[2])) == float(printed)


@pytest.mark.parametrize(("p", "held", "goal", "ruin", "duration"), FELLER)
def test_gamblers_ruin_gives_fellers_table(p, held, goal, ruin, duration):
    risk = risk_of_ruin(coin(p), held, goal=goal)
    assert _rounded(risk.ruin, ruin)
    assert _rounded(risk.coups, duration)
    assert risk.open == 0
    assert float(risk.ruin) + float(risk.goal) == pytest.approx(1)


@pytest.mark.parametrize(("p", "held", "goal"), [("9/20", 90, 100), ("11/20", 3, 17), ("2/3", 10, 40)])
def test_ruin_or_goal_is_the_closed_form_exactly(p, held, goal):
    """Feller XIV.2 (2.4) and XIV.3 (3.4)."""
    p = Fraction(p)
    q, r = 1 - p, (1 - p) / p
    ruin = (r**goal - r**held) / (r**goal - 1)
    duration = held / (q - p) - goal / (q - p) * (1 - r**held) / (1 - r**goal)
    exact = risk_of_ruin(coin(p), held, goal=goal, exact=True)
    assert (exact.ruin, exact.coups) == (ruin, duration)
    floats = risk_of_ruin(coin(p), held, goal=goal)
    assert floats.ruin == pytest.approx(float(ruin), rel=1e-12)
    assert floats.coups_if_ruined == pytest.approx(float(exact.coups_if_ruined), rel=1e-10)


def test_a_goal_that_is_all_but_out_of_reach_keeps_its_digits():
    """Feller XIV.2: 1 - q_z = (r^10 - 1) / (r^200 - 1) = 2.4e-17, with coups as of the fair fall turned round: on
    the paths that win, p and q change places."""
    r = Fraction(11, 9)
    found, turned = risk_of_ruin(coin("9/20"), 10, goal=200), risk_of_ruin(coin("11/20"), 10, goal=200)
    assert found.goal == pytest.approx(float((r**10 - 1) / (r**200 - 1)), rel=1e-12)
    assert found.coups_if_goal == pytest.approx(turned.coups_if_goal, rel=1e-10)


@pytest.mark.parametrize("digits", [12, 16, 22])
def test_ruin_of_a_game_that_is_fair_but_for_rounding_takes_a_finite_time(digits):
    """Single losses: given ruin the walk is that of the coin turned round, so Wald gives bankroll / edge coups."""
    edge = Fraction(1, 10**digits)
    found = risk_of_ruin(coin((1 + edge) / 2), 21)
    assert found.coups_if_ruined == pytest.approx(21 / float(edge), rel=1e-3)


def test_who_can_only_lose_is_ruined_by_every_formula():
    found = risk_of_ruin(Outcomes.parse("-1:1"), 5)
    assert (found.ruin, found.coups, found.root_formula, found.diffusion_formula) == (1, 5, 1, 1)


def test_long_fair_games_keep_their_digits():
    risk = risk_of_ruin(coin("1/2"), 250_000, goal=1_000_000)
    assert risk.ruin == pytest.approx(0.75, rel=1e-10)
    assert risk.coups == pytest.approx(250_000 * 750_000, rel=1e-10)


def test_jacks_or_better_with_cashback_by_the_root_and_by_the_diffusion_formula():
    """1092 and 7256 units for 50 % and 1 %: «Video Poker: Bankroll Size vs. Risk of Ruin» (frixo.com, 2013), by
    the formula of Sorokin in Dunbar and Math Boy, Blackjack Forum XIX 3 (1999). The diffusion formula's 1243 is
    a seventh too much."""
    game = jacks_or_better(Fraction(1, 100))
    for risk, published, diffusion in (("0.5", 1092, 1243), ("0.01", 7256, 8261)):
        needed = bankroll_for(game, risk)
        assert round(needed.root_formula) == published
        assert round(needed.diffusion_formula) == diffusion
        # Ruined below one unit and not at nothing: at most one unit more than the formula.
        assert needed.root_formula <= needed.bankroll <= needed.root_formula + 1
        assert needed.ruin <= float(risk)
        below = risk_of_ruin(game, needed.bankroll - Fraction(1, 100))
        assert below.ruin > float(risk) >= risk_of_ruin(game, needed.bankroll).ruin


def test_root_solves_its_equation_and_is_the_risk_where_losses_are_single():
    game = Outcomes.parse("3:1/8,1:3/8,-1:1/2")
    root = adjustment_root(game)
    assert sum(float(p) * root ** float(x) for x, p in game) == pytest.approx(1, abs=1e-14)
    for held in (1, 5, 30):
        assert risk_of_ruin(game, held).ruin == pytest.approx(root**held, rel=1e-11)


def test_a_favourable_coin_is_ruined_with_q_over_p_to_the_bankroll():
    risk = risk_of_ruin(coin("0.6"), 7)
    assert risk.ruin == pytest.approx((0.4 / 0.6) ** 7, rel=1e-12)
    # Given ruin the coin behaves as one with p and q exchanged (Feller XIV.4): 7 / (p - q) coups.
    assert risk.coups_if_ruined == pytest.approx(7 / 0.2, rel=1e-10)
    assert (risk.goal, risk.coups) == (None, math.inf)


def test_double_losses_overshoot():
    """X = +1 (4/5), -2 (1/5): p·z³ - z² + q = (z - 1)(p·z² - q·z - q), so f(u) = A·a^u + B·b^u with the roots a, b
    of the quadratic and f(-1) = f(-2) = 1. Two units must be there to play: state u is a bankroll of u + 2."""
    p, q = 0.8, 0.2
    a = (q + math.sqrt(q * q + 4 * p * q)) / (2 * p)
    b = (q - math.sqrt(q * q + 4 * p * q)) / (2 * p)
    big_a = a * a * (1 - b) / (a - b)
    big_b = b * b * (1 - a) / (b - a)
    game = Outcomes.parse("1:4/5,-2:1/5")
    for held in (2, 3, 10):
        expected = big_a * a ** (held - 2) + big_b * b ** (held - 2)
        assert risk_of_ruin(game, held).ruin == pytest.approx(expected, rel=1e-11)
    assert risk_of_ruin(game, 2).ruin > adjustment_root(game) ** 2  # the plain formula is too low here


@pytest.mark.parametrize("game", ["1:0.4,-1:0.6", "2:0.2,0:0.1,-1:0.7", "3:0.05,1:0.3,-1:0.35,-2:0.2,-3:0.1"])
def test_unfavourable_games_ruin_for_certain_in_walds_time(game):
    outcomes = Outcomes.parse(game)
    for held in (3, 4, 11):
        risk = risk_of_ruin(outcomes, held)
        assert risk.ruin == 1
        far = passage(make_walk(outcomes, held), 3000)
        assert far.ruined.sum() == pytest.approx(1, abs=1e-9)
        assert risk.coups == pytest.approx(np.arange(3001) @ far.ruined, rel=1e-6)


def test_a_fair_game_ruins_for_certain_and_takes_for_ever():
    risk = risk_of_ruin(coin("1/2"), 5)
    assert (risk.ruin, risk.coups, risk.root) == (1, math.inf, 1)


def test_a_game_that_cannot_be_lost_has_no_risk():
    risk = risk_of_ruin(Outcomes.parse("1:1/2,0:1/2"), 1)
    assert (risk.ruin, risk.open) == (0, 1)
    assert risk_of_ruin(Outcomes.parse("1:1/2,0:1/2"), 1, goal=4).coups == pytest.approx(6)


def test_first_passage_is_the_ballot_theorem():
    """Ruin of an even-money player with z at exactly coup n: z/n · C(n, (n - z)/2) · p^((n-z)/2) · q^((n+z)/2)
    (Feller XIV.4 (4.14), from the hitting-time theorem)."""
    p, held, coups = Fraction(9, 20), 4, 40
    found = passage(make_walk(coin(p), held), coups, exact=True)
    for n in range(1, coups + 1):
        wins = (n - held) // 2
        possible = n >= held and (n - held) % 2 == 0
        expected = (
            Fraction(held, n) * math.comb(n, wins) * p**wins * (1 - p) ** (n - wins)
            if possible
            else Fraction(0)
        )
        assert found.value(found.ruined[n]) == expected


def _enumerated(outcomes, held, goal, coups):
    """Chances of ruin and goal, and expected coups, by every sequence of results."""
    ruin = reached = time = Fraction(0)
    for path in product(list(outcomes), repeat=coups):
        chance, bankroll, end = Fraction(1), held, coups
        for number, (net, p) in enumerate(path, 1):
            chance *= p
            if end == coups and outcomes.need <= bankroll and (goal is None or bankroll < goal):
                bankroll += net
                if bankroll < outcomes.need or (goal is not None and bankroll >= goal):
                    end = number
        ruin += chance * (bankroll < outcomes.need)
        reached += chance * (goal is not None and bankroll >= goal)
        time += chance * end
    return ruin, reached, time


@pytest.mark.parametrize("game", ["1:1/3,-1:2/3", "3:1/8,1:3/8,-1:1/4,-2:1/4", "19/20:9/20,0:1/10,-1:9/20"])
@pytest.mark.parametrize("goal", [None, 5])
def test_within_some_coups_is_every_sequence_added_up(game, goal):
    outcomes, held, coups = Outcomes.parse(game), 3, 6
    ruin, reached, time = _enumerated(outcomes, held, goal, coups)
    risk = risk_of_ruin(outcomes, held, goal=goal, coups=coups, exact=True)
    assert (risk.ruin, risk.goal or 0, risk.coups) == (ruin, reached, time)
    assert risk.ruin + (risk.goal or 0) + risk.open == 1
    floats = risk_of_ruin(outcomes, held, goal=goal, coups=coups)
    assert floats.ruin == pytest.approx(float(ruin), abs=1e-14)
    assert floats.coups == pytest.approx(float(time), abs=1e-12)


def _random_game(rng):
    nets = rng.sample(range(-4, 8), rng.randint(2, 6))
    if min(nets) >= 0:
        nets[0] = -1
    weights = [rng.randint(1, 20) for _ in nets]
    return Outcomes.of({net: Fraction(w, sum(weights)) for net, w in zip(nets, weights, strict=True)})


@pytest.mark.parametrize("seed", range(12))
def test_all_four_forms_agree_in_their_limits(seed):
    """Many coups approach for ever; a far goal approaches none; floats and fractions agree."""
    rng = random.Random(seed)
    game = _random_game(rng)
    held = game.need + rng.randint(0, 6)
    goal = held + rng.randint(1, 10)
    for_ever = risk_of_ruin(game, held, goal=goal)
    assert for_ever.ruin == pytest.approx(
        float(risk_of_ruin(game, held, goal=goal, exact=True).ruin), rel=1e-11
    )
    assert risk_of_ruin(game, held, goal=goal, coups=4000).ruin == pytest.approx(for_ever.ruin, abs=1e-9)
    if abs(game.mean) > Fraction(1, 4):
        alone = risk_of_ruin(game, held)
        assert risk_of_ruin(game, held, coups=8000).ruin == pytest.approx(float(alone.ruin), abs=1e-9)
        far = risk_of_ruin(game, held, goal=held + 3000)
        assert far.ruin == pytest.approx(float(alone.ruin), abs=1e-9)


def _ruin(game, held, coups=None, gain=None):
    return float(risk_of_ruin(game, held, coups=coups, goal=gain and held + gain).ruin)


@pytest.mark.parametrize("seed", range(12))
def test_the_bankroll_needed_is_the_least(seed):
    rng = random.Random(seed)
    game = _random_game(rng)
    asks = [{"coups": 30}, {"coups": 30, "gain": 5}]
    if game.mean > 0:
        asks += [{}, {"gain": 8}]
    for ask in asks:
        needed = bankroll_for(game, "0.05", **ask)
        assert _ruin(game, needed.bankroll, **ask) == pytest.approx(needed.ruin, abs=1e-12)
        assert needed.ruin <= 0.05
        if needed.bankroll > game.need:
            assert _ruin(game, needed.bankroll - game.step, **ask) > 0.05


def test_ladder_heights_add_up_and_are_probabilities():
    for seed in range(20):
        game = _random_game(random.Random(seed))
        heights = ladder(game).heights
        assert heights.min() > -1e-12
        assert heights.sum() == pytest.approx(1, abs=1e-10) if game.mean <= 0 else heights.sum() < 1


def test_off_the_lattice_a_bankroll_counts_as_the_lattice_point_below():
    game = coin("0.55")
    assert risk_of_ruin(game, "10.5").ruin == risk_of_ruin(game, 10).ruin
    assert risk_of_ruin(game, "10.5", goal=20).ruin == pytest.approx(
        float(risk_of_ruin(game, 10, goal=20).ruin)
    )


def test_on_credit_the_bankroll_may_fall_below_the_worst_loss():
    """With `need` 1 he plays on as long as he has a stake, and may end below nothing."""
    game = Outcomes.parse("1:1/2,-3:1/2")
    assert risk_of_ruin(game, 2, need=1, coups=1, exact=True).ruin == Fraction(1, 2)
    assert risk_of_ruin(game, 3, coups=1, exact=True).ruin == Fraction(1, 2)
    assert risk_of_ruin(game, 5, need=1, coups=2, exact=True).ruin == Fraction(1, 4)
    assert risk_of_ruin(game, 5, coups=2, exact=True).ruin == Fraction(1, 2)
    with pytest.raises(BankrollError, match="below 3 stakes"):
        risk_of_ruin(game, 2)


@pytest.mark.parametrize(
    ("call", "words", "pointer"),
    [
        (lambda: risk_of_ruin(coin("1/2"), "nan"), "finite number", "/bankroll"),
        (lambda: risk_of_ruin(coin("1/2"), float("inf")), "finite number", "/bankroll"),
        (lambda: risk_of_ruin(coin("1/2"), "1/2"), "ruined from the start", "/bankroll"),
        (lambda: risk_of_ruin(coin("1/2"), 10, goal=10), "must be above the bankroll", "/goal"),
        (lambda: risk_of_ruin(coin("1/2"), "9" * 400), "finite number", "/bankroll"),
        (lambda: risk_of_ruin(coin("1/2"), 10**400), "at most 10.300", "/bankroll"),
        (lambda: risk_of_ruin(coin("1/2"), 10, coups=0), "whole number from 1", "/coups"),
        (lambda: risk_of_ruin(Outcomes.parse("1:1"), 1, coups=3 * 10**9), "one after another", "/coups"),
        (lambda: bankroll_for(Outcomes.parse("1:1"), "0.1", coups=10**12), "one after another", "/coups"),
        (lambda: risk_of_ruin(coin("1/2"), 10, coups=10**9), "the cap is", "/coups"),
        (lambda: risk_of_ruin(coin("1/2"), 10, goal=10**9), "the cap is", "/goal"),
        (lambda: risk_of_ruin(coin("0.6"), 10, exact=True), "root of an equation", "/goal"),
        (lambda: risk_of_ruin(coin("0.6"), 10, need=0), "above 0", "/need"),
        (lambda: bankroll_for(coin("1/2"), "0.01"), "ruin is certain", "/risk"),
        (lambda: bankroll_for(coin("0.4"), "0.01", gain=5), "no bankroll is enough", "/risk"),
        (lambda: bankroll_for(coin("0.6"), 1), "between 0 and 1", "/risk"),
        (lambda: bankroll_for(coin("0.6"), "1/2", gain=0), "above 0", "/gain"),
    ],
)
def test_bad_questions_are_refused_with_the_reason(call, words, pointer):
    with pytest.raises(BankrollError, match=words) as refusal:
        call()
    assert refusal.value.pointer == pointer


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1:1/2", "add up to 1/2"),
        ("1:1/2,-1:1/2,1:0", "stands twice"),
        ("1;1/2", "net:probability"),
        ("1:x,-1:1", "finite number"),
        ("1:1/0,-1:1", "divides by zero"),
        ("1:3/2,-1:-1/2", "0 to 1"),
        ("1e9:1/2,-1:1/2", "at most 1000000"),
        ("", "net:probability"),
    ],
)
def test_bad_outcomes_are_refused_with_the_reason(text, words):
    with pytest.raises(BankrollError, match=words):
        Outcomes.parse(text)


def test_outcomes_tell_what_they_are():
    game = Outcomes.parse("0.95:9/20, 0:1/10, -1:9/20")
    assert (game.mean, game.worst_loss, game.best_win, game.step) == (
        Fraction(-9, 400),
        1,
        Fraction(19, 20),
        Fraction(1, 20),
    )
    assert game.flipped().mean == -game.mean
    assert Outcomes.of(game.to_json()) == game
    assert Outcomes.of({1: 0.5, -1: 0.5}).exact
    rounded = Outcomes.of({1: 1 / 3, 0: 1 / 3, -1: 1 / 3})
    assert not rounded.exact
    assert sum(rounded.probabilities) == 1
    with pytest.raises(BankrollError, match="rounded probabilities"):
        risk_of_ruin(rounded, 5, coups=3, exact=True)
    assert Outcomes.observed([1, -1, -1, 3]) == Outcomes.parse("3:1/4,1:1/4,-1:1/2")
