"""Chance against a second writing of it, fixed vectors, and the statistics of final positions.

The stream is written again here from its description, with `hmac.new` and one block at a time: block b of
stream(key, n) is HMAC-SHA256(key, "macao shuffle 1\\0" ‖ n ‖ b), n and b as eight big-endian bytes, read as eight
big-endian words of 32 bits; a word at or above the largest multiple of i + 1 is skipped; places are filled from the
last down.
"""

import hashlib
import hmac
import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casino import chance
from casino.cards import pack

KEY = bytes(range(32))
VECTORS = {
    "commitment of nothing": "985b42f7eab0ffe5ead44193b2d4250595e9097a21f343e3d061d2262aa9cf66",
    "bank seed": "f0e221c5b2e3bc0c0e3720d0b01a7bc7d17940e0e209f2e7c3920269a78bcf49",
    "derive": "493a5894771355635577785e3002644aa750ad048201e2b92aedff9745572b2f",
    "words": ["88592920", "52cbc638", "e9a5de36", "2d0c8d22", "35fe2c6c", "409e98e5", "682e71ec", "a80dda9e"],
    "ten": [4, 1, 7, 5, 3, 0, 9, 6, 2, 8],
    "ten, number 1": [9, 2, 7, 0, 1, 3, 8, 6, 4, 5],
}


def stream(key, number):
    block = 0
    while True:
        message = b"macao shuffle 1\x00" + number.to_bytes(8, "big") + block.to_bytes(8, "big")
        digest = hmac.new(key, message, hashlib.sha256).digest()
        for at in range(0, 32, 4):
            yield int.from_bytes(digest[at : at + 4], "big")
        block += 1


def shuffled_again(cards, key, number):
    words, order = stream(key, number), list(cards)
    for place in reversed(range(1, len(order))):
        ways = place + 1
        word = next(words)
        while word >= 2**32 // ways * ways:
            word = next(words)
        other = word % ways
        order[place], order[other] = order[other], order[place]
    return order


@settings(max_examples=60, deadline=None)
@given(key=st.binary(min_size=1, max_size=64), number=st.integers(0, 2**40), packs=st.integers(1, 8))
def test_a_shuffle_is_what_its_description_says(key, number, packs):
    assert chance.shuffled(pack(packs), key, number) == shuffled_again(pack(packs), key, number)


@settings(max_examples=60, deadline=None)
@given(key=st.binary(min_size=1, max_size=64), number=st.integers(0, 2**40), ways=st.integers(1, 2**32))
def test_a_draw_is_the_first_word_that_does_not_bias(key, number, ways):
    words = stream(key, number)
    word = next(words)
    while word >= 2**32 // ways * ways:
        word = next(words)
    assert chance.draw(ways, key, number) == word % ways


def test_words_that_would_bias_are_rejected():
    # 2**31 + 1 ways: nearly half of all words must be skipped, so a version without rejection differs soon.
    ways = 2**31 + 1
    naive = [next(stream(KEY, number)) % ways for number in range(40)]
    assert [chance.draw(ways, KEY, number) for number in range(40)] != naive


def test_fixed_vectors():
    """Worked out outside this code base, with Python's hmac by the description above."""
    assert chance.commitment(KEY) == hashlib.sha256(b"macao commitment 1\x00" + KEY).hexdigest()
    assert chance.commitment(b"") == VECTORS["commitment of nothing"]
    assert chance.bank_seed(KEY, "tbl_1", "bnk_1", [b"", b"\x00\xff"]).hex() == VECTORS["bank seed"]
    assert chance.derive(KEY, "bank", 1).hex() == VECTORS["derive"]
    assert [f"{word:08x}" for word in chance.words(KEY, 0, 0, 1)] == VECTORS["words"]
    assert chance.shuffled(range(10), KEY, 0) == VECTORS["ten"]
    assert chance.shuffled(range(10), KEY, 1) == VECTORS["ten, number 1"]


def test_the_parts_of_a_bank_seed_cannot_run_into_each_other():
    """Each part is preceded by its length as four big-endian bytes."""
    parts = [b"macao-1", b"tbl", b"bnk", b"", b"\x07"]
    message = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    assert (
        chance.bank_seed(KEY, "tbl", "bnk", [b"", b"\x07"]) == hmac.new(KEY, message, hashlib.sha256).digest()
    )
    seeds = {
        chance.bank_seed(KEY, "ab", "c", [b"d", b""]),
        chance.bank_seed(KEY, "a", "bc", [b"d", b""]),
        chance.bank_seed(KEY, "ab", "c", [b"", b"d"]),
        chance.bank_seed(KEY, "ab", "cd", [b"", b""]),
        chance.bank_seed(KEY, "ab", "c", [b"d"]),
    }
    assert len(seeds) == 5


def test_nothing_depends_on_the_global_generator_or_changes_the_cards_given():
    cards = pack(2)
    random.seed(1)
    first = chance.shuffled(cards, KEY, 3)
    random.seed(2)
    assert chance.shuffled(cards, KEY, 3) == first
    assert cards == pack(2)
    assert Counter(first) == Counter(cards)


def test_every_order_of_four_cards_is_equally_likely():
    """24 orders over 24,000 keys: chi-square with 23 degrees of freedom is below 49.73 with probability 0.999."""
    found = Counter(tuple(chance.shuffled(range(4), KEY, number)) for number in range(24_000))
    assert len(found) == 24
    assert sum((count - 1000) ** 2 / 1000 for count in found.values()) < 49.73


def test_final_positions_are_uniform():
    """13 cards in 13 places over 13,000 shuffles: (13 - 1)**2 = 144 degrees of freedom, below 202.1 with
    probability 0.999."""
    shuffles, size = 13_000, 13
    counts = [[0] * size for _ in range(size)]
    for number in range(shuffles):
        for place, card in enumerate(chance.shuffled(range(size), KEY, number)):
            counts[place][card] += 1
    expected = shuffles / size
    assert sum((count - expected) ** 2 / expected for row in counts for count in row) < 202.1


def test_draws_are_uniform():
    """7 outcomes over 14,000 draws: 6 degrees of freedom, below 22.46 with probability 0.999."""
    found = Counter(chance.draw(7, KEY, number) for number in range(14_000))
    assert sum((found[outcome] - 2000) ** 2 / 2000 for outcome in range(7)) < 22.46


@pytest.mark.parametrize("size", [0, 1])
def test_nothing_to_shuffle(size):
    assert chance.shuffled(range(size), KEY, 0) == list(range(size))
