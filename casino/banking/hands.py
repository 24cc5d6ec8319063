"""One hand of a coup: its cards in order, thrown zeros among them."""

from typing import Final

from casino.cards import NAMES, POINTS

ZERO: Final = tuple(points == 0 for points in POINTS)
NATURALS_FROM: Final = 7
CONCEALED: Final = "?"


class Hand:
    """Cards in the order they came; a thrown zero stays in its place as `~card`.

    `replaced`: a dealt zero was thrown. `opened`: the first cards lie face up. `ended`: a natural that was
    shown at once, settled against the banker's first cards.
    """

    __slots__ = ("cards", "done", "drew", "ended", "opened", "points", "replaced", "seat", "stood")

    def __init__(self, seat: int, opened: bool = False) -> None:
        self.seat = seat
        self.cards: list[int] = []
        self.points = 0
        self.drew = False
        self.stood = False
        self.done = False
        self.replaced = False
        self.opened = opened
        self.ended = False

    def take(self, card: int) -> None:
        """Put a card to the hand."""
        self.cards.append(card)
        self.points = (self.points + POINTS[card]) % 10

    def throw(self) -> int:
        """Throw the last card away, a zero: the points stay."""
        card = self.cards[-1]
        self.cards[-1] = ~card
        if not self.drew:
            self.replaced = True
        return card

    def kept(self) -> list[int]:
        """The cards held."""
        return [card for card in self.cards if card >= 0]

    def thrown(self) -> list[int]:
        """The zeros thrown away."""
        return [~card for card in self.cards if card < 0]

    def natural(self, after_discard: bool) -> bool:
        """7, 8 or 9 points as first dealt, no card drawn (`rules/banking.md`, «Words»)."""
        return self.points >= NATURALS_FROM and not self.drew and (after_discard or not self.replaced)

    def code(self, after_discard: bool) -> int:
        """Row or column of the payoff table: points, + 10 if natural."""
        return self.points + 10 if self.natural(after_discard) else self.points

    def first_code(self, first: int) -> int:
        """The code of the first cards alone, as they were dealt."""
        points = sum(POINTS[card] for card in self.cards[:first] if card >= 0) % 10
        return points + 10 if points >= NATURALS_FROM else points

    def text(self) -> str:
        """«(KD) 9H»: the cards in order, thrown ones in brackets."""
        return " ".join([NAMES[card] if card >= 0 else f"({NAMES[~card]})" for card in self.cards])

    def seen(self, first: bool, drawn: bool) -> list[str]:
        """The same as words, for one who may see the first cards or not, the drawn one or not."""
        last = len(self.cards) - 1
        words = []
        for place, card in enumerate(self.cards):
            if card < 0:
                words.append(f"({NAMES[~card]})")
            else:
                open_ = drawn if self.drew and place == last else first
                words.append(NAMES[card] if open_ else CONCEALED)
        return words

    def copy(self) -> "Hand":
        """An independent hand."""
        twin = Hand.__new__(Hand)
        twin.seat, twin.cards, twin.points = self.seat, self.cards[:], self.points
        twin.drew, twin.stood, twin.done = self.drew, self.stood, self.done
        twin.replaced, twin.opened, twin.ended = self.replaced, self.opened, self.ended
        return twin
