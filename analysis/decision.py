"""The banker's exact best action in the middle of a coup, facing up to nine punters with unequal stakes.

What he does not know is dealt without replacement from the cards he has not seen, given what each punter did; see
`analysis.posterior`. His own further cards, and zeros he may throw, are looked ahead to the end of his turn.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any

from analysis.choices import Choices
from analysis.exact import engine
from analysis.holdings import Unknown, unknown_of
from analysis.naturals import FIRST, LATER, hand_code
from analysis.shoe import Shoe
from analysis.strategies import cached_plan
from analysis.table_state import BankerState
from casino.banking.plan import DRAW_BIT, STAND_BIT, Plan
from casino.banking.rules import Rules
from casino.banking.text import DISCARD, DRAW, STAND
from casino.errors import RulesError

MOST_STEPS = 40_000_000  # multiplications of one decision: a few seconds


@dataclass(frozen=True)
class BankerDecision(Choices[Fraction]):
    """What each action is worth to the banker: expected net over all stakes, in chips, if he then plays on as is best.

    `unexpected`: punters (by place) who did what their policy never does, and were taken to hold any card.
    """

    values: dict[str, Fraction]
    unexpected: tuple[int, ...]
    rules_hash: str

    def to_json(self) -> dict[str, Any]:
        return {
            "side": "banker",
            **self.worths(),
            "unexpected": list(self.unexpected),
            "rules_hash": self.rules_hash,
            "engine": engine(),
        }


def banker_decision(
    rules: Rules, shoe: Shoe, state: BankerState, most_steps: int = MOST_STEPS
) -> BankerDecision:
    """The banker's actions at `state`, dealt from `shoe` (what it held before the coup, less other cards seen).

    Raises RulesError: a state that cannot be, no decision to take, or one that costs more than the cap.
    """
    turn = _turn(rules, shoe, state)
    if turn.cost() > most_steps:
        raise RulesError(
            f"this decision takes {turn.cost()} steps, above the cap of {most_steps}: fewer punters, or fewer"
            " different policies among them, take less",
            pointer="/state",
        )
    actions = turn.actions()
    if turn.free < 1 and set(actions) != {STAND}:
        raise RulesError(
            "every card of the shoe lies before a player: the banker could take one only after a reshuffle, which exact"
            " odds do not cover",
            pointer="/shoe",
        )
    values = {action: -worth() for action, worth in actions.items()}
    unexpected = tuple(at for at, each in enumerate(turn.unknown.holdings) if not each.expected)
    return BankerDecision(values, unexpected, rules.hash)


def steps_of(rules: Rules, shoe: Shoe, state: BankerState) -> int:
    """Multiplications that `banker_decision` takes, about. Raises RulesError: a state that cannot be."""
    return _turn(rules, shoe, state).cost()


def _turn(rules: Rules, shoe: Shoe, state: BankerState) -> "_Turn":
    plan = cached_plan(rules)
    _check(plan, shoe, state)
    return _Turn(plan, state, unknown_of(plan, shoe, state))


def _check(plan: Plan, shoe: Shoe, state: BankerState) -> None:
    if shoe.infinite:
        raise RulesError("a coup under way is dealt from a shoe that ends", pointer="/shoe")
    if not 1 <= len(state.punters) <= 9:
        raise RulesError(f"must be 1 to 9 punters, not {len(state.punters)}", pointer="/state/punters")
    if len(state.cards) != plan.first:
        raise RulesError(
            f"the banker holds {plan.first} first cards, not {len(state.cards)}", pointer="/state/card"
        )
    points = sum(state.cards) % 10
    if points in plan.banker_ends and state.level == FIRST:
        raise RulesError(
            f"a banker's natural {points} is shown at once: nobody decides", pointer="/state/card"
        )
    if state.third is not None and not (plan.banker_drawn and state.third == 0):
        raise RulesError("a banker who has drawn is done: he may throw no zero", pointer="/state/drawn")
    if (state.thrown[0] and not plan.banker_dealt) or (state.thrown[1] and not plan.banker_drawn):
        raise RulesError("this banker may throw no such zeros", pointer="/state/discarded")


class _Turn:
    """The banker's turn from a state on. Worths are the punters' expected net, joint with the cards he takes."""

    def __init__(self, plan: Plan, state: BankerState, unknown: Unknown) -> None:
        self.plan, self.state, self.unknown = plan, state, unknown
        self.drawn: dict[tuple[tuple[int, ...], int], Fraction] = {}  # by first cards taken, zeros thrown
        self.free = sum(unknown.pool) - unknown.cards  # cards that lie in the shoe
        seen = state.punters[0] if len(state.punters) == 1 else None
        third = seen.third if seen is not None else None
        # A tableau goes by the third card of the only punter; otherwise as if there were none (as the engine has it).
        self.column = 1 + third if third is not None else int(seen is not None and seen.drew)
        self.zeros = unknown.pool[0] if plan.banker_dealt or plan.banker_drawn else 0

    def cost(self) -> int:
        """Multiplications of the whole look-ahead, about."""
        sets = 66 if self.plan.banker_dealt and self.state.cards == (0,) else 11
        return self.unknown.steps * sets * (1 + self.zeros // 10)

    def actions(self) -> dict[str, Callable[[], Fraction]]:
        """What he may do, and how to work out what it is worth. Raises RulesError if there is no choice."""
        state, points = self.state, self.state.points
        worths: dict[str, Callable[[], Fraction]] = {}
        if state.third is not None:
            worths[STAND] = lambda: self._worth((), 0, points)
            worths[DISCARD] = lambda: self._drawn(points, (), 0)
        else:
            throws = self.plan.banker_dealt and state.cards == (0,)
            if throws:
                worths[DISCARD] = lambda: self._dealt(0)
            worths |= self._plain(points, state.level, (), 0)
        if not self.plan.banker_free and DISCARD in worths:
            worths = {DISCARD: worths[DISCARD]}
        return worths

    def _plain(
        self, points: int, level: int, taken: tuple[int, ...], zeros: int
    ) -> dict[str, Callable[[], Fraction]]:
        """Standing and drawing on first cards, as far as the rules allow."""
        bits = self.plan.banker[points][self.column]
        found: dict[str, Callable[[], Fraction]] = {}
        if bits & STAND_BIT:
            found[STAND] = lambda: self._worth(taken, zeros, hand_code(self.plan, points, level))
        if bits & DRAW_BIT:
            found[DRAW] = lambda: self._drawn(points, taken, zeros)
        return found

    def _best(self, worths: dict[str, Callable[[], Fraction]]) -> Fraction:
        return min(worth() for worth in worths.values())

    def _worth(self, taken: tuple[int, ...], zeros: int, code: int) -> Fraction:
        """A finished hand, with these cards and so many zeros taken from now on."""
        pool = self.unknown.pool
        ways = prod(pool[card] - taken[:at].count(card) for at, card in enumerate(taken))
        ways *= prod(pool[0] - at for at in range(zeros))
        used = len(taken) + zeros
        if not ways or used > self.free:
            return Fraction(0)
        return (
            ways
            * self.unknown.paid(tuple(sorted(taken)), zeros, code)
            / prod(self.free - at for at in range(used))
        )

    def _drawn(self, points: int, taken: tuple[int, ...], zeros: int) -> Fraction:
        """A card drawn to so many points; drawn zeros are thrown if that is best."""
        if (taken, zeros) not in self.drawn:
            self.drawn[taken, zeros] = self._draw(points, taken, zeros)
        return self.drawn[taken, zeros]

    def _draw(self, points: int, taken: tuple[int, ...], zeros: int) -> Fraction:
        total = sum(self._worth((*taken, card), zeros, (points + card) % 10) for card in range(1, 10))
        keep = self._worth(taken, zeros + 1, points)
        if not self.plan.banker_drawn or zeros >= self.unknown.pool[0]:
            return total + keep
        more = self._drawn(points, taken, zeros + 1)
        return total + (min(keep, more) if self.plan.banker_free else more)

    def _dealt(self, zeros: int) -> Fraction:
        """A dealt zero is thrown, as zeros before it: another card in its place."""
        total = sum(
            (self._best(self._plain(card, LATER, (card,), zeros)) for card in range(1, 10)), start=Fraction(0)
        )
        if zeros >= self.unknown.pool[0]:
            return total
        keep, more = self._best(self._plain(0, LATER, (), zeros + 1)), self._dealt(zeros + 1)
        return total + (min(keep, more) if self.plan.banker_free else more)
