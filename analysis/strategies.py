"""Policies of either seat as tables: what it draws on by points, and whether it throws zeros away.

The names are those of tables and bots: `stand`, `textbook`, `threshold:T`, `rules`, `optimal`, `equilibrium`, or
an object. A table obeys the rules: it draws where the rules say so, whatever its name suggests.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Literal

from casino.banking.plan import DRAW_BIT, STAND_BIT, Plan
from casino.errors import RulesError

Side = Literal["punter", "banker"]
Weight = int | Fraction
Policy = str | Mapping[str, Any]

OPTIMAL: Final = "optimal"
EQUILIBRIUM: Final = "equilibrium"
STOOD, HIDDEN, COLUMNS = 0, 11, 12  # what a banker saw: no third card, its points + 1, a card face down
_TEXTBOOK = range(7)
_NAMES = "stand, textbook, threshold:T, rules, optimal, equilibrium"


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


def default(side: Side, plan: Plan) -> str:
    """The policy of a side that was given none: `textbook`; of a banker `rules`, or `threshold:5` if he is free."""
    if side == "punter":
        return "textbook"
    return "threshold:5" if plan.banker_free else "rules"


def is_open(policy: Policy) -> bool:
    """Is it to be worked out (`optimal`, `equilibrium`), not given?"""
    return isinstance(policy, str) and policy in (OPTIMAL, EQUILIBRIUM)


def punter_table(policy: Policy, plan: Plan, pointer: str = "/punter") -> PunterTable:
    """A given policy of a punter as a table. Raises RulesError: an unknown name, a wrong shape, a free hand."""
    wish, dealt, drawn = _read(policy, pointer, lambda: _forced(plan.punter, "punter", pointer), False)
    draw = tuple(_obey(bits, wish(points, STOOD)) for points, bits in enumerate(plan.punter))
    return PunterTable(draw, plan.punter_dealt and dealt, plan.punter_drawn and drawn)


def banker_table(policy: Policy, plan: Plan, pointer: str = "/banker") -> BankerTable:
    """A given policy of the banker as a table; one who plays by rote throws every zero he may.

    Raises RulesError as `punter_table`, and for a tableau where third cards do not lie open.
    """
    free = [bits for row in plan.banker for bits in row]
    wish, dealt, drawn = _read(policy, pointer, lambda: _forced(free, "banker", pointer), True)
    rows = tuple(
        tuple(_obey(_seen_bits(row, column), wish(points, column)) for column in range(COLUMNS))
        for points, row in enumerate(plan.banker)
    )
    rote = not plan.banker_free
    table = BankerTable(rows, plan.banker_dealt and (dealt or rote), plan.banker_drawn and (drawn or rote))
    if table.goes_by_third and not plan.face_up:
        raise RulesError(
            "goes by the third card, which lies face down (draw_face_up is false)", pointer=pointer
        )
    return table


def forced_banker(plan: Plan) -> BankerTable | None:
    """The table of a banker to whom the rules leave no choice; None if he is free."""
    return None if plan.banker_free else banker_table("rules", plan)


def _seen_bits(row: Sequence[int], column: int) -> int:
    """Where the third card lies face down the rules know no more than that there is one."""
    return row[1] if column == HIDDEN else row[column]


def _obey(bits: int, wish: Weight) -> Weight:
    if not bits & STAND_BIT:
        return 1
    return wish if bits & DRAW_BIT else 0


def _forced(rows: Sequence[int], side: Side, pointer: str) -> None:
    if any(bits == DRAW_BIT | STAND_BIT for bits in rows):
        raise RulesError(
            f"«rules» is for a seat without a choice, and this {side} may draw or stand: name a policy,"
            " such as textbook, threshold:5 or optimal",
            pointer=pointer,
        )


Wish = Callable[[int, int], Weight]


def _read(
    policy: Policy, pointer: str, check_forced: Callable[[], None], columns: bool
) -> tuple[Wish, bool, bool]:
    """(draw on these points and third card?, throw a dealt zero?, a drawn one?) of a given policy."""
    if isinstance(policy, Mapping):
        return _object(policy, pointer, columns)
    if policy == "rules":
        check_forced()
    elif policy == "textbook":
        return (lambda points, _: int(points in _TEXTBOOK)), True, True
    elif isinstance(policy, str) and policy.startswith("threshold:"):
        most = _threshold(policy, pointer)
        return (lambda points, _: int(points <= most)), True, True
    elif policy != "stand":
        raise RulesError(f"«{policy!s:.40}» is no policy: there are {_NAMES}, or an object", pointer=pointer)
    return (lambda points, _: 0), True, True


def _threshold(policy: str, pointer: str) -> int:
    text = policy.removeprefix("threshold:")
    if text not in tuple("0123456789"):
        raise RulesError(f"must be threshold:0 to threshold:9, not «{policy:.40}»", pointer=pointer)
    return int(text)


def _object(policy: Mapping[str, Any], pointer: str, columns: bool) -> tuple[Wish, bool, bool]:
    known = ("draw_on", *(("tableau",) if columns else ()), "discard_dealt", "discard_drawn")
    for key in policy:
        if key not in known:
            raise RulesError(f"unknown; there are {', '.join(known)}", pointer=f"{pointer}/{key}")
    flags = []
    for key in ("discard_dealt", "discard_drawn"):
        flag = policy.get(key, True)
        if not isinstance(flag, bool):
            raise RulesError(f"must be true or false, not {flag!r:.40}", pointer=f"{pointer}/{key}")
        flags.append(flag)
    if ("draw_on" in policy) == ("tableau" in policy):
        raise RulesError(f"needs {' or '.join(known[:-2])}", pointer=pointer)
    wish = (
        _tableau(policy["tableau"], pointer) if "tableau" in policy else _draw_on(policy["draw_on"], pointer)
    )
    return wish, flags[0], flags[1]


def _draw_on(points: Any, pointer: str) -> Wish:
    where = f"{pointer}/draw_on"
    if not isinstance(points, list | tuple):
        raise RulesError("must be a list of points, such as [0, 1, 2]", pointer=where)
    for index, item in enumerate(points):
        if isinstance(item, bool) or not isinstance(item, int) or not 0 <= item <= 9:
            raise RulesError(f"must be points 0 to 9, not {item!r:.40}", pointer=f"{where}/{index}")
    chosen = frozenset(points)
    return lambda held, _: int(held in chosen)


def _tableau(rows: Any, pointer: str) -> Wish:
    where = f"{pointer}/tableau"
    if not isinstance(rows, list | tuple) or len(rows) != 10:
        raise RulesError("must have ten rows, one for each of his points", pointer=where)
    for index, row in enumerate(rows):
        if not isinstance(row, str) or len(row) != HIDDEN or set(row) - {"D", "S"}:
            raise RulesError(
                "must be eleven letters, D draw or S stand: no third card, then third card 0 to 9",
                pointer=f"{where}/{index}",
            )
    return lambda points, column: int(rows[points][1 if column == HIDDEN else column] == "D")
