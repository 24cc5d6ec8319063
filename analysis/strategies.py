"""Policies of either seat as tables: what it draws on by points, and whether it throws zeros away.

Names and objects are those of tables and bots (`casino.banking.policies`); the odds also know a banker's policy by
his points and the punter's third card, `{"tableau": [...]}`, written as in the rules. A table obeys the rules: it
draws where they say so, whatever the policy's name suggests.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

from casino.banking.plan import DRAW_BIT, STAND_BIT, plan_of
from casino.banking.policies import (
    BANKER,
    BY_ROTE,
    FREE_BANKER,
    ODDS,
    PUNTER,
    TEXTBOOK,
    PointsPolicy,
    parse_policy,
)
from casino.banking.rules import Rules
from casino.errors import RulesError

Weight = int | Fraction
Policy = str | Mapping[str, Any]

STOOD, HIDDEN, COLUMNS = 0, 11, 12  # what a banker saw: no third card, its points + 1, a card face down
TABLEAU: Final = "tableau"

cached_plan = lru_cache(maxsize=256)(plan_of)


@dataclass(frozen=True, slots=True)
class PunterTable:
    """A punter's policy by points: probability of drawing on 0-9, and what he does with zeros."""

    draw: tuple[Weight, ...]
    discard_dealt: bool
    discard_drawn: bool


@dataclass(frozen=True, slots=True)
class BankerTable:
    """A banker's policy: `draw[points][column]`, the columns being no third card, third card 0-9, one face down."""

    draw: tuple[tuple[Weight, ...], ...]
    discard_dealt: bool
    discard_drawn: bool

    @property
    def goes_by_third(self) -> bool:
        """Does it depend on which third card lies open?"""
        return any(len(set(row[1:HIDDEN])) > 1 for row in self.draw)


def default(side: str, rules: Rules) -> str:
    """The policy of a side that was given none: `textbook`; of a banker `rules`, or `threshold:5` if he is free."""
    if side == PUNTER:
        return TEXTBOOK
    return FREE_BANKER if rules.banker_is_free else BY_ROTE


def is_open(policy: Policy) -> bool:
    """Is it to be worked out (`optimal`, `equilibrium`), not given?"""
    return isinstance(policy, str) and policy in ODDS


def punter_table(policy: Policy, rules: Rules, pointer: str = "/punter") -> PunterTable:
    """A given policy of a punter as a table. Raises RulesError: an unknown name, a wrong shape, a free hand."""
    plan, given = cached_plan(rules), _by_points(policy, rules, PUNTER, pointer)
    draw = tuple(_obey(bits, points in given.draw_on) for points, bits in enumerate(plan.punter))
    dealt, drawn = plan.punter_dealt and given.discard_dealt, plan.punter_drawn and given.discard_drawn
    return PunterTable(draw, dealt, drawn)


def banker_table(policy: Policy, rules: Rules, pointer: str = "/banker") -> BankerTable:
    """A given policy of the banker as a table; one who plays by rote throws every zero he may.

    Raises RulesError as `punter_table`, and for a tableau where third cards do not lie open.
    """
    plan, rote = cached_plan(rules), not rules.banker_is_free
    if isinstance(policy, Mapping) and TABLEAU in policy:
        rest = {key: value for key, value in policy.items() if key != TABLEAU}
        given = _by_points({"draw_on": []} | rest, rules, BANKER, pointer)
        wish = _tableau(policy[TABLEAU], f"{pointer}/{TABLEAU}")
    else:
        given = _by_points(policy, rules, BANKER, pointer)
        wish = _same_whatever_he_saw(given.draw_on)
    rows = tuple(
        tuple(_obey(_seen_bits(row, column), wish(points, column)) for column in range(COLUMNS))
        for points, row in enumerate(plan.banker)
    )
    dealt = plan.banker_dealt and (given.discard_dealt or rote)
    table = BankerTable(rows, dealt, plan.banker_drawn and (given.discard_drawn or rote))
    if table.goes_by_third and not plan.face_up:
        raise RulesError(
            "goes by the third card, which lies face down (draw_face_up is false)", pointer=pointer
        )
    return table


def _by_points(policy: Policy, rules: Rules, side: str, pointer: str) -> PointsPolicy:
    if is_open(policy):
        raise RulesError(f"«{policy}» is worked out, and here a policy must be given", pointer=pointer)
    parsed = parse_policy(policy, rules, side, pointer)
    if not isinstance(parsed, PointsPolicy):
        raise RulesError("must be a policy by points", pointer=pointer)
    return parsed


Wish = Callable[[int, int], bool]


def _same_whatever_he_saw(draw_on: frozenset[int]) -> Wish:
    return lambda points, _: points in draw_on


def _seen_bits(row: Sequence[int], column: int) -> int:
    """Where the third card lies face down the rules know no more than that there is one."""
    return row[1] if column == HIDDEN else row[column]


def _obey(bits: int, wish: bool) -> int:
    if not bits & STAND_BIT:
        return 1
    return int(wish) if bits & DRAW_BIT else 0


def _tableau(rows: Any, pointer: str) -> Wish:
    if not isinstance(rows, list | tuple) or len(rows) != 10:
        raise RulesError("must have ten rows, one for each of his points", pointer=pointer)
    for index, row in enumerate(rows):
        if not isinstance(row, str) or len(row) != HIDDEN or set(row) - {"D", "S"}:
            raise RulesError(
                "must be eleven letters, D draw or S stand: no third card, then third card 0 to 9",
                pointer=f"{pointer}/{index}",
            )
    return lambda points, column: bool(rows[points][1 if column == HIDDEN else column] == "D")
