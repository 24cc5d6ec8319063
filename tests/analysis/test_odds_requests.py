"""Bodies of odds requests, and the commands `macao edge`, `policy` and `odds`: answers, refusals, pointers."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from api.cli import main
from api.services.odds import cost, odds_answer, policies_answer, question_of
from casino.errors import CasinoError, RulesError

HOUSE = {"rules": {"preset": "house"}}
ACTIVE = {"rules": {"preset": "russian-multiple-active"}}


def run(*words: str, given: str | None = None) -> Any:
    return CliRunner().invoke(main, words, input=given)


def fraction(value: dict[str, Any]) -> Fraction:
    return Fraction(int(value["num"]), int(value["den"]))


def test_an_answer_has_every_figure() -> None:
    found = odds_answer(HOUSE | {"punter": "optimal"})
    assert fraction(found["ev_punter"]) == Fraction(-252899, 6687135) == -fraction(found["ev_banker"])
    assert found["ev_punter"]["float"] == -252899 / 6687135
    assert fraction(found["variance"]) == Fraction(88785782482934, 44717774508225)
    assert set(found["distribution"]) == {"-3", "-2", "-1", "1", "2", "3"}
    first = found["by_first_card"]["5"]
    assert first["best"] == "draw"
    assert set(first["ev"]) == set(first["variance"]) == set(first["distribution"]) == {"stand", "draw"}
    assert fraction(found["by_first_card"]["0"]["probability"]) == Fraction(4, 13)
    assert (found["punter"], found["banker"], found["information"]) == ("optimal", "rules", "all")
    assert len(found["rules_hash"]) == 64
    assert found["engine"].startswith("macao ")
    assert "banker_bet_ev" not in found


def test_side_bets_are_told_where_they_are() -> None:
    found = odds_answer({"rules": {"preset": "punto-banco"}, "punter": "rules"})
    assert fraction(found["banker_bet_ev"]) == Fraction(-114753351728, 10847218479825)
    assert fraction(found["tie_bet_8_to_1_ev"]) == Fraction(-103841353768, 723147898655)


@pytest.mark.parametrize(
    "shoe", [{"decks": 2}, {"counts": {"0": 32} | {str(points): 8 for points in range(1, 10)}}, None]
)
def test_a_shoe_in_several_words(shoe: Any) -> None:
    body = HOUSE | {"punter": "optimal"} | ({} if shoe is None else {"shoe": shoe})
    assert fraction(odds_answer(body)["ev_punter"]) == Fraction(-252899, 6687135)


def test_an_infinite_shoe_and_cards_seen() -> None:
    assert fraction(odds_answer(HOUSE | {"punter": "optimal", "shoe": "infinite"})["ev_punter"]) == Fraction(
        -4054, 85293
    )
    seen = odds_answer(HOUSE | {"seen": ["9H", "KD", "T"]})
    counts = {"0": 30, **{str(points): 8 for points in range(1, 9)}, "9": 7}
    assert seen["shoe"] == {"counts": counts}
    assert seen["ev_punter"] == odds_answer(HOUSE | {"shoe": {"counts": counts}})["ev_punter"]


def test_defaults_are_the_textbook_and_the_rote_banker_or_a_threshold() -> None:
    assert (odds_answer(HOUSE)["punter"], odds_answer(HOUSE)["banker"]) == ("textbook", "rules")
    assert odds_answer(ACTIVE)["banker"] == "threshold:5"


def test_an_equilibrium_has_value_strategies_and_the_same_ev() -> None:
    body = {"rules": {"preset": "russian-even-active"}, "punter": "optimal", "banker": "optimal"}
    found = odds_answer(body)
    assert fraction(found["value"]) == fraction(found["ev_punter"]) == Fraction(-32331737, 2317455504)
    assert fraction(found["strategies"]["punter"]["5"]) == Fraction(125, 336)
    assert found["certified"] is True
    # Whoever leaves it alone gains nothing.
    away = (
        {"punter": "equilibrium", "banker": "threshold:3"},
        {"punter": "threshold:3", "banker": "equilibrium"},
    )
    for_punter, for_banker = (fraction(odds_answer(body | sides)["ev_punter"]) for sides in away)
    assert for_banker < fraction(found["value"]) < for_punter


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({}, "/rules"),
    ({"rules": {"preset": "huse"}}, "/rules/preset"),
    (
        {"rules": {"preset": "house", "changes": {"banker_draw": {"upto": 44}}}},
        "/rules/changes/banker_draw/upto",
    ),
    ({"rules": {"preset": "house", "changes": {"first_cards": 2}}}, "/rules/changes/punter_discards"),
    (HOUSE | {"shoe": {"decks": 9}}, "/shoe/decks"),
    (HOUSE | {"shoe": {"counts": {"0": -1}}}, "/shoe/counts/0"),
    (HOUSE | {"shoe": {"counts": {"1": 9}}}, "/shoe/counts/1"),
    (HOUSE | {"shoe": {"counts": {"10": 1}}}, "/shoe/counts/10"),
    (HOUSE | {"shoe": {"counts": {"5": 1.5}}}, "/shoe/counts/5"),
    (HOUSE | {"shoe": {"counts": {"0": 20, "5": 3}}}, "/shoe"),
    (HOUSE | {"shoe": "endless"}, "/shoe"),
    (HOUSE | {"seen": ["9H", "1H"]}, "/seen/1"),
    (HOUSE | {"seen": ["BJ"]}, "/seen/0"),
    (HOUSE | {"seen": ["9H"] * 3}, "/seen/2"),
    (HOUSE | {"punter": "brave"}, "/punter"),
    (HOUSE | {"punter": 5}, "/punter"),
    (HOUSE | {"punter": {"draw_on": [12]}}, "/punter/draw_on/0"),
    (HOUSE | {"banker": "threshold:x"}, "/banker"),
    (ACTIVE | {"banker": "rules"}, "/banker"),
    (ACTIVE | {"banker": {"tableau": ["D" * 11] * 9}}, "/banker/tableau"),
    (ACTIVE | {"banker": {"tableau": ["D" * 10] * 10}}, "/banker/tableau/0"),
    (HOUSE | {"information": "some"}, "/information"),
    (HOUSE | {"speed": 1}, "/speed"),
]


@pytest.mark.parametrize(("body", "pointer"), REFUSED)
def test_refusals_say_where(body: dict[str, Any], pointer: str) -> None:
    with pytest.raises(CasinoError) as refusal:
        odds_answer(body)
    assert refusal.value.pointer == pointer
    found = run("odds", "-", given=json.dumps([HOUSE, body]))
    assert found.exit_code == 2
    assert found.output.count("\n") == 1
    assert f"/1{pointer}" in found.output


def test_a_costly_request_is_refused_before_the_work() -> None:
    heavy = {
        "rules": {"preset": "russian-multiple-active", "changes": {"decks": 8}},
        "punter": "textbook",
        "banker": "optimal",
    }
    needed = cost(question_of(heavy))
    assert cost(question_of(HOUSE)) < 100 < needed
    told = []

    def refuse(milliseconds: int) -> None:
        told.append(milliseconds)
        raise RulesError("more than there is")

    with pytest.raises(RulesError, match="more than there is"):
        odds_answer(heavy, refuse)
    assert told == [needed]


def test_policies_answer_the_side_that_is_open() -> None:
    punter = policies_answer(HOUSE | {"punter": "optimal"})
    assert punter["side"] == "punter"
    assert fraction(punter["value"]) == Fraction(-252899, 6687135)
    six = next(each for each in punter["decisions"] if each["points"] == 6 and each["stage"] == "dealt")
    assert six["best"] == "stand"
    assert fraction(six["cost"]["stand"]) == 0 < fraction(six["cost"]["draw"])
    assert policies_answer(ACTIVE | {"banker": "optimal"})["side"] == "banker"
    with pytest.raises(RulesError, match="one side"):
        policies_answer(ACTIVE)


STATE = {
    "card": "5H",
    "punters": [
        {"stake": 10, "policy": "textbook", "drew": "4D"},
        {"stake": 40, "policy": "threshold:3", "stood": True, "discarded": {"dealt": 1}},
    ],
}


def test_the_bankers_decision_at_a_table() -> None:
    found = policies_answer(ACTIVE | {"state": STATE})
    assert (found["side"], found["best"], found["unexpected"]) == ("banker", "draw", [])
    assert (
        fraction(found["cost"]["stand"]) == fraction(found["ev"]["draw"]) - fraction(found["ev"]["stand"]) > 0
    )
    doubled = {**STATE, "punters": [each | {"stake": 2 * each["stake"]} for each in STATE["punters"]]}  # type: ignore[attr-defined, operator]
    assert fraction(policies_answer(ACTIVE | {"state": doubled})["ev"]["draw"]) == 2 * fraction(
        found["ev"]["draw"]
    )
    assert json.loads(run("odds", "-", given=json.dumps(ACTIVE | {"state": STATE})).output) == found


def test_an_action_that_a_policy_never_takes_is_flagged() -> None:
    """`stand` never draws, `textbook` never keeps a drawn zero: each may then hold any card."""
    punters = [
        {"stake": 1, "policy": "stand", "drew": "4D"},
        {"stake": 1, "drew": "KD"},
        {"stake": 1, "stood": True},
    ]
    assert policies_answer(ACTIVE | {"state": {"card": "5H", "punters": punters}})["unexpected"] == [0, 1]


@pytest.mark.parametrize(
    ("state", "pointer"),
    [
        ({"card": "5H"}, "/state/punters"),
        ({"card": "5H 5H", "punters": STATE["punters"]}, "/state/card"),
        ({"card": "5H", "punters": [{"stake": 0, "stood": True}]}, "/state/punters/0/stake"),
        ({"card": "5H", "punters": [{"stake": 1}]}, "/state/punters/0"),
        ({"card": "5H", "punters": [{"stake": 1, "stood": True, "drew": "4D"}]}, "/state/punters/0"),
        ({"card": "5H", "punters": [{"stake": 1, "drew": "hidden"}]}, "/state/punters/0/drew"),
        ({"card": "5H", "punters": [{"stake": 1, "drew": "0H"}]}, "/state/punters/0/drew"),
        ({"card": "5H", "drawn": "4H", "punters": STATE["punters"]}, "/state/drawn"),
        ({"card": "5H", "punters": [{"stake": 1, "stood": True, "shown": True}]}, "/state/punters/0/first"),
        (
            {"card": "5H", "punters": [{"stake": 1, "stood": True, "discarded": {"dealt": 33}}]},
            "/state/punters/0/discarded",
        ),
    ],
)
def test_a_state_that_cannot_be_is_refused(state: dict[str, Any], pointer: str) -> None:
    with pytest.raises(CasinoError) as refusal:
        policies_answer(ACTIVE | {"state": state})
    assert refusal.value.pointer == pointer


def test_edge_for_people_names_the_side_that_is_ahead() -> None:
    found = run("edge", "russian-even", "--punter", "optimal")
    assert found.exit_code == 0
    assert "punter +28.027940 %, banker -28.027940 % of the stake" in found.output
    assert "house edge" not in found.output
    side = run("edge", "punto-banco", "--punter", "rules").output
    assert "-1.057906 % after commission" in side


def test_edge_as_json_is_the_answer_of_the_request() -> None:
    words = (
        "--set",
        "banker_draw=never",
        "--set",
        "ties=push",
        "--punter",
        '{"draw_on": [0, 1, 2]}',
        "--information",
        "points",
    )
    found = run("edge", "house", *words, "--seen", "9H,KD", "--shoe", "0:20 1:8 2:8 3:8 9:8", "--json")
    assert found.exit_code == 0, found.output
    body = {
        "rules": {"preset": "house", "changes": {"banker_draw": "never", "ties": "push"}},
        "punter": {"draw_on": [0, 1, 2]},
        "information": "points",
        "seen": ["9H", "KD"],
        "shoe": {"counts": {"0": 20, "1": 8, "2": 8, "3": 8, "9": 8}},
    }
    assert json.loads(found.output) == odds_answer(body)


def test_policy_for_people_and_as_json() -> None:
    assert "the punter's best reply to a banker who plays «rules»" in run("policy", "house").output
    banker = run("policy", "chemin-de-fer", "--punter", "textbook", "--information", "points")
    assert "the banker's best reply to a punter who plays «textbook»" in banker.output
    assert "5 points, third card 4" in banker.output
    found = json.loads(run("policy", "house", "--json").output)
    assert fraction(found["value"]) == Fraction(-252899, 6687135)
    equilibrium = json.loads(run("policy", "continental", "--equilibrium", "--json").output)
    assert fraction(equilibrium["value"]) == Fraction(-76783, 6897189)


@pytest.mark.parametrize(
    "words",
    [
        ("edge", "huse"),
        ("edge", "house", "--set", "nope=1"),
        ("edge", "house", "--set", "ties"),
        ("edge", "house", "--decks", "9"),
        ("edge", "house", "--decks", "infinite", "--shoe", "0:3"),
        ("edge", "house", "--shoe", "0:-3"),
        ("edge", "house", "--shoe", "0=3"),
        ("edge", "house", "--shoe", "0:3,5:3"),
        ("edge", "house", "--seen", "9Z"),
        ("edge", "house", "--punter", "brave"),
        ("edge", "house", "--punter", "{"),
        ("policy", "house", "--punter", "textbook", "--banker", "rules"),
        ("policy", "house", "--punter", "textbook"),
        ("policy", "continental", "--banker", "equilibrium"),
        ("odds", "no such file"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(words: tuple[str, ...]) -> None:
    found = run(*words)
    assert found.exit_code == 2
    assert "Traceback" not in found.output
    assert found.output.strip().splitlines()[-1].startswith("Error: ")


def test_a_file_that_is_no_json(tmp_path: Path) -> None:
    file = tmp_path / "odds.json"
    file.write_text("{", encoding="utf-8")
    found = run("odds", str(file))
    assert found.exit_code == 2
    assert "is not JSON" in found.output
