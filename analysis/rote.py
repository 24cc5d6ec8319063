"""What a punter's finished hand is worth against a banker who goes by points: one first card each.

A banker who throws zeros whenever he may meets, in the order of the shoe, the first card that is no zero; which of
those it is does not depend on how many zeros lie before it. With r zeros among t cards, k = t - r that are none:

    kept b at once                  R_b / t
    kept b after throwing zeros     (r / t)(R_b / k)
    next card a zero, given that a zero came first and b was kept after it    (r - 1)/(t - 1)

(the r - 1 other zeros lie uniformly in the gaps between the cards that are none, and the gap behind b is one like
any other), and where drawn zeros are thrown too, the next card kept is e with R_e/(k - 1). So his whole turn is a
quadratic in r over t(t - 1)k(k - 1) whose coefficients are sums over kept cards b and drawn cards e.

Those sums are linear and quadratic forms in the counts R = N - c - d of the cards left, so each is summed once for N
and put right for the punter's cards c and d: Σ Q_be R_b (R_e - [b = e]) with P = Q + Q' and u = P N is

    N·u/2 - Σ_b Q_bb N_b - u_c - u_d + P_cc + P_dd + P_cd.
"""

from collections.abc import Sequence
from typing import NamedTuple

from analysis.frame import Frame
from analysis.naturals import FIRST, LATER, LEVELS, code, punter_fixed, punter_shown
from analysis.strategies import HIDDEN, STOOD, BankerTable
from analysis.tree import Leaves, Row
from casino.banking.plan import DRAW_BIT

CARDS = range(10)
_OTHERS = range(1, 10)


class Quadratic(NamedTuple):
    """c0 + c1 r + c2 r² in the zeros left."""

    c0: int
    c1: int
    c2: int


class _Linear:
    """Σ_b v_b R_b."""

    def __init__(self, counts: Sequence[int], vector: Row) -> None:
        self.vector = vector
        self.whole = sum(map(int.__mul__, vector, counts))

    def at(self, held: tuple[int, ...], gone: int) -> int:
        return self.whole - gone * sum(self.vector[card] for card in held)


class _Pairs:
    """Σ_be Q_be R_b (R_e - [b = e])."""

    def __init__(self, counts: Sequence[int], matrix: list[Row], gone: int) -> None:
        self.both = [[matrix[b][e] + matrix[e][b] for e in CARDS] for b in CARDS]
        self.sums = [sum(map(int.__mul__, row, counts)) for row in self.both]
        self.whole = sum(map(int.__mul__, self.sums, counts)) // 2
        self.whole -= gone * sum(matrix[b][b] * counts[b] for b in CARDS)

    def at(self, held: tuple[int, ...], gone: int) -> int:
        if not gone:
            return self.whole
        found = self.whole + sum(self.both[card][card] - self.sums[card] for card in held)
        return found + self.both[held[0]][held[1]] if len(held) == 2 else found


_NOTHING = _Linear([0] * 10, [0] * 10)
_NO_PAIRS = _Pairs([0] * 10, [[0] * 10] * 10, 1)


class _Kept(NamedTuple):
    """Forms over a kept card that is no zero: standing on it, drawing a zero to it, drawing another card to it."""

    stand: _Linear
    zero: _Linear
    other: _Pairs


class _Forms(NamedTuple):
    """The banker against one finished hand: first card no zero; first card a zero, thrown; a zero kept."""

    dealt: _Kept
    replaced: _Kept
    zero_stand: int
    zero_zero: int
    zero_other: _Linear


def rote_leaves(frame: Frame, table: BankerTable) -> Leaves:
    """Ends of a punter's tree against a banker's table. One first card only (`first_cards` 1)."""
    turns = _Turns(frame, table)
    fixed = punter_fixed(frame)
    spans = range(frame.zeros + 1)
    stand = [([0] * 10, [0] * 10) for _ in spans]
    drawn = [[[0, 0] for _ in CARDS] for _ in spans]
    for card in CARDS:
        for level in LEVELS if frame.plan.punter_dealt else (FIRST,):
            for thrown, worth in enumerate(turns.stood(card, level, card in fixed[level])):
                stand[thrown][level][card] = worth
        if frame.plan.punter[card] & DRAW_BIT:
            for thrown, pair in enumerate(turns.drew(card)):
                drawn[thrown][card] = pair
    return Leaves(stand, (drawn, drawn), fixed)


class _Turns:
    """The banker's turns against every finished hand."""

    def __init__(self, frame: Frame, table: BankerTable) -> None:
        self.frame, self.table = frame, table
        self.unit = frame.units[1]
        self.counts = (0, *frame.shoe.counts[1:])
        self.weights = tuple(
            tuple(int(row[column] * self.unit) for row in table.draw) for column in range(len(table.draw[0]))
        )
        self.forms: dict[tuple[int, tuple[int, ...]], _Forms] = {}
        self.lines: dict[tuple[int, int], list[tuple[int, int]]] = {}

    def stood(self, card: int, level: int, ended: bool) -> Row:
        """By zeros thrown: a punter who stood on `card`."""
        frame = self.frame
        if ended:
            return [punter_shown(frame, frame.hands[card], thrown) for thrown in range(frame.zeros + 1)]
        own = code(frame, card, level)
        sums = self._sums((card,), own, self.weights[STOOD])
        return self._worths(self._finish(sums, 1 if card else 0), frame.ways((card,)), 1, int(card == 0))

    def drew(self, card: int) -> list[Row]:
        """By zeros thrown: a punter who drew a zero to `card`, or any other card."""
        frame = self.frame
        held = int(card > 0)
        total = [0] * 6
        zero = Quadratic(0, 0, 0)
        for third in CARDS:
            ways = frame.ways((card, third))
            if ways:
                weights = self.weights[1 + third if frame.plan.face_up else HIDDEN]
                sums = self._sums((card, third), (card + third) % 10, weights)
                if third:
                    total = [each + ways * part for each, part in zip(total, sums, strict=True)]
                else:
                    zero = self._finish([ways * part for part in sums], held)
        other = self._finish(total, held + 1)
        worths = self._worths(zero, 1, 2, 2 - held), self._worths(other, 1, 2, 1 - held)
        return [list(pair) for pair in zip(*worths, strict=True)]

    def _worths(self, quadratic: Quadratic, ways: int, held: int, held_zeros: int) -> Row:
        """By zeros thrown: his turn against `held` cards of the punter, `held_zeros` of them zeros."""
        if (held, held_zeros) not in self.lines:
            self.lines[held, held_zeros] = self._lines(held, held_zeros)
        c0, c1, c2 = (ways * part for part in quadratic)
        return [weight * (c0 + zeros * (c1 + zeros * c2)) for zeros, weight in self.lines[held, held_zeros]]

    def _lines(self, held: int, held_zeros: int) -> list[tuple[int, int]]:
        """By zeros thrown: the zeros left, and the weight of the zeros on the common denominator."""
        frame = self.frame
        rote = frame.rote_den(frame.others - (held - held_zeros) * frame.gone)
        found = []
        for thrown in range(frame.zeros + 1):
            zeros = frame.shoe.counts[0] - (thrown + held_zeros) * frame.gone
            scale = frame.scale[thrown + held + 1 + frame.banker_draws] // rote if zeros >= 0 else 0
            found.append((zeros, scale * frame.zero_weights[thrown + held_zeros]))
        return found

    def _sums(self, held: tuple[int, ...], own: int, draws: tuple[int, ...]) -> list[int]:
        """Standing, drawing a zero, drawing another card: on a first card that is none, and after a zero or on it."""
        forms, gone = self._forms(own, draws), self.frame.gone
        if not self.frame.banker_draws:
            after = forms.replaced.stand.at(held, gone) if self.table.discard_dealt else forms.zero_stand
            return [forms.dealt.stand.at(held, gone), 0, 0, after, 0, 0]
        dealt = [form.at(held, gone) for form in forms.dealt]
        if self.table.discard_dealt:
            return dealt + [form.at(held, gone) for form in forms.replaced]
        return [*dealt, forms.zero_stand, forms.zero_zero, forms.zero_other.at(held, gone)]

    def _finish(self, sums: list[int], held_others: int) -> Quadratic:
        """His turn over t(t - 1) · rote, as at the head of this module; `held_others` of the punter's cards are no
        zeros.
        """
        table, frame, gone = self.table, self.frame, self.frame.gone
        others = frame.others - gone * held_others
        rest = others - gone if frame.banker_draws else 1
        rote = frame.rote_den(others)
        stand, zero, other, after_stand, after_zero, after_other = sums
        by_rest, alone, by_zeros = stand * rote, other * rote, zero * rote
        if table.discard_drawn:
            by_rest, alone, by_zeros = by_rest + other * others, 0, 0
        after_rest = after_stand * (rest if table.discard_dealt else rote)
        after_alone = after_zeros = 0
        if table.discard_drawn:
            after_rest += after_other * (1 if table.discard_dealt else rest)
        elif table.discard_dealt:
            after_alone, after_zeros = after_other * others, after_zero * rest
        else:
            after_alone, after_zeros = after_other * rote, after_zero * rote
        if not frame.banker_draws:
            return Quadratic(by_rest, after_rest, 0)
        # t - 1 = zeros + rest; after a first zero, zeros - gone are left
        return Quadratic(
            by_rest * rest + alone,
            by_rest + by_zeros + after_rest * rest + after_alone - gone * after_zeros,
            after_rest + after_zeros,
        )

    def _forms(self, own: int, draws: tuple[int, ...]) -> _Forms:
        if (own, draws) not in self.forms:
            pay, unit = self.frame.pay[own], self.unit
            dealt = self._kept(pay, draws, FIRST)
            replaced = self._kept(pay, draws, LATER) if self.table.discard_dealt else dealt
            other = _Linear(self.counts, [draws[0] * pay[e] * (e > 0) for e in CARDS])
            self.forms[own, draws] = _Forms(
                dealt, replaced, (unit - draws[0]) * pay[0], draws[0] * pay[0], other
            )
        return self.forms[own, draws]

    def _kept(self, pay: Sequence[int], draws: tuple[int, ...], level: int) -> _Kept:
        frame, met = self.frame, frozenset(_OTHERS)
        if level == FIRST:
            met -= frame.plan.banker_ends
        stand = [(self.unit - draws[b]) * pay[code(frame, b, level)] if b in met else 0 for b in CARDS]
        if not frame.banker_draws:
            return _Kept(_Linear(self.counts, stand), _NOTHING, _NO_PAIRS)
        zero = [draws[b] * pay[b] if b in met else 0 for b in CARDS]
        rows = [
            [draws[b] * pay[(b + e) % 10] if e else 0 for e in CARDS] if b in met and draws[b] else [0] * 10
            for b in CARDS
        ]
        return _Kept(
            _Linear(self.counts, stand), _Linear(self.counts, zero), _Pairs(self.counts, rows, frame.gone)
        )
