"""Cards as small ints, hands as lists or bit masks, and their text.

A *face* is an int below 54: `rank * 4 + suit` with ranks 2 … ace (0 … 12) and suits S H D C, then the black
and the red joker. Two equal cards of two packs have the same face. `1 << face` is its bit.

>>> face("9H"), name(face("9H"))
(29, '9H')
>>> [name(c) for c in pack(1)[:4]]
['2S', '2H', '2D', '2C']
"""

from collections.abc import Iterable, Sequence

from casino.errors import NotationError

RANKS = "23456789TJQKA"
SUITS = "SHDC"
FACES = 52
BLACK_JOKER, RED_JOKER = 52, 53

NAMES: tuple[str, ...] = (*(rank + suit for rank in RANKS for suit in SUITS), "BJ", "RJ")
_FACE_OF: dict[str, int] = {text: number for number, text in enumerate(NAMES)}

# Banking points: ace 1, 2-9 their number, ten and court cards 0 (rules/banking.md, «Words»).
POINTS: tuple[int, ...] = tuple((*range(2, 10), 0, 0, 0, 0, 1)[face // 4] for face in range(FACES))


def rank(face_: int) -> int:
    """Rank of a suited face: 0 (two) … 12 (ace); 13 for a joker."""
    return face_ >> 2


def suit(face_: int) -> int:
    """Suit of a suited face: 0 spades, 1 hearts, 2 diamonds, 3 clubs; a joker's means nothing."""
    return face_ & 3


def name(face_: int) -> str:
    """Text of a face: rank and suit («9H», «TD»), or «BJ», «RJ»."""
    return NAMES[face_]


def face(text: str, *, suitless: bool = False, pointer: str = "") -> int:
    """The face that a text names. With `suitless` a bare rank is taken as spades.

    Raises NotationError if it names none.
    """
    found = _FACE_OF.get(text)
    if found is None and suitless:
        found = _FACE_OF.get(text + "S")
    if found is None:
        raise NotationError(
            f"«{text[:20]}» is not a card: write rank (2-9 T J Q K A) and suit (S H D C), as in «9H» or «TD»,"
            " or BJ, RJ for a joker",
            pointer=pointer,
        )
    return found


def names(cards: Iterable[int]) -> str:
    """Cards as one line of text, parted by spaces."""
    return " ".join(NAMES[card] for card in cards)


def faces(text: str, *, suitless: bool = False, pointer: str = "") -> list[int]:
    """The cards of a line of text."""
    return [face(word, suitless=suitless, pointer=pointer) for word in text.split()]


def pack(packs: int, jokers: int = 0) -> list[int]:
    """`packs` packs in order, each of 52 cards and `jokers` (0-2) jokers: black first."""
    return (list(range(FACES)) + [BLACK_JOKER, RED_JOKER][:jokers]) * packs


def mask(cards: Iterable[int]) -> int:
    """The set of faces as a bit mask (equal cards count once)."""
    bits = 0
    for card in cards:
        bits |= 1 << card
    return bits


def members(bits: int) -> list[int]:
    """The faces of a bit mask, in order."""
    found = []
    while bits:
        low = bits & -bits
        found.append(low.bit_length() - 1)
        bits ^= low
    return found


def counts(cards: Sequence[int]) -> list[int]:
    """How many of each of the 54 faces there are."""
    found = [0] * 54
    for card in cards:
        found[card] += 1
    return found
