"""The contract that every listed game keeps at every size of table: `casino/game.py` and design.md, «Tests»."""

import hashlib
import json
import os
import random
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from games import PASSIVE, SEED, canonical, choose, digest_of, spoken, steps, tables, verb

from casino.catalogue import find, listings
from casino.errors import ActionError, CasinoError, GameOver, NotationError, RulesError, UnknownGame
from casino.options import check_changes
from casino.record import Record, Recorder

TABLES = list(tables())
NAMES = [listing.name for listing in listings()]
SAMPLED = 20  # states of one game that the costly checks look at

every_table = pytest.mark.parametrize(
    ("listing", "seats"), [case[1:] for case in TABLES], ids=[case[0] for case in TABLES]
)


def sample(game, seed=SEED, *, lively=False, most=300):
    """Some states of a random game, each with the action that comes next, spread over its length."""
    length = sum(1 for _ in steps(game, seed, Random(5), lively=lively, most=most))
    every = max(1, length // SAMPLED)
    for number, (state, seat, text) in enumerate(steps(game, seed, Random(5), lively=lively, most=most)):
        if number % every == 0 or seat is None:
            yield state, seat, text


# Legal actions


@every_table
def test_actors_are_exactly_those_with_legal_actions_and_the_awaited_are_among_them(listing, seats):
    game = listing.game(None, seats)
    for state, _, _ in sample(game):
        able = tuple(seat for seat in range(seats) if state.legal(seat))
        assert state.actors() == able
        assert set(state.awaited()) <= set(able)
        assert bool(able) == (state.result() is None), "nobody may act: over"


@every_table
def test_legal_actions_are_sorted_and_distinct_and_their_texts_round_trip(listing, seats):
    game = listing.game(None, seats)
    rng = Random(2)
    for state, _, _ in sample(game):
        for seat in state.actors():
            legal, texts = state.legal(seat), state.legal_texts(seat)
            assert len({canonical(text) for text in texts}) == len(texts)
            try:
                assert legal == sorted(legal)
            except TypeError:  # amounts and plain actions have no order of their own: by their verbs
                assert [verb(text) for text in texts] == sorted(verb(text) for text in texts)
            for item in texts:
                text = spoken(item, rng)
                assert game.text(game.parse(text)) == text
                assert verb(item) in {verb(form) for form in listing.actions}, "explained in the catalogue"


@every_table
def test_every_legal_action_applies(listing, seats):
    game = listing.game(None, seats)
    rng = Random(3)
    for state, _, _ in sample(game):
        for seat in state.actors():
            for item in state.legal_texts(seat):
                for text in [spoken(item, rng), *limits_of(item)]:
                    state.copy().do(seat, text)


def limits_of(item):
    """The ends of a range of amounts."""
    if isinstance(item, str) or "min" not in next(iter(item.values())):
        return []
    ((word, limits),) = item.items()
    return [f"{word} {limits['min']}", f"{word} {limits['max']}"]


def beyond(item):
    """Amounts just outside a range, and one between its steps."""
    if isinstance(item, str) or "min" not in next(iter(item.values())):
        return []
    ((word, limits),) = item.items()
    amounts = [limits["min"] - 1, limits["max"] + 1] + ([limits["min"] + 1] if limits["step"] > 1 else [])
    return [f"{word} {amount}" for amount in amounts if amount > 0]


@every_table
def test_every_other_action_is_refused_and_changes_nothing(listing, seats):
    game = listing.game(None, seats)
    rng = Random(4)
    seen = {
        spoken(item, rng)
        for state, _, _ in sample(game)
        for s in state.actors()
        for item in state.legal_texts(s)
    }
    for state, _, _ in sample(game):
        before = canonical(state.to_json())
        for seat in range(seats):
            legal = state.legal_texts(seat)
            plain = {item for item in legal if isinstance(item, str)}
            open_verbs = {verb(item) for item in legal if not isinstance(item, str)}
            others = [text for text in sorted(seen) if text not in plain and verb(text) not in open_verbs]
            for text in others[:40] + [text for item in legal for text in beyond(item)]:
                with pytest.raises(ActionError) as caught:
                    state.do(seat, text)
                assert caught.value.legal == legal or not legal
                assert caught.value.detail
        for seat in (-1, seats, 1000):
            with pytest.raises(ActionError):
                state.do(seat, min(seen))
        assert canonical(state.to_json()) == before


@every_table
def test_several_actions_of_a_text_are_done_all_or_none(listing, seats):
    game = listing.game(None, seats)
    for state, seat, text in sample(game, most=60):
        if seat is None:
            continue
        before = canonical(state.to_json())
        with pytest.raises(CasinoError):
            state.do(seat, f"{text}; no such action")
        assert canonical(state.to_json()) == before
        once, joined = state.copy(), state.copy()
        once.do(seat, text)
        joined.do(seat, f" {text} ")
        assert canonical(once.to_json()) == canonical(joined.to_json())


@every_table
def test_after_the_end_every_action_is_refused_as_over(listing, seats):
    game = listing.game(None, seats)
    *_, (state, seat, _) = steps(game, SEED, Random(6))
    assert seat is None
    for text in sorted({text for _, _, text in steps(game, SEED, Random(6)) if text})[:5]:
        with pytest.raises(GameOver):
            state.do(0, text)


# The end


@every_table
def test_the_end_is_reached_by_playing_when_one_can(listing, seats):
    game = listing.game(None, seats)
    for number in range(3):
        *_, (state, _, _) = steps(game, bytes([number + 1]) * 32, Random(number))
        result = state.result()
        assert result is not None
        assert len(result.scores) == seats
        assert result.winners
        assert set(result.winners) <= set(range(seats))
        assert result.reason


# Chance and replays


@every_table
def test_replays_are_equal_and_do_not_depend_on_the_global_generator(listing, seats):
    random.seed(1)
    first = digest_of(listing, seats)
    random.seed(2)
    random.random()
    assert digest_of(listing, seats) == first


@every_table
def test_other_seeds_give_other_orders(listing, seats):
    game = listing.game(None, seats)
    orders = {tuple(Recorder(game, bytes([number]) * 32).record().shuffles) for number in range(4)}
    assert len(orders) == 4


def test_digests_are_equal_in_another_process():
    script = Path(__file__).with_name("digests.py")
    environment = {**os.environ, "PYTHONHASHSEED": "12345"}
    run = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=True, env=environment
    )
    mine = {
        name: hashlib.sha256(digest_of(listing, seats).encode()).hexdigest()
        for name, listing, seats in TABLES
    }
    assert json.loads(run.stdout) == mine


@every_table
def test_a_record_replays_exactly_and_round_trips_as_json_and_text(listing, seats):
    game = listing.game(None, seats)
    recorder = Recorder(game, SEED)
    rng = Random(7)
    for _ in range(200):
        if not recorder.state.awaited():
            break
        seat = rng.choice(recorder.state.awaited())
        recorder.do(seat, choose(game, recorder.state.legal_texts(seat), rng))
    record = recorder.record()
    assert record.shuffles, "the orders are kept"
    assert canonical(record.replay().to_json()) == canonical(recorder.state.to_json())
    assert Record.from_json(json.loads(json.dumps(record.to_json()))) == record
    assert Record.from_text(record.to_text()) == record
    assert record.build() == game


# States as JSON, copies


@every_table
def test_a_state_round_trips_as_json_and_plays_on_alike(listing, seats):
    game = listing.game(None, seats)
    for state, seat, text in sample(game):
        state.drain()
        stored = json.loads(json.dumps(state.to_json()))
        again = game.from_json(stored)
        assert canonical(again.to_json()) == canonical(stored)
        for viewer in (None, *range(seats)):
            assert again.view(viewer) == state.view(viewer)
        if seat is not None:
            twin = state.copy()
            twin.do(seat, text)
            again.do(seat, text)
            assert canonical(again.to_json()) == canonical(twin.to_json())
            assert [event.type for event in again.drain()] == [event.type for event in twin.drain()]


@every_table
def test_a_copy_is_independent(listing, seats):
    game = listing.game(None, seats)
    for state, seat, text in sample(game):
        if seat is None:
            continue
        before = canonical(state.to_json())
        twin = state.copy()
        assert canonical(twin.to_json()) == before
        twin.do(seat, text)
        assert canonical(state.to_json()) == before


# Views


@every_table
def test_a_view_is_json_and_holds_the_legal_actions_of_its_seat(listing, seats):
    game = listing.game(None, seats)
    for state, _, _ in sample(game):
        for seat in range(seats):
            view = state.view(seat)
            assert json.loads(json.dumps(view)) == view
            assert view["legal"] == state.legal_texts(seat)
        assert not state.view(None).get("legal")


@every_table
def test_a_world_drawn_from_a_view_has_that_view(listing, seats):
    game = listing.game(None, seats)
    rng = Random(8)
    for state, _, _ in sample(game):
        for seat in range(seats):
            view = state.view(seat)
            world = game.world(json.loads(json.dumps(view)), rng)
            assert world.view(seat) == view
            assert world.legal(seat) == state.legal(seat), "equal views, equal legal actions"


@every_table
def test_errors_tell_a_seat_nothing_that_its_view_does_not(listing, seats):
    game = listing.game(None, seats)
    rng = Random(9)
    seen = sorted({text for _, _, text in steps(game, SEED, Random(5), most=200, lively=False) if text})[:25]
    for state, _, _ in sample(game):
        for seat in range(seats):
            worlds = [game.world(state.view(seat), rng) for _ in range(2)]
            for text in seen:
                assert refusal(worlds[0], seat, text) == refusal(worlds[1], seat, text)


def refusal(world, seat, text):
    """What a seat is told that tries this; None if it may."""
    try:
        world.copy().do(seat, text)
    except ActionError as error:
        return error.detail, error.legal, error.pointer, error.reason
    return None


# The catalogue


@pytest.mark.parametrize("name", NAMES)
def test_a_listing_is_complete_and_its_defaults_keep_its_schema(name):
    listing = find(name)
    game = listing.game()
    properties = listing.schema["properties"]
    assert list(properties) == list(game.options)
    for option, schema in properties.items():
        assert schema["description"]
        assert schema["x-source"]
        assert schema["default"] == game.options[option]
    check_changes(type(game.rules), game.options, "")
    assert listing.min_seats <= listing.default_seats <= listing.max_seats
    assert listing.title
    assert listing.source
    assert all(listing.actions.values())
    assert game.family == listing.family
    assert PASSIVE[listing.family] is not None


@pytest.mark.parametrize("name", NAMES)
def test_a_game_is_equal_to_itself_and_known_by_its_rules(name):
    listing = find(name)
    same, other = listing.game(), listing.game(None, listing.max_seats)
    assert listing.game() == same
    assert hash(listing.game()) == hash(same)
    assert same.rules_hash == other.rules_hash
    assert len(same.rules_hash) == 64
    if listing.max_seats != listing.default_seats:
        assert same != other


@pytest.mark.parametrize("name", NAMES)
def test_unknown_options_and_impossible_seats_are_refused_by_place(name):
    listing = find(name)
    with pytest.raises(RulesError) as caught:
        listing.game({"no_such_option": 1})
    assert caught.value.pointer == "/options/no_such_option"
    for seats in (listing.min_seats - 1, listing.max_seats + 1):
        with pytest.raises(RulesError) as caught:
            listing.game(None, seats)
        assert caught.value.pointer == "/seats"


def test_an_unknown_game_is_refused_with_the_names_there_are():
    with pytest.raises(UnknownGame) as caught:
        find("no such game")
    assert all(name in caught.value.detail for name in NAMES)
    assert len(set(NAMES)) == len(NAMES)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "text", ["", " ", "x", "stake", "stake x", "play", "play 1S", "9" * 5000, "\x00", "🂡", "draw draw draw"]
)
def test_a_text_that_is_no_action_is_refused_as_notation(name, text):
    with pytest.raises(NotationError):
        find(name).game().parse(text)
