"""Best replies: never below any other policy, and every deviation costs what it is said to cost."""

from fractions import Fraction
from random import Random
from typing import Any

import brute
import pytest
from test_exact_by_brute_force import _policy, _rules, _shoe

from analysis.exact import odds
from analysis.policy import Decision, best_response
from analysis.shoe import Shoe, infinite
from casino.banking.presets import PRESETS
from casino.banking.rules import Rules, build
from casino.errors import RulesError


def _preset(name: str, **changes: Any) -> Rules:
    return build(PRESETS[name][1], changes)


def _sight(decision: Decision) -> tuple[object, ...]:
    """What the punter of `brute` sees at a decision."""
    seen = decision.situation
    thrown = seen.discarded or 0
    return (seen.cards, thrown, None if seen.stage == "dealt" else 0, 0)


@pytest.mark.parametrize("seed", range(12))
def test_a_deviation_of_the_punter_costs_its_reach_times_its_cost(seed: int) -> None:
    random = Random(seed)
    rules = _rules(random, ["never", "upto", "free"])
    counts = _shoe(random, 7, 3)
    banker, as_banker = _policy(random)
    best = best_response(rules, "punter", banker, Shoe(counts))
    assert best.value == brute.best(rules.to_json(), counts, 0, as_banker)
    for decision in best.nodes:
        for action in decision.values:
            loss = best.value - brute.best(rules.to_json(), counts, 0, as_banker, {_sight(decision): action})
            cost = decision.reach * decision.cost(action)
            if decision.situation.stage == "dealt" and not decision.situation.discarded:
                assert loss == cost
            else:  # whoever must play badly later may avoid coming there
                assert 0 <= loss <= cost


@pytest.mark.parametrize("seed", range(8))
def test_a_deviation_of_the_banker_costs_its_reach_times_its_cost(seed: int) -> None:
    """No discards here: what he sees is his points, the third card and, where they lie open, the punter's first."""
    random = Random(seed)
    rules = _rules(random, ["free"])
    rules = build(rules.to_json(), {"punter_discards": "none", "banker_discards": "none", "max_draws": 1})
    counts = _shoe(random, 7, 3)
    punter, as_punter = _policy(random)
    best = best_response(rules, "banker", punter, Shoe(counts))
    for decision in best.nodes:
        seen = decision.situation
        third: object = {"none": None, "hidden": True}.get(str(seen.third), seen.third)
        if not rules.draw_face_up:
            third = seen.third == "hidden"
        elif isinstance(third, str):
            third = int(third)
        first = seen.first if rules.exposed != "never" else None
        sight = (seen.cards, 0, None, 0, 0, third, 0, first)
        for action in decision.values:
            loss = brute.best(rules.to_json(), counts, 1, as_punter, {sight: action}) + best.value
            assert loss == decision.reach * decision.cost(action)


@pytest.mark.parametrize("name", list(PRESETS))
def test_an_optimal_ev_is_never_below_any_other(name: str) -> None:
    rules = _preset(name)
    banker = "threshold:4" if rules.banker_is_free else "rules"
    best = odds(rules, None, (), "optimal", banker).ev_punter
    by_points = odds(rules, None, (), "optimal", banker, "points").ev_punter
    assert by_points <= best
    for punter in ("stand", "textbook", *(f"threshold:{points}" for points in range(10))):
        assert odds(rules, None, (), punter, banker).ev_punter <= by_points


@pytest.mark.parametrize(
    "name", ["russian-even-active", "continental", "chemin-de-fer", "russian-multiple-active"]
)
def test_the_bankers_best_reply_is_never_above_any_other_for_the_punter(name: str) -> None:
    rules = _preset(name)
    best = odds(rules, None, (), "textbook", "optimal").ev_punter
    by_points = odds(rules, None, (), "textbook", "optimal", "points").ev_punter
    assert best <= by_points
    for banker in ("stand", *(f"threshold:{points}" for points in range(10))):
        assert by_points <= odds(rules, None, (), "textbook", banker).ev_punter


def test_seeing_more_never_hurts_the_banker() -> None:
    """Open first cards, and third cards face up, are the banker's gain against a punter who plays the same."""
    hidden, face_up, exposed = (
        odds(_preset("russian-even-active", **changes), None, (), "textbook", "optimal").ev_punter
        for changes in ({"draw_face_up": False}, {}, {"exposed": "dealt"})
    )
    assert exposed < face_up < hidden


def test_the_best_reply_of_the_house_tables_punter() -> None:
    """Against the rote banker of `house`: draws on 1-5, stands on 6 and more, throws zeros up to 5 points."""
    decisions = best_response(_preset("house"), "punter").decisions
    dealt = {d.situation.points: d.best for d in decisions if d.situation.stage == "dealt"}
    drawn = {d.situation.points: d.best for d in decisions if d.situation.stage == "drawn"}
    assert dealt == {0: "discard"} | {p: "draw" if p <= 5 else "stand" for p in range(1, 10)}
    assert drawn == {p: "discard" if p <= 5 else "stand" for p in range(10)}


def test_more_zeros_thrown_may_change_the_best_draw() -> None:
    """Russian-multiple: the punter draws on 1-3; that by points alone loses a little shows that zeros count."""
    rules = _preset("russian-multiple")
    both = [best_response(rules, "punter", information=kind) for kind in ("all", "points")]
    assert both[0].value == Fraction(69524186106, 129386532275)
    assert both[1].value == Fraction(1072766, 1996449)
    late = [decision for decision in both[0].decisions if decision.situation.discarded]
    assert late
    assert {decision.situation.points for decision in late} == {4}


def test_an_infinite_shoe_has_the_same_decisions_after_any_number_of_zeros() -> None:
    best = best_response(_preset("house"), "punter", shoe=infinite())
    assert best.value == Fraction(-4054, 85293)
    assert all(not decision.situation.discarded for decision in best.decisions)
    assert sum(d.reach for d in best.nodes if d.situation.stage == "dealt") == 1 + Fraction(4, 9)


def test_sides_without_a_choice_are_refused() -> None:
    with pytest.raises(RulesError, match="no choice") as refusal:
        best_response(_preset("house"), "banker")
    assert refusal.value.pointer == "/side"
    with pytest.raises(RulesError, match="punter or banker"):
        best_response(_preset("house"), "dealer")
