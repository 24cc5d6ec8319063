"""What a bank nets against several punters, each with a hand of his own: enumerated, and dealt where they are many."""

from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from analysis.bank_joint import Shoe, totals
from analysis.bank_totals import bank_totals, dealing_of, dealt, moments, tilted
from analysis.exact import odds
from analysis.shoe import full
from analysis.sources import outcomes_of, rules_of

DISCARDS = {"punter_discards": "both", "banker_discards": "both"}
RULES = [
    ("house", {}),
    ("russian-multiple", {}),
    ("continental", {**DISCARDS, "natural_after_discard": True, "punter_natural_ends": [8, 9]}),
    ("continental", {"punter_discards": "dealt", "banker_discards": "drawn", "banker_natural_ends": [9]}),
    ("russian-even-active", {"first_cards": 2, "decks": 1}),
]


def dealing(preset, changes, punters, packs=None):
    rules = rules_of({"preset": preset, "changes": changes})
    return dealing_of(rules, packs or rules.decks, punters, (None, None))


def shares(found):
    nets, chances = found
    return dict(zip(nets.tolist(), chances.tolist(), strict=True))


def assert_same(found, wanted, error=1e-12):
    assert set(found) == {net for net, chance in wanted.items() if chance}
    assert all(abs(found[net] - float(wanted[net])) < error for net in found)


@pytest.mark.parametrize(("preset", "changes"), RULES)
def test_one_hand_nets_as_the_exact_odds_say(preset, changes):
    """`analysis.exact` enumerates a punter and a banker in fractions, and knows nothing of this."""
    one = dealing(preset, changes, 1)
    rules = one.rules
    banker = "threshold:5" if rules.banker_is_free else "rules"
    exact = odds(rules, full(rules.decks), punter="textbook", banker=banker).distribution
    assert_same(shares(totals(one)), exact)


def _infinite_russian_even(punters):
    """Two cards of thirteen equally likely ranks each; the punter draws on 0-6; given the banker's card, hands are
    independent. Total net of the punters -> probability."""
    ranks = [0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    found = Counter()
    for banker in ranks:
        one = Counter()
        for first, third in product(ranks, ranks):
            points = (first + third) % 10 if first <= 6 else first
            one[(points > banker) - (points < banker)] += Fraction(1, 13**2)
        for nets in product(one, repeat=punters):
            chance = Fraction(1, 13)
            for net in nets:
                chance *= one[net]
            found[sum(nets)] += chance
    return found


@pytest.mark.parametrize("punters", [1, 2, 3, 5])
def test_totals_of_an_infinite_shoe(punters):
    found = shares(totals(dealing("russian-even", {}, punters, "infinite")))
    assert_same(found, _infinite_russian_even(punters))


class Coup:
    """A coup card by card, one first card each, the hands in turn and the banker last: the rules told once more."""

    def __init__(self, rules, punters, throws):
        self.rules, self.punters, self.throws = rules, punters, throws

    def play(self, counts):
        """Total net of the punters -> probability."""
        self.found = Counter()
        self._first(1.0, counts, [])
        return self.found

    def _cards(self, counts):
        for points, count in enumerate(counts):
            if count:
                rest = (*counts[:points], count - 1, *counts[points + 1 :])
                yield points, count / sum(counts), rest

    def _first(self, chance, counts, held):
        if len(held) <= self.punters:
            for points, share, rest in self._cards(counts):
                self._first(chance * share, rest, [*held, points])
            return
        self.held = held
        ended = held[-1] in self.rules.banker_natural_ends
        hands = [(points, points >= 7, ended or points in self.rules.punter_natural_ends) for points in held]
        self._turns(chance, counts, hands, self.punters if ended else 0)

    def _turns(self, chance, counts, hands, seat):
        if seat == self.punters and (hands[-1][2] or all(hand[2] for hand in hands[:-1])):
            seat += 1
        if seat > self.punters:
            self._settle(chance, hands)
            return
        if hands[seat][2]:
            self._turns(chance, counts, hands, seat + 1)
            return
        for share, rest, hand in self._hand(counts, seat, hands[seat][0], False):
            self._turns(chance * share, rest, [*hands[:seat], hand, *hands[seat + 1 :]], seat + 1)

    def _hand(self, counts, seat, points, replaced):
        banker = seat == self.punters
        if points == 0 and self.throws[banker][0]:
            for card, share, rest in self._cards(counts):
                for more, after, hand in self._hand(rest, seat, card, True):
                    yield share * more, after, hand
            return
        late = self.rules.natural_after_discard
        natural = points >= 7 and (late or not replaced)
        if replaced and late and not banker and points in self.rules.punter_natural_ends:
            yield 1.0, counts, (points, True, True)
        elif points <= (5 if banker else 6):
            for share, rest, card in self._third(counts, self.throws[banker][1]):
                yield share, rest, ((points + card) % 10, False, False)
        else:
            yield 1.0, counts, (points, natural, False)

    def _third(self, counts, throws):
        for card, share, rest in self._cards(counts):
            if card == 0 and throws:
                for more, after, other in self._third(rest, throws):
                    yield share * more, after, other
            else:
                yield share, rest, card

    def _settle(self, chance, hands):
        table, first = self.rules.payoff.table, self.held[-1]
        total = 0
        for points, natural, ended in hands[:-1]:
            meets = (first, first >= 7) if ended or hands[-1][2] else hands[-1][:2]
            total += table[points + 10 * natural][meets[0] + 10 * meets[1]]
        self.found[total] += chance


@pytest.mark.parametrize(
    ("changes", "throws"),
    [
        ({}, ((False, False), (False, False))),
        ({"banker_natural_ends": [8, 9], "punter_natural_ends": [9]}, ((False, False), (False, False))),
        (
            {**DISCARDS, "natural_after_discard": True, "punter_natural_ends": [9]},
            ((True, True), (True, True)),
        ),
        ({**DISCARDS, "natural_after_discard": False}, ((True, True), (True, True))),
    ],
)
@pytest.mark.parametrize("punters", [2, 3])
def test_hands_that_share_a_small_shoe(changes, throws, punters):
    """Nine to twelve cards, so that hands hang together closely; `continental` with naturals that pay, and a banker
    who draws on 0-5."""
    changes = {"natural_pays": {"9": 3, "8": 2}, **changes}
    joint = dealing("continental", changes, punters)
    assert joint.throws.tolist() == [[*throws[0]]] * punters + [[*throws[1]]]
    counts = (2, 3, 0, 0, 0, 2, 0, 0, 1, 2) if punters == 3 else (3, 2, 0, 0, 2, 0, 1, 0, 1, 2)
    wanted = Coup(joint.rules, punters, throws).play(counts)
    assert sum(wanted.values()) == pytest.approx(1)
    assert_same(shares(totals(joint, Shoe(counts))), wanted)


@pytest.mark.parametrize(("preset", "changes", "punters"), [(*RULES[1], 3), (*RULES[2], 2), (*RULES[4], 2)])
def test_dealt_totals_are_those_enumerated(preset, changes, punters):
    coups = 400_000
    joint = dealing(preset, changes, punters)
    exact = shares(totals(joint))
    assert sum(exact.values()) == pytest.approx(1, abs=1e-12)
    seen = dict(zip(*(column.tolist() for column in dealt(joint, coups)), strict=True))
    assert set(seen) <= set(exact)
    for net, chance in exact.items():
        assert (
            abs(seen.get(net, 0) / coups - chance) < 4.5 * (chance * (1 - chance) / coups) ** 0.5 + 3 / coups
        )


@pytest.mark.parametrize(("preset", "changes"), [RULES[1], ("russian-even", {})])
def test_pairs_of_hands_tell_the_variance_of_any_number(preset, changes):
    """Of three it is known: they are enumerated."""
    joint = dealing(preset, changes, 3)
    nets, chances = totals(joint)
    assert moments(joint) == pytest.approx((chances @ nets, chances @ nets**2), rel=1e-10)


def test_many_punters_have_the_exact_mean_and_variance():
    joint = dealing("house", {}, 7)
    mean, square = moments(joint)
    found = bank_totals(joint.rules, 2, 7, (None, None))
    one = outcomes_of({"preset": "house", "side": "banker"})
    assert float(found.mean) == pytest.approx(-mean, abs=1e-10)
    assert -mean == pytest.approx(7 * float(one.mean), abs=1e-10)
    assert float(sum(chance * net**2 for net, chance in found)) == pytest.approx(square, rel=1e-10)


def test_tilting_moves_both_moments_and_nothing_more_than_it_must():
    nets, counts = np.array([-1, 0, 1, 2]), np.array([400, 200, 100, 300])
    same = tilted(nets, counts, 0.3, 1.7)
    assert np.allclose(same, counts / 1000)
    moved = tilted(nets, counts, 0.35, 1.8)
    assert (moved.sum(), moved @ nets, moved @ nets**2) == pytest.approx((1, 0.35, 1.8))
    # Log ratios are of the second degree in the net: third differences are 0.
    assert np.diff(np.log(moved / same), 3) == pytest.approx(0, abs=1e-12)
