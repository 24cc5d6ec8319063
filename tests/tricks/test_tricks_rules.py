"""Пекло by hand: one worked situation per rule of rules/peklo.md, the numbers worked out on paper."""

import json
from pathlib import Path

import pytest

from casino.cards import name
from casino.catalogue import find
from casino.chance import shuffled
from casino.errors import GameOver, IllegalAction, NotationError, NotYourTurn, RulesError

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases" / "peklo.json"
SEED = bytes(range(32))


def peklo(seats=3, **options):
    return find("peklo").game(options, seats)


def situation(hands, bids, *, trump="S", dealer=2, options=None, **more):
    seats = len(hands)
    return find("peklo").position(
        {
            "game": "peklo",
            "seats": seats,
            "dealer": dealer,
            "hands": hands,
            "bids": bids,
            "trump": trump,
            "options": options or {},
            **more,
        }
    )


def play(state, *steps):
    for seat, text in steps:
        state.do(seat, text)
    return state


def test_deals_have_one_to_52_over_n_cards():
    """Deals of k = 1, 2, … ⌊52/n⌋ cards each."""
    lengths = {seats: len(find("peklo").game({}, seats).cycle) for seats in (2, 3, 4, 5, 7, 10)}
    assert lengths == {2: 26, 3: 17, 4: 13, 5: 10, 7: 7, 10: 5}
    assert list(peklo(10).cycle) == [1, 2, 3, 4, 5]


def test_max_hand_shortens_the_cycle_and_its_last_deal_is_without_trump():
    game = peklo(3, max_hand=4)
    assert list(game.cycle) == [1, 2, 3, 4]
    assert [game.deal(SEED, number, 0).view(None)["trump"] is None for number in range(4)] == [
        False, False, False, True,
    ]  # fmt: skip


def test_cards_are_dealt_one_by_one_from_the_dealers_left_and_the_next_is_turned():
    """Card n·k + 1 is turned: its suit is trump and the card takes no part."""
    order = shuffled(range(52), SEED, 0)
    state = peklo(3).deal(SEED, 4, 1)  # five cards each; seat 2 is served first
    assert [set(state.report()["hands"][seat]) for seat in (2, 0, 1)] == [
        {name(order[place]) for place in range(first, 15, 3)} for first in range(3)
    ]
    turned = name(order[15])
    view = state.view(None)
    assert (view["turned"], view["trump"], view["k"]) == (turned, turned[1], 5)
    assert not any(turned in hand for hand in state.report()["hands"])


def test_the_last_deal_has_no_trump_even_if_cards_remain():
    state = peklo(3).deal(SEED, 16, 0)  # 17 each of 52: one card is left over, and stays unturned
    assert (state.view(None)["trump"], state.view(None)["turned"]) == (None, None)
    open_state = peklo(3, last_deal_no_trump=False).deal(SEED, 16, 0)
    assert open_state.view(None)["turned"] == name(shuffled(range(52), SEED, 0)[51])


def test_without_a_card_left_to_turn_there_is_no_trump():
    state = peklo(4, last_deal_no_trump=False).deal(SEED, 12, 0)
    assert (state.view(None)["trump"], state.view(None)["hand_sizes"]) == (None, [13] * 4)


def test_bids_go_from_the_dealers_left_and_the_dealer_bids_last():
    state = peklo(3).deal(SEED, 1, 1)
    order = []
    while state.view(None)["phase"] == "bids":
        (seat,) = state.actors()
        assert state.legal_texts(seat) == ["bid 0", "bid 1", "bid 2"]
        order.append(seat)
        state.do(seat, "bid 0")
    assert order == [2, 0, 1]
    assert state.actors() == (2,), "the dealer's left leads"


def test_bids_are_open():
    state = play(peklo(3).deal(SEED, 1, 1), (2, "bid 2"))
    assert state.view(0)["bids"] == state.view(None)["bids"] == [None, None, 2]


@pytest.mark.parametrize(
    ("bids", "legal"),
    [
        ([1, 0, None], ["bid 0", "bid 2"]),
        ([2, 0, None], ["bid 1", "bid 2"]),
        ([0, 0, None], ["bid 0", "bid 1"]),
        ([2, 1, None], ["bid 0", "bid 1", "bid 2"]),  # over the sum already: nothing to forbid
    ],
)
def test_hook_keeps_the_dealer_from_making_the_sum(bids, legal):
    hands = [["5H", "9C"], ["3H", "KS"], ["JH", "2C"]]
    state = situation(hands, bids, options={"hook": True})
    assert state.legal_texts(2) == legal
    free = situation(hands, bids)
    assert free.legal_texts(2) == ["bid 0", "bid 1", "bid 2"]


def test_hook_binds_only_the_last_to_bid():
    state = situation([["5H"], ["3H"], ["JH"]], [None, None, None], options={"hook": True})
    assert state.legal_texts(0) == ["bid 0", "bid 1"]


def test_suit_must_be_followed_but_not_beaten():
    """«перебивать старшей картой или козырем необязательно»."""
    state = situation([["5H", "9C"], ["AH", "3H"], ["2D", "2C"]], [1, 0, 1])
    play(state, (0, "play 5H"))
    assert state.legal_texts(1) == ["play 3H", "play AH"]


def test_void_in_the_suit_led_anything_may_be_laid():
    state = play(situation([["5H", "9C"], ["3D", "KS"], ["2H", "2C"]], [1, 0, 1]), (0, "play 5H"))
    assert state.legal_texts(1) == ["play 3D", "play KS"]


def test_trump_may_be_led_at_any_time_and_must_be_followed():
    state = situation([["2S", "5H"], ["KS", "3H"], ["JH", "2C"]], [1, 0, 1])
    assert state.legal_texts(0) == ["play 2S", "play 5H"]
    play(state, (0, "play 2S"))
    assert state.legal_texts(1) == ["play KS"]


@pytest.mark.parametrize(
    ("cards", "trump", "taker"),
    [
        (["AH", "2S", "KH"], "S", 1),  # the lowest trump takes the ace
        (["AH", "2S", "3S"], "S", 2),  # the higher trump takes the lower
        (["3S", "AS", "4S"], "S", 1),  # trump led: the highest
        (["5H", "AD", "6H"], "S", 2),  # no trump laid: highest of the suit led, other aces do nothing
        (["5H", "AD", "AC"], "S", 0),
        (["2H", "AD", "AS"], None, 0),  # no trump: highest of the suit led
        (["TH", "JH", "9H"], None, 1),  # ten below jack below queen …
        (["KH", "QH", "AH"], None, 2),  # … ace high
    ],
)
def test_highest_trump_else_highest_of_the_suit_led_takes_the_trick(cards, trump, taker):
    state = situation([[card] for card in cards], [0, 0, 0], trump=trump)
    for seat, card in enumerate(cards):
        state.do(seat, f"play {card}")
    assert state.report()["taken"] == [int(seat == taker) for seat in range(3)]


def test_the_winner_of_a_trick_leads_the_next():
    state = situation([["5H", "9C"], ["3H", "KS"], ["JH", "2C"]], [0, 0, 1], trump="D")
    play(state, (0, "play 5H"), (1, "play 3H"), (2, "play JH"))
    assert state.actors() == (2,)
    assert state.view(None)["tricks"] == [{"leader": 0, "cards": ["5H", "3H", "JH"], "winner": 2}]


def two_tricks(bids, **options):
    """Seat 0 takes both tricks: 5 and 6 of trumps against plain cards."""
    state = situation([["5S", "6S"], ["3H", "4H"], ["3D", "4D"]], bids, options=options)
    steps = [(0, "play 5S"), (1, "play 3H"), (2, "play 3D"), (0, "play 6S"), (1, "play 4H"), (2, "play 4D")]
    return play(state, *steps).result()


@pytest.mark.parametrize(
    ("options", "bids", "scores"),
    [
        ({}, [2, 0, 0], (12, 10, 10)),  # tricks + 10, so 10 for a met nought
        ({}, [2, 1, 2], (12, 0, 0)),  # missed: nothing at all
        ({}, [1, 0, 0], (0, 10, 10)),  # one trick too many is missed too
        ({"overtricks": "count"}, [1, 0, 1], (12, 10, 0)),  # passed counts as met: tricks taken + 10
        ({"overtricks": "count"}, [0, 0, 0], (12, 10, 10)),
        ({"missed": "tricks"}, [1, 0, 1], (2, 10, 0)),
        ({"missed": "difference"}, [0, 1, 2], (-2, -1, -2)),
        ({"missed": "difference", "trick_points": 3}, [0, 1, 0], (-6, -3, 10)),
        ({"bonus": 5, "trick_points": 2}, [2, 0, 1], (9, 5, 0)),
    ],
)
def test_score_of_a_deal(options, bids, scores):
    result = two_tricks(bids, **options)
    assert (result.scores, result.unit) == (scores, "points")


def test_equals_share_the_deal():
    assert two_tricks([2, 0, 0]).winners == (0,)
    assert two_tricks([1, 0, 0]).winners == (1, 2)
    assert two_tricks([1, 1, 1]).winners == (0, 1, 2)


def test_first_bid_and_first_lead_are_data():
    dealer = peklo(3, first_bid="dealer", first_lead="dealer").deal(SEED, 1, 1)
    play(dealer, (1, "bid 0"), (2, "bid 1"), (0, "bid 2"))
    assert dealer.actors() == (1,)
    highest = peklo(3, first_lead="highest_bid").deal(SEED, 1, 1)
    play(highest, (2, "bid 0"), (0, "bid 2"), (1, "bid 2"))
    assert highest.actors() == (0,), "of equal bids the first made"


def test_no_card_before_all_bids_are_made():
    state = situation([["5H"], ["3H"], ["JH"]], [0, None, None], trump="D")
    before = state.to_json()
    with pytest.raises(IllegalAction, match="before all bids") as refusal:
        state.do(1, "play 3H")
    assert refusal.value.legal == ["bid 0", "bid 1"]
    assert state.to_json() == before


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("play KS", "H was led, seat 1 holds it and must follow"),
        ("play 2C", "2C is not in the hand of seat 1"),
        ("bid 1", "all bids are made"),
    ],
)
def test_refusals_say_what_was_wrong(text, reason):
    state = play(situation([["5H", "9C"], ["3H", "KS"], ["2D", "2C"]], [1, 0, 1]), (0, "play 5H"))
    with pytest.raises(IllegalAction, match=reason) as refusal:
        state.do(1, text)
    assert refusal.value.legal == ["play 3H"]


def test_a_bid_above_the_tricks_is_refused():
    state = situation([["5H"], ["3H"], ["JH"]], [None, None, None])
    with pytest.raises(IllegalAction, match="from 0 to 1"):
        state.do(0, "bid 2")


def test_a_seat_out_of_turn_and_a_finished_deal_are_refused():
    state = situation([["AH"], ["2H"], ["KH"]], [1, 0, 0])
    with pytest.raises(NotYourTurn, match="seat 0 is to play"):
        state.do(1, "play 2H")
    play(state, (0, "play AH"), (1, "play 2H"), (2, "play KH"))
    for seat in (0, -1):
        with pytest.raises(GameOver):
            state.do(seat, "play AH")
    assert state.actors() == ()


def test_several_steps_are_all_or_nothing():
    state = situation([["5H", "9C"], ["3H", "KS"], ["JH", "2C"]], [None, None, None])
    before = state.to_json()
    with pytest.raises(NotYourTurn):
        state.do(0, "bid 1; bid 2")
    assert state.to_json() == before


@pytest.mark.parametrize(
    "text", ["bid", "bid -1", "bid 01", "bid 27", "bid ²", "play", "play 1H", "play BJ", "lay 7S"]
)
def test_texts_that_are_no_actions(text):
    with pytest.raises(NotationError):
        peklo().parse(text)


@pytest.mark.parametrize(
    ("seats", "options", "pointer"),
    [
        (3, {"max_hand": 18}, "/options/max_hand"),
        (10, {"min_hand": 6}, "/options/min_hand"),
        (3, {"min_hand": 5, "max_hand": 4}, "/options/max_hand"),
        (3, {"hooks": True}, "/options/hooks"),
        (3, {"hook": 1}, "/options/hook"),
        (3, {"overtricks": "win"}, "/options/overtricks"),
        (1, {}, "/seats"),
        (11, {}, "/seats"),
    ],
)
def test_impossible_rules_are_refused_by_place(seats, options, pointer):
    with pytest.raises(RulesError) as refusal:
        find("peklo").game(options, seats)
    assert refusal.value.pointer == pointer


@pytest.mark.skipif(not CASES.exists(), reason="the shared cases are not beside this checkout")
def test_shared_cases():
    cases = json.loads(CASES.read_text())["cases"]
    assert cases
    for case in cases:
        check_case(case)


def check_case(case):
    state = find("peklo").position(case["position"])
    *steps, last = case["steps"] or [None]
    play(state, *steps)
    if last and "error" in case["expect"]:
        with pytest.raises(
            {"illegal": IllegalAction, "not_your_turn": NotYourTurn, "over": GameOver}[
                case["expect"]["error"]
            ]
        ):
            state.do(*last)
    elif last:
        state.do(*last)
    report = state.report()
    for field, expected in case["expect"].items():
        if field == "legal":
            for seat, texts in expected.items():
                assert sorted(report["legal"][seat]) == sorted(texts), case["id"]
        elif field != "error":
            assert report[field] == expected, (case["id"], field)
