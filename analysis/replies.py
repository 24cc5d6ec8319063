"""The banker's turn card by card: what he saw, which hands the punter may hold, his best draw, or any policy.

A *record* is what the banker has seen when he decides: the third card, if it lies open, or that one was drawn, or
that the punter stood (and then whether he had thrown a dealt zero, on which a natural may hang); the first cards
where they lie open. To each record belong the punter's hands it may hide, weighted by his policy. An action that the
policy never takes leaves every hand that may take it equally likely.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

from analysis.by_points import Part, best_by_points
from analysis.frame import Frame
from analysis.naturals import FIRST, LATER, LEVELS, banker_fixed, code, punter_fixed, punter_shown
from analysis.strategies import HIDDEN, STOOD, BankerTable, PunterTable
from analysis.tree import Best, Choice, Given, Leaves, Recalled, Row, Seat, Values, play
from casino.banking.plan import DRAW_BIT, STAND_BIT

CARDS = range(10)


class Record(NamedTuple):
    """What the banker saw: `column` (no third card, third card + 1, one face down), `level` (whether a dealt zero
    was thrown; FIRST where that tells nothing), and the punter's first hand where it lies open, else -1.
    """

    column: int
    level: int
    first: int


class Held(NamedTuple):
    """A hand the punter may hold: number of his first hand, third card or -1, and its weight by his policy."""

    hand: int
    third: int
    weight: int


class BankerTurns:
    """All turns of the banker for one frame. `choices[record]` is how he decides there."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.choices: dict[Record, Choice] = {}
        self.trees: dict[Record, Leaves] = {}  # of the records he decided for, over all that they may hide
        self.reached: set[Record] = set()  # those that the punter's policy may lead to

    @cached_property
    def exposed(self) -> bool:
        return self.frame.plan.exposed or self.frame.plan.on_turn

    def seat(self, record: Record) -> Seat:
        """What the rules let the banker do there."""
        plan = self.frame.plan
        column = 1 if record.column == HIDDEN else record.column
        bits = tuple(plan.banker[hand.points][column] for hand in self.frame.hands)
        return Seat(bits, plan.banker_dealt, plan.banker_drawn, -1)

    def record(self, hand: int, third: int, level: int) -> Record:
        """The record of a punter's hand (`third` -1: he stood)."""
        first = hand if self.exposed else -1
        if third < 0:
            return Record(STOOD, level, first)
        column = 1 + third if self.frame.plan.face_up else HIDDEN
        return Record(column, level if self.levels_differ else FIRST, first)

    @cached_property
    def levels_differ(self) -> bool:
        """May a punter draw to a replaced card that would have been shown at once as dealt?"""
        first, later = punter_fixed(self.frame)
        return self.frame.plan.punter_dealt and first != later

    def records(self, punter: PunterTable) -> dict[Record, list[Held]]:
        """Every record that the rules allow, with the hands it may hide under the punter's policy."""
        frame, unit = self.frame, self.frame.units[0]
        found: dict[Record, list[Held]] = {}
        for number, hand in enumerate(frame.hands):
            draws = int(punter.draw[hand.points] * unit)
            stands = unit - draws
            if number == 0 and punter.discard_dealt:
                draws = stands = 0
            bits = frame.plan.punter[hand.points]
            for level in self.levels:
                if number in punter_fixed(frame)[level]:
                    continue
                if bits & STAND_BIT:
                    found.setdefault(self.record(number, -1, level), []).append(Held(number, -1, stands))
                if bits & DRAW_BIT and (level == FIRST or self.levels_differ):
                    for third in CARDS:
                        kept = draws if third or not punter.discard_drawn else 0
                        record = self.record(number, third, level)
                        found.setdefault(record, []).append(Held(number, third, kept))
        self.reached = {record for record, held in found.items() if any(each.weight for each in held)}
        return {record: _fallback(held) for record, held in found.items()}

    @cached_property
    def levels(self) -> tuple[int, ...]:
        """Levels at which a punter may decide."""
        return LEVELS if self.frame.plan.punter_dealt else (FIRST,)

    def decide(self, punter: PunterTable) -> None:
        """Let him play his best reply to the punter's policy, by all that he has seen."""
        for record, held in self.records(punter).items():
            best = Best(self.frame, -1)
            self.trees[record] = self.leaves(record, held)
            play(self.frame, self.seat(record), self.trees[record], best)
            self.choices[record] = Recalled(best)

    def decide_by_points(self, punter: PunterTable) -> None:
        """The same by points and third card alone, whatever zeros were thrown."""
        alike: dict[tuple[int, int], list[Record]] = {}
        records = self.records(punter)
        for record in records:
            first = self.frame.hands[record.first].points if record.first >= 0 else -1
            alike.setdefault((record.column, first), []).append(record)
        for group in alike.values():
            self.trees |= {record: self.leaves(record, records[record]) for record in group}
            met = [record for record in group if record in self.reached] or group
            parts = [Part(self.trees[record], self.times(record, punter)) for record in met]
            given = best_by_points(self.frame, self.seat(group[0]), parts)
            self.choices.update(dict.fromkeys(group, given))

    def times(self, record: Record, punter: PunterTable) -> tuple[int, ...]:
        """Ways in which 0, 1, … zeros were thrown by a punter whom the banker meets at this record."""
        dealt = punter.discard_dealt
        drawn = punter.discard_drawn and record.column != STOOD
        told = record.column == STOOD or self.levels_differ
        if self.frame.shoe.infinite:
            return ((9 if record.level == FIRST else 4 * dealt) if told else 1,)
        least = record.level if told else 0
        most = dealt if not told or record.level == LATER else 0
        return tuple(
            sum((least <= k <= (m if most else 0)) and (drawn or k == m) for k in range(m + 1))
            for m in range(self.frame.zeros + 1)
        )

    def follow(self, table: BankerTable, records: Iterable[Record]) -> None:
        """Let him play a table at these records."""
        unit, hands = self.frame.units[1], self.frame.hands
        throws = (table.discard_drawn,) * len(hands)
        for record in records:
            weights = tuple(int(table.draw[hand.points][record.column] * unit) for hand in hands)
            self.choices[record] = Given(weights, table.discard_dealt, throws, unit)

    def leaves(self, record: Record, held: Iterable[Held]) -> Leaves:
        """Ends of the banker's tree at a record, over the hands that it may hide."""
        sums = _Sums(self.frame, self.seat(record).bits)
        for each in held:
            if each.weight:
                sums.add(each, record.level)
        return sums.leaves(self.frame.plan.first + (record.column != STOOD))

    def values(self, hand: int, third: int, level: int) -> Values:
        """His turn against one hand of the punter (`third` -1: he stood)."""
        record = self.record(hand, third, level)
        leaves = self.leaves(record, [Held(hand, third, 1)])
        return play(self.frame, self.seat(record), leaves, self.choices[record])


class _Sums:
    """Sums over hands that a record may hide, by the zeros among their cards.

    Weights of zeros are left to the end: they alone depend on how many were thrown.
    """

    def __init__(self, frame: Frame, bits: Sequence[int]) -> None:
        self.frame = frame
        self.bits = bits
        self.stand: dict[int, tuple[Row, Row]] = {}
        self.drawn: dict[int, list[Row]] = {}

    def add(self, held: Held, level: int) -> None:
        """Take in one hand of the punter; at `level` if he stood on it."""
        frame = self.frame
        hand = frame.hands[held.hand]
        drew = held.third >= 0
        cards = (*hand.cards, held.third) if drew else hand.cards
        own = (hand.points + held.third) % 10 if drew else code(frame, hand.points, level)
        weight = held.weight * hand.orders * frame.ways(cards)
        left = list(frame.shoe.counts)
        for card in cards:
            left[card] -= frame.gone
        left[0] = 1
        if weight:
            self._against(weight, frame.pay[own], left, cards.count(0))

    def _against(self, weight: int, pay: Sequence[int], left: list[int], zeros: int) -> None:
        frame = self.frame
        size = len(frame.hands)
        stand = self.stand.setdefault(zeros, ([0] * size, [0] * size))
        drawn = self.drawn.setdefault(zeros, [[0, 0] for _ in range(size)])
        for number, hand in enumerate(frame.hands):
            ways = weight * hand.orders * _take(left, hand.cards, frame.gone)
            if ways:
                for level in LEVELS:
                    stand[level][number] += ways * pay[code(frame, hand.points, level)]
                if self.bits[number] & DRAW_BIT:
                    row = drawn[number]
                    for card in CARDS:
                        row[card > 0] += ways * left[card] * pay[(hand.points + card) % 10]
            _give(left, hand.cards, frame.gone)

    def leaves(self, held_cards: int) -> Leaves:
        """The ends of the tree; the punter holds `held_cards` cards."""
        frame, first = self.frame, self.frame.plan.first
        fixed = banker_fixed(frame)
        stand, drawn = [], []
        for thrown in range(frame.zeros + 1):
            used = thrown + held_cards + first
            stands, draws = frame.scale[used], frame.scale[min(used + 1, frame.length)]
            rows = [self._stand_row(level, thrown, stands, fixed[level]) for level in LEVELS]
            stand.append((rows[FIRST], rows[LATER]))
            drawn.append([self._drawn_row(number, thrown, draws) for number in range(len(frame.hands))])
        return Leaves(stand, (drawn, drawn), fixed)

    def _stand_row(self, level: int, thrown: int, scale: int, fixed: frozenset[int]) -> Row:
        weights = self.frame.zero_weights
        return [
            0
            if number in fixed
            else scale
            * sum(
                weights[thrown + zeros + hand.zeros] * rows[level][number]
                for zeros, rows in self.stand.items()
            )
            for number, hand in enumerate(self.frame.hands)
        ]

    def _drawn_row(self, number: int, thrown: int, scale: int) -> Row:
        weights, own = self.frame.zero_weights, self.frame.hands[number].zeros
        row = [0, 0]
        for zeros, rows in self.drawn.items():
            for other, worth in enumerate(rows[number]):
                row[other] += scale * weights[thrown + zeros + own + (not other)] * worth
        return row


def _take(left: list[int], cards: Sequence[int], gone: int) -> int:
    """Take cards out of `left`: the ordered ways to do so (zeros left out of account)."""
    ways = 1
    for card in cards:
        if card:
            ways *= left[card]
            left[card] -= gone
    return ways


def _give(left: list[int], cards: Sequence[int], gone: int) -> None:
    for card in cards:
        if card:
            left[card] += gone


def _fallback(held: list[Held]) -> list[Held]:
    """Where the policy never does what was seen, every hand that might have done it is as likely as another."""
    return held if any(each.weight for each in held) else [each._replace(weight=1) for each in held]


def reply_leaves(turns: BankerTurns) -> Leaves:
    """Ends of a punter's tree against a banker whose turns are worked out hand by hand."""
    frame = turns.frame
    spans, size = range(frame.zeros + 1), len(frame.hands)
    stand = [([0] * size, [0] * size) for _ in spans]
    for number in range(size):
        for level in turns.levels:
            for thrown, worth in enumerate(_stood(turns, number, level)):
                stand[thrown][level][number] = worth
    drawn = _drawn(turns, FIRST)
    return Leaves(stand, (drawn, _drawn(turns, LATER) if turns.levels_differ else drawn), punter_fixed(frame))


def _stood(turns: BankerTurns, number: int, level: int) -> Row:
    """By zeros thrown: a hand that stands at a level."""
    frame = turns.frame
    if number in punter_fixed(frame)[level]:
        return [punter_shown(frame, frame.hands[number], thrown) for thrown in range(frame.zeros + 1)]
    if not frame.plan.punter[frame.hands[number].points] & STAND_BIT:
        return [0] * (frame.zeros + 1)
    return [first for first, _ in turns.values(number, -1, level).whole]


def _drawn(turns: BankerTurns, level: int) -> list[list[Row]]:
    """By zeros thrown and hand: one that draws a zero at a level, or any other card."""
    frame = turns.frame
    drawn = [[[0, 0] for _ in frame.hands] for _ in range(frame.zeros + 1)]
    for number, hand in enumerate(frame.hands):
        if frame.plan.punter[hand.points] & DRAW_BIT and number not in punter_fixed(frame)[level]:
            for third in CARDS:
                for thrown, (worth, _) in enumerate(turns.values(number, third, level).whole):
                    drawn[thrown][number][third > 0] += worth
    return drawn
