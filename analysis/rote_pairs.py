"""The same as `rote` where two first cards are dealt each (no zeros are thrown then): the banker's turn by points.

With R cards left by points, the ordered pairs that make B points number P[B] = Σ_x R_x (R_{B-x} - [x = B-x]), and
the pairs with a third card e number R_e P[B] - 2 R_e (R_{B-e} - [e = B-e]): every pair holding an e leaves one fewer.
"""

from analysis.frame import Frame, Hand
from analysis.naturals import FIRST, code, punter_fixed, punter_shown
from analysis.strategies import HIDDEN, STOOD, BankerTable
from analysis.tree import Leaves, Row
from casino.banking.plan import DRAW_BIT

CARDS = range(10)


def rote_pair_leaves(frame: Frame, table: BankerTable) -> Leaves:
    """Ends of a punter's tree against a banker's table, with two first cards."""
    pairs = _Pairs(frame, table)
    fixed = punter_fixed(frame)
    stand = [
        punter_shown(frame, hand, 0) if number in fixed[FIRST] else pairs.stood(hand)
        for number, hand in enumerate(frame.hands)
    ]
    drawn = [
        [pairs.drew(hand, 0), sum(pairs.drew(hand, third) for third in CARDS[1:])] for hand in frame.hands
    ]
    return Leaves([(stand, stand)], ([drawn], [drawn]), fixed)


class _Pairs:
    def __init__(self, frame: Frame, table: BankerTable) -> None:
        self.frame, self.unit = frame, frame.units[1]
        self.weights = tuple(
            tuple(int(row[column] * self.unit) for row in table.draw) for column in range(len(table.draw[0]))
        )
        self.met = tuple(points for points in CARDS if points not in frame.plan.banker_ends)

    def stood(self, hand: Hand) -> int:
        """A punter who stood."""
        return self._worth(hand, hand.cards, code(self.frame, hand.points, FIRST), STOOD)

    def drew(self, hand: Hand, third: int) -> int:
        """A punter who drew."""
        if not self.frame.plan.punter[hand.points] & DRAW_BIT:
            return 0
        column = 1 + third if self.frame.plan.face_up else HIDDEN
        return self._worth(hand, (*hand.cards, third), (hand.points + third) % 10, column)

    def _worth(self, hand: Hand, cards: tuple[int, ...], own: int, column: int) -> int:
        frame = self.frame
        held = cards.count(0)
        weight = hand.orders * frame.ways(cards) * frame.zero_weights[held]
        if not weight:
            return 0
        left = list(frame.shoe.counts)
        for card in cards:
            left[card] -= frame.gone
        used = len(cards) + 2 + frame.banker_draws
        return weight * frame.scale[used] * self._turn(left, own, self.weights[column])

    def _turn(self, left: Row, own: int, draws: Row | tuple[int, ...]) -> int:
        """His turn over all ordered pairs, and third cards where he may draw."""
        frame, gone = self.frame, self.frame.gone
        pay = frame.pay[own]
        rest = sum(left) - 2 * gone if frame.banker_draws else 1
        total = 0
        for points in self.met:
            partner = [left[points - card] - gone * (2 * card % 10 == points) for card in CARDS]
            pairs = sum(count * other for count, other in zip(left, partner, strict=True))
            total += (self.unit - draws[points]) * pairs * rest * pay[code(frame, points, FIRST)]
            if draws[points]:
                total += draws[points] * sum(
                    left[card] * (pairs - 2 * gone * partner[card]) * pay[(points + card) % 10]
                    for card in CARDS
                )
        return total
