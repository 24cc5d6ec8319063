"""Pictures of bankrolls: what they show is what was worked out; every format by the commands."""

import json
import math
from fractions import Fraction

import pytest
from click.testing import CliRunner
from published_games import coin

from analysis import plots
from analysis.bankroll_plots import experiment_chart, kelly_chart, ruin_chart, sessions_chart, sweep_chart
from analysis.kelly import kelly
from analysis.outcomes import Outcomes
from analysis.ruin_curve import Form, curve
from analysis.runs import run, run_all
from analysis.sessions import session
from analysis.summary import summary
from analysis.sweep import Sweep
from api.cli import main

THREE = Outcomes.parse("3:1/8,1:3/8,-1:1/2")
REQUEST = {
    "outcomes": "1:0.48,-1:0.52",
    "staking": {"system": "flat", "unit": 1},
    "bankroll": 20,
    "limits": {"min": 1, "max": 50},
    "stops": {"coups": 100},
    "sessions": 1000,
}


def rows_of(chart):
    """The rows of a picture's own data, of all its layers and parts."""
    found = []

    def look(part):
        if isinstance(part, dict):
            found.extend(part["values"] if isinstance(part.get("values"), list) else [])
            for value in part.values():
                look(value)
        elif isinstance(part, list):
            for value in part:
                look(value)

    spec = json.loads(plots.drawn(chart, "json"))
    for rows in spec.pop("datasets", {}).values():
        found.extend(rows)
    look(spec)
    return found


def test_what_cannot_be_lost_or_only_lost_has_a_picture_too():
    for game, risk in (("1:1", 0), ("-1:1", 1), ("0:1/2,1:1/2", 0)):
        rows = rows_of(ruin_chart(Outcomes.parse(game), Form(), (5.0, float(risk))))
        assert {row["risk"] for row in rows if row.get("by") == "exact"} <= {risk}


def test_the_curve_of_ruin_is_the_closed_form():
    """A coin of 0.6 is ruined with (2/3)^bankroll; up to a goal of 9 by Feller XIV.2 (2.4)."""
    for_ever = curve(coin("0.6"), Form(), 30, 400)
    assert [held for held, _ in for_ever] == list(range(1, 31))
    assert all(risk == pytest.approx((2 / 3) ** held) for held, risk in for_ever)
    goal = curve(coin("0.6"), Form(goal=9), 30, 400)
    r = 2 / 3
    assert [held for held, _ in goal] == list(range(1, 9))
    assert all(risk == pytest.approx((r**9 - r**held) / (r**9 - 1)) for held, risk in goal)


def test_the_curve_within_some_coups():
    """Two tosses of a fair coin: from 1 ruined with 1/2 (L), from 2 with 1/4 (LL), from 3 never."""
    assert curve(coin("1/2"), Form(coups=2), 4, 400) == [(1, 0.5), (2, 0.25), (3, 0.0), (4, 0.0)]
    ahead = dict(curve(coin("1/2"), Form(coups=2, gain=1), 4, 400))
    assert ahead[2] == 0.25
    assert ahead[1] == 0.5


def test_certain_ruin_and_none():
    assert {risk for _, risk in curve(coin("0.4"), Form(), 9, 400)} == {1.0}
    assert {risk for _, risk in curve(Outcomes.parse("1:1/2,0:1/2"), Form(), 9, 400)} == {0.0}


def test_the_picture_of_ruin_shows_the_formulas_for_ever_only():
    rows = rows_of(ruin_chart(THREE, Form(), (10, 0.5)))
    assert {row["by"] for row in rows if "by" in row} == {"exact", "root", "diffusion"}
    assert [row for row in rows if "text" in row] == [{"bankroll": 10, "risk": 0.5, "text": "10: 0.5"}]
    rows = rows_of(ruin_chart(THREE, Form(coups=50), (10, 0.2)))
    assert {row["by"] for row in rows if "by" in row} == {"exact"}


def test_growth_has_its_maximum_at_kellys_fraction():
    best = kelly(THREE)
    rows = rows_of(kelly_chart(THREE, best))
    marks = {row["text"].split(" ")[0]: row for row in rows if "text" in row}
    line = [row for row in rows if "text" not in row and "fraction" in row]
    top = max(line, key=lambda row: row["growth"])
    assert top["fraction"] == pytest.approx(0.1476668, abs=0.01)
    assert marks["f*"]["fraction"] == pytest.approx(0.1476668, abs=1e-7)
    assert marks["half"]["fraction"] == pytest.approx(0.1476668 / 2, abs=1e-7)
    assert marks["no"]["growth"] == 0
    assert line[-1]["growth"] < 0, "the line goes on below nothing"


def test_without_an_edge_nothing_is_marked_but_nothing():
    rows = rows_of(kelly_chart(coin("0.4"), kelly(coin("0.4"))))
    assert [row["fraction"] for row in rows if "text" in row] == [0.0]
    assert all(row["growth"] <= 0 for row in rows if "growth" in row)


def test_bars_of_a_session_add_up_to_its_chances():
    for coups, bankroll in ((2, None), (100, 30), (3000, None)):
        found = session(THREE, coups, bankroll=bankroll)
        rows = rows_of(sessions_chart(found, coups, {"0.5": found.quantile(0.5)}))
        bars = [row for row in rows if "what" in row]
        assert 1 <= len(bars) <= 130
        mass = dict.fromkeys(("loss", "even", "win"), 0.0)
        for bar in bars:
            width = round((bar["high"] - bar["low"]) / float(found.step))
            mass[bar["what"]] += bar["chance"] * width
        assert sum(mass.values()) == pytest.approx(1, abs=1e-5)
        assert mass["win"] == pytest.approx(float(found.win), abs=1e-5)
        assert mass["loss"] == pytest.approx(float(found.loss), abs=1e-5)
        assert [row["result"] for row in rows if "result" in row] == [float(found.quantile(0.5))]


def test_bars_of_an_exact_session():
    found = session(coin("1/2"), 2, exact=True)
    bars = {
        row["low"] + 0.5: row["chance"]
        for row in rows_of(sessions_chart(found, 2, {}))
        if "what" in row and row["chance"]
    }
    assert bars == {-2: 0.25, 0: 0.5, 2: 0.25}


def test_an_experiment_shows_its_fan_and_its_paths():
    experiment = Sweep.from_json(REQUEST).experiments[0]
    told = summary(experiment, run(experiment))
    rows = rows_of(experiment_chart(told))
    fan = [row for row in rows if "q50" in row]
    assert fan[0] == {"coup": 0, **dict.fromkeys(("q05", "q25", "q50", "q75", "q95"), 20)}
    assert fan[-1]["q50"] == told["fan"][-1]["0.5"]
    assert all(row["q05"] <= row["q25"] <= row["q50"] <= row["q75"] <= row["q95"] for row in fan)
    paths = [row for row in rows if "path" in row]
    assert len(paths) == 20 * len(told["paths"]["coups"])
    assert paths[1]["chips"] == told["paths"]["bankrolls"][0][1]


def test_a_sweep_shows_every_cell():
    sweep = Sweep.from_json(REQUEST | {"grid": {"bankroll": [10, 20], "stops/coups": [50, 100]}})
    table = sweep.table(run_all(sweep.experiments))
    rows = rows_of(sweep_chart(table))
    cells = {row["cell"]: row for row in rows if "ruin_low" in row}
    assert list(cells) == [
        f"{number}: flat (unit 1), bankroll {held}, coups {coups}"
        for number, (held, coups) in enumerate(((10, 50), (10, 100), (20, 50), (20, 100)), 1)
    ]
    first = cells["1: flat (unit 1), bankroll 10, coups 50"]
    assert first["ruin_low"] <= first["ruin"] <= first["ruin_high"]
    assert first["exact"] == table[0]["ruin_exact"]
    assert not any(
        math.isnan(value) for row in cells.values() for value in row.values() if value != row["cell"]
    )


COIN = ("--outcomes", "1:0.53,-1:0.47")
PLAYED = ("--unit", "1", "--limits", "1-1", "--bankroll", "20", "--coups", "50", "--sessions", "200")
COMMANDS = [
    ("ruin", *COIN, "--bankroll", "20"),
    ("ruin", *COIN, "--bankroll", "20", "--goal", "40", "--coups", "30"),
    ("ruin", *COIN, "--risk", "0.01"),
    ("ruin", *COIN, "--risk", "0.1", "--gain", "5"),
    ("ruin", "--outcomes", "1:1/2,0:1/2", "--bankroll", "20"),
    ("kelly", *COIN),
    ("sessions", *COIN, "--coups", "30"),
    ("experiment", *COIN, *PLAYED),
    ("experiment", *COIN, *PLAYED, "--system", "flat", "--system", "oscar"),
]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_command_draws(words, tmp_path):
    """Every picture as SVG; one in the other formats too."""
    kinds = ("svg", "json", "png", "html") if words[0] in ("kelly",) else ("svg",)
    for kind in kinds:
        file = tmp_path / f"picture.{kind}"
        done = CliRunner().invoke(main, [*words, "--chart", str(file)])
        assert done.exit_code == 0, done.output
        data = file.read_bytes()
        marks = {"svg": b"<svg", "json": b"vega-lite", "png": b"\x89PNG", "html": b"<html"}
        assert marks[kind] in data[:40_000_000]


def test_another_ending_is_refused_before_any_work(tmp_path):
    for words in (COMMANDS[0], COMMANDS[5], COMMANDS[6], COMMANDS[7]):
        done = CliRunner().invoke(main, [*words, "--chart", str(tmp_path / "picture.gif")])
        assert done.exit_code == 2
        assert ".svg, .png, .html, .json" in done.stderr


def test_half_stakes_are_drawn_on_their_lattice():
    game = Outcomes.parse("1/2:3/5,-1:2/5")
    assert [held for held, _ in curve(game, Form(goal=2), 9, 400)] == [1.0, 1.5]
    assert dict(curve(game, Form(goal=2), 9, 400))[1.0] == pytest.approx(
        float(Fraction(2, 5) + Fraction(3, 5) * Fraction(2, 5))
    )
