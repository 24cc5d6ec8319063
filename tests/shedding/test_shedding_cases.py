"""The cases that were written from the rules by hand: the shared ones where present, a selection always."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from layouts import mismatches, unmet

from api.cli import main

HERE = Path(__file__).with_name("cases.json")
SHARED = Path(__file__).parents[3] / "shared" / "cases" / "shedding.json"
PEKLO = SHARED.with_name("peklo.json")


def cases(path):
    return json.loads(path.read_text(encoding="utf-8"))["cases"] if path.is_file() else []


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in cases(HERE)])
def test_a_case_of_the_selection(case):
    assert mismatches(case) == [], case["rule"]


@pytest.mark.skipif(not SHARED.is_file(), reason="the shared cases are not beside this project")
@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in cases(SHARED)])
def test_a_shared_case(case):
    assert mismatches(case) == [], case["rule"]


@pytest.mark.parametrize("path", [HERE, SHARED, PEKLO], ids=["selection", "shared", "peklo"])
def test_the_command_tells_the_same_of_a_file_of_cases(path):
    """`macao position FILE --json`: by the names of the cases, `legal` for every seat, `error` beside `detail`."""
    if not path.is_file():
        pytest.skip("the shared cases are not beside this project")
    done = CliRunner().invoke(main, ["position", str(path), "--json"])
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert len(told) == len(cases(path))
    for case, found in zip(cases(path), told, strict=True):
        assert unmet(case["expect"], found, found.get("error")) == [], case["rule"]
        assert list(found["legal"]) == [str(seat) for seat in range(len(case["position"]["hands"]))]
        assert bool(found.get("detail")) == ("error" in case["expect"])


def test_the_check_of_cases_can_fail():
    """A case with one wrong expectation of each kind is seen to be wrong."""
    case = {
        "position": {
            "game": "russian-104",
            "seats": 2,
            "hands": [["2S"], ["3S"]],
            "pile": ["2H"],
            "to_move": 0,
        },
        "steps": [[1, "play 3S"]],
        "expect": {
            "error": "over",
            "to_move": 1,
            "hands": {"0": ["2H"]},
            "legal": {"0": ["draw"]},
            "legal_has": {"0": ["draw"]},
            "legal_lacks": {"0": ["play 2S"]},
        },
    }
    assert [row[0] for row in mismatches(case)] == list(case["expect"])
