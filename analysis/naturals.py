"""Naturals: which hands are, and what they are worth where they are shown at once, nobody drawing."""

from collections.abc import Sequence

from analysis.frame import Frame, Hand
from casino.banking.hands import NATURALS_FROM
from casino.banking.plan import Plan

FIRST, LATER = 0, 1  # first cards as dealt, or one that replaced a thrown zero
LEVELS = (FIRST, LATER)


def hand_code(plan: Plan, points: int, level: int) -> int:
    """Code of a hand that stands, as the payoff table has it: points, + 10 if natural."""
    natural = points >= NATURALS_FROM and (level == FIRST or plan.natural_after_discard)
    return points + 10 if natural else points


def code(frame: Frame, points: int, level: int) -> int:
    """`hand_code` under a frame's rules."""
    return hand_code(frame.plan, points, level)


def punter_fixed(frame: Frame) -> tuple[frozenset[int], frozenset[int]]:
    """By level: the punter's hands that are shown at once."""
    ended = frozenset(at for at, hand in enumerate(frame.hands) if hand.points in frame.plan.punter_ends)
    return ended, ended if frame.plan.natural_after_discard else frozenset()


def banker_fixed(frame: Frame) -> tuple[frozenset[int], frozenset[int]]:
    """By level: the banker's hands that end the coup before his turn."""
    ended = frozenset(at for at, hand in enumerate(frame.hands) if hand.points in frame.plan.banker_ends)
    return ended, frozenset()


def banker_shown(frame: Frame, hand: Hand) -> int:
    """Value of a punter's first hand together with every banker's natural that is shown at once."""
    shown = [other for other in frame.hands if other.points in frame.plan.banker_ends]
    return (
        _first_hands(frame, hand, code(frame, hand.points, FIRST), shown, 0) * frame.units[0] * frame.units[1]
    )


def punter_shown(frame: Frame, hand: Hand, thrown: int) -> int:
    """Value of a punter's natural that is shown at once, against the banker's first cards (the banker's own
    naturals that are shown before it left out); `thrown` zeros are gone.
    """
    met = [other for other in frame.hands if other.points not in frame.plan.banker_ends]
    return _first_hands(frame, hand, hand.points + 10, met, thrown) * frame.units[1]


def _first_hands(frame: Frame, hand: Hand, own: int, others: Sequence[Hand], thrown: int) -> int:
    total = 0
    for other in others:
        weight = other.orders * frame.ways(hand.cards + other.cards)
        weight *= frame.zero_weights[thrown + hand.zeros + other.zeros]
        total += weight * frame.pay[own][code(frame, other.points, FIRST)]
    return total * hand.orders * frame.scale[thrown + 2 * frame.plan.first]
