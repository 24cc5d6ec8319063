"""Cards that several punters hold concealed, given what each was seen to do: exact sums without replacement.

Each concealed card is an element with a weight w(v) by its points v (how readily its owner would have done what was
seen). The ways of giving distinct cards to all of them factorise over the values v: with N_v cards of v among the
unknown, the ways f_v(s) of serving s_j elements of each kind j with cards of values up to v are

    f_v(s) = Σ_{t <= s} f_{v-1}(s - t) · (N_v)_{|t|} · Π_j C(s_j, t_j) w_j(v)^{t_j}

where elements of equal weights are one kind: what counts is how many of them, not which. With every element a kind of
its own this is the recursion over subsets. Along with the ways goes their moment, the sum over elements of a payoff
that depends on the element's own card: the same recursion in dual numbers. All in integers of any size.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import comb, prod
from typing import NamedTuple

VALUES = range(10)


class Kind(NamedTuple):
    """Elements of equal weights, by value; how many there are."""

    weights: tuple[int, ...]
    many: int


class Dual(NamedTuple):
    """Ways, and the sum over them of all payoffs."""

    ways: int
    moment: int


@dataclass(frozen=True)
class Concealed:
    """Elements by kind. `payoffs[kind][value]` in a call is the mean of the kind's elements times `scale`."""

    kinds: tuple[Kind, ...]

    @cached_property
    def steps(self) -> int:
        """Multiplications of one call of `over`."""
        return len(VALUES) * prod((kind.many + 1) * (kind.many + 2) // 2 for kind in self.kinds)

    @cached_property
    def _shape(self) -> tuple[int, ...]:
        return tuple(kind.many for kind in self.kinds)

    @cached_property
    def _transitions(self) -> list[tuple[int, int, tuple[int, ...], int]]:
        """(index of s, index of s - t, t, Π C(s_j, t_j)) for all t <= s, the largest s first."""
        index = {state: at for at, state in enumerate(product(*(range(count + 1) for count in self._shape)))}
        found = []
        for state in sorted(index, key=sum, reverse=True):
            for taken in product(*(range(count + 1) for count in state)):
                rest = tuple(have - took for have, took in zip(state, taken, strict=True))
                found.append((index[state], index[rest], taken, prod(map(comb, state, taken))))
        return found

    def over(
        self, pool: Sequence[int], payoffs: Sequence[Sequence[int]], values: Sequence[int]
    ) -> list[Dual]:
        """All f(s) with cards of these values, s in lexical order: the last is the whole."""
        size = prod(count + 1 for count in self._shape)
        now = [Dual(1, 0), *[Dual(0, 0)] * (size - 1)]
        for value in values:
            factors = self._factors(pool[value], payoffs, value)
            ways, moments = [0] * size, [0] * size
            for to, source, taken, binomials in self._transitions:
                factor = factors.get(taken)
                if factor is not None and now[source].ways:
                    weight = binomials * factor.ways
                    ways[to] += weight * now[source].ways
                    moments[to] += weight * (now[source].moment + now[source].ways * factor.moment)
            now = list(map(Dual, ways, moments))
        return now

    def whole(
        self, pool: Sequence[int], payoffs: Sequence[Sequence[int]], value: int, before: Sequence[Dual]
    ) -> Dual:
        """The last step alone: cards of `value` on top of `before`, all elements served."""
        factors = self._factors(pool[value], payoffs, value)
        ways = moment = 0
        for _, source, taken, binomials in self._last:
            factor = factors.get(taken)
            if factor is not None:
                weight = binomials * factor.ways
                ways += weight * before[source].ways
                moment += weight * (before[source].moment + before[source].ways * factor.moment)
        return Dual(ways, moment)

    @cached_property
    def _last(self) -> list[tuple[int, int, tuple[int, ...], int]]:
        last = prod(count + 1 for count in self._shape) - 1
        return [transition for transition in self._transitions if transition[0] == last]

    def _factors(
        self, count: int, payoffs: Sequence[Sequence[int]], value: int
    ) -> dict[tuple[int, ...], Dual]:
        """By t: (N)_{|t|} Π w^t, and what the t elements are paid together."""
        ranges = [range(kind.many + 1 if kind.weights[value] else 1) for kind in self.kinds]
        found = {}
        for taken in product(*ranges):
            ways = prod(range(count - sum(taken) + 1, count + 1))
            if ways:
                weights = prod(
                    kind.weights[value] ** took for kind, took in zip(self.kinds, taken, strict=True)
                )
                paid = sum(took * payoff[value] for took, payoff in zip(taken, payoffs, strict=True))
                found[taken] = Dual(ways * weights, paid)
        return found


def kinds_of(elements: Sequence[tuple[int, ...]]) -> tuple[tuple[Kind, ...], tuple[int, ...]]:
    """The kinds of elements by their weights, and the kind of each element."""
    order = list(dict.fromkeys(elements))
    return tuple(Kind(weights, elements.count(weights)) for weights in order), tuple(
        map(order.index, elements)
    )


def one_fewer(kinds: tuple[Kind, ...], kind: int) -> tuple[Kind, ...]:
    """The same with one element of a kind taken out."""
    return tuple(each._replace(many=each.many - (at == kind)) for at, each in enumerate(kinds))
