"""What a bank nets against several punters, each with a hand of his own: dealt by the million, its mean put right.

The hands share the banker's and the shoe, so their results hang together, and enumeration is out of reach for nine of
them. Four million coups are dealt from fresh shoes (a fixed seed); the distribution found is then tilted, each
probability times e^(t·net), to the exact mean: as many times that of one punter, for every hand in a shoe meets the
banker's alike. What is left is the error of the spread: about one part in 1500 of the variance.
Importing this module imports numba.
"""

from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from analysis import deal_kernels, xoshiro
from analysis.deal_compiled import by_card_book, by_card_shoe
from analysis.dealing import Dealing
from analysis.exact import resolve
from analysis.outcomes import Outcomes
from casino.banking.rules import Rules
from casino.errors import RulesError

COUPS: Final = 4_000_000
_SEED = 1


def bank_totals(
    rules: Rules, packs: int | str, punters: int, policies: tuple[Any, Any], mean: Fraction
) -> Outcomes:
    """Net of the bank in stakes of one punter, against `punters` who each stake 1 and play alike. `mean` is its exact
    expectation against one. Raises RulesError: a policy that is no table by points, or a banker who goes by one
    punter's third card.
    """
    nets, counts = dealt(rules, packs, punters, policies)
    return Outcomes.of(
        dict(zip((-nets).tolist(), tilted(nets, counts, -punters * mean).tolist(), strict=True))
    )


def dealt(
    rules: Rules, packs: int | str, punters: int, policies: tuple[Any, Any], coups: int = COUPS
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Nets of all punters together, ascending, and how often each came in so many coups."""
    infinite = packs == "infinite"
    dealt_by = rules if infinite else replace(rules, decks=int(packs))
    defaults = ("textbook", "threshold:5" if rules.banker_is_free else "rules")
    mine, his = resolve(dealt_by, policies[0] or defaults[0], policies[1] or defaults[1])
    if mine is None or his is None:
        raise RulesError(
            "several punters need policies by points, such as textbook or threshold:5, not one to be worked out",
            pointer="/rules/punter" if mine is None else "/rules/banker",
        )
    dealing = Dealing(dealt_by, (mine,) * punters, his, infinite, None if infinite else 1)
    worst = int(np.abs(dealing.nets).max()) * punters
    counts: NDArray[np.int64] = np.zeros(2 * worst + 1, np.int64)
    shoe, hands = by_card_shoe(dealing)
    book, settling = by_card_book(dealing)
    deal_kernels.by_bank(xoshiro.words(_SEED, punters), coups, shoe, book, settling, hands, counts)
    places = np.flatnonzero(counts)
    return places - worst, counts[places]


def tilted(nets: NDArray[np.int64], counts: NDArray[np.int64], mean: Fraction) -> NDArray[np.float64]:
    """Probabilities nearest to the shares of `counts` (in relative entropy) whose mean is `mean`."""
    shares, target = counts / counts.sum(), float(mean)

    def weights(t: float) -> NDArray[np.float64]:
        found: NDArray[np.float64] = shares * np.exp(t * nets)
        found /= found.sum()
        return found

    tilt = brentq(lambda t: float(weights(t) @ nets) - target, -0.1, 0.1, xtol=1e-15)
    return weights(float(tilt))
