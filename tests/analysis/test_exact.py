"""Exact odds: the worked cases, published figures of related games, and what each option is worth."""

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from analysis.exact import Odds, odds
from analysis.shoe import Shoe, full, infinite
from analysis.strategies import default, punter_table
from casino.banking.presets import PRESETS
from casino.banking.rules import Rules, build

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases" / "banking.json"
F = Fraction


def preset(name: str, **changes: Any) -> Rules:
    return build(PRESETS[name][1], changes)


def _cases() -> list[dict[str, Any]]:
    figures = json.loads(CASES.read_text(encoding="utf-8"))["figures"] if CASES.exists() else []
    return [figure for figure in figures if "equilibrium" not in (figure["punter"], figure["banker"])]


@pytest.mark.skipif(not CASES.exists(), reason="the shared cases are not beside this project")
@pytest.mark.parametrize("case", _cases(), ids=lambda case: case["id"])
def test_worked_case(case: dict[str, Any]) -> None:
    rules = preset(case["rules"]["preset"], **case["rules"]["changes"])
    shoe = infinite() if case["decks"] == "infinite" else full(case["decks"])
    found = odds(rules, shoe, (), case["punter"], case["banker"])
    quantity = case["quantity"]
    if quantity == "distribution":
        assert {str(net): chance for net, chance in found.distribution.items()} == {
            net: F(value["exact"]) for net, value in case["values"].items()
        }
    elif quantity == "draw_on_first_card":
        assert [points for points, first in found.by_first_card.items() if first.best == "draw"] == case[
            "value"
        ]
    elif quantity.startswith("action_ev:"):
        _, points, action = quantity.split(":")
        assert found.by_first_card[int(points)].actions[action].ev() == F(case["exact"])
    else:
        assert getattr(found, quantity) == F(case["exact"])
        assert abs(float(getattr(found, quantity)) - case["float"]) <= case["tolerance"]


# The same, copied here for where the cases are not: preset, changes, decks, punter, EV.
KEPT: list[tuple[str, dict[str, Any], int | None, Any, str]] = [
    ("russian-even", {}, 2, "optimal", "6380/22763"),
    ("russian-even", {}, 2, "textbook", "5930/22763"),
    ("russian-even", {}, 1, "optimal", "1548/5525"),
    ("russian-even", {}, None, "optimal", "616/2197"),
    ("russian-even", {"banker_draw": {"upto": 5}}, 2, "optimal", "0"),
    ("russian-even", {"max_draws": 0}, 2, "optimal", "0"),
    ("russian-even", {"ties": "banker"}, 2, "optimal", "321/1751"),
    ("russian-even", {"punter_discards": "both"}, 2, "optimal", "129656/290745"),
    ("russian-multiple", {}, 2, "optimal", "69524186106/129386532275"),
    ("russian-multiple", {}, 2, {"draw_on": [1, 2, 3]}, "1072766/1996449"),
    ("russian-multiple", {}, None, "optimal", "7255/13689"),
    ("russian-multiple", {"natural_after_discard": True}, 2, "optimal", "244594844618/388159596825"),
    ("russian-multiple", {"punter_discards": "dealt"}, 2, "optimal", "107203876245912/213358391721475"),
    ("russian-multiple", {"punter_discards": "drawn"}, 2, "optimal", "334378/665483"),
    ("house", {}, 2, "optimal", "-252899/6687135"),
    ("house", {}, None, "optimal", "-4054/85293"),
    ("house", {"banker_discards": "dealt"}, 2, "optimal", "62708095733/1182626511885"),
]


@pytest.mark.parametrize(("name", "changes", "decks", "punter", "ev"), KEPT)
def test_kept_figures(name: str, changes: dict[str, Any], decks: int | None, punter: Any, ev: str) -> None:
    shoe = infinite() if decks is None else full(decks)
    assert odds(preset(name, **changes), shoe, (), punter, "rules").ev_punter == F(ev)


# Counts of all orders of six cards: player, banker, tie. As published by M. Shackleford (Wizard of Odds, Baccarat,
# appendix 1); the eight-pack probabilities also by E. O. Thorp and W. E. Walden, A favorable side bet in Nevada
# baccarat (JASA 61, 1966), and S. N. Ethier, The Doctrine of Chances (2010).
PUNTO_BANCO = {
    8: (2230518282592256, 2292252566437888, 475627426473216),
    6: (392220492728832, 403095751234560, 83552962932288),
    1: (6548674432, 6737232640, 1372227328),
}


@pytest.mark.parametrize("packs", PUNTO_BANCO)
def test_punto_banco_counts(packs: int) -> None:
    player, banker, tie = PUNTO_BANCO[packs]
    found = odds(preset("punto-banco"), full(packs), (), "rules", "rules")
    total = player + banker + tie
    assert found.distribution == {-1: F(banker, total), 0: F(tie, total), 1: F(player, total)}


def test_punto_banco_total_is_the_number_of_orders_of_six_cards() -> None:
    total = 1
    for used in range(6):
        total *= 416 - used
    assert sum(PUNTO_BANCO[8]) == total == 4998398275503360


def test_punto_banco_edges_of_eight_packs() -> None:
    """Published: 1.235081 % on the player, 1.057906 % on the banker after 5 %, 14.359629 % on the tie (Shackleford)."""
    found = odds(preset("punto-banco"), punter="rules")
    assert round(100 * float(found.ev_punter), 6) == -1.235081
    assert round(100 * float(found.banker_bet_ev), 6) == -1.057906
    assert round(100 * float(found.tie_bet_8_to_1_ev), 6) == -14.359629


def test_removing_a_card_is_the_shoe_without_it() -> None:
    """One card seen moves the player's edge by what is published as its effect of removal (8 packs; P. A. Griffin, The
    Theory of Blackjack: a four removed lowers the player's EV by about 0.0120 % of a unit, the largest effect).
    """
    rules, base = preset("punto-banco"), odds(preset("punto-banco"), punter="rules").ev_punter
    effects = {rank: odds(rules, None, (f"{rank}H",), "rules").ev_punter - base for rank in "A23456789T"}
    assert min(effects, key=lambda rank: effects[rank]) == "4"
    assert 100 * float(effects["4"]) == pytest.approx(-0.0120, abs=0.0005)
    counts = list(full(8).counts)
    counts[4] -= 1
    assert odds(rules, Shoe(tuple(counts)), (), "rules").ev_punter == base + effects["4"]


def test_the_russian_game_to_the_letter_favours_the_punter() -> None:
    """The banker never draws, so the punter, who may, is ahead: by 28.0 % and 53.7 % of the stake."""
    assert float(odds(preset("russian-even"), punter="optimal").ev_punter) == pytest.approx(
        0.280279, abs=1e-6
    )
    assert float(odds(preset("russian-multiple"), punter="optimal").ev_punter) == pytest.approx(
        0.537337, abs=1e-6
    )


@pytest.mark.parametrize("name", PRESETS)
def test_what_one_side_wins_the_other_loses(name: str) -> None:
    found = odds(preset(name), banker=default("banker", preset(name)))
    assert found.ev_banker == -found.ev_punter
    assert sum(found.distribution.values()) == 1
    assert found.spread.total == sum(first.spread.total for first in found.by_first_card.values())
    mean = sum(net * chance for net, chance in found.distribution.items())
    square = sum(net**2 * chance for net, chance in found.distribution.items())
    assert (found.ev_punter, found.variance) == (mean, square - mean**2)


@pytest.mark.parametrize("name", PRESETS)
def test_first_cards_add_up_to_the_coup(name: str) -> None:
    found = odds(preset(name), punter="textbook")
    firsts = found.by_first_card.values()
    assert sum(first.probability for first in firsts) == 1
    assert sum(first.probability * first.spread.ev() for first in firsts) == found.ev_punter


@pytest.mark.parametrize("name", ["russian-even", "russian-multiple", "house"])
def test_playing_the_best_action_is_what_the_best_reply_is_worth(name: str) -> None:
    """No natural of the banker ends these coups, so an action's EV is that of the card dealt."""
    for first in odds(preset(name), punter="optimal").by_first_card.values():
        assert first.spread.ev() == max(action.ev() for action in first.actions.values())


def test_a_chain_of_zeros_from_an_infinite_shoe_is_the_limit_of_large_ones() -> None:
    """With as many packs as one likes the finite shoe tends to the infinite one, discards and all: the error falls
    like 1/n, so that twice the larger figure less the smaller one is closer still.
    """
    rules = preset("house", banker_discards="dealt", natural_after_discard=True)
    ends = [float(odds(rules, Shoe((n * 4, *[n] * 9)), (), "threshold:4").ev_punter) for n in (20, 40)]
    limit = float(odds(rules, infinite(), (), "threshold:4").ev_punter)
    assert abs(2 * ends[1] - ends[0] - limit) < 2e-5 < abs(ends[1] - limit) * 20


BASE = "russian-multiple-active"
BASE_CHANGES: dict[str, Any] = {"natural_takes": {"9": 2, "8": 3}, "tie_takes_on": "points"}
# option: values that differ from the base's, each of which must move the EV of some pair of policies.
TURNS: dict[str, list[Any]] = {
    "first_cards": [2],
    "max_draws": [0],
    "exposed": ["on_turn", "dealt"],
    "punter_draw": [["draw"] * 10, ["stand"] * 10, ["free"] * 5 + ["draw"] + ["free"] * 4],
    "banker_draw": [
        "never",
        {"upto": 3},
        {"tableau": ["DDDDDDDDDDD"] * 4 + ["SDDDDDDSSSS"] + ["SSSSSSSSSSS"] * 5},
    ],
    "draw_face_up": [False],
    "punter_discards": ["none", "dealt", "drawn"],
    "banker_discards": ["none", "dealt", "drawn"],
    "natural_after_discard": [True],
    "natural_pays": [{}, {"9": 4, "8": 2}],
    "natural_takes": [{}, {"9": 2}],
    "ties": ["push"],
    "tie_takes": [{}, {"0": 2}],
    "tie_takes_on": ["banker_natural", "punter_natural"],
    "banker_natural_ends": [[9], [7, 8, 9]],
    "punter_natural_ends": [[9], [7, 8, 9]],
}
TURNED = [(option, value) for option, values in TURNS.items() for value in values]
PAIRS: list[Callable[[Rules], Odds]] = [
    lambda rules: odds(rules, punter="threshold:4", banker=default("banker", rules)),
    lambda rules: odds(rules, punter="optimal", banker=default("banker", rules)),
    lambda rules: odds(rules, punter={"draw_on": [1, 2, 5, 7]}, banker="optimal"),
]


@pytest.fixture(scope="module")
def base_evs() -> list[Any]:
    return [pair(preset(BASE, **BASE_CHANGES)).ev_punter for pair in PAIRS]


@pytest.mark.parametrize(("option", "value"), TURNED, ids=lambda part: str(part)[:30])
def test_turning_an_option_moves_an_expected_value(option: str, value: Any, base_evs: list[Any]) -> None:
    changes = BASE_CHANGES | {option: value}
    if option == "first_cards":
        changes |= {"punter_discards": "none", "banker_discards": "none"}
        base_evs = [pair(preset(BASE, **(changes | {"first_cards": 1}))).ev_punter for pair in PAIRS[:1]]
    turned = preset(BASE, **changes)
    assert any(pair(turned).ev_punter != ev for pair, ev in zip(PAIRS, base_evs, strict=False))


def test_turning_packs_and_commission_moves_an_expected_value() -> None:
    assert (
        odds(preset(BASE, decks=3), punter="stand").ev_punter != odds(preset(BASE), punter="stand").ev_punter
    )
    dear = odds(preset("punto-banco", commission="1/10"), punter="rules")
    cheap = odds(preset("punto-banco"), punter="rules")
    assert dear.ev_punter == cheap.ev_punter
    assert dear.banker_bet_ev < cheap.banker_bet_ev
    assert preset("punto-banco", shared_hand=False, commission="0").shared_hand is False
    assert not odds(preset("punto-banco", shared_hand=False, commission="0"), punter="rules").has_side_bets


def test_who_is_bound_plays_as_bound() -> None:
    """A policy obeys must-draw and must-stand, and throws only zeros that the rules let go."""
    rules = preset("house", punter_draw=["stand"] + ["free"] * 8 + ["draw"], punter_discards="drawn")
    table = punter_table("threshold:3", rules)
    assert table.draw == (0, 1, 1, 1, 0, 0, 0, 0, 0, 1)
    assert (table.discard_dealt, table.discard_drawn) == (False, True)
