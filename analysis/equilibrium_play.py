"""The equilibrium as seats of a table play it: shares of drawing and throwing by what lies open to everyone."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final

from analysis.bilinear import HIDDEN, NONE, Seen
from analysis.equilibrium import Equilibrium, equilibrium
from analysis.numbers import Number
from analysis.shoe import Shoe, full, may_discard
from analysis.strategies import BankerTable, PunterTable, cached_plan
from casino.banking.rules import Rules
from casino.errors import RulesError

TAIL: Final = 1e-3  # chance of passing the cap on discards: the shares no longer change in the third digit
_FINEST: Final = 1000  # denominator of shares that are not exact
_COLUMNS: Final = (NONE, *range(10), HIDDEN)


@dataclass(frozen=True)
class Shares:
    """Probabilities: of drawing by the punter's points, of throwing a zero dealt or drawn to him, and of the banker's
    drawing by what he sees. None where the punter has no choice, or never comes there. `value`: the punter's, in
    stakes.
    """

    value: Number

    draw: tuple[Fraction | None, ...]
    dealt: Fraction
    drawn: tuple[Fraction | None, ...]
    banker: Mapping[Seen, Fraction]
    banker_discards: tuple[bool, bool]

    def punter_table(self) -> PunterTable:
        """The punter's shares as a table: zeros thrown always or never, as is likelier."""
        drawn = [share for share in self.drawn if share is not None]
        return PunterTable(
            tuple(share or 0 for share in self.draw),
            2 * self.dealt >= 1,
            bool(drawn) and 2 * sum(drawn) >= len(drawn),
        )

    def banker_table(self, first: int | None = None) -> BankerTable:
        """The banker's, against a punter whose first cards lie open and make so many points (None: they do not)."""
        place = NONE if first is None else first
        rows = tuple(
            tuple(self.banker.get(Seen(points, third, place), Fraction(0)) for third in _COLUMNS)
            for points in range(10)
        )
        return BankerTable(rows, *self.banker_discards)


def equilibrium_of(rules: Rules, shoe: Shoe) -> Shares:
    """The equilibrium of one punter and the free banker from `shoe`.

    Where zeros may be thrown, and where the shoe might not serve a coup: that of a full shoe (the cap on discards as
    TAIL has it), so that a table need not wait for it in every coup.
    """
    whole = full(rules.decks)
    if may_discard(cached_plan(rules)):
        return _shares(rules, whole)
    try:
        return _shares(rules, shoe)
    except RulesError:
        return _shares(rules, whole)


def is_ready(rules: Rules) -> bool:
    """Would `equilibrium_of` answer at once? (Without discards it always does; with them it takes some seconds.)"""
    return rules.hash in _ready or not may_discard(cached_plan(rules))


_ready: set[str] = set()


@lru_cache(maxsize=1024)
def _shares(rules: Rules, shoe: Shoe) -> Shares:
    found = equilibrium(rules, shoe, tail=TAIL)
    _ready.add(rules.hash)
    if not isinstance(found, Equilibrium):
        raise AssertionError("one punter was asked for")
    plan, discards = cached_plan(rules), found.discards
    thrown = 1.0 if discards is None or discards.dealt is None else discards.dealt
    return Shares(
        value=found.value,
        draw=tuple(map(_exact, found.punter)),
        dealt=_exact(thrown) or Fraction(0),
        drawn=tuple(map(_exact, discards.drawn)) if discards is not None else (None,) * 10,
        banker={seen: _exact(share) or Fraction(0) for seen, share in found.banker.items()},
        banker_discards=(plan.banker_dealt, plan.banker_drawn),
    )


def _exact(share: Number | None) -> Fraction | None:
    """A share as a fraction: itself, or a near one of a float."""
    if share is None or isinstance(share, Fraction):
        return share
    return Fraction(share).limit_denominator(_FINEST)
