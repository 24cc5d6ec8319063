"""Several punters against a free banker: the strategies are played out by the engine, deal by deal."""

import itertools
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest

from analysis.equilibrium import Equilibrium, equilibrium
from analysis.many_punters import Decision, Several
from analysis.many_punters import solve as regret_matching
from analysis.shoe import Shoe, infinite, left
from casino.banking.coup import Coup
from casino.banking.hands import Hand
from casino.banking.plan import BITS, plan_of
from casino.banking.presets import PRESETS
from casino.banking.rules import Rules, build
from casino.banking.shoe import Shoe as Dealt
from casino.cards import POINTS, face
from casino.errors import RulesError

Turn = tuple[int, int, tuple[str, ...], bool]  # seat, points, what was seen, did it draw


def preset(name: str, **changes: Any) -> Rules:
    return build(PRESETS[name][1], changes)


def several(rules: Rules, shoe: Shoe | None = None, punters: int = 2) -> Several:
    found = equilibrium(rules, shoe, punters=punters)
    assert isinstance(found, Several)
    return found


def _seen(hand: Hand, rules: Rules, acted: bool) -> str:
    """A punter's hand as another seat sees it, in the words of a `Decision`."""
    points = POINTS[hand.cards[0]]
    if hand.ended:
        return f"natural on {points}"
    if not acted:
        word = "waits"
    elif not hand.drew:
        word = "stood"
    else:
        word = f"drew {POINTS[hand.cards[1]]}" if rules.draw_face_up else "drew"
    open_ = rules.exposed == "dealt" or (rules.exposed == "on_turn" and acted)
    return f"{word} on {points}" if open_ else word


def _plays(coup: Coup, rules: Rules, turns: tuple[Turn, ...]) -> Iterator[tuple[tuple[Turn, ...], list[int]]]:
    """Every way to play a dealt coup: who decided what, and the nets."""
    if coup.over:
        yield turns, [rules.payoff.table[row][column] for _, row, column in coup.codes()]
        return
    seat, hand = coup.turn, coup.hands[coup.turn]
    others = [(place, other) for place, other in enumerate(coup.hands[:-1]) if place != seat]
    seen = tuple(_seen(other, rules, place < seat) for place, other in others)
    for action in coup.choices():
        twin = coup.copy(coup.shoe.copy(), [])
        twin.act(BITS[action.verb])
        twin.advance()
        yield from _plays(twin, rules, (*turns, (seat, hand.points, seen, action.verb == "draw")))


def _check_by_play(rules: Rules, cards: list[str], found: Several) -> None:
    """Values and exploitability again, from every order of a small shoe dealt by the engine."""
    faces = [face(card, suitless=True) for card in cards]
    orders = sorted({tuple(POINTS[card] for card in order) for order in itertools.permutations(faces)})
    of_points = {POINTS[card]: card for card in faces}
    chances = _chances(found)
    punters = len(found.values)
    values = [0.0] * (punters + 1)
    worth: dict[tuple[int, int, tuple[str, ...]], list[float]] = defaultdict(lambda: [0.0, 0.0])
    for order in orders:
        dealt = Dealt(1, [[of_points[points] for points in order]], b"")
        coup = Coup(plan_of(rules), dealt, 1, [])
        coup.deal(range(punters + 1))
        for turns, won in _plays(coup, rules, ()):
            nets = [*won, -sum(won)]
            shares = [chances[turn[:3]] if turn[3] else 1 - chances[turn[:3]] for turn in turns]
            for place, turn in enumerate(turns):
                others = 1.0
                for other, share in enumerate(shares):
                    others *= share if other != place else 1.0
                worth[turn[:3]][turn[3]] += others * nets[turn[0]] / len(orders)
            whole = 1.0
            for share in shares:
                whole *= share
            values = [value + whole * net / len(orders) for value, net in zip(values, nets, strict=True)]
    gains = [
        max(pair) - (pair[0] * (1 - chances[key]) + pair[1] * chances[key]) for key, pair in worth.items()
    ]
    assert values[:-1] == pytest.approx(found.values, abs=1e-9)
    assert sum(gains) == pytest.approx(found.exploitability, abs=1e-9)


def _chances(found: Several) -> dict[tuple[int, int, tuple[str, ...]], float]:
    def key(seat: int, decision: Decision) -> tuple[int, int, tuple[str, ...]]:
        return seat, decision.points, decision.seen

    seats = [*enumerate(found.punters), (len(found.punters), found.banker)]
    return {key(seat, decision): decision.draw for seat, decisions in seats for decision in decisions}


@pytest.mark.parametrize(
    ("changes", "cards"),
    [
        ({}, "K K 5 5 4 6 9"),
        ({"draw_face_up": False, "ties": "banker"}, "K 2 5 5 3 6 8"),
        ({"exposed": "on_turn", "natural_pays": {"9": 3, "8": 2}}, "K 5 5 4 4 9 8"),
        ({"exposed": "dealt", "punter_draw": ["draw"] * 5 + ["free"] * 3 + ["stand"] * 2}, "K 5 5 4 6 6 9"),
        (
            {"punter_natural_ends": [8, 9], "banker_natural_ends": [9], "natural_takes": {"9": 3}},
            "K 5 4 6 9 9 8",
        ),
        ({"banker_draw": {"upto": 4}}, "K K 5 4 6 6 9"),
    ],
)
def test_two_punters_as_the_engine_plays_them(changes: dict[str, Any], cards: str) -> None:
    rules = preset("russian-even-active", **changes)
    counts = [0] * 10
    for card in cards.split():
        counts[POINTS[face(card, suitless=True)]] += 1
    found = several(rules, left(counts, 1))
    assert found.exploitability < 1e-6
    _check_by_play(rules, cards.split(), found)


def test_a_strategy_that_is_cut_short_reports_what_it_could_lose() -> None:
    rules = preset("russian-even-active")
    cards = "K 5 5 4 6 9 2"
    counts = [0] * 10
    for card in cards.split():
        counts[POINTS[face(card, suitless=True)]] += 1
    found = regret_matching(rules, left(counts, 1), 2, rounds=1)
    assert found.exploitability > 1e-3
    _check_by_play(rules, cards.split(), found)


@pytest.mark.parametrize("name", ["russian-even-active", "continental"])
def test_two_punters_below_a_millionth(name: str) -> None:
    found = several(preset(name))
    assert found.exploitability < 1e-6
    assert not found.certified
    assert "an equilibrium" in found.note


def test_against_a_rote_banker_the_first_of_two_is_as_one_alone() -> None:
    """What the banker does then depends on no punter, and the first sees nothing of the second."""
    rules = preset("russian-even", banker_draw={"upto": 5})
    found = several(rules)
    assert found.values[0] == pytest.approx(0, abs=1e-12)  # figure a11 of the shared cases: exactly even
    assert found.values[1] >= found.values[0] - 1e-12  # he has seen one card more


def test_two_card_hands_from_an_infinite_shoe() -> None:
    """Against a banker who never draws, both have the best that one alone can do."""
    rules = preset("chemin-de-fer", shared_hand=False, banker_draw="never")
    alone = equilibrium(rules, infinite())
    assert isinstance(alone, Equilibrium)
    found = several(rules, infinite())
    assert found.values == pytest.approx([float(alone.value)] * 2, abs=1e-12)


@pytest.mark.parametrize(
    ("rules", "shoe", "reason"),
    [
        (preset("chemin-de-fer"), None, "one hand"),
        (preset("chemin-de-fer", shared_hand=False), None, "infinite shoe"),
        (preset("russian-multiple-active"), None, "one punter"),
        (preset("russian-even-active"), left({"1": 4, "0": 1}, 1), "may need 6 cards"),
        (preset("russian-even-active", banker_draw={"tableau": ["F" * 11] * 10}), None, "tableau"),
    ],
)
def test_refusals(rules: Rules, shoe: Shoe | None, reason: str) -> None:
    with pytest.raises(RulesError, match=reason):
        equilibrium(rules, shoe, punters=2)


@pytest.mark.slow
def test_three_punters_near_an_equilibrium() -> None:
    found = several(preset("russian-even-active"), punters=3)
    assert found.exploitability < 1e-4
    assert len(found.values) == 3
