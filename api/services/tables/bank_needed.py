"""What bank a banking table needs, told when it is opened: for some risks of ruin, by its rules, limits and punters.

As `macao ruin --side banker --risk P` works it out: every punter stakes the same and plays the textbook, the banker
plays as one that nobody decides for. Told are stakes of one punter, and chips at the table's least and greatest stake;
for ever, if the bank's side has the edge, and within one shoe. Worked out once for rules and a number of punters,
before the table is written.

More than three punters with hands of their own take coups dealt by the million. That is done where the compiled
kernel is loaded already, as it is soon after `macao serve` has begun; else the table does not tell.
"""

import sys
from collections.abc import Callable
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, Any, Final

from api.services.tables.model import Json
from casino.banking.policies import BANKER, PUNTER, default_policy
from casino.banking.rules import Rules

if TYPE_CHECKING:
    from analysis.outcomes import Outcomes

NAME: Final = "bank_needed"  # among the settings of a table
RISKS: Final = ("0.05", "0.01", "0.001")
_MOST_KNOWN: Final = 1024
_KERNELS: Final = "analysis.deal_kernels"
Spend = Callable[[int], object]
_known: dict[tuple[str, int], Json] = {}


def bank_needed(preset: str, rules: Rules, punters: int, spend: Spend) -> Json | None:
    """The answer for the rules of a preset; None where it would take kernels that are not loaded.

    `spend` is told the cost in about milliseconds before anything is worked out for the first time, and may raise.
    """
    key = (rules.hash, punters)
    told = _known.get(key)
    if told is None:
        if _is_dealt(rules, punters) and not _kernels_are_loaded():
            return None
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        told = _known[key] = _worked_out(preset, rules, punters, spend)
    return told


def _is_dealt(rules: Rules, punters: int) -> bool:
    if punters == 1 or rules.shared_hand:
        return False
    from analysis.bank_totals import is_enumerated  # noqa: PLC0415 - loads scipy

    return not is_enumerated(punters, infinite=False)


def _kernels_are_loaded() -> bool:
    kernels = sys.modules.get(_KERNELS)
    compiled = getattr(kernels, "by_bank", None)  # absent while another thread is importing the module
    return compiled is not None and bool(compiled.signatures)


def _worked_out(preset: str, rules: Rules, punters: int, spend: Spend) -> Json:
    from analysis.sources import outcomes_of  # noqa: PLC0415 - loads scipy
    from api.services.bankroll_costs import rules_cost  # noqa: PLC0415

    asked = {"preset": preset, "changes": rules.to_json(), "side": BANKER, "punters": punters}
    spend(rules_cost(asked))
    outcomes = outcomes_of(asked)
    coups = _coups_of_a_shoe(rules, punters)
    return {
        "punters": punters,
        "punter": default_policy(rules, PUNTER).spec,
        "banker": default_policy(rules, BANKER).spec,
        "for_ever": _needed(outcomes, rules, None) if outcomes.mean > 0 else None,
        "coups": coups,
        "one_shoe": _needed(outcomes, rules, coups),
    }


def _coups_of_a_shoe(rules: Rules, punters: int) -> int:
    """Most coups that one shoe serves: nobody draws."""
    hands = 2 if rules.shared_hand else punters + 1
    return ceil(52 * rules.decks / (hands * rules.first_cards))


def _needed(outcomes: "Outcomes", rules: Rules, coups: int | None) -> Json:
    """By risk."""
    from analysis.ruin import bankroll_for  # noqa: PLC0415 - loads scipy

    limits = rules.limits
    found: Json = {}
    for risk in RISKS:
        stakes: Fraction = bankroll_for(outcomes, risk, coups=coups).bankroll
        chips: dict[str, Any] = {"min": ceil(stakes * limits.min), "max": ceil(stakes * limits.max)}
        found[risk] = {"stakes": float(stakes) if stakes.denominator > 1 else int(stakes), "chips": chips}
    return found
