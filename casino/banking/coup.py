"""One deal of cards, from the first card to the banker's last: `rules/banking.md`, steps 3 to 5. No chips here."""

from collections.abc import Sequence
from typing import Any

from casino.banking.hands import NATURALS_FROM, ZERO, Hand
from casino.banking.plan import CHOICES, DISCARD_BIT, DRAW_BIT, STAND_BIT, Plan
from casino.banking.shoe import Shoe
from casino.banking.text import Action
from casino.cards import NAMES, POINTS
from casino.game import Event


def dealing_order(stakes: Sequence[int], banker: int, shared: bool) -> list[int]:
    """Seats in the order they are dealt to: who has staked from the banker's left, the banker last.

    One hand for all (`shared`) is played by the highest stake, of equals by the nearest to the banker's left.
    """
    count = len(stakes)
    around = [(banker + step) % count for step in range(1, count)]
    stakers = [seat for seat in around if stakes[seat]]
    if shared:
        stakers = [max(stakers, key=stakes.__getitem__)]  # `max` keeps the first of equals
    return [*stakers, banker]


class Coup:
    """The hands of one coup: punters from the banker's left, the banker last. `turn` is the hand to decide.

    A hand without a choice is played by itself; so is a banker who plays by rote. When `turn` has passed the
    last hand, `over` is true and the hands may be settled.
    """

    __slots__ = ("events", "hands", "number", "plan", "shoe", "turn")

    def __init__(self, plan: Plan, shoe: Shoe, number: int, events: list[Event]) -> None:
        self.plan = plan
        self.shoe = shoe
        self.number = number
        self.events = events
        self.hands: list[Hand] = []
        self.turn = 0

    @property
    def over(self) -> bool:
        """Has every hand been played?"""
        return self.turn == len(self.hands)

    @property
    def banker(self) -> Hand:
        """The banker's hand."""
        return self.hands[-1]

    @property
    def banker_looks(self) -> bool:
        """May the banker see his own first cards by now?"""
        return self.plan.peeks or self.turn >= len(self.hands) - 1

    def actor(self) -> Hand | None:
        """The hand to decide; None when all are done."""
        return self.hands[self.turn] if self.turn < len(self.hands) else None

    def kept(self) -> list[int]:
        """All cards held in hands."""
        return [card for hand in self.hands for card in hand.cards if card >= 0]

    def deal(self, seats: Sequence[int]) -> None:
        """Deal the first cards to these seats, the banker last, and play on to the first choice."""
        plan, shoe = self.plan, self.shoe
        self.hands = [Hand(seat, plan.exposed) for seat in seats]
        self.banker.opened = False
        for _ in range(plan.first):
            for hand in self.hands:
                hand.take(shoe.order[shoe.at])
                shoe.at += 1
        self._tell_deal()
        self.begin()

    def begin(self) -> None:
        """Show the naturals that end play at once (nobody has decided yet), then play on to the first choice."""
        plan, banker = self.plan, self.banker
        shown = banker.points in plan.banker_ends and banker.natural(after_discard=False)
        if shown and not banker.done:
            self._show(banker)
            for hand in self.hands:
                hand.done = True
        else:
            for hand in self.hands[:-1]:
                self._end_by_natural(hand)
        self.advance()

    def advance(self) -> None:
        """Play every hand that has no choice, up to the first that has one or to the end."""
        hands, last = self.hands, len(self.hands) - 1
        while self.turn <= last:
            hand = hands[self.turn]
            if not hand.done:
                bits = self.bits(hand)
                if bits & (bits - 1):
                    return
                if hand.drew and bits == STAND_BIT:
                    hand.done = True
                else:
                    self.act(bits)
                    continue
            self.turn += 1
            if self.turn == last:
                self._turn_to_banker()

    def bits(self, hand: Hand) -> int:
        """What the hand to decide may do, as bits of the plan."""
        plan, shoe = self.plan, self.shoe
        zero = ZERO[hand.cards[-1]]
        if shoe.at == len(shoe.order) and not self._refillable():
            return STAND_BIT
        if hand is not self.hands[-1]:
            if hand.drew:
                return STAND_BIT | DISCARD_BIT if zero and plan.punter_drawn else STAND_BIT
            bits = plan.punter[hand.points]
            return bits | DISCARD_BIT if zero and plan.punter_dealt else bits
        if hand.drew:
            bits, discards = STAND_BIT, zero and plan.banker_drawn
        else:
            bits, discards = plan.banker[hand.points][self.third()], zero and plan.banker_dealt
        if discards:
            return bits | DISCARD_BIT if plan.banker_free else DISCARD_BIT
        return bits

    def third(self) -> int:
        """Column of the tableau: 0 without a third card, else its points + 1; one punter's hand only."""
        punter = self.hands[0]
        return 1 + POINTS[punter.cards[-1]] if len(self.hands) == 2 and punter.drew else 0

    def choices(self) -> tuple[Action, ...]:
        """The actions of the hand to decide, sorted."""
        hand = self.actor()
        return CHOICES[self.bits(hand)] if hand is not None else ()

    def act(self, bit: int) -> None:
        """Do one allowed thing for the hand to decide. The caller plays on with `advance`."""
        hand, plan = self.hands[self.turn], self.plan
        punter = hand is not self.hands[-1]
        if plan.on_turn and punter and not hand.opened:
            hand.opened = True
            self._show(hand)
        if bit == STAND_BIT:
            hand.done = hand.stood = True
            self.events.append(Event("stood", hand.seat, {"coup": self.number}))
        elif bit == DRAW_BIT:
            hand.drew = True
            hand.take(self._card())
            self._tell_card("drew", hand, {"coup": self.number}, plan.face_up)
        else:
            thrown = hand.throw()
            hand.take(self._card())
            self._tell_card(
                "discarded",
                hand,
                {"coup": self.number, "discard": NAMES[thrown], "drawn": hand.drew},
                plan.face_up if hand.drew else hand.opened,
            )
            if punter:
                self._end_by_natural(hand)

    def codes(self) -> list[tuple[Hand, int, int]]:
        """Each punter's hand with its code and the banker's that it meets: row and column of the payoff table."""
        plan, banker = self.plan, self.banker
        after = plan.natural_after_discard
        whole, first = banker.code(after), banker.first_code(plan.first)
        return [(hand, hand.code(after), first if hand.ended else whole) for hand in self.hands[:-1]]

    def copy(self, shoe: Shoe, events: list[Event]) -> "Coup":
        """An independent coup that deals from `shoe` and tells to `events`."""
        twin = Coup(self.plan, shoe, self.number, events)
        twin.hands = [hand.copy() for hand in self.hands]
        twin.turn = self.turn
        return twin

    def _refillable(self) -> bool:
        """With the shoe empty: may cards that lie aside be shuffled in, and are there any?"""
        return not self.plan.dry and self.plan.deck_cards > len(self.kept())

    def _card(self) -> int:
        shoe = self.shoe
        if shoe.at == len(shoe.order):
            shoe.reshuffle(self.kept())
            self.events.append(
                Event(
                    "shuffled", None, {"coup": self.number, "number": shoe.number, "cards": len(shoe.order)}
                )
            )
        card = shoe.order[shoe.at]
        shoe.at += 1
        return card

    def _end_by_natural(self, hand: Hand) -> None:
        if hand.points in self.plan.punter_ends and hand.natural(self.plan.natural_after_discard):
            hand.done = hand.ended = True
            self._show(hand)

    def _turn_to_banker(self) -> None:
        """The punters are done: a banker who could not look now does; one who meets nobody does not draw."""
        banker = self.banker
        if banker.done:
            return
        if all(hand.ended for hand in self.hands[:-1]):
            banker.done = True
        elif not self.plan.peeks and self.plan.banker_free:
            mine: dict[int, dict[str, Any]] = {banker.seat: {"hand": banker.text()}}
            self.events.append(Event("shown", banker.seat, {"coup": self.number}, mine))

    def _show(self, hand: Hand) -> None:
        hand.opened = True
        data = {"coup": self.number, "hand": hand.text(), "natural": hand.points >= NATURALS_FROM}
        self.events.append(Event("shown", hand.seat, data))

    def _tell_deal(self) -> None:
        data: dict[str, Any] = {"coup": self.number, "seats": [hand.seat for hand in self.hands]}
        private: dict[int, dict[str, Any]] = {
            hand.seat: {"hand": hand.text()} for hand in (self.hands if self.plan.peeks else self.hands[:-1])
        }
        if self.plan.exposed:
            data["open"] = {str(hand.seat): hand.text() for hand in self.hands[:-1]}
        self.events.append(Event("dealt", None, data, private))

    def _tell_card(self, kind: str, hand: Hand, data: dict[str, Any], open_: bool) -> None:
        card = {"card": NAMES[hand.cards[-1]]}
        if open_:
            self.events.append(Event(kind, hand.seat, data | card))
        else:
            self.events.append(Event(kind, hand.seat, data, {hand.seat: card}))
