"""Rules and policies as the arrays that simulations deal by: one form for compiled loops and for numpy.

Nothing is told twice: nets come from the payoff table of the rules, choices from the tables of the policies.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from analysis.shoe import ONE_SUIT
from analysis.strategies import COLUMNS, HIDDEN, STOOD, BankerTable, PunterTable, Weight
from casino.banking.rules import Rules
from casino.errors import RulesError

Ints = NDArray[np.int64]
ALWAYS = 1 << 32  # a threshold: drawn if a random 32-bit word is below it
RANKS = np.repeat(np.arange(10), ONE_SUIT)  # points of the thirteen ranks
_POINTS = np.arange(10)
MOST_PACKED = 8  # outcomes that eight-bit counters in one word can tell apart
_NOBODY = COLUMNS  # a banker who meets nobody: the punter's natural was shown
SIGHTS = COLUMNS + 1
_MOST_IN_BANK = 255
_MOST_PER_BANK = 1 << 40


@dataclass(frozen=True)
class Dealing:
    """What is dealt: rules, a policy for each hand that punters hold, one for the banker, and where banks end.

    `infinite`: every card with replacement, coups without banks. `per_bank`: coups of a bank at most (1: every coup
    from a fresh shoe), whatever the shoe would still serve.
    """

    rules: Rules
    punters: tuple[PunterTable, ...]
    banker: BankerTable
    infinite: bool = False
    per_bank: int | None = None

    def __post_init__(self) -> None:
        rules, hands = self.rules, len(self.punters)
        most = 1 if rules.shared_hand else rules.max_punters
        if not 1 <= hands <= most:
            why = "all punters stake on one hand (shared_hand)" if rules.shared_hand else "max_punters"
            raise RulesError(f"must be 1 to {most} punters' hands, not {hands}: {why}", pointer="/punters")
        if hands > 1 and any(len(set(row)) > 1 for row in self.banker.draw):
            raise RulesError(
                f"with {hands} punters the banker goes by his own points alone: a tableau knows one third card",
                pointer="/banker",
            )
        if self.per_bank is not None and self.infinite:
            raise RulesError("an infinite shoe has no banks to be cut short", pointer="/per_bank")
        if self.per_bank is not None and not 1 <= self.per_bank <= _MOST_PER_BANK:
            raise RulesError(
                f"must be at least 1 coup a bank, not {self.per_bank!s:.20}", pointer="/per_bank"
            )

    @cached_property
    def hands(self) -> int:
        """Punters' hands."""
        return len(self.punters)

    @cached_property
    def nets(self) -> Ints:
        """The nets that can come about, ascending, in stakes."""
        real = [code for code in range(20) if code < 10 or code % 10 >= 7]
        return np.unique(np.array(self.rules.payoff.table)[np.ix_(real, real)])

    @cached_property
    def codes(self) -> Ints:
        """The payoff table as places in `nets` [punter's code, banker's code]."""
        return np.minimum(np.searchsorted(self.nets, self.rules.payoff.table), len(self.nets) - 1)

    @cached_property
    def full(self) -> Ints:
        """Cards of a fresh shoe by points."""
        return 4 * self.rules.decks * np.array(ONE_SUIT)

    @cached_property
    def deck(self) -> Ints:
        """The same card by card."""
        return np.repeat(_POINTS, self.full)

    @cached_property
    def need(self) -> int:
        """Cards that the shoe must hold for a coup to start (`rules/banking.md`, step 2)."""
        if self.rules.exhaustion == "reserve":
            return self.rules.reserve(self.hands)
        return self.rules.first_cards * (self.hands + 1)

    @cached_property
    def limit(self) -> int:
        """`per_bank` as a number that is never reached where there is none."""
        return self.per_bank or _MOST_PER_BANK

    @cached_property
    def mixed(self) -> int:
        """Cards that a bank may use: the rest of the shoe need not be shuffled."""
        coup = (self.hands + 1) * (self.rules.first_cards + self.rules.max_draws)
        cards = len(self.deck)
        return cards if self.throws.any() else min(cards, coup * self.limit)

    @cached_property
    def draws(self) -> Ints:
        """Thresholds of drawing [seat, column, points], the banker last; a punter's columns are all the same."""
        mine = [[[_threshold(share) for share in table.draw]] * COLUMNS for table in self.punters]
        his = [[_threshold(row[column]) for row in self.banker.draw] for column in range(COLUMNS)]
        return np.array([*mine, his], np.int64)

    @cached_property
    def throws(self) -> Ints:
        """Does a seat throw a zero: [seat, (dealt, drawn)]."""
        mine = [(table.discard_dealt, table.discard_drawn) for table in self.punters]
        return np.array([*mine, (self.banker.discard_dealt, self.banker.discard_drawn)], np.int64)

    @cached_property
    def ends(self) -> Ints:
        """Points of a natural that is shown at once: [punter's, banker's, none]."""
        ends = (self.rules.punter_natural_ends, self.rules.banker_natural_ends, ())
        return np.array([np.isin(_POINTS, shown) for shown in ends], np.int64)

    @cached_property
    def columns(self) -> Ints:
        """Column of the banker's table by the third card: open, or face down."""
        return _POINTS + 1 if self.rules.draw_face_up else np.full(10, HIDDEN)

    @property
    def pure(self) -> bool:
        """Is every choice certain?"""
        return bool(np.isin(self.draws, (0, ALWAYS)).all())

    @property
    def simple(self) -> bool:
        """One hand of one card, no zero thrown, every choice certain: the coup is four cards and look-ups."""
        return self.hands == 1 and self.rules.first_cards == 1 and self.pure and not self.throws.any()

    @property
    def packed(self) -> bool:
        """Simple, dealt from a shoe that never runs dry, few outcomes: fit for counters in one word."""
        fits = len(self.nets) <= MOST_PACKED and 52 * self.rules.decks // 2 <= _MOST_IN_BANK
        return self.simple and not self.infinite and self.rules.exhaustion == "reserve" and fits

    def lookups(self) -> "Lookups":
        """A simple coup as look-ups."""
        return Lookups.of(self)


@dataclass(frozen=True)
class Lookups:
    """A simple coup: first cards v and b, the next cards w and c whether drawn or not.

    `draws` [v, b]: does the punter draw? `shows` [v, b, w]: his code, and what the banker sees of it: column +
    16 · code. `replies` [b, column, c]: the banker's code + 32 if he draws (where the punter stood his card is w,
    not c). `place` [code, code]: the outcome, as a place in `Dealing.nets`.
    """

    draws: Ints
    shows: Ints
    replies: Ints
    place: Ints

    @classmethod
    def of(cls, dealing: Dealing) -> "Lookups":
        first = _POINTS + 10 * (_POINTS >= 7)
        sums = (_POINTS[:, None] + _POINTS) % 10
        punter, banker = (dealing.draws[seat].T == ALWAYS for seat in (0, 1))  # [points, column]
        shown, ended = (flags.astype(bool) for flags in dealing.ends[:2])
        draws = (punter[:, STOOD] & ~shown)[:, None] & ~ended
        stays = np.where(shown, _NOBODY, STOOD)[:, None, None]
        column = np.where(draws[..., None], dealing.columns, stays)
        code = np.where(draws[..., None], sums[:, None], first[:, None, None])
        replies = np.zeros((10, SIGHTS), bool)
        replies[:, :COLUMNS] = banker & ~ended[:, None]
        codes = np.where(replies[..., None], sums[:, None] + 32, first[:, None, None])
        return cls(draws.astype(np.int64), column + 16 * code, codes, dealing.codes)

    def outcomes(self, v: Ints, b: Ints, w: Ints, c: Ints) -> Ints:
        """Places of the outcomes of coups with these cards."""
        drew = self.draws[v, b]
        shows = self.shows[v, b, w]
        reply = self.replies[b, shows % 16, np.where(drew, c, w)]
        return self.place[shows // 16, reply % 32]

    def used(self, v: Ints, b: Ints, w: Ints, c: Ints) -> Ints:
        """Cards that these coups take."""
        drew = self.draws[v, b]
        return 2 + drew + self.replies[b, self.shows[v, b, w] % 16, np.where(drew, c, w)] // 32


def _threshold(share: Weight) -> int:
    return round(Fraction(share) * ALWAYS)
