"""A player's own recorded coups as outcomes: counted by hand, by export, and refused with the place."""

import json
from fractions import Fraction

import pytest
from click.testing import CliRunner

from analysis.outcomes import BankrollError, Outcomes
from analysis.recorded import Played, of_export, recorded
from analysis.sweep import read
from api.cli import main


def row(game="house", side="punter", stake=10, net=10):
    return {"game": game, "side": side, "stake": stake, "net": net}


def test_a_punters_nets_are_counted_in_his_own_stakes():
    found = recorded([Played("house", "punter", 10, 30), Played("house", "punter", 5, -5, 3)])
    assert found.to_json() == {
        "results": {"-1": 3, "3": 1},
        "played": {"game": "house", "side": "punter", "coups": 4},
    }
    assert Outcomes.observed(found.results) == Outcomes.parse("3:1/4,-1:3/4")


def test_a_bankers_nets_are_counted_in_the_stakes_he_faced_most_often():
    """20 twice and 10 once: 20 is the unit; -20 of the 10 staked is one unit lost."""
    coups = [
        Played("house", "banker", 20, 20),
        Played("house", "banker", 20, -60),
        Played("house", "banker", 10, -20),
    ]
    found = recorded(coups)
    assert found.results == {"-3": 1, "-1": 1, "1": 1}
    assert found.to_json()["played"]["unit"] == 20
    assert recorded([*coups, Played("house", "banker", 10, 5)]).unit == 10, "of several the least"


def test_one_game_and_one_side_are_chosen():
    coups = [Played("house", "punter", 10, 10), Played("house", "banker", 10, -10)]
    coups += [Played("continental", "punter", 10, -10), Played("russian-104", "player", 10, 10)]
    assert recorded(coups, "house", "banker").results == {"-1": 1}
    assert recorded(coups, "continental").results == {"-1": 1}
    for game, side, pointer in ((None, "punter", "/played/game"), ("house", None, "/played/side")):
        with pytest.raises(BankrollError, match="name one") as refusal:
            recorded(coups, game, side)
        assert refusal.value.pointer == pointer
    with pytest.raises(BankrollError, match="no coup of russian-104 is recorded"):
        recorded(coups, "russian-104")


def test_coups_sat_out_are_none():
    assert recorded([Played("house", "punter", 0, 0), Played("house", "punter", 5, 5)]).coups == 1


@pytest.mark.parametrize(
    ("data", "pointer"),
    [
        ([], "/played"),
        ({"coups": {}}, "/played"),
        ({"coups": [row(), 5]}, "/played/coups/1"),
        ({"coups": [row(stake="10")]}, "/played/coups/0"),
        ({"coups": [row(net=True)]}, "/played/coups/0"),
        ({"coups": [row(stake=-1)]}, "/played/coups/0"),
        ({"coups": [{"game": "house"}]}, "/played/coups/0"),
    ],
)
def test_what_is_no_export_is_refused(data, pointer):
    with pytest.raises(BankrollError) as refusal:
        list(of_export(data))
    assert refusal.value.pointer == pointer


def test_results_may_be_counted_already():
    assert Outcomes.observed({"1": 2, "-1": 2}) == Outcomes.observed([1, -1, "1", "-1"])
    for times in (-1, 1.5, True, 10**16):
        with pytest.raises(BankrollError, match="whole number"):
            Outcomes.observed({"1": times})
    with pytest.raises(BankrollError, match="no result"):
        Outcomes.observed({"1": 0})


def test_an_experiment_with_ones_own_play_says_so():
    own = recorded([Played("house", "punter", 10, 30), Played("house", "punter", 10, -10, 3)]).to_json()
    plan = {"staking": {"system": "flat", "unit": 5}, "bankroll": 100, "stops": {"coups": 50}}
    made = read(plan | own)
    assert made.outcomes == Outcomes.parse("3:1/4,-1:3/4")
    assert made.source == {"results": 4, "played": {"game": "house", "side": "punter", "coups": 4}}


def test_commands_take_an_export(tmp_path):
    file = tmp_path / "export.json"
    file.write_text(json.dumps({"coups": [row(net=30), row(net=-10), row(net=-10), row(net=-10)]}))
    done = CliRunner().invoke(main, ["kelly", "--played", str(file), "--json"])
    found = json.loads(done.stdout)
    assert found["outcomes"] == {"-1": "3/4", "3": "1/4"}
    assert found["played"] == {"game": "house", "side": "punter", "coups": 4}
    words = ["--unit", "1", "--bankroll", "20", "--coups", "10", "--sessions", "100", "--json"]
    done = CliRunner().invoke(main, ["experiment", "--played", str(file), *words])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["results"][0]["per_stake"]["exact"] == float(Fraction(0))
    for words, said in (
        (["--played", str(file), "--side", "banker"], "no coup of a banking game is recorded as banker"),
        (["--played", str(file), "--punter", "optimal"], "--punter goes with --rules only"),
        (["--outcomes", "1:1", "--game", "house"], "--game goes with --played only"),
        (["--results", str(file), "--played", str(file)], "not --results and --played"),
    ):
        done = CliRunner().invoke(main, ["kelly", *words])
        assert done.exit_code == 2
        assert said in done.stderr
