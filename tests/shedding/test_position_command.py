"""`macao position`: situations of any game from a file, with what each text leads to."""

import json

import pytest
from click.testing import CliRunner

from api.cli import main
from casino.errors import NotationError, PositionError
from casino.position import told

HANDS = [["7S", "8C"], ["5C", "5S"]]
ENTRY = {
    "position": {"game": "russian-104", "seats": 2, "hands": HANDS, "pile": ["7D"], "to_move": 0},
    "steps": [[0, "play 7S"]],
}
NO_ENTRIES = [3, None, [], {"position": 3}, {"position": {}}, {"position": {"game": 3}}, {"steps": []}]
NO_STEPS = [[0], [0, "draw", 1], [9, "draw"], [-1, "draw"], ["0", "draw"], [True, "draw"], [0, 3]]


def run(data, *flags):
    text = data if isinstance(data, str) else json.dumps(data)
    return CliRunner().invoke(main, ["position", "-", *flags], input=text)


def test_one_entry_prints_one_object_with_the_fields_of_the_cases():
    done = run(ENTRY, "--json")
    found = json.loads(done.stdout)
    assert done.exit_code == 0
    view = found.pop("view")
    assert (view["seat"], view["hands"], view["legal"]) == (1, [None, ["5S", "5C"]], found["legal"]["1"])
    assert found == {
        "to_move": 1,
        "hands": [["8C"], ["5S", "5C"]],
        "hand_sizes": [1, 2],
        "penalty": 0,
        "skip": 0,
        "demand": None,
        "direction": 1,
        "top": "7S",
        "stock_size": 0,
        "finished": [],
        "over": False,
        "scores": None,
        "legal": {"0": ["macao"], "1": ["play 5S", "draw", "catch 0"]},
    }


def test_a_refused_text_gives_the_situation_before_it_with_error_and_detail():
    entry = {**ENTRY, "steps": [[0, "play 7S"], [1, "play 5S; play 5C"]]}
    found = json.loads(run(entry, "--json").stdout)
    assert (found["error"], found["step"], found["top"], found["hand_sizes"]) == (
        "not_your_turn",
        1,
        "7S",
        [1, 2],
    )
    assert "seat 0 is" in found["detail"]


@pytest.mark.parametrize(
    ("seat", "text", "error"),
    [
        (0, "play 8C", "illegal"),
        (1, "play 5C", "not_your_turn"),
        (0, "play 9Z", "notation"),
        (1, "catch 0", "illegal"),
    ],
)
def test_errors_by_class(seat, text, error):
    assert told({**ENTRY, "steps": [[seat, text]]})["error"] == error


def test_nobody_may_act_once_it_is_over():
    position = {**ENTRY["position"], "hands": [["7S"], ["5C", "5S"]]}
    assert told({"position": position, "steps": [[0, "play 7S"], [1, "draw"]]})["error"] == "over"


def test_arrays_and_files_of_cases_print_arrays_with_their_names():
    for data in ([{"id": "one", **ENTRY}], {"about": "…", "cases": [{"id": "one", "rule": "…", **ENTRY}]}):
        (found,) = json.loads(run(data, "--json").stdout)
        assert (found["id"], found["top"]) == ("one", "7S")


def test_a_position_that_cannot_be_is_told_by_its_place_and_exit_code():
    done = run({"position": {**ENTRY["position"], "pile": ["1D"]}}, "--json")
    assert done.exit_code == 2
    assert json.loads(done.stdout)["pointer"] == "/position/pile/0"
    done = run([ENTRY, {"position": {"game": "no such game"}}], "--json")
    assert done.exit_code == 2
    assert [row.get("error") for row in json.loads(done.stdout)] == [None, "unknown_game"]


def test_without_json_it_is_told_in_words():
    done = run(ENTRY)
    assert "legal: 0: macao; 1: play 5S, draw, catch 0" in done.stdout
    assert done.exit_code == 0


def test_other_families_are_told_too():
    peklo = {"position": {"game": "peklo", "hands": [["2S"], ["3S"], ["4S"], ["5S"]]}}
    assert json.loads(run(peklo, "--json").stdout)["legal"]["0"] == ["bid 0", "bid 1"]


@pytest.mark.parametrize("text", ["", "[", "{]", "nan", "[" * 100_000])
def test_what_is_no_json_is_one_line(text):
    done = run(text)
    assert done.exit_code == 2
    assert "Traceback" not in done.output


@pytest.mark.parametrize("entry", NO_ENTRIES)
def test_what_is_no_entry_is_refused(entry):
    with pytest.raises(PositionError):
        told(entry)


@pytest.mark.parametrize("step", NO_STEPS)
def test_what_is_no_step_is_refused_by_its_place(step):
    with pytest.raises((PositionError, NotationError)) as caught:
        told({**ENTRY, "steps": [step]})
    assert caught.value.pointer.startswith("/steps/0")
