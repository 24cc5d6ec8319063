"""Compiled odds beside exact ones: equal without discards, within the stated units in the last place with them."""

import math
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from test_exact_by_brute_force import _policy, _rules, _shoe

from analysis import card_kernels, pair_kernels
from analysis.exact import odds, resolve
from analysis.fast import Fast, edges, tables, warm
from analysis.outcome import outcomes_of
from analysis.shoe import Shoe, full, infinite, may_discard
from analysis.strategies import cached_plan
from casino.banking.presets import PRESETS
from casino.banking.rules import Rules, build
from casino.errors import RulesError

UNITS = 8  # in the last place of the largest net, as `analysis.fast` states


def _preset(name: str, **changes: Any) -> Rules:
    return build(PRESETS[name][1], changes)


def _largest(rules: Rules) -> float:
    return max(abs(outcome.net) for outcome in outcomes_of(cached_plan(rules))) or 1


@pytest.mark.parametrize("seed", range(25))
def test_fast_odds_are_the_exact_ones(seed: int) -> None:
    random = Random(seed)
    rules = _rules(random, ["never", "upto", "tableau", "free"], two_cards=seed % 5 == 4)
    counts = tuple(4 * count for count in _shoe(random, 9, 4))
    punter, banker = random.choice([_policy(random)[0], "optimal"]), _policy(random)[0]
    exact = odds(rules, Shoe(counts), (), punter, banker)
    fast = odds(rules, Shoe(counts), (), punter, banker, exact=False)
    assert isinstance(fast.source, Fast)
    slack = UNITS * math.ulp(_largest(rules)) * may_discard(cached_plan(rules))
    assert abs(fast.ev_punter - exact.ev_punter) <= slack
    assert list(fast.by_first_card) == list(exact.by_first_card)
    for points, first in exact.by_first_card.items():
        other = fast.by_first_card[points]
        assert list(other.actions) == list(first.actions)
        for action, spread in first.actions.items():
            assert abs(other.actions[action].ev() - spread.ev()) <= slack * 40 / float(first.probability)
    if not slack:
        assert fast.distribution == exact.distribution
        assert isinstance(fast.ev_punter, Fraction)


@pytest.mark.parametrize("name", ["russian-even", "continental", "punto-banco", "chemin-de-fer"])
def test_without_discards_every_figure_is_correctly_rounded(name: str) -> None:
    rules = _preset(name)
    shoes = np.array([full(packs).counts for packs in range(1, 9)])
    found = edges(rules, shoes, *_tables(rules, "textbook"))
    for ev, counts in zip(found, shoes, strict=True):
        assert ev == float(
            odds(rules, Shoe(tuple(counts.tolist())), (), "textbook", _banker(rules)).ev_punter
        )


def _banker(rules: Rules) -> str:
    return "threshold:4" if rules.banker_is_free else "rules"


def _tables(rules: Rules, punter: str) -> Any:
    return resolve(rules, punter, _banker(rules))


@pytest.mark.parametrize("name", list(PRESETS))
def test_depleted_shoes_with_values_missing(name: str) -> None:
    """Values that are gone are left out; a shoe that might not serve a coup has no figure."""
    rules = _preset(name)
    shoes = np.array(
        [
            [0, 2, 2, 2, 2, 2, 2, 2, 2, 2],
            [20, 0, 0, 0, 5, 0, 0, 0, 0, 4],
            [9, 3, 0, 3, 0, 3, 0, 3, 0, 3],
            [4, *[0] * 9],
        ]
    )
    found = edges(rules, shoes, *_tables(rules, "optimal"))
    four_zeros_serve = {
        "russian-even",
        "russian-even-active",
        "continental",
    }  # one card each, nobody throws any
    assert [bool(np.isnan(ev)) for ev in found] == [False, False, False, name not in four_zeros_serve]
    for ev, counts in zip(found[:3], shoes, strict=False):
        exact = odds(rules, Shoe(tuple(counts.tolist())), (), "optimal", _banker(rules)).ev_punter
        assert ev == pytest.approx(float(exact), abs=UNITS * math.ulp(_largest(rules)))


@pytest.mark.parametrize("name", ["russian-even", "continental", "house"])
def test_tables_of_many_shoes(name: str) -> None:
    rules = _preset(name)
    shoes = np.array([full(2).counts, [20, 0, 6, 6, 6, 6, 6, 6, 6, 6]])
    evs, table = tables(rules, shoes, *_tables(rules, "optimal"))
    for at, counts in enumerate(shoes.tolist()):
        exact = odds(rules, Shoe(tuple(counts)), (), "optimal", _banker(rules))
        assert evs[at] == pytest.approx(float(exact.ev_punter), abs=1e-14)
        for points in range(10):
            actions = exact.by_first_card[points].actions if points in exact.by_first_card else {}
            for column, action in enumerate(("stand", "draw")):
                if action in actions:
                    assert table[at, points, column] == pytest.approx(float(actions[action].ev()), abs=1e-13)
                else:
                    assert np.isnan(table[at, points, column])


def test_what_has_no_kernel_is_exact() -> None:
    rules = _preset("house")
    assert odds(rules, infinite(), (), "optimal", exact=False).ev_punter == Fraction(-4054, 85293)
    free = _preset("continental")
    assert odds(free, None, (), "textbook", "optimal", exact=False) is not None
    found = edges(rules, np.array([full(2).counts]), *_tables(rules, "optimal"), information="points")
    assert found[0] == float(odds(rules, None, (), "optimal", information="points").ev_punter)


def test_warmed_kernels_compile_no_more() -> None:
    warm()
    kernels: Any = (
        card_kernels.one_card,
        card_kernels.one_card_many,
        pair_kernels.two_cards,
        pair_kernels.two_cards_many,
    )
    before = [len(kernel.signatures) for kernel in kernels]
    for name in PRESETS:
        rules = _preset(name)
        assert odds(rules, None, (), "textbook", _banker(rules), exact=False).ev_punter
        edges(rules, np.array([full(2).counts]), *_tables(rules, "textbook"))
    assert [len(kernel.signatures) for kernel in kernels] == before == [1] * 4


@pytest.mark.parametrize("shoes", [np.zeros(10, int), np.zeros((2, 9), int), -np.ones((1, 10), int)])
def test_arrays_that_are_no_shoes_are_refused(shoes: Any) -> None:
    with pytest.raises(RulesError):
        edges(_preset("house"), shoes, *_tables(_preset("house"), "textbook"))
