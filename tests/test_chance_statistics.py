"""The statistics of final card orders (`api.md`, «Fairness»), and faults planted in a shuffle that they must catch.

Every test compares with a distribution that is known exactly for orders that are all equally likely, and gives a
p-value; all of them together are held to Holm's bound at 0.01. What is shuffled is one pack; keys and numbers are
fixed, so a run is repeatable. docs/fairness.md describes the tests.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import count, pairwise

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from casino import chance
from casino.cards import pack

SIZE = 52
SHUFFLES = 16_000
FAULTY = 8_000  # a fault is seen in fewer
ALPHA = 0.01
KEY = bytes(range(1, 33))
Orders = NDArray[np.int64]
Shuffle = Callable[[int], list[int]]


def holm(found: dict[str, float], alpha: float = ALPHA) -> list[str]:
    """The tests that fail when all are held to `alpha` together (S. Holm, Scand. J. Statist. 6, 1979)."""
    failed = []
    for place, (name, p) in enumerate(sorted(found.items(), key=lambda item: item[1])):
        if p > alpha / (len(found) - place):
            break
        failed.append(name)
    return failed


# The tests: each gives a p-value


def uniform(cells: NDArray[np.int64], number: int) -> float:
    """Are all of so many cells equally likely?"""
    return float(stats.chisquare(np.bincount(cells, minlength=number)).pvalue)


def as_expected(values: Counter[int], chances: dict[int, float]) -> float:
    """Chi-square against exact probabilities; cells that expect less than five are put together, tail by tail."""
    total = values.total()
    cells: list[list[float]] = []
    seen = expected = 0.0
    for value in sorted(chances):
        seen, expected = seen + values[value], expected + total * chances[value]
        if expected >= 5:
            cells.append([seen, expected])
            seen = expected = 0.0
    cells[-1][0] += total - sum(cell[0] for cell in cells)
    cells[-1][1] += total - sum(cell[1] for cell in cells)
    observed, wanted = np.array(cells).T
    return float(stats.chisquare(observed, wanted).pvalue)


def positions(orders: Orders) -> float:
    """Every card equally often in every place: (52 - 1)**2 degrees of freedom, rows and columns being complete."""
    counts = np.array([np.bincount(orders[:, place], minlength=SIZE) for place in range(SIZE)])
    expected = len(orders) / SIZE
    return float(
        stats.chi2.sf(((counts - expected) ** 2 / expected).sum() * (SIZE - 1) / SIZE, (SIZE - 1) ** 2)
    )


def pairs(orders: Orders, first: int, second: int) -> float:
    """Two places: each of the 52 × 51 ordered pairs equally often. Neighbouring places are serial correlation."""
    one, two = orders[:, first], orders[:, second]
    return uniform(one * (SIZE - 1) + two - (two > one), SIZE * (SIZE - 1))


def interplay(orders: Orders, place: int) -> float:
    """The card in a place says nothing of the card there in the next shuffle: 52 × 52 pairs, no shuffle used twice."""
    half = len(orders) // 2 * 2
    return uniform(orders[:half:2, place] * SIZE + orders[1:half:2, place], SIZE * SIZE)


def moves(orders: Orders, card: int) -> float:
    """How far a card moves from one shuffle to the next: each of 52 steps (mod 52) equally often."""
    where = np.argmax(orders == card, axis=1)
    half = len(where) // 2 * 2
    return uniform((where[1:half:2] - where[:half:2]) % SIZE, SIZE)


@lru_cache(maxsize=1)
def eulerian() -> dict[int, float]:
    """Chance of an order of 52 with so many rising runs: Eulerian numbers over 52!."""
    row = [1]
    for size in range(2, SIZE + 1):
        row = [
            (runs + 1) * (row[runs] if runs < len(row) else 0)
            + (size - runs) * (row[runs - 1] if runs else 0)
            for runs in range(size)
        ]
    return {runs + 1: float(Fraction(ways, math.factorial(SIZE))) for runs, ways in enumerate(row)}


def runs(orders: Orders) -> float:
    """Rising runs in an order."""
    found = 1 + (np.diff(orders, axis=1) < 0).sum(axis=1)
    return as_expected(Counter(found.tolist()), eulerian())


@lru_cache(maxsize=1)
def matches() -> dict[int, float]:
    """Chance that so many of 52 cards lie where they lay: derangements of the rest."""
    away = [1, 0]
    for size in range(2, SIZE + 1):
        away.append((size - 1) * (away[-1] + away[-2]))
    whole = math.factorial(SIZE)
    return {k: float(Fraction(math.comb(SIZE, k) * away[SIZE - k], whole)) for k in range(SIZE + 1)}


def fixed(orders: Orders) -> float:
    """Cards in the place that they had before."""
    return as_expected(Counter((orders == np.arange(SIZE)).sum(axis=1).tolist()), matches())


def parity(orders: Orders) -> float:
    """Half of all orders are an even number of exchanges away from the pack."""
    found = Counter(_cycles(order) % 2 for order in orders.tolist())
    return float(stats.binomtest(found[0], found.total()).pvalue)


def _cycles(order: list[int]) -> int:
    seen, cycles = [False] * SIZE, 0
    for start in range(SIZE):
        cycles += not seen[start]
        at = start
        while not seen[at]:
            seen[at] = True
            at = order[at]
    return cycles


@lru_cache(maxsize=1)
def collecting() -> dict[int, float]:
    """Chance that the thirteenth rank comes with draw t: 13!/13**t times S(t - 1, 12) (Knuth, TAOCP 3.3.2 D)."""
    chances = {}
    stirling = [Fraction(1)] + [Fraction(0)] * 12  # S(t - 1, k) / 13**(t - 1), from t = 1
    for t in range(1, 201):
        chances[t] = float(stirling[12] * math.factorial(13) / 13)
        stirling = [(k * stirling[k] + (stirling[k - 1] if k else 0)) / Fraction(13) for k in range(13)]
    return chances


def coupons(orders: Orders, place: int) -> float:
    """Shuffles until every rank has been in this place."""
    waits: Counter[int] = Counter()
    missing, since = set(range(13)), 0
    for rank in (orders[:, place] // 4).tolist():
        since += 1
        missing.discard(rank)
        if not missing:
            waits[since] += 1
            missing, since = set(range(13)), 0
    return as_expected(waits, collecting()) if waits else 0.0  # never all thirteen: as wrong as can be


def duplicates(orders: Orders) -> float:
    """How often the first three cards came before in the same thousand shuffles, against its exact mean and variance;
    and no whole order twice (which would have a chance of about 10**-60).
    """
    if len({order.tobytes() for order in orders}) < len(orders):
        return 0.0
    cells, batch = SIZE * (SIZE - 1) * (SIZE - 2), 1000
    codes = orders[:, 0] * SIZE * SIZE + orders[:, 1] * SIZE + orders[:, 2]
    batches = len(codes) // batch
    again = sum(batch - len(set(codes[n * batch : (n + 1) * batch].tolist())) for n in range(batches))
    one = (1 - 1 / cells) ** batch  # chance that a cell stays empty
    two = (1 - 2 / cells) ** batch
    mean = batch - cells * (1 - one)
    variance = cells * (cells - 1) * two + cells * one - (cells * one) ** 2
    z = (again - batches * mean) / math.sqrt(batches * variance)
    return float(2 * stats.norm.sf(abs(z)))


def suite(shuffle: Shuffle, number: int) -> dict[str, float]:
    """Every test on so many shuffles: p-values by name."""
    orders = np.array([shuffle(n) for n in range(number)])
    assert (np.sort(orders, axis=1) == np.arange(SIZE)).all()
    found = {"positions": positions(orders), "runs": runs(orders), "fixed": fixed(orders)}
    found |= {"parity": parity(orders), "duplicates": duplicates(orders)}
    for first, second in ((0, 1), (1, 2), (25, 26), (50, 51), (0, 51)):
        found[f"pairs {first} {second}"] = pairs(orders, first, second)
    for place in (0, 26, 51):
        found[f"interplay {place}"] = interplay(orders, place)
        found[f"coupons {place}"] = coupons(orders, place)
    for card in (0, 51):
        found[f"moves {card}"] = moves(orders, card)
    return found


# What is held to them


def by_number(n: int) -> list[int]:
    """Shuffle n of one bank."""
    return chance.shuffled(pack(1), KEY, n)


def by_bank(n: int) -> list[int]:
    """The first shuffle of bank n: another key each time."""
    return chance.shuffled(pack(1), chance.bank_seed(KEY, "tbl", f"bnk {n}", [b"seed", b""]), 0)


@pytest.mark.parametrize("shuffle", [by_number, by_bank])
def test_final_orders_stand_every_test_together(shuffle: Shuffle) -> None:
    found = suite(shuffle, SHUFFLES)
    assert len(found) == 18
    assert holm(found) == [], found


# Faults, each planted in the shuffle of docs/fairness.md


def words(n: int) -> Iterator[int]:
    """The stream of shuffle n, as it should be."""
    for block in count():
        yield from chance.words(KEY, n, block, 1)


def exchanged(places: Iterator[tuple[int, int]]) -> list[int]:
    order = pack(1)
    for one, other in places:
        order[one], order[other] = order[other], order[one]
    return order


def modulo_bias(n: int) -> list[int]:
    """A byte for each place, taken modulo without rejection: 256 is no multiple of 52."""
    stream = words(n)
    return exchanged((place, (next(stream) & 255) % (place + 1)) for place in range(SIZE - 1, 0, -1))


def naive_swap(n: int) -> list[int]:
    """Every place changes with any of the 52: 52**52 ways are no multiple of 52!."""
    stream = words(n)
    return exchanged((place, next(stream) % SIZE) for place in range(SIZE))


def never_itself(n: int) -> list[int]:
    """Off by one: place i changes with one below it, never with itself (Sattolo): one cycle always."""
    stream = words(n)
    return exchanged((place, next(stream) % place) for place in range(SIZE - 1, 0, -1))


def stops_early(n: int) -> list[int]:
    """Off by one: places 1 and 0 never change."""
    stream = words(n)
    return exchanged((place, next(stream) % (place + 1)) for place in range(SIZE - 1, 1, -1))


def starts_late(n: int) -> list[int]:
    """Off by one: the last card stays where it was."""
    stream = words(n)
    return exchanged((place, next(stream) % (place + 1)) for place in range(SIZE - 2, 0, -1))


def counter_stands_still(n: int) -> list[int]:
    """The same block of eight words again and again."""
    block = chance.words(KEY, n, 0, 1)
    return exchanged((place, block[place % 8] % (place + 1)) for place in range(SIZE - 1, 0, -1))


def key_of_two(n: int) -> list[int]:
    """Each number is used for two shuffles, the second from the order of the first."""
    first = chance.shuffled(range(SIZE), KEY, n // 2)
    return first if n % 2 == 0 else [first[card] for card in first]


# fault: tests that must be among those which catch it, so that every kind of test is seen to catch something
FAULTS: dict[Shuffle, set[str]] = {
    modulo_bias: {"positions"},
    naive_swap: {"positions", "parity"},
    never_itself: {"parity", "fixed"},
    stops_early: {"positions", "pairs 0 1"},
    starts_late: {"coupons 51", "moves 51"},
    counter_stands_still: {"runs", "duplicates"},
    key_of_two: {"interplay 0", "interplay 26", "interplay 51"},
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_caught(fault: Shuffle) -> None:
    found = suite(fault, FAULTY)
    assert set(holm(found)) >= FAULTS[fault], found


def test_the_faults_without_their_fault_are_the_shuffle() -> None:
    """The frame in which the faults are planted is sound: with rejection and all places it gives the same orders."""

    def sound(n: int) -> list[int]:
        stream = words(n)

        def below(ways: int) -> int:
            return next(word for word in stream if word < 2**32 - 2**32 % ways) % ways

        return exchanged((place, below(place + 1)) for place in range(SIZE - 1, 0, -1))

    assert [sound(n) for n in range(50)] == [by_number(n) for n in range(50)]


def test_bias_of_32_bits_shows_where_it_is_large() -> None:
    """Of 3 · 2**30 outcomes a plain modulo gives the lowest third half of all draws; with rejection each third has its
    share. (At 52 ways the bias of a modulo is 10**-8, and no statistics could show it: test_chance.py does, exactly.)
    """
    ways = 3 * 2**30
    naive = Counter(chance.words(KEY, n, 0, 1)[0] % ways >> 30 for n in range(3000))
    sound = Counter(chance.draw(ways, KEY, n) >> 30 for n in range(3000))
    assert stats.chisquare([naive[third] for third in range(3)]).pvalue < 1e-6
    assert stats.chisquare([sound[third] for third in range(3)]).pvalue > ALPHA


# The tests themselves


def test_the_reference_distributions_are_right() -> None:
    """Small cases by hand: sums are 1, means are (52 + 1)/2 runs, 1 match, 13 (1 + 1/2 + … + 1/13) draws."""
    assert sum(eulerian().values()) == pytest.approx(1)
    assert sum(n * p for n, p in eulerian().items()) == pytest.approx(26.5)
    assert sum(matches().values()) == pytest.approx(1)
    assert sum(n * p for n, p in matches().items()) == pytest.approx(1)
    assert sum(collecting().values()) == pytest.approx(1, abs=1e-5)
    mean = 13 * sum(1 / k for k in range(1, 14))
    assert sum(n * p for n, p in collecting().items()) == pytest.approx(mean, abs=1e-2)
    assert next(p for p in collecting().values() if p) == pytest.approx(math.factorial(13) / 13**13)


def test_holm_by_hand() -> None:
    """Three tests at 0.03: bounds 0.01, 0.015, 0.03; the first that holds ends it."""
    assert holm({"a": 0.009, "b": 0.014, "c": 0.5}, 0.03) == ["a", "b"]
    assert holm({"a": 0.011, "b": 0.012, "c": 0.013}, 0.03) == []
    assert holm({"a": 0.009, "b": 0.02, "c": 0.025}, 0.03) == ["a"]


@pytest.mark.parametrize("seed", range(3))
def test_an_independent_generator_stands_them_too(seed: int) -> None:
    """NumPy's PCG64: what holds of it shows that the tests do not ask too much."""
    rng = np.random.default_rng(seed)
    assert holm(suite(lambda _: rng.permutation(SIZE).tolist(), FAULTY)) == []


def test_sorting_of_cells_in_pairs_is_one_to_one() -> None:
    codes = {one * (SIZE - 1) + two - (two > one) for one in range(SIZE) for two in range(SIZE) if one != two}
    assert codes == set(range(SIZE * (SIZE - 1)))
    assert all(a + 1 == b for a, b in pairwise(sorted(codes)))
