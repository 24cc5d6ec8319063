"""Requests, grids and their table; outcomes from rules; what a bank nets against several punters."""

import csv
import io
import json
from fractions import Fraction
from itertools import product

import pytest
from click.testing import CliRunner

from analysis.experiment import Experiment
from analysis.outcomes import BankrollError, Outcomes
from analysis.runs import run, run_all
from analysis.sources import outcomes_of
from analysis.summary import summary
from analysis.sweep import Sweep, read, to_csv, to_parquet
from api.cli import main
from casino.errors import CasinoError, RulesError, UnknownGame

BASE = {
    "outcomes": "1:0.48,-1:0.52",
    "staking": {"system": "flat", "unit": 1},
    "bankroll": 20,
    "limits": {"min": 1, "max": 50},
    "stops": {"coups": 100},
    "sessions": 2000,
}


def request(**changes):
    return {**BASE, **changes}


class TestGrids:
    def test_cells_come_in_the_order_of_the_grid(self):
        sweep = Sweep.from_json(request(grid={"bankroll": [10, 20], "stops/coups": [50, 100, 150]}))
        assert [(e.bankroll, e.stops.coups) for e in sweep.experiments] == list(
            product([10, 20], [50, 100, 150])
        )
        assert sweep.cells[1] == {"bankroll": 10, "stops/coups": 100}
        assert Sweep.from_json(request()).cells == ({},)

    def test_a_cell_is_the_experiment_played_alone(self):
        sweep = Sweep.from_json(request(grid={"bankroll": [10, 30]}))
        rows = sweep.table(run_all(sweep.experiments))
        for row, bankroll in zip(rows, (10, 30), strict=True):
            alone = read(request(bankroll=bankroll))
            found = summary(alone, run(alone))
            assert row["bankroll"] == bankroll
            assert row["ruin"] == found["ruin"]["value"]
            assert row["hash"] == alone.hash
            assert row["ruin_exact"] == found["exact"]["low"]["exact"]
        assert rows[0]["ruin"] > rows[1]["ruin"]

    def test_cells_of_the_same_outcomes_are_compared_with_their_first(self):
        systems = [{"system": "flat", "unit": 1}, {"system": "martingale", "unit": 1}]
        games = [{"1": "12/25", "-1": "13/25"}, {"1": "1/2", "-1": "1/2"}]
        sweep = Sweep.from_json(request(grid={"outcomes": games, "staking": systems}))
        rows = sweep.table(run_all(sweep.experiments))
        assert ["gain_less_first" in row for row in rows] == [False, True, False, True]
        assert rows[1]["gain_less_first"] == pytest.approx(rows[1]["gain"] - rows[0]["gain"])
        assert rows[1]["gain_less_first_error"] > 0
        for end, t in (("low", -2.131), ("high", 2.131)):  # Student's, of the 16 chunks
            width = rows[1][f"gain_less_first_{end}"] - rows[1]["gain_less_first"]
            assert round(width / rows[1]["gain_less_first_error"], 3) == t

    def test_csv_holds_the_table(self):
        sweep = Sweep.from_json(request(grid={"bankroll": [10, 30]}))
        rows = sweep.table(run_all(sweep.experiments))
        back = list(csv.DictReader(io.StringIO(to_csv(rows))))
        assert [int(row["bankroll"]) for row in back] == [10, 30]
        assert [float(row["ruin"]) for row in back] == [row["ruin"] for row in rows]

    @pytest.mark.parametrize(
        ("changes", "words", "pointer"),
        [
            ({"grid": {"bankroll": []}}, "list of values", "/grid/bankroll"),
            ({"grid": {"bankroll": 5}}, "list of values", "/grid/bankroll"),
            ({"grid": {"bankroll": list(range(1, 1002))}}, "the cap is 1000", "/grid"),
            ({"grid": {"bankroll/x": [1]}}, "not an object", "/grid/bankroll/x"),
            ({"grid": {"bankroll": [5, 0]}}, "must be 1 to", "/bankroll"),
            ({"grid": {"luck": [1]}}, "unknown", "/luck"),
            (
                {"sessions": 10**9, "grid": {"bankroll": [5] * 20}, "stops": {"coups": 100}},
                "too large: 20 experiments",
                "/grid",
            ),
            ({"rules": {"preset": "house"}}, "not outcomes and rules", "/outcomes"),
            ({"outcomes": "1:2"}, "0 to 1", "/outcomes/1"),
        ],
    )
    def test_bad_grids_and_requests_are_refused(self, changes, words, pointer):
        with pytest.raises(CasinoError, match=words) as refusal:
            Sweep.from_json(request(**changes))
        assert refusal.value.pointer == pointer

    def test_a_request_without_a_source_is_refused(self):
        with pytest.raises(BankrollError, match="one of outcomes, rules, results"):
            read({key: value for key, value in BASE.items() if key != "outcomes"})


def test_recorded_play_is_a_source():
    exp = read({**{k: v for k, v in BASE.items() if k != "outcomes"}, "results": [1, 1, -1, 3, "-1"]})
    assert exp.outcomes == Outcomes.parse("3:1/5,1:2/5,-1:2/5")
    assert exp.source == {"results": 5}


def test_rules_give_limits_cover_and_source():
    exp = read(
        {
            "rules": {"preset": "house", "side": "punter"},
            "staking": {"system": "flat", "unit": 5},
            "bankroll": 100,
            "stops": {"coups": 50},
        }
    )
    assert (exp.table.min, exp.table.max, exp.table.step) == (5, 500, 5)
    assert exp.plan.least_bankroll == 15
    assert exp.source["rules"] == {"preset": "house", "side": "punter"}
    assert len(exp.source["rules_hash"]) == 64
    assert Experiment.from_json(exp.to_json()) == exp


def test_turns_at_the_bank_are_filled_in_from_the_rules():
    exp = read(
        {
            "rules": {"preset": "punto-banco", "changes": {"commission": "0"}},
            "staking": {"system": "flat", "unit": 5},
            "bankroll": 500,
            "stops": {"coups": 50},
            "turns": {"players": 4, "coups": 10, "stake": 20},
        }
    )
    assert exp.turns.outcomes.mean == -3 * exp.outcomes.mean
    assert exp.turns.outcomes.need == 3


# Values of the cases of this project: exact EVs of one punter (worked out from the rules by hand and by enumeration).
EVS = [
    ({"preset": "russian-even", "punter": "optimal"}, Fraction(6380, 22763)),
    ({"preset": "russian-even", "punter": "textbook"}, Fraction(5930, 22763)),
    ({"preset": "house", "punter": "optimal"}, Fraction(-252899, 6687135)),
    ({"preset": "house"}, Fraction(-306511, 6687135)),
    ({"preset": "house", "punter": "optimal", "shoe": "infinite"}, Fraction(-4054, 85293)),
    ({"preset": "house", "side": "banker", "punter": "optimal"}, Fraction(252899, 6687135)),
    ({"preset": "punto-banco", "side": "banker_bet"}, Fraction(-114753351728, 10847218479825)),
    (
        {"preset": "russian-even-active", "punter": "equilibrium", "banker": "equilibrium"},
        Fraction(-32331737, 2317455504),
    ),
]


@pytest.mark.parametrize(("rules", "ev"), EVS)
def test_outcomes_from_rules_have_the_exact_expectation(rules, ev):
    found = outcomes_of(rules)
    assert found.mean == ev
    assert found.exact


def test_punto_banco_probabilities():
    """45.8597, 9.5156 and 44.6247 in a hundred: the figures that every book gives for eight packs."""
    found = outcomes_of({"preset": "punto-banco", "side": "banker"})
    assert [round(100 * float(p), 4) for p in found.probabilities] == [44.6247, 9.5156, 45.8597]


def test_a_bank_covers_the_worst_payout_of_all_punters():
    assert outcomes_of({"preset": "house", "side": "banker"}).need == 3
    assert outcomes_of({"preset": "punto-banco", "side": "banker", "punters": 7}).need == 7
    assert outcomes_of({"preset": "russian-even"}).need == 1


@pytest.mark.parametrize(
    ("rules", "error", "words"),
    [
        ({"preset": "roulette"}, UnknownGame, "there are russian-even"),
        ({"preset": "house", "punters": 2}, BankrollError, "side must be banker"),
        ({"preset": "house", "side": "banker", "punters": 12}, RulesError, "must be 1 to 9"),
        ({"preset": "house", "side": "banker_bet"}, RulesError, "share one hand"),
        ({"preset": "house", "punter": "guess"}, RulesError, "no policy"),
        ({"preset": ["house"]}, UnknownGame, "there are russian-even"),
        ({"preset": "house", "punter": {}}, RulesError, "a policy's name, or an object, not empty"),
        ({"preset": "house", "banker": []}, RulesError, "a policy's name, or an object, not empty"),
        ({"preset": "house", "shoe": {}}, RulesError, "or infinite, not empty"),
        ({"preset": "house", "luck": 1}, RulesError, "unknown"),
        ({"preset": "house", "side": "banker", "punters": 2, "punter": "optimal"}, RulesError, "by points"),
        (
            {"preset": "continental", "punter": "equilibrium", "banker": "equilibrium", "shoe": 9},
            RulesError,
            "1 to 8",
        ),
    ],
)
def test_sources_that_cannot_be_are_refused(rules, error, words):
    with pytest.raises(error, match=words):
        outcomes_of(rules)


class TestParquet:
    def test_it_holds_the_table(self, tmp_path):
        parquet = pytest.importorskip("pyarrow.parquet", reason="the extra «parquet» is not installed")
        sweep = Sweep.from_json(request(grid={"bankroll": [10, 30], "staking/unit": [1, 2]}))
        rows = sweep.table(run_all(sweep.experiments))
        back = parquet.read_table(io.BytesIO(to_parquet(rows))).to_pylist()
        names = dict.fromkeys(name for row in rows for name in row)
        assert back == [{name: row.get(name) for name in names} for row in rows]
        assert isinstance(back[0]["bankroll"], int)

    def test_columns_of_several_kinds_are_texts(self):
        parquet = pytest.importorskip("pyarrow.parquet", reason="the extra «parquet» is not installed")
        rows = [
            {"policy": "optimal", "ruin": None},
            {"policy": [1, 2], "ruin": 0.5},
            {"policy": None, "ruin": 1},
        ]
        back = parquet.read_table(io.BytesIO(to_parquet(rows))).to_pylist()
        assert [row["policy"] for row in back] == ["optimal", "[1, 2]", None]
        assert [row["ruin"] for row in back] == [None, 0.5, 1.0]

    def test_without_the_extra_it_is_refused_by_its_name(self, monkeypatch):
        monkeypatch.setattr("analysis.sweep.find_spec", lambda name: None)
        with pytest.raises(BankrollError, match=r"pip install 'macao\[parquet\]'"):
            to_parquet([{"a": 1}])
        done = CliRunner().invoke(main, ["experiment", "-", "--parquet", "table.parquet"], input="{}")
        assert done.exit_code == 2
        assert "extra «parquet»" in done.stderr


def test_what_belongs_to_the_rules_may_stand_beside_them():
    plan = {"staking": {"system": "flat", "unit": 5}, "bankroll": 100, "stops": {"coups": 50}}
    inside = read(plan | {"rules": {"preset": "house", "side": "banker", "punter": "optimal"}})
    beside = read(plan | {"rules": {"preset": "house"}, "side": "banker", "punter": "optimal"})
    assert inside == beside
    twice = {"rules": {"preset": "house", "side": "banker"}, "side": "punter"}
    for bad, pointer in ((twice, "/side"), ({"outcomes": "1:1/2,-1:1/2", "shoe": "infinite"}, "/shoe")):
        with pytest.raises(RulesError) as refusal:
            read(plan | bad)
        assert refusal.value.pointer == pointer


SHOES = [
    ("2", {"decks": 2}),
    ("infinite", "infinite"),
    ("0:32,1:8 2:8,3:8,4:8,5:8,6:8,7:8,8:8,9:8", {"counts": {"0": 32, **{str(n): 8 for n in range(1, 10)}}}),
]


@pytest.mark.parametrize(("text", "shoe"), SHOES)
def test_a_shoe_is_written_alike_for_every_command(text, shoe):
    """Packs, infinite, or counts by points: the same for odds and for bankrolls, as an option and as JSON."""
    by_edge = CliRunner().invoke(main, ["edge", "house", "--shoe", text, "--json"])
    by_kelly = CliRunner().invoke(main, ["kelly", "--rules", "house", "--shoe", text, "--json"])
    ev = json.loads(by_edge.stdout)["ev_punter"]
    assert ev == json.loads(by_kelly.stdout)["coup"]["mean"]
    found = outcomes_of({"preset": "house", "shoe": shoe})
    assert Fraction(int(ev["num"]), int(ev["den"])) == found.mean


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not empty"),
        ("two", "«two» is none"),
        ("9", "1 to 8"),
        ("0:99", "must be 0 to 32"),
        ("0:1,0:2", "is none"),
        ("5:3", "could not be finished"),
    ],
)
def test_a_shoe_that_is_none_is_refused_by_every_command(text, said):
    for words in (["edge", "house"], ["kelly", "--rules", "house"]):
        done = CliRunner().invoke(main, [*words, "--shoe", text])
        assert done.exit_code == 2
        assert said in done.stderr, words
