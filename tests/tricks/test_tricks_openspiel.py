"""Пекло beside OpenSpiel's `oh_hell` with the same cards: legal moves, trick winners and returns agree.

Options that match: `hook` (it always has it), `missed` «tricks», or «difference» for its `off_bid_penalty`, and a
card turned in every deal.
"""

from random import Random

import pytest

from casino.cards import NAMES
from casino.catalogue import find
from casino.tricks.actions import BID

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: pip install open_spiel==2.0.2")

DEALS = 1000
# Their cards are numbered by rank, then C D S H; a text such as «CQ» is ours read backwards.
THEIRS = {face: "CDSH".index(name[1]) + 4 * (face // 4) for face, name in enumerate(NAMES[:52])}


def setting(rng):
    """Seats, cards each, and the options of both sides."""
    seats = rng.randint(3, 7)  # as many as theirs takes
    size = rng.randint(1, 51 // seats)
    penalty, points = rng.random() < 0.5, rng.choice([1, 3])
    ours = {
        "min_hand": size,
        "max_hand": size,
        "last_deal_no_trump": False,
        "hook": True,
        "missed": "difference" if penalty else "tricks",
        "trick_points": points,
    }
    theirs = {
        "players": seats,
        "num_tricks_fixed": size,
        "off_bid_penalty": penalty,
        "points_per_trick": points,
    }
    return seats, size, ours, theirs


def their_deal(parameters, state):
    """OpenSpiel's state with the dealer and the cards of ours."""
    deal = pyspiel.load_game("oh_hell", parameters).new_initial_state()
    deal.apply_action(parameters["num_tricks_fixed"])
    deal.apply_action(state.origin.dealer)
    hands = [[card for card in range(52) if hand >> card & 1] for hand in state.hands]
    for index in range(parameters["num_tricks_fixed"] * state.seats):
        seat, place = index % state.seats, index // state.seats
        assert deal.action_to_string(THEIRS[hands[seat][place]]) == NAMES[hands[seat][place]][::-1]
        deal.apply_action(THEIRS[hands[seat][place]])
    deal.apply_action(THEIRS[state.origin.turned])
    return deal


def their_action(action):
    return action - BID + 52 if action >= BID else THEIRS[action]


def test_a_thousand_deals_agree():
    rng = Random(8)
    for _ in range(DEALS):
        seats, size, ours, theirs = setting(rng)
        state = find("peklo").game(ours, seats).start(rng.randbytes(32))
        other = their_deal(theirs, state)
        while not other.is_terminal():
            (seat,) = state.actors()
            assert other.current_player() == seat, "who acts, so also who took the last trick"
            legal = state.legal(seat)
            assert sorted(map(their_action, legal)) == other.legal_actions()
            action = rng.choice(legal)
            state.apply(seat, action)
            other.apply_action(their_action(action))
        assert state.actors() == ()
        assert len(state.tricks) == size
        assert list(state.result().scores) == other.returns()
