"""How the shedding bots judge what they may do: on masks, the hand and open facts alone."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from casino.shedding.actions import (
    ACCEPT,
    ADD,
    CHOOSE,
    DRAW,
    END,
    MACAO,
    NAME,
    NAME_ANY,
    PASS,
    laid,
)
from casino.shedding.deal import LAYER
from casino.shedding.patterns import ALL, BITS
from casino.shedding.tables import Tables

_SMALL_PENALTY: Final = 3  # cards that are taken rather than an answer given away
_FEW_CARDS: Final = 5  # beside which a card is drawn though a wild one could be laid
_LAST: Final = 1000.0  # what going out is worth; nothing else comes near
_LATE: Final = 50.0  # what is kept for later goes behind everything else
_NEAR_OUT: Final = 1  # cards of a seat that is worth attacking
_LONG: Final = 60  # turns a seat of a deal in which the best card was tried long enough
_OUT_OF_TURN: Final = MACAO  # this action and all above may be said whoever's turn it is


@dataclass(frozen=True, slots=True)
class Traits:
    """The tactics that the texts name (`rules/shedding.md`, «What the texts say of tactics»); all off: none of them."""

    keep_wild: bool = False
    shed_high: bool = False
    keep_seven: bool = False
    draw_though_able: bool = False
    take_penalty: bool = False
    hold_back: bool = False
    deny_four: bool = False


@dataclass(slots=True)
class Look:
    """What a seat on turn goes by: its hand, what it may do, and how many cards each seat holds.

    `target`: cards of the seat that an attack would hit next; `asked`: how often the four-round has come round;
    `turns` of the deal so far.
    """

    tables: Tables
    hand: int
    menu: Sequence[int]
    sizes: Sequence[int]
    target: int
    penalty: int
    asked: int
    turns: int


def decide(look: Look, traits: Traits) -> int:
    """The action of `simple`: what is to be said first, then the best card, else what is left."""
    menu = look.menu
    if menu[-1] >= _OUT_OF_TURN:
        return menu[-1]
    if len(menu) == 1:
        return menu[0]
    cards = [action for action in menu if action < NAME]
    if look.turns > _LONG * len(look.sizes):
        return _otherwise(look, cards or menu)
    if not cards:
        return _words(look)
    if len(cards) < len(menu) and _rather_not(look, traits, cards, menu[-1]):
        return menu[-1]
    return max(cards, key=lambda action: worth(look, traits, action))


def _otherwise(look: Look, actions: Sequence[int]) -> int:
    """A deal that goes on for so long has come back to where it was: go out if that can be, else vary."""
    lone = not look.hand & (look.hand - 1)
    return actions[0] if lone else actions[look.turns % len(actions)]


def ranked(look: Look, traits: Traits) -> list[int]:
    """All actions in turn, those that `simple` likes best first."""
    best = decide(look, traits)
    rest = [action for action in look.menu if action != best and action < _OUT_OF_TURN]
    rest.sort(key=lambda action: worth(look, traits, action) if action < NAME else 0.0, reverse=True)
    return [best, *rest]


def worth(look: Look, traits: Traits, action: int) -> float:
    """How good it is to lay this card now: how many others of the hand would go on it, and what it does."""
    tables = look.tables
    card, face = laid(action)
    rest = look.hand ^ _held(look.hand, card)
    if not rest:
        return _LAST
    worth = float((rest & tables.follow[face]).bit_count())
    worth += (rest & tables.joins[face]).bit_count()
    power = tables.powers[face]
    if look.penalty:
        worth -= 10.0 * power.draw if power is not None else 0.0
    elif BITS[face] & tables.attacks:
        worth += 4.0 if look.target <= _NEAR_OUT else -5.0
    if traits.shed_high:
        worth += tables.values[card] / 4
    if traits.keep_wild and BITS[card] & tables.wild:
        worth -= _LATE
    if traits.keep_seven and BITS[card] & tables.doubling:
        worth -= _LATE
    return worth


def _held(hand: int, card: int) -> int:
    """The bit of the hand that this card is; of equal ones the uppermost."""
    bit = BITS[card]
    while hand & bit << LAYER:
        bit <<= LAYER
    return bit


def _rather_not(look: Look, traits: Traits, cards: Sequence[int], otherwise: int) -> bool:
    """Does a tactic speak against laying a card, now that something else may be done?"""
    rule = _RATHER_NOT.get(otherwise)
    return bool(rule and look.hand & (look.hand - 1) and rule(look, traits, cards))


def _rather_draws(look: Look, traits: Traits, cards: Sequence[int]) -> bool:
    few = look.hand.bit_count() <= _FEW_CARDS
    kept = look.tables.wild | look.tables.attacks
    return traits.draw_though_able and few and all(BITS[laid(action)[0]] & kept for action in cards)


def _rather_takes(look: Look, traits: Traits, cards: Sequence[int]) -> bool:
    return traits.take_penalty and 0 < look.penalty <= _SMALL_PENALTY and look.hand.bit_count() > 2


def _rather_denies(look: Look, traits: Traits, cards: Sequence[int]) -> bool:
    return traits.deny_four and look.asked == 1


def _rather_keeps(look: Look, traits: Traits, cards: Sequence[int]) -> bool:
    """At the end of a turn: is every card that may still be laid one to keep?

    A second attack in one turn is kept for the next: what is sent at once comes back at once, and where few play
    such wars need not end.
    """
    tables = look.tables
    kept = tables.wild if traits.keep_wild else 0
    if traits.keep_seven:
        kept |= tables.doubling
    if cards[0] >= ADD and look.hand.bit_count() > len(cards):
        kept |= ALL if traits.hold_back else tables.attacks
    return bool(kept) and all(BITS[laid(action)[0]] & kept for action in cards)


_Rule = Callable[[Look, Traits, Sequence[int]], bool]
# By what could be done instead of laying a card: when it is.
_RATHER_NOT: Final[dict[int, _Rule]] = {
    DRAW: _rather_draws,
    ACCEPT: _rather_takes,
    PASS: _rather_denies,
    END: _rather_keeps,
}


def _words(look: Look) -> int:
    """What to name, or whom to choose: what the own hand can meet best, and who is nearest to going out."""
    menu = look.menu
    if menu[0] >= CHOOSE:
        seats = [action for action in menu if action < END]
        return min(seats, key=lambda action: look.sizes[action - CHOOSE]) if seats else menu[0]
    return max(menu, key=lambda action: _met(look, action))


def _met(look: Look, action: int) -> float:
    """How many cards of the hand meet a demand. To make none is as good as the least of them."""
    if not NAME <= action < NAME_ANY:
        return 0.5
    return (look.hand & look.tables.demanded[action - NAME] & ~look.tables.wild).bit_count()
