"""Short patterns for sets of cards, as variants and options write them.

Words parted by spaces: a rank («2», «T»), a span of ranks («5-T»), a suit («H»), one card («KH», «BJ»), «Jk» for
both jokers, «*» for every card of rank and suit.

>>> [NAMES[card] for card in members(mask("2S 5-6 BJ"))]
['2S', '5S', '5H', '5D', '5C', '6S', '6H', '6D', '6C', 'BJ']
"""

from collections.abc import Callable
from typing import Final

from casino.cards import BLACK_JOKER, FACES, NAMES, RANKS, RED_JOKER, SUITS
from casino.errors import RulesError

BITS: Final[tuple[int, ...]] = tuple(1 << card for card in range(len(NAMES)))
SUITED: Final = (1 << FACES) - 1
JOKERS: Final = BITS[BLACK_JOKER] | BITS[RED_JOKER]
ALL: Final = SUITED | JOKERS
OF_RANK: Final[tuple[int, ...]] = tuple(0b1111 << 4 * rank for rank in range(13))
OF_SUIT: Final[tuple[int, ...]] = tuple(sum(BITS[suit:FACES:4]) for suit in range(4))


HALF: Final = 27
LOW_HALF: Final = (1 << HALF) - 1
_MOST: Final = 1 << 16
Members = dict[int, tuple[int, ...]]
# The members of sets met before, by half of the faces: plain look-ups, and a KeyError for a set that is new.
LOW: Final[Members] = {}
HIGH: Final[Members] = {}


def members(bits: int) -> tuple[int, ...]:
    """The cards of a set, in order."""
    low, high = bits & LOW_HALF, bits >> HALF
    if low not in LOW:
        _remember(LOW, low, 0)
    if high not in HIGH:
        _remember(HIGH, high, HALF)
    return LOW[low] + HIGH[high]


def members_then(*last: int) -> Callable[[int], tuple[int, ...]]:
    """Like `members`, with more numbers behind them. This is asked once a move: no more calls than need be."""

    def found(bits: int) -> tuple[int, ...]:
        try:
            return LOW[bits & LOW_HALF] + HIGH[bits >> HALF] + last
        except KeyError:
            return members(bits) + last

    return found


def _remember(known: Members, bits: int, first: int) -> None:
    """Work out the members of a set that begins with face `first`."""
    if len(known) >= _MOST:
        known.clear()
    found, rest = [], bits
    while rest:
        found.append((rest & -rest).bit_length() - 1 + first)
        rest &= rest - 1
    known[bits] = tuple(found)


def mask(pattern: str, pointer: str = "") -> int:
    """The set of cards that a pattern means. Raises RulesError for a word that means none."""
    bits = 0
    for word in pattern.split():
        bits |= _word(word, pointer)
    return bits


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
