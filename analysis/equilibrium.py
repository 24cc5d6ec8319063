"""Equilibrium of banking games whose banker is free: value and strategies of both sides, with their proof.

One punter: a zero-sum game. Without discards it is solved by a linear program whose basis is solved again in
integers; both best replies are then checked in fractions, so `certified` answers are exact. With discards the
strategies are rounded to fractions and `lower` <= value <= `upper` are exact best replies to them. A value is
unique, strategies need not be.

Two or three punters, each for himself: regret matching (`analysis.many_punters`). The result is an equilibrium,
up to its exploitability; there may be others, with other values.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

from analysis import discard_equilibrium, many_punters
from analysis.bilinear import HIDDEN, NONE, Seen, bilinear
from analysis.discard_tree import CappedShoe
from analysis.exact_lp import bounds, solve_exact, solve_float
from analysis.numbers import Number, to_json
from analysis.shoe import Shoe, check_coup, full, may_discard
from analysis.strategies import BankerTable, PunterTable
from casino.banking.plan import plan_of
from casino.banking.rules import Rules
from casino.errors import RulesError

MOST_PUNTERS: Final = 3
TAIL: Final = 1e-9  # chance of passing the cap on discards
_KEPT = 4


@dataclass(frozen=True)
class Discards:
    """Zeros in equilibrium: the cap, the chance of throwing a dealt zero, and a zero drawn on 0-9 points (None
    where the punter does not draw). These, like the draws, are for a coup in which nothing has been thrown yet."""

    cap: int
    dealt: float | None
    drawn: tuple[float | None, ...]

    def to_json(self) -> dict[str, Any]:
        """JSON values."""
        return {
            "cap": self.cap,
            "dealt": self.dealt,
            "drawn": {str(points): share for points, share in enumerate(self.drawn)},
        }


@dataclass(frozen=True)
class Equilibrium:
    """Value and strategies. Values are the punter's expected net per unit staked, in stakes.

    `punter`: by points, the probability of drawing; None where that hand cannot be dealt or has no turn.
    `banker`: the same by what he sees. `exploitability`: what both sides together could gain by best replies
    (`upper` - `lower`). `certified`: value and strategies are exact fractions, checked as such.
    """

    rules: Rules = field(repr=False)
    lower: Number
    upper: Number
    punter: tuple[Number | None, ...]
    banker: Mapping[Seen, Number]
    certified: bool
    discards: Discards | None = None
    note: str = field(default="the value is unique; strategies need not be", repr=False)

    @property
    def value(self) -> Number:
        """The value: exact where certified, else the middle of the bounds."""
        return self.lower if self.certified else float(self.lower + self.upper) / 2

    @property
    def exploitability(self) -> Number:
        """Most that best replies could gain, both sides together, in stakes; a proof where the bounds are exact."""
        return self.upper - self.lower

    def tables(self) -> tuple[PunterTable, BankerTable]:
        """The strategies as tables, to simulate or to compare with. Raises RulesError as `check_holds_equilibrium`."""
        check_holds_equilibrium(self.rules)
        draw = tuple(Fraction(share or 0) for share in self.punter)
        columns = (NONE, *range(10), HIDDEN)
        rows = tuple(
            tuple(Fraction(self.banker.get(Seen(points, third, NONE), 0)) for third in columns)
            for points in range(10)
        )
        return PunterTable(draw, False, False), BankerTable(rows, False, False)

    def to_json(self) -> dict[str, Any]:
        """JSON values: probabilities as `{"num", "den", "float"}` where exact."""
        found = {
            "punters": 1,
            "value": to_json(self.value),
            "bounds": {"lower": to_json(self.lower), "upper": to_json(self.upper)},
            "exploitability": to_json(self.exploitability),
            "certified": self.certified,
            "punter": {str(points): _share(share) for points, share in enumerate(self.punter)},
            "banker": _banker_json(self.banker),
            "note": self.note,
            "rules_hash": self.rules.hash,
        }
        return found | ({"discards": self.discards.to_json()} if self.discards is not None else {})


def third_name(third: int) -> str:
    """How a banker's observation is written: none, hidden, or the third card's points."""
    return {NONE: "none", HIDDEN: "hidden"}.get(third, str(third))


def _share(share: Number | None) -> dict[str, Any] | None:
    return None if share is None else to_json(share)


def _banker_json(banker: Mapping[Seen, Number]) -> dict[str, Any]:
    """By points, then third card, then (where they lie open) the punter's first points."""
    rows: dict[str, Any] = {}
    for seen in sorted(banker):
        row = rows.setdefault(str(seen.points), {})
        share = to_json(banker[seen])
        if seen.first == NONE:
            row[third_name(seen.third)] = share
        else:
            row.setdefault(third_name(seen.third), {})[str(seen.first)] = share
    return rows


def check_holds_equilibrium(rules: Rules) -> None:
    """Raises RulesError where tables of points and third cards cannot hold an equilibrium: with discards, which it
    counts, and with first cards that lie open."""
    if may_discard(plan_of(rules)) or rules.exposed != "never":
        raise RulesError(
            "an equilibrium that goes by thrown zeros or by open first cards is no table of points and third cards"
        )


def equilibrium(
    rules: Rules,
    shoe: Shoe | None = None,
    *,
    punters: int = 1,
    exact: bool = True,
    tail: float = TAIL,
) -> "Equilibrium | many_punters.Several":
    """Equilibrium of one coup from `shoe` (default: a full one of the rules).

    `exact=False` leaves out the rational certificate. `tail`: largest chance that the cap on discards is passed;
    the bounds allow for it. Two-card hands go by their points alone. Raises RulesError: a shoe that could not
    finish a coup, too many punters, or punters and rules that do not go together.
    """
    shoe = shoe or full(rules.decks)
    if not 1 <= punters <= min(MOST_PUNTERS, rules.max_punters):
        raise RulesError(
            f"must be 1 to {min(MOST_PUNTERS, rules.max_punters)} punters, not {punters!s:.20}",
            pointer="/punters",
        )
    if punters > 1:
        return many_punters.solve(rules, shoe, punters)
    plan = plan_of(rules)
    check_coup(shoe, plan)
    if not may_discard(plan):
        return _without_discards(rules, shoe, exact)
    others = sum(shoe.counts[1:])
    if others < _KEPT and not shoe.infinite:
        raise RulesError(
            f"an equilibrium with discards needs {_KEPT} cards that are not zeros, and the shoe holds {others}",
            pointer="/shoe",
        )
    return _with_discards(rules, shoe, tail)


def _without_discards(rules: Rules, shoe: Shoe, exact: bool) -> Equilibrium:
    game = bilinear(rules, shoe)
    x, y = solve_exact(game) if exact else tuple(map(_fractions, solve_float(game)))
    lower, upper = bounds(game, x, y)
    if exact and lower != upper:
        raise ArithmeticError(f"the certificate failed: {lower} is not {upper}")
    kind = Fraction if exact else float
    drawn = game.set_x | dict(zip(game.open_x, x, strict=True))
    replies = game.set_y | dict(zip(game.open_y, y, strict=True))
    return Equilibrium(
        rules=rules,
        lower=kind(lower),
        upper=kind(upper),
        punter=tuple(kind(drawn[points]) if points in drawn else None for points in range(10)),
        banker={seen: kind(share) for seen, share in replies.items()},
        certified=exact,
    )


def _fractions(shares: Any) -> list[Fraction]:
    return [Fraction(share) for share in shares.tolist()]


def _with_discards(rules: Rules, shoe: Shoe, tail: float) -> Equilibrium:
    capped = CappedShoe.of(shoe, tail)
    found = discard_equilibrium.solve(rules, capped)
    return Equilibrium(
        rules=rules,
        lower=found.lower,
        upper=found.upper,
        punter=found.punter(),
        banker=found.banker(),
        certified=False,
        discards=Discards(capped.cap, found.dealt_zero(), found.drawn_zero()),
    )
