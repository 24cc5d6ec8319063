"""Rules as data: unsound tables are refused with the reason, sound ones run whatever they are."""

import json
import re
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from layouts import NAMES, all_cards, at_random, when_one_can

from casino.cards import NAMES as FACES
from casino.catalogue import find
from casino.errors import RulesError
from casino.shedding.patterns import ALL, mask, spelled
from casino.shedding.rules import Rules
from casino.shedding.tables import compiled
from casino.shedding.variants import VARIANTS

PACKAGE = Path(__file__).parents[2] / "casino" / "shedding"


# Nothing of a variant outside variants.py


def test_no_variant_is_named_outside_the_data():
    names = "|".join(re.escape(name) for name in NAMES)
    found = [
        (path.name, line)
        for path in sorted(PACKAGE.glob("*.py"))
        if path.name != "variants.py"
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(rf'["\'](?:{names})["\']', line)
        or re.search(r"\b(?:if|elif|match|case)\b.*\bvariant\b(?!\.)", line)
    ]
    assert found == []


def test_the_engine_speaks_of_no_variant_at_all():
    for name in ("engine", "turns", "laying", "packets", "menus", "calls", "ending", "deal", "tables"):
        code = (PACKAGE / f"{name}.py").read_text(encoding="utf-8").lower()
        for word in ("hungarian", "romanian", "aviv", "plawno", "pławno", "russian", "championship"):
            assert word not in code, (name, word)


def test_modules_and_functions_are_short():
    for path in PACKAGE.glob("*.py"):
        lines = path.read_text(encoding="utf-8").splitlines()
        assert len(lines) <= 400, path.name


@pytest.mark.parametrize("name", NAMES)
def test_every_variant_cites_its_text(name):
    assert re.match(r"(Spanish|Romanian|Russian) text, «", VARIANTS[name].source)


# Options as JSON


@pytest.mark.parametrize("name", NAMES)
def test_the_full_record_is_accepted_as_options_again(name):
    for options in ({}, {"rank_packets": True}, {"sevens_own_suit_wild": True}, {"cross_draw_stack": True}):
        try:
            game = find(name).game(options)
        except RulesError:
            continue
        again = find(name).game(json.loads(json.dumps(game.options)))
        assert again == game
        assert again.rules_hash == game.rules_hash


@pytest.mark.parametrize(
    ("name", "option", "spellings"),
    [
        # A pattern means a set: neither the order nor the spaces nor the choice of words mean anything.
        ("russian-104", "doubling", ["7 8", "8 7", "7  8", " 8 7 7 ", "7S 7H 7D 7C 8", "7-8"]),
        ("russian-104", "wild", ["9 A", "A 9", "9  A"]),
        ("russian-104", "doubling", ["H", "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH"]),
        ("russian-104", "doubling", ["*", "2-A", "S H D C", "A 2-K", "* 7 KH"]),
        ("russian-104", "doubling", ["BJ RJ", "RJ BJ", "Jk", "Jk RJ"]),
        ("russian-104", "doubling", ["", "  "]),
        ("hungarian", "callable", ["5-T Q", "Q 5-T", "5 6 7 8-T Q"]),
    ],
)
def test_rules_have_one_hash_however_a_pattern_is_spelled(name, option, spellings):
    games = [find(name).game({option: text}) for text in spellings]
    assert {game.rules_hash for game in games} == {games[0].rules_hash}
    assert len({game.options[option] for game in games}) == 1


def test_patterns_within_records_are_brought_to_one_spelling():
    own = find("hungarian").game()
    told = own.options
    answers = [{"on": "QH  KH KS", "by": "KH KS QH"}]
    points = [{"cards": "T  3 2", "points": 5}]
    powers = [{**power, "cards": "BJ RJ"} if power["cards"] == "Jk" else power for power in told["powers"]]
    assert find("hungarian").game({"answers": answers, "powers": powers}).rules_hash == own.rules_hash
    assert find("hungarian").game({"points": points}).options["points"] == [{"cards": "2 3 T", "points": 5}]
    with pytest.raises(RulesError, match="«ZZ» means no cards") as caught:
        find("hungarian").game({"points": [*points, {"cards": "ZZ", "points": 1}]})
    assert caught.value.pointer == "/options/points/1/cards"


@pytest.mark.parametrize("name", NAMES)
def test_a_variant_keeps_its_own_spelling_and_hash(name):
    """Given in full to any other variant too."""
    own = VARIANTS[name].rules
    for other in NAMES:
        game = find(other).game(own.to_json(), 2)
        assert (game.options, game.rules_hash) == (own.to_json(), own.hash)


@given(st.integers(0, ALL), st.randoms(use_true_random=False))
def test_a_spelled_set_is_that_set(cards, order):
    """Whatever the set; and of any spelling of it the same comes."""
    assert mask(spelled(cards)) == cards
    words = [name for card, name in enumerate(FACES) if cards >> card & 1]
    order.shuffle(words)
    assert spelled(mask("  ".join(words))) == spelled(cards)


def test_sets_are_spelled_by_ranks_suits_cards_and_jokers():
    for text in ("", "*", "Jk", "* BJ", "2 3", "2-4", "5-T Q", "7 H", "A KS KH", "S H 2D Jk"):
        assert sorted(spelled(mask(text)).split()) == sorted(text.split()), text


def test_switches_are_refused_elsewhere_and_beside_what_they_set():
    for game, options, pointer in (
        ("romanian", {"championship": True}, "championship"),
        ("plawno", {"championship": True, "end": "third_out_of_five"}, "championship"),
        ("hungarian", {"inherit_hungarian": True}, "inherit_hungarian"),
    ):
        with pytest.raises(RulesError) as caught:
            find(game).game(options)
        assert caught.value.pointer == f"/options/{pointer}"


# Patterns


def test_patterns():
    assert mask("2S") == 1
    assert mask("2") == 0b1111
    assert mask("H") == sum(1 << card for card in range(1, 52, 4))
    assert mask("5-T").bit_count() == 24
    assert mask("*").bit_count() == 52
    assert mask("Jk BJ RJ") == 0b11 << 52
    assert mask("") == 0


@pytest.mark.parametrize("pattern", ["1", "10", "T-5", "5-", "X", "2s", "QB", "2-K-A", "5-5", "jk"])
def test_a_pattern_that_means_nothing_is_refused(pattern):
    with pytest.raises(RulesError) as caught:
        find("russian-104").game({"wild": f"9 {pattern}"})
    assert caught.value.pointer == "/options/wild"


# Unsound tables


@pytest.mark.parametrize(
    ("game", "options", "pointer", "reason"),
    [
        (
            "russian-104",
            {"powers": [{"cards": "2", "draw": 2}, {"cards": "2H"}]},
            "powers/1/cards",
            "already",
        ),
        ("russian-104", {"powers": [{"cards": "2 3", "draw": 2, "skip": 1}]}, "powers/0", "not both"),
        (
            "tel-aviv",
            {"powers": [{"cards": "2 3", "draw": 2}, {"cards": "5", "again": True, "draw": 1}]},
            "powers/1",
            "follow",
        ),
        (
            "russian-104",
            {"powers": [{"cards": "2 3", "draw": 2, "choose": True, "back": True}]},
            "powers/0",
            "chosen",
        ),
        ("plawno", {"powers": [{"cards": "4", "skip": 1, "reverse": True}]}, "powers/0", "round"),
        (
            "russian-104",
            {"powers": [{"cards": "2 3S", "draw": 2}, {"cards": "3H", "skip": 1}]},
            "powers",
            "packet",
        ),
        ("russian-104", {"powers": [{"cards": "2", "draw": 2}]}, "draw_cards", "makes nobody draw"),
        ("russian-104", {"answers": [{"on": "9", "by": "2"}]}, "answers/0/on", "no penalty ever stands"),
        ("russian-104", {"answers": [{"on": "2", "by": "9"}]}, "answers/0/by", "nothing says what"),
        ("hungarian", {"answers": [{"on": "2", "by": "4"}]}, "answers/0/by", "opens something else"),
        ("hungarian", {"skip_answers": "4 5"}, "skip_answers", "makes nobody lose turns"),
        ("russian-104", {"jokers": 1}, "jokers", "could never be laid"),
        ("romanian", {"named_jokers": True}, "named_jokers", "not wild"),
        (
            "romanian",
            {"jokers": 0, "rank_packets": True, "jokers_in_draw_packets": True},
            "jokers_in_draw_packets",
            "no jokers",
        ),
        ("tel-aviv", {"wild": "A Q 5"}, "suit_only", "cannot also need the suit"),
        ("tel-aviv", {"specials_wild": True}, "suit_only", "cannot also need the suit"),
        (
            "romanian",
            {"powers": [{"cards": "2-A", "draw": 2}], "answers": []},
            "first_card",
            "none could be turned",
        ),
        ("hungarian", {"callable": "5S"}, "callable", "not single cards"),
        ("hungarian", {"callable": ""}, "callable", "which ranks"),
        ("russian-104", {"wild": "9 A 7", "sevens_own_suit_wild": True}, "sevens_own_suit_wild", "as it is"),
        ("russian-104", {"powers": [{"cards": "2 3", "strike": 2}]}, "powers/0/strike", "unknown"),
        ("russian-104", {"powers": [{"draw": 2}]}, "powers/0/cards", "missing"),
        ("russian-104", {"packs": 9}, "packs", "must be"),
        ("russian-104", {"voluntary_draw": 1}, "voluntary_draw", "must be of type boolean"),
    ],
)
def test_an_impossible_table_is_refused_with_the_reason(game, options, pointer, reason):
    with pytest.raises(RulesError) as caught:
        find(game).game(options)
    assert caught.value.pointer == f"/options/{pointer}"
    assert reason in caught.value.detail


# Rules at random

CARDS = ["2", "3", "4", "5", "7", "9", "J", "QH", "QS", "K", "KS KC", "KH", "A", "Jk", "BJ", "T-J"]
WORDS = st.lists(st.sampled_from(CARDS), max_size=3).map(" ".join)
FLAG = st.booleans()
POWERS = st.lists(
    st.fixed_dictionaries(
        {"cards": st.sampled_from(CARDS)},
        optional={
            "draw": st.integers(0, 6),
            "adds": st.integers(0, 6),
            "back": FLAG,
            "skip": st.integers(0, 2),
            "over": st.integers(0, 2),
            "cancel": FLAG,
            "pass_on": FLAG,
            "reverse": FLAG,
            "choose": FLAG,
            "again": FLAG,
            "names": st.sampled_from(["suit", "rank"]),
            "free": FLAG,
            "held": FLAG,
            "new": FLAG,
        },
    ),
    max_size=5,
)
PAIRS = st.lists(st.fixed_dictionaries({"on": WORDS, "by": WORDS}), max_size=2)


def _strategy(name, schema):
    if name in ("powers", "answers", "lays_on", "points"):
        return {"powers": POWERS, "answers": PAIRS, "lays_on": PAIRS}.get(name, st.just([]))
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if schema.get("type") == "boolean":
        return FLAG
    if schema.get("type") == "string":
        return WORDS
    low, high = schema.get("minimum", 1), min(schema.get("maximum", 9), 9)
    return st.integers(low, high) if low <= high else st.just(low)


OPTIONS = {
    name: _strategy(name, item.metadata["schema"])
    for name, item in Rules.__dataclass_fields__.items()
    if name not in ("packs", "target", "turn_limit", "inherit_hungarian", "championship")
}
CHANGES = st.sets(st.sampled_from(sorted(OPTIONS)), max_size=5).flatmap(
    lambda names: st.fixed_dictionaries({name: OPTIONS[name] for name in sorted(names)})
)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(name=st.sampled_from(NAMES), changes=CHANGES, seats=st.integers(2, 5), seed=st.integers(0, 10**6))
def test_sound_rules_run_and_unsound_ones_are_refused(name, changes, seats, seed):
    """Either a reason with its place, or a game that ends with every card still there."""
    try:
        game = find(name).game({**changes, "turn_limit": 15}, seats)
    except RulesError as error:
        refusal = error
    else:
        refusal = None
    event("refused" if refusal else "played")
    if refusal:
        assert refusal.detail
        assert refusal.pointer.startswith("/options/")
        return
    rng = Random(seed)
    state = game.start(rng.randbytes(32))
    cards = all_cards(state)
    count = 0
    while state.awaited():
        player = at_random if count % 3 else when_one_can
        seat = rng.choice(state.actors()) if count % 5 == 0 else state.awaited()[0]
        assert state.legal(seat) == sorted(set(state.legal(seat)))
        state.apply(seat, player(state, seat, rng))
        assert all_cards(state) == cards
        count += 1
        if count % 10 == 0:
            again = game.from_json(json.loads(json.dumps(state.to_json())))
            assert again.to_json() == state.to_json()
            assert [again.legal(who) for who in range(seats)] == [state.legal(who) for who in range(seats)]
            viewer = count % seats
            assert game.world(state.view(viewer), rng).view(viewer) == state.view(viewer)
        assert count < 20_000
    assert state.result().winners


def test_equal_rules_share_their_tables():
    one, other = find("romanian").game(None, 2), find("romanian").game(None, 3)
    assert one.tables is other.tables is compiled(one.rules)
