"""What a seat sees: nothing concealed leaves the engine in a view, an event, an error or a bot's choice."""

import json
from random import Random

import pytest
from tables import act, position, stack, table

from casino.banking.hands import Hand
from casino.banking.world import _Gap, _points_for
from casino.bots import RandomBot
from casino.cards import NAMES, POINTS
from casino.catalogue import find
from casino.errors import ActionError, PositionError


def seen(state, viewer):
    """Everything that a viewer is ever told in this position, as one text."""
    return json.dumps(state.view(viewer), ensure_ascii=False)


def told(events, viewer):
    """The events as a viewer is given them."""
    return json.dumps([[e.type, e.seat, e.data, (e.private or {}).get(viewer, {})] for e in events])


def cards_of(state, viewer):
    return [entry.get("cards") for entry in state.view(viewer)["seats"]]


# Who sees what


def test_the_owner_sees_his_card_and_nobody_else_does():
    state = position("russian-multiple", ["5D", "4C", "8H"], shoe="2S 2S")
    assert cards_of(state, 0) == ["5D", "?", "?"]
    assert cards_of(state, 1) == ["?", "4C", "?"]
    assert cards_of(state, None) == ["?", "?", "?"]
    assert state.view(1)["seats"][0]["hand"] == [None]
    assert state.view(1)["seats"][0]["points"] is None
    assert state.view(0)["seats"][0]["points"] == 5


def test_a_banker_who_peeks_sees_his_card_from_the_deal_another_when_the_punters_are_done():
    assert cards_of(position("russian-multiple-active", ["5D", "8H"]), 1) == ["?", "8H"]
    options = {"banker_peeks": False}
    state = position("russian-multiple-active", ["5D", "8H"], options=options)
    assert cards_of(state, 1) == ["?", "?"]
    act(state, "stand")
    assert state.actors() == (1,)
    assert cards_of(state, 1) == ["?", "8H"]
    assert cards_of(state, 0) == ["5D", "?"]
    shown = [event for event in state.drain() if event.type == "shown"]
    assert shown[0].private == {1: {"hand": "8H"}}
    assert "8H" not in json.dumps(shown[0].data)


@pytest.mark.parametrize(("face_up", "hand"), [(True, "? 2C"), (False, "? ?")])
def test_a_drawn_card_lies_open_or_not(face_up, hand):
    options = {"draw_face_up": face_up}
    state = act(position("continental", ["5D", "4H", "6H"], options=options, shoe="2C"), "draw")
    assert cards_of(state, 1)[0] == cards_of(state, None)[0] == hand
    assert cards_of(state, 0)[0] == "5D 2C"
    event = next(event for event in state.drain() if event.type == "drew")
    assert ("card" in event.data) == face_up
    assert face_up or event.private == {0: {"card": "2C"}}


def test_thrown_cards_are_seen_by_all_and_what_came_instead_by_the_owner():
    state = act(position("russian-multiple", ["KD", "4H", "6H"], shoe="2C"), "discard")
    assert cards_of(state, None)[0] == "(KD) ?"
    assert state.view(1)["seats"][0]["discarded"] == ["KD"]
    event = next(event for event in state.drain() if event.type == "discarded")
    assert event.data["discard"] == "KD"
    assert event.private == {0: {"card": "2C"}}


@pytest.mark.parametrize(
    ("exposed", "before", "after"), [("never", "?", "?"), ("on_turn", "?", "5D"), ("dealt", "5D", "5D")]
)
def test_when_a_punters_first_card_lies_open(exposed, before, after):
    options = {"exposed": exposed}
    state = position("russian-even", ["5D", "4H", "6H"], options=options)
    assert cards_of(state, 1)[0] == before
    act(state, "stand")
    assert cards_of(state, 1)[0] == after
    assert cards_of(state, 1)[2] == "?", "the banker's card is not a punter's"


def test_cards_open_from_the_deal_are_told_with_it_the_bankers_not():
    state = act(table("russian-even", 3, options={"exposed": "dealt"}, setup={"bank": "house"}), "bank 500")
    act(stack(state, "5D 4H 6H"), "stake 5", "stake 5")
    assert cards_of(state, None) == ["5D", "4H", "?"]
    dealt = next(event for event in state.drain() if event.type == "dealt")
    assert dealt.data["open"] == {"0": "5D", "1": "4H"}
    assert dealt.private == {0: {"hand": "5D"}, 1: {"hand": "4H"}}, "this banker may not look"


def test_a_replaced_card_of_an_open_hand_is_open():
    options = {"exposed": "on_turn"}
    state = act(position("russian-multiple", ["KD", "4H", "6H"], options=options, shoe="2C"), "discard")
    assert cards_of(state, 1)[0] == "(KD) 2C"


def test_all_hands_are_seen_after_settlement():
    state = act(stack(act(table("house"), "bank 500"), "5D 6H"), "stake 5", "stand")
    for viewer in (None, 0, 1):
        assert set(state.view(viewer)["last"]["hands"]) == {"5D", "6H"}
        assert state.view(viewer)["played"] == "5D 6H"


def test_the_purse_of_another_and_the_seeds_are_not_in_a_view():
    state = table("house", 3, setup={"purse": 7777}, seed=b"\xca\xfe\xba\xbe" * 8)
    act(state, "bank 500")
    state.do(state.banker, "seed decafbad")
    other = state.punters()[0]
    view = seen(state, other)
    assert state.view(other)["purse"] == 7777
    assert seen(state, None).count("7777") == 0
    assert view.count("7777") >= 1
    for secret in ("decafbad", "cafebabe", state.server_seed.hex()):
        assert secret not in view
    assert state.view(other)["seats"][state.banker]["seeded"]
    assert told(state.drain(), other).count("decafbad") == 0


# The canary


def canary_games():
    """Tables of every preset and visibility, in which a coup is being played."""
    for name in ("russian-even", "russian-multiple-active", "house", "continental", "chemin-de-fer"):
        for options in ({}, {"draw_face_up": False}, {"banker_peeks": False, "banker_natural_ends": []}):
            for seats in (2, 4):
                yield find(name).game({**options, "decks": 1, "max_punters": 4}, seats)


def owners(state):
    """Who may know each concealed card: (card, seats)."""
    coup = state.coup
    for hand in coup.hands if coup else ():
        banker = hand is coup.banker
        for place, card in enumerate(hand.cards):
            drawn = hand.drew and place == len(hand.cards) - 1
            if card < 0 or (hand.opened and not drawn) or (drawn and coup.plan.face_up):
                continue
            looks = not banker or drawn or coup.banker_looks
            yield NAMES[card], {hand.seat} if looks else set()
    for card in state.shoe.order[state.shoe.at :] if state.shoe else ():
        yield NAMES[card], set()


def test_no_view_event_or_error_shows_a_concealed_card():
    """One pack, so a card's name stands for one card: a concealed one must be nowhere in what others are told."""
    checked = 0
    for number, game in enumerate(canary_games()):
        state, bot = game.start(bytes([number + 1])), RandomBot(Random(number))
        for _ in range(120):
            if not state.awaited():
                break
            seat = state.awaited()[0]
            state.do(seat, bot.choose(state.view(seat)))
            events = state.drain()
            for viewer in (None, *range(game.seats)):
                view = state.view(viewer)
                del view["last"]  # settled coups lie open, and may be of an earlier shoe
                texts = json.dumps(view) + refusals(state, viewer)
                texts += told([event for event in events if event.type not in ("settled", "seated")], viewer)
                for card, knowing in owners(state):
                    if viewer not in knowing:
                        checked += 1
                        assert card not in texts, f"{viewer} is told of {card}"
    assert checked > 10_000


def refusals(state, viewer):
    """What a seat is told that tries what it may not do."""
    words = []
    for text in ("draw", "stand", "discard", "stake 5", "close", "bank 100"):
        try:
            state.copy().do(-1 if viewer is None else viewer, text)
        except ActionError as error:
            words.append(f"{error.detail} {error.legal}")
    return " ".join(words)


def test_events_that_conceal_a_card_number_all_the_same():
    """The data are redacted by viewer, the events themselves are not."""
    state = position("continental", ["5D", "4H", "6H"], options={"draw_face_up": False}, shoe="2C")
    act(state, "draw", "stand")
    assert [event.type for event in state.drain()] == ["drew", "stood"]


# Worlds


def test_a_world_keeps_what_was_seen_and_deals_the_rest():
    state = act(position("continental", ["5D", "4H", "6H"], shoe="2C 3C 4C"), "draw")
    world = state.game.world(state.view(1), Random(1))
    assert cards_of(world, 1) == ["? 2C", "4H", "?"]
    assert sorted([*world.shoe.order, *world.shoe.aside(world.coup.kept()), *world.coup.kept()]) == sorted(
        [*range(52)] * 2
    )


def test_a_world_obeys_what_the_actions_seen_imply():
    """A punter who drew had no natural; one who must draw to 5 and stood has 6 to 9; the banker showed no natural."""
    rule = ["draw"] * 5 + ["free"] + ["stand"] * 4
    options = {"punter_draw": rule, "punter_natural_ends": [8, 9]}
    state = position("continental", ["4D", "6C", "5H", "3H"], options=options)
    assert state.actors() == (2,)
    rng = Random(2)
    for _ in range(200):
        world = state.game.world(state.view(None), rng)
        first = [POINTS[hand.cards[0]] for hand in world.coup.hands]
        assert first[0] <= 5, "drew"
        assert first[1] in (5, 6, 7), "stood, and showed no natural 8 or 9"
        assert first[2] == 5, "has a choice"
        assert first[3] < 7, "a banker's natural would have ended the coup"


def test_a_face_down_draw_that_ended_a_hand_was_no_zero_that_could_be_thrown():
    options = {"draw_face_up": False}
    state = act(position("russian-multiple", ["5D", "4H", "6H"], options=options), "draw")
    rng = Random(3)
    drawn = {POINTS[state.game.world(state.view(None), rng).coup.hands[0].cards[1]] for _ in range(300)}
    assert drawn == set(range(1, 10))


def test_every_deal_of_the_unseen_cards_is_equally_likely():
    """Two hands from one ten-valued card, one 1 and two 2s; the second may not hold a zero.

    Ordered pairs of distinct cards with the second no zero: (0,1) (0,2) (0,2) (1,2) (1,2) (2,1) (2,1) (2,2) (2,2):
    nine, each as likely. Chi-square over the five kinds, 4 degrees of freedom: below 18.47 with probability 0.999.
    """
    pool = [0] * 52
    pool[0], pool[48], pool[32] = 2, 1, 1  # 2S twice, AS, TS
    gaps = [
        _Gap(Hand(0), (0,), tuple((p,) for p in range(10))),
        _Gap(Hand(1), (0,), tuple((p,) for p in range(1, 10))),
    ]
    expected = {(0, 1): 1, (0, 2): 2, (1, 2): 2, (2, 1): 2, (2, 2): 2}
    rng, draws = Random(4), 9000
    found = dict.fromkeys(expected, 0)
    for _ in range(draws):
        first, second = _points_for(gaps, pool, rng)
        found[first[0], second[0]] += 1
    unit = draws / 9
    assert sum((found[kind] - ways * unit) ** 2 / (ways * unit) for kind, ways in expected.items()) < 18.47


def test_a_view_that_no_deal_allows_is_refused():
    state = position("continental", ["5D", "4H", "6H"])
    view = state.view(None)
    view["played"] = " ".join(name for name in NAMES[:52] for _ in range(2) if name[0] in "AKQJT789")
    view["shoe_left"] = 0
    view["played"] += " " + " ".join(name for name in NAMES[:52] for _ in range(2) if name[0] in "23456")
    with pytest.raises(PositionError):
        state.game.world(view, Random(5))
