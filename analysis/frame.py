"""One scale for every line of a coup, in exact integers.

A line of play is a sequence of cards; its weight is the product of the cards of each kind there were when it came
(4 aces, then 3 …), over the falling factorial n(n-1)(n-2)… of the shoe. Put on one denominator, `Frame.den`,
weights of lines of different lengths add and compare as integers, and no fraction is reduced before the end.

What a line brings is an integer too, with one field of bits for each outcome and one on top for the net result:
`Frame.pay[punter][banker]`. A sum of weighted payoffs is then the whole distribution at once, and its top field,
the expected net times `den` plus a constant, is what choices compare. (Kronecker's substitution.)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import lcm, prod
from typing import NamedTuple

from analysis.outcome import Outcome, Spread, outcomes_of
from analysis.shoe import Shoe, banker_may_draw, kept_cards, may_discard, punter_may_draw
from casino.banking.plan import Plan

_SUIT = 13  # cards of one suit: the weights of an infinite shoe add up to it
_NOT_ZERO = 9
_CLOSURES = (_NOT_ZERO * _SUIT) ** 4  # both seats may throw dealt and drawn zeros: four geometric sums


class Hand(NamedTuple):
    """First cards of a seat: the cards by points (ascending), their points, zeros among them, and orders."""

    cards: tuple[int, ...]
    points: int
    zeros: int
    orders: int


HANDS = {
    1: tuple(Hand((card,), card, int(card == 0), 1) for card in range(10)),
    2: tuple(
        Hand((low, high), (low + high) % 10, (low == 0) + (high == 0), 1 + (low != high))
        for low in range(10)
        for high in range(low, 10)
    ),
}


@dataclass(frozen=True)
class Frame:
    """The scale for one plan and shoe. `units`: denominators of mixed policies, the punter's and the banker's."""

    plan: Plan
    shoe: Shoe
    units: tuple[int, int] = (1, 1)

    @cached_property
    def zeros(self) -> int:
        """Most zeros that a coup may see thrown away; of an infinite shoe 0, its sums are closed."""
        return self.shoe.counts[0] if may_discard(self.plan) and not self.shoe.infinite else 0

    @cached_property
    def others(self) -> int:
        """Cards that are not zeros."""
        return self.shoe.cards - self.shoe.counts[0]

    @property
    def gone(self) -> int:
        """What drawing a card takes off its count."""
        return 0 if self.shoe.infinite else 1

    @cached_property
    def hands(self) -> tuple[Hand, ...]:
        """All first hands of a seat."""
        return HANDS[self.plan.first]

    @cached_property
    def punter_draws(self) -> bool:
        return punter_may_draw(self.plan)

    @cached_property
    def banker_draws(self) -> bool:
        return banker_may_draw(self.plan)

    @cached_property
    def banker_discards(self) -> bool:
        return self.plan.banker_dealt or self.plan.banker_drawn

    @cached_property
    def length(self) -> int:
        """Cards of the longest line."""
        return kept_cards(self.plan) + self.zeros

    @cached_property
    def scale(self) -> tuple[int, ...]:
        """By cards that a line used: what brings its weight to the common denominator."""
        rest = [1]
        for used in range(self.length - 1, -1, -1):
            rest.append(rest[-1] * (self.shoe.cards - used * self.gone))
        return tuple(value * self.common for value in reversed(rest))

    @cached_property
    def common(self) -> int:
        """Further factors of the denominator: of rote discards, of closed sums."""
        factors = 1
        if self.banker_discards:
            factors *= lcm(*(self.rote_den(self.others - held * self.gone) for held in range(3)))
        if self.shoe.infinite and may_discard(self.plan):
            factors *= _CLOSURES
        return factors

    def rote_den(self, others: int) -> int:
        """Denominator that a banker who throws zeros by rote brings in, `others` cards being no zeros."""
        if not self.banker_discards:
            return 1
        return others * (others - self.gone if self.banker_draws else 1)

    @cached_property
    def den(self) -> int:
        """The common denominator."""
        return self.scale[0] * prod(self.units)

    def zero_ways(self, used: int) -> int:
        """Ordered ways of taking `used` zeros."""
        count = self.shoe.counts[0]
        return count**used if self.shoe.infinite else prod(range(count - used + 1, count + 1))

    @cached_property
    def zero_weights(self) -> tuple[int, ...]:
        """`zero_ways` of 0 … thrown + 6 held zeros."""
        return tuple(self.zero_ways(used) for used in range(self.zeros + 7))

    def ways(self, cards: Sequence[int]) -> int:
        """Ordered ways of taking these cards, zeros left out of account."""
        found = 1
        for place, card in enumerate(cards):
            if card:
                found *= self.shoe.counts[card] - self.gone * cards[:place].count(card)
        return found

    def close(self, value: int) -> int:
        """Infinite shoe: a value over all numbers of zeros that may be thrown before it, Σ (4/13)^k = 13/9."""
        return value * _SUIT // _NOT_ZERO

    def thrown(self, value: int) -> int:
        """Infinite shoe: a value after one zero more was thrown, 4/13 of it."""
        return value * self.shoe.counts[0] // _SUIT

    @cached_property
    def outcomes(self) -> tuple[Outcome, ...]:
        """All outcomes that the rules know, by net."""
        return outcomes_of(self.plan)

    @cached_property
    def field(self) -> int:
        """Bits of one field: enough for the whole weight of a coup."""
        return self.den.bit_length() + 1

    @cached_property
    def top(self) -> int:
        """Where the top field begins."""
        return self.field * len(self.outcomes)

    @cached_property
    def pay(self) -> tuple[tuple[int, ...], ...]:
        """The payoff table as packed integers."""
        low = self.outcomes[0].net
        packed = {
            outcome: 1 << self.field * index | (outcome.net - low) << self.top
            for index, outcome in enumerate(self.outcomes)
        }
        # Codes that no hand has (naturals below 7) get 0.
        return tuple(
            tuple(packed.get((net, punter % 10 == banker % 10), 0) for banker, net in enumerate(row))  # type: ignore[call-overload]
            for punter, row in enumerate(self.plan.table)
        )

    def prefers(self, sign: int, left: int, right: int) -> bool:
        """Would the seat (sign 1 punter, -1 banker) strictly rather have `left` than `right`?"""
        return sign * ((left >> self.top) - (right >> self.top)) > 0

    def unpack(self, value: int) -> Spread:
        """Weights by outcome of a packed value."""
        mask = (1 << self.field) - 1
        return Spread(
            self.outcomes, tuple(value >> self.field * index & mask for index in range(len(self.outcomes)))
        )
