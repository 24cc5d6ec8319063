"""What a punter's finished hand is worth against a banker who goes by points: one first card each.

A banker who throws zeros whenever he may meets, in the order of the shoe, the first card that is no zero; which of
those it is does not depend on how many zeros lie before it. With r zeros among t cards, k = t - r that are none:

    kept b at once                  R_b / t
    kept b after throwing zeros     (r / t)(R_b / k)
    next card a zero, given that a zero came first and b was kept after it    (r - 1)/(t - 1)

(the r - 1 other zeros lie uniformly in the gaps between the cards that are none, and the gap behind b is one like
any other), and where drawn zeros are thrown too, the next card kept is e with R_e/(k - 1). So his whole turn is a
quadratic in r over t(t - 1)k(k - 1), with sums over b and e that do not depend on r.
"""

from collections.abc import Sequence
from typing import NamedTuple

from analysis.frame import Frame
from analysis.naturals import FIRST, LATER, LEVELS, code, punter_fixed, punter_shown
from analysis.strategies import HIDDEN, STOOD, BankerTable
from analysis.tree import Leaves, Row

CARDS = range(10)
_OTHERS = range(1, 10)


class Kept(NamedTuple):
    """Sums over a kept card that is no zero: standing on it, drawing a zero to it, drawing another card to it."""

    stand: int
    zero: int
    other: int


class Turn(NamedTuple):
    """The banker's turn against one finished hand, but for the number of zeros left.

    `dealt`: his first card was no zero; `zero`: it was, and is thrown (after it: all sums) or kept (`kept_*`).
    """

    dealt: Kept
    replaced: Kept
    kept_stand: int
    kept_zero: int
    kept_other: int


def rote_leaves(frame: Frame, table: BankerTable) -> Leaves:
    """Ends of a punter's tree against a banker's table. One first card only (`first_cards` 1)."""
    turns = _Turns(frame, table)
    fixed = punter_fixed(frame)
    stand, drawn = [], []
    for thrown in range(frame.zeros + 1):
        rows = tuple(
            [turns.stood(thrown, level, card, card in fixed[level]) for card in CARDS] for level in LEVELS
        )
        stand.append((rows[FIRST], rows[LATER]))
        drawn.append([[turns.drew(thrown, card, third) for third in CARDS] for card in CARDS])
    return Leaves(stand, (drawn, drawn), fixed)


class _Turns:
    """The banker's turns against every finished hand, each summed once."""

    def __init__(self, frame: Frame, table: BankerTable) -> None:
        self.frame, self.table = frame, table
        self.unit = frame.units[1]
        self.weights = tuple(
            tuple(int(table.draw[points][column] * self.unit) for points in CARDS)
            for column in range(len(table.draw[0]))
        )
        self.first_codes = [code(frame, points, FIRST) for points in CARDS]
        self.later_codes = [code(frame, points, LATER) for points in CARDS]
        self.stood_turns: dict[tuple[int, int], Turn] = {}
        self.drew_turns: dict[tuple[int, int], Turn] = {}

    def stood(self, thrown: int, level: int, card: int, ended: bool) -> int:
        """A punter who stood on `card` with `thrown` zeros gone."""
        own = code(self.frame, card, level)
        if ended:
            return punter_shown(self.frame, self.frame.hands[card], thrown)
        if (card, own) not in self.stood_turns:
            self.stood_turns[card, own] = self._turn((card,), own, STOOD)
        return self._worth(thrown, (card,), self.stood_turns[card, own], self.frame.pay[own][0])

    def drew(self, thrown: int, card: int, third: int) -> int:
        """A punter who drew `third` to `card`."""
        if not self.frame.plan.punter[card] & 2:
            return 0
        final = (card + third) % 10
        if (card, third) not in self.drew_turns:
            column = 1 + third if self.frame.plan.face_up else HIDDEN
            self.drew_turns[card, third] = self._turn((card, third), final, column)
        return self._worth(thrown, (card, third), self.drew_turns[card, third], self.frame.pay[final][0])

    def _turn(self, cards: tuple[int, ...], own: int, column: int) -> Turn:
        frame = self.frame
        left = list(frame.shoe.counts)
        for card in cards:
            left[card] -= frame.gone
        left[0] = 0
        pay = frame.pay[own]
        draws = self.weights[column]
        met = set(_OTHERS) - frame.plan.banker_ends
        dealt = self._kept(left, pay, draws, self.first_codes, met)
        replaced = self._kept(left, pay, draws, self.later_codes, set(_OTHERS))
        if self.table.discard_dealt:
            return Turn(dealt, replaced, 0, 0, 0)
        other = sum(left[e] * pay[e] for e in _OTHERS) if draws[0] else 0
        return Turn(dealt, replaced, (self.unit - draws[0]) * pay[0], draws[0] * pay[0], draws[0] * other)

    def _kept(
        self, left: list[int], pay: Sequence[int], draws: Sequence[int], codes: Row, met: set[int]
    ) -> Kept:
        stand = zero = other = 0
        for b in met:
            count = left[b]
            stand += count * (self.unit - draws[b]) * pay[codes[b]]
            if draws[b] and count:
                zero += count * draws[b] * pay[b]
                left[b] -= self.frame.gone
                other += count * draws[b] * sum(left[e] * pay[(b + e) % 10] for e in _OTHERS)
                left[b] = count
        return Kept(stand, zero, other)

    def _worth(self, thrown: int, cards: tuple[int, ...], turn: Turn, pay_zero: int) -> int:
        """The banker's turn with `thrown` zeros gone besides those among `cards`, weighted by the whole line."""
        frame = self.frame
        held = cards.count(0)
        zeros = frame.shoe.counts[0] - (thrown + held) * frame.gone
        if zeros < 0:
            return 0
        others = frame.others - (len(cards) - held) * frame.gone
        rote = frame.rote_den(others)
        used = thrown + len(cards) + 1 + frame.banker_draws
        weight = frame.zero_weights[thrown + held] * frame.ways(cards) * (frame.scale[used] // rote)
        return weight * self._quadratic(turn, zeros, others, rote)

    def _quadratic(self, turn: Turn, zeros: int, others: int, rote: int) -> int:
        """His turn over t(t - 1) · rote, as at the head of this module."""
        table, gone = self.table, self.frame.gone
        rest = zeros + others - gone if self.frame.banker_draws else 1
        others_rest = others - gone if self.frame.banker_draws else 1
        zeros_rest = zeros - gone
        dealt, after = turn.dealt, turn.replaced
        found = dealt.stand * rest * rote
        if table.discard_drawn:
            found += dealt.other * rest * others
        else:
            found += (dealt.other + dealt.zero * zeros) * rote
        if table.discard_dealt:
            first_zero = after.stand * rest * others_rest
            if table.discard_drawn:
                first_zero += after.other * rest
            else:
                first_zero += after.other * others + after.zero * zeros_rest * others_rest
        else:
            first_zero = turn.kept_stand * rest * rote
            if table.discard_drawn:
                first_zero += turn.kept_other * rest * others_rest
            else:
                first_zero += (turn.kept_other + turn.kept_zero * zeros_rest) * rote
        return found + zeros * first_zero
