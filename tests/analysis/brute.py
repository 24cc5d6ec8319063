"""A second telling of one punter's coup, card by card, from `rules/banking.md` alone: for small shoes.

It shares nothing with the solver but the record of options (as JSON values): no plan, no payoff table, no falling
factorials. Every card is drawn with its chance as a Fraction, every hand is settled by the words of the rules.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

NATURALS = (7, 8, 9)
Decide = Callable[["Table"], Mapping[str, Fraction | int]]


@dataclass(frozen=True)
class Hand:
    """Cards of one seat by points; zeros thrown before and after the draw."""

    cards: tuple[int, ...] = ()
    thrown: int = 0
    third: int | None = None
    thrown_drawn: int = 0
    done: bool = False

    @property
    def points(self) -> int:
        return (sum(self.cards) + (self.third or 0)) % 10


@dataclass(frozen=True)
class Table:
    """A coup under way: options, cards left, both hands, whose turn (0 punter, 1 banker, 2 settled)."""

    rules: Mapping[str, Any] = field(hash=False, compare=False)
    left: tuple[int, ...]
    hands: tuple[Hand, Hand] = (Hand(), Hand())
    turn: int = 0
    at_once: bool = False

    def draws(self) -> Iterator[tuple[Fraction, int, "Table"]]:
        """Every next card: chance, points, and the table without it."""
        total = sum(self.left)
        for card, count in enumerate(self.left):
            if count:
                rest = (*self.left[:card], count - 1, *self.left[card + 1 :])
                yield Fraction(count, total), card, replace(self, left=rest)

    def with_hand(self, seat: int, **changes: Any) -> "Table":
        hands = list(self.hands)
        hands[seat] = replace(hands[seat], **changes)
        return replace(self, hands=(hands[0], hands[1]))

    @property
    def hand(self) -> Hand:
        return self.hands[self.turn]

    def natural(self, seat: int) -> bool:
        hand = self.hands[seat]
        fresh = not hand.thrown or self.rules["natural_after_discard"]
        return hand.points in NATURALS and hand.third is None and fresh

    def free_banker(self) -> bool:
        rule = self.rules["banker_draw"]
        if self.rules["max_draws"] == 0 or rule == "never":
            return False
        return rule == "free" or ("tableau" in rule and any("F" in row for row in rule["tableau"]))

    def actions(self) -> list[str]:
        """What the seat to move may do."""
        hand, who = self.hand, ("punter", "banker")[self.turn]
        discards = self.rules[f"{who}_discards"]
        if hand.third is None:
            found = self._draw_rule()
            throws = hand.cards == (0,) and discards in ("dealt", "both")
        else:
            found, throws = ["stand"], hand.third == 0 and discards in ("drawn", "both")
        if throws and self.turn == 1 and not self.free_banker():
            return ["discard"]
        return [*found, "discard"] if throws else found

    def _draw_rule(self) -> list[str]:
        both = {"free": ["stand", "draw"], "F": ["stand", "draw"]}
        points = self.hand.points
        if self.rules["max_draws"] == 0:
            return ["stand"]
        if self.turn == 0:
            rule = self.rules["punter_draw"][points]
            return both.get(rule, [rule])
        rule = self.rules["banker_draw"]
        if rule in ("never", "free"):
            return ["stand"] if rule == "never" else both["F"]
        if "upto" in rule:
            return ["draw" if points <= rule["upto"] else "stand"]
        third = self.hands[0].third
        letter = rule["tableau"][points][0 if third is None else third + 1]
        return both.get(letter, ["draw" if letter == "D" else "stand"])

    def seen(self) -> tuple[object, ...]:
        """All that the seat to move has seen."""
        own = self.hand
        mine = (own.cards, own.thrown, own.third, own.thrown_drawn)
        if self.turn == 0:
            return mine
        other = self.hands[0]
        third = other.third if self.rules["draw_face_up"] else other.third is not None
        first = other.cards if self.rules["exposed"] != "never" else None
        return (*mine, other.thrown, third, other.thrown_drawn, first)

    def after(self, action: str) -> Iterator[tuple[Fraction, "Table"]]:
        """The tables that an action may lead to."""
        if action == "stand":
            yield Fraction(1), self.with_hand(self.turn, done=True)._onward()
            return
        for chance, card, table in self.draws():
            if action == "draw":
                yield chance, table.with_hand(self.turn, third=card)._onward()
            elif self.hand.third is None:
                yield chance, table.with_hand(self.turn, cards=(card,), thrown=self.hand.thrown + 1)._onward()
            else:
                more = self.hand.thrown_drawn + 1
                yield chance, table.with_hand(self.turn, third=card, thrown_drawn=more)._onward()

    def _onward(self) -> "Table":
        """Pass over a seat that is done, or that has nothing to choose after its draw."""
        table = self
        while table.turn < 2:
            ends = table.rules["punter_natural_ends"]
            if table.turn == 0 and table.natural(0) and table.hands[0].points in ends:
                return replace(table, turn=2, at_once=True)
            hand = table.hand
            if not hand.done and not (hand.third is not None and table.actions() == ["stand"]):
                return table
            table = replace(table, turn=table.turn + 1)
        return table

    def net(self) -> tuple[int, bool]:
        """The punter's net in stakes, and whether the points were equal."""
        rules, banker = self.rules, self.hands[1]
        p, b = self.hands[0].points, banker.points
        p_natural, b_natural = self.natural(0), self.natural(1)
        if p > b:
            return (rules["natural_pays"].get(str(p), 1) if p_natural else 1), False
        if p < b:
            return -(rules["natural_takes"].get(str(b), 1) if b_natural else 1), False
        if rules["ties"] == "push":
            return 0, True
        applies = {"points": True, "banker_natural": b_natural, "punter_natural": p_natural}
        return -(rules["tie_takes"].get(str(p), 1) if applies[rules["tie_takes_on"]] else 1), True


def deals(rules: Mapping[str, Any], counts: tuple[int, ...]) -> Iterator[tuple[Fraction, Table]]:
    """Every deal of first cards, with its chance."""
    tables = [(Fraction(1), Table(rules, counts))]
    for _ in range(rules["first_cards"]):
        for seat in (0, 1):
            tables = [
                (chance * share, table.with_hand(seat, cards=(*was.hands[seat].cards, card)))
                for chance, was in tables
                for share, card, table in was.draws()
            ]
    for chance, table in tables:
        if table.natural(1) and table.hands[1].points in rules["banker_natural_ends"]:
            yield chance, replace(table, turn=2, at_once=True)
        else:
            yield chance, table._onward()


def spread(
    rules: Mapping[str, Any], counts: tuple[int, ...], *seats: Decide
) -> dict[tuple[int, bool], Fraction]:
    """Probability of each (net, tie) where `seats` (punter, banker) give the chance of each action."""
    found: dict[tuple[int, bool], Fraction] = {}
    stack = list(deals(rules, counts))
    while stack:
        chance, table = stack.pop()
        if table.turn == 2:
            key = table.net()
            found[key] = found.get(key, Fraction(0)) + chance
            continue
        for action, share in seats[table.turn](table).items():
            if share:
                stack.extend((chance * share * part, then) for part, then in table.after(action))
    return found


def best(
    rules: Mapping[str, Any],
    counts: tuple[int, ...],
    seat: int,
    other: Decide,
    forced: Mapping[tuple[object, ...], str] | None = None,
) -> Fraction:
    """The punter's EV where `seat` plays its best reply to `other`, by information sets and backward induction.

    `forced`: by what it sees, the action that it must do there.
    """
    return _value(seat, other, list(deals(rules, counts)), forced or {})


def _value(
    seat: int,
    other: Decide,
    worlds: list[tuple[Fraction, Table]],
    forced: Mapping[tuple[object, ...], str],
) -> Fraction:
    sets: dict[tuple[object, ...], list[tuple[Fraction, Table]]] = {}
    total, stack = Fraction(0), worlds
    while stack:
        chance, table = stack.pop()
        if table.turn == 2:
            total += chance * table.net()[0]
        elif table.turn == seat:
            sets.setdefault(table.seen(), []).append((chance, table))
        else:
            for action, share in other(table).items():
                if share:
                    stack.extend((chance * share * part, then) for part, then in table.after(action))
    better = max if seat == 0 else min
    for seen, alike in sets.items():
        values = []
        for action in [forced[seen]] if seen in forced else alike[0][1].actions():
            then = [(chance * part, after) for chance, table in alike for part, after in table.after(action)]
            values.append(_value(seat, other, then, forced))
        total += better(values)
    return total


def by_points(draw_on: tuple[int, ...], dealt: bool, drawn: bool) -> Decide:
    """A policy by points, within the rules; one action for sure."""

    def decide(table: Table) -> Mapping[str, int]:
        may, hand = table.actions(), table.hand
        if "discard" in may and (len(may) == 1 or (drawn if hand.third is not None else dealt)):
            return {"discard": 1}
        wish = "draw" if hand.points in draw_on else "stand"
        rest = [action for action in may if action != "discard"]
        return {wish if wish in rest else rest[0]: 1}

    return decide
