"""The bots of the shedding games: legal from a view alone, sensible, and with the tactics that the texts name."""

from dataclasses import fields
from random import Random

import pytest

from analysis.arena import duel, play
from casino.bots.moving import next_move
from casino.bots.policies import MOST_NODES, NAMES, Policy, make, read, tactics
from casino.bots.shedding import Gain, SearchBot, SimpleBot, redealt
from casino.bots.shedding_policy import Traits
from casino.catalogue import find, listings
from casino.errors import RulesError

VARIANTS = [listing.name for listing in listings() if listing.family == "shedding"]


def chosen(game, hands, pile, *, traits=None, **more):
    """What `simple` does in a situation in which seat 0 is to move."""
    seats = len(hands)
    position = {
        "game": game,
        "seats": seats,
        "dealer": seats - 1,
        "to_move": 0,
        "direction": 1,
        "hands": hands,
    }
    state = find(game).position({**position, "pile": pile, "stock": ["4C", "QS", "TD", "JC"], **more})
    view = state.view(0)
    words = SimpleBot(state.game, Traits(**dict.fromkeys(traits or (), True))).choose(view)
    assert words in view["legal"]
    return words


# To the end


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("policy", NAMES)
def test_bots_play_legally(name, policy):
    """Every choice and everything said out of turn is a legal action; `search` thinks little here."""
    game = find(name).game(None, 3)
    rng = Random(1)
    bots = [make(Policy(policy, nodes=40 if policy == "search" else None), game, rng) for _ in range(3)]
    state = game.start(rng.randbytes(32))
    for _ in range(150):
        move = next_move(state, bots.__getitem__)
        if move is None:
            break
        assert move[1] in state.legal_texts(move[0])
        state.do(*move)


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("seats", [2, 3, 6])
def test_simple_goes_on_to_an_end(name, seats):
    """«Sensible play never gets» to the limit of turns, and to no stalemate."""
    listing = find(name)
    game = listing.game(None, min(seats, listing.max_seats))
    for number in range(6):
        state = play(game, [SimpleBot(game)] * game.seats, bytes([number]) * 32)
        assert state.result().reason == "out"


def test_a_bot_is_a_function_of_its_generator():
    game = find("romanian").game(None, 3)
    view = game.start(bytes(32)).view(game.start(bytes(32)).to_move)
    texts = [SearchBot(game, Random(seed), 300).choose(view) for seed in (1, 1)]
    assert texts[0] == texts[1]


# What it sees


@pytest.mark.parametrize("name", VARIANTS)
def test_what_is_hidden_changes_nothing(name):
    """Two worlds with the same view: the same choice, of `simple` and of `search`."""
    game = find(name).game(None, 3)
    state = game.start(bytes(range(32)))
    rng = Random(3)
    for _ in range(25):
        if not state.awaited():
            break
        (seat,) = state.awaited()
        view = state.view(seat)
        other = game.world(view, rng).view(seat)
        assert SimpleBot(game).choose(view) == SimpleBot(game).choose(other)
        assert SearchBot(game, Random(1), 40).choose(view) == SearchBot(game, Random(1), 40).choose(other)
        state.do(seat, SimpleBot(game).choose(view))


@pytest.mark.parametrize("name", VARIANTS)
def test_a_redealt_world_looks_the_same(name):
    game = find(name).game(None, 3)
    state = game.start(bytes(range(32)))
    rng = Random(2)
    for _ in range(12):
        (seat,) = state.awaited()
        hidden = [other for other in range(3) if other != seat]
        world = redealt(state, hidden, rng)
        assert world.view(seat) == state.view(seat)
        assert cards_of(world) == cards_of(state), "the same cards, elsewhere"
        state.do(seat, SimpleBot(game).choose(state.view(seat)))


def cards_of(state):
    """All cards of a deal, in order of their names."""
    stored = state.to_json()
    return sorted(card for part in (*stored["hands"], stored["stock"], stored["pile"]) for card in part)


# Judgement


def test_it_lays_what_leaves_it_most_to_play():
    """7S leaves JC to draw for; 7D lets two diamonds follow."""
    assert chosen("russian-104", [["7S", "7D", "TD", "JD"], ["KC"] * 1 + ["QC", "5C"]], ["7C"]) == "play 7D"


def test_it_goes_out_when_it_can():
    assert chosen("russian-104", [["9D"], ["QC", "5C"]], ["7C"]) == "play 9D"


def test_it_answers_attacks():
    """An open two is answered with a two, not taken."""
    two = {"penalty": 2, "attack": "2S"}
    assert chosen("russian-104", [["2H", "7S", "8S"], ["QC", "5C"]], ["2S"], **two) == "play 2H"
    assert chosen("russian-104", [["7S", "8S"], ["QC", "5C"]], ["2S"], **two) == "accept"


def test_it_attacks_who_is_about_to_go_out():
    """With one card left at the next seat the two is laid; with three it is kept."""
    hand = ["2S", "7S", "8S", "TH"]
    assert chosen("russian-104", [hand, ["QC"], ["5C", "6C"]], ["6S"]) == "play 2S"
    assert chosen("russian-104", [hand, ["QC", "KC", "TC"], ["5C", "6C"]], ["6S"]) != "play 2S"


def test_it_calls_and_catches():
    state = find("romanian").position(
        {
            "game": "romanian", "seats": 3, "dealer": 2, "to_move": 1, "direction": 1, "pile": ["7S"],
            "hands": [["8S"], ["9H", "TD"], ["QC", "KC"]], "stock": ["5C", "6C", "7C", "8C", "9C", "TC"],
            "window": {"seat": 0},
        }
    )  # fmt: skip
    bot = SimpleBot(state.game)
    assert bot.aside(state.view(0)) == "macao"
    assert bot.aside(state.view(2)) == "catch 0"
    assert bot.choose(state.view(1)) == "catch 0"
    assert next_move(state, lambda seat: bot) == (0, "macao"), "who is to call is first"
    assert next_move(state, lambda seat: None if seat == 0 else bot) == (1, "catch 0"), "on its own turn"
    assert next_move(state, lambda seat: bot if seat == 2 else None) is None, "a person is given time"


@pytest.mark.parametrize(
    ("trait", "game", "hands", "pile", "more", "without", "with_it"),
    [
        # An ace goes on anything, and spades would follow it; kept, the plain card is laid.
        ("keep_wild", "romanian", [["AS", "6H", "7S", "8S", "TS"], ["QC", "KD", "5D"]], ["6S"], {}, None, "play"),
        # 20 points against 5: the king first.
        ("shed_high", "russian-104", [["KS", "6S", "6D"], ["QC", "5C", "5D"]], ["8S"], {}, "play 6S", "play KS"),
        # The 7 doubles the others' points: kept to close with.
        (
            "keep_seven", "romanian-points", [["7S", "9S", "6D", "7C", "7H"], ["QC", "KD", "5D"]], ["8S"], {},
            "play 7S", "play 9S",
        ),
        ("draw_though_able", "russian-104", [["9S", "5D"], ["QC", "KD", "TH"]], ["8C"], {}, "play 9S", "draw"),
        (
            "take_penalty", "russian-104", [["2H", "7S", "8S"], ["QC", "5C"]], ["2S"],
            {"penalty": 2, "attack": "2S"}, "play 2H", "accept",
        ),
        (
            "hold_back", "hungarian", [["8D", "8C", "KC"], ["QC", "TC", "9C"]], ["6S", "8S"],
            {"turn": {"laid": ["8S"], "needs": None, "base": "6S"}}, "add", "end",
        ),
        (
            "deny_four", "plawno", [["4H", "8C", "KC"], ["QC", "TC", "9C"], ["5C", "6C"]], ["6S", "4S"],
            {"four_round": {"last": 2, "fours": 1, "lap": 1, "passed": 0}}, "play 4H", "pass",
        ),
    ],
)  # fmt: skip
def test_tactics_that_the_texts_name(trait, game, hands, pile, more, without, with_it):
    """`rules/shedding.md`, «What the texts say of tactics»: each changes the choice as it says."""
    plain, tactical = (chosen(game, hands, pile, traits=traits, **more) for traits in ((), (trait,)))
    if trait == "keep_wild":
        assert tactical != "play AS"
        assert tactical.startswith(with_it)
        return
    assert plain.startswith(without)
    assert tactical.startswith(with_it)


def test_a_four_that_was_denied_is_laid_when_asked_once_more():
    """«The deception»: denied in the first lap only."""
    more = {"four_round": {"last": 2, "fours": 1, "lap": 2, "passed": 0}}
    hands = [["4H", "8C", "KC"], ["QC", "TC", "9C"], ["5C", "6C"]]
    assert chosen("plawno", hands, ["6S", "4S"], traits=("deny_four",), **more) == "play 4H"


def test_gain_is_mean_and_spread():
    """Of 1, 3: mean 2, standard error 1 / √2 (population spread 1); nothing is sure of few."""
    gain = Gain(0)
    for value in (1.0, 3.0):
        gain.add(value)
    assert gain.error == pytest.approx(1 / 2**0.5)
    assert (gain.sure, gain.hopeful) == (0.0, True)
    for value in (1.0, 3.0) * 3:
        gain.add(value)
    assert gain.sure == pytest.approx(2 - 1 / 8**0.5)


def maker(policy, nodes=None):
    return lambda game, rng: make(Policy(policy, nodes=nodes), game, rng)


@pytest.mark.parametrize("name", ["hungarian", "romanian-regional"])
def test_each_bot_is_stronger_than_the_last(name):
    """The whole interval above a fair share, from fixed seeds (every variant: docs/bots.md)."""
    game = find(name).game(None, 2)
    assert duel(game, maker("simple"), maker("random"), 24).stronger
    assert duel(game, maker("search", 600), maker("simple"), 24).stronger


@pytest.mark.parametrize(("weak", "strong"), [("random", "simple"), ("simple", "search")])
def test_the_weaker_is_not_found_stronger(weak, strong):
    """The measure tells the two apart: turned round, the interval is not above a fair share."""
    game = find("tel-aviv").game(None, 2)
    assert not duel(game, maker(weak), maker(strong, 100 if strong == "search" else None), 10).stronger


# Policies


def test_policies_are_texts_or_objects():
    assert read("simple", "shedding") == Policy("simple")
    assert read("simple:keep_wild,shed_high", "shedding") == read(
        {"name": "simple", "keep_wild": True, "shed_high": True, "hold_back": False}, "shedding"
    )
    assert read("search:500", "tricks") == read({"name": "search", "nodes": 500}, "tricks")
    assert set(tactics("shedding")) == {item.name for item in fields(Traits)}
    assert tactics("tricks") == ()


@pytest.mark.parametrize(
    ("spec", "pointer"),
    [
        ("textbook", "/p"),
        ("", "/p"),
        (None, "/p"),
        (5, "/p"),
        ({"keep_wild": True}, "/p"),
        ("simple:brave", "/p/brave"),
        ({"name": "simple", "keep_wild": 1}, "/p/keep_wild"),
        ({"name": "random", "nodes": 5}, "/p/nodes"),
        ("search:", "/p"),
        ("search:-1", "/p"),
        (f"search:{MOST_NODES + 1}", "/p/nodes"),
        ({"name": "search", "nodes": True}, "/p/nodes"),
    ],
)
def test_what_is_no_policy_is_refused_by_place(spec, pointer):
    with pytest.raises(RulesError) as caught:
        read(spec, "shedding", "/p")
    assert caught.value.pointer == pointer
