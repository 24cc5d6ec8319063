"""A situation of a trick game as plain data: what a state is made from, and what positions are read into."""

from dataclasses import dataclass
from typing import Final

from casino.cards import FACES
from casino.tricks.actions import OF_SUIT

NOT_BID: Final = -1
NO_TRUMP: Final = 4
NOBODY: Final = -1
NO_CARD: Final = -1

Trick = tuple[int, tuple[int, ...], int]
"""A trick that was taken: who led, the cards from him on, who took it."""


@dataclass(frozen=True, slots=True)
class Deal:
    """A situation to play on from: a fresh deal, or a position set up.

    `hands` are bit masks by seat, `trump` is a suit (0-3) or NO_TRUMP, `turned` the card that showed it, `bids`
    hold NOT_BID where none was made yet, `taken` counts tricks by seat, `leader` leads to the open trick, `trick`
    holds its cards from him on, `tricks` the last ones taken, as far back as they are known, and `totals` the
    points of earlier deals, if they were given.
    """

    dealer: int
    hands: tuple[int, ...]
    trump: int
    turned: int | None
    bids: tuple[int, ...]
    taken: tuple[int, ...]
    leader: int
    trick: tuple[int, ...] = ()
    tricks: tuple[Trick, ...] = ()
    totals: tuple[int, ...] = ()


def _takers(best: int, trump: int) -> int:
    higher = OF_SUIT[best & 3] & -(2 << best)
    return higher if trump in (best & 3, NO_TRUMP) else higher | OF_SUIT[trump]


# By trump and by the best card so far: the cards that take the trick from it (highest trump, else highest of the
# suit led).
TAKERS: Final[tuple[tuple[int, ...], ...]] = tuple(
    tuple(_takers(best, trump) for best in range(FACES)) for trump in range(NO_TRUMP + 1)
)


def winner(leader: int, cards: tuple[int, ...], trump: int) -> int:
    """The seat that takes a trick."""
    best = 0
    for place in range(1, len(cards)):
        if TAKERS[trump][cards[best]] >> cards[place] & 1:
            best = place
    return (leader + best) % len(cards)


def voids(deal: Deal) -> list[int]:
    """By seat a bit mask of cards it cannot hold: those of suits that it did not follow."""
    missing = [0] * len(deal.hands)
    for leader, cards in ((deal.leader, deal.trick), *((lead, cards) for lead, cards, _ in deal.tricks)):
        for place, card in enumerate(cards):
            if (card ^ cards[0]) & 3:
                missing[(leader + place) % len(missing)] |= OF_SUIT[cards[0] & 3]
    return missing
