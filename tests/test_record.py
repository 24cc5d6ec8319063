"""Records: replayed exactly, with the orders of their cards; JSON and text that are read back; faults told by place."""

import json
from dataclasses import replace

import pytest

from casino.catalogue import find
from casino.errors import CasinoError, NotationError, RecordError, RulesError, UnknownGame
from casino.match import match_of
from casino.record import Record, Recorder, Shuffle, play

SEED = b"seed of a record"


@pytest.fixture
def record():
    """A bank of the house's game: three coups at seat 0 and the bank closed."""
    game = find("house").game().arranged({"bank": "house", "banks": 1})
    recorder = Recorder(game, SEED)
    recorder.do(0, "seed 0badcafe")
    recorder.do(1, "bank 500")
    while recorder.state.coups < 3 or recorder.state.phase == "play":
        recorder.do(0, "stake 10" if recorder.state.phase == "stakes" else "stand")
    recorder.do(1, "close")
    assert recorder.state.result() is not None
    return recorder.record()


def test_a_record_holds_all_rules_the_setup_and_the_orders(record):
    assert record.game == "house"
    assert record.options == find("house").game().options
    assert record.setup == {"bank": "house", "banks": 1, "purse": 10_000}
    assert [(made.after, len(made.cards)) for made in record.shuffles] == [(3, 104)], (
        "shuffled at the first stake"
    )
    assert record.replay().result().reason == "banks"


def test_a_record_does_not_change_with_the_presets(record):
    """All rules are written down, so a default that is changed later changes no old record."""
    changed = replace(record, options={**record.options, "natural_pays": {"9": 1, "8": 1, "7": 1}})
    assert changed.build().rules != record.build().rules
    assert changed.replay().game.options["natural_pays"] == {"9": 1, "8": 1, "7": 1}


def test_json_and_text_are_read_back(record):
    assert Record.from_json(json.loads(json.dumps(record.to_json()))) == record
    text = record.to_text()
    assert Record.from_text(text) == record
    assert Record.from_text("# a comment\n\n" + text.replace("\n", "\n\n") + "# the end") == record
    lines = text.splitlines()
    assert lines[:4] == ["macao record 1", "game house", "seats 2", f"seed {SEED.hex()}"]
    at = lines.index("1 bank 500")
    assert lines[at - 1] == "0 seed 0badcafe"
    assert lines[at + 1].startswith("0 stake")
    assert lines[at + 2].startswith("shuffle "), "the order stands where it was shuffled"


def test_a_refused_action_is_not_noted():
    recorder = Recorder(find("house").game(), SEED)
    with pytest.raises(CasinoError):
        recorder.do(0, "stand")
    assert recorder.record().actions == ()


def test_another_order_of_cards_is_found(record):
    cards = list(record.shuffles[0].cards)
    cards[40], cards[41] = cards[41], cards[40]
    assert cards[40] != cards[41]
    for shuffles, pointer in (
        ([Shuffle(3, tuple(cards))], "/shuffles/0"),
        ([Shuffle(2, record.shuffles[0].cards)], "/shuffles/0"),
        ([], "/shuffles"),
        ([*record.shuffles, *record.shuffles], "/shuffles"),
    ):
        with pytest.raises(RecordError) as caught:
            replace(record, shuffles=tuple(shuffles)).replay()
        assert caught.value.pointer == pointer


def test_another_seed_or_action_is_found(record):
    with pytest.raises(RecordError):
        replace(record, seed=b"another").replay()
    actions = list(record.actions)
    actions[2] = (0, "stake 4")
    with pytest.raises(RecordError) as caught:
        replace(record, actions=tuple(actions)).replay()
    assert caught.value.pointer == "/actions/2"
    assert "stake 4" in caught.value.detail


def test_a_match_is_recorded_like_a_game():
    match = match_of(find("peklo").game(None, 3), {"deals": 2})
    recorder = Recorder(match, SEED)
    while recorder.state.awaited():
        seat = recorder.state.awaited()[0]
        recorder.do(seat, recorder.state.legal_texts(seat)[0])
    record = recorder.record()
    assert len(record.shuffles) == 2, "each deal has its own"
    assert record.build() == match
    assert record.replay().result() == recorder.state.result()
    assert Record.from_text(record.to_text()) == record


def test_play_writes_down_what_it_plays():
    game = find("russian-even").game()
    banker = game.start(SEED).banker
    record = play(game, SEED, [(banker, "bank 300"), (1 - banker, "stake 5")])
    assert record.replay().bank == 295
    assert record.actions == ((banker, "bank 300"), (1 - banker, "stake 5"))


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"version": 2}, "/version"),
        ({"game": 7}, "/game"),
        ({"options": []}, "/options"),
        ({"seats": "2"}, "/seats"),
        ({"seed": "0x"}, "/seed"),
        ({"actions": [[0]]}, "/actions/0"),
        ({"actions": [["0", "stand"]]}, "/actions/0/0"),
        ({"actions": [[0, 5]]}, "/actions/0/1"),
        ({"shuffles": [{"after": 0}]}, "/shuffles/0/cards"),
        ({"shuffles": [{"after": 0, "cards": "9H 1X"}]}, "/shuffles/0/cards"),
        ({"note": ""}, "/note"),
    ],
)
def test_what_is_no_record_is_refused_by_place(record, change, pointer):
    with pytest.raises(NotationError) as caught:
        Record.from_json({**record.to_json(), **change})
    assert caught.value.pointer == pointer
    for data in (None, [], "x", {}):
        with pytest.raises(NotationError):
            Record.from_json(data)


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("macao record 1", "macao record 9", 1),
        ("seats 2", "seats two", None),
        ("game house", "name house", 2),
        ("option decks 2", "option decks two", 6),
        ("option decks 2", "option decks 2\noption decks 2", 7),
        ("option decks 2", "option decks 1\n\noption decks 2", 8),
        ("1 bank 500", "one bank 500", None),
        ("seats 2", "seats 2\nseats 3", 4),
        ("shuffle ", "shuffle 99 ", None),
        (f"seed {SEED.hex()}\n", "", 1),
    ],
)
def test_a_line_that_says_nothing_is_named(record, old, new, line):
    text = record.to_text()
    assert old in text
    with pytest.raises(NotationError) as caught:
        Record.from_text(text.replace(old, new, 1))
    assert line is None or caught.value.pointer == f"/{line}"


def test_an_option_that_is_given_twice_is_named_with_its_line(record):
    """Neither the first nor the last is taken silently."""
    twice = record.to_text().replace("option ties ", 'option ties "push"\noption ties ', 1)
    wanted = twice.splitlines().index('option ties "push"') + 2
    with pytest.raises(NotationError) as caught:
        Record.from_text(twice)
    assert caught.value.detail == f"line {wanted}: «option ties» stands in a line above already: give it once"
    assert caught.value.pointer == f"/{wanted}"


def test_a_record_of_no_game_or_of_other_rules_is_refused(record):
    with pytest.raises(UnknownGame):
        replace(record, game="no game").build()
    with pytest.raises(RulesError) as caught:
        replace(record, options={**record.options, "decks": 9}).build()
    assert caught.value.pointer == "/options/decks"
    with pytest.raises(RulesError) as caught:
        replace(record, setup={"bank": "mine"}).build()
    assert caught.value.pointer == "/setup/bank"
    peklo = play(find("peklo").game(), SEED, [])
    with pytest.raises(RulesError):
        replace(peklo, setup={"bank": "house"}).build()
