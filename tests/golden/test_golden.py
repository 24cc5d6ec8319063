"""Whole deals kept as records: they play to the same end for ever, and the end is worked out again beside the engine.

The book below knows cards, the order of the stock and points; it knows no rules of laying. What each seat holds in the
end follows from what it was dealt, what it drew off the stock in order, and what it laid.
"""

import json
from collections import Counter
from pathlib import Path

import pytest

from casino.cards import NAMES, RANKS
from casino.catalogue import find
from casino.deal_game import DealGame
from casino.record import Record

FOLDER = Path(__file__).with_name("records")
RESULTS = json.loads(Path(__file__).with_name("results.json").read_text(encoding="utf-8"))
SHEDDING = sorted(set(RESULTS) - {"peklo"})

# `rules/shedding.md`, «card points»: what a card left in the hand counts.
PIPS = {rank: number for number, rank in enumerate("23456789", 2)}
POINTS = {
    "tel-aviv": {**dict.fromkeys("456789", 5), **dict.fromkeys("TJQK", 10), "2": 20, "3": 30, "A": 50, "KH": 150},
    "russian-104": {
        **dict.fromkeys("45678", 5), **dict.fromkeys("TJQK", 10), "2": 20, "3": 30, "9": 40, "A": 50, "KH": 50,
    },
    "romanian-points": {**PIPS, "T": 10, "J": 2, "Q": 3, "K": 4, "A": 1, "7": 25, "BJ": 50, "RJ": 50},
}  # fmt: skip


def record_of(label):
    return Record.from_text((FOLDER / f"{label}.txt").read_text(encoding="utf-8"))


@pytest.mark.parametrize("label", sorted(RESULTS))
def test_a_record_plays_to_the_same_end(label):
    """The same cards are shuffled (`Record.replay` checks it), and the same comes of the same actions."""
    record, wanted = record_of(label), RESULTS[label]
    result = record.replay().result()
    assert [list(result.scores), list(result.winners), result.reason] == [
        wanted[key] for key in ("scores", "winners", "reason")
    ]


@pytest.mark.parametrize("label", sorted(RESULTS))
def test_the_rules_of_a_variant_are_those_that_were_recorded(label):
    """A changed default of any option is seen here."""
    game = record_of(label).build()
    today = find(game.name).game(RESULTS[label]["options"], game.seats)
    assert (game.game if isinstance(game, DealGame) else game) == today


class Book:
    """Hands, stock and pile of a deal as its events tell them."""

    def __init__(self, record):
        self.orders = [list(map(NAMES.__getitem__, made.cards)) for made in record.shuffles]
        self.seats = record.seats

    def dealt(self, event):
        order, first = self.orders.pop(0), event.data["dealer"] + 1
        size = len(event.private[0]["hand"])
        dealt = size * self.seats
        self.hands = [
            Counter(order[(seat - first) % self.seats : dealt : self.seats]) for seat in range(self.seats)
        ]
        assert self.hands == [Counter(event.private[seat]["hand"]) for seat in range(self.seats)]
        turned = dealt + len(event.data["turned"])
        self.pile, self.stock = order[dealt:turned], order[turned:]

    def shuffled(self, event):
        order = self.orders.pop(0)
        assert Counter(order) == Counter(self.pile[:-1]), "all but the top card"
        self.pile = self.pile[-1:]
        self.stock += order

    def drew(self, event):
        cards = event.private[event.seat]["cards"]
        assert cards == self.stock[: event.data["count"]], "off the top of the stock"
        del self.stock[: len(cards)]
        self.hands[event.seat].update(cards)

    def played(self, event):
        verb, _, rest = event.data["action"].partition(" ")
        if verb in ("play", "add"):
            card = rest.split()[0]
            assert self.hands[event.seat][card] > 0
            self.hands[event.seat][card] -= 1
            self.pile.append(card)

    def scored(self, event):
        self.scores = event.data["scores"]


@pytest.mark.parametrize("label", SHEDDING)
def test_a_book_of_cards_comes_to_the_same_hands_and_points(label):
    record = record_of(label)
    book = Book(record)
    for event in record.replay().drain():
        getattr(book, event.type, lambda event: None)(event)
    hands = [sorted(hand.elements()) for hand in book.hands]
    assert hands == [sorted(hand) for hand in RESULTS[label]["hands"]]
    assert not hands[RESULTS[label]["winners"][0]], "who wins has nothing left"
    points = POINTS.get(record.game)
    if points:
        factor = 2 if record.game == "romanian-points" and book.pile[-1][0] == "7" else 1
        counted = [factor * sum(points.get(card, points.get(card[0])) for card in hand) for hand in hands]
        assert counted == book.scores == RESULTS[label]["scores"]
    else:
        assert book.scores == [int(seat in RESULTS[label]["winners"]) for seat in range(record.seats)]


def test_the_tricks_of_the_kept_deal_by_hand():
    """Six cards each, 7C (the 25th) turned: clubs are trump. Ten for a bid that is met, one more for each trick.

    On paper: 3S QS 7S KS goes to seat 2, AD to 2, 3C 4C 9C to 0, QH to 1, TH to 1, and 6C trumps KD for 2.
    """
    record = record_of("peklo")
    assert NAMES[record.shuffles[0].cards[4 * 6]] == "7C"
    texts = [(seat, text.split()[1]) for seat, text in record.actions]
    bids = {seat: int(bid) for seat, bid in texts[: record.seats]}
    taken = Counter()
    for start in range(record.seats, len(texts), record.seats):
        trick = texts[start : start + record.seats]
        suit = "C" if any(card[1] == "C" for _, card in trick) else trick[0][1][1]
        winner = max(
            (play for play in trick if play[1][1] == suit), key=lambda play: RANKS.index(play[1][0])
        )[0]
        taken[winner] += 1
    assert [bids[seat] for seat in range(4)] == RESULTS["peklo"]["bids"]
    assert [taken[seat] for seat in range(4)] == RESULTS["peklo"]["taken"] == [1, 2, 3, 0]
    assert RESULTS["peklo"]["scores"] == [
        taken[seat] + 10 if taken[seat] == bids[seat] else 0 for seat in range(4)
    ]
