"""Whole deals over every variant, modifier and number of seats: what must hold after every single action."""

import json
import random
from collections import Counter
from itertools import combinations
from random import Random

import pytest
from layouts import MODIFIERS, NAMES, all_cards, at_random, when_one_can

from casino.catalogue import find
from casino.errors import ActionError, GameOver, IllegalAction, NotYourTurn, RulesError
from casino.game import replay
from casino.shedding.actions import CATCH, COUNT, MACAO
from casino.shedding.variants import VARIANTS

PLAYERS = (at_random, when_one_can)
DEALS_OF_EACH = 1250  # of each variant in the long run: ten thousand in all


def forms(name, most=None):
    """The variant and its other forms (the championship), with every set of modifiers that makes sense with it; of at
    most so many together."""
    names = (*MODIFIERS, *VARIANTS[name].switches)
    for size in range(len(names) + 1 if most is None else most + 1):
        for chosen in combinations(names, size):
            options = dict.fromkeys(chosen, True)
            try:
                find(name).game(options)
            except RulesError:
                continue
            yield options


SINGLE = [
    pytest.param(name, options, id=f"{name}-{'-'.join(options) or 'plain'}")
    for name in NAMES
    for options in (*forms(name, 1), {"rank_packets": True, "jokers_in_draw_packets": True})
    if "jokers_in_draw_packets" not in options or name in ("hungarian", "romanian")
]
each_form = pytest.mark.parametrize(("name", "options"), SINGLE)


def some_seats(name):
    variant = VARIANTS[name]
    return sorted({variant.min_seats, 3, variant.max_seats})


def step(state, player, rng):
    """One action: mostly of the seat on turn, now and then one said aside (who plays when he can mostly calls)."""
    seat = state.awaited()[0]
    if player is when_one_can and state.window >= 0 and not state.said and rng.random() < 0.9:
        seat = state.window
    elif rng.random() < 0.2:
        seat = rng.choice(state.actors())
    action = player(state, seat, rng)
    state.apply(seat, action)
    return seat, action


def check_menus(state):
    """Exactly the actors have actions; these are sorted and differ."""
    actors = state.actors()
    assert bool(actors) == (state.result() is None)
    assert set(state.awaited()) <= set(actors)
    for seat in range(state.game.seats):
        legal = state.legal(seat)
        assert bool(legal) == (seat in actors)
        assert legal == sorted(set(legal))


def play_out(game, seed, player, rng):
    """A whole deal with the cards counted after every action; returns its actions and the state at the end."""
    state = game.start(seed)
    cards = sorted(game.pack)
    done = []
    while state.awaited():
        check_menus(state)
        done.append(step(state, player, rng))
        assert all_cards(state) == cards, "a card was lost or made"
    check_menus(state)
    return done, state


def check_end(game, state, player):
    result = state.result()
    assert len(result.scores) == game.seats
    assert result.winners
    if player is when_one_can:
        assert result.reason == "out", "sensible play comes to an end by itself"
    if result.reason == "out":
        assert result.winners[0] == state.finished[0]
    if result.unit == "points":
        assert result.scores[result.winners[0]] == min(result.scores)
    else:
        assert [seat for seat in range(game.seats) if result.scores[seat]] == list(result.winners)
    with pytest.raises(GameOver):
        state.apply(0, state.game.parse("draw"))


@each_form
def test_whole_deals(name, options):
    rng = Random(f"{name}{options}")
    for seats in some_seats(name):
        for player in PLAYERS:
            game = find(name).game({"turn_limit": 30 if player is at_random else 500, **options}, seats)
            _, state = play_out(game, rng.randbytes(32), player, rng)
            check_end(game, state, player)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_whole_deals_of_every_set_of_modifiers(name):
    """Every form at every number of seats; every twentieth deal is replayed from its texts."""
    rng = Random(name)
    tables = [(options, seats) for options in forms(name) for seats in range(2, VARIANTS[name].max_seats + 1)]
    played = Counter()
    for number in range(DEALS_OF_EACH):
        options, seats = tables[number] if number < len(tables) else rng.choice(tables)
        player = at_random if number % 5 == 0 else when_one_can
        game = find(name).game({"turn_limit": 20 if player is at_random else 500, **options}, seats)
        seed = rng.randbytes(32)
        done, state = play_out(game, seed, player, rng)
        check_end(game, state, player)
        played[(*options, seats)] += 1
        if number % 20 == 0:
            texts = [(seat, game.text(action)) for seat, action in done]
            assert replay(game, seed, texts).to_json() == state.to_json()
    assert len(played) == len(tables), "every form at every number of seats"
    assert played.total() == DEALS_OF_EACH


def test_the_long_run_plays_ten_thousand_deals():
    assert DEALS_OF_EACH * len(NAMES) >= 10_000
    assert {"championship", "inherit_hungarian"} < {
        key for name in NAMES for form in forms(name) for key in form
    }


def samples(name, options, seats, every=11):
    """States along deals of both players."""
    for number, player in enumerate(PLAYERS):
        rng = Random(f"{name}{options}{seats}{number}")
        state = find(name).game({"turn_limit": 30, **options}, seats).start(rng.randbytes(32))
        count = 0
        while state.awaited():
            if count % every == 0:
                yield state
            step(state, player, rng)
            count += 1
        yield state


@each_form
def test_every_legal_action_applies_and_every_other_raises_and_changes_nothing(name, options):
    for state in samples(name, options, 3, every=41):
        before = state.to_json()
        cards = all_cards(state)
        for seat in range(3):
            legal = set(state.legal(seat))
            for action in range(COUNT):
                twin = state.copy()
                if action in legal:
                    twin.apply(seat, action)
                    assert all_cards(twin) == cards
                    continue
                with pytest.raises(ActionError) as caught:
                    twin.apply(seat, action)
                assert isinstance(caught.value, expected_refusal(state, seat, action))
                assert twin.log == state.log
            assert twin.to_json() == before or legal


def expected_refusal(state, seat, action):
    """What is said aside is never a matter of turn."""
    if state.result() is not None:
        return GameOver
    return NotYourTurn if seat != state.to_move and action < MACAO else IllegalAction


@each_form
def test_states_round_trip_as_json_and_play_on_alike(name, options):
    rng = Random(1)
    for state in samples(name, options, 3):
        stored = json.loads(json.dumps(state.to_json()))
        again = state.game.from_json(stored)
        assert again.to_json() == state.to_json()
        for seat in (None, *range(3)):
            assert again.view(seat) == state.view(seat)
        twin = state.copy()
        for _ in range(6):
            if not twin.awaited():
                break
            seat, action = step(twin, at_random, rng)
            again.apply(seat, action)
            assert again.to_json() == twin.to_json()


@each_form
def test_a_world_drawn_from_a_view_has_that_view_and_goes_on(name, options):
    rng = Random(2)
    for state in samples(name, options, 3, every=23):
        for seat in (None, *range(3)):
            view = json.loads(json.dumps(state.view(seat)))
            world = state.game.world(view, rng)
            assert world.view(seat) == view
            check_menus(world)
            for _ in range(3):
                if world.awaited():
                    step(world, at_random, rng)


@each_form
def test_replays_are_equal_whatever_the_global_generator_does(name, options):
    rng = Random(3)
    game = find(name).game({"turn_limit": 20, **options}, 3)
    done, state = play_out(game, bytes(32), at_random, rng)
    random.seed(99)
    again = game.start(bytes(32))
    for seat, action in done:
        random.random()
        again.do(seat, game.text(action))
    assert again.to_json() == state.to_json()
    assert again.drain() == state.drain()


def test_every_action_has_a_text_that_means_it():
    game = find("plawno").game()
    texts = [game.text(action) for action in range(COUNT)]
    assert [game.parse(text) for text in texts] == list(range(COUNT))
    assert len(set(texts)) == COUNT


# Secrets


def seen_by(state, events, seat):
    """All that a seat is told: its view, the events as it gets them, and the refusals of what it tries."""
    told = [state.view(seat)]
    told += [(event.type, event.seat, event.data, (event.private or {}).get(seat)) for event in events]
    if seat is not None:
        for text in ("draw", "pass", "macao", "catch 1", "end", "name 9", "choose 1", "play 7S", "add 7S"):
            try:
                state.copy().do(seat, text)
            except ActionError as refusal:
                told += [refusal.detail, refusal.legal, refusal.pointer]
    return json.dumps(told)


@each_form
def test_a_hidden_card_never_shows_to_another_seat(name, options):
    """A canary lies in the hand of seat 1, which keeps it as long as it can."""
    if options.get("open_cards"):
        pytest.skip("with open cards nothing is hidden")
    canary = "RJ" if VARIANTS[name].rules.jokers else "KH"
    for number in range(3):
        rng = Random(f"{name}{options}{number}")
        game = find(name).game(options, 3)
        state = game.position(planted(game, canary, rng))
        for _ in range(150):
            if not state.awaited():
                break
            seat = rng.choice(state.actors())
            action = discreet(state, seat, canary, rng)
            if action is None:
                break
            state.apply(seat, action)
            events = state.drain()
            for viewer in (None, 0, 2):
                assert canary not in seen_by(state, events, viewer)
            assert canary in seen_by(state, events, 1)


def planted(game, canary, rng):
    """A position from a fresh deal in which every copy of the canary is in the hand of seat 1."""
    fresh = game.start(rng.randbytes(32)).to_json()
    hands = [[card for card in held if card != canary] for held in fresh["hands"]]
    stock = [card for card in fresh["stock"] if card != canary]
    pile = [card for card in fresh["pile"] if card != canary] or [stock.pop()]
    hands[1] += [canary] * sum(game.text(card) == f"play {canary}" for card in game.pack)
    known = {key: fresh[key] for key in ("dealer", "direction", "to_move", "shuffle_seed")}
    return {**known, "hands": hands, "stock": stock, "pile": pile}


def discreet(state, seat, canary, rng):
    """Any action that does not lay the canary; None if there is no other."""
    fit = [action for action in state.legal(seat) if f" {canary}" not in state.game.text(action)]
    return rng.choice(fit) if fit else None


def test_the_canary_test_would_notice():
    """With open cards the same check finds the canary at once."""
    game = find("russian-104").game({"open_cards": True}, 3)
    state = game.position(planted(game, "KH", Random(1)))
    assert "KH" in seen_by(state, [], 0)


def test_what_is_said_aside_stands_after_everything_else():
    assert MACAO < CATCH < COUNT
