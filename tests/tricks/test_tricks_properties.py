"""What holds in every deal: cards conserved, legal actions and no others, one end, replays, copies, nothing leaked."""

import hashlib
import random
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casino.cards import NAMES
from casino.catalogue import find
from casino.errors import ActionError
from casino.game import replay
from casino.tricks.actions import BID, MAX_BID

ACTIONS = [*range(52), *range(BID, BID + MAX_BID + 1)]
VARIED = [
    {},
    {"hook": True, "overtricks": "count"},
    {"max_hand": 3, "missed": "difference", "first_bid": "dealer"},
    {"min_hand": 4, "max_hand": 5, "last_deal_no_trump": False, "first_lead": "highest_bid"},
]


def deals(count, seed, seats=(2, 3, 4, 7, 10)):
    """So many random deals of every number of seats and set of options."""
    rng = Random(seed)
    for seat_count in seats:
        for options in VARIED:
            game = find("peklo").game(options, seat_count)
            for _ in range(count):
                yield game, rng.randbytes(32), rng


def steps(game, seed, rng):
    """The states of a random deal, before each action and at the end; the same object, played on."""
    state = game.start(seed)
    while state.actors():
        yield state
        (seat,) = state.actors()
        state.apply(seat, rng.choice(state.legal(seat)))
    yield state


def all_cards(state):
    played = [card for _, cards, _ in state.tricks for card in cards] + state.trick
    return sorted(played + [card for card in range(52) for hand in state.hands if hand >> card & 1])


def test_cards_are_conserved_and_the_deal_ends_after_all_tricks():
    for game, seed, rng in deals(12, 1):
        first = None
        for state in steps(game, seed, rng):
            first = first or all_cards(state)
            assert all_cards(state) == first
            assert sum(state.taken) == len(state.tricks)
        assert len(first) == state.k * game.seats
        assert len(state.log) == game.seats + state.k * game.seats, "one bid and k cards a seat"
        assert sum(state.taken) == state.k
        assert state.result() is not None


def test_legal_actions_apply_and_no_others():
    for game, seed, rng in deals(2, 2, seats=(2, 4)):
        for state in steps(game, seed, rng):
            if rng.random() < 0.7:
                continue
            before = state.to_json()
            for seat in range(game.seats):
                legal = state.legal(seat)
                assert legal == sorted(set(legal))
                assert bool(legal) == (seat in state.actors())
                for action in [*ACTIONS, -1, 52, BID - 1, BID + 99, 10**9]:
                    if action in legal:
                        state.copy().apply(seat, action)
                    else:
                        with pytest.raises(ActionError):
                            state.apply(seat, action)
            assert state.to_json() == before, "a refused action changes nothing, a copy is independent"


def test_actions_round_trip_through_text():
    game = find("peklo").game()
    assert [game.parse(game.text(action)) for action in ACTIONS] == ACTIONS


def test_replays_are_equal_whatever_the_global_generator_does():
    for game, seed, rng in deals(3, 3):
        random.seed(rng.random())
        *_, state = (state for state in steps(game, seed, rng) if random.random() >= 0)
        again = replay(game, seed, [(seat, game.text(action)) for seat, action in state.log])
        assert again.to_json() == state.to_json()
        assert again.drain() == state.drain()


def test_events_tell_every_action_once_however_often_they_are_drained():
    for game, seed, rng in deals(3, 4):
        piecewise = []
        for state in steps(game, seed, rng):
            if rng.random() < 0.3:
                piecewise += state.drain()
        piecewise += state.drain()
        whole = replay(game, seed, [(seat, game.text(action)) for seat, action in state.log]).drain()
        assert piecewise == whole
        assert [event.type for event in whole] == ["dealt", *["played"] * len(state.log), "scored"]
        takers = [event.data["taken_by"] for event in whole if "taken_by" in event.data]
        assert takers == [taker for _, _, taker in state.tricks]
        assert whole[-1].data["scores"] == list(state.result().scores)


def seen_cards(value):
    """Every card named anywhere in a JSON value."""
    if isinstance(value, dict):
        return set().union(*map(seen_cards, value.values()), set())
    if isinstance(value, list | tuple):
        return set().union(*map(seen_cards, value), set())
    if isinstance(value, str):
        return {word for word in value.split() if word in NAMES}
    return set()


def test_no_view_event_or_error_shows_a_hidden_card():
    """A card of another's hand, or of the stock, stands in no view, public event or refusal."""
    for game, seed, rng in deals(2, 5, seats=(2, 4, 10)):
        for state in steps(game, seed, rng):
            open_cards = {NAMES[card] for card in state.trick}
            open_cards |= {NAMES[card] for _, cards, _ in state.tricks for card in cards}
            open_cards |= set() if state.origin.turned is None else {NAMES[state.origin.turned]}
            for seat in (None, *range(game.seats)):
                own = set() if seat is None else set(state.report()["hands"][seat])
                assert seen_cards(state.view(seat)) <= open_cards | own
                if seat is not None:
                    with pytest.raises(ActionError) as refusal:
                        state.apply(seat, 10**9)
                    assert seen_cards([refusal.value.detail, refusal.value.legal]) <= open_cards | own
            for event in state.drain():
                assert seen_cards(event.data) <= open_cards
                assert event.type == "dealt" or event.private is None
                for seat, own_data in (event.private or {}).items():
                    assert seen_cards(own_data) == set(state.report()["hands"][seat])


def test_equal_views_have_equal_legal_actions():
    """Non-interference: whatever the hidden cards are, the view (its legal actions too) is the same."""
    for game, seed, rng in deals(2, 6, seats=(2, 3, 5)):
        for state in steps(game, seed, rng):
            for seat in (None, *range(game.seats)):
                view = state.view(seat)
                other = game.world(view, rng)
                assert other.view(seat) == view
                if seat is not None:
                    assert other.legal(seat) == state.legal(seat)


@settings(max_examples=60, deadline=None)
@given(
    seats=st.integers(2, 10),
    hands=st.tuples(st.integers(1, 26), st.one_of(st.none(), st.integers(1, 26))),
    flags=st.tuples(st.booleans(), st.booleans()),
    enums=st.tuples(
        st.sampled_from(["left", "dealer"]),
        st.sampled_from(["left", "dealer", "highest_bid"]),
        st.sampled_from(["fail", "count"]),
        st.sampled_from(["nothing", "tricks", "difference"]),
    ),
    points=st.tuples(st.integers(0, 1000), st.integers(0, 1000)),
    seed=st.binary(min_size=32, max_size=32),
)
def test_sound_rules_run_and_unsound_ones_are_refused(seats, hands, flags, enums, points, seed):
    options = dict(
        zip(
            (
                "min_hand",
                "max_hand",
                "last_deal_no_trump",
                "hook",
                "first_bid",
                "first_lead",
                "overtricks",
                "missed",
            ),
            (*hands, *flags, *enums),
            strict=True,
        ),
        bonus=points[0],
        trick_points=points[1],
    )
    low, high = hands
    sound = low <= 52 // seats and (high is None or low <= high <= 52 // seats)
    if not sound:
        with pytest.raises(ValueError, match="cards"):
            find("peklo").game(options, seats)
        return
    game = find("peklo").game(options, seats)
    assert find("peklo").game(game.options, seats) == game
    rng = Random(seed)
    for state in steps(game, seed, rng):
        assert state.result() is None or not state.actors()
    for bid, taken, points_won in zip(state.bids, state.taken, state.result().scores, strict=True):
        assert points_won == expected_score(game.rules, bid, taken)


def expected_score(rules, bid, taken):
    """rules/peklo.md, «Score», told again."""
    if bid == taken or (rules.overtricks == "count" and bid < taken):
        return rules.bonus + taken * rules.trick_points
    off = abs(bid - taken)
    return {"nothing": 0, "tricks": taken, "difference": -off}[rules.missed] * rules.trick_points


def test_rules_have_one_hash_in_every_process():
    """SHA-256 of the canonical JSON of the default record, written out here."""
    record = (
        '{"bonus":10,"first_bid":"left","first_lead":"left","hook":false,"last_deal_no_trump":true,"max_hand":null,'
        '"min_hand":1,"missed":"nothing","overtricks":"fail","trick_points":1}'
    )
    assert find("peklo").game().rules_hash == hashlib.sha256(record.encode()).hexdigest()


def plays(hands, leader, trump, led=()):
    """Ways to play out, told again with texts and lists: the independent side of the perft count."""
    seats = len(hands)
    if len(led) == seats:
        suits = [card[1] for card in led]
        strongest = trump if trump in suits else suits[0]
        best = max(
            (card for card in led if card[1] == strongest), key=lambda card: "23456789TJQKA".index(card[0])
        )
        leader, led = (leader + led.index(best)) % seats, ()
    if not any(hands):
        return 1
    seat = (leader + len(led)) % seats
    follow = [card for card in hands[seat] if led and card[1] == led[0][1]]
    return sum(
        plays(
            [[c for c in hand if c != card] if s == seat else hand for s, hand in enumerate(hands)],
            leader,
            trump,
            (*led, card),
        )
        for card in follow or hands[seat]
    )


def perft(state):
    if not state.actors():
        return 1
    (seat,) = state.actors()
    total = 0
    for action in state.legal(seat):
        after = state.copy()
        after.apply(seat, action)
        total += perft(after)
    return total


def test_perft_by_hand():
    """5H led: 3H is forced, then one way. 9C led: 3H (then one way) or KS, the trump (then one way). Nine bids each."""
    state = find("peklo").position({"seats": 2, "hands": [["5H", "9C"], ["3H", "KS"]], "trump": "S"})
    assert perft(state) == 9 * 3


@pytest.mark.parametrize(("seats", "size", "trials"), [(2, 3, 30), (3, 2, 30), (3, 3, 8), (4, 2, 12)])
def test_perft_against_a_second_telling_of_the_rules(seats, size, trials):
    rng = Random(seats * 10 + size)
    for _ in range(trials):
        cards = rng.sample([card + suit for card in "2KA" for suit in "SHDC"], seats * size)
        hands = [cards[seat::seats] for seat in range(seats)]
        trump = rng.choice(["S", "H", None])
        position = {"seats": seats, "hands": hands, "trump": trump, "bids": [0] * seats}
        assert perft(find("peklo").position(position)) == plays(hands, 0, trump)
