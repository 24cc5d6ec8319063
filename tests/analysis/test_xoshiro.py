"""The generator of the kernels against the published vectors of its authors' algorithm."""

import numpy as np

from analysis import xoshiro

# xoshiro256++ from the state 1, 2, 3, 4: the vector of the Rust crate `rand_xoshiro`, made with the C reference.
PLUS_PLUS = [
    41943041,
    58720359,
    3588806011781223,
    3591011842654386,
    9228616714210784205,
    9973669472204895162,
    14011001112246962877,
    12406186145184390807,
    15849039046786891736,
    10450023813501588000,
]
# SplitMix64 from the seed 1234567: the vector of Rosetta Code, «Pseudo-random numbers/Splitmix64».
SPLIT_MIX = [6457827717110365317, 3203168211198807973, 9817491932198370423]


def _next(state):
    word, *rest = xoshiro.step(*map(np.uint64, state))
    return int(word) % 2**64, [value % 2**64 for value in map(int, rest)]


def test_step_gives_the_reference_vector():
    state, found = [1, 2, 3, 4], []
    for _ in PLUS_PLUS:
        word, state = _next(state)
        found.append(word)
    assert found == PLUS_PLUS


def test_mix_is_the_finaliser_of_splitmix64():
    golden = 0x9E3779B97F4A7C15
    seeds = [(1234567 + k * golden) % 2**64 for k in (1, 2, 3)]
    assert [int(xoshiro.mix(np.uint64(seed))) % 2**64 for seed in seeds] == SPLIT_MIX


def test_streams_depend_on_seed_key_and_index_alone():
    first = xoshiro.start(xoshiro.words(7, 3), 5)
    np.random.seed(1)
    assert xoshiro.start(xoshiro.words(7, 3), 5) == first
    others = [
        xoshiro.start(xoshiro.words(*key), index)
        for key, index in (((7, 3), 6), ((7, 4), 5), ((8, 3), 5), ((7, 3, 0), 5))
    ]
    assert len({first, *others}) == 5


def test_neighbouring_items_do_not_agree_in_their_words():
    base = xoshiro.words(1, 0)
    heads = np.array([_next(xoshiro.start(base, index))[0] for index in range(2000)], dtype=np.uint64)
    assert len(set(heads.tolist())) == 2000
    bits = np.unpackbits(heads.view(np.uint8)).mean()
    assert abs(bits - 0.5) < 4 * 0.5 / (2000 * 64) ** 0.5
