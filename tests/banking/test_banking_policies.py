"""Policies by name (`table.md`, «Policies») and the bot that plays a seat by one."""

from random import Random

import pytest
from tables import act, position, stack, table

from casino.banking.policies import BANKER, NAMES, PUNTER, default_policy, is_free, parse_policy, plug_in
from casino.banking.presets import PRESETS
from casino.banking.rules import build
from casino.bots import RandomBot
from casino.bots.banking import BankingBot, check_policy, default_bot
from casino.catalogue import find, listings
from casino.errors import IllegalAction, RulesError

ANY = ["draw", "stand"]


def rules(name="house", **options):
    return build(PRESETS[name][1], options)


def drawn_on(policy):
    return [points for points in range(10) if policy.decide(ANY, points, drew=False) == "draw"]


@pytest.mark.parametrize(
    ("value", "draws"),
    [
        ("stand", []),
        ("textbook", [0, 1, 2, 3, 4, 5, 6]),
        ("threshold:0", [0]),
        ("threshold:5", [0, 1, 2, 3, 4, 5]),
        ("threshold:9", list(range(10))),
        ({"draw_on": [1, 2, 3]}, [1, 2, 3]),
        ({"draw_on": []}, []),
    ],
)
def test_where_a_policy_draws(value, draws):
    policy = parse_policy(value, rules(), PUNTER)
    assert drawn_on(policy) == draws
    assert policy.spec == value


@pytest.mark.parametrize("value", ["stand", "textbook", "threshold:5"])
def test_every_named_policy_throws_a_zero_whenever_it_may_and_obeys_duties(value):
    policy = parse_policy(value, rules(), PUNTER)
    for points in range(10):
        assert policy.decide(["discard", "draw", "stand"], points, drew=False) == "discard"
        assert policy.decide(["discard", "stand"], points, drew=True) == "discard"
        assert policy.decide(["draw"], points, drew=False) == "draw"
        assert policy.decide(["stand"], points, drew=False) == "stand"


@pytest.mark.parametrize(("dealt", "drawn"), [(True, False), (False, True), (False, False)])
def test_an_object_says_which_zeros_it_throws(dealt, drawn):
    policy = parse_policy({"draw_on": [0], "discard_dealt": dealt, "discard_drawn": drawn}, rules(), PUNTER)
    assert (policy.decide(["discard", "draw", "stand"], 0, drew=False) == "discard") == dealt
    assert (policy.decide(["discard", "stand"], 3, drew=True) == "discard") == drawn
    assert policy.decide(["discard", "draw"], 0, drew=False) == ("discard" if dealt else "draw")


@pytest.mark.parametrize(
    ("value", "pointer"),
    [
        ("texbook", "/p"),
        ("threshold", "/p"),
        ("threshold:", "/p"),
        ("threshold:10", "/p"),
        ("threshold:-1", "/p"),
        ("threshold:٣", "/p"),
        ("", "/p"),
        (5, "/p"),
        (None, "/p"),
        (["stand"], "/p"),
        ({}, "/p/draw_on"),
        ({"draw_on": [10]}, "/p/draw_on/0"),
        ({"draw_on": [1, 1]}, "/p/draw_on"),
        ({"draw_on": [1], "discard": True}, "/p/discard"),
        ({"draw_on": [1], "discard_dealt": 1}, "/p/discard_dealt"),
    ],
)
def test_what_is_no_policy_is_refused_by_place(value, pointer):
    with pytest.raises(RulesError) as caught:
        parse_policy(value, rules(), PUNTER, "/p")
    assert caught.value.pointer == pointer


@pytest.mark.parametrize("name", ["optimal", "equilibrium"])
def test_what_the_odds_work_out_is_known_but_comes_with_them(name, monkeypatch):
    monkeypatch.setattr("casino.banking.policies._MAKERS", {})
    with pytest.raises(RulesError) as caught:
        parse_policy(name, rules(), PUNTER, "/policy")
    assert "odds" in caught.value.detail
    plug_in(name, lambda rules, side: parse_policy("threshold:4", rules, side))
    assert drawn_on(parse_policy(name, rules(), PUNTER)) == [0, 1, 2, 3, 4]
    with pytest.raises(RulesError):
        plug_in("clever", lambda rules, side: parse_policy("stand", rules, side))


def test_rules_is_for_a_side_without_a_choice():
    must = ["draw"] * 6 + ["stand"] * 4
    assert is_free(rules(), PUNTER)
    assert not is_free(rules(max_draws=0), PUNTER)
    assert parse_policy("rules", rules(), BANKER)
    assert parse_policy("rules", rules(punter_draw=must), PUNTER)
    for side, record in ((PUNTER, rules()), (BANKER, rules("continental"))):
        with pytest.raises(RulesError) as caught:
            parse_policy("rules", record, side, "/policy")
        assert side in caught.value.detail


@pytest.mark.parametrize("name", list(PRESETS))
def test_the_defaults_of_either_side(name):
    record = rules(name)
    assert default_policy(record, PUNTER).spec == "textbook"
    free = name in ("russian-even-active", "russian-multiple-active", "continental", "chemin-de-fer")
    assert default_policy(record, BANKER).spec == ("threshold:5" if free else "rules")


def test_all_names_are_those_of_the_page():
    assert NAMES == ("stand", "textbook", "threshold:T", "rules", "optimal", "equilibrium")


# Bots


def test_a_bot_plays_its_policy():
    view = position("russian-multiple", ["5", "4"]).view(0)
    for policy, choice in (("threshold:5", "draw"), ("threshold:4", "stand"), ({"draw_on": [5]}, "draw")):
        assert BankingBot(rules("russian-multiple"), policy).choose(view) == choice
    zero = position("russian-multiple", ["K", "4"]).view(0)
    assert BankingBot(rules("russian-multiple"), "stand").choose(zero) == "discard"


def test_a_bot_as_banker_plays_its_other_policy():
    state = act(position("russian-multiple-active", ["5", "5"]), "stand")
    record = rules("russian-multiple-active")
    assert BankingBot(record, "stand").choose(state.view(1)) == "draw", "threshold:5 by default"
    assert BankingBot(record, "textbook", banker_policy="stand").choose(state.view(1)) == "stand"


def test_a_bot_stakes_what_it_was_told_as_far_as_it_can_and_sits_out_otherwise():
    state = act(table("house", setup={"bank": "house"}), "bank 500")
    view = state.view(0)
    assert BankingBot(rules()).choose(view) == "stake 5"
    assert BankingBot(rules(), stake=50).choose(view) == "stake 50"
    assert BankingBot(rules(), stake=500).choose(view) == "stake 165", "the bank covers no more"
    assert BankingBot(rules(), stake=57).choose(view) == "stake 55", "in steps"
    state.set_purse(0, 10)
    assert BankingBot(rules()).choose(state.view(0)) == "sit"


def test_a_bot_puts_up_a_bank_that_covers_the_table_or_passes():
    state = table("house", 4)
    view = state.view(state.banker)
    assert BankingBot(rules(), stake=20).choose(view) == "bank 900", (
        "3 punters, 20 each, threefold, five times"
    )
    assert BankingBot(rules(), bank=2500).choose(view) == "bank 2500"
    assert BankingBot(rules(), bank=5).choose(view) == "bank 100", "the least that may be put up"
    state.set_purse(state.banker, 50)
    assert BankingBot(rules()).choose(state.view(state.banker)) == "pass"


def test_a_bot_that_is_not_awaited_is_told_so():
    state = act(table("house", 3, setup={"bank": "house"}), "bank 500")
    stack(state, "5S 5H 6H")
    state.do(0, "stake 5")
    with pytest.raises(IllegalAction):
        BankingBot(rules()).choose(state.view(0))


@pytest.mark.parametrize("name", [listing.name for listing in listings() if listing.family == "banking"])
@pytest.mark.parametrize("seats", [2, 10])
def test_bots_play_whole_tables(name, seats):
    game = find(name).game(None, seats)
    state = game.start(b"bots")
    bots = [BankingBot(game.rules, stake=None) for _ in range(seats)]
    while state.awaited():
        seat = state.awaited()[0]
        state.do(seat, bots[seat].choose(state.view(seat)))
    assert state.result().reason == "banks"
    assert state.coups > 0
    assert sum(state.totals) == 0


def test_the_default_bot_of_either_side_and_the_check_of_a_bots_policy():
    state = act(position("russian-multiple-active", ["6", "5"]), "stand")
    assert default_bot(rules("russian-multiple-active"), banker=True).choose(state.view(1)) == "draw"
    state = position("russian-multiple-active", ["6", "5"])
    assert default_bot(rules("russian-multiple-active"), banker=False).choose(state.view(0)) == "draw"
    check_policy(rules(), "stand")
    with pytest.raises(RulesError) as caught:
        check_policy(rules(), "no such", "/seats/1/policy")
    assert caught.value.pointer == "/seats/1/policy"


def test_the_random_bot_chooses_legal_actions_only():
    state, bot = table("house", 3), RandomBot(Random(1))
    seen = set()
    for _ in range(300):
        if not state.awaited():
            break
        seat = state.awaited()[0]
        text = bot.choose(state.view(seat))
        seen.add(text.split()[0])
        state.do(seat, text)
    assert {"bank", "stake", "sit", "seed", "stand", "draw"} <= seen
