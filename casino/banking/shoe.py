"""The shoe of one bank: the order of its last shuffle, and how far it has been dealt."""

from collections.abc import Iterable

from casino import chance
from casino.cards import FACES, pack


class Shoe:
    """Cards of one bank. What is neither in it nor in a hand lies aside, seen by all (`aside`).

    `orders`: every shuffled order of the bank so far; the last one is being dealt, from place `at`.
    """

    __slots__ = ("at", "decks", "key", "order", "orders")

    def __init__(self, decks: int, orders: list[list[int]], key: bytes, at: int = 0) -> None:
        self.decks = decks
        self.orders = orders
        self.order = orders[-1]
        self.key = key
        self.at = at

    @classmethod
    def fresh(cls, decks: int, key: bytes) -> "Shoe":
        """Shuffle 0 of a bank's key: all packs, in pack order before it."""
        return cls(decks, [chance.shuffled(pack(decks), key, 0)], key)

    @property
    def left(self) -> int:
        """Cards still to be dealt."""
        return len(self.order) - self.at

    @property
    def number(self) -> int:
        """Number of the last shuffle: 0 until cards were shuffled in again."""
        return len(self.orders) - 1

    def aside(self, kept: Iterable[int]) -> list[int]:
        """The cards dealt and no longer held, in face order, when the hands hold `kept`."""
        counts = [self.decks] * FACES
        for card in self.order[self.at :]:
            counts[card] -= 1
        for card in kept:
            counts[card] -= 1
        return [face for face, count in enumerate(counts) for _ in range(count)]

    def reshuffle(self, kept: Iterable[int]) -> None:
        """Shuffle what lies aside (in face order before it) into an empty shoe: the next number of the key."""
        self.order = chance.shuffled(self.aside(kept), self.key, self.number + 1)
        self.orders.append(self.order)
        self.at = 0

    def copy(self) -> "Shoe":
        """An independent shoe; an order is never changed in place and may be shared."""
        return Shoe(self.decks, self.orders[:], self.key, self.at)
