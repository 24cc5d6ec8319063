"""Actions of trick games as small ints, and their text: a face plays that card, `BID + n` bids n tricks.

>>> text(29), text(BID + 2), parse("bid 2") == BID + 2
('play 9H', 'bid 2', True)
"""

from typing import Final

from casino.cards import FACES, face, name
from casino.errors import NotationError

BID: Final = 64
MAX_SEATS: Final = 10
MAX_BID: Final = FACES // 2

# The bit of each card that may be played; whatever else stands as an action has none.
BITS: Final[dict[int, int]] = {card: 1 << card for card in range(FACES)}
ALL: Final = (1 << FACES) - 1
# All cards of a suit, by suit.
OF_SUIT: Final[tuple[int, ...]] = tuple(sum(1 << card for card in range(suit, FACES, 4)) for suit in range(4))

MEANINGS: Final[dict[str, str]] = {
    "bid N": "undertake to take N tricks, as in «bid 2»",
    "play CARD": "lay a card, as in «play 7S»",
}


def text(action: int) -> str:
    """The text of an action."""
    return f"bid {action - BID}" if action >= BID else f"play {name(action)}"


def parse(words: str) -> int:
    """The action of a text. Raises NotationError."""
    verb, _, rest = words.partition(" ")
    if verb == "play" and (card := face(rest)) < FACES:
        return card
    if verb == "bid" and rest.isascii() and rest.isdigit() and len(rest) <= 2 and str(int(rest)) == rest:
        bid = int(rest)
        if bid <= MAX_BID:
            return BID + bid
    raise NotationError(f"«{words[:40]}» is not an action: write «bid 2» (0 to {MAX_BID}) or «play 7S»")
