"""Par sheets and comparisons of rule sets, over Python, the command line and REST."""

import json
from fractions import Fraction

import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient

from analysis.par import compare, par
from api.cli import main
from casino.banking.presets import PRESETS
from casino.banking.rules import Rules, build


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
    assert [step.option for step in found.steps] == ["banker_draw", "banker_discards", "tie_takes_on"]
    assert found.start == Fraction(69524186106, 129386532275)
    assert found.end == found.steps[-1].ev == Fraction(-252899, 6687135)
    assert sum(step.worth for step in found.steps if step.worth is not None) == found.end - found.start


def test_a_contradiction_half_way_is_told_and_counted_with_the_next() -> None:
    """house to punto-banco: two first cards while zeros are still discarded cannot be."""
    found = compare(rules("house"), rules("punto-banco"))
    refused = [step for step in found.steps if step.ev is None]
    assert refused
    assert all("discarded" in (step.reason or "") or step.reason for step in refused)
    assert sum(step.worth for step in found.steps if step.worth is not None) == found.end - found.start


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["par", "no-such"], "no banking rules"),
        (["compare", "house", "no-such"], "no banking rules"),
        (["counting", "house", "--depths", "x"], "numbers of cards"),
        (["counting", "house", "--depths", "104"], "a coup needs"),
        (["counting", "house", "--samples", "1"], "whole number"),
        (["counting", "house", "--chart", "edge.pdf"], "a chart is saved as"),
    ],
)
def test_bad_input_is_told_and_ends_with_2(words: list[str], part: str) -> None:
    """One reason, no traceback."""
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 2
    assert part in done.output


def test_the_commands_print_json_and_tables() -> None:
    """`--json` is JSON; without it there are tables that name both sides."""
    run = CliRunner()
    assert json.loads(run.invoke(main, ["par", "house", "--json"]).output)["worst_payout"] == 3
    assert "edge of the banker" in run.invoke(main, ["par", "house"]).output
    assert json.loads(run.invoke(main, ["compare", "house", "russian-multiple", "--json"]).output)["steps"]
    told = json.loads(run.invoke(main, ["counting", "house", "--samples", "50", "--json"]).output)
    assert len(told["effects_of_removal"]) == 10


def test_the_sheet_over_rest(client: FlaskClient) -> None:
    """GET /games/{name}/par for banking games; 404 with the reason for others."""
    found = client.get("/v1/games/house/par")
    assert found.status_code == 200
    assert found.json["best"]["ev_punter"]["num"] == "-252899"
    assert client.get("/v1/games/peklo/par").status_code == 404
