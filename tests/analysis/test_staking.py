"""Every staking system: a sequence worked by hand, and what must hold for any game, table and bankroll."""

import math
import random
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from published_games import coin

from analysis.outcomes import BankrollError, Outcomes
from analysis.staking import Player, Staking
from analysis.systems import SYSTEMS, StakeLimits
from casino.errors import RulesError

FAIR = coin("11/20")
OPEN = StakeLimits(1, 10**6)
W, L, P = 1, -1, 0


def stakes_of(staking, results, *, limits=OPEN, game=FAIR, bankroll=10**6):
    """The stakes before each result and after the last."""
    player, found = Player(Staking.from_json(staking).compile(limits, game)), []
    for net in results:
        found.append(player.stake(bankroll))
        player.settle(found[-1], net)
        bankroll += int(found[-1] * net)
    return [*found, player.stake(bankroll)]


BY_HAND = [
    ({"system": "flat", "unit": 7}, [W, L, L, P, W], [7] * 6),
    # A tenth of 1000, 1100, 990 (rounded down), 990, 1089.
    ({"system": "proportional", "fraction": "1/10"}, [W, L, P, W], [100, 110, 99, 99, 108]),
    # p - q = 1/10 is Kelly's fraction of this coin; half of it.
    ({"system": "kelly"}, [W, L], [100, 110, 99]),
    ({"system": "kelly", "share": "1/2"}, [W, L], [50, 52, 49]),
    ({"system": "martingale", "unit": 5}, [L, L, P, L, W, L], [5, 10, 20, 20, 40, 5, 10]),
    ({"system": "martingale", "unit": 5, "doublings": 2}, [L, L, L, L], [5, 10, 20, 5, 10]),
    ({"system": "paroli", "unit": 5}, [W, W, W, W, L, P, W], [5, 10, 20, 5, 10, 5, 5, 10]),
    ({"system": "dalembert", "unit": 5}, [L, L, W, L, W, W, W, W], [5, 10, 15, 10, 15, 10, 5, 5, 5]),
    ({"system": "fibonacci", "unit": 1}, [L, L, L, L, L, W, L, W, W, W], [1, 1, 2, 3, 5, 8, 3, 5, 2, 1, 1]),
    # 1 2 3 4 | lose 5: 1 2 3 4 5 | win 6: 2 3 4 | lose 6: 2 3 4 6 | win 8: 3 4 | win 7: struck out | 1 2 3 4.
    ({"system": "labouchere", "unit": 1}, [L, W, L, W, W], [5, 6, 6, 8, 7, 5]),
    # 3 | lose 3: 3 3 | lose 6: 3 3 6 | win 9: 3 | win 3: struck out.
    ({"system": "labouchere", "unit": 3, "line": [1]}, [L, L, W, W], [3, 6, 9, 3, 3]),
    # -1, -2 | win 1: -1, stake 2 | win 2: ahead by 1, the series is over.
    ({"system": "oscar", "unit": 1}, [L, L, W, W, W], [1, 1, 1, 2, 1, 1]),
    # -1 -2 -3 -4 -5 | 1: -4 | 2: -2 | 3, as 4 would bring more than one ahead: +1.
    ({"system": "oscar", "unit": 1}, [L, L, L, L, L, W, W, W], [1, 1, 1, 1, 1, 1, 2, 3, 1]),
    ({"system": "1-3-2-6", "unit": 5}, [W, W, W, W, W, L, W, P, L], [5, 15, 10, 30, 5, 15, 5, 15, 15, 5]),
    (
        {"system": "table", "stakes": [2, 9, 4], "on_loss": [1, 2, 2], "on_win": [0, 0, 1]},
        [L, L, L, W, W],
        [2, 9, 4, 4, 9, 2],
    ),
]


@pytest.mark.parametrize(("staking", "results", "expected"), BY_HAND)
def test_a_sequence_by_hand(staking, results, expected):
    assert stakes_of(staking, results, bankroll=1000) == expected


def test_every_system_has_a_sequence_by_hand():
    assert {staking["system"] for staking, *_ in BY_HAND} == set(SYSTEMS)


AT_LIMIT = [
    # The fourth step would be 40: cut to 30, and a loss there goes back to the unit.
    ({"system": "martingale", "unit": 5}, [L, L, L, L], [5, 10, 20, 30, 5]),
    # The third step would be 20 + 20 = 40: cut to 30, and a win there goes back to the unit.
    ({"system": "paroli", "unit": 10, "wins": 5}, [W, W, W], [10, 20, 30, 10]),
    # Stays on the first step that reaches 30; one win brings it a step down.
    ({"system": "dalembert", "unit": 10}, [L, L, L, L, W], [10, 20, 30, 30, 30, 20]),
    # 5 5 10 15 25 (40 cut to) 30: stays there, a win goes two steps back.
    ({"system": "fibonacci", "unit": 5}, [L, L, L, L, L, L, W], [5, 5, 10, 15, 25, 30, 30, 15]),
    # Wishes 5 + 20, then 5 + 25 = 30, then 5 + 30 = 35: cut to 30, and so on.
    ({"system": "labouchere", "unit": 5}, [L, L, L, W], [25, 30, 30, 30, 30]),
    ({"system": "1-3-2-6", "unit": 10}, [W, W, W, W], [10, 30, 20, 30, 10]),
    ({"system": "proportional", "fraction": "1/4"}, [L, L], [30, 30, 30]),
    ({"system": "proportional", "fraction": "1/1000"}, [L], [5, 5]),
]


@pytest.mark.parametrize(("staking", "results", "expected"), AT_LIMIT)
def test_at_the_tables_limits(staking, results, expected):
    """A table from 5 to 30 in steps of 5, bankroll 1000; what is told in each system's `at_limit`."""
    assert stakes_of(staking, results, limits=StakeLimits(5, 30, 5), bankroll=1000) == expected


def test_stakes_are_rounded_down_to_the_step_from_the_minimum():
    limits = StakeLimits(4, 24, 10)  # 4, 14, 24
    for bankroll, expected in ((100, 4), (270, 4), (280, 14), (480, 24), (10_000, 24)):
        assert (
            stakes_of({"system": "proportional", "fraction": "1/20"}, [], limits=limits, bankroll=bankroll)[0]
            == expected
        )


def test_a_short_bankroll_cuts_the_stake_to_what_it_covers_at_the_worst_loss():
    game = Outcomes.parse("1:1/2,-3:1/2")
    limits = StakeLimits(5, 100, 5)
    flat = {"system": "flat", "unit": 50}
    assert stakes_of(flat, [], limits=limits, game=game, bankroll=150) == [50]
    assert stakes_of(flat, [], limits=limits, game=game, bankroll=149) == [45]
    assert stakes_of(flat, [], limits=limits, game=game, bankroll=15) == [5]
    with pytest.raises(BankrollError, match="covers no stake: 15 chips"):
        stakes_of(flat, [], limits=limits, game=game, bankroll=14)


def test_a_half_stake_more_is_covered_too():
    """With 2 1/2 stakes to be covered for each, 24 chips cover 9.6, so 8 in twos; and the least of 10 needs 25."""
    game = replace(FAIR, cover=Fraction(5, 2))
    half = {"system": "proportional", "fraction": "1/2"}
    assert stakes_of(half, [], limits=StakeLimits(2, 100, 2), game=game, bankroll=24) == [8]
    flat = Staking.from_json({"system": "flat", "unit": 10})
    assert flat.compile(StakeLimits(10, 100, 10), game).least_bankroll == 25
    with pytest.raises(BankrollError, match="multiples of 2"):
        flat.compile(OPEN, game)


@pytest.mark.parametrize("parts", [250, 33_333, 50_000, 1_000_000, 4_000_000])
def test_a_small_fraction_of_a_large_bankroll_is_what_was_asked(parts):
    small = {"system": "proportional", "fraction": f"1/{parts}"}
    assert stakes_of(small, [], bankroll=10**10, limits=StakeLimits(1, 10**9)) == [10**10 // parts]


def test_labouchere_appends_a_loss_of_several_stakes_as_what_was_lost():
    """1 2 3 4 | lose three stakes of 5: 1 2 3 4 15."""
    game = Outcomes.parse("1:0.9,-3:0.1")
    assert stakes_of({"system": "labouchere", "unit": 1}, [-3], game=game) == [5, 16]


def test_a_labouchere_line_of_512_numbers_is_given_up():
    losses = [L] * 600
    found = stakes_of({"system": "labouchere", "unit": 1}, losses, limits=StakeLimits(1, 10), bankroll=10**5)
    # 1 2 3 4 and 507 losses make 511 numbers; the 508th loss makes 512: 1 2 3 4 again.
    assert found[507] == 10
    assert found[508] == 5


def test_nets_in_twentieths_need_stakes_in_twenties():
    banker = Outcomes.parse("0.95:0.459,0:0.095,-1:0.446")
    flat = {"system": "flat", "unit": 20}
    assert stakes_of(flat, [Fraction(19, 20), L], limits=StakeLimits(20, 100, 20), game=banker) == [20] * 3
    with pytest.raises(BankrollError, match="multiples of 20"):
        Staking.from_json(flat).compile(StakeLimits(5, 100, 5), banker)


CHOICES = {
    "flat": {"unit": 10},
    "proportional": {"fraction": "1/7"},
    "kelly": {"share": "3/2"},
    "martingale": {"unit": 10, "doublings": 9},
    "paroli": {"unit": 10, "wins": 6},
    "dalembert": {"unit": 10},
    "fibonacci": {"unit": 10},
    "labouchere": {"unit": 10, "line": [1, 1, 5]},
    "oscar": {"unit": 10},
    "1-3-2-6": {"unit": 10},
    "table": {"stakes": [10, 170, 40, 3], "on_loss": [1, 2, 3, 0], "on_win": [3, 0, 1, 2]},
}


@pytest.mark.parametrize("system", SYSTEMS)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_never_more_than_it_has_nor_than_the_limit_and_whole_chips(system, data):
    """Over random games in favour, tables and sequences: the worst loss of every stake is covered."""
    step = data.draw(st.sampled_from([1, 2, 5, 10]))
    least = data.draw(st.sampled_from([5, 10])) if 10 % step == 0 and step <= 5 else 10
    limits = StakeLimits(least, least + step * data.draw(st.integers(1, 60)), step)
    options = dict(CHOICES[system])
    if "unit" in options:
        options["unit"] = limits.nearest(10)
    worst, win = data.draw(st.integers(1, 4)), data.draw(st.integers(4, 9))
    game = Outcomes.of({win: Fraction(3, 5), 0: Fraction(1, 10), -worst: Fraction(3, 10)})
    plan = Staking.from_json({"system": system, **options}).compile(limits, game)
    player, bankroll = Player(plan), data.draw(st.integers(plan.least_bankroll, 3000))
    rng = random.Random(data.draw(st.integers(0, 2**32)))
    for _ in range(80):
        if bankroll < limits.min * worst:
            with pytest.raises(BankrollError):
                player.stake(bankroll)
            break
        stake = player.stake(bankroll)
        assert isinstance(stake, int)
        assert limits.min <= stake <= min(limits.max, plan.highest)
        assert (stake - limits.min) % limits.step == 0
        assert stake * worst <= bankroll
        net = rng.choices([win, 0, -worst], [6, 1, 6])[0]
        player.settle(stake, net)
        bankroll += stake * net
    assert bankroll >= 0


def test_a_system_sees_results_only():
    """Players of one plan do not touch each other, and asking twice changes nothing."""
    plan = Staking.from_json({"system": "martingale", "unit": 1}).compile(OPEN, FAIR)
    one, other = Player(plan), Player(plan)
    assert one.stake(100) == one.stake(100) == 1
    one.settle(1, L)
    assert (one.stake(100), other.stake(100)) == (2, 1)


@pytest.mark.parametrize(
    ("staking", "error", "words", "pointer"),
    [
        ({"system": "roulette"}, BankrollError, "there are flat, proportional", "/staking/system"),
        ({}, BankrollError, "no staking system", "/staking/system"),
        ({"system": "flat"}, RulesError, "«unit» is missing", "/staking/unit"),
        ({"system": "flat", "unit": 0}, RulesError, "must be 1 to", "/staking/unit"),
        ({"system": "flat", "unit": 3}, BankrollError, "not a stake of this table", "/staking/unit"),
        ({"system": "flat", "unit": 5, "wins": 2}, RulesError, "unknown", "/staking/wins"),
        ({"system": "proportional", "fraction": "nan"}, BankrollError, "finite number", "/staking/fraction"),
        ({"system": "proportional", "fraction": 2}, BankrollError, "at most 1", "/staking/fraction"),
        ({"system": "proportional", "fraction": 1e-7}, BankrollError, "too small", "/staking"),
        ({"system": "kelly", "share": 3}, BankrollError, "at most 2", "/staking/share"),
        (
            {"system": "martingale", "unit": 5, "doublings": 99},
            RulesError,
            "must be 0 to 40",
            "/staking/doublings",
        ),
        (
            {"system": "table", "stakes": [5], "on_loss": [1], "on_win": [0]},
            BankrollError,
            "0 to 0",
            "/staking/on_loss",
        ),
    ],
)
def test_bad_systems_are_refused_with_the_place(staking, error, words, pointer):
    with pytest.raises(error, match=words) as refusal:
        Staking.from_json(staking).compile(StakeLimits(5, 100, 5), FAIR)
    assert refusal.value.pointer == pointer


def test_kelly_refuses_a_game_without_an_edge():
    with pytest.raises(BankrollError, match="nothing without an edge"):
        Staking.from_json({"system": "kelly"}).compile(OPEN, coin("1/2"))


@pytest.mark.parametrize(("low", "high", "step"), [(5, 4, 1), (5, 12, 5), (0, 5, 1), (5, 10, 0)])
def test_limits_that_clash_are_refused(low, high, step):
    with pytest.raises((BankrollError, RulesError)):
        StakeLimits(low, high, step)


def test_texts_tell_of_every_system_what_happens_at_the_limit():
    for name, system in SYSTEMS.items():
        assert system.text, name
        assert system.at_limit, name
        assert system.schema["properties"]["system"]
    assert Staking.from_json({"system": "flat", "unit": 5}).title == "flat (unit 5)"


def test_the_table_of_stakes_is_cut_to_the_table():
    plan = Staking.from_json({"system": "table", "stakes": [5, 999], "on_loss": [1, 0], "on_win": [0, 1]})
    assert plan.compile(StakeLimits(10, 100, 10), FAIR).highest == 100
    assert math.gcd(*(plan.compile(StakeLimits(10, 100, 10), FAIR).tape[16::4].tolist())) == 10
