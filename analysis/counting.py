"""Card counting: what each card gone is worth, how the edge spreads over a bank, what varying bets is worth.

*Effect of removal* of a value: EV of the first coup from the shoe less one such card, minus the EV from the whole
shoe (Griffin, The Theory of Blackjack). Where the policies stay the same, every card of a shoe is as good as any
other as the next to be dealt, so the effects weighted by the counts sum to nought exactly.

*Edge over the depth*: after d cards are gone (every set of them equally likely) the exact edge of the next coup,
over random shoes. Its mean is the fresh shoe's edge; its spread is what a counter lives by.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from analysis import numbers
from analysis.dealing import Dealing
from analysis.exact import engine, odds, resolve
from analysis.fast import edges
from analysis.numbers import Number
from analysis.shoe import Shoe, full
from analysis.simulate import Estimate, simulate
from analysis.strategies import Policy, banker_table, default, punter_table
from casino.banking.policies import BANKER, PUNTER
from casino.banking.rules import Rules
from casino.errors import RulesError

Floats = NDArray[np.float64]
Progress = Callable[[int], object]
SIDES: Final = (PUNTER, BANKER)
MOST_SAMPLES: Final = 1_000_000
SAMPLES: Final = 2000
DEPTHS: Final = 7  # where none are named: every eighth of the shoe
QUANTILES: Final = (0.05, 0.25, 0.5, 0.75, 0.95)
_VALUES: Final = range(10)


@dataclass(frozen=True)
class Removal:
    """What one card of some points is worth, gone: changes of the EV per unit staked, exact.

    `banker_bet` and `tie_bet` (8 to 1) only where such bets are known (two first cards, one hand for all).
    """

    points: int
    cards: int
    punter: Number
    banker: Number
    banker_bet: Number | None = None
    tie_bet: Number | None = None

    def to_json(self) -> dict[str, Any]:
        """JSON values."""
        found: dict[str, Any] = {"points": self.points, "cards": self.cards}
        for name in ("punter", "banker", "banker_bet", "tie_bet"):
            value = getattr(self, name)
            if value is not None:
                found[name] = numbers.to_json(value)
        return found


def effects_of_removal(
    rules: Rules, shoe: Shoe | None = None, punter: Policy | None = None, banker: Policy | None = None
) -> list[Removal]:
    """The effect of removing one card, for each number of points that the shoe holds.

    `optimal` is worked out anew from each shoe. Raises RulesError: an infinite shoe, which no card leaves, or one
    that cannot spare a card.
    """
    whole = shoe or full(rules.decks)
    if whole.infinite:
        raise RulesError("no card ever leaves an infinite shoe: give packs or counts", pointer="/shoe")
    base = odds(rules, whole, (), punter, banker)
    found = []
    for points in _VALUES:
        if not whole.counts[points]:
            continue
        left = list(whole.counts)
        left[points] -= 1
        less = odds(rules, Shoe(tuple(left)), (), punter, banker)
        change = less.ev_punter - base.ev_punter
        bets: tuple[Number | None, Number | None] = (None, None)
        if base.has_side_bets:
            bets = (
                less.banker_bet_ev - base.banker_bet_ev,
                less.tie_bet_8_to_1_ev - base.tie_bet_8_to_1_ev,
            )
        found.append(Removal(points, whole.counts[points], change, -change, *bets))
    return found


@dataclass(frozen=True)
class Depth:
    """The edge of one side once so many cards are gone, over random shoes. Per unit staked."""

    gone: int
    mean: Estimate
    deviation: float
    quantiles: dict[float, float]
    favourable: float
    gain: Estimate
    correlation: float | None

    def to_json(self) -> dict[str, Any]:
        """JSON values."""
        return {
            "cards_gone": self.gone,
            "mean": self.mean.to_json(),
            "standard_deviation": self.deviation,
            "quantiles": {str(share): value for share, value in self.quantiles.items()},
            "favourable": self.favourable,
            "gain_of_bet_variation": self.gain.to_json(),
            "correlation_of_count": self.correlation,
        }


@dataclass(frozen=True)
class Counting:
    """Effects of removal, and the edge of a side by the depth of the bank."""

    rules: Rules
    side: str
    fresh: Number
    effects: list[Removal]
    depths: list[Depth]
    spread: Fraction
    samples: int
    seed: int

    def to_json(self) -> dict[str, Any]:
        """JSON values."""
        return {
            "side": self.side,
            "fresh_shoe": numbers.to_json(self.fresh),
            "effects_of_removal": [effect.to_json() for effect in self.effects],
            "by_depth": [depth.to_json() for depth in self.depths],
            "bet_spread": float(self.spread),
            "samples": self.samples,
            "seed": self.seed,
            "rules_hash": self.rules.hash,
            "engine": engine(),
        }


def counting(
    rules: Rules,
    *,
    punter: Policy | None = None,
    banker: Policy | None = None,
    side: str = PUNTER,
    depths: Sequence[int] | None = None,
    samples: int = SAMPLES,
    seed: int = 0,
    progress: Progress = lambda _: None,
) -> Counting:
    """Effects of removal, and the distribution of a side's edge over the depth of a bank.

    `depths`: numbers of cards gone; every eighth of the shoe where not given. At each depth `samples` random shoes
    are drawn (the same for the same seed) and the exact edge of each is worked out. `gain_of_bet_variation` is what
    is won a coup, in smallest stakes, by staking the table's most when the edge is for the side and the least when it
    is not, over always staking the least; `correlation_of_count` how well the effects of removal, summed over the
    cards gone, tell the edge. `progress` is called with the shoes of each depth when it is done. Raises RulesError.
    """
    _check(rules, side, samples, seed)
    places = _depths(rules, depths)
    mine, his = punter or "optimal", banker or default(BANKER, rules)
    tables = resolve(rules, mine, his)
    if tables[1] is None:
        raise RulesError(
            "a banker's policy must be given: a best reply to a best reply is an equilibrium",
            pointer="/banker",
        )
    sign = 1 if side == PUNTER else -1
    effects = effects_of_removal(rules, None, mine, his)
    worth = np.zeros(10)
    worth[[effect.points for effect in effects]] = [sign * float(effect.punter) for effect in effects]
    spread, whole = Fraction(rules.limits.max, rules.limits.min), np.array(full(rules.decks).counts)
    random, found = np.random.default_rng(np.random.SeedSequence(seed)), []
    for gone in places:
        taken = random.multivariate_hypergeometric(whole, gone, size=samples).astype(np.int64)
        edge = sign * edges(rules, whole - taken, tables[0], tables[1])
        found.append(_depth(gone, edge, taken @ worth, float(spread)))
        progress(samples)
    fresh = odds(rules, None, (), mine, his)
    value = fresh.ev_punter if side == PUNTER else fresh.ev_banker
    return Counting(rules, side, value, effects, found, spread, samples, seed)


def _check(rules: Rules, side: str, samples: int, seed: int) -> None:
    if side not in SIDES:
        raise RulesError(f"must be punter or banker, not {side!r:.40}", pointer="/side")
    for name, value, low, high in (("samples", samples, 2, MOST_SAMPLES), ("seed", seed, 0, 2**63 - 1)):
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise RulesError(
                f"must be a whole number from {low} to {high}, not {value!r:.40}", pointer=f"/{name}"
            )


def _depths(rules: Rules, depths: Sequence[int] | None) -> list[int]:
    cards = 52 * rules.decks
    most = cards - rules.reserve(1)
    if depths is None:
        return sorted({min(most, cards * part // (DEPTHS + 1)) for part in range(1, DEPTHS + 1)})
    for index, gone in enumerate(depths):
        if isinstance(gone, bool) or not isinstance(gone, int) or not 0 <= gone <= most:
            raise RulesError(
                f"must be 0 to {most} cards: a coup needs {rules.reserve(1)} of {cards}",
                pointer=f"/depths/{index}",
            )
    return list(depths)


def _depth(gone: int, edge: Floats, count: Floats, spread: float) -> Depth:
    served = edge[~np.isnan(edge)]
    if not len(served):
        raise RulesError(f"no shoe with {gone} cards gone serves a coup", pointer="/depths")
    told = count[~np.isnan(edge)]
    number = len(served)
    gain = np.where(served > 0, (spread - 1) * served, 0.0)
    varies = served.std() > 0 and told.std() > 0
    return Depth(
        gone=gone,
        mean=_estimate(served),
        deviation=float(served.std(ddof=1)),
        quantiles={share: float(np.quantile(served, share)) for share in QUANTILES},
        favourable=float(np.count_nonzero(served > 0)) / number,
        gain=_estimate(gain),
        correlation=float(np.corrcoef(served, told)[0, 1]) if varies else None,
    )


def _estimate(values: Floats) -> Estimate:
    return Estimate(float(values.mean()), float(values.std(ddof=1)) / float(np.sqrt(len(values))))


@dataclass(frozen=True)
class EndOfShoe:
    """What the end of the shoe does: exact EV of the first coup beside the average over whole banks. In stakes."""

    first_coup: Number
    over_bank: Estimate
    coups: int
    banks: int

    @property
    def difference(self) -> float:
        """Average over banks minus first coup."""
        return self.over_bank.value - float(self.first_coup)

    def to_json(self) -> dict[str, Any]:
        """JSON values."""
        return {
            "first_coup": numbers.to_json(self.first_coup),
            "over_bank": self.over_bank.to_json(),
            "difference": self.difference,
            "standard_errors": self.difference / self.over_bank.error if self.over_bank.error else 0.0,
            "coups": self.coups,
            "banks": self.banks,
        }


def end_of_shoe(
    rules: Rules, punter: Policy, banker: Policy, *, coups: int = 10_000_000, seed: int = 0, threads: int = 1
) -> EndOfShoe:
    """Compare the exact first coup with coups dealt in order to the end of the rules' bank (`exhaustion`).

    Policies must be given ones (not `optimal`), for they are held through the bank. Raises RulesError.
    """
    exact = odds(rules, None, (), punter, banker)
    dealing = Dealing(rules, (punter_table(punter, rules),), banker_table(banker, rules))
    dealt = simulate(dealing, coups, seed=seed, threads=threads)
    return EndOfShoe(exact.ev_punter, dealt.ev, coups, dealt.tally.banks)
