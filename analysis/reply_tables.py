"""Policies that are to be worked out, as tables: best replies by points and third card, and the equilibrium.

A table says less than a best reply may know: it counts no thrown zeros, and throws drawn zeros always or never,
whichever is worth more over all points. What a table of a best reply is worth, exact odds tell (`analysis.exact`).
"""

from fractions import Fraction
from typing import Final

from analysis.equilibrium import Equilibrium, check_holds_equilibrium, equilibrium
from analysis.policy import Decision, best_response
from analysis.shoe import Shoe
from analysis.strategies import (
    HIDDEN,
    STOOD,
    BankerTable,
    Policy,
    PunterTable,
    banker_table,
    default,
    is_open,
    punter_table,
)
from casino.banking.policies import BANKER, PUNTER
from casino.banking.rules import Rules
from casino.banking.text import DISCARD, DRAW, STAND
from casino.errors import RulesError

_NEVER: Final = {"draw_on": [], "discard_dealt": False, "discard_drawn": False}
_COLUMNS: Final = {"none": STOOD, "hidden": HIDDEN} | {str(points): points + 1 for points in range(10)}


def tables(
    rules: Rules, shoe: Shoe, punter: Policy | None = None, banker: Policy | None = None
) -> tuple[PunterTable, BankerTable]:
    """Both sides' policies as tables; None is the default of the side.

    `optimal` is the best reply to the other side as it is given, or the equilibrium where both are open and the banker
    is free. Raises RulesError: an unknown policy, or one that no table holds.
    """
    mine, his = punter or default(PUNTER, rules), banker or default(BANKER, rules)
    if is_open(his) and not rules.banker_is_free:
        his = default(BANKER, rules)
    if is_open(mine) and is_open(his):
        check_holds_equilibrium(rules)
        found = equilibrium(rules, shoe)
        if not isinstance(found, Equilibrium):
            raise AssertionError("one punter was asked for")
        return found.tables()
    if is_open(mine):
        return _best_punter(rules, shoe, his), banker_table(his, rules)
    if is_open(his):
        return punter_table(mine, rules), _best_banker(rules, shoe, mine)
    return punter_table(mine, rules), banker_table(his, rules)


def _best_punter(rules: Rules, shoe: Shoe, banker: Policy) -> PunterTable:
    decisions = best_response(rules, PUNTER, banker, shoe, information="points").decisions
    draw = list(punter_table(_NEVER, rules).draw)
    for decision in decisions:
        if decision.situation.stage == "dealt" and {STAND, DRAW} <= set(decision.values):
            draw[decision.situation.points] = _draws(decision)
    return PunterTable(tuple(draw), _throws(decisions, "dealt"), _throws(decisions, "drawn"))


def _best_banker(rules: Rules, shoe: Shoe, punter: Policy) -> BankerTable:
    if rules.exposed != "never":
        raise RulesError(
            "the best reply to first cards that lie open is no table of points and third cards: name a policy",
            pointer="/banker",
        )
    decisions = best_response(rules, BANKER, punter, shoe, information="points").decisions
    rows = [list(row) for row in banker_table(_NEVER, rules).draw]
    for decision in decisions:
        situation = decision.situation
        if (
            situation.stage == "dealt"
            and {STAND, DRAW} <= set(decision.values)
            and situation.third is not None
        ):
            rows[situation.points][_COLUMNS[situation.third]] = _draws(decision)
    throws = _throws(decisions, "dealt"), _throws(decisions, "drawn")
    return BankerTable(tuple(map(tuple, rows)), *throws)


def _draws(decision: Decision) -> int:
    return int(decision.values[DRAW] > decision.values[STAND])


def _throws(decisions: tuple[Decision, ...], stage: str) -> bool:
    """Is throwing zeros at this stage worth more than keeping them, over all hands?"""
    gain = Fraction(0)
    for decision in decisions:
        if decision.situation.stage == stage and DISCARD in decision.values:
            kept = max(value for action, value in decision.values.items() if action != DISCARD)
            gain += decision.reach * (decision.values[DISCARD] - kept)
    return gain > 0
