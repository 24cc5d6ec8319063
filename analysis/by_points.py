"""The best policy that goes by points alone: the same at every node where the points are the same.

Two hands of equal points, or one with more zeros thrown before it than another, are one situation then, and what
counts is their values added up. Whether dealt zeros are thrown decides which nodes are reached, so both are tried.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from analysis.frame import Frame
from analysis.naturals import FIRST, LATER
from analysis.tree import Given, Leaves, Row, Seat, play
from casino.banking.plan import DRAW_BIT, STAND_BIT

_ENDLESS = (9, 4)  # infinite shoe: weight of no zero thrown, and of one or more: 1 and 4/9


@dataclass(frozen=True, slots=True)
class Part:
    """A tree that shares its decisions with others; `times[thrown]`: ways in which that many zeros had been thrown
    before the seat's first decision.
    """

    leaves: Leaves
    times: tuple[int, ...]


def best_by_points(frame: Frame, seat: Seat, parts: Sequence[Part]) -> Given:
    """The seat's best policy by points over trees that look the same to it."""
    if not any(any(part.times) for part in parts):
        parts = [Part(part.leaves, (1,) * len(part.times)) for part in parts]
    best = _policy(frame, seat, parts, seat.throws_dealt)
    if seat.throws_dealt:
        other = _policy(frame, seat, parts, False)
        if frame.prefers(seat.sign, _worth(frame, seat, parts, other), _worth(frame, seat, parts, best)):
            best = other
    return best


def _worth(frame: Frame, seat: Seat, parts: Sequence[Part], given: Given) -> int:
    """All that the seat gets over its trees."""
    wholes = [(part.times, play(frame, seat, part.leaves, given).whole) for part in parts]
    return sum(
        times * both[FIRST] for counts, whole in wholes for times, both in zip(counts, whole, strict=True)
    )


def _policy(frame: Frame, seat: Seat, parts: Sequence[Part], replaces: bool) -> Given:
    """The best draws, and drawn zeros to throw, given whether dealt zeros are thrown."""
    size = len(seat.bits)
    sums: dict[int, list[int]] = {}
    groups = [hand.points for hand in frame.hands]
    for part in parts:
        for options, group in zip(_options(frame, seat, part, replaces), groups, strict=True):
            into = sums.setdefault(group, [0, 0, 0])
            for index, worth in enumerate(options):
                into[index] += worth
    chosen = {
        group: _choose(frame, seat, seat.bits[groups.index(group)], worths) for group, worths in sums.items()
    }
    weights = tuple(int(chosen[groups[hand]][0]) for hand in range(size))
    throws = tuple(chosen[groups[hand]][1] for hand in range(size))
    return Given(weights, replaces, throws)


def _choose(frame: Frame, seat: Seat, bits: int, worths: list[int]) -> tuple[bool, bool]:
    """(draw?, throw a drawn zero?) from the worth of standing, of drawing and keeping zeros, and throwing them."""
    stand, keep, throw = worths
    throws = seat.throws_drawn and not frame.prefers(seat.sign, keep, throw)
    draw = throw if throws else keep
    draws = bits == DRAW_BIT or (bits == DRAW_BIT | STAND_BIT and frame.prefers(seat.sign, draw, stand))
    return draws, throws


def _options(frame: Frame, seat: Seat, part: Part, replaces: bool) -> list[list[int]]:
    """By hand: worth of standing, drawing and keeping zeros, drawing and throwing them, over all its nodes."""
    leaves = part.leaves
    found = [[0, 0, 0] for _ in seat.bits]
    for hand, options in enumerate(found):
        throws = [_throwing(frame, leaves, level, hand) for level in (FIRST, LATER)]
        reached = 0  # ways to come here with a dealt zero thrown
        for thrown, times in enumerate(part.times):
            weights = (times, reached if replaces else 0)
            if frame.shoe.infinite:
                weights = (times * _ENDLESS[0], times * _ENDLESS[1] * replaces)
            if hand == 0 and replaces and seat.throws_dealt:
                weights = (1, 0) if thrown == 0 else (0, 0)  # never kept: as if it were, once
            for level, weight in enumerate(weights):
                if weight and hand not in leaves.fixed[level]:
                    cards = leaves.drawn[level][thrown][hand]
                    options[0] += weight * leaves.stand[thrown][level][hand]
                    options[1] += weight * sum(cards)
                    options[2] += weight * throws[level][thrown]
            reached += times
    return found


def _throwing(frame: Frame, leaves: Leaves, level: int, hand: int) -> Row:
    """By zeros thrown: a draw after which every zero is thrown."""
    others = [sum(cards[hand][1:]) for cards in leaves.drawn[level]]
    if frame.shoe.infinite:
        return [frame.close(others[0])]
    found, after = [], 0
    for worth in reversed(others):
        after += worth
        found.append(after)
    return found[::-1]
