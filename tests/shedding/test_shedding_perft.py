"""Counts of action sequences from small packs, and one variant played beside a second telling of its rules."""

import copy
from random import Random

import pytest
from layouts import at, at_random, when_one_can
from second_telling import Telling

from casino.catalogue import find

GAME = "russian-104"


def perft(state, depth):
    """How many sequences of so many actions there are, of all seats that may act."""
    if not depth:
        return 1
    count = 0
    for seat in state.actors():
        for action in state.legal(seat):
            twin = state.copy()
            twin.apply(seat, action)
            count += perft(twin, depth - 1)
    return count


def perft_of_telling(telling, depth):
    if not depth:
        return 1
    count = 0
    for seat in range(len(telling.hands)):
        for text in telling.may(seat):
            twin = copy.deepcopy(telling)
            twin.do(seat, text)
            count += perft_of_telling(twin, depth - 1)
    return count


SMALL = [
    (["7S 7D AC", "2D 9H", "KD 2S"], "7H", "8C 3D 4S 5H 6D QC"),
    (["2H 2S", "2D 3D", "AS AH"], "2C", "9C 4D 4H 8S"),
    (["KH 5H", "KH 9D 9S"], "4H", "TC TD TS JC"),
    (["8C", "8D 3C", "2C"], "8S", "7H 7D"),
]


@pytest.mark.parametrize(("hands", "pile", "stock"), SMALL)
def test_perft_of_the_russian_game_equals_the_second_telling(hands, pile, stock):
    state = at(GAME, hands, pile, stock=stock)
    telling = Telling(map(str.split, hands), stock.split(), [pile], turn=0, seed=bytes(32))
    for depth in range(1, 5):
        assert perft(state, depth) == perft_of_telling(telling, depth)


@pytest.mark.parametrize("seats", [2, 3, 5])
def test_whole_deals_of_the_russian_game_equal_the_second_telling(seats):
    game = find(GAME).game(None, seats)
    for number in range(40):
        rng = Random(number * 10 + seats)
        seed = rng.randbytes(32)
        state = game.start(seed)
        start = state.to_json()
        telling = Telling(start["hands"], start["stock"], start["pile"], turn=state.to_move, seed=seed)
        player = at_random if number % 2 else when_one_can
        for _ in range(600):
            assert [set(state.legal_texts(seat)) for seat in range(seats)] == list(
                map(telling.may, range(seats))
            )
            if telling.over:
                break
            seat = rng.choice(state.actors()) if rng.random() < 0.3 else state.awaited()[0]
            text = game.text(player(state, seat, rng))
            state.do(seat, text)
            telling.do(seat, text)
        if telling.over:
            assert (list(state.result().scores), state.finished) == (telling.scores(), telling.out)


# Small packs of the others. The first two counts of each are worked out by hand in the comment; the rest are kept
# so that a change of any rule is seen.
@pytest.mark.parametrize(
    ("game", "hands", "pile", "fields", "counts"),
    [
        # 7S, 8S, draw; after 7S: add 8S or end; after 8S: add 7S or end; after drawing 9S (fits): play or end.
        ("hungarian", ["7S 8S KD", "6C 6H"], "5S", {"stock": "9S 2C 3D QC"}, (3, 6)),
        # BJ, draw; after BJ (5 to seat 1): accept; after drawing 9S: play, end.
        ("romanian-regional", ["BJ 8C KD", "6C 6H"], "5S", {"stock": "9S 2C 3D QC 4D"}, (2, 3)),
        # 5S only (no draw while able to play); then one draws, as KD does not follow.
        ("tel-aviv", ["5S KD TD", "6C 6H"], "7S", {"stock": "9S 2C 3D QC"}, (1, 1)),
        # QC, draw; after QC: choose 1, 2; after drawing TC: play, end.
        ("plawno", ["QC 8D KD", "6C 6H", "7C 7H"], "5C", {"stock": "TC 2D 3D JH"}, (2, 4)),
        # 9S, draw; after 9S: add 9D, end; after drawing TS: play, end.
        ("romanian", ["9S 9D KD", "6C 6H"], "5S", {"stock": "TS 2C 3D QC"}, (2, 4)),
        # 2S, draw; after 2S: seat 1 answers with KC or 3D, or accepts; after drawing TS: play, end.
        ("romanian-points", ["2S 9D KD", "KC 3D"], "5S", {"stock": "TS 2C 4D QC"}, (2, 5)),
        # 2S, draw; after 2S: seat 1 answers with 5C or 7D, or accepts; after drawing TS: play, end.
        ("romanian-numbers", ["2S 9D KD", "5C 7D KC"], "5S", {"stock": "TS 2C 4D QC"}, (2, 5)),
    ],
)
def test_perft_of_small_packs_by_hand(game, hands, pile, fields, counts):
    state = at(game, hands, pile, direction=1, **fields)
    assert tuple(perft(state, depth) for depth in (1, 2)) == counts
