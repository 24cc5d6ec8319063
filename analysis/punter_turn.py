"""A punter's exact best action in the middle of a coup, from what his seat has seen.

The banker plays a given policy. What the punter does not know is dealt from the cards he has not seen, without
replacement; what the other punters did before him, and that none of them has shown a natural, tells something of the
cards they hold. Zeros that he and the banker may throw are followed to the last of them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any

import numpy as np

from analysis.choices import Choices
from analysis.exact import engine
from analysis.frame import HANDS
from analysis.lines import OTHERS, Lines, Row, Unseen
from analysis.naturals import FIRST, LATER, hand_code
from analysis.numbers import Number, ratio
from analysis.shoe import banker_may_draw, may_discard
from analysis.strategies import HIDDEN, STOOD, BankerTable, cached_plan
from casino.banking.plan import DRAW_BIT, STAND_BIT, Plan
from casino.banking.rules import Rules
from casino.banking.text import DISCARD, DRAW, STAND
from casino.errors import RulesError


@dataclass(frozen=True, slots=True)
class PunterState:
    """A punter's hand on his turn: points of his first cards, whether they replaced a zero, a zero drawn to them.

    `alone`: does the banker go by this punter's third card? (Where several punters play he goes by none.)
    """

    cards: tuple[int, ...]
    replaced: bool = False
    drew_zero: bool = False
    alone: bool = True

    @property
    def points(self) -> int:
        return sum(self.cards) % 10

    @property
    def level(self) -> int:
        return LATER if self.replaced else FIRST


@dataclass(frozen=True)
class PunterDecision(Choices[Number]):
    """What each action is worth to the punter: expected net in stakes, if he then plays on as is best.

    `complete`: the shoe lasts whatever is thrown. Else he throws no zero that it might not replace, and what would
    follow where the banker's empty it is left out.
    """

    values: dict[str, Number]
    rules_hash: str
    complete: bool = True

    def to_json(self) -> dict[str, Any]:
        return {
            "side": "punter",
            **self.worths(),
            "rules_hash": self.rules_hash,
            "engine": engine(),
        }


def punter_decision(
    rules: Rules, unseen: Unseen, state: PunterState, banker: BankerTable, *, exact: bool = True
) -> PunterDecision:
    """The punter's actions at `state`, against a banker who plays a given policy; in fractions, or faster in floats.

    Raises RulesError: no decision to take, or a shoe with too few cards for both hands.
    """
    turn = _Turn(cached_plan(rules), unseen, state, banker, exact)
    values = {action: ratio(worth()[0], turn.asked) for action, worth in turn.actions().items()}
    return PunterDecision(values, rules.hash, turn.complete)


class _Turn:
    """The punter's turn from a state on. Worths are joint with the cards that are dealt, on one denominator."""

    def __init__(
        self, plan: Plan, unseen: Unseen, state: PunterState, banker: BankerTable, exact: bool
    ) -> None:
        self.plan, self.state, self.banker = plan, state, banker
        self.unit = lcm(*(Fraction(weight).denominator for row in banker.draw for weight in row))
        self.may = self._may(state.points, state.level) if not state.drew_zero else 0
        self.throws_first = plan.punter_dealt and state.cards == (0,) and not state.drew_zero
        more = banker_may_draw(plan) + self.throws_first + (state.drew_zero or self._may_ever_draw())
        most = plan.first + more
        thrown = unseen.pool[0] if may_discard(plan) else 0
        left = unseen.free - plan.first if unseen.left is None else unseen.left
        _check_shoe(left, more)
        self.spare = left - more  # zeros that may be thrown and leave the shoe cards enough
        self.complete = thrown <= self.spare
        length = plan.first + min(more + thrown, left)
        self.lines = Lines(unseen, length, most, thrown or min(most, unseen.pool[0]), exact)
        self._known: dict[tuple[int, int, tuple[int, ...]], Row] = {}

    def _may_ever_draw(self) -> bool:
        return bool(self.may & DRAW_BIT) or (
            self.throws_first and any(bits & DRAW_BIT for bits in self.plan.punter)
        )

    def _may(self, points: int, level: int) -> int:
        """Draw and stand as the rules have it; 0 for a natural that is shown at once."""
        shown = points in self.plan.punter_ends and hand_code(self.plan, points, level) >= 10
        return 0 if shown else self.plan.punter[points]

    @cached_property
    def asked(self) -> float:
        """The weight of all that may be: the banker has shown no natural."""
        weight: float = self._first_hands(lambda _: 1, ())[0]
        return weight

    def actions(self) -> dict[str, Callable[[], Row]]:
        """What he may do, and how to work out what it is worth."""
        state, points = self.state, self.state.points
        worths: dict[str, Callable[[], Row]] = {}
        if state.drew_zero:
            if not self.plan.punter_drawn:
                raise RulesError(
                    "a punter who has drawn is done: he may throw no zero", pointer="/state/drawn"
                )
            worths[DISCARD] = lambda: self._drawn(points, ())
            worths[STAND] = lambda: self._worth(points, 1, ())
            return worths
        if self.throws_first:
            worths[DISCARD] = self._replaced
        if self.may & DRAW_BIT:
            worths[DRAW] = lambda: self._drawn(points, ())
        if self.may & STAND_BIT:
            worths[STAND] = lambda: self._worth(hand_code(self.plan, points, state.level), STOOD, ())
        return worths

    # By numbers of zeros taken before, all at once

    def _best(self, points: int, taken: tuple[int, ...]) -> Row:
        """The worth of a hand that replaced a zero, under best play; a natural may be shown at once."""
        may, found = self._may(points, LATER), []
        if not may:
            return self._first_hands(lambda banker: self.plan.table[points + 10][banker], taken)
        if may & DRAW_BIT:
            found.append(self._drawn(points, taken))
        if may & STAND_BIT:
            found.append(self._worth(hand_code(self.plan, points, LATER), STOOD, taken))
        best: Row = np.maximum.reduce(found)
        return best

    def _replaced(self) -> Row:
        """A dealt zero is thrown, and another card comes; a zero again may be kept, or go like the first."""
        return self._or_again([self._best(card, (card,)) for card in OTHERS], self._best(0, ()))

    def _drawn(self, points: int, taken: tuple[int, ...]) -> Row:
        """A card is drawn to so many points; drawn zeros may be thrown."""
        others = [self._worth((points + card) % 10, 1 + card, (*taken, card)) for card in OTHERS]
        kept = self._worth(points, 1, taken)
        if not self.plan.punter_drawn:
            found: Row = sum(others, start=_after(kept, 1))
            return found
        return self._or_again(others, kept)

    def _or_again(self, others: Sequence[Row], kept: Row) -> Row:
        """`others` for cards that are no zeros, and for a zero the better of keeping it and throwing it."""
        found: Row = sum(others, start=0 * kept)
        for zeros in range(self.lines.zeros - 1, -1, -1):
            again = zeros < self.spare and found[zeros + 1] > kept[zeros + 1]
            found[zeros] += found[zeros + 1] if again else kept[zeros + 1]
        return found

    # The banker

    def _worth(self, code: int, column: int, taken: tuple[int, ...]) -> Row:
        """A finished hand of that code, against all that the banker may come to; `taken`: cards that are no zeros."""
        if column != STOOD:
            column = (column if self.plan.face_up else HIDDEN) if self.state.alone else STOOD
        key = code, column, taken
        if key not in self._known:
            self._known[key] = self._against(code, column, taken)
        return self._known[key]

    def _against(self, code: int, column: int, taken: tuple[int, ...]) -> Row:
        pays, draws = self.plan.table[code], [int(row[column] * self.unit) for row in self.banker.draw]
        again = int(self.banker.discard_drawn)
        if self.plan.first == 2:
            return self._pairs(pays, draws, taken)
        met = tuple(card for card in OTHERS if card not in self.plan.banker_ends)
        found = self._kept(met, FIRST, pays, draws, taken, 0)
        if self.banker.discard_dealt:
            return found + _after(self._kept(OTHERS, LATER, pays, draws, taken, 1), 1)
        # A zero that is kept, and whatever is drawn to it.
        stand, drawn = self._line(taken), self.lines.rows(taken, OTHERS)
        found = found + _after((self.unit - draws[0]) * pays[0] * stand, 1)
        found = found + _after(
            [draws[0] * pays[card] for card in OTHERS] @ self.lines.weights[again][drawn], 1
        )
        return found if again else found + _after(draws[0] * pays[0] * stand, 2)

    def _kept(
        self,
        cards: tuple[int, ...],
        level: int,
        pays: Sequence[int],
        draws: Sequence[int],
        taken: tuple[int, ...],
        thrown: int,
    ) -> Row:
        """A first card that is no zero, kept after any number of zeros thrown (`thrown` 1) or none (0)."""
        weights, again = self.lines.weights, int(self.banker.discard_drawn)
        first = self.lines.rows(taken, cards)
        stand = [(self.unit - draws[card]) * pays[hand_code(self.plan, card, level)] for card in cards]
        found = stand @ weights[thrown][first]
        drawing = tuple(card for card in cards if draws[card])
        if drawing:
            both = self.lines.rows(taken, drawing, OTHERS)
            pay = [draws[card] * pays[(card + third) % 10] for card in drawing for third in OTHERS]
            found = found + pay @ weights[thrown + again][both]
            if not again:
                zero = [draws[card] * pays[card] for card in cards]
                found = found + _after(zero @ weights[thrown][first], 1)
        return found

    def _pairs(self, pays: Sequence[int], draws: Sequence[int], taken: tuple[int, ...]) -> Row:
        """Two first cards: no zero is ever thrown."""
        found: Row = 0 * self.lines.weights[0][0]
        for hand in HANDS[2]:
            if hand.points in self.plan.banker_ends:
                continue
            stand = (self.unit - draws[hand.points]) * pays[hand_code(self.plan, hand.points, FIRST)]
            lines = [(stand, hand.cards)] if stand else []
            if draws[hand.points]:
                lines += [
                    (draws[hand.points] * pays[(hand.points + third) % 10], (*hand.cards, third))
                    for third in range(10)
                ]
            for pay, cards in lines:
                found = found + hand.orders * pay * self._line((*taken, *cards))
        return found

    def _line(self, cards: tuple[int, ...]) -> Row:
        """A line with zeros among its cards."""
        others = tuple(card for card in cards if card)
        return _after(self.lines.weights[0][self.lines.rows(others)[0]], len(cards) - len(others))

    def _first_hands(self, pays: Callable[[int], int], taken: tuple[int, ...]) -> Row:
        """The banker's first cards alone, no natural of his having been shown."""
        found: Row = 0 * self.lines.weights[0][0]
        for hand in HANDS[self.plan.first]:
            if hand.points not in self.plan.banker_ends:
                pay = pays(hand_code(self.plan, hand.points, FIRST))
                found = found + self.unit * hand.orders * pay * self._line((*taken, *hand.cards))
        return found


def _after(row: Row, zeros: int) -> Row:
    """A row once so many more zeros are gone."""
    return np.concatenate([row[zeros:], np.zeros(zeros, row.dtype)])


def _check_shoe(left: int, more: int) -> None:
    """Without zeros thrown the shoe must do for this hand and the banker's. Raises RulesError."""
    if left < more:
        raise RulesError(
            f"this hand and the banker's may take {more} cards yet, and the shoe holds {left}: what happens when it is"
            " empty is not worked out",
            pointer="/shoe",
        )
