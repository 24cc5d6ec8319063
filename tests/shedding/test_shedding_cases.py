"""The cases that were written from the rules by hand: the shared ones where present, a selection always."""

import json
from pathlib import Path

import pytest
from layouts import mismatches

HERE = Path(__file__).with_name("cases.json")
SHARED = Path(__file__).parents[3] / "shared" / "cases" / "shedding.json"


def cases(path):
    return json.loads(path.read_text(encoding="utf-8"))["cases"] if path.is_file() else []


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in cases(HERE)])
def test_a_case_of_the_selection(case):
    assert mismatches(case) == [], case["rule"]


@pytest.mark.skipif(not SHARED.is_file(), reason="the shared cases are not beside this project")
@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in cases(SHARED)])
def test_a_shared_case(case):
    assert mismatches(case) == [], case["rule"]


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
