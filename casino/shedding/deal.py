"""One deal as it lies on the table: cards, seats, and the one obligation that may be open.

A hand is one int: bit `card` of each layer of `LAYER` bits, a second and third equal card in the layers above, so
that `hand & mask` are the cards that may be laid, each once, and `bit_count` is the number of cards.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final, Self

from casino import chance
from casino.cards import members
from casino.game import Result
from casino.shedding.patterns import ALL, BITS
from casino.shedding.tables import ANYTHING, NO_DEMAND, Tables

LAYER: Final = 60
NOBODY: Final = -1
NO_CARD: Final = -1
UNLIMITED: Final = -1

# What is asked of the seat to move.
OVER: Final = 0
TURN: Final = 1  # a turn begins: lay a card, draw, pass
DREW: Final = 2  # a card was drawn: lay one or end
PENALTY: Final = 3  # answer or draw the penalty
SKIP: Final = 4  # answer or lose the turns
FOURS: Final = 5  # the round of skips: add one or pass
ADDING: Final = 6  # a card was laid and another may or must follow
NAMING: Final = 7  # say what must follow
CHOOSING: Final = 8  # say who is next

# What happened besides actions, as the log has it: rows that begin with one of these.
TOOK: Final = "drew"  # (TOOK, seat, cards, why)
SHUFFLED: Final = "shuffled"  # (SHUFFLED, number, size of the new stock)
DEALT: Final = "dealt"  # (DEALT, hands, cards turned)
SCORED: Final = "scored"  # (SCORED,)
UNDONE: Final = "undone"  # (UNDONE, seat, action): it closed the window that ended the deal, before SCORED
SEAT_BITS: Final = 4

LogEntry = int | tuple[Any, ...]
"""An action as `action << SEAT_BITS | seat` (a card drawn by it as the action `COUNT + card`), or such a row."""


def hand_of(cards: Iterable[int]) -> int:
    """The hand of these cards."""
    hand = 0
    for card in cards:
        bit = BITS[card]
        while hand & bit:
            bit <<= LAYER
        hand |= bit
    return hand


def cards_of(hand: int) -> list[int]:
    """The cards of a hand in order, equal ones together."""
    found = members(hand & ALL)
    layer = LAYER
    while hand >> layer:
        found += members(hand >> layer & ALL)
        layer += LAYER
    found.sort()
    return found


class Deal:
    """Everything that a deal remembers. Seats are numbered clockwise; a seat's own number of each list.

    active: the card that the next one must match (not always the top: a joker may show the one under it), or
    ANYTHING. goal: the cards that may be laid now. base: `active` before this turn's first card. laid: the cards of
    this turn, as what they count. matched: does one of them match `base`? drawn: the card drawn this turn.
    attack: the card that the penalty stands on. backward: who made it, if it went backward. aim: 1 or -1, where a
    penalty goes once laying, naming and choosing are done; over: seats passed over then.
    ring: by direction, the next seat still in, by seat; after: the same in the direction of play. sitting: turns
    still lost by all together.
    calm: does nothing but the top card bind the seat to move? (Derived, as goal, ring and sitting are.)
    """

    __slots__ = (
        "active", "after", "aim", "ask", "attack", "backward", "base", "calm", "cap", "chosen", "dealer",
        "demand", "demand_by", "demand_left", "direction", "drawn", "finished", "first_card", "fours", "goal",
        "hands", "laid", "lap", "last_four", "log", "matched", "menu", "orders", "out_for", "outcome", "over",
        "passed", "passes", "penalty", "pile", "players_at_start", "ring", "said", "seats", "seed", "shuffles",
        "sitting", "skip", "solo", "stock", "tables", "to_move", "totals", "turns", "window",
    )  # fmt: skip

    def __init__(self, tables: Tables, seats: int, seed: bytes) -> None:
        self.tables = tables
        self.seats = seats
        self.seed = seed
        self.shuffles = 0
        self.hands = [0] * seats
        self.stock: list[int] = []  # the last is drawn next
        self.pile: list[int] = []
        self.active = self.base = ANYTHING
        self.dealer = seats - 1
        self.to_move = 0
        self.direction = tables.rules.direction
        self.ask = TURN
        self.goal = ALL
        self.calm = False
        self.totals: tuple[int, ...] = ()
        self.log: list[LogEntry] = []
        self.orders: list[list[int]] = []  # shuffles since somebody last asked for them
        self.outcome: Result | None = None
        self.menu: Sequence[int] = ()  # of the seat to move, once it was worked out
        self._quiet()
        self.ring: tuple[tuple[int, ...], ...] = ()
        self.after: tuple[int, ...] = ()
        self.close_ranks()

    def _quiet(self) -> None:
        """Nothing laid yet, nothing open, nobody out."""
        self.laid: tuple[int, ...] = ()
        self.matched = True
        self.drawn = NO_CARD
        self.penalty = 0
        self.attack = NO_CARD
        self.backward = NOBODY
        self.aim = 1
        self.over = 0
        self.chosen = NOBODY
        self.skip = 0
        self.out_for = [0] * self.seats
        self.sitting = 0
        self.demand = NO_DEMAND
        self.demand_by = NOBODY
        self.demand_left = UNLIMITED
        self.window = NOBODY
        self.said = False
        self.fours = 0
        self.last_four = NOBODY
        self.lap = 0
        self.passed = 0
        self.solo = 0
        self.finished: list[int] = []
        self.passes = 0
        self.turns = 0
        self.players_at_start = self.seats
        self.cap = self.tables.rules.turn_limit * self.seats
        self.first_card = NO_CARD

    def copy(self) -> Self:
        """An independent deal that may be played on."""
        twin = object.__new__(type(self))
        for name in _SHARED:
            setattr(twin, name, getattr(self, name))
        twin.hands = self.hands.copy()
        twin.stock = self.stock.copy()
        twin.pile = self.pile.copy()
        twin.out_for = self.out_for.copy()
        twin.finished = self.finished.copy()
        twin.log = self.log.copy()
        twin.orders = self.orders.copy()
        return twin

    # Seats.

    def close_ranks(self) -> None:
        """Work out who follows whom among those still in."""
        self.ring = ((), self._followers(1), self._followers(-1))
        self.after = self.ring[self.direction]

    def turn_round(self) -> None:
        """Play goes the other way."""
        self.direction = -self.direction
        self.after = self.ring[self.direction]

    def _followers(self, step: int) -> tuple[int, ...]:
        n = self.seats
        lines = ([(seat + step * far) % n for far in range(1, n + 1)] for seat in range(n))
        return tuple(next((seat for seat in line if seat not in self.finished), line[-1]) for line in lines)

    @property
    def still_in(self) -> int:
        """How many seats are not out."""
        return self.seats - len(self.finished)

    def next_free(self, seat: int, step: int) -> int:
        """The next seat in the direction `step` that does not sit out: passing over one uses a turn it has lost."""
        ring = self.ring[step]
        seat = ring[seat]
        while self.out_for[seat]:
            self.out_for[seat] -= 1
            self.sitting -= 1
            seat = ring[seat]
        return seat

    def next_target(self, attacker: int, step: int) -> int:
        """The seat that an attack hits: the next that does not sit out, never the attacker himself."""
        seat = self.next_free(attacker, step)
        while seat == attacker and self.still_in > 1:
            seat = self.next_free(seat, step)
        return seat

    # Cards.

    def can_draw(self) -> bool:
        """Is there a card left to draw, in the stock or under the top of the pile?"""
        return bool(self.stock) or len(self.pile) > 1

    def reshuffle(self) -> None:
        """The top card stays, the rest becomes the new stock: the next shuffle of this deal's seed."""
        self.shuffles += 1
        order = chance.shuffled(self.pile[:-1], self.seed, self.shuffles)
        self.orders.append(order)
        self.stock = order[::-1]
        del self.pile[:-1]
        self.log.append((SHUFFLED, self.shuffles, len(order)))

    def give(self, seat: int, count: int, why: str) -> tuple[int, ...]:
        """Let the seat draw so many cards, or what there is."""
        stock = self.stock
        if 0 < count <= len(stock):
            cards = tuple(stock[: -count - 1 : -1])
            del stock[-count:]
        else:
            cards = self._up_to(count)
        hand = self.hands[seat]
        for card in cards:
            bit = BITS[card]
            while hand & bit:
                bit <<= LAYER
            hand |= bit
        self.hands[seat] = hand
        self.log.append((TOOK, seat, cards, why))
        return cards

    def _up_to(self, count: int) -> tuple[int, ...]:
        """Cards off the stock where it is too small: all of it, and what the pile under its top adds, as often as it
        does."""
        cards: list[int] = []
        while len(cards) < count:
            if not self.stock:
                if len(self.pile) < 2:
                    break
                self.reshuffle()
            cards.append(self.stock.pop())
        return tuple(cards)


_SHARED: Final = tuple(
    name
    for name in Deal.__slots__
    if name not in ("hands", "stock", "pile", "out_for", "finished", "log", "orders")
)
