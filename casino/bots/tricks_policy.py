"""How the trick bots judge cards: a bid from a hand, a card from a trick, on bit masks and open facts alone."""

from typing import Final

from casino.cards import members
from casino.tricks.actions import OF_SUIT
from casino.tricks.deal import NO_TRUMP, TAKERS

# Cards of the same suit above each card.
HIGHER: Final = TAKERS[NO_TRUMP]
# Chosen by the share of bids met in random deals of 1 to 20 cards for 2 to 6 seats: how much of a card's chance is
# that of a suit laid without care, what a trump is worth that higher ones are out against, and the cards in hand
# from which side suits are led often enough.
_CARELESS: Final = 0.8
_SMALL_TRUMP: Final = 0.3
_LED_BY: Final = 4
_SUITS: Final = (*OF_SUIT, 0)  # the last stands for no trump


def expected_tricks(hand: int, unseen: int, trump: int, others: int, leads: bool) -> float:
    """Tricks that a hand may be good for against `others` seats that hold as many of the unseen cards each.

    A card wins if no higher one of its suit is out against it, or, in longer hands, if none happens to be laid on
    it, and if nobody is void and trumps. A side suit must also be led, which in a short hand seldom happens unless
    its owner leads.
    """
    size = hand.bit_count()
    total = unseen.bit_count()
    if not total:
        return float(size)
    held = min(1.0, others * size / total)  # the chance that an unseen card is in a hand
    trumps = (unseen & _SUITS[trump]).bit_count()
    ruffs = 1 - (1 - trumps / total) ** size  # the chance that a seat has a trump
    led = min(1.0, (size + leads) / _LED_BY)
    careless = _CARELESS * (1 - 1 / size)
    tricks = 0.0
    for card in members(hand):
        above = (unseen & HIGHER[card]).bit_count()
        out = (unseen & OF_SUIT[card & 3]).bit_count()
        any_card = (1 - above / out) ** others if out else 1.0
        wins = careless * any_card + (1 - careless) * (1 - held) ** above
        if card & 3 == trump:
            tricks += max(wins, _SMALL_TRUMP)
        else:
            void = (1 - out / total) ** size
            tricks += led * wins * (1 - void * ruffs) ** others
    return tricks


def choose_card(legal: int, best: int, trump: int, unseen: int, wants: bool, last: bool) -> int:
    """A card to lay: to win if more tricks are wanted, else to lose and to be rid of what would win later.

    `best` is the card to beat, below 0 when leading; `last`: nobody lays after this seat.
    """
    if best < 0:
        return _least_beaten(legal, trump, unseen) if wants else _most_beaten(legal, trump, unseen)
    winning = legal & TAKERS[trump][best]
    if wants:
        if not winning:
            return _most_beaten(legal, trump, unseen)
        return _most_beaten(winning, trump, unseen) if last else _least_beaten(winning, trump, unseen)
    losing = legal & ~winning
    if losing:
        return _least_beaten(losing, trump, unseen)
    return _least_beaten(legal, trump, unseen) if last else _most_beaten(legal, trump, unseen)


def _beaten_by(card: int, trump: int, unseen: int) -> int:
    """Unseen cards that would take a trick from this one (were it led), those of its suit counting double."""
    above = 2 * (unseen & HIGHER[card]).bit_count()
    return above if card & 3 == trump else above + (unseen & _SUITS[trump]).bit_count()


def _least_beaten(cards: int, trump: int, unseen: int) -> int:
    return min(members(cards), key=lambda card: (_beaten_by(card, trump, unseen), card))


def _most_beaten(cards: int, trump: int, unseen: int) -> int:
    return max(members(cards), key=lambda card: (_beaten_by(card, trump, unseen), -card))
