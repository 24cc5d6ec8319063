"""Settlement as one table built from the rules: `rules/banking.md`, step 6.

The engine settles with it, the exact solver sums over it, the simulation kernels are compiled from it.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from casino.banking.rules import Rules

HAND_CODES = 20  # points 0-9, then the same as naturals


@dataclass(frozen=True, slots=True)
class Payoff:
    """Settlement: `table[punter][banker]` is the punter's net in stakes; a hand's code is points + 10 if natural.

    `worst_loss` and `worst_payout` are the multiples of the stake that either side must cover (positive).
    """

    table: tuple[tuple[int, ...], ...]
    worst_loss: int
    worst_payout: int


def build_payoff(rules: "Rules") -> Payoff:
    """The payoff table from the rules: `rules/banking.md`, step 6."""
    codes = range(HAND_CODES)
    table = tuple(tuple(_net(rules, punter, banker) for banker in codes) for punter in codes)
    real = [code for code in codes if code < 10 or code % 10 >= 7]
    nets = [table[punter][banker] for punter in real for banker in real]
    return Payoff(table, max(1, -min(nets)), max(1, *nets))


def _net(rules: "Rules", punter: int, banker: int) -> int:
    (p_natural, p), (b_natural, b) = divmod(punter, 10), divmod(banker, 10)
    if p > b:
        return _get(rules.natural_pays, p) if p_natural else 1
    if p < b:
        return -_get(rules.natural_takes, b) if b_natural else -1
    if rules.ties == "push":
        return 0
    applies = {"points": 1, "banker_natural": b_natural, "punter_natural": p_natural}[rules.tie_takes_on]
    return -_get(rules.tie_takes, p) if applies else -1


def _get(pairs: tuple[tuple[Any, int], ...], key: Any) -> int:
    return next((value for name, value in pairs if name == key), 1)
