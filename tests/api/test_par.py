"""Par sheets and comparisons of rule sets, over Python, the command line and REST."""

import csv
import io
import json
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient

from analysis.compare import compare
from analysis.exact import odds
from analysis.par import par
from api.cli import main
from casino.banking.presets import PRESETS
from casino.banking.rules import Rules, build


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Sheets store nothing: one kind of database will do."""
    return sqlite_url


def rules(name: str, **changes: object) -> Rules:
    """A preset with changes."""
    return build(PRESETS[name][1], changes)


def test_the_sheet_of_punto_banco_has_the_published_shares() -> None:
    """8 packs: player 2230518282592256, banker 2292252566437888, tie 475627426473216 of 4998398275503360."""
    hits = par(rules("punto-banco")).best.hits
    whole = 4998398275503360
    assert hits == {
        "win": Fraction(2230518282592256, whole),
        "push": Fraction(475627426473216, whole),
        "lose": Fraction(2292252566437888, whole),
    }


@pytest.mark.parametrize("name", [name for name in PRESETS if name != "russian-multiple-active"])
def test_hit_rates_add_up_and_sides_are_opposite(name: str) -> None:
    """Win, push and lose are everything; the banker's edge is the punter's with the other sign."""
    sheet = par(rules(name))
    for line in (sheet.best, sheet.textbook):
        assert line.hits is not None
        assert float(sum(line.hits.values())) == pytest.approx(1, abs=1e-12)
        told = line.to_json()
        assert told["ev_banker"]["float"] == -told["ev_punter"]["float"]


def test_a_comparison_turns_each_differing_option_and_adds_up() -> None:
    """russian-multiple to house: three options bear on a coup; cases a18, a33 (with tie_takes_on) and a35 between."""
    found = compare(rules("russian-multiple"), rules("house"))
    bear = [step for step in found.steps if step.worth]
    assert [step.options for step in bear] == [("banker_draw",), ("banker_discards",), ("tie_takes_on",)]
    assert {step.options for step in found.steps if not step.worth} == {
        ("stake_limits",),
        ("seats_change",),
        ("seating",),
    }
    assert found.ev_first == Fraction(69524186106, 129386532275)
    assert found.ev_second == found.steps[-1].ev_punter == Fraction(-252899, 6687135)
    assert sum(step.worth for step in found.steps) == found.ev_second - found.ev_first


def test_the_worth_alone_is_that_of_the_option_turned_in_the_first_rules() -> None:
    """By the page on odds: from russian-multiple `banker_discards=both` is worth -25.0392 % by itself, and the rule on
    ties nothing, since its banker never draws."""
    found = {step.options: step for step in compare(rules("russian-multiple"), rules("house")).steps}
    assert float(found["banker_discards",].alone or 0) == pytest.approx(-0.250392, abs=5e-7)
    assert found["tie_takes_on",].alone == 0 > found["tie_takes_on",].worth


def test_what_contradicts_itself_half_way_is_turned_later_or_together() -> None:
    """house to punto-banco: two first cards cannot be while zeros are discarded, so discards go first; a commission
    needs two first cards and one hand; each is turned once, and all together make the other rule set."""
    found = compare(rules("house"), rules("punto-banco"))
    turned = [name for step in found.steps for name in step.options]
    old, new = rules("house").to_json(), rules("punto-banco").to_json()
    assert sorted(turned) == sorted(name for name in old if old[name] != new[name])
    assert turned.index("first_cards") > max(turned.index("punter_discards"), turned.index("banker_discards"))
    assert turned.index("commission") > max(turned.index("first_cards"), turned.index("shared_hand"))
    assert next(step for step in found.steps if step.options == ("first_cards",)).alone is None
    assert sum(step.worth for step in found.steps) == found.ev_second - found.ev_first


def test_options_that_only_go_together_are_turned_together() -> None:
    """A stake of 400 needs a bank of 1200: neither the stakes nor the bank's limits can be turned alone."""
    low = rules("house", stake_limits={"min": 5, "max": 5, "step": 5}, bank_limits={"min": 100, "max": 1000})
    high = rules(
        "house", stake_limits={"min": 400, "max": 400, "step": 5}, bank_limits={"min": 2000, "max": 9000}
    )
    assert [step.options for step in compare(high, low).steps] == [("stake_limits",), ("bank_limits",)]
    assert [step.options for step in compare(low, high).steps] == [("bank_limits",), ("stake_limits",)]
    with_bank = rules(
        "house", stake_limits={"min": 400, "max": 400, "step": 5}, bank_limits={"min": 1200, "max": 1200}
    )
    small = rules(
        "house", bank_limits={"min": 100, "max": 1100}, stake_limits={"min": 5, "max": 5, "step": 5}
    )
    assert sum(len(step.options) for step in compare(small, with_bank).steps) == 2


def test_given_policies_are_held_through_a_comparison() -> None:
    """The textbook against the house and against a house that draws on 4: `docs/odds.md` and the odds themselves."""
    changed = rules("house", banker_draw={"upto": 4})
    found = compare(rules("house"), changed, "textbook")
    assert found.ev_first == odds(rules("house"), punter="textbook").ev_punter
    assert found.ev_second == odds(changed, punter="textbook").ev_punter


def test_the_same_rules_have_no_steps() -> None:
    assert compare(rules("house"), rules("house")).steps == ()


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["par", "no-such"], "no banking rules"),
        (["compare", "house", "no-such"], "no banking rules"),
        (["counting", "house", "--depths", "x"], "in cards gone"),
        (["counting", "house", "--depths", "104"], "a coup needs"),
        (["counting", "house", "--samples", "1"], "whole number"),
        (["counting", "house", "--chart", "edge.pdf"], "a chart is saved as"),
        (["counting", "house", "--decks", "infinite"], "no card ever leaves"),
        (["counting", "house", "--samples", "10", "--csv", "/no/such/folder/x.csv"], "cannot write"),
        (["edge", "house", "--chart", "heat"], "a chart is saved as"),
        (["policy", "continental", "--equilibrium", "--chart", "x.svg"], "add --side"),
        (["compare", "house", "house", "--set-b", "decks"], "a change is written"),
    ],
)
def test_bad_input_is_told_and_ends_with_2(words: list[str], part: str) -> None:
    """One reason, no traceback."""
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 2
    assert part in done.output
    assert done.output.count("\n") == 1, done.output


def test_the_commands_print_json_and_tables() -> None:
    """`--json` is JSON; without it there are tables that name both sides."""
    run = CliRunner()
    assert json.loads(run.invoke(main, ["par", "house", "--json"]).output)["worst_payout"] == 3
    told = run.invoke(main, ["par", "house"]).output
    assert "edge of the banker" in told
    assert "+3.781874 %" in told
    assert json.loads(run.invoke(main, ["compare", "house", "russian-multiple", "--json"]).output)["steps"]
    told = json.loads(run.invoke(main, ["counting", "house", "--samples", "50", "--json"]).output)
    assert len(told["effects_of_removal"]) == 10


def test_the_sheet_over_rest(client: FlaskClient) -> None:
    """GET /games/{name}/par for banking games; 404 with the reason for others."""
    found = client.get("/v1/games/house/par")
    assert found.status_code == 200
    assert found.json["best"]["ev_punter"]["num"] == "-252899"
    assert found.json["best"]["hit_rates"]["win"]["float"] == pytest.approx(0.434612830, abs=1e-9)
    assert found.headers["Cache-Control"] == "public, max-age=3600"
    refused = client.get("/v1/games/peklo/par")
    assert refused.status_code == 404
    assert "par sheets are of" in refused.json["detail"]


# Files


def rows_of(*words: str) -> list[dict[str, str]]:
    """What a command writes to standard output as CSV."""
    done = CliRunner().invoke(main, [*words, "--csv", "-"])
    assert done.exit_code == 0, done.output
    return list(csv.DictReader(io.StringIO(done.stdout)))


def test_the_odds_as_csv_hold_every_action_of_every_card_exactly() -> None:
    rows = rows_of("edge", "russian-even", "--punter", "optimal")
    whole = next(row for row in rows if row["first"] == "all")
    assert whole["ev_punter_exact"] == "6380/22763"
    nine = next(row for row in rows if (row["first"], row["action"]) == ("9", "stand"))
    assert nine["ev_punter_exact"] == "96/103", "a 9 that stands pushes with the seven other nines only"
    assert (nine["best"], nine["probability_exact"]) == ("True", "1/13")
    assert sum(float(whole[f"p({net})"]) for net in ("-1", "0", "+1")) == pytest.approx(1)


def test_policies_counting_comparisons_and_par_sheets_as_csv() -> None:
    six = [row for row in rows_of("policy", "house") if (row["stage"], row["points"]) == ("dealt", "6")]
    assert {row["action"]: row["best"] for row in six} == {"draw": "False", "stand": "True"}
    solved = rows_of("policy", "chemin-de-fer", "--decks", "infinite", "--equilibrium")
    assert next(r for r in solved if (r["side"], r["points"]) == ("punter", "5"))["draw_exact"] == "9/11"
    counted = rows_of("counting", "punto-banco", "--samples", "2", "--depths", "52")
    assert [row["table"] for row in counted] == ["effects of removal"] * 10 + ["edge of the punter by depth"]
    assert [row["option"] for row in rows_of("compare", "house", "house", "--set-b", "decks=6")] == ["decks"]
    assert [row["punter"] for row in rows_of("par", "house")] == ["optimal", "textbook"]


def test_pages_and_pictures_are_written_beside_the_tables(tmp_path: Path) -> None:
    page, picture = tmp_path / "odds.html", tmp_path / "heat.svg"
    done = CliRunner().invoke(main, ["edge", "house", "--html", str(page), "--chart", str(picture)])
    assert done.exit_code == 0, done.output
    assert "banker +4.583592 %" in done.output
    text = page.read_text(encoding="utf-8")
    assert "<td>-306511/6687135</td>" in text
    assert "src=" not in text
    assert picture.read_text(encoding="utf-8").startswith("<svg")
    for words in (["policy", "house"], ["policy", "continental", "--equilibrium", "--side", "banker"]):
        chart = tmp_path / f"{len(words)}.json"
        assert CliRunner().invoke(main, [*words, "--chart", str(chart)]).exit_code == 0
        assert json.loads(chart.read_text(encoding="utf-8"))["$schema"].endswith(".json")
