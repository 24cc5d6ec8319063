"""Exact odds against a second telling of the rules, card by card, on small shoes (`brute.py`)."""

import itertools
from fractions import Fraction
from random import Random
from typing import Any

import brute
import pytest
from random_rules import OPTIONS, TWO_CARDS

from analysis import shoe
from analysis.exact import Odds, odds
from analysis.numbers import Number
from casino.banking.presets import PRESETS
from casino.banking.rules import Rules, build
from casino.errors import RulesError

_THIRDS = ["DDDDDDDDDDD", "DDDDDDDDDDD", "DSSDDDDDDSS", "SDSDSDSDSDS", "FFFSSDDFFFF", "SSSSSSSDDFF"]
_CHOICES = {"max_draws": [0, 1, 1, 1, 1], **OPTIONS}


def _rules(random: Random, banker: list[str], two_cards: bool = False) -> Rules:
    """Options at random, all contradictions aside."""
    while True:
        changes = {name: random.choice(values) for name, values in _CHOICES.items()}
        changes["punter_draw"] = [random.choice(["free", "free", "draw", "stand"]) for _ in range(10)]
        kind = random.choice(banker)
        tableau = {"tableau": [random.choice(_THIRDS).replace("F", random.choice("FDS")) for _ in range(10)]}
        changes["banker_draw"] = {"upto": {"upto": 5}, "tableau": tableau}.get(kind, kind)
        if two_cards:
            changes |= TWO_CARDS
        try:
            return build(PRESETS["continental"][1], changes)
        except RulesError:
            continue


def _shoe(random: Random, cards: int, values: int) -> tuple[int, ...]:
    """A few values in a small shoe, at least four cards that are no zeros."""
    kinds = random.sample(range(1, 10), values)
    counts = [0] * 10
    for _ in range(cards):
        counts[random.choice([0, *kinds])] += 1
    for value in kinds * 4:
        if sum(counts[1:]) < 4:
            counts[value] += 1
    return tuple(counts)


def _solve(rules: Rules, counts: tuple[int, ...], punter: Any, banker: Any, information: str = "all") -> Odds:
    return odds(rules, shoe.Shoe(counts), (), punter, banker, information)


def _policy(random: Random) -> tuple[dict[str, Any], brute.Decide]:
    draw_on = tuple(points for points in range(10) if random.random() < 0.5)
    flags = random.random() < 0.5, random.random() < 0.5
    given = {"draw_on": list(draw_on), "discard_dealt": flags[0], "discard_drawn": flags[1]}
    return given, brute.by_points(draw_on, *flags)


@pytest.mark.parametrize("seed", range(40))
def test_the_whole_distribution_between_given_policies(seed: int) -> None:
    random = Random(seed)
    rules = _rules(random, ["never", "upto", "tableau", "free"])
    counts = _shoe(random, 8, 4)
    (punter, as_punter), (banker, as_banker) = _policy(random), _policy(random)
    expected = brute.spread(rules.to_json(), counts, as_punter, as_banker)
    found = _solve(rules, counts, punter, banker)
    assert sum(expected.values()) == 1
    nets: dict[int, Number] = {}
    for (net, _), chance in expected.items():
        nets[net] = nets.get(net, Fraction(0)) + chance
    assert found.distribution == dict(sorted(nets.items()))
    assert found.spread.tie() == sum(chance for (_, tie), chance in expected.items() if tie)


@pytest.mark.parametrize("seed", range(12))
def test_two_first_cards(seed: int) -> None:
    random = Random(seed)
    rules = _rules(random, ["never", "upto", "tableau", "free"], two_cards=True)
    counts = _shoe(random, 9, 4)
    counts = (*counts[:9], counts[9] + 1)
    (punter, as_punter), (banker, as_banker) = _policy(random), _policy(random)
    expected = brute.spread(rules.to_json(), counts, as_punter, as_banker)
    ev = sum(chance * net for (net, _), chance in expected.items())
    assert _solve(rules, counts, punter, banker).ev_punter == ev
    if seed < 4:
        assert _solve(rules, counts, "optimal", banker).ev_punter == brute.best(
            rules.to_json(), counts, 0, as_banker
        )
        if rules.banker_is_free:
            best = brute.best(rules.to_json(), counts, 1, as_punter)
            assert _solve(rules, counts, punter, "optimal").ev_punter == best


@pytest.mark.parametrize("seed", range(30))
def test_the_punters_best_reply_uses_all_he_has_seen(seed: int) -> None:
    random = Random(seed)
    rules = _rules(random, ["never", "upto", "tableau", "free"])
    counts = _shoe(random, 8, 3)
    banker, as_banker = _policy(random)
    best = brute.best(rules.to_json(), counts, 0, as_banker)
    assert _solve(rules, counts, "optimal", banker).ev_punter == best


@pytest.mark.parametrize("seed", range(40))
def test_the_bankers_best_reply_uses_all_he_has_seen(seed: int) -> None:
    random = Random(seed)
    rules = _rules(random, ["free", "tableau"])
    counts = _shoe(random, 8, 3)
    punter, as_punter = _policy(random)
    best = brute.best(rules.to_json(), counts, 1, as_punter)
    assert _solve(rules, counts, punter, "optimal").ev_punter == best


def _all_by_points(rules: Rules, counts: tuple[int, ...], seat: int) -> list[brute.Decide]:
    """Every policy by points that differs on hands of this shoe (drawn zeros decided hand by hand)."""
    held = [points for points in range(10) if counts[points]]
    discards = rules.punter_discards if seat == 0 else rules.banker_discards
    dealt, drawn = discards in ("dealt", "both"), discards in ("drawn", "both")
    sets = [tuple(s) for size in range(len(held) + 1) for s in itertools.combinations(held, size)]
    return [
        _hand_by_hand(draw_on, replaces, throw_on)
        for draw_on in sets
        for replaces in ([False, True] if dealt else [False])
        for throw_on in (sets if drawn else [()])
    ]


def _hand_by_hand(draw_on: tuple[int, ...], dealt: bool, throw_on: tuple[int, ...]) -> brute.Decide:
    throwing, keeping = (brute.by_points(draw_on, dealt, drawn) for drawn in (True, False))
    return lambda table: (throwing if sum(table.hand.cards) in throw_on else keeping)(table)


@pytest.mark.parametrize("seed", range(10))
def test_the_best_by_points_is_the_best_of_all_policies_by_points(seed: int) -> None:
    random = Random(seed)
    rules = _rules(random, ["never", "upto"])
    counts = _shoe(random, 7, 2)
    banker, as_banker = _policy(random)
    policies = _all_by_points(rules, counts, 0)
    evs = [_ev(brute.spread(rules.to_json(), counts, policy, as_banker)) for policy in policies]
    found = _solve(rules, counts, "optimal", banker, "points").ev_punter
    assert found == max(evs)
    assert found <= _solve(rules, counts, "optimal", banker).ev_punter


def _ev(spread: dict[tuple[int, bool], Fraction]) -> Fraction:
    return sum((chance * net for (net, _), chance in spread.items()), start=Fraction(0))


@pytest.mark.parametrize("seed", range(10))
def test_the_bankers_best_by_points_answers_each_third_card_by_its_own(seed: int) -> None:
    """By points and third card his best policy is, third card by third card, the best of all by points."""
    random = Random(seed)
    rules = _rules(random, ["free"])
    counts = _shoe(random, 7, 2)
    punter, as_punter = _policy(random)
    groups: dict[object, list[Fraction]] = {}
    for policy in _all_by_points(rules, counts, 1):
        for group, ev in _by_group(rules, counts, as_punter, policy).items():
            groups.setdefault(group, []).append(ev)
    best = sum((min(evs) for evs in groups.values()), start=Fraction(0))
    assert _solve(rules, counts, punter, "optimal", "points").ev_punter == best


def _by_group(
    rules: Rules, counts: tuple[int, ...], punter: brute.Decide, banker: brute.Decide
) -> dict[object, Fraction]:
    """The punter's net, parted by what a banker who counts no zeros saw before his turn."""
    found: dict[object, Fraction] = {}
    stack: list[tuple[object, Fraction, brute.Table]] = [
        (None, *deal) for deal in brute.deals(rules.to_json(), counts)
    ]
    while stack:
        group, chance, table = stack.pop()
        if table.turn == 2:
            found[group] = found.get(group, Fraction(0)) + chance * table.net()[0]
            continue
        if table.turn == 1:
            other = table.hands[0]
            third = other.third if rules.draw_face_up else other.third is not None
            group = third, sum(other.cards) if rules.exposed != "never" else None
        for action in (punter, banker)[table.turn](table):
            stack.extend((group, chance * part, then) for part, then in table.after(action))
    return found
