"""Worlds drawn from a view: only what was not seen moves, revoked suits stay away, every deal is equally likely."""

from collections import Counter
from itertools import permutations
from random import Random

import pytest

from casino.cards import mask
from casino.catalogue import find
from casino.errors import PositionError
from casino.tricks.deal import voids
from casino.tricks.worlds import Hidden, _pick, _ways


def test_the_seat_itself_and_what_lies_open_stay():
    state = find("peklo").game({}, 4).deal(bytes(32), 5, 2)
    view = state.view(3)
    worlds = [state.game.world(view, Random(seed)) for seed in range(40)]
    assert all(world.view(3) == view for world in worlds)
    assert len({str(world.report()["hands"]) for world in worlds}) == 40
    for world in worlds:
        dealt = [card for hand in world.report()["hands"] for card in hand]
        assert len({*dealt, view["turned"]}) == 4 * 6 + 1


def test_a_seat_never_gets_a_suit_that_it_did_not_follow():
    """Seat 1 lays a diamond on a heart: no world gives it hearts, though most unseen cards of the view are hearts."""
    state = find("peklo").position(
        {"seats": 3, "hands": [["5H", "9C"], ["3D", "KS"], ["2H", "2C"]], "bids": [1, 0, 1], "trump": "S"}
    )
    state.do(0, "play 5H")
    state.do(1, "play 3D")
    for seed in range(60):
        world = state.game.world(state.view(2), Random(seed))
        assert not any(card[1] == "H" for card in world.report()["hands"][1])
        assert world.view(2) == state.view(2)


def late(seats, left, rng):
    """A random deal of the longest hands, played until so many tricks are left, and some seat revealed a void."""
    game = find("peklo").game({"min_hand": 52 // seats}, seats)
    while True:
        state = game.start(rng.randbytes(32))
        while state.left > left or state.unbid:
            (seat,) = state.actors()
            state.apply(seat, rng.choice(state.legal(seat)))
        hidden = Hidden(game, state.view(0))
        if hidden.groups:
            return state, hidden


def allowed_deals(state, hidden):
    """By brute force: every way to hand the unseen cards out against no seat's missing suits."""
    unseen = [card for suit in hidden.suits for card in suit]
    missing = voids(hidden.known)
    sizes = [hand.bit_count() for hand in state.hands]
    found = set()
    for order in permutations(unseen):
        hands, at = [state.hands[0]], 0
        for seat in range(1, state.seats):
            hands.append(mask(order[at : at + sizes[seat]]))
            at += sizes[seat]
        if not any(hand & lacking for hand, lacking in zip(hands[1:], missing[1:], strict=True)):
            found.add(tuple(hands))
    return found


@pytest.mark.parametrize(("seats", "left"), [(3, 2), (4, 2), (5, 1), (3, 3)])
def test_every_deal_that_is_left_is_equally_likely(seats, left):
    """Draws against all the deals that brute force finds, by chi-square (mean and spread of its own law)."""
    rng = Random(seats * 10 + left)
    for _ in range(3):
        state, hidden = late(seats, left, rng)
        deals = allowed_deals(state, hidden)
        draws = 50 * len(deals)
        drawn = Counter(hidden.draw(rng).hands for _ in range(draws))
        assert set(drawn) == deals
        chi_square = sum((count - 50) ** 2 / 50 for count in drawn.values())
        degrees = len(deals) - 1
        assert chi_square < degrees + 5 * (2 * degrees) ** 0.5 + 5


def test_ways_are_counted_by_suit():
    """Three hearts, two clubs; the first group takes 2 without spades, the second 1 clubs only: by hand.

    Shares of the first (hearts, clubs): (2, 0) 3 ways, then 2 clubs for the second: 6; (1, 1) 6 ways, then 1: 6;
    (0, 2) 1 way, then none: 0. So 12, and the first share is drawn 6 : 6 : 0.
    """
    groups = ((2, (False, True, True, True)), (1, (False, False, False, True)))
    counts = (4, 3, 0, 2)
    assert _ways(groups, counts) == 12
    drawn = Counter(_pick(groups, counts, rng) for rng in map(Random, range(2000)))
    assert set(drawn) == {(0, 2, 0, 0), (0, 1, 0, 1)}
    assert abs(drawn[0, 2, 0, 0] - 1000) < 5 * 2000**0.5 / 2, "five standard errors"


def test_a_view_that_allows_no_deal_is_refused():
    view = find("peklo").game({}, 2).deal(bytes(32), 25, 0).view(0)
    with pytest.raises(PositionError):
        Hidden(find("peklo").game({}, 2), {**view, "hand_sizes": [26, 27]}).draw(Random(1))
