"""What the deals of a match are played for, in chips (`table.md`, «Money of a coup», its last lines).

Every seat's `hold` goes from its wallet into escrow before the cards are dealt: its ante, and the most that points
may cost it. When the deal is scored each gets its hold back with what it won or lost; the escrow is 0 afterwards.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

DEFAULT_MAX_POINTS: Final = 200


@dataclass(frozen=True, slots=True)
class Stakes:
    """`ante`: chips a seat a deal, for the pot. `chips_per_point`: what each pays each for a point of difference, for
    at most `max_points` of them."""

    ante: int = 0
    chips_per_point: int = 0
    max_points: int = DEFAULT_MAX_POINTS

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> "Stakes":
        """The stakes among the settings of a table."""
        return cls(**{name: settings[name] for name in cls.__slots__})

    def hold(self, seats: int) -> int:
        """Chips held of each seat before a deal: the most that it may cost."""
        return self.ante + self.chips_per_point * self.max_points * (seats - 1)

    def nets(self, scores: Sequence[int], winners: Sequence[int], *, fewest: bool) -> list[int]:
        """Chips that a deal wins and loses each seat; they add up to 0. `fewest`: are few points good?"""
        seats = len(scores)
        share, odd = divmod(self.ante * seats, len(winners))
        nets = [share - self.ante if seat in winners else -self.ante for seat in range(seats)]
        nets[min(winners)] += odd
        for one, other in combinations(range(seats), 2):
            ahead = scores[other] - scores[one] if fewest else scores[one] - scores[other]
            paid = max(-self.max_points, min(ahead, self.max_points)) * self.chips_per_point
            nets[one] += paid
            nets[other] -= paid
        return nets
