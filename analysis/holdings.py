"""What the punters of a coup are paid on average, over all that they may hold concealed and the banker may yet draw."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import lcm, prod
from typing import Protocol

from analysis.frame import HANDS
from analysis.naturals import FIRST, hand_code
from analysis.posterior import Concealed, Dual, Kind, kinds_of, one_fewer
from analysis.shoe import Shoe
from analysis.table_state import BankerState, Holding, any_holding, holding
from casino.banking.plan import Plan
from casino.errors import RulesError

_CARDS = range(10)
_OTHERS = _CARDS[1:]
Payoffs = tuple[tuple[int, ...], ...]


class Unknown(Protocol):
    """Concealed cards of the punters. `pool`: cards not seen, by points; `cards`: how many of them punters hold."""

    @property
    def pool(self) -> tuple[int, ...]: ...

    @property
    def holdings(self) -> tuple[Holding, ...]: ...

    @property
    def cards(self) -> int: ...

    @property
    def steps(self) -> int:
        """Multiplications of one `paid` with new cards taken, and with only more zeros taken."""

    def paid(self, taken: tuple[int, ...], zeros: int, code: int) -> Fraction:
        """Σ stake · net of all punters against a hand of that code, averaged over what they may hold; with the cards
        `taken` (no zeros, ascending) and so many zeros out of the pool, and times how much likelier that makes what
        was seen.
        """


def unknown_of(plan: Plan, shoe: Shoe, state: BankerState) -> Unknown:
    """What the banker does not know at a state. If the punters' policies cannot all have led there, each may hold
    anything that the rules allow. Raises RulesError if even so nobody could have done what was seen.
    """
    pool = state.unknown(shoe)
    table = _Table(plan, hand_code(plan, sum(state.cards) % 10, FIRST))
    kind = Cards if plan.first == 1 else Hands
    found = kind(table, pool, tuple(holding(plan, punter, pool) for punter in state.punters))
    if not found.ways:
        found = kind(table, pool, tuple(any_holding(plan, punter) for punter in state.punters))
    if not found.ways:
        raise RulesError("no cards that are left allow what these punters did", pointer="/state/punters")
    return found


@dataclass(frozen=True)
class _Table:
    """Payoffs of hands; a natural that was shown at once meets the banker's `first` cards."""

    plan: Plan
    first: int

    def net(self, holding: Holding, first: int, third: int, code: int) -> int:
        """Stake · net with first cards and a third card of so many points."""
        punter = holding.punter
        if punter.shown:
            return punter.stake * self.plan.table[first % 10 + 10][self.first]
        return punter.stake * self.plan.table[holding.code(self.plan, first, third)][code]


@dataclass(frozen=True)
class Cards:
    """One first card each: every concealed card is an element of `posterior.Concealed`."""

    table: _Table
    pool: tuple[int, ...]
    holdings: tuple[Holding, ...]
    _bases: dict[tuple[tuple[int, ...], int, int], list[Dual]] = field(default_factory=dict, repr=False)

    @cached_property
    def _elements(self) -> list[tuple[int, ...]]:
        """Weights of all elements: first cards, then third cards."""
        firsts = [each.first for each in self.holdings if each.first is not None]
        return [*firsts, *(each.third for each in self.holdings if each.third is not None)]

    @cached_property
    def _kinds(self) -> tuple[Kind, ...]:
        return kinds_of(self._elements)[0]

    @cached_property
    def cards(self) -> int:
        return len(self._elements)

    @property
    def steps(self) -> int:
        return Concealed(self._kinds).steps * (1 + 10 * len(self._pairs))

    @cached_property
    def _places(self) -> tuple[dict[int, int], dict[int, int]]:
        """By punter: the kind of his first card, and of his third, where they are concealed."""
        kinds = iter(kinds_of(self._elements)[1])
        firsts = {at: next(kinds) for at, each in enumerate(self.holdings) if each.first is not None}
        return firsts, {at: next(kinds) for at, each in enumerate(self.holdings) if each.third is not None}

    @cached_property
    def _pairs(self) -> dict[int, list[int]]:
        """By kind of the third card: punters who hold both a first and a third card concealed."""
        firsts, thirds = self._places
        found: dict[int, list[int]] = {}
        for at, kind in thirds.items():
            if at in firsts:
                found.setdefault(kind, []).append(at)
        return found

    @cached_property
    def _scale(self) -> int:
        return lcm(*(kind.many for kind in self._kinds))

    @cached_property
    def ways(self) -> int:
        """Weighted ways of all that the punters may hold."""
        concealed = Concealed(self._kinds)
        none = ((0,) * 10,) * len(self._kinds)
        return concealed.over(self.pool, none, _CARDS)[-1].ways

    def paid(self, taken: tuple[int, ...], zeros: int, code: int) -> Fraction:
        alone = self._dual(taken, zeros, code, -1, 0)
        total = Fraction(alone.moment, self._scale) + alone.ways * self._constant(code)
        for kind in self._pairs:
            for third in _CARDS:
                total += self._with_third(taken, zeros, code, kind, third)
        return total / self.ways

    def _with_third(self, taken: tuple[int, ...], zeros: int, code: int, kind: int, third: int) -> Fraction:
        """The part of punters whose two cards are concealed, the third being one of a kind and of these points."""
        left = self.pool[third] - (taken.count(third) if third else zeros)
        weight = self._kinds[kind].weights[third] * left
        if weight <= 0:
            return Fraction(0)
        more = tuple(sorted((*taken, third))) if third else taken
        dual = self._dual(more, zeros + (third == 0), code, kind, third)
        return Fraction(weight * dual.moment, self._scale)

    def _dual(self, taken: tuple[int, ...], zeros: int, code: int, kind: int, third: int) -> Dual:
        kinds = self._kinds if kind < 0 else one_fewer(self._kinds, kind)
        concealed = self._concealed(kinds)
        pool = tuple(count - (taken.count(card) if card else zeros) for card, count in enumerate(self.pool))
        payoffs = self._open_payoffs(code) if kind < 0 else self._pair_payoffs(code, kind, third)
        key = (taken, code, kind)
        if key not in self._bases:
            self._bases[key] = concealed.over(pool, payoffs, _OTHERS)
        return concealed.whole(pool, payoffs, 0, self._bases[key])

    def _concealed(self, kinds: tuple[Kind, ...]) -> Concealed:
        if kinds not in self._sums:
            self._sums[kinds] = Concealed(kinds)
        return self._sums[kinds]

    @cached_property
    def _sums(self) -> dict[tuple[Kind, ...], Concealed]:
        return {}

    def _constant(self, code: int) -> int:
        """Punters of whom everything lies open."""
        firsts, thirds = self._places
        return sum(
            self.table.net(each, sum(each.punter.first or ()), each.punter.third or 0, code)
            for at, each in enumerate(self.holdings)
            if at not in firsts and at not in thirds
        )

    def _open_payoffs(self, code: int) -> Payoffs:
        """By kind and card: mean of those with one card concealed, times the scale."""
        firsts, thirds = self._places
        sums = [[0] * 10 for _ in self._kinds]
        for at, each in enumerate(self.holdings):
            for card in _CARDS:
                if at in firsts and at not in thirds:
                    sums[firsts[at]][card] += self.table.net(each, card, each.punter.third or 0, code)
                elif at in thirds and at not in firsts:
                    first = sum(each.punter.first or ())
                    sums[thirds[at]][card] += self.table.net(each, first, card, code)
        return self._means(sums)

    def _pair_payoffs(self, code: int, kind: int, third: int) -> Payoffs:
        """By kind and first card: mean of those whose third card, of `kind`, has these points."""
        firsts, _ = self._places
        sums = [[0] * 10 for _ in self._kinds]
        for at in self._pairs[kind]:
            for card in _CARDS:
                sums[firsts[at]][card] += self.table.net(self.holdings[at], card, third, code)
        return self._means(sums)

    def _means(self, sums: Sequence[Sequence[int]]) -> Payoffs:
        return tuple(
            tuple(paid * (self._scale // kind.many) for paid in row)
            for row, kind in zip(sums, self._kinds, strict=True)
        )


@dataclass(frozen=True)
class Hands:
    """Any number of first cards: every hand of every punter in turn. Few punters, or it takes long."""

    table: _Table
    pool: tuple[int, ...]
    holdings: tuple[Holding, ...]

    @cached_property
    def cards(self) -> int:
        first = self.table.plan.first
        return sum(first * (each.first is not None) + (each.third is not None) for each in self.holdings)

    @property
    def steps(self) -> int:
        return prod(
            (len(HANDS[self.table.plan.first]) if each.first is not None else 1) * (10 if each.third else 1)
            for each in self.holdings
        )

    @cached_property
    def ways(self) -> int:
        return self._sum(list(self.pool), 0, 0)[0]

    def paid(self, taken: tuple[int, ...], zeros: int, code: int) -> Fraction:
        pool = [count - (taken.count(card) if card else zeros) for card, count in enumerate(self.pool)]
        return Fraction(self._sum(pool, 0, code)[1], self.ways)

    def _sum(self, pool: list[int], place: int, code: int) -> tuple[int, int]:
        """(ways, Σ stake · net) of the punters from `place` on; `pool` is put right again."""
        if place == len(self.holdings):
            return 1, 0
        each = self.holdings[place]
        hands = HANDS[self.table.plan.first]
        if each.first is None:
            options: list[tuple[int, tuple[int, ...], int]] = [(1, (), sum(each.punter.first or ()))]
        else:
            options = [
                (weight * hand.orders, hand.cards, hand.points)
                for weight, hand in zip(each.first, hands, strict=True)
                if weight
            ]
        thirds = enumerate(each.third) if each.third is not None else [(-1, 1)]
        ways = moment = 0
        for third, third_weight in list(thirds):
            for weight, cards, points in options:
                held = cards if third < 0 else (*cards, third)
                count = weight * third_weight * _take(pool, held)
                if count > 0:
                    more, paid = self._sum(pool, place + 1, code)
                    open_third = each.punter.third or 0
                    own = self.table.net(each, points, open_third if third < 0 else third, code)
                    ways += count * more
                    moment += count * (paid + more * own)
                for card in held:
                    pool[card] += 1
        return ways, moment


def _take(pool: list[int], cards: Sequence[int]) -> int:
    """Take cards out of the pool: the ordered ways."""
    ways = 1
    for card in cards:
        ways *= max(pool[card], 0)
        pool[card] -= 1
    return ways
