"""Rules are generated as well as moves: what holds at every table of every sound rule set, and what is refused."""

import json
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from referee import check_hands, nets
from tables import chips

from casino.banking.presets import PRESETS
from casino.banking.rules import build
from casino.bots import RandomBot
from casino.bots.banking import BankingBot
from casino.cards import pack
from casino.catalogue import find
from casino.errors import RulesError
from casino.record import Record, Recorder

MULTIPLES = st.integers(1, 5)
DISCARDS = st.sampled_from(["none", "dealt", "drawn", "both"])
TABLEAUX = st.lists(st.text("DSF", min_size=11, max_size=11), min_size=10, max_size=10)
OPTIONS = {
    "decks": st.integers(1, 3),
    "max_punters": st.integers(1, 9),
    "first_cards": st.integers(1, 2),
    "max_draws": st.integers(0, 1),
    "stake_limits": st.builds(
        lambda low, count, step: {"min": low, "max": low + count * step, "step": step},
        st.integers(1, 60),
        st.integers(0, 20),
        st.integers(1, 7),
    ),
    "bank_limits": st.builds(
        lambda low, more: {"min": low, "max": low + more}, st.integers(1, 400), st.integers(0, 3000)
    ),
    "bank_topup": st.booleans(),
    "seats_change": st.sampled_from(["coup", "bank", "round"]),
    "seating": st.sampled_from(["chosen", "drawn"]),
    "banker_peeks": st.booleans(),
    "exposed": st.sampled_from(["never", "on_turn", "dealt"]),
    "punter_draw": st.lists(st.sampled_from(["free", "draw", "stand"]), min_size=10, max_size=10),
    "shared_hand": st.booleans(),
    "banker_draw": st.one_of(
        st.sampled_from(["never", "free"]),
        st.builds(lambda limit: {"upto": limit}, st.integers(0, 9)),
        st.builds(lambda rows: {"tableau": rows}, TABLEAUX),
    ),
    "draw_face_up": st.booleans(),
    "punter_discards": DISCARDS,
    "banker_discards": DISCARDS,
    "natural_after_discard": st.booleans(),
    "natural_pays": st.dictionaries(st.sampled_from("789"), MULTIPLES),
    "natural_takes": st.dictionaries(st.sampled_from("789"), MULTIPLES),
    "ties": st.sampled_from(["push", "banker"]),
    "tie_takes": st.dictionaries(st.sampled_from("0123456789"), MULTIPLES),
    "tie_takes_on": st.sampled_from(["points", "banker_natural", "punter_natural"]),
    "banker_natural_ends": st.lists(st.sampled_from([7, 8, 9]), unique=True),
    "punter_natural_ends": st.lists(st.sampled_from([7, 8, 9]), unique=True),
    "commission": st.sampled_from(["0", "1/20", "0.05"]),
    "exhaustion": st.sampled_from(["reserve", "stand", "reshuffle"]),
}
CHANGES = st.fixed_dictionaries({}, optional=OPTIONS)
EVENTS = frozenset(  # table.md, «Events», but for those that only a server tells
    [
        "seated",
        "left",
        "bank",
        "declined",
        "seed",
        "topped",
        "staked",
        "sat_out",
        "dealt",
        "discarded",
        "drew",
        "stood",
        "shuffled",
        "shown",
        "settled",
        "voided",
        "bank_over",
    ]
)
PRESET = st.sampled_from(sorted(PRESETS))
QUICK = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)


def contradictions(options):
    """The options at fault in a record, worked out from the page of rules."""
    found = set()
    if options["first_cards"] == 2:
        found |= {name for name in ("punter_discards", "banker_discards") if options[name] != "none"}
    rule = options["banker_draw"]
    tableau = isinstance(rule, dict) and "tableau" in rule
    if tableau and not options["draw_face_up"]:
        found.add("banker_draw")
    if options["banker_natural_ends"] and not options["banker_peeks"]:
        found.add("banker_natural_ends")
    if options["commission"] != "0" and not (options["shared_hand"] and options["first_cards"] == 2):
        found.add("commission")
    draws = options["max_draws"] and rule != "never"
    banker_draws = draws and not (tableau and set("".join(rule["tableau"])) == {"S"})
    hands = 1 if options["shared_hand"] else options["max_punters"]
    cards = (
        hands * (options["first_cards"] + options["max_draws"]) + options["first_cards"] + bool(banker_draws)
    )
    if cards > 52 * options["decks"]:
        found.add("max_punters")
    payout = max([1, *options["natural_pays"].values()])
    if options["bank_limits"]["max"] < options["stake_limits"]["min"] * payout:
        found.add("bank_limits")
    return found


@settings(max_examples=300, deadline=None)
@given(preset=PRESET, changes=CHANGES)
def test_a_contradiction_is_refused_with_its_option_and_everything_else_is_taken(preset, changes):
    merged = {**PRESETS[preset][1], **changes}
    wrong = contradictions(merged)
    if not wrong:
        assert build(PRESETS[preset][1], changes).to_json() == {
            **merged,
            "banker_natural_ends": sorted(merged["banker_natural_ends"]),
            "punter_natural_ends": sorted(merged["punter_natural_ends"]),
            "commission": {"0": "0", "1/20": "1/20", "0.05": "1/20"}[merged["commission"]],
        }
        return
    with pytest.raises(RulesError) as caught:
        build(PRESETS[preset][1], changes, "/options")
    assert caught.value.pointer.removeprefix("/options/") in wrong
    assert len(caught.value.detail) > 20


POLICY = st.one_of(
    st.sampled_from(["stand", "textbook", "threshold:5", "threshold:9"]),
    st.builds(
        lambda draw, dealt, drawn: {"draw_on": draw, "discard_dealt": dealt, "discard_drawn": drawn},
        st.lists(st.integers(0, 9), unique=True),
        st.booleans(),
        st.booleans(),
    ),
)


@st.composite
def sound_games(draw):
    """A game of sound rules at a table that they take."""
    preset, changes = draw(PRESET), draw(CHANGES)
    merged = {**PRESETS[preset][1], **changes}
    for name in contradictions(merged):
        changes[name] = PRESETS[preset][1][name]
    if contradictions({**merged, **changes}):
        changes = {}
    rules = build(PRESETS[preset][1], changes)
    lone = rules.uses_tableau and not rules.shared_hand
    seats = draw(st.integers(2, 2 if lone else rules.max_punters + 1))
    setup = {"bank": draw(st.sampled_from(["rotates", "house"])), "banks": draw(st.integers(0, 3))}
    return find(preset).game(changes, seats).arranged({**setup, "purse": draw(st.integers(0, 6000))})


def cards(state):
    """Every card of the bank, wherever it is."""
    held = state.coup.kept() if state.coup is not None else []
    return sorted([*state.shoe.order[state.shoe.at :], *state.shoe.aside(held), *held])


def check_state(state, total):
    assert chips(state) == total, "chips are conserved"
    assert min([*state.purses, state.bank, *state.escrow]) >= 0, "nobody owes anything"
    plan = state.game.plan
    assert state.escrow == [stake * (plan.worst_loss + plan.worst_payout) for stake in state.stakes]
    if state.shoe is not None:
        assert cards(state) == sorted(pack(state.game.rules.decks)), "cards are conserved"


@QUICK
@given(
    game=sound_games(),
    policies=st.lists(POLICY, min_size=10, max_size=10),
    seed=st.binary(min_size=1, max_size=40),
    wild=st.booleans(),
)
def test_whole_tables(game, policies, seed, wild):
    """Chips and cards after every action, every settlement against a second writing of the rules, replays."""
    recorder = Recorder(game, seed)
    state, total = recorder.state, game.purse * game.seats
    random_bot = RandomBot(Random(seed))
    bots = [BankingBot(game.rules, policy, banker_policy=policy) for policy in policies]
    options = game.options
    for _ in range(250):
        check_state(state, total)
        if not state.awaited():
            break
        seat = state.awaited()[-1]
        recorder.do(seat, (random_bot if wild else bots[seat]).choose(state.view(seat)))
        for event in state.drain():
            assert event.type in EVENTS
            if event.type == "settled":
                check_settled(options, event.data)
    assert sum(state.totals) == 0
    replay(recorder)


def check_settled(options, report):
    assert report["net"] == nets(options, report)
    stakes, punters = report["stakes"], [s for s in range(len(report["net"])) if s != report["banker"]]
    assert [report["chips"][seat] for seat in punters] == [
        stakes[seat] * report["net"][seat] for seat in punters
    ]
    assert sum(report["chips"]) == 0
    if options["exhaustion"] != "stand":
        check_hands(options, report)


def replay(recorder):
    record = recorder.record()
    assert Record.from_text(record.to_text()) == record
    again = record.replay()
    assert again.to_json() == recorder.state.to_json()
    stored = json.loads(json.dumps(again.to_json()))
    assert recorder.game.from_json(stored).to_json() == stored


@QUICK
@given(game=sound_games(), seed=st.binary(min_size=1, max_size=40), choices=st.integers(0, 2**32).map(Random))
def test_worlds_of_any_rules(game, seed, choices):
    """A world has the view it was drawn from, whatever the rules conceal."""
    state, bot = game.start(seed), RandomBot(choices)
    for _ in range(60):
        if not state.awaited():
            break
        seat = state.awaited()[0]
        state.do(seat, bot.choose(state.view(seat)))
        viewer = choices.choice([None, *range(game.seats)])
        view = state.view(viewer)
        world = game.world(view, choices)
        assert world.view(viewer) == view
        if world.shoe is not None:
            assert cards(world) == sorted(pack(game.rules.decks))


@QUICK
@given(game=sound_games(), seed=st.binary(min_size=1, max_size=20), choices=st.integers(0, 2**32).map(Random))
def test_seats_that_come_and_go(game, seed, choices):
    """Joining and leaving at any moment: chips add up, and whoever stays is never stuck."""
    game = game.arranged({"banks": None})
    state = game.open([game.purse] * game.seats, [choices.random() < 0.7 for _ in range(game.seats)])
    total = chips(state)
    bot, banks = RandomBot(choices), 0
    for _ in range(120):
        if state.needs_seed:
            banks += 1
            state.provide(seed, "tbl", f"bnk_{banks}")
        total += come_or_go(state, choices)
        check_state(state, total)
        if state.phase == "over":
            assert state.reason == "declined"
            break
        if not state.awaited():
            assert state.needs_seed or state.waiting or state.phase == "lot", "nobody may move, and why?"
            free = [seat for seat, taken in enumerate(state.occupied) if not taken]
            assert state.needs_seed or all(map(state.may_change, free)), "who comes may end the wait"
            continue
        seat = choices.choice(state.awaited())
        if state.phase == "bank" and game.bank == "house":
            total += 4000 - state.purses[seat]
            state.set_purse(seat, 4000)
        state.do(seat, bot.choose(state.view(seat)))
    for seat in range(game.seats):
        assert not (state.leaving[seat] and not state.occupied[seat])


def come_or_go(state, choices):
    """Somebody may sit down, get up, or be given chips; what the chips of the table change by."""
    seat = choices.randrange(state.game.seats)
    house = state.game.bank == "house" and seat == state.game.seats - 1
    if choices.random() > 0.3 or house:
        return 0
    if state.occupied[seat]:
        state.leave(seat)
        return 0
    if state.may_change(seat) and state.phase != "over":
        before, purse = state.purses[seat], choices.randrange(3000)
        state.join(seat, purse)
        return purse - before
    return 0
