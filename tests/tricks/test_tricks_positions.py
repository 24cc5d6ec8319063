"""Positions of Пекло: any situation from JSON, what cannot be refused by place, stored states that come back."""

from copy import deepcopy
from random import Random

import pytest

from casino.catalogue import find
from casino.errors import CasinoError, NotationError, PositionError, RulesError

# Three cards were dealt to each; seat 1 took the first trick and leads.
TWO_LEFT = {
    "game": "peklo",
    "options": {},
    "seats": 3,
    "dealer": 2,
    "hands": [["9C", "2D"], ["3H", "KS"], ["JH", "2C"]],
    "trump": "S",
    "turned": "7S",
    "bids": [1, 0, 1],
    "taken": [0, 1, 0],
    "to_move": 1,
}
# One card each, seat 0 bids first.
START = {"game": "peklo", "seats": 3, "hands": [["9C"], ["3H"], ["JH"]]}


def changed(base, changes):
    data = {**deepcopy(base), **changes}
    return {key: value for key, value in data.items() if value != "absent"}


def position(base=TWO_LEFT, **changes):
    return find("peklo").position(changed(base, changes))


def refused_at(base, changes):
    with pytest.raises((PositionError, RulesError, NotationError)) as refusal:
        find("peklo").position(changed(base, changes))
    return refusal.value.pointer


def test_a_quiet_position_needs_only_the_hands():
    state = find("peklo").position({"game": "peklo", "seats": 2, "hands": [["5H", "6H"], ["2C", "3C"]]})
    report = state.report()
    assert (report["dealer"], report["to_move"], report["phase"], report["k"]) == (1, 0, "bids", 2)
    assert (report["trump"], report["bids"], report["taken"]) == (None, [None, None], [0, 0])
    assert report["legal"] == {"0": ["bid 0", "bid 1", "bid 2"], "1": []}


def test_the_middle_of_a_trick():
    state = position(hands=[["9C", "2D"], ["KS"], ["JH", "2C"]], trick=[[1, "3H"]], to_move=2)
    report = state.report()
    assert (report["to_move"], report["k"], report["hand_sizes"]) == (2, 3, [2, 1, 2])
    assert report["legal"] == {"0": [], "1": [], "2": ["play JH"]}
    state.do(2, "play JH")
    state.do(0, "play 9C")
    assert state.report()["taken"] == [0, 1, 1]


def test_who_moves_may_be_left_out_where_it_follows():
    assert position(to_move="absent").actors() == (1,)  # the only one with a trick
    assert refused_at(TWO_LEFT, {"to_move": "absent", "taken": [0, 1, 1]}) == "/to_move"
    assert position(to_move=2, taken=[0, 1, 1]).actors() == (2,)


def test_totals_go_on():
    """One card each, both bids met: tricks + 10 on top of what stood before."""
    data = {"game": "peklo", "seats": 2, "hands": [["5H"], ["6H"]], "bids": [0, 1], "totals": [30, 4]}
    state = find("peklo").position(data)
    assert state.report()["totals"] == [30, 4]
    state.do(0, "play 5H")
    state.do(1, "play 6H")
    assert (state.report()["scores"], state.report()["totals"]) == ([10, 11], [40, 15])


def test_tricks_before_may_be_told_and_bind():
    trick = {"leader": 0, "cards": ["AH", "2H", "8D"]}
    report = position(
        hands=[["9C"], ["3H"], ["2C"]], taken="absent", tricks=[trick], to_move="absent"
    ).report()
    assert (report["taken"], report["to_move"], report["k"]) == ([1, 0, 0], 0, 2)
    assert report["tricks"] == [{**trick, "winner": 0}]


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"game": "russian-104"}, "/game"),
        ({"seats": 11}, "/seats"),
        ({"pile": ["7S"]}, "/pile"),
        ({"hands": "absent"}, "/hands"),
        ({"hands": [["9C"], ["3H"]]}, "/hands"),
        ({"hands": [["9C", "2D"], ["3H", "9C"], ["JH", "2C"]]}, "/hands/1/1"),  # a card twice
        ({"hands": [["9C", "7S"], ["3H", "KS"], ["JH", "2C"]]}, "/turned"),  # the turned card takes no part
        ({"hands": [["9C", "BJ"], ["3H", "KS"], ["JH", "2C"]]}, "/hands/0/1"),  # no jokers
        ({"hands": [["9C", "1C"], ["3H", "KS"], ["JH", "2C"]]}, "/hands/0/1"),
        ({"hands": [["9C", "2D"], ["3H", "KS"], ["JH"]]}, "/hands/2"),  # all have equally many
        ({"hands": [[], [], []], "taken": [0, 0, 0]}, "/hands"),
        ({"dealer": 3}, "/dealer"),
        ({"dealer": "2"}, "/dealer"),
        ({"trump": "X"}, "/trump"),
        ({"trump": "H"}, "/trump"),  # 7S was turned
        ({"bids": [1, 0]}, "/bids"),
        ({"bids": [1, 0, 4]}, "/bids/2"),  # three tricks in all
        ({"bids": [1, 0, -1]}, "/bids/2"),
        ({"bids": [1, None, None]}, "/bids/1"),  # a trick was taken, so all have bid
        ({"taken": [0, 1, 20]}, "/hands"),  # 23 cards for each of three
        ({"taken": [0, 1]}, "/taken"),
        ({"to_move": 0}, "/to_move"),  # seat 1 took the only trick
        ({"to_move": 3}, "/to_move"),
        ({"trick": [[0, "4H"]]}, "/hands/1"),  # seat 0 would have had a card more
        ({"trick": [[1, "4H"], [0, "5H"]]}, "/trick/1/0"),  # seat 2 comes after seat 1
        ({"trick": [[1, "4H"], [2, "5H"], [0, "6H"]]}, "/trick"),  # a full trick is taken
        ({"trick": [[1]]}, "/trick/0"),
        ({"trick": [["1", "4H"]]}, "/trick/0"),
        ({"totals": [1, 2]}, "/totals"),
        ({"options": {"hook": True}, "bids": [1, 0, 2]}, "/bids/2"),  # hook: the sum is three
        ({"options": {"hooks": True}}, "/options/hooks"),
        ({"tricks": [{"leader": 0, "cards": ["AH", "4H"]}]}, "/tricks/0/cards"),
        ({"tricks": [{"leader": 0, "cards": ["AH", "4H", "5H"]}]}, "/taken/0"),  # that one seat 0 took
        ({"tricks": [{"leader": 0, "cards": ["4H", "AH", "5H"], "winner": 0}]}, "/tricks/0/winner"),
        (
            {"tricks": [{"leader": 0, "cards": ["4C", "AC", "5H"]}]},
            "/hands/2/1",
        ),  # seat 2 had no club, yet holds 2C
    ],
)
def test_what_cannot_be_is_refused_by_place(changes, pointer):
    assert refused_at(TWO_LEFT, changes) == pointer


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"bids": [None, 1, None]}, "/bids/1"),  # seat 0 bids first
        ({"bids": [1, None, None], "to_move": 0}, "/to_move"),
        ({"bids": [1, None, None], "trick": [[0, "4H"]], "hands": [[], ["3H"], ["JH"]]}, "/bids/1"),
        ({"bids": [1, 1, 1], "to_move": 1}, "/to_move"),  # the dealer's left leads first
        ({"bids": [1, 1, 1], "trick": [[1, "4H"]], "hands": [["9C"], [], ["JH"]]}, "/trick/0/0"),
        ({"bids": [1, 1, 1], "trick": [[0, "4H"], [1, "4C"]], "hands": [[], ["5H"], ["JH"]]}, "/hands/1"),
        (
            {"bids": [0, 0, 0], "trick": [[0, "4H"], [1, "4C"]], "hands": [["9D"], ["5H"], ["JH", "2D"]]},
            "/hands/1/0",
        ),
    ],
)
def test_what_cannot_be_at_the_start_of_a_deal(changes, pointer):
    assert refused_at(START, changes) == pointer


def random_states(seats, options, deals, rng):
    game = find("peklo").game(options, seats)
    for _ in range(deals):
        state = game.start(rng.randbytes(32))
        while True:
            yield game, state
            if not state.actors():
                break
            (seat,) = state.actors()
            state.apply(seat, rng.choice(state.legal(seat)))


@pytest.mark.parametrize("options", [{}, {"hook": True, "first_bid": "dealer", "first_lead": "highest_bid"}])
def test_stored_states_come_back_and_play_on_alike(options):
    rng = Random(3)
    for game, state in random_states(3, options, 12, rng):
        back = game.from_json(state.to_json())
        assert back.to_json() == state.to_json()
        assert back.report() == state.report()
        assert back.result() == state.result()
        assert [back.view(seat) for seat in (None, 0, 1, 2)] == [state.view(seat) for seat in (None, 0, 1, 2)]


def test_a_report_of_any_state_is_a_position_that_leads_back_to_it():
    keys = ("dealer", "hands", "trump", "turned", "bids", "taken", "trick", "tricks", "to_move")
    for game, state in random_states(4, {"max_hand": 4}, 25, Random(4)):
        report = state.report()
        assert game.position({key: report[key] for key in keys}).report() == report


@pytest.mark.parametrize(
    "stored", [{}, {"position": {"hands": [["5H"], ["6H"]]}, "log": [[0]]}, {"position": 3, "log": []}]
)
def test_a_damaged_stored_state_is_refused(stored):
    with pytest.raises(CasinoError):
        find("peklo").game({}, 2).from_json(stored)
