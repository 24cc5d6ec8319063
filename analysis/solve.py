"""One coup worked out: both seats' policies put to a frame, given ones as tables, an open one as its best reply."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Final, Literal

from analysis.by_points import Part, best_by_points
from analysis.frame import Frame
from analysis.naturals import FIRST, banker_shown
from analysis.numbers import ratio
from analysis.outcome import FirstCards, Spread
from analysis.replies import BankerTurns, reply_leaves
from analysis.rote import rote_leaves
from analysis.rote_pairs import rote_pair_leaves
from analysis.shoe import Shoe, check_coup
from analysis.strategies import BankerTable, PunterTable, Weight
from analysis.tree import Best, Choice, Given, Leaves, Seat, Values, action_values, play
from casino.banking.plan import Plan
from casino.errors import RulesError

Information = Literal["all", "points"]
INFORMATION: Final[tuple[Information, ...]] = ("all", "points")


@dataclass(frozen=True, slots=True)
class Solved:
    """A coup worked out. `leaves` and `values` are the punter's tree under `choice`; `turns` are the banker's."""

    frame: Frame
    seat: Seat
    leaves: Leaves
    choice: Choice
    values: Values
    turns: BankerTurns

    def whole(self) -> Spread:
        """The whole coup."""
        shown = sum(banker_shown(self.frame, hand) for hand in self.frame.hands)
        return self.frame.unpack(self.values.whole[0][FIRST] + shown)

    def actions(self, hands: Iterable[int], thrown: int, level: int) -> dict[str, Spread]:
        """What each action brings at these hands together, `thrown` zeros having been thrown before."""
        at = [(thrown, level, hand) for hand in hands]
        parts = [action_values(self.seat, self.leaves, self.values, node, self.choice.unit) for node in at]
        spreads = {action: self.frame.unpack(sum(part[action] for part in parts)) for action in parts[0]}
        return {action: spread for action, spread in spreads.items() if spread.total}

    def dealt(self, hands: Iterable[int]) -> Spread:
        """All that follows these first hands, a banker's natural shown at once among it."""
        worth = 0
        for hand in hands:
            keep, more = self.values.hand[0][FIRST][hand], self.values.more[0]
            throws = hand == 0 and self.seat.throws_dealt and self.choice.replace(0, FIRST, keep, more)
            worth += (more if throws else keep) + banker_shown(self.frame, self.frame.hands[hand])
        return self.frame.unpack(worth)

    def by_first_card(self) -> dict[int, FirstCards]:
        """What follows first cards of each number of points, and each action on them."""
        found = {}
        for points in range(10):
            hands = [number for number, hand in enumerate(self.frame.hands) if hand.points == points]
            spread = self.dealt(hands)
            if spread.total:
                chance = ratio(spread.total, self.frame.den)
                found[points] = FirstCards(points, chance, spread, self.actions(hands, 0, FIRST))
        return found


def solve(
    plan: Plan,
    shoe: Shoe,
    punter: PunterTable | None,
    banker: BankerTable | None,
    information: Information = "all",
) -> Solved:
    """Work a coup out; None is a side that plays its best reply to the other, which must be given then.

    Raises RulesError: both sides open, or a shoe that might not serve a coup.
    """
    check_coup(shoe, plan)
    if punter is None and banker is None:
        raise RulesError("both sides are to be worked out: that is an equilibrium", pointer="/banker")
    frame = Frame(plan, shoe, (_unit(punter.draw if punter else ()), _unit(_flat(banker))))
    turns = BankerTurns(frame)
    if banker is None and punter is not None:
        decide = turns.decide if information == "all" else turns.decide_by_points
        decide(punter)
    leaves = reply_leaves(turns) if banker is None else _closed_leaves(frame, banker)
    seat = Seat(
        tuple(plan.punter[hand.points] for hand in frame.hands), plan.punter_dealt, plan.punter_drawn, 1
    )
    choice = _choice(frame, seat, leaves, punter, information)
    return Solved(frame, seat, leaves, choice, play(frame, seat, leaves, choice), turns)


def _closed_leaves(frame: Frame, banker: BankerTable) -> Leaves:
    return rote_leaves(frame, banker) if frame.plan.first == 1 else rote_pair_leaves(frame, banker)


def _choice(
    frame: Frame, seat: Seat, leaves: Leaves, punter: PunterTable | None, information: Information
) -> Choice:
    if punter is not None:
        unit = frame.units[0]
        weights = tuple(int(punter.draw[hand.points] * unit) for hand in frame.hands)
        return Given(weights, punter.discard_dealt, (punter.discard_drawn,) * len(weights), unit)
    if information == "all":
        return Best(frame, 1)
    return best_by_points(frame, seat, [Part(leaves, (1, *[0] * frame.zeros))])


def _flat(banker: BankerTable | None) -> Iterable[Weight]:
    return (weight for row in banker.draw for weight in row) if banker else ()


def _unit(weights: Iterable[Weight]) -> int:
    return lcm(*(Fraction(weight).denominator for weight in weights))
