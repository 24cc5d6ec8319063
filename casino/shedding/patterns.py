"""Short patterns for sets of cards, as variants and options write them.

Words parted by spaces: a rank («2», «T»), a span of ranks («5-T»), a suit («H»), one card («KH», «BJ»), «Jk» for
both jokers, «*» for every card of rank and suit.

>>> from casino.cards import members
>>> [NAMES[card] for card in members(mask("2S 5-6 BJ"))]
['2S', '5S', '5H', '5D', '5C', '6S', '6H', '6D', '6C', 'BJ']
"""

from itertools import groupby
from typing import Final

from casino.cards import BLACK_JOKER, FACES, NAMES, RANKS, RED_JOKER, SUITS
from casino.errors import RulesError

BITS: Final[tuple[int, ...]] = tuple(1 << card for card in range(len(NAMES)))
SUITED: Final = (1 << FACES) - 1
JOKERS: Final = BITS[BLACK_JOKER] | BITS[RED_JOKER]
ALL: Final = SUITED | JOKERS
OF_RANK: Final[tuple[int, ...]] = tuple(0b1111 << 4 * rank for rank in range(13))
OF_SUIT: Final[tuple[int, ...]] = tuple(sum(BITS[suit:FACES:4]) for suit in range(4))


def mask(pattern: str, pointer: str = "") -> int:
    """The set of cards that a pattern means. Raises RulesError for a word that means none."""
    bits = 0
    for word in pattern.split():
        bits |= _word(word, pointer)
    return bits


def spelled(cards: int) -> str:
    """The pattern of a set, the same for equal sets: whole ranks (three in a row and more as a span), whole suits,
    then single cards, each upwards, then jokers.

    >>> spelled(mask("RJ 7S 9-T H 8 BJ"))
    '8-T H 7S Jk'
    """
    ranks = [rank for rank, bits in enumerate(OF_RANK) if cards & bits == bits]
    if len(ranks) == len(OF_RANK):
        words = ["*"]
    else:
        suits = [suit for suit, bits in enumerate(OF_SUIT) if cards & bits == bits]
        told = sum(OF_RANK[rank] for rank in ranks)
        for suit in suits:
            told |= OF_SUIT[suit]
        single = [name for bit, name in zip(BITS, NAMES, strict=True) if bit & cards & SUITED & ~told]
        words = [*_spans(ranks), *(SUITS[suit] for suit in suits), *single]
    jokers = [NAMES[card] for card in (BLACK_JOKER, RED_JOKER) if cards & BITS[card]]
    return " ".join([*words, *(["Jk"] if len(jokers) == 2 else jokers)])


def _spans(ranks: list[int]) -> list[str]:
    """Ranks in rising order as words."""
    words: list[str] = []
    rows = groupby(enumerate(ranks), lambda pair: pair[1] - pair[0])
    for row in ([RANKS[rank] for _, rank in pairs] for _, pairs in rows):
        words += [f"{row[0]}-{row[-1]}"] if len(row) > 2 else row
    return words


def _word(word: str, pointer: str) -> int:
    if word in NAMES:
        return BITS[NAMES.index(word)]
    if word == "*":
        return SUITED
    if word == "Jk":
        return JOKERS
    if len(word) == 1 and word in RANKS:
        return OF_RANK[RANKS.index(word)]
    if len(word) == 1 and word in SUITS:
        return OF_SUIT[SUITS.index(word)]
    low, dash, high = word.partition("-")
    if dash and len(low) == len(high) == 1 and low in RANKS and high in RANKS:
        first, last = RANKS.index(low), RANKS.index(high)
        if first < last:
            return sum(OF_RANK[first : last + 1])
    raise RulesError(
        f"«{word[:20]}» means no cards: write a rank («2»), ranks from a lower to a higher («5-T»), a suit («H»), a"
        " card («KH», «BJ»), «Jk» or «*»",
        pointer=pointer,
    )
