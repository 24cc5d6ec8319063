"""macao ruin, kelly, sessions and experiment on the command line; the study's page is what its commands print."""

import importlib.util
import json
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

import api
from analysis.stops import SCHEMA as STOPS
from analysis.systems import SYSTEMS
from api.cli import main

DOCS = Path(api.__file__).parent.parent / "docs"
_spec = importlib.util.spec_from_file_location("run_commands", DOCS / "run_commands.py")
run_commands = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(run_commands)

COIN = ["--outcomes", "1:0.45,-1:0.55"]
EXPERIMENT = [
    "experiment", *COIN, "--unit", "1", "--limits", "1-50", "--bankroll", "20", "--coups", "100", "--sessions", "2000",
]  # fmt: skip
BANKING = ["--rules", "house", "--unit", "5", "--bankroll", "500", "--coups", "9"]


def macao(*words, stdin=None):
    return CliRunner().invoke(main, list(words), input=stdin)


def answer(*words, stdin=None):
    result = macao(*words, "--json", stdin=stdin)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_ruin_of_fellers_gambler():
    found = answer("ruin", *COIN, "--bankroll", "90", "--goal", "100")
    assert round(found["ruin"]["float"], 3) == 0.866
    assert round(found["expected_coups"]["float"], 1) == 765.6
    assert "0.86556937" in macao("ruin", *COIN, "--bankroll", "90", "--goal", "100").output


@pytest.mark.parametrize(
    ("left_out", "told"),
    [("--bankroll", "--bankroll CHIPS"), ("--coups", "--coups N"), ("--unit", "--unit CHIPS")],
)
def test_what_an_experiment_lacks_is_told_as_the_option_to_give(left_out, told):
    """Every experiment has a bankroll, a longest session and a first stake; who asks here gives them as options."""
    words = [*EXPERIMENT, "--system", "martingale"]
    place = words.index(left_out)
    refused = macao(*words[:place], *words[place + 2 :])
    assert refused.exit_code == 2
    assert told in refused.output


def test_ruin_in_fractions_and_for_a_risk():
    exact = answer("ruin", *COIN, "--bankroll", "1", "--coups", "1", "--exact")
    assert exact["ruin"] == {"num": "11", "den": "20", "float": 0.55}
    needed = answer("ruin", "--outcomes", "1:0.6,-1:0.4", "--risk", "0.01")
    assert needed["bankroll"]["num"] == "12"  # (2/3)^11 = 0.0116, (2/3)^12 = 0.0077
    assert needed["ruin"]["float"] == pytest.approx((2 / 3) ** 12)


def test_kelly_of_three_outcomes():
    found = answer("kelly", "--outcomes", "3:1/8,1:3/8,-1:1/2", "--bankroll", "10", "--fraction", "0.1")
    assert round(found["full"]["fraction"], 7) == 0.1476668
    assert round(found["full"]["growth"], 7) == 0.0176008
    assert found["coup"]["n0"] == 31
    assert found["fraction"]["fraction"] == 0.1
    assert found["certainty_equivalent"] == pytest.approx(0.1598, abs=1e-4)


def test_sessions_of_three_tosses():
    found = answer("sessions", "--outcomes", "1:1/2,-1:1/2", "--coups", "3", "--exact", "--quantile", "0.5")
    assert {net: chance["num"] + "/" + chance["den"] for net, chance in found["distribution"].items()} == {
        "-3": "1/8",
        "-1": "3/8",
        "1": "3/8",
        "3": "1/8",
    }
    assert found["quantiles"]["0.5"]["num"] == "-1"
    assert "or worse" in macao("sessions", *COIN, "--coups", "3").output


def test_fractions_of_any_length_are_printed():
    """Numbers of thousands of digits: 20^2000 is one."""
    found = answer("sessions", *COIN, "--coups", "4000", "--exact", "--quantile", "0.5")
    assert len(found["win"]["num"]) > 4300
    assert found["win"]["float"] == pytest.approx(0, abs=1e-9)
    assert found["distribution"] is None, "they would take millions of digits"
    assert macao("sessions", *COIN, "--coups", "4000", "--exact").exit_code == 0


def test_results_come_from_a_file(tmp_path):
    file = tmp_path / "nets.txt"
    file.write_text("1\n-1\n\n3\n-1\n")
    found = answer("kelly", "--results", str(file))
    assert found["outcomes"] == {"-1": "1/2", "1": "1/4", "3": "1/4"}


def test_rules_with_changes_and_policies():
    found = answer(
        "kelly", "--rules", "russian-even", "--change", 'banker_draw={"upto": 5}', "--punter", "optimal"
    )
    assert found["coup"]["mean"]["num"] == "0"  # case a11: an even game
    word, quoted = (
        answer("kelly", "--rules", "house", "--set", f"ties={value}") for value in ("push", '"push"')
    )
    assert word == quoted != answer("kelly", "--rules", "house")
    found = answer("kelly", "--rules", "house", "--punter", '{"draw_on": [1, 2, 3]}', "--shoe", "infinite")
    assert found["coup"]["mean"]["float"] < 0


def test_an_experiment_by_options_and_by_file_is_the_same(tmp_path):
    by_options = answer(*EXPERIMENT, "--system", "martingale", "--loss", "15")
    request = {
        "outcomes": COIN[1],
        "staking": {"system": "martingale", "unit": 1},
        "bankroll": 20,
        "limits": {"min": 1, "max": 50, "step": 1},
        "stops": {"coups": 100, "loss": 15},
        "sessions": 2000,
    }
    file = tmp_path / "request.json"
    file.write_text(json.dumps(request))
    assert answer("experiment", str(file)) == by_options
    assert answer("experiment", "-", stdin=json.dumps(request)) == by_options
    other = answer("experiment", str(file), "--seed", "1", "--bankroll", "30")
    assert other["table"][0]["hash"] != by_options["table"][0]["hash"]


OVER = {
    "rules": {"preset": "house", "punter": "textbook"},
    "staking": {"system": "flat", "unit": 5},
    "bankroll": 500,
    "stops": {"coups": 20, "loss": 100},
    "sessions": 40,
}


def put_over(request, *words):
    return macao("experiment", "-", *words, "--json", stdin=json.dumps(request))


@pytest.mark.parametrize(
    ("words", "changed"),
    [
        (["--punter", "optimal"], {"rules": {"preset": "house", "punter": "optimal"}}),
        (["--side", "banker"], {"rules": {**OVER["rules"], "side": "banker"}}),
        (["--set", "ties=push"], {"rules": {**OVER["rules"], "changes": {"ties": "push"}}}),
        (["--rules", "russian-even"], {"rules": {"preset": "russian-even", "punter": "textbook"}}),
        (["--shoe", "infinite"], {"shoe": "infinite"}),
        (["--win", "60"], {"stops": {"coups": 20, "loss": 100, "win": 60}}),
        (["--unit", "10"], {"staking": {"system": "flat", "unit": 10}}),
        (["--system", "oscar"], {"staking": {"system": "oscar", "unit": 5}}),
        (["--precision", "ruin=0.5"], {"precision": {"of": "ruin", "half_width": "0.5", "most": 40}}),
        (
            ["--outcomes", "1:1/2,-1:1/2", "--limits", "5-50/5"],
            {"rules": None, "outcomes": "1:1/2,-1:1/2", "limits": {"min": 5, "max": 50, "step": 5}},
        ),
    ],
)
def test_an_option_goes_over_the_member_of_the_file_that_it_names(words, changed):
    """The hash of an experiment is that of its whole JSON: equal hashes are equal experiments."""
    wanted = {key: value for key, value in (OVER | changed).items() if value is not None}
    by_options, by_file = put_over(OVER, *words), put_over(wanted)
    assert by_options.exit_code == by_file.exit_code == 0, by_options.output + by_file.output
    assert by_options.stdout == by_file.stdout != put_over(OVER).stdout


@pytest.mark.parametrize(
    ("changed", "words", "said"),
    [
        ({"grid": {"bankroll": [500, 600]}}, ["--bankroll", "700"], "«bankroll», which --bankroll sets"),
        ({"grid": {"stops": [{"coups": 9}]}}, ["--coups", "5"], "«stops», which --coups sets"),
        ({"grid": {"staking/unit": [5, 10]}}, ["--system", "oscar"], "«staking/unit», which --system sets"),
        ({"grid": {"rules/punter": ["optimal"]}}, ["--punter", "textbook"], "«rules/punter», which --punter"),
        ({"grid": {"rules/changes/ties": ["push"]}}, ["--set", "ties=push"], "«rules/changes/ties», which --set"),
        ({"grid": {"rules/preset": ["house"]}}, ["--outcomes", "0:1"], "which --outcomes sets"),
        ({"rules": None, "outcomes": "1:1/2,-1:1/2"}, ["--punter", "optimal"], "has outcomes: give --rules PRESET"),
        ({}, ["--game", "house"], "has rules: give --played FILE"),
        ({"staking": {"system": "kelly"}}, ["--unit", "5"], "none of which is here: «kelly»"),
        ({"stops": 7}, ["--win", "5"], "must be an object (at /stops)"),
        ({"stops": {"win": 9}}, ["--loss", "5"], "--coups N, beside --win, --loss"),
    ],
)  # fmt: skip
def test_where_an_option_and_the_file_conflict_both_are_named(changed, words, said):
    request = {key: value for key, value in (OVER | changed).items() if value is not None}
    refused = put_over(request, *words)
    assert refused.exit_code == 2
    assert said in refused.stderr


def test_a_policy_may_be_put_over_a_grid_of_rules():
    request = {key: value for key, value in OVER.items() if key != "rules"}
    request |= {"grid": {"rules": [{"preset": "house"}, {"preset": "house", "changes": {"ties": "push"}}]}}
    found = put_over(request, "--punter", "optimal")
    assert found.exit_code == 0, found.output
    assert len(json.loads(found.stdout)["table"]) == 2


@pytest.mark.parametrize(
    ("word", "system"),
    [
        ("proportional:1/20", {"system": "proportional", "fraction": "1/20"}),
        ("kelly:1/2", {"system": "kelly", "share": "1/2"}),
        ("martingale:3", {"system": "martingale", "unit": 1, "doublings": 3}),
        ("paroli:2", {"system": "paroli", "unit": 1, "wins": 2}),
        ("labouchere:1,2", {"system": "labouchere", "unit": 1, "line": [1, 2]}),
    ],
)
def test_a_systems_own_option_stands_behind_its_name(word, system):
    words = [
        "--outcomes",
        "1:0.55,-1:0.45",
        "--limits",
        "1-50",
        "--bankroll",
        "20",
        "--coups",
        "30",
        "--sessions",
        "50",
    ]
    unit = ["--unit", "1"] if "unit" in system else []
    by_name = answer("experiment", *words, *unit, "--system", word)
    assert by_name == answer("experiment", *words, "--system", json.dumps(system))


def test_several_systems_make_a_table(tmp_path):
    sheet = tmp_path / "table.csv"
    result = macao(*EXPERIMENT, "--system", "flat", "--system", "oscar", "--csv", str(sheet))
    assert result.exit_code == 0
    assert "flat (unit 1)" in result.output
    assert "oscar (unit 1)" in result.output
    assert len(sheet.read_text().splitlines()) == 3


def test_kept_chunks_are_gone_on_from(tmp_path):
    keep = tmp_path / "kept"
    first = answer(*EXPERIMENT, "--keep", str(keep))
    chunks = sorted(keep.glob("*.chunk"))
    assert len(chunks) == 16
    for chunk in chunks[::2]:
        chunk.unlink()
    before = {chunk: chunk.stat().st_mtime_ns for chunk in chunks[1::2]}
    assert answer(*EXPERIMENT, "--keep", str(keep)) == first
    assert all(chunk.stat().st_mtime_ns == stamp for chunk, stamp in before.items())
    chunks[0].write_bytes(b"half a chunk")
    result = macao(*EXPERIMENT, "--keep", str(keep))
    assert result.exit_code == 2
    assert "not the result of a chunk" in result.stderr


def test_turns_and_precision():
    found = answer(
        "experiment", "--rules", "punto-banco", "--unit", "5", "--bankroll", "200", "--coups", "40",
        "--turns", "3:10:20", "--precision", "ruin=0.02", "--sessions", "20000",
    )  # fmt: skip
    low, high = found["results"][0]["ruin"]["confidence_interval"]
    assert (high - low) / 2 <= 0.02
    assert found["results"][0]["sessions"] < 20000


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["ruin", *COIN], "give bankroll, or risk"),
        (["ruin", *COIN, "--bankroll", "NaN"], "finite number"),
        (["ruin", *COIN, "--bankroll", "0.5"], "ruined from the start"),
        (["ruin", *COIN, "--bankroll", "5", "--goal", "3"], "must be above the bankroll"),
        (["ruin", *COIN, "--bankroll", "5", "--coups", "1000000000"], "too large"),
        (["ruin", *COIN, "--bankroll", "5", "--gain", "3"], "gain goes with risk"),
        (["ruin", *COIN, "--risk", "0.1"], "ruin is certain"),
        (["ruin", "--bankroll", "5"], "give one of --outcomes"),
        (["ruin", *COIN, "--rules", "house", "--bankroll", "5"], "not --outcomes and --rules"),
        (["ruin", *COIN, "--punter", "optimal", "--bankroll", "5"], "goes with --rules only"),
        (["kelly", "--outcomes", "1:1/2"], "add up to 1/2"),
        (["kelly", "--rules", "roulette"], "no preset"),
        (["kelly", "--rules", "house", "--change", "decks"], "option=value"),
        (["kelly", "--rules", "house", "--change", "decks=99"], "must be 1 to 8"),
        (["kelly", "--rules", "house", "--set", "banker_draw=nevr"], 'one of ["never", "free"]'),
        (["sessions", *COIN, "--coups", "0"], "must be 1 to"),
        (["sessions", *COIN, "--coups", "5", "--quantile", "7"], "between 0 and 1"),
        ([*EXPERIMENT, "--system", "luck"], "no staking system"),
        (
            ["experiment", *COIN, "--bankroll", "20", "--coups", "9", "--system", "kelly"],
            "nothing without an edge",
        ),
        ([*EXPERIMENT, "--system", "kelly"], "none of which is here: «kelly»"),
        ([*EXPERIMENT, "--system", "proportional"], "--system proportional:1/50"),
        ([*EXPERIMENT, "--system", "table"], "needs stakes, on_loss, on_win: write it as JSON"),
        ([*EXPERIMENT, "--system", "oscar:3"], "«oscar» has no option of its own"),
        ([*EXPERIMENT, "--system", "table:3"], "«table» has 3 options"),
        (
            [*EXPERIMENT, "--system", "martingale:x"],
            "must be a whole number, not 'x' (at /staking/doublings)",
        ),
        ([*EXPERIMENT, "--system", "labouchere:1,,2"], "whole numbers with commas between"),
        (["experiment", *COIN, "--unit", "1", "--bankroll", "20", "--win", "5"], "--coups N, beside --win"),
        ([*EXPERIMENT, "--bankroll", "0"], "must be 1 to"),
        ([*EXPERIMENT, "--target", "20"], "above the bankroll"),
        ([*EXPERIMENT, "--limits", "5"], "MIN-MAX"),
        ([*EXPERIMENT, "--limits", "2-50"], "not a stake of this table"),
        ([*EXPERIMENT, "--precision", "luck=1"], "must be one of"),
        ([*EXPERIMENT, "--precision", "ruin"], "--precision is written ruin=P or gain=CHIPS"),
        ([*EXPERIMENT, "--precision", "ruin=nan"], "finite number"),
        ([*EXPERIMENT, "--turns", "3:5:10"], "--turns goes with --rules only"),
        (["experiment", "--rules", "house", "--turns", "3"], "PLAYERS:COUPS:STAKE"),
        (["experiment", *BANKING, "--turns", "99:5:5"], "2 to 10 players"),
        (["experiment", *COIN, "--bankroll", "20", "--coups", "5"], "--unit CHIPS for flat stakes"),
        ([*EXPERIMENT, "--csv", "/none/table.csv"], "no folder /none"),
        ([*EXPERIMENT, "--parquet", "/none/table.parquet"], "no folder /none"),
        ([*EXPERIMENT, "--chart", "/none/picture.svg"], "no folder /none"),
        (["ruin", *COIN, "--bankroll", "-5"], "ruined from the start"),
        (["ruin", *COIN, "--bankroll", "1e99"], "the cap is"),
        (["ruin", *COIN, "--bankroll", "1/0"], "divides by zero"),
        (["ruin", *COIN, "--bankroll", "5", "--goal", "1e30"], "the cap is"),
        (["ruin", *COIN, "--risk", "0.01", "--gain", "1e20"], "(at /gain)"),
        (["ruin", *COIN, "--risk", "nan"], "finite number"),
        (["ruin", "--outcomes", "0.00001:0.5,-1:0.5", "--bankroll", "5"], "too fine a lattice"),
        (["ruin", "--outcomes", "1e9:0.5,-1:0.5", "--bankroll", "5"], "at most 1000000 stakes"),
        (["ruin", "--outcomes", "0:1", "--bankroll", "5"], "nothing is ever won or lost"),
        (["ruin", "--rules", "house", "--punter", "", "--bankroll", "5"], "not empty"),
        (["ruin", "--rules", "house", "--punter", "{bad", "--bankroll", "5"], "is not JSON"),
        (["ruin", "--rules", "house", "--punters", "3", "--bankroll", "50"], "side must be banker"),
        (["kelly", *COIN, "--fraction", "-1"], "must be 0 to 1"),
        (["kelly", *COIN, "--risk-tolerance", "1"], "goes with a bankroll"),
        (["kelly", *COIN, "--bankroll", "5", "--risk-tolerance", "0"], "above 0 and at most 1"),
        (["sessions", *COIN, "--coups", "100000000"], "the cap is"),
        (["sessions", *COIN, "--coups", "100000", "--exact"], "the cap is"),
        (["sessions", *COIN, "--coups", "5", "--quantile", "nan"], "finite number"),
        ([*EXPERIMENT, "--sessions", "1000000000", "--coups", "1000000"], "hours of one core"),
        (["experiment", "-"], "is not JSON"),
        (["rune"], "no command «rune»; there are serve, "),
    ],
)
def test_what_cannot_be_is_one_line_and_exit_code_2(words, said):
    result = macao(*words, stdin="")
    assert result.exit_code == 2
    lines = result.stderr.strip().splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("Error: ")
    assert said in lines[0]


def test_the_study_is_what_its_commands_print():
    page = (DOCS / "study-banker.md").read_text(encoding="utf-8")
    assert page.count("```sh") == len(run_commands.PAIR.findall(page)) >= 10
    assert page == run_commands.rewritten(page), "run python docs/run_commands.py study-banker.md"


def test_every_figure_of_the_study_is_printed_by_one_of_its_commands():
    page = (DOCS / "study-banker.md").read_text(encoding="utf-8")
    prose = re.sub(r"```.*?```", "", page, flags=re.DOTALL)
    blocks = " ".join(re.findall(r"```.*?```", page, flags=re.DOTALL))
    printed = set(re.findall(r"\d+(?:\.\d+)?", blocks))
    figures = re.findall(r"\d+\.\d+|\d{3,}", prose)
    assert len(figures) > 8
    # The one product of the prose: 104 stakes of 10 chips.
    assert [figure for figure in figures if figure not in printed] == ["1040"]


def commands_of(text):
    """The commands of a page's `sh` blocks, a line each."""
    lines = "\n".join(re.findall(r"```sh\n(.*?)```", text, re.DOTALL)).splitlines()
    return [line for line in lines if line.startswith("macao ")]


COMMANDS = commands_of((DOCS / "bankroll.md").read_text(encoding="utf-8"))


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_of_the_page_runs(command, tmp_path, monkeypatch):
    pytest.importorskip("pyarrow", reason="the extra «parquet» is not installed")
    monkeypatch.chdir(tmp_path)
    words = shlex.split(command)
    result = macao(*words[1:])
    assert result.exit_code == 0, result.output
    for option in ("--chart", "--csv", "--parquet"):
        if option in words:
            assert Path(words[words.index(option) + 1]).stat().st_size > 100


def test_the_page_shows_every_command_and_form():
    assert len(COMMANDS) >= 15
    shown = " ".join(COMMANDS)
    for part in (
        "ruin",
        "kelly",
        "sessions",
        "experiment",
        "--goal",
        "--risk",
        "--shoe",
        "--chart",
        "--turns",
    ):
        assert part in shown


def test_the_page_names_every_system_stop_rule_and_option():
    page = (DOCS / "bankroll.md").read_text(encoding="utf-8")
    for name in [*SYSTEMS, *STOPS["properties"]]:
        assert f"`{name}`" in page
    example = json.loads(re.search(r"```json\n(.*?)```", page, re.DOTALL)[1])
    found = answer("experiment", "-", "--sessions", "500", stdin=json.dumps(example))
    assert len(found["table"]) == 4
