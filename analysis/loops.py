"""The kernels of the odds set up for rules and policies: everything they go by as arrays.

Importing this module imports numba: import it where a kernel is used.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from analysis import card_kernels, pair_kernels
from analysis.card_kernels import BEST, PARTS, Cards, Room
from analysis.naturals import FIRST, LEVELS, hand_code
from analysis.outcome import Outcome, outcomes_of
from analysis.pair_kernels import Pairs
from analysis.shoe import MOST_DECKS, banker_may_draw, punter_may_draw
from analysis.strategies import COLUMNS, HIDDEN, STOOD, BankerTable, PunterTable
from casino.banking.plan import DRAW_BIT, STAND_BIT, Plan

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Numbers = NDArray[Any]
Policies = tuple[PunterTable | None, BankerTable]

_POINTS = range(10)
MOST_ZEROS = 16 * MOST_DECKS


class Loop(Protocol):
    """A kernel with its rows."""

    def one(self, counts: Ints) -> tuple[Numbers, Numbers, float]:
        """(`lines[part, points, layer]`, a zero first dealt thrown `[layer]`, the denominator) of one shoe."""

    def many(self, shoes: Ints, table: Floats) -> Floats:
        """EVs of many shoes `[shoe, points]`; fills `table[shoe, points, (stand, draw)]` unless it is empty."""


@lru_cache(maxsize=256)
def loop(plan: Plan, policies: Policies, infinite: bool, layers: bool) -> Loop:
    """The kernel for a plan and policies. `layers`: distributions are asked, not the net alone."""
    return (CardLoop if plan.first == 1 else PairLoop)(plan, policies, infinite, layers)


class PairLoop:
    """Two first cards each."""

    def __init__(self, plan: Plan, policies: Policies, infinite: bool, layers: bool) -> None:
        punter, banker = policies
        shown = [points in plan.punter_ends for points in _POINTS]
        pays = _pays(plan, layers)
        self.layers = pays.shape[2]
        self.rows = Pairs(
            pays=pays,
            gone=_gone(infinite),
            banker_draws=int(banker_may_draw(plan)),
            punter_draws=int(punter_may_draw(plan)),
            face_up=int(plan.face_up),
            draws=_ints([[row[column] for row in banker.draw] for column in range(COLUMNS)]),
            met=_ints([points not in plan.banker_ends for points in _POINTS]),
            shown=_ints(shown),
            codes=_ints([hand_code(plan, points, FIRST) for points in _POINTS]),
            choice=_ints(_choices(plan, punter, shown)),
            may=_ints([(bits & STAND_BIT > 0, bits & DRAW_BIT > 0) for bits in plan.punter]),
        )

    def one(self, counts: Ints) -> tuple[Numbers, Numbers, float]:
        lines = np.zeros((PARTS, 10, self.layers), np.int64)
        den = pair_kernels.two_cards(self.rows, counts, lines)
        return lines, np.zeros(self.layers), den

    def many(self, shoes: Ints, table: Floats) -> Floats:
        evs = np.empty(len(shoes))
        pair_kernels.two_cards_many(self.rows, shoes, evs)
        return evs


class CardLoop:
    """One first card each."""

    def __init__(self, plan: Plan, policies: Policies, infinite: bool, layers: bool) -> None:
        punter, banker = policies
        pays = _pays(plan, layers)
        forms = _Forms(plan, banker, pays.astype(np.float64))
        columns = [1 + third if plan.face_up else HIDDEN for third in _POINTS]
        stood = [[forms.number(hand_code(plan, card, level), STOOD) for card in _POINTS] for level in LEVELS]
        drawn = [[forms.number((card + third) % 10, columns[third]) for third in _POINTS] for card in _POINTS]
        forms.fill()
        ends = [
            [c in plan.punter_ends and hand_code(plan, c, level) > 9 for c in _POINTS] for level in LEVELS
        ]
        ended = np.array([b in plan.banker_ends for b in _POINTS])
        codes = [hand_code(plan, card, FIRST) for card in _POINTS]
        first = pays[codes][:, codes].transpose(0, 2, 1).astype(np.float64)
        may = [
            (end or bits & STAND_BIT > 0, not end and bits & DRAW_BIT > 0)
            for end, bits in zip(ends[FIRST], plan.punter, strict=True)
        ]
        self.rows = Cards(
            gone=_gone(infinite),
            banker_draws=int(banker_may_draw(plan)),
            punter_draws=int(punter_may_draw(plan)),
            stood=_ints(stood),
            drawn=_ints(drawn),
            stand=forms.stand,
            zero=forms.zero,
            other=forms.other,
            kept=forms.kept,
            kept_other=forms.kept_other,
            shown=np.ascontiguousarray(first * ended),
            met=np.ascontiguousarray(first * ~ended),
            asks=_ints(~ended),
            ends=_ints(ends),
            choice=_ints([_choices(plan, punter, row) for row in ends]),
            may=_ints(may),
            throws=_ints(_throws(plan, policies)),
        )
        self.layers, self.forms = pays.shape[2], forms.size

    def _room(self) -> Room:
        # New for every call: threads of a server may be in the same kernel at once.
        return Room(
            line=np.zeros((2, self.layers, self.forms, 3)),
            less=np.zeros((2, self.layers, self.forms, 10)),
            kept=np.zeros((self.layers, self.forms)),
            stood=np.zeros((2, 10, self.layers, 3)),
            drew=np.zeros((10, 2, self.layers, 3)),
            counts=np.zeros(10),
            rote=np.ones(3),
            chance=np.ones(MOST_ZEROS + 1),
            lines=np.zeros((PARTS, 10, self.layers)),
            more=np.zeros(self.layers),
        )

    def one(self, counts: Ints) -> tuple[Numbers, Numbers, float]:
        room = self._room()
        den = card_kernels.one_card(self.rows, counts, room)
        return room.lines, room.more, den

    def many(self, shoes: Ints, table: Floats) -> Floats:
        evs = np.empty(len(shoes))
        card_kernels.one_card_many(self.rows, shoes, self._room(), evs, table)
        return evs


class _Forms:
    """The forms of `rote`, one for each finished hand and each column of the banker's table that differs."""

    def __init__(self, plan: Plan, banker: BankerTable, pays: Floats) -> None:
        self.plan, self.pays = plan, pays
        self.columns = [tuple(int(row[column]) for row in banker.draw) for column in range(COLUMNS)]
        self.numbers: dict[tuple[int, tuple[int, ...]], int] = {}

    def number(self, own: int, column: int) -> int:
        """Number of the form of a hand of that code and a column."""
        return self.numbers.setdefault((own, self.columns[column]), len(self.numbers))

    @property
    def size(self) -> int:
        return len(self.numbers)

    def fill(self) -> None:
        """Make the arrays of all forms that were numbered."""
        layers = self.pays.shape[2]
        self.stand, self.zero = np.zeros((2, 2, layers, self.size, 10))
        self.other = np.zeros((2, layers, self.size, 10, 10))
        self.kept, self.kept_other = np.zeros((layers, self.size, 2)), np.zeros((layers, self.size, 10))
        for (own, draws), form in self.numbers.items():
            pay = self.pays[own].T
            self.kept[:, form, draws[0]] = pay[:, 0]
            self.kept_other[:, form, 1:] = draws[0] * pay[:, 1:10]
            for level in LEVELS:
                for b in _POINTS[1:]:
                    if level != FIRST or b not in self.plan.banker_ends:
                        self._enter(level, form, b, pay, draws)

    def _enter(self, level: int, form: int, b: int, pay: Floats, draws: Sequence[int]) -> None:
        """Enter a kept card b."""
        if not draws[b]:
            self.stand[level, :, form, b] = pay[:, hand_code(self.plan, b, level)]
            return
        self.zero[level, :, form, b] = pay[:, b]
        for e in _POINTS[1:]:
            self.other[level, :, form, b, e] += pay[:, (b + e) % 10]
            self.other[level, :, form, e, b] += pay[:, (b + e) % 10]


def _ints(rows: Any) -> Ints:
    return np.array(rows, np.int64)


def _gone(infinite: bool) -> int:
    return 0 if infinite else 1


def _pays(plan: Plan, layers: bool) -> Ints:
    """`[punter code, banker code, layer]`: the net, and then 1 for each outcome in turn."""
    nets = _ints(plan.table)
    ties = np.arange(20)[:, None] % 10 == np.arange(20) % 10
    wanted: tuple[Outcome, ...] = outcomes_of(plan) if layers else ()
    found = [nets, *((nets == outcome.net) & (ties == outcome.tie) for outcome in wanted)]
    return np.ascontiguousarray(np.stack(found, 2), np.int64)


def _choices(plan: Plan, punter: PunterTable | None, ends: Sequence[bool]) -> list[int]:
    """By points: 0 stands, 1 draws, 2 as is best."""
    found = []
    for points, bits in enumerate(plan.punter):
        if ends[points] or not bits & DRAW_BIT:
            found.append(0)
        elif not bits & STAND_BIT:
            found.append(1)
        else:
            found.append(BEST if punter is None else int(punter.draw[points]))
    return found


def _throws(plan: Plan, policies: Policies) -> list[int]:
    """Zeros that go: the banker's dealt and drawn ones, the punter's (2: as is best); may he throw dealt ones?"""
    punter, banker = policies
    his = [int(banker.discard_dealt), int(banker.discard_drawn)]
    if punter is None:
        mine = [plan.punter_dealt * BEST, plan.punter_drawn * BEST]
    else:
        mine = [int(punter.discard_dealt), int(punter.discard_drawn)]
    return [*his, *mine, int(plan.punter_dealt)]
