"""Simulated coups: beside exact odds and the engine's play, on any number of threads, with and without numba."""

import json
import math
import subprocess
import sys
from collections.abc import Iterable
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from played import banks
from random_rules import OPTIONS, TWO_CARDS

from analysis.dealing import ALWAYS, RANKS, Dealing
from analysis.equilibrium import Equilibrium, equilibrium
from analysis.exact import odds
from analysis.shoe import full, infinite
from analysis.simulate import CHUNK, Simulation, available, simulate
from analysis.strategies import banker_table, default, punter_table
from casino.banking.presets import PRESETS
from casino.banking.rules import Rules, build
from casino.errors import RulesError

MOST_ERRORS = 4.0


def preset(name: str, **changes: Any) -> Rules:
    return build(PRESETS[name][1], changes)


def run(
    rules: Rules, coups: int, punter: Any = None, banker: Any = None, hands: int = 1, **how: Any
) -> Simulation:
    mine = punter_table(punter or default("punter", rules), rules)
    his = banker_table(banker or default("banker", rules), rules)
    shoe = {name: how.pop(name) for name in ("infinite", "per_bank") if name in how}
    return simulate(Dealing(rules, (mine,) * hands, his, **shoe), coups, **how)


def deviations(found: Simulation, exact: Any, hand: int = 0) -> list[float]:
    """By how many standard errors the EV and each probability are off."""
    mine = found.hands[hand]
    pairs = [(mine.ev, exact.ev_punter)]
    pairs += [(share, exact.distribution.get(net, 0)) for net, share in mine.distribution.items()]
    assert set(exact.distribution) <= set(mine.distribution)
    assert all(share.value == 0 for share, chance in pairs if share.error == 0 and share is not mine.ev)
    return [(share.value - float(chance)) / share.error for share, chance in pairs if share.error]


def assert_plausible(off: Iterable[float]) -> None:
    """None beyond four standard errors, and together neither too far off nor too near: the errors are right."""
    squares = [one * one for one in off]
    assert max(squares) < MOST_ERRORS**2
    count = len(squares)
    # Correlated shares of one run count for less than their number: half of it, to be on the safe side.
    assert abs(sum(squares) / count - 1) < 4 * math.sqrt(2 / (count / 2))


# Exact, simulated and played agree


def played_off(rules: Rules, punter: Any, banker: Any, count: int, dealt: Simulation) -> float:
    """The engine's play of whole banks beside the same simulated, in standard errors of the difference."""
    rows = [(len(nets), sum(net[0] for net in nets)) for nets in banks(rules, punter, banker, 2, count)]
    coups, total = (sum(column) for column in zip(*rows, strict=True))
    mean = total / coups
    spread = sum((net - mean * size) ** 2 for size, net in rows) * count / (count - 1)
    error = math.hypot(math.sqrt(spread) / coups, dealt.ev.error)
    return (mean - dealt.ev.value) / error


@pytest.mark.parametrize("name", PRESETS)
def test_exact_simulated_and_played_agree_for_every_preset(name: str) -> None:
    rules = preset(name)
    fresh = run(rules, 600_000, per_bank=1, seed=11)
    assert_plausible(deviations(fresh, odds(rules)))
    assert_plausible(deviations(run(rules, 600_000, infinite=True, seed=12), odds(rules, infinite())))
    assert abs(played_off(rules, None, None, 30, run(rules, 600_000, seed=13))) < MOST_ERRORS


_OPTIONS: dict[str, list[Any]] = {
    "decks": [1, 2, 6],
    "max_draws": [0, 1, 1, 1],
    **OPTIONS,
    "exhaustion": ["reserve", "stand", "reshuffle"],
}
_TABLEAU = PRESETS["punto-banco"][1]["banker_draw"]


def random_rules(random: Random) -> Rules:
    while True:
        changes = {name: random.choice(values) for name, values in _OPTIONS.items()}
        changes["punter_draw"] = [random.choice(["free", "free", "draw", "stand"]) for _ in range(10)]
        changes["banker_draw"] = random.choice(["never", "free", {"upto": 4}, _TABLEAU])
        if random.random() < 0.25:
            changes |= TWO_CARDS
        try:
            return preset("continental", **changes)
        except RulesError:
            continue


def test_exact_simulated_and_played_agree_for_random_options() -> None:
    random, off = Random(20), list[float]()
    for seed in range(32):
        rules = random_rules(random)
        draw_on = [points for points in range(10) if random.random() < 0.5]
        zeros = {"discard_dealt": random.random() < 0.7, "discard_drawn": random.random() < 0.7}
        punter = {"draw_on": draw_on, **zeros}
        banker = {"draw_on": [0, 1, 2, 3, 4, 5], **zeros} if rules.banker_is_free else "rules"
        exact = odds(rules, punter=punter, banker=banker)
        one = deviations(run(rules, 200_000, punter, banker, per_bank=1, seed=seed), exact)
        two = deviations(
            run(rules, 100_000, punter, banker, infinite=True, seed=seed),
            odds(rules, infinite(), punter=punter, banker=banker),
        )
        # Whole banks, so that a rule of the shoe's end matters to both alike.
        whole = run(rules, 200_000, punter, banker, seed=seed)
        off += [one[0], two[0], played_off(rules, punter, banker, 10, whole)]
        assert max(map(abs, one + two)) < MOST_ERRORS, rules.to_json()
    assert_plausible(off)


@pytest.mark.parametrize("hands", [2, 5])
def test_each_of_several_punters_has_the_odds_of_one(hands: int) -> None:
    """Against a banker who plays by rote, whoever else is at the table."""
    rules = preset("house")
    found = run(rules, 300_000, hands=hands, per_bank=1, seed=3)
    assert_plausible([one for hand in range(hands) for one in deviations(found, odds(rules), hand)])


def test_several_punters_as_the_engine_plays_them() -> None:
    rules = preset("house", decks=1)
    found = run(rules, 300_000, hands=4, seed=4)
    rows = [np.array(nets) for nets in banks(rules, None, None, 5, 60)]
    coups = np.array([len(nets) for nets in rows])
    for hand in range(4):
        totals = np.array([nets[:, hand].sum() for nets in rows])
        mean = totals.sum() / coups.sum()
        error = math.sqrt(((totals - mean * coups) ** 2).sum()) / coups.sum()
        gap = mean - found.hands[hand].ev.value
        assert abs(gap) < MOST_ERRORS * math.hypot(error, found.hands[hand].ev.error)
    # Coups of a bank: both follow the same rule for its end.
    per_bank = found.coups / found.tally.banks
    assert abs(coups.mean() - per_bank) < MOST_ERRORS * coups.std() / math.sqrt(len(coups)) + 0.01


@pytest.mark.parametrize("exhaustion", ["reserve", "stand", "reshuffle"])
@pytest.mark.parametrize("engine", ["numba", "numpy"])
def test_the_end_of_the_shoe_as_the_engine_plays_it(exhaustion: str, engine: str) -> None:
    """One pack and three punters who throw zeros: a shoe runs dry in the middle of many a last coup."""
    rules = preset("house", decks=1, exhaustion=exhaustion)
    found = run(rules, 120_000, hands=3, seed=5, engine=engine)
    rows = [np.array(nets) for nets in banks(rules, None, None, 4, 80)]
    coups = np.array([len(nets) for nets in rows])
    assert (
        abs(coups.mean() - found.coups / found.tally.banks)
        < MOST_ERRORS * coups.std() / math.sqrt(len(coups)) + 0.01
    )
    totals = np.array([nets.sum() for nets in rows])
    mean = totals.sum() / coups.sum()
    error = math.sqrt(((totals - mean * coups) ** 2).sum()) / coups.sum()
    simulated = sum(hand.ev.value for hand in found.hands)
    # Hands of one coup hang together, so their errors are added up.
    assert abs(mean - simulated) < MOST_ERRORS * (error + sum(hand.ev.error for hand in found.hands))


# What can be known without chance


def test_the_table_of_all_deals_is_the_exact_distribution() -> None:
    """Each of 13**4 deals of an infinite shoe, equally likely: their mean is the exact EV, to the last digit."""
    for name, punter in (("russian-even", {"draw_on": [0, 1, 2, 3, 4]}), ("continental", "textbook")):
        rules = preset(name)
        tables = punter_table(punter, rules), banker_table(default("banker", rules), rules)
        dealing = Dealing(rules, tables[:1], tables[1], infinite=True)
        v, b, w, c = (axis.ravel() for axis in np.meshgrid(RANKS, RANKS, RANKS, RANKS, indexing="ij"))
        nets = dealing.nets[dealing.lookups().outcomes(v, b, w, c)]
        assert Fraction(int(nets.sum()), 13**4) == odds(rules, infinite(), punter=punter).ev_punter
    # russian-even with the best draws: figure a10 of the shared cases.
    assert odds(
        preset("russian-even"), infinite(), punter={"draw_on": [0, 1, 2, 3, 4]}
    ).ev_punter == Fraction(616, 2197)


def test_a_bank_without_draws_has_as_many_coups_as_pairs_in_the_shoe() -> None:
    found = run(preset("russian-even", max_draws=0), CHUNK // 52 * 52)
    assert found.tally.banks * 52 == found.coups
    assert found.tally.coup_squares == found.tally.banks * 52**2


def test_without_a_push_every_coup_is_won_or_lost() -> None:
    found = run(preset("russian-even", ties="banker"), 50_000, seed=1).hands[0]
    assert set(found.distribution) == {1, -1}
    won, lost = (found.distribution[net].value for net in (1, -1))
    assert won + lost == pytest.approx(1)
    assert found.ev.value == pytest.approx(won - lost)
    assert found.variance == pytest.approx(1 - found.ev.value**2)


# Chance


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("russian-even", {"infinite": True}),
        ("russian-even", {}),
        ("house", {}),
        ("house", {"infinite": True}),
    ],
)
def test_threads_change_nothing(name: str, how: dict[str, Any]) -> None:
    told = [
        json.dumps(run(preset(name), 2 * CHUNK + 7, seed=9, threads=threads, **how).to_json())
        for threads in (1, 2, 8)
    ]
    assert told[0] == told[1] == told[2]


def test_the_seed_decides_and_another_decides_otherwise() -> None:
    rules = preset("house")
    one, same, other = (run(rules, 50_000, seed=seed).to_json() for seed in (1, 1, 2))
    assert one == same
    assert one["ev_punter"]["value"] != other["ev_punter"]["value"]


@pytest.mark.parametrize(
    ("name", "how"), [("house", {}), ("russian-even", {}), ("russian-even", {"infinite": True})]
)
def test_standard_errors_are_what_estimates_scatter_by(name: str, how: dict[str, Any]) -> None:
    """Over 300 runs the squared deviations from the common mean, in standard errors, average to 1."""
    runs = [run(preset(name), 3_000, seed=seed, **how).ev for seed in range(300)]
    mean = sum(one.value for one in runs) / len(runs)
    squares = [((one.value - mean) / one.error) ** 2 for one in runs]
    assert abs(sum(squares) / len(squares) - 1) < 4 * math.sqrt(2 / len(squares))


def test_mixed_strategies_meet_the_value_of_the_game() -> None:
    rules = preset("russian-even-active")
    found = equilibrium(rules, full(2))
    assert isinstance(found, Equilibrium)
    punter, banker = found.tables()
    for engine in ("numba", "numpy"):
        dealt = simulate(Dealing(rules, (punter,), banker, per_bank=1), 400_000, seed=6, engine=engine)
        assert abs(dealt.ev.value - float(found.value)) < MOST_ERRORS * dealt.ev.error


def test_a_probability_is_kept_to_32_bits() -> None:
    rules = preset("russian-even-active")
    found = equilibrium(rules, full(2))
    assert isinstance(found, Equilibrium)
    punter, banker = found.tables()
    dealing = Dealing(rules, (punter,), banker)
    assert dealing.draws[0, 0, 5] == round(Fraction(125, 336) * ALWAYS)
    assert not dealing.pure


# Engines


def test_numpy_and_numba_agree() -> None:
    for name in ("house", "punto-banco", "continental"):
        for how in ({}, {"per_bank": 1}, {"infinite": True}):
            one, two = (
                run(preset(name), 150_000, seed=21, engine=engine, **how).hands[0]
                for engine in ("numba", "numpy")
            )
            for net, share in one.distribution.items():
                other = two.distribution[net]
                bound = MOST_ERRORS * math.hypot(share.error, other.error)
                assert abs(share.value - other.value) <= bound, (name, how, net)


_WITHOUT_NUMBA = """
import json, sys
class Hide:
    def __init__(self, finder): self.finder = finder
    def find_spec(self, name, *rest):
        if name.split(".")[0] == "numba": return None
        return self.finder.find_spec(name, *rest)
    def __getattr__(self, name): return getattr(self.finder, name)
sys.meta_path[:] = [Hide(finder) for finder in sys.meta_path]
from analysis.dealing import Dealing
from analysis.simulate import simulate
from analysis.strategies import banker_table, punter_table
from casino.banking.presets import PRESETS
from casino.banking.rules import build
rules = build(PRESETS["house"][1], {})
dealing = Dealing(rules, (punter_table("textbook", rules),), banker_table("rules", rules), per_bank=1)
found = simulate(dealing, 300_000, seed=8)
try:
    simulate(dealing, 10, engine="numba")
except Exception as refusal:
    said = str(refusal)
print(json.dumps({**found.to_json(), "refusal": said, "loaded": "numba" in sys.modules}))
"""


def _subprocess(code: str) -> Any:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_without_numba_numpy_does_the_work_and_says_so() -> None:
    told = _subprocess(_WITHOUT_NUMBA)
    assert told["dealt_by"] == "numpy"
    assert not told["loaded"]
    assert "numba is not there" in told["refusal"]
    ev = told["ev_punter"]
    exact = -306511 / 6687135  # house against the textbook player: figure a37 of the shared cases
    assert abs(ev["value"] - exact) < MOST_ERRORS * ev["standard_error"]


def test_numba_is_loaded_with_the_first_coup() -> None:
    code = "import sys, json, analysis.simulate; print(json.dumps('numba' in sys.modules))"
    assert _subprocess(code) is False
    assert available() == "numba"


def test_progress_adds_up_to_the_coups() -> None:
    seen: list[int] = []
    run(preset("russian-even"), 3 * CHUNK + 5, infinite=True, threads=2, progress=seen.append)
    assert sum(seen) == 3 * CHUNK + 5
    assert len(seen) == 4


# What is said, and what is refused


def test_json_holds_errors_intervals_and_the_rule_of_the_shoe() -> None:
    told = run(preset("house"), 20_000, seed=2, hands=2).to_json()
    assert told["shoe"] == {"decks": 2, "exhaustion": "reserve", "per_bank": None}
    low, high = told["ev_punter"]["confidence_interval"]
    half = 1.96 * told["ev_punter"]["standard_error"]
    assert (high - low) / 2 == pytest.approx(half, rel=1e-4)
    assert low < told["ev_punter"]["value"] < high
    assert told["ev_banker"]["value"] == -told["ev_punter"]["value"]
    assert sum(share["value"] for share in told["distribution"].values()) == pytest.approx(1)
    assert len(told["hands"]) == 2
    assert json.loads(json.dumps(told)) == told


@pytest.mark.parametrize(
    ("changes", "how", "reason"),
    [
        ({}, {"coups": 0}, "whole number from 1"),
        ({}, {"threads": 0}, "whole number from 1"),
        ({}, {"seed": -1}, "whole number from 0"),
        ({}, {"hands": 10}, "1 to 9 punters"),
        ({}, {"per_bank": 0}, "at least 1 coup"),
        ({}, {"per_bank": 1, "infinite": True}, "no banks"),
        ({}, {"engine": "fortran"}, "must be numba"),
        ({"banker_draw": _TABLEAU}, {"hands": 2}, "one third card"),
        ({"shared_hand": True}, {"hands": 2}, "one hand"),
    ],
)
def test_refusals(changes: dict[str, Any], how: dict[str, Any], reason: str) -> None:
    coups = how.pop("coups", 10)
    with pytest.raises(RulesError, match=reason):
        run(preset("house", **changes), coups, **how)
