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
        quadratic = self._quadratic((card,), own, self.weights[STOOD])
        return self._worths(quadratic, frame.ways((card,)), 1, int(card == 0))

    def drew(self, card: int) -> list[Row]:
        """By zeros thrown: a punter who drew a zero to `card`, or any other card."""
        frame = self.frame
        sums = [0, 0, 0]
        zero = Quadratic(0, 0, 0)
        for third in CARDS:
            weights = self.weights[1 + third if frame.plan.face_up else HIDDEN]
            ways = frame.ways((card, third))
            if ways:
                quadratic = self._quadratic((card, third), (card + third) % 10, weights)
                if third:
                    sums = [each + ways * part for each, part in zip(sums, quadratic, strict=True)]
                else:
                    zero = Quadratic(*(ways * part for part in quadratic))
        held = int(card == 0)
        worths = self._worths(zero, 1, 2, held + 1), self._worths(Quadratic(*sums), 1, 2, held)
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

    def _quadratic(self, held: tuple[int, ...], own: int, draws: tuple[int, ...]) -> Quadratic:
        """His turn over t(t - 1) · rote, as at the head of this module."""
        forms, table, frame = self._forms(own, draws), self.table, self.frame
        gone = frame.gone
        others = frame.others - gone * sum(card > 0 for card in held)
        rest = others - gone if frame.banker_draws else 1
        rote = frame.rote_den(others)
        stand, zero, other = (form.at(held, gone) for form in forms.dealt)
        by_rest, alone, by_zeros = stand * rote, other * rote, zero * rote
        if table.discard_drawn:
            by_rest, alone, by_zeros = by_rest + other * others, 0, 0
        first = self._first_zero(forms, held, others, rote)
        if not frame.banker_draws:
            return Quadratic(by_rest, first[0], 0)
        # t - 1 = zeros + rest; after a first zero, zeros - gone are left
        return Quadratic(
            by_rest * rest + alone,
            by_rest + by_zeros + first[0] * rest + first[1] - gone * first[2],
            first[0] + first[2],
        )

    def _first_zero(
        self, forms: _Forms, held: tuple[int, ...], others: int, rote: int
    ) -> tuple[int, int, int]:
        """His first card is a zero: parts that go by t - 1, alone, and by the zeros left after it."""
        table, gone = self.table, self.frame.gone
        rest = others - gone if self.frame.banker_draws else 1
        if table.discard_dealt:
            stand, zero, other = (form.at(held, gone) for form in forms.replaced)
            if table.discard_drawn:
                return stand * rest + other, 0, 0
            return stand * rest, other * others, zero * rest
        other = forms.zero_other.at(held, gone)
        if table.discard_drawn:
            return forms.zero_stand * rote + other * rest, 0, 0
        return forms.zero_stand * rote, other * rote, forms.zero_zero * rote

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
        zero = [draws[b] * pay[b] if b in met else 0 for b in CARDS]
        rows = [
            [draws[b] * pay[(b + e) % 10] if e else 0 for e in CARDS] if b in met and draws[b] else [0] * 10
            for b in CARDS
        ]
        return _Kept(
            _Linear(self.counts, stand), _Linear(self.counts, zero), _Pairs(self.counts, rows, frame.gone)
        )
