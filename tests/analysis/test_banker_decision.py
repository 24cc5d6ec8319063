"""The banker's best action against several punters, beside every deal that his view allows, one by one."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random
from typing import Any

import brute
import pytest

from analysis.decision import banker_decision
from analysis.holdings import Cards, Hands, unknown_of
from analysis.policy import best_response
from analysis.shoe import Shoe, full, infinite
from analysis.strategies import cached_plan, punter_table
from analysis.table_state import BankerState, PunterSeen
from casino.banking.presets import PRESETS
from casino.banking.rules import Rules, build
from casino.errors import RulesError

_POLICIES = [
    "textbook",
    "stand",
    "threshold:3",
    "threshold:5",
    {"draw_on": [0, 2, 4, 7], "discard_dealt": False},
]


@dataclass(frozen=True)
class World:
    """One way the concealed cards may lie: its weight, the punters' hands, the cards left in the shoe."""

    weight: Fraction
    hands: tuple[brute.Hand, ...]
    left: tuple[int, ...]


def _worlds(rules: Rules, state: BankerState, pool: tuple[int, ...], odd: list[bool]) -> list[World]:
    worlds = [World(Fraction(1), (), pool)]
    for punter, strange in zip(state.punters, odd, strict=True):
        worlds = [grown for world in worlds for grown in _grown(rules, world, punter, strange)]
    return worlds


def _grown(rules: Rules, world: World, punter: PunterSeen, strange: bool) -> Iterator[World]:
    """The world with one punter's hand more, in all ways that his policy (or, if `strange`, the rules) allow."""
    size = rules.first_cards
    for chance, cards, left in _dealt(world.left, punter.first, size):
        hand = brute.Hand(cards, thrown=punter.thrown[0])
        table = brute.Table(rules.to_json(), left, (hand, brute.Hand()))
        if table._onward().turn != 0 or not _would(table, punter, strange):
            continue
        if not punter.drew:
            yield World(world.weight * chance, (*world.hands, hand), left)
        elif punter.third is not None:
            yield World(world.weight * chance, (*world.hands, replace(hand, third=punter.third)), left)
        else:
            for share, third, rest in _dealt(left, None, 1):
                if strange or third[0] or not punter.table.discard_drawn:
                    weight = world.weight * chance * share
                    yield World(weight, (*world.hands, replace(hand, third=third[0])), rest)


def _would(table: brute.Table, punter: PunterSeen, strange: bool) -> bool:
    wish = "draw" if punter.drew else "stand"
    if wish not in table.actions():
        return False
    if strange:
        return True
    if "discard" in table.actions() and punter.table.discard_dealt:
        return False
    return "stand" not in table.actions() or (punter.table.draw[table.hand.points] == int(punter.drew))


def _dealt(
    left: tuple[int, ...], known: tuple[int, ...] | None, size: int
) -> Iterator[tuple[Fraction, tuple[int, ...], tuple[int, ...]]]:
    """Concealed cards from the pool; cards that lie open have left it already."""
    if known is not None or size == 0:
        yield Fraction(1), known or (), left
        return
    for card, count in enumerate(left):
        if count:
            rest = (*left[:card], count - 1, *left[card + 1 :])
            for chance, more, then in _dealt(rest, None, size - 1):
                yield chance * Fraction(count, sum(left)), (card, *more), then


def _value(
    rules: Rules, state: BankerState, banker: brute.Hand, worlds: list[World], action: str
) -> Fraction:
    """The punters' net, joint with the weights of the worlds, after the banker's action and best play."""
    if action == "stand":
        return sum((world.weight * _net(rules, state, world, banker) for world in worlds), start=Fraction(0))
    total = Fraction(0)
    for card in range(10):
        then = [
            World(
                world.weight * Fraction(world.left[card], sum(world.left)),
                world.hands,
                _less(world.left, card),
            )
            for world in worlds
            if world.left[card]
        ]
        if action == "draw":
            hand = replace(banker, third=card)
        elif banker.third is not None:
            hand = replace(banker, third=card, thrown_drawn=banker.thrown_drawn + 1)
        else:
            hand = replace(banker, cards=(card,), thrown=banker.thrown + 1)
        if then:
            total += min(_value(rules, state, hand, then, more) for more in _actions(rules, state, hand))
    return total


def _actions(rules: Rules, state: BankerState, banker: brute.Hand) -> list[str]:
    third = state.punters[0].third if len(state.punters) == 1 else None
    punter = brute.Hand(third=third, done=True)
    return brute.Table(rules.to_json(), (0,) * 10, (punter, banker), turn=1).actions()


def _net(rules: Rules, state: BankerState, world: World, banker: brute.Hand) -> int:
    return sum(
        punter.stake * brute.Table(rules.to_json(), world.left, (hand, banker)).net()[0]
        for punter, hand in zip(state.punters, world.hands, strict=True)
    )


def _less(left: tuple[int, ...], card: int) -> tuple[int, ...]:
    return (*left[:card], left[card] - 1, *left[card + 1 :])


def _by_hand(rules: Rules, shoe: Shoe, state: BankerState, odd: list[bool]) -> dict[str, Fraction]:
    """The banker's EVs in chips, by action."""
    worlds = _worlds(rules, state, state.unknown(shoe), odd)
    seen = sum(world.weight for world in worlds)
    banker = brute.Hand(state.cards, state.thrown[0], state.third, state.thrown[1])
    return {
        action: -_value(rules, state, banker, worlds, action) / seen
        for action in _actions(rules, state, banker)
    }


def _rules(random: Random, first_cards: int = 1) -> Rules:
    changes: dict[str, Any] = {
        "banker_draw": "free",
        "draw_face_up": random.random() < 0.7,
        "punter_discards": random.choice(["none", "dealt", "drawn", "both"]),
        "banker_discards": random.choice(["none", "dealt", "drawn", "both"]),
        "natural_after_discard": random.random() < 0.5,
        "natural_takes": random.choice([{}, {"9": 3, "8": 2}]),
        "ties": random.choice(["push", "banker"]),
        "punter_natural_ends": random.choice([[], [9]]),
        "punter_draw": [random.choice(["free", "free", "draw", "stand"]) for _ in range(10)],
        "first_cards": first_cards,
    }
    if first_cards == 2:
        changes |= {"punter_discards": "none", "banker_discards": "none"}
    return build(PRESETS["russian-multiple-active"][1], changes | {"max_punters": 3})


def _punter(random: Random, rules: Rules, left: list[int]) -> PunterSeen:
    table = punter_table(random.choice(_POLICIES), rules)
    drew = random.random() < 0.5
    third = _take(random, left) if drew and rules.draw_face_up else None
    thrown = [0, 0]
    for at, kind in enumerate(("dealt", "drawn")):
        if (
            rules.punter_discards in (kind, "both")
            and left[0] > 1
            and random.random() < 0.4
            and (at == 0 or drew)
        ):
            thrown[at] = 1
            left[0] -= 1
    return PunterSeen(random.choice([5, 10, 35]), table, drew, third, None, (thrown[0], thrown[1]))


def _take(random: Random, left: list[int]) -> int:
    card = random.choices(range(10), left)[0]
    left[card] -= 1
    return card


def _state(random: Random, rules: Rules, counts: tuple[int, ...], punters: int) -> BankerState:
    left = list(counts)
    cards = tuple(_take(random, left) for _ in range(rules.first_cards))
    if rules.banker_discards in ("dealt", "both") and left[0] and random.random() < 0.3:
        left[0] -= 1
        left[cards[0]] += 1
        cards = (0,)
    seen = tuple(_punter(random, rules, left) for _ in range(punters))
    return BankerState(cards, seen)


@pytest.mark.parametrize("seed", range(45))
def test_against_every_deal_that_the_view_allows(seed: int) -> None:
    random = Random(seed)
    rules = _rules(random)
    counts = (5, 2, 0, 2, 2, 0, 1, 2, 0, 2)
    state = _state(random, rules, counts, random.choice([1, 2, 2, 3]))
    found = banker_decision(rules, Shoe(counts), state)
    expected = _by_hand(
        rules, Shoe(counts), state, [at in found.unexpected for at in range(len(state.punters))]
    )
    assert found.values == expected
    assert all(found.cost(action) >= 0 for action in found.values)


@pytest.mark.parametrize("seed", range(6))
def test_two_first_cards_each(seed: int) -> None:
    random = Random(seed)
    rules = _rules(random, first_cards=2)
    counts = (3, 1, 0, 2, 2, 0, 0, 2, 0, 1)
    state = _state(random, rules, counts, 2)
    found = banker_decision(rules, Shoe(counts), state)
    expected = _by_hand(rules, Shoe(counts), state, [at in found.unexpected for at in range(2)])
    assert found.values == expected


def test_one_punter_is_the_bankers_best_reply() -> None:
    """With one punter and a full shoe the decision is that of the best reply, situation by situation."""
    rules = build(PRESETS["russian-multiple-active"][1], {})
    table = punter_table("textbook", rules)
    decisions = best_response(rules, "banker", "textbook").decisions
    plain = [d for d in decisions if d.reach and not d.situation.discarded and d.situation.stage == "dealt"]
    for decision in plain[::9]:
        seen = decision.situation
        assert seen.cards is not None
        third = None if seen.third == "none" else int(str(seen.third))
        state = BankerState(seen.cards, (PunterSeen(1, table, third is not None, third),))
        assert banker_decision(rules, full(2), state).values == decision.values


def test_the_recursion_over_kinds_is_the_sum_over_all_hands() -> None:
    """Four punters, four policies: the same sums as over every hand of each in turn."""
    rules = build(PRESETS["continental"][1], {"draw_face_up": False})
    plan = cached_plan(rules)
    policies = ["threshold:5", "threshold:2", "threshold:3", "textbook"]
    punters = tuple(
        PunterSeen(7 * at + 1, punter_table(policy, rules), at % 2 == 1) for at, policy in enumerate(policies)
    )
    state = BankerState((5,), punters)
    cards = unknown_of(plan, full(2), state)
    assert isinstance(cards, Cards)
    hands = Hands(cards.table, cards.pool, cards.holdings)
    assert cards.cards == hands.cards == 6
    assert cards.ways == hands.ways
    assert cards.paid((3,), 1, 8) == hands.paid((3,), 1, 8)


def test_nine_punters_of_nine_policies() -> None:
    """Every punter a kind of his own: the stakes of those who are ahead decide. Doubling all stakes doubles all EVs."""
    rules = build(PRESETS["continental"][1], {})
    policies: list[Any] = [f"threshold:{points}" for points in range(7)] + [
        {"draw_on": [0, 2, 4]},
        {"draw_on": [1]},
    ]
    seen = [
        PunterSeen(at + 1, punter_table(policy, rules), at % 2 == 0, (3 * at) % 10 if at % 2 == 0 else None)
        for at, policy in enumerate(policies)
    ]
    found = banker_decision(rules, full(2), BankerState((4,), tuple(seen)))
    twice = tuple(replace(punter, stake=2 * punter.stake) for punter in seen)
    assert banker_decision(rules, full(2), BankerState((4,), twice)).values == {
        action: 2 * value for action, value in found.values.items()
    }
    assert found.unexpected == ()


def test_open_cards_and_a_natural_that_was_shown() -> None:
    """All lies open: 6 and a drawn 2 make 8; a natural 9 was settled against the banker's first card, a 5, already."""
    rules = build(PRESETS["continental"][1], {"exposed": "dealt"})
    table = punter_table("textbook", rules)
    punters = (
        PunterSeen(10, table, True, 2, (6,)),
        PunterSeen(20, table, first=(9,), shown=True),
    )
    found = banker_decision(rules, full(2), BankerState((5,), punters))
    pool = [count - [0, 0, 1, 0, 0, 1, 1, 0, 0, 1][points] for points, count in enumerate(full(2).counts)]
    beats = [((5 + card) % 10 > 8) - ((5 + card) % 10 < 8) for card in range(10)]
    drawn = sum(
        (Fraction(count, sum(pool)) * won for count, won in zip(pool, beats, strict=True)), start=Fraction(0)
    )
    assert found.values == {"stand": -10 - 60, "draw": 10 * drawn - 60}


@pytest.mark.parametrize(
    ("cards", "punters", "changes", "match"),
    [
        ((9,), 1, {}, "shown at once"),
        ((5, 5), 1, {}, "holds 1 first cards"),
        ((5,), 10, {}, "1 to 9 punters"),
    ],
)
def test_states_that_cannot_be(
    cards: tuple[int, ...], punters: int, changes: dict[str, Any], match: str
) -> None:
    rules = build(PRESETS["continental"][1], changes)
    punter = PunterSeen(1, punter_table("threshold:3", rules))
    with pytest.raises(RulesError, match=match):
        banker_decision(rules, full(2), BankerState(cards, (punter,) * punters))


def test_what_takes_too_long_or_has_no_end_is_refused() -> None:
    rules = build(PRESETS["continental"][1], {})
    state = BankerState((5,), (PunterSeen(1, punter_table("threshold:3", rules)),))
    with pytest.raises(RulesError, match="above the cap of 5"):
        banker_decision(rules, full(2), state, most_steps=5)
    with pytest.raises(RulesError, match="a shoe that ends"):
        banker_decision(rules, infinite(), state)


def test_what_nobody_could_have_done_is_refused() -> None:
    """Every punter must stand on what is left, and one drew."""
    rules = build(PRESETS["continental"][1], {"punter_draw": ["draw"] * 7 + ["stand"] * 3})
    state = BankerState((5,), (PunterSeen(1, punter_table("textbook", rules), True, 4),))
    with pytest.raises(RulesError, match="allow what these punters did"):
        banker_decision(rules, Shoe((0, 0, 0, 0, 1, 1, 0, 0, 4, 4)), state)


def test_a_card_that_the_shoe_does_not_hold_is_not_drawn() -> None:
    """Two zeros and his 5: both zeros are held, and nothing is left to draw. With a third zero he draws it: 2 chips."""
    rules = build(PRESETS["continental"][1], {})
    seen = PunterSeen(1, punter_table("stand", rules))
    state = BankerState((5,), (seen, seen))
    with pytest.raises(RulesError, match="only after a reshuffle"):
        banker_decision(rules, Shoe((2, 0, 0, 0, 0, 1, 0, 0, 0, 0)), state)
    found = banker_decision(rules, Shoe((3, 0, 0, 0, 0, 1, 0, 0, 0, 0)), state)
    assert found.values == {"stand": 2, "draw": 2}
