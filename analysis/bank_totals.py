"""What a bank nets against several punters, each with a hand of his own: enumerated, or dealt by the million.

Their results hang together by the banker's hand and the shoe. From an infinite shoe, and against up to three punters,
the hands are enumerated together (`analysis.bank_joint`). More are out of reach: for them four million coups are dealt
from fresh shoes (a fixed seed), and the distribution found is tilted, each probability times e^(s·net + t·net²), to
the exact mean and variance. Both are known, since every hand, and every pair of hands, meets the banker alike: the mean
is as many times that of one punter, and the variance that of one and the covariance of two give that of any number.
What is left is the error of the shape, some parts in a thousand of the skewness.
"""

from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from analysis.bank_joint import MOST_JOINED, totals
from analysis.dealing import Dealing
from analysis.exact import resolve
from analysis.outcomes import Outcomes
from casino.banking.rules import Rules
from casino.errors import RulesError

COUPS: Final = 4_000_000
_SEED = 1
_ROUNDS = 50
Nets = NDArray[np.int64]
Shares = NDArray[np.float64]


def is_enumerated(punters: int, infinite: bool) -> bool:
    """Are the hands of so many punters enumerated, not dealt?"""
    return infinite or punters <= MOST_JOINED


def bank_totals(rules: Rules, packs: int | str, punters: int, policies: tuple[Any, Any]) -> Outcomes:
    """Net of the bank in stakes of one punter, against `punters` who each stake 1 and play alike.

    Raises RulesError: a policy that is no table by points, or a banker who goes by one punter's third card.
    """
    dealing = dealing_of(rules, packs, punters, policies)
    if is_enumerated(punters, dealing.infinite):
        nets, shares = totals(dealing)
    else:
        nets, counts = dealt(dealing)
        shares = tilted(nets, counts, *moments(dealing))
    return Outcomes.of(dict(zip((-nets).tolist(), shares.tolist(), strict=True)))


def dealing_of(rules: Rules, packs: int | str, punters: int, policies: tuple[Any, Any]) -> Dealing:
    """A coup from that many packs, or from an infinite shoe; policies that are left out are those of a table.

    Raises RulesError as `bank_totals`.
    """
    infinite = packs == "infinite"
    dealt_by = rules if infinite else replace(rules, decks=int(packs))
    defaults = ("textbook", "threshold:5" if rules.banker_is_free else "rules")
    mine, his = resolve(dealt_by, policies[0] or defaults[0], policies[1] or defaults[1])
    if mine is None or his is None:
        raise RulesError(
            "several punters need policies by points, such as textbook or threshold:5, not one to be worked out",
            pointer="/rules/punter" if mine is None else "/rules/banker",
        )
    return Dealing(dealt_by, (mine,) * punters, his, infinite, None if infinite else 1)


def dealt(dealing: Dealing, coups: int = COUPS) -> tuple[Nets, Nets]:
    """Nets of all punters together, ascending, and how often each came in so many coups."""
    from analysis import deal_kernels, xoshiro  # noqa: PLC0415 - load numba
    from analysis.deal_compiled import by_card_book, by_card_shoe  # noqa: PLC0415

    worst = int(np.abs(dealing.nets).max()) * dealing.hands
    counts: Nets = np.zeros(2 * worst + 1, np.int64)
    shoe, hands = by_card_shoe(dealing)
    book, settling = by_card_book(dealing)
    deal_kernels.by_bank(xoshiro.words(_SEED, dealing.hands), coups, shoe, book, settling, hands, counts)
    places = np.flatnonzero(counts)
    return places - worst, counts[places]


def moments(dealing: Dealing) -> tuple[float, float]:
    """Exact mean of the punters' total net and of its square, from one hand and from two."""
    one, two = (_raw(*totals(replace(dealing, punters=dealing.punters[:hands]))) for hands in (1, 2))
    n = dealing.hands
    return n * one[0], n * one[1] + n * (n - 1) / 2 * (two[1] - 2 * one[1])


def _raw(nets: Nets, shares: Shares) -> tuple[float, float]:
    return float(shares @ nets), float(shares @ nets**2)


def tilted(nets: Nets, counts: Nets, mean: float, square: float) -> Shares:
    """Probabilities nearest to the shares of `counts` (in relative entropy) whose mean, and mean of squares, are these.

    By Newton's method on the two Lagrange multipliers (I. Csiszár, I-divergence geometry, Annals of Probability 3,
    1975).
    """
    powers = np.stack([nets, nets**2]).astype(np.float64)
    target, tilt = np.array([mean, square]), np.zeros(2)
    shares: Shares = counts / counts.sum()
    found = shares
    for _ in range(_ROUNDS):
        off = target - powers @ found
        if np.abs(off).max() <= 1e-13 * max(1.0, square):
            return found
        spread = (powers * found) @ powers.T - np.outer(powers @ found, powers @ found)
        tilt += np.linalg.solve(spread, off)
        found = shares * np.exp(tilt @ powers)
        found /= found.sum()
    raise ArithmeticError(f"no distribution found with mean {mean} and mean square {square}")
