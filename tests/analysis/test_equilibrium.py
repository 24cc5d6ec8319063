"""Equilibrium of one punter and a free banker: published figures, the whole game tree, and the certificate."""

import json
from fractions import Fraction
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from random_rules import DISCARDS, OPTIONS
from sequence_form import Tree

from analysis import exact_lp
from analysis.bilinear import NONE, Bilinear, Seen, bilinear
from analysis.discard_equilibrium import solve
from analysis.discard_tree import CappedShoe
from analysis.equilibrium import Equilibrium, equilibrium
from analysis.shoe import Shoe, full, infinite, left
from casino.banking.presets import PRESETS
from casino.banking.rules import Rules, build
from casino.errors import RulesError

_CASES = Path(__file__).parents[3] / "shared" / "cases" / "banking.json"


def preset(name: str, **changes: Any) -> Rules:
    return build(PRESETS[name][1], changes)


@cache
def solved(rules: Rules, shoe: Shoe | None = None, **how: Any) -> Equilibrium:
    found = equilibrium(rules, shoe, **how)
    assert isinstance(found, Equilibrium)
    return found


# (rules, changes, packs or None for infinite, value). The first two and the last: see `test_kemeny_and_snell`;
# the others were worked out from the rules beforehand, by hand-built programs for a full shoe of two packs.
VALUES: list[tuple[str, dict[str, Any], int | None, Fraction | float, float]] = [
    ("russian-even-active", {}, 2, Fraction(-32331737, 2317455504), 0),
    ("russian-even-active", {"draw_face_up": False}, 2, Fraction(-7829413, 1158727752), 0),
    ("russian-even-active", {"exposed": "dealt"}, 2, -0.03581517049917031, 1e-9),
    ("continental", {}, 2, Fraction(-76783, 6897189), 0),
    (
        "continental",
        {"banker_natural_ends": [8, 9], "punter_natural_ends": []},
        2,
        Fraction(-317002, 6897189),
        0,
    ),
    ("chemin-de-fer", {}, None, Fraction(-679568, 53094899), 0),
]


@pytest.mark.parametrize(("name", "changes", "packs", "value", "near"), VALUES)
def test_values_worked_out_beforehand(
    name: str, changes: dict[str, Any], packs: int | None, value: Fraction | float, near: float
) -> None:
    found = solved(preset(name, **changes), full(packs) if packs else infinite())
    assert found.certified
    assert found.lower == found.upper == found.value
    assert abs(found.value - value) <= near


def test_kemeny_and_snell() -> None:
    """Chemin de fer with replacement, totals only: J. G. Kemeny and J. L. Snell, Game-theoretic solution of
    baccarat (American Mathematical Monthly 64, 1957)."""
    found = solved(preset("chemin-de-fer"), infinite())
    assert found.value == Fraction(-679568, 53094899)
    assert found.punter[5] == Fraction(9, 11)
    assert found.banker[Seen(6, NONE, NONE)] == Fraction(859, 2288)
    # The rest of their answer is pure: the banker's drawing rule on 3 to 6 against each third card.
    draws = {
        points: [third for third in (NONE, *range(10)) if found.banker[Seen(points, third, NONE)] == 1]
        for points in (3, 4, 5)
    }
    assert draws == {3: [-1, 0, 1, 2, 3, 4, 5, 6, 7, 9], 4: [-1, 2, 3, 4, 5, 6, 7], 5: [-1, 4, 5, 6, 7]}


def test_both_sides_mix_in_telling_one() -> None:
    found = solved(preset("russian-even-active"))
    assert found.punter[:5] == (1,) * 5
    assert found.punter[5] == Fraction(125, 336)
    assert found.punter[6:] == (0,) * 4


def test_with_discards_the_bounds_hold_the_value() -> None:
    found = solved(preset("russian-multiple-active"))
    assert not found.certified
    assert found.lower < -0.01186458342788548 < found.upper
    assert found.exploitability < 1e-8
    assert found.discards is not None
    assert found.discards.dealt == pytest.approx(1)


@pytest.mark.skipif(not _CASES.exists(), reason="the shared cases are not beside this checkout")
def test_every_shared_equilibrium_figure() -> None:
    figures = json.loads(_CASES.read_text())["figures"]
    rows = [row for row in figures if row["banker"] == "equilibrium"]
    assert len(rows) >= 10
    for row in rows:
        rules = preset(row["rules"]["preset"], **row["rules"]["changes"])
        found = solved(rules, infinite() if row["decks"] == "infinite" else full(row["decks"]))
        got = _quantity(found, row["quantity"])
        assert abs(float(got) - row["float"]) <= row["tolerance"], row["id"]
        if row["exact"]:
            assert got == Fraction(row["exact"]), row["id"]


def _quantity(found: Equilibrium, quantity: str) -> Any:
    name, *where = quantity.split(":")
    if name == "value":
        return found.value
    if name == "punter_draw_probability":
        return found.punter[int(where[0])]
    assert name == "banker_draw_probability"
    return found.banker[Seen(int(where[0]), NONE if where[1] == "none" else int(where[1]), NONE)]


# Against the whole tree

_OPTIONS: dict[str, list[Any]] = {
    **{name: values for name, values in OPTIONS.items() if name not in DISCARDS},
    "exposed": ["never", "never", "on_turn", "dealt"],
}


def random_rules(random: Random, discards: bool, two_cards: bool = False) -> Rules:
    changes = {name: random.choice(values) for name, values in _OPTIONS.items()}
    changes["punter_draw"] = [random.choice(["free"] * 4 + ["draw", "stand"]) for _ in range(10)]
    if discards:
        changes |= {name: random.choice(OPTIONS[name]) for name in DISCARDS}
    if two_cards:
        changes |= {"first_cards": 2, "exposed": "never"}
    if changes["draw_face_up"] and random.random() < 0.3:
        rows = ["".join(random.choice("FFDS") for _ in range(11)) for _ in range(10)]
        changes["banker_draw"] = {"tableau": ["F" * 11, *rows[1:]]}
    return preset("russian-even-active", **changes)


def small_shoe(random: Random, cards: int, values: int) -> Shoe:
    counts = [0] * 10
    kinds = random.sample(range(1, 10), values)
    for card in (0, 0, *(random.choice([0, *kinds, *kinds]) for _ in range(cards - 2))):
        counts[card] += 1
    while sum(counts[1:]) < 4:
        counts[random.choice(kinds)] += 1
    return left(counts, 8)


@pytest.mark.parametrize("seed", range(24))
def test_without_discards_as_the_whole_tree(seed: int) -> None:
    random = Random(seed)
    rules, shoe = random_rules(random, discards=False, two_cards=seed % 6 == 5), small_shoe(random, 9, 4)
    found = solved(rules, shoe)
    assert found.certified
    assert float(found.value) == pytest.approx(Tree(rules.to_json(), shoe.counts).value(), abs=1e-8)


@pytest.mark.parametrize("seed", range(24))
def test_with_discards_as_the_whole_tree(seed: int) -> None:
    random = Random(seed)
    rules, shoe = random_rules(random, discards=True), small_shoe(random, 8, 4)
    value = Tree(rules.to_json(), shoe.counts).value()
    found = solved(rules, shoe)
    assert found.lower - 1e-8 <= value <= found.upper + 1e-8
    assert found.exploitability < 1e-7


@pytest.mark.parametrize("seed", range(12))
def test_two_solvers_of_one_game_agree(seed: int) -> None:
    """The level solver, with no zero to throw, against the bilinear game in integers."""
    rules = random_rules(Random(100 + seed), discards=False)
    exact = solved(rules, full(1 + seed % 8))
    bounds = solve(rules, CappedShoe(full(1 + seed % 8).counts, 0))
    # No cap is passed where nothing is thrown, so the whole gap is rounding.
    slack = CappedShoe(full(1 + seed % 8).counts, 0).beyond * (
        rules.payoff.worst_loss + rules.payoff.worst_payout
    )
    assert float(bounds.lower) + slack == pytest.approx(float(exact.value), abs=1e-9)
    assert float(bounds.upper) - slack == pytest.approx(float(exact.value), abs=1e-9)


# The certificate


def _game(random: Random) -> Bilinear:
    rows, columns = random.randint(1, 9), random.randint(1, 5)
    draw = np.array([[random.randint(-3, 3) for _ in range(columns)] for _ in range(rows)], np.int64)
    return Bilinear(
        scale=7,
        base=random.randint(-5, 5),
        gain=np.array([random.randint(-3, 3) for _ in range(columns)], np.int64),
        offset=np.array([random.randint(-3, 3) for _ in range(rows)], np.int64),
        cross=draw,
        open_x=tuple(range(columns)),
        open_y=tuple(Seen(0, place, NONE) for place in range(rows)),
        set_x={},
        set_y={},
    )


@pytest.mark.parametrize("seed", range(60))
def test_degenerate_games_in_small_integers_are_certified(seed: int) -> None:
    game = _game(Random(seed))
    x, y = exact_lp.solve_exact(game)
    lower, upper = exact_lp.bounds(game, x, y)
    assert all(0 <= share <= 1 for share in (*x, *y))
    assert lower == upper


@pytest.mark.parametrize("seed", range(20))
def test_a_useless_float_answer_is_pivoted_away(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random, game = Random(seed), _game(Random(seed))
    right = exact_lp.bounds(game, *exact_lp.solve_exact(game))
    wrong = tuple(
        np.array([random.choice([0.0, 0.5, 1.0]) for _ in range(size)]) for size in game.cross.shape[::-1]
    )
    monkeypatch.setattr(exact_lp, "solve_float", lambda _: wrong)
    assert exact_lp.bounds(game, *exact_lp.solve_exact(game)) == right


def test_a_wrong_strategy_opens_the_bounds() -> None:
    game = bilinear(preset("russian-even-active"), full(2))
    x, y = exact_lp.solve_exact(game)
    off = [share + Fraction(1, 100) for share in x]
    lower, upper = exact_lp.bounds(game, off, y)
    assert lower < upper == Fraction(-32331737, 2317455504)


def test_floats_alone_are_not_called_certified() -> None:
    found = solved(preset("russian-even-active"), exact=False)
    assert not found.certified
    assert float(found.value) == pytest.approx(-32331737 / 2317455504, abs=1e-12)
    assert "num" not in found.to_json()["value"]


# What the answer says


def test_json_names_points_and_third_cards() -> None:
    told = solved(preset("russian-even-active")).to_json()
    assert (told["value"]["num"], told["value"]["den"]) == ("-32331737", "2317455504")
    assert told["punter"]["5"] == {"num": "125", "den": "336", "float": 125 / 336}
    assert set(told["banker"]["6"]) == {"none", *map(str, range(10))}
    assert told["certified"] is True
    assert json.loads(json.dumps(told)) == told


def test_what_lies_hidden_or_open_shows_in_the_banker_s_table() -> None:
    hidden = solved(preset("russian-even-active", draw_face_up=False)).to_json()
    assert set(hidden["banker"]["6"]) == {"none", "hidden"}
    opened = solved(preset("russian-even-active", exposed="dealt")).to_json()
    assert set(opened["banker"]["6"]["none"]) == set(map(str, range(10)))


def test_a_value_that_is_not_in_the_shoe_is_masked() -> None:
    shoe = left({"0": 4, "1": 4, "2": 4, "5": 4, "6": 4, "9": 4}, 1)
    found = solved(preset("russian-even-active"), shoe)
    assert [points for points in range(10) if found.punter[points] is None] == [3, 4, 7, 8]
    assert {seen.points for seen in found.banker} == {0, 1, 2, 5, 6, 9}
    assert found.certified


def test_a_natural_that_is_shown_has_no_turn() -> None:
    found = solved(preset("continental"))
    assert found.punter[7:] == (None,) * 3
    assert {seen.points for seen in found.banker} == set(range(7))


@pytest.mark.parametrize(
    ("rules", "shoe", "punters", "reason"),
    [
        (preset("russian-even-active"), left({"1": 3}, 1), 1, "reshuffle"),
        (preset("russian-multiple-active"), left({"0": 16, "1": 3}, 1), 1, "not zeros"),
        (preset("russian-even-active"), None, 0, "1 to 3 punters"),
        (preset("russian-even-active"), None, 4, "1 to 3 punters"),
    ],
)
def test_refusals_say_why(rules: Rules, shoe: Shoe | None, punters: int, reason: str) -> None:
    with pytest.raises(RulesError, match=reason):
        equilibrium(rules, shoe, punters=punters)


def test_a_smaller_tail_raises_the_cap() -> None:
    caps = [CappedShoe.of(full(2), tail).cap for tail in (1e-3, 1e-6, 1e-9, 0.0)]
    assert caps == sorted(caps)
    assert caps[-1] == 32  # every zero of two packs


def test_the_chance_of_passing_the_cap_is_the_chance_of_few_others() -> None:
    """Three others at most among the first cap + 4 cards, card by card."""

    def few(zeros: int, others: int, cards: int, most: int) -> Fraction:
        if most < 0 or zeros < 0:
            return Fraction(0)
        if cards == 0:
            return Fraction(1)
        total = zeros + others
        found = Fraction(zeros, total) * few(zeros - 1, others, cards - 1, most)
        return found + (
            Fraction(others, total) * few(zeros, others - 1, cards - 1, most - 1) if others else 0
        )

    assert CappedShoe(full(1).counts, 3).beyond == pytest.approx(float(few(16, 36, 7, 3)), rel=1e-12)


def test_discards_are_told() -> None:
    told = solved(preset("russian-multiple-active"), full(1), tail=1e-4).to_json()
    assert told["discards"]["cap"] == CappedShoe.of(full(1), 1e-4).cap
    assert told["discards"]["dealt"] == pytest.approx(1)
    assert Fraction(int(told["bounds"]["lower"]["num"]), int(told["bounds"]["lower"]["den"])) < 0
