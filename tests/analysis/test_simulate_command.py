"""`macao simulate`, and policies that are worked out before they are dealt by."""

import json
from typing import Any

import pytest
from click.testing import CliRunner

from analysis.exact import odds
from analysis.reply_tables import tables
from analysis.shoe import full
from analysis.solve import solve
from analysis.strategies import cached_plan
from api.cli import main
from api.commands.equilibrium import tell_equilibrium
from api.commands.rule_set import read_rules
from casino.banking.presets import PRESETS
from casino.banking.rules import build
from casino.errors import RulesError


def told(*words: str) -> Any:
    done = CliRunner().invoke(main, ["simulate", *words, "--json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_json_of_a_changed_rule_against_the_exact_figure() -> None:
    """russian-even with a banker who draws to 5, best play: exactly even (figure a11 of the shared cases)."""
    rule = 'banker_draw={"upto": 5}'
    found = told("russian-even", "--set", rule, "--punter", "optimal", "--coups", "300000", "--per-bank", "1")
    assert found["coups"] == 300_000
    assert abs(found["ev_punter"]["value"]) < 4 * found["ev_punter"]["standard_error"]


def test_decks_punters_and_policies_are_taken() -> None:
    found = told(
        "house",
        "--decks",
        "3",
        "--punters",
        "2",
        "--punter",
        '{"draw_on": [0, 1]}',
        "--coups",
        "5000",
        "--seed",
        "7",
    )
    assert found["shoe"]["decks"] == 3
    assert len(found["hands"]) == 2
    assert found["seed"] == 7
    assert told("house", "--decks", "infinite", "--coups", "5000")["shoe"] == "infinite"


def test_a_table_for_people() -> None:
    done = CliRunner().invoke(main, ["simulate", "house", "--coups", "5000"])
    assert done.exit_code == 0
    assert "5,000 coups from 2 packs" in done.stdout
    assert "end of the shoe: reserve" in done.stdout


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["hose"], "no banking rules «hose»"),
        (["house", "--set", "ties"], "option=value"),
        (["house", "--set", "ties=perhaps"], "at /ties"),
        (["house", "--set", "tea=milk"], "unknown option"),
        (["house", "--decks", "nine"], "number of packs"),
        (["house", "--decks", "9"], "at /decks"),
        (["house", "--coups", "0"], "at /coups"),
        (["house", "--punters", "0"], "at /punters"),
        (["house", "--punter", "lucky"], "at /punter"),
        (["house", "--punter", "{"], "not JSON"),
        (["russian-multiple-active", "--punter", "optimal", "--banker", "optimal"], "thrown zeros"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(words: list[str], reason: str) -> None:
    done = CliRunner().invoke(main, ["simulate", *words])
    assert done.exit_code == 2
    assert reason in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", PRESETS)
def test_the_table_of_a_best_reply_is_worth_the_best_reply(name: str) -> None:
    """By points. Where zeros are thrown their number may tell a little more: at most a millionth here."""
    rules = build(PRESETS[name][1], {})
    punter, banker = tables(rules, full(rules.decks), "optimal", None)
    worth = solve(cached_plan(rules), full(rules.decks), punter, banker).whole().ev()
    best = odds(rules, punter="optimal", information="all").ev_punter
    assert float(best) - 1e-6 < float(worth) <= float(best)


@pytest.mark.parametrize("name", ["russian-even-active", "russian-multiple-active", "continental"])
def test_the_table_of_a_banker_s_best_reply_is_worth_it(name: str) -> None:
    rules = build(PRESETS[name][1], {})
    punter, banker = tables(rules, full(2), "textbook", "optimal")
    worth = solve(cached_plan(rules), full(2), punter, banker).whole().ev()
    best = odds(rules, punter="textbook", banker="optimal").ev_punter
    assert float(best) <= float(worth) < float(best) + 1e-6


def test_an_open_pair_is_the_equilibrium() -> None:
    """The value of the game, from its tables, by the exact solver of given policies."""
    rules = build(PRESETS["russian-even-active"][1], {})
    punter, banker = tables(rules, full(2), "equilibrium", "equilibrium")
    worth = solve(cached_plan(rules), full(2), punter, banker).whole().ev()
    assert (worth.numerator, worth.denominator) == (-32331737, 2317455504)  # type: ignore[union-attr]


def test_a_reply_to_open_cards_is_no_table() -> None:
    rules = build(PRESETS["russian-even-active"][1], {"exposed": "dealt"})
    with pytest.raises(RulesError, match="lie open"):
        tables(rules, full(2), "textbook", "optimal")


def test_the_equilibrium_as_json_and_as_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    rules, shoe = read_rules("russian-even-active", ())
    tell_equilibrium(rules, shoe, as_json=True)
    found = json.loads(capsys.readouterr().out)
    assert found["value"]["num"] == "-32331737"
    assert {"value", "punter", "banker", "exploitability", "certified"} <= set(found)
    tell_equilibrium(rules, shoe)
    assert "0.372024" in capsys.readouterr().out
    tell_equilibrium(rules, shoe, punters=2)
    assert "An equilibrium" in capsys.readouterr().out
