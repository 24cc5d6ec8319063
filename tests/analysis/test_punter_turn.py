"""A punter's best action from his view: beside best replies, and beside every deal that his view allows."""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from random import Random

import pytest

from analysis.advice import DRY, advise
from analysis.exact import resolve
from analysis.lines import Unseen
from analysis.policy import best_response
from analysis.punter_turn import PunterState, punter_decision
from analysis.shoe import Shoe
from casino.banking.policies import parse_policy
from casino.banking.presets import PRESETS
from casino.banking.rules import build
from casino.cards import POINTS, face
from casino.catalogue import find
from casino.errors import RulesError


def some_rules(random):
    """Rules against a banker by rote, with everything a punter's turn goes by in play."""
    changes = {
        "decks": 1,
        "max_punters": 3,
        "max_draws": random.choice([1, 1, 1, 0]),
        "punter_discards": random.choice(["none", "dealt", "drawn", "both"]),
        "banker_discards": random.choice(["none", "dealt", "drawn", "both"]),
        "natural_after_discard": random.random() < 0.5,
        "natural_takes": random.choice([{}, {"9": 3}]),
        "ties": random.choice(["push", "banker"]),
        "tie_takes_on": random.choice(["points", "banker_natural", "punter_natural"]),
        "banker_draw": random.choice(
            ["never", {"upto": random.randrange(10)}, {"tableau": ["".join(random.choices("DS", k=11))] * 10}]
        ),
        "banker_peeks": True,
        "banker_natural_ends": random.choice([[], [8, 9], [7]]),
        "punter_natural_ends": random.choice([[], [9], [7, 8, 9]]),
        "punter_draw": random.choices(["free", "free", "free", "draw", "stand"], k=10),
    }
    if random.random() < 0.25:
        changes |= {"first_cards": 2, "punter_discards": "none", "banker_discards": "none"}
    return build(PRESETS["house"][1], changes)


@pytest.mark.parametrize("seed", range(6))
def test_alone_it_is_the_best_reply_wherever_he_decides(seed):
    """Every decision of the best reply, zeros thrown before it included, to the fraction (and in floats)."""
    random, compared = Random(seed), 0
    while compared < 12:
        rules = some_rules(random)
        shoe = Shoe(tuple(random.randrange(0, 5 if points else 7) for points in range(10)))
        try:
            reply = best_response(rules, "punter", None, shoe)
        except RulesError:
            continue  # a shoe that serves no coup
        for decision in reply.nodes:
            for state, pool in states_of(decision.situation, shoe, rules):
                found = punter_decision(rules, Unseen(pool), state, resolve(rules, "optimal", "rules")[1])
                assert found.values == decision.values
                assert found.best == decision.best or found.cost(decision.best) == 0
                floats = punter_decision(
                    rules, Unseen(pool), state, resolve(rules, "optimal", "rules")[1], exact=False
                )
                assert floats.values == pytest.approx(
                    {key: float(value) for key, value in found.values.items()}
                )
            compared += 1


def states_of(situation, shoe, rules):
    """The states that look like this, and the cards that he has not seen then. A drawn hand makes no natural, so
    whether its first card replaced a zero is all one; one that stands on first cards after a throw has replaced one."""
    cards = situation.cards or (situation.points,)
    thrown, drew = situation.discarded or 0, situation.stage == "drawn"
    pool = list(shoe.counts)
    for card in (*cards, *[0] * (thrown + drew)):
        pool[card] -= 1
    if min(pool) >= 0:
        yield PunterState(cards, bool(thrown) and not drew, drew), tuple(pool)


# Several punters


@dataclass(frozen=True)
class Deal:
    """A situation at a table of 3 punters: seat 3 banks, and `seat` decides. Cards without suits."""

    options: dict
    hands: list
    done: list
    seat: int
    shoe: list


DEALS = {
    "one stood and one drew": Deal(
        {}, ["8", "3 7", "5", "6"], [True, True, False, False], 2, ["2", "9", "4"]
    ),
    "a third card face down": Deal(
        {"draw_face_up": False}, ["2 4", "9", "6", "7"], [True, True, False, False], 2, ["3", "K", "4"]
    ),
    "two wait who have shown no natural": Deal(
        {"punter_natural_ends": [7, 8, 9]}, ["5", "6", "4", "8"], [False] * 4, 0, ["9", "8", "2", "7"]
    ),
    "one stood, one waits, the banker has shown no natural": Deal(
        {"banker_natural_ends": [8, 9], "punter_natural_ends": [9]},
        ["7", "5", "4", "3"],
        [True, False, False, False],
        1,
        ["9", "8", "2"],
    ),
    "one threw a zero, the banker may throw his": Deal(
        {"punter_discards": "dealt", "banker_discards": "dealt"},
        ["(K) 6", "5", "4", "9"],
        [True, False, False, False],
        1,
        ["3", "2", "8", "7"],
    ),
}


@pytest.mark.parametrize("name", list(DEALS))
def test_beside_others_it_is_the_mean_over_every_deal_he_may_think_of(name):
    """By hand: give the cards he has not seen out in every order, keep those in which the others would have done what
    they did (by the textbook), play on, and average his net."""
    deal = DEALS[name]
    options = {
        "decks": 1,
        "max_punters": 3,
        "banker_discards": "none",
        "punter_discards": "none",
    } | deal.options
    game = find("house").game(options=options, seats=4)
    state = at(game, deal, deal.hands, deal.shoe)
    view = state.view(deal.seat)
    found = advise(game.rules, view)
    assert found.against == {seat: "textbook" for seat in range(3) if seat != deal.seat} | {3: "rules"}
    assert not found.unexpected
    expected = by_hand(game, deal, view)
    assert {action: value for action, value in found.values.items() if action in expected} == expected
    assert set(found.values) == set(expected)


def at(game, deal, hands, shoe):
    return game.position({"hands": hands, "done": deal.done, "shoe": shoe, "banker": 3, "to_move": deal.seat})


def by_hand(game, deal, view):
    unseen = [*deal.shoe]
    concealed = []  # (seat, word) of each card that he does not see
    for seat, (text, entry) in enumerate(zip(deal.hands, view["seats"], strict=True)):
        for place, (word, shown) in enumerate(zip(text.split(), entry["cards"].split(), strict=True)):
            if shown == "?":
                concealed.append((seat, place))
                unseen.append(word)
    totals, count = Counter(), 0
    for order in permutations(unseen):
        hands = [text.split() for text in deal.hands]
        for (seat, place), word in zip(concealed, order, strict=False):
            hands[seat][place] = word
        if not believable(game.rules, hands, view, deal):
            continue
        count += 1
        shoe = list(order[len(concealed) :])
        for action in view["legal"]:
            state = at(game, deal, [" ".join(words) for words in hands], shoe)
            state.do(deal.seat, action)
            play_on(game, state)
            totals[action] += state.result().scores[deal.seat]
    return {action: Fraction(totals[action], count) for action in view["legal"]}


def believable(rules, hands, view, deal):
    """Would the others have done what they did, and would nobody have shown a natural that he holds?"""
    textbook = parse_policy("textbook", rules, "punter")
    banker = POINTS[face(hands[3][0], suitless=True)]
    if banker in rules.banker_natural_ends:
        return False
    for seat, words in enumerate(hands[:3]):
        if seat == deal.seat:
            continue
        kept = [POINTS[face(word, suitless=True)] for word in words if word[0] != "("]
        replaced = words[0][0] == "("
        if kept[0] in rules.punter_natural_ends and not replaced:
            return False
        if not deal.done[seat]:
            continue
        drew = textbook.decide(["draw", "stand"], kept[0], drew=False) == "draw"
        if drew != (len(kept) > 1):
            return False
        if kept[0] == 0 and rules.punter_discards in ("dealt", "both"):
            return False  # he would have thrown it
    return True


def play_on(game, state):
    textbook = parse_policy("textbook", game.rules, "punter")
    while state.phase == "play":
        (seat,) = state.awaited()
        state.do(seat, textbook.choose(state.view(seat)))


def test_who_did_what_his_policy_never_does_is_told_and_taken_to_hold_anything():
    """A textbook punter stands on 7, 8 and 9 only; all of them lie aside, and he stood."""
    game = find("house").game(
        options={"punter_discards": "none", "banker_discards": "none", "decks": 1}, seats=3
    )
    shoe = ["2", "3", "4", "5", "6"]
    state = game.position({"hands": ["4", "5", "6"], "done": [True, False, False], "shoe": shoe, "banker": 2})
    found = advise(game.rules, state.view(1))
    assert found.unexpected == (0,)
    alone = punter_decision(
        game.rules,
        Unseen((0, 0, 1, 1, 2, 1, 2, 0, 0, 0)),
        PunterState((5,), alone=False),
        resolve(game.rules, "optimal", "rules")[1],
    )
    assert found.values == alone.values


def test_what_one_is_given_as_changes_what_his_card_may_be():
    """Given as one who never draws nor throws, a punter who stood tells nothing; the textbook's stands on 7 up."""
    game = find("house").game(options={"decks": 1, "max_punters": 3}, seats=3)
    state = game.position({"hands": ["8", "5", "6"], "done": [True, False, False], "banker": 2})
    view = state.view(1)
    told = advise(game.rules, view)
    nothing = punter_decision(
        game.rules,
        Unseen(told.unseen),
        PunterState((5,), alone=False),
        resolve(game.rules, "optimal", "rules")[1],
    )
    keeps = {"draw_on": [], "discard_dealt": False}
    assert advise(game.rules, view, {0: keeps}).values == nothing.values
    assert told.values != nothing.values


def shoe_of(cards, name="russian-multiple", done=(True, False, False)):
    game = find(name).game(options={"decks": 1, "max_punters": 3}, seats=3)
    state = game.position({"hands": ["4", "5", "6"], "done": list(done), "shoe": cards, "banker": 2})
    return game.rules, state


def test_a_shoe_too_thin_for_both_hands_is_refused():
    """The punter may draw and the banker draws up to 5: two cards, and one is left."""
    rules, state = shoe_of(["2"], "house")
    with pytest.raises(RulesError, match="may take 2 cards yet, and the shoe holds 1"):
        advise(rules, state.view(1))


def test_where_zeros_thrown_might_empty_the_shoe_that_is_noted():
    """In this very hand (three kings, and he may throw them), or by what those behind him may take."""
    thin, ample = shoe_of(["K", "Q", "J"]), shoe_of(["2", "2", "2", "2", "3", "3"])
    assert DRY in advise(thin[0], thin[1].view(1)).notes
    assert DRY not in advise(ample[0], ample[1].view(1)).notes
    rules, state = shoe_of(["K", "K", "K", "2"], done=(False,) * 3)
    assert DRY in advise(rules, state.view(0)).notes


def test_no_zero_is_thrown_that_the_shoe_might_not_replace():
    """By hand: he holds 5 against a banker who never draws; a 6 and three kings are all he has not seen, one of them
    with the banker, three in the shoe. Standing he loses to the 6 (1/4) and beats a king (3/4). Drawing changes
    nothing: with the 6 there only kings come, and the last must be kept; else 5 + 6 = 1 and 5 + 0 both beat a king."""
    rules = build(PRESETS["russian-multiple"][1], {"decks": 1, "max_punters": 1})
    unseen = Unseen((3, 0, 0, 0, 0, 0, 1, 0, 0, 0))
    found = punter_decision(rules, unseen, PunterState((5,)), resolve(rules, "optimal", "rules")[1])
    assert not found.complete
    assert found.values == {"draw": Fraction(1, 2), "stand": Fraction(1, 2)}


def test_only_who_decides_on_a_card_is_advised():
    game = find("house").game(seats=2)
    state = game.start(bytes(32))
    with pytest.raises(RulesError, match="no card to decide"):
        advise(game.rules, state.view(0))
