"""The policies `optimal` and `equilibrium` for seats at a table: what `casino.banking.policies` has plugged in.

Both see the view of their seat and nothing else. Where a choice cannot be worked out (the shoe has too few cards for
this hand and the banker's, or it would take longer than the cap), they play the default policy of their side.

A mixed choice falls by a number that is made of what the seat sees and of a secret of this process: the same view
gets the same choice, however often it is asked, and nobody else can tell it. A key of one's own makes runs repeatable.
"""

import hmac
import os
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Final

from analysis.advice import EQUILIBRIUM, advise
from analysis.bilinear import HIDDEN, NONE
from analysis.bilinear import Seen as BankerSees
from analysis.equilibrium_play import Shares, equilibrium_of
from analysis.seats import Seen
from casino.banking.policies import BANKER, PUNTER, Policy, default_policy
from casino.banking.rules import Rules
from casino.banking.text import DISCARD, DRAW, STAND
from casino.errors import RulesError
from casino.game import View
from casino.options import canonical

OPTIMAL: Final = "optimal"
_SECRET: Final = os.urandom(32)
_RANGE: Final = 2**64


@dataclass(frozen=True)
class Optimal:
    """The best reply to what the others are given as: a banker by rote, punters who play `textbook`. A punter against a
    banker who is free plays the equilibrium."""

    rules: Rules
    side: str
    key: bytes = _SECRET
    spec: Any = OPTIMAL

    @cached_property
    def _otherwise(self) -> Policy:
        if self.side == PUNTER and self.rules.banker_is_free:
            return Mixed(self.rules, self.side, self.key)
        return default_policy(self.rules, self.side)

    def choose(self, view: View) -> str:
        return _only(view) or self._best(view)

    def _best(self, view: View) -> str:
        if self.side == PUNTER and self.rules.banker_is_free:
            return self._otherwise.choose(view)
        return _best(self.rules, view, {}) or self._otherwise.choose(view)


@dataclass(frozen=True)
class Mixed:
    """The equilibrium with a banker who is free; with one who is not, the best reply to him.

    A banker who faces several punters plays his best reply to punters who play it each for himself.
    """

    rules: Rules
    side: str
    key: bytes = _SECRET
    spec: Any = EQUILIBRIUM

    def choose(self, view: View) -> str:
        return _only(view) or self._mixed(view)

    def _mixed(self, view: View) -> str:
        rules, seen = self.rules, Seen(self.rules, view)
        others = seen.others()
        if not rules.banker_is_free or (self.side == BANKER and len(others) > 1):
            found = _best(rules, view, dict.fromkeys(others, EQUILIBRIUM))
            return found or default_policy(rules, self.side).choose(view)
        shares = equilibrium_of(rules, seen.public_shoe())
        wish = _punter_wish if self.side == PUNTER else _banker_wish
        return wish(seen, shares, Fraction(self._number(view), _RANGE))

    def _number(self, view: View) -> int:
        mine = view["seats"][view["seat"]]
        told = [
            view["commitment"],
            view["bank_number"],
            view["coup"],
            view["seat"],
            mine["cards"],
            mine["drew"],
        ]
        return int.from_bytes(hmac.digest(self.key, canonical(told), "sha256")[:8], "big")


def _only(view: View) -> str | None:
    """The one thing that may be done, if there is but one."""
    return view["legal"][0] if len(view["legal"]) == 1 else None


def _best(rules: Rules, view: View, given: dict[int, str]) -> str | None:
    """The best action; None where it cannot be worked out."""
    try:
        return advise(rules, view, given, exact=False).best
    except RulesError:
        return None


def _punter_wish(seen: Seen, shares: Shares, number: Fraction) -> str:
    state, legal = seen.punter(), seen.view["legal"]
    if DISCARD in legal:
        thrown = shares.drawn[state.points] if state.drew_zero else shares.dealt
        if thrown is None or number < thrown:
            return DISCARD
        # The rest of the number decides what is done with a zero that is kept.
        number = (number - thrown) / (1 - thrown) if thrown < 1 else number
    return _draw(legal, shares.draw[state.points], number)


def _banker_wish(seen: Seen, shares: Shares, number: Fraction) -> str:
    view, hands = seen.view, seen.hands()
    (punter,) = seen.others()
    legal, words, entry = view["legal"], hands[punter], view["seats"][punter]
    if DISCARD in legal:
        return DISCARD
    third = HIDDEN
    if not entry["drew"]:
        third = NONE
    elif words.kept[-1] is not None:
        third = words.kept[-1]
    first = words.first(seen.rules.first_cards)
    place = NONE if first is None or seen.rules.exposed == "never" else sum(first) % 10
    points = view["seats"][seen.seat]["points"]
    return _draw(legal, shares.banker.get(BankerSees(points, third, place)), number)


def _draw(legal: list[Any], share: Fraction | None, number: Fraction) -> str:
    """Draw with this probability, as far as the rules leave a choice."""
    if STAND not in legal or (DRAW in legal and share is not None and number < share):
        return DRAW
    return STAND


POLICIES: Final[dict[str, type[Optimal] | type[Mixed]]] = {OPTIMAL: Optimal, EQUILIBRIUM: Mixed}
