"""The kernels against sessions played one by one in plain Python, and their draws against the probabilities."""

import random
from fractions import Fraction

import numpy as np
import pytest

from analysis import session_kernels as kernel
from analysis import xoshiro
from analysis.chunks import _Player
from analysis.coups import CELL_BITS, EMPTY, coup_table
from analysis.experiment import Experiment, Turns
from analysis.outcomes import Outcomes
from analysis.staking import Player, Staking
from analysis.stops import REASONS, Stops
from analysis.systems import StakeLimits
from analysis.tally import EXACT_BELOW, _product, lower_edge, width

MASK = 2**64 - 1
GAME = Outcomes.parse("3:0.07,2:0.06,1:0.40,0:0.05,-1:0.30,-2:0.05,-3:0.07")
BANKER = Outcomes.parse("6:0.05,2:0.25,0:0.25,-2:0.4,-4:0.05")
SYSTEMS = [
    {"system": "flat", "unit": 10},
    {"system": "flat", "unit": 20},
    {"system": "proportional", "fraction": "1/30"},
    {"system": "kelly", "share": "1/2"},
    {"system": "martingale", "unit": 10, "doublings": 4},
    {"system": "paroli", "unit": 10},
    {"system": "dalembert", "unit": 10},
    {"system": "fibonacci", "unit": 10},
    {"system": "labouchere", "unit": 10},
    {"system": "oscar", "unit": 10},
    {"system": "1-3-2-6", "unit": 10},
    {"system": "table", "stakes": [10, 50, 30], "on_loss": [1, 2, 0], "on_win": [2, 0, 1]},
]


class Stream:
    """xoshiro256++ in plain integers, from the state that the kernel starts a session with."""

    def __init__(self, base, index):
        self.state = [int(word) & MASK for word in xoshiro.start(base, index)]

    def word(self):
        a, b, c, d = self.state
        total = (a + d) & MASK
        word = (((total << 23) | (total >> 41)) + a) & MASK
        c, d = c ^ a, d ^ b
        b, a = b ^ c, a ^ d
        c ^= (self.state[1] << 17) & MASK
        self.state = [a, b, c, ((d << 45) | (d >> 19)) & MASK]
        return word


def block(table, stream, side):
    """The nets of the next block."""
    rows, shift = len(table.limits) // (len(table.cells) >> CELL_BITS), int(table.shift)
    word = stream.word()
    found = int(table.cells[(side << CELL_BITS) + (word >> 64 - CELL_BITS)])
    if found == EMPTY:
        word = stream.word()
        found = word >> shift
        if word & ((1 << shift) - 1) >= int(table.limits[side * rows + found]):
            found = int(table.aliases[side * rows + found])
    return table.digits[side * rows + found].tolist()


def reason_of(exp, held, peak, losses, wins, played):
    stops = exp.stops
    if held < exp.plan.least_bankroll:
        return "ruin"
    if played < stops.not_before:
        return None
    at_end = stops.bank_coups and played % stops.bank_coups == 0
    if stops.wait and not at_end:
        return None
    tests = {
        "target": exp.stops.ceiling(exp.bankroll) and held >= exp.stops.ceiling(exp.bankroll),
        "loss": stops.loss and held <= exp.bankroll - stops.loss,
        "drawdown": stops.drawdown and peak - held >= stops.drawdown,
        "losing_streak": stops.losing_streak and losses >= stops.losing_streak,
        "winning_streak": stops.winning_streak and wins >= stops.winning_streak,
        "bank": stops.banks and at_end and played >= stops.banks * stops.bank_coups,
    }
    return next((name for name, true in tests.items() if true), None)


def played_by_hand(exp, base, index):
    """One session in plain Python: its record, and the bankroll at each mark."""
    table, stream, player, turns = exp.coups, Stream(base, index), Player(exp.plan), exp.turns
    held = peak = exp.bankroll
    fall = run = longest = wins = played = staked = banked = 0
    reason, path = None, []
    for mark in exp.marks:
        while played < mark and reason is None:
            room = mark - played
            if turns:
                if played % turns.coups == 0:
                    side = int((played // turns.coups + index) % turns.players == 0)
                side = side if held >= turns.stake * turns.outcomes.need else 0
                room = min(room, turns.coups - played % turns.coups)
            else:
                side = 0
            for digit in block(table, stream, side)[:room]:
                net = Fraction(digit, table.parts)
                stake = turns.stake if side else player.stake(held)
                if side:
                    banked += stake
                else:
                    staked += stake
                    player.settle(stake, net)
                change = int(stake * net)
                held, played = held + change, played + 1
                peak = max(peak, held)
                fall = max(fall, peak - held)
                if change < 0:
                    run, wins = run + 1, 0
                elif change > 0:
                    run, wins = 0, wins + 1
                longest = max(longest, run)
                reason = reason_of(exp, held, peak, run, wins, played)
                if reason or (side and held < turns.stake * turns.outcomes.need):
                    break
        path.append(held)
    return [held, played, staked, banked, fall, longest, REASONS.index(reason or "coups")], path


def compare(exp, sessions=60):
    player = _Player(exp, 3)
    records, paths = player.play(1000, 0, sessions)
    for item in range(sessions):
        record, path = played_by_hand(exp, player.base, 1000 + item)
        assert records[item].tolist() == record
        assert paths[item].tolist() == path
    return records


@pytest.mark.parametrize("staking", SYSTEMS, ids=lambda staking: staking["system"])
def test_every_system_is_played_as_in_plain_python(staking):
    exp = Experiment(
        GAME, Staking.from_json(staking), 300, Stops(coups=173), StakeLimits(10, 200, 10), seed=5
    )
    records = compare(exp)
    if staking["system"] in ("martingale", "dalembert"):
        assert len(set(records[:, kernel.REASON].tolist())) == 2  # some are ruined, some are not


STOPS = [
    Stops(coups=90, target=400),
    Stops(coups=90, loss=70, win=150),
    Stops(coups=90, drawdown=120),
    Stops(coups=90, losing_streak=5),
    Stops(coups=90, winning_streak=6),
    Stops(coups=90, bank_coups=13, banks=4),
    Stops(coups=90, win=40, bank_coups=13, wait=True),
    Stops(coups=90, drawdown=60, losing_streak=4, not_before=30),
    Stops(coups=90, win=200, loss=100, drawdown=90, losing_streak=7, winning_streak=9, bank_coups=9, banks=8),
]


@pytest.mark.parametrize("stops", STOPS)
@pytest.mark.parametrize("system", ["flat", "fibonacci"])
def test_every_stop_ends_a_session_where_it_should(stops, system):
    staking = Staking(system, {"unit": 10})
    records = compare(Experiment(GAME, staking, 120, stops, StakeLimits(10, 200, 10), seed=2))
    assert len(set(records[:, kernel.REASON].tolist())) > 1


@pytest.mark.parametrize(
    "game", ["1:0.5,-1:0.5", "799:0.001,-1:0.999", "1:0.999,-300:0.001", "2:1/3,0:1/3,-1:1/3"]
)
def test_flat_stakes_in_blocks_are_flat_stakes_coup_by_coup(game):
    for seed, stops in enumerate([Stops(coups=61), Stops(coups=500, loss=20), Stops(coups=333, win=15)]):
        outcomes = Outcomes.parse(game)
        exp = Experiment(outcomes, Staking("flat", {"unit": 1}), 305, stops, StakeLimits(1, 1), seed=seed)
        assert exp.plan.flat == 1
        compare(exp, 25)


def test_a_seat_that_banks_in_its_turn():
    turns = Turns(players=3, coups=7, stake=20, outcomes=BANKER)
    for system in ("flat", "oscar"):
        exp = Experiment(
            GAME,
            Staking(system, {"unit": 10}),
            200,
            Stops(coups=100),
            StakeLimits(10, 200, 10),
            seed=9,
            turns=turns,
        )
        records = compare(exp, 90)
        whole = records[records[:, kernel.REASON] == REASONS.index("coups")]
        # 100 coups are 14 banks and 2 coups: 4 or 5 banks in three are his, 28 to 35 coups, unless he was passed over.
        assert whole[:, kernel.BANKED].max() <= 20 * 35
        assert np.median(whole[:, kernel.BANKED]) >= 20 * 20


@pytest.mark.parametrize(
    "game", ["1:9/20,-1:11/20", "3:0.07,2:0.06,1:0.45,0:0.01,-1:0.31,-2:0.06,-3:0.04", "0:1"]
)
def test_blocks_hold_the_probabilities_of_their_sequences(game):
    """Cells and the alias table together give each sequence the product of its probabilities."""
    outcomes = Outcomes.parse(game)
    table = coup_table(outcomes)
    size, count = len(table.limits), len(outcomes.nets) ** table.length
    chance = np.bincount(table.cells, minlength=2**16)[:size].astype(float) / 2**16
    left = np.mean(table.cells == EMPTY)
    taken = table.limits.astype(float) / 2.0 ** int(table.shift)
    other = np.zeros(size)
    np.add.at(other, table.aliases.astype(int), (1 - taken) / size)
    chance += left * (taken / size + other)
    products = [Fraction(1)]
    for _ in range(table.length):
        products = [before * p for before in products for p in outcomes.probabilities]
    assert np.abs(chance[:count] - np.array([float(p) for p in products])).max() < 1e-14
    assert chance[count:].sum() == 0


def test_many_outcomes_are_drawn_one_by_one():
    game = Outcomes.of({net: Fraction(1, 5000) for net in range(-2500, 2500)})
    table = coup_table(game)
    assert (table.length, len(table.digits)) == (1, 8192)
    exp = Experiment(game, Staking("flat", {"unit": 1}), 10**6, Stops(coups=30), StakeLimits(1, 1))
    compare(exp, 20)


def test_places_of_histograms_cover_all_values_once():
    edges = [lower_edge(place) for place in range(20_000)]
    assert edges[:EXACT_BELOW] == list(range(EXACT_BELOW))
    for place in range(19_999):
        assert edges[place] + width(place) == edges[place + 1]
        for value in (edges[place], edges[place + 1] - 1):
            assert kernel.bucket(value) == place
    for place in (5000, 19_000):
        assert width(place) / edges[place] <= 1 / 2048


def test_sums_of_products_are_exact():
    rng = random.Random(1)
    first = [rng.randint(-(2**47) + 1, 2**47 - 1) for _ in range(4096)]
    second = [rng.randint(-(2**47) + 1, 2**47 - 1) for _ in range(4096)]
    expected = sum(a * b for a, b in zip(first, second, strict=True))
    assert _product(np.array(first), np.array(second)) == expected
    assert _product(np.array(first), np.array(first)) == sum(a * a for a in first)
