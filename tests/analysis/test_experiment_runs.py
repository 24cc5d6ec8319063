"""Experiments as a whole: exact figures within their errors, the same bits whoever plays, comparisons, precision."""

import json
import math
import os
import random
import signal
import subprocess
import sys
import time
import tracemalloc
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from fractions import Fraction
from multiprocessing import get_context

import numpy as np
import pytest
from click.testing import CliRunner
from published_games import coin

from analysis.experiment import Experiment, Precision, Turns
from analysis.intervals import mean_interval, mean_quantile, share_interval
from analysis.outcomes import BankrollError, Outcomes
from analysis.runs import next_chunks, play, run, run_all, spec
from analysis.sources import outcomes_of
from analysis.staking import Staking
from analysis.stops import Stops
from analysis.summary import difference, summary
from analysis.systems import SYSTEMS, StakeLimits
from analysis.tally import Batch, Tally
from api.cli import main
from casino.banking.presets import PRESETS
from casino.errors import RulesError

FLAT = Staking("flat", {"unit": 1})
GAME = Outcomes.parse("3:0.07,2:0.06,1:0.40,0:0.05,-1:0.30,-2:0.05,-3:0.07")


def small(**changes):
    given = {
        "outcomes": GAME,
        "staking": Staking("martingale", {"unit": 10}),
        "bankroll": 300,
        "stops": Stops(coups=120, target=500),
        "limits": StakeLimits(10, 200, 10),
        "sessions": 3000,
        "seed": 4,
    }
    return Experiment(**{**given, **changes})


def _random_game(rng):
    nets = rng.sample(range(-4, 7), rng.randint(2, 7))
    nets[0] = -rng.randint(1, 3)
    nets = list(dict.fromkeys(nets))
    weights = [rng.randint(1, 30) for _ in nets]
    return Outcomes.of({net: Fraction(w, sum(weights)) for net, w in zip(nets, weights, strict=True)})


def within_four_errors(exp):
    found = summary(exp, run(exp))
    compared = found["exact"]
    assert set(compared) == {"low", "high", "gain", "coups"}
    for name, figure in compared.items():
        assert abs(figure["z"]) < 4, (name, figure)
    assert abs(found["per_stake"]["z"]) < 4
    return found


@pytest.mark.parametrize("seed", range(20))
def test_twenty_random_games_lie_within_four_errors_of_the_exact_figures(seed):
    rng = random.Random(seed)
    game = _random_game(rng)
    bankroll = int(game.need) + rng.randint(0, 25)
    stops = Stops(
        coups=rng.randint(20, 150),
        win=rng.choice([None, 5, 30]),
        loss=rng.choice([None, None, max(1, bankroll - int(game.need) - 1)]),
    )
    within_four_errors(Experiment(game, FLAT, bankroll, stops, StakeLimits(1, 1), sessions=20_000, seed=seed))


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("side", ["punter", "banker"])
def test_every_preset_lies_within_four_errors_of_the_exact_figures(preset, side):
    game = outcomes_of({"preset": preset, "side": side})
    found = within_four_errors(
        Experiment(game, FLAT, 30, Stops(coups=150), StakeLimits(1, 1), sessions=20_000, seed=1)
    )
    assert found["per_stake"]["exact"] == pytest.approx(float(game.mean))


@pytest.mark.parametrize("system", SYSTEMS)
def test_no_system_changes_the_expectation_of_a_chip(system):
    """The gain is the expectation of the chips staked, within four errors, whatever the system and the stops."""
    options = {
        "proportional": {"fraction": "1/20"},
        "kelly": {},
        "table": {"stakes": [10, 40], "on_loss": [1, 0], "on_win": [0, 0]},
    }
    staking = Staking.from_json({"system": system, **options.get(system, {"unit": 10})})
    exp = small(staking=staking, stops=Stops(coups=120, win=150, drawdown=200), sessions=20_000)
    found = summary(exp, run(exp))
    assert abs(found["per_stake"]["z"]) < 4
    low, high = found["gain_controlled"]["confidence_interval"]
    assert low - 0.5 < found["gain"]["value"] < high + 0.5 or abs(found["per_stake"]["z"]) < 4
    assert found["gain_controlled"]["standard_error"] < found["gain"]["standard_error"]


def test_ten_times_the_stakes_and_the_bankroll_is_the_same_risk():
    """Not only within errors: the same coups lead to the same ends."""
    one = Experiment(GAME, FLAT, 40, Stops(coups=200), StakeLimits(1, 1), sessions=5000)
    ten = Experiment(
        GAME, Staking("flat", {"unit": 10}), 400, Stops(coups=200), StakeLimits(10, 10), sessions=5000
    )
    first, second = run(one), run(ten)
    assert first.reasons == second.reasons
    assert first.reasons["ruin"] > 0
    assert 10 * first.sums["gain"] == second.sums["gain"]
    assert summary(one, first)["exact"]["low"]["exact"] == summary(ten, second)["exact"]["low"]["exact"]


def test_a_seat_that_banks_in_its_turn_earns_what_both_sides_expect():
    bank = GAME.flipped()
    exp = small(
        staking=Staking("flat", {"unit": 10}),
        bankroll=2000,
        stops=Stops(coups=120),
        turns=Turns(4, 10, 50, bank),
        sessions=20_000,
    )
    tally = run(exp)
    found = summary(exp, tally)
    assert abs(found["per_stake"]["z"]) < 4
    # Three or four of the twelve banks are his where four play: 30 coups in the mean.
    assert tally.sums["banked"] / tally.sessions == pytest.approx(30 * 50, rel=0.02)


class TestSameBits:
    def test_for_threads_and_processes(self):
        exp = small()
        alone = run(exp).to_bytes()
        with ThreadPoolExecutor(2) as two, ThreadPoolExecutor(8) as eight:
            assert run(exp, executor=two).to_bytes() == alone
            assert run(exp, executor=eight).to_bytes() == alone
        with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as spawned:
            assert run(exp, executor=spawned).to_bytes() == alone

    def test_in_any_order(self):
        exp = small()
        parts = [play(spec(exp), chunk) for chunk in range(exp.chunks)]
        whole = run(exp).to_bytes()
        for seed in range(3):
            random.Random(seed).shuffle(parts)
            merged = Tally()
            for part in parts:
                merged.merge(Tally.from_bytes(part))
            assert merged.to_bytes() == whole

    def test_after_an_interruption(self):
        exp, kept = small(), []

        def stop(chunk, part):
            kept.append(part.to_bytes())
            if len(kept) == 5:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            run(exp, on_chunk=stop)
        resumed = Tally()
        for part in kept:
            resumed.merge(Tally.from_bytes(part))
        assert len(next_chunks(exp, resumed)) == exp.chunks - 5
        assert run(exp, tally=resumed).to_bytes() == run(exp).to_bytes()

    def test_whatever_else_draws_numbers(self):
        first = run(small()).to_bytes()
        np.random.seed(99)
        random.seed(99)
        assert run(small()).to_bytes() == first

    def test_a_spec_is_read_back_to_the_same_experiment(self):
        exp = small(
            precision=Precision("gain", Fraction(1, 3), 5000),
            turns=Turns(3, 9, 20, GAME.flipped()),
            label="a",
            source={"results": 3},
        )
        again = Experiment.from_json(json.loads(spec(exp)))
        assert again == exp
        assert again.hash == exp.hash
        assert small(seed=5).hash != small().hash

    def test_a_chunk_is_not_added_twice_and_rubbish_is_refused(self):
        part = Tally.from_bytes(play(spec(small()), 0))
        whole = Tally()
        whole.merge(part)
        with pytest.raises(BankrollError, match="added twice"):
            whole.merge(part)
        for rubbish in (b"", b"x" * 50, part.to_bytes()[:-9]):
            with pytest.raises(BankrollError, match="not the result"):
                Tally.from_bytes(rubbish)


KILLED = [
    "experiment", "--outcomes", "1:0.49,-1:0.51", "--system", "fibonacci", "--unit", "1", "--limits", "1-500",
    "--bankroll", "200", "--coups", "1000", "--sessions", "160000", "--json",
]  # fmt: skip


def _killed(folder, chunks):
    """Run the command and kill it -9 once so many chunks are kept: how many there are then."""
    macao = [sys.executable, "-c", "from api.cli import main; main()"]
    process = subprocess.Popen(
        [*macao, *KILLED, "--keep", str(folder)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline:
        if len(list(folder.glob("*.chunk"))) >= chunks:
            os.kill(process.pid, signal.SIGKILL)
            break
        time.sleep(0.002)
    process.wait()
    return len(list(folder.glob("*.chunk")))


@pytest.mark.slow
def test_killed_at_five_points_the_result_is_the_same_to_the_bit(tmp_path):
    whole = CliRunner().invoke(main, KILLED).stdout
    for chunks in (1, 3, 6, 10, 14):
        folder = tmp_path / str(chunks)
        folder.mkdir()
        assert chunks <= _killed(folder, chunks) <= 16
        assert CliRunner().invoke(main, [*KILLED, "--keep", str(folder)]).stdout == whole


def test_common_coups_make_comparisons_sharp():
    """Flat stakes of 10 and of 20 see the same coups: their difference has a far smaller error than apart."""
    one, two = (
        small(
            staking=Staking("flat", {"unit": unit}), stops=Stops(coups=60), bankroll=10_000, sessions=20_000
        )
        for unit in (10, 20)
    )
    first, second = run_all([one, two])
    together = difference(first.batches, second.batches)
    exact = 60 * 10 * float(GAME.mean)
    assert abs(together.value - exact) < 4 * together.error
    apart = math.hypot(*(summary(e, t)["gain"]["standard_error"] for e, t in ((one, first), (two, second))))
    assert together.error < 0.6 * apart
    other = run(small(staking=Staking("flat", {"unit": 20}), stops=Stops(coups=60), bankroll=10_000, seed=5))
    assert difference(first.batches, other.batches) is None  # other sizes of chunks: nothing to pair


class TestPrecision:
    def test_it_plays_until_the_interval_is_narrow(self):
        exp = small(precision=Precision("ruin", Fraction(1, 100), 100_000))
        tally = run(exp)
        found = summary(exp, tally)["ruin"]
        low, high = found["confidence_interval"]
        assert (high - low) / 2 <= 0.01
        assert tally.sessions < 100_000

    def test_it_ends_at_the_same_chunk_for_any_executor(self):
        exp = small(precision=Precision("gain", Fraction(4), 40_000))
        alone = run(exp)
        with ThreadPoolExecutor(4) as pool:
            assert run(exp, executor=pool).to_bytes() == alone.to_bytes()
        resumed = Tally()
        for chunk in (0, 3, 5):
            resumed.merge(Tally.from_bytes(play(spec(exp), chunk)))
        assert run(exp, tally=resumed).to_bytes() == alone.to_bytes()

    def test_it_ends_at_most_there(self):
        exp = small(precision=Precision("ruin", Fraction(1, 10**9), 2000))
        assert run(exp).sessions == 2000


def test_results_hold_what_was_asked():
    exp = small(sessions=5000)
    found = summary(exp, run(exp))
    assert sum(share["value"] for share in found["ends"].values()) == pytest.approx(1)
    quantiles = list(found["final"]["quantiles"].values())
    assert quantiles == sorted(quantiles)
    assert all(value % 10 == 0 for value in quantiles)
    assert found["final"]["least"] < 30
    assert 500 <= found["final"]["most"] < 500 + 3 * 200
    assert [row["coup"] for row in found["fan"]][-1] == 120
    assert len(found["paths"]["bankrolls"]) == 20
    assert found["paths"]["bankrolls"][0][0] == 300
    assert len(found["paths"]["coups"]) == len(found["paths"]["bankrolls"][0])
    assert sum(row[2] for row in found["histogram"]) == 5000
    assert found["time_to_ruin"]["quantiles"]["0.5"] < found["played"]["quantiles"]["0.99"]
    assert "note" in found["exact"]
    json.dumps(found)


def test_one_session_is_an_answer_without_an_error():
    found = summary(small(sessions=1), run(small(sessions=1)))
    assert found["gain"]["standard_error"] is None
    assert "NaN" not in json.dumps(found)


def test_a_wider_bankroll_than_4096_steps_is_kept_to_one_part_in_2048():
    exp = Experiment(coin("1/2"), FLAT, 10**6, Stops(coups=10), StakeLimits(1, 1), sessions=200)
    tally = run(exp)
    found = summary(exp, tally)["final"]
    assert found["mean"] == 10**6 + tally.sums["gain"] / 200
    assert abs(found["quantiles"]["0.5"] - 10**6) <= 10**6 / 2048


def test_intervals_are_those_of_the_literature():
    """R. G. Newcombe, Two-sided confidence intervals for the single proportion (1998), Table I, method 3 (Wilson)."""
    for count, total, low, high in (
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ):
        found = share_interval(count, total)
        assert (round(found.low, 4), round(found.high, 4)) == (low, high)
    mean = mean_interval(10, 30, 5)  # 2, 2, 2, 2, 2 would be 20; variance (30 - 20) / 4
    assert (mean.value, mean.error) == (2, pytest.approx(math.sqrt(2.5 / 5)))
    assert (mean.low, mean.high) == (
        pytest.approx(2 - 2.776 * mean.error, abs=1e-3),
        pytest.approx(3.963, abs=1e-3),
    )
    assert math.isnan(mean_interval(3, 9, 1).error)


@pytest.mark.parametrize(
    ("values", "quantile"), [(2, 12.706), (5, 2.776), (16, 2.131), (31, 2.042), (101, 1.984), (10**6, 1.960)]
)
def test_few_values_have_students_interval(values, quantile):
    """NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2: upper critical values of Student's t, 0.975, by
    degrees of freedom, one fewer than the values."""
    assert round(mean_quantile(values), 3) == quantile


def test_the_interval_of_a_difference_is_students_over_the_chunks():
    """Two chunks of ten sessions, ahead by 30 and by 50 chips: 4 a session. The spread about 40 is 200 for one degree
    of freedom, so the error of the sum is 20, of the mean of 20 sessions 1; the table has 12.706 for it."""
    first = {0: Batch(10, 0, 0, 0), 1: Batch(10, 5, 0, 0)}
    second = {0: Batch(10, 30, 0, 0), 1: Batch(10, 55, 0, 0)}
    found = difference(first, second)
    assert (found.value, found.error) == (4, 1)
    assert (round(found.low, 3), round(found.high, 3)) == (-8.706, 16.706)


@pytest.mark.parametrize(
    ("changes", "words", "pointer"),
    [
        ({"bankroll": 29}, "below 30 chips", "/bankroll"),
        ({"bankroll": 0}, "must be 1 to", "/bankroll"),
        ({"sessions": 0}, "must be 1 to", "/sessions"),
        ({"seed": -1}, "must be 0 to", "/seed"),
        ({"sessions": 10**9, "stops": Stops(coups=10**6)}, "hours of one core", "/sessions"),
        ({"stops": Stops(coups=10, target=300)}, "above the bankroll", "/stops/target"),
        ({"limits": StakeLimits(10, 10**12, 10), "stops": Stops(coups=10**4)}, "the cap is", "/limits/max"),
        ({"precision": Precision("ruin", Fraction(0))}, "above 0", "/precision/half_width"),
        (
            {"turns": Turns(3, 9, 25, Outcomes.parse("1/2:1/2,-1:1/2"))},
            "multiple of 2, not 25",
            "/turns/stake",
        ),
        ({"outcomes": Outcomes.parse("3/4:0.6,-1:0.4")}, "multiples of 4, not 10", "/limits/min"),
    ],
)
def test_what_cannot_be_played_is_refused_with_the_reason(changes, words, pointer):
    if changes.get("limits") == StakeLimits(10, 10**12, 10):
        changes["staking"] = Staking("proportional", {"fraction": "1/2"})
    with pytest.raises((BankrollError, RulesError), match=words) as refusal:
        small(**changes)
    assert refusal.value.pointer == pointer


@pytest.mark.parametrize(
    ("stops", "words"),
    [
        ({}, "«coups» is missing"),
        ({"coups": 0}, "must be 1 to"),
        ({"coups": 5, "banks": 2}, "coups of a bank"),
        ({"coups": 5, "wait": True}, "coups of a bank"),
        ({"coups": 5, "luck": 1}, "unknown"),
    ],
)
def test_stops_that_cannot_be_are_refused(stops, words):
    with pytest.raises((BankrollError, RulesError), match=words):
        Stops.from_json(stops)


def test_an_experiment_without_limits_takes_any_stake_from_the_unit_on():
    exp = Experiment(coin("1/2"), Staking("martingale", {"unit": 5, "doublings": 30}), 1000, Stops(coups=100))
    assert (exp.table.min, exp.table.step) == (5, 1)
    assert exp.table.max > 10**9
    assert summary(exp, run(exp))["final"]["least"] < 5


def test_memory_does_not_grow_with_the_sessions():
    """Forty times the sessions: no more memory while a chunk is played, and as few classes and paths in the result."""
    few, many = (
        Experiment(GAME, FLAT, 40, Stops(coups=30), StakeLimits(1, 1), sessions=sessions)
        for sessions in (4096 * 16, 4096 * 16 * 40)
    )
    assert many.chunk_sessions == 16 * few.chunk_sessions == 65_536
    peaks = []
    for experiment in (few, many):
        play(spec(experiment), 0)  # compiled, and its tables made
        tracemalloc.start()
        part = Tally.from_bytes(play(spec(experiment), 0))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert part.sessions == experiment.chunk_sessions
        assert len(part.paths[0]) <= 2048 / experiment.chunks + 1 or len(part.paths[0]) == 8
        for name, histogram in part.histograms.items():
            assert len(histogram.places) <= max(experiment.highest, 30) + 1, name
    assert peaks[1] < 1.5 * peaks[0]
