"""Best replies: what each action is worth wherever a seat decides, which is best, and what another one costs.

The punter against a given banker, or the banker against a given punter. (Both at once is an equilibrium; the banker
facing several punters in the middle of a coup is `analysis.decision`.)
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

from analysis import numbers
from analysis.choices import Choices
from analysis.exact import check_information, engine, resolve
from analysis.frame import Frame
from analysis.naturals import FIRST, LATER
from analysis.replies import BankerTurns, Record
from analysis.shoe import Shoe, full, may_discard
from analysis.solve import Information, Solved, solve
from analysis.strategies import HIDDEN, STOOD, Policy, PunterTable, cached_plan, default
from analysis.tree import Choice, Leaves, Seat, Values, action_values, play
from casino.banking.plan import DRAW_BIT
from casino.banking.policies import BANKER, PUNTER
from casino.banking.rules import Rules
from casino.banking.text import DISCARD, DRAW, STAND
from casino.errors import RulesError

_ENDLESS = (9, 4)  # infinite shoe: times that no zero was thrown, and that one or more were, out of 9


@dataclass(frozen=True, slots=True)
class Situation:
    """Where a seat decides, as it sees it.

    `stage`: first cards («dealt») or a zero drawn to them («drawn»). `cards` by points, None where only their sum
    counts. `discarded`: zeros thrown so far in the coup, None where that is not counted; `replaced`: his first card
    replaced one. Of the punter the banker saw the third card (`third`: none, hidden, 0-9), the first cards where they
    lie open (`first`), and whether they replaced a zero (`threw`, None where that tells nothing).
    """

    stage: str
    points: int
    cards: tuple[int, ...] | None = None
    discarded: int | None = None
    replaced: bool | None = None
    third: str | None = None
    first: tuple[int, ...] | None = None
    threw: bool | None = None

    def to_json(self) -> dict[str, Any]:
        found: dict[str, Any] = {"stage": self.stage, "points": self.points}
        if self.cards is not None and len(self.cards) > 1:
            found["cards"] = list(self.cards)
        if self.first is not None:
            found["first"] = list(self.first)
        for name in ("discarded", "replaced", "third", "threw"):
            if getattr(self, name) is not None:
                found[name] = getattr(self, name)
        return found


@dataclass(frozen=True)
class Decision(Choices[Fraction]):
    """One decision of a best reply. `reach`: probability that a coup comes to it (0: the other side never lets it).

    `values`: by action, the expected net of the side that decides, given that it has come to it and plays on as is
    best, in stakes.
    """

    situation: Situation
    reach: Fraction
    values: dict[str, Fraction]

    def to_json(self) -> dict[str, Any]:
        return self.situation.to_json() | {
            "reach": numbers.to_json(self.reach),
            **self.worths(),
        }


@dataclass(frozen=True)
class BestResponse:
    """A best reply of one side. `value` is its own expected net of a coup, in stakes (per unit of the punter's)."""

    side: str
    against: Policy
    information: Information
    value: Fraction
    rules_hash: str
    nodes: tuple[Decision, ...] = field(repr=False)

    @property
    def ev_punter(self) -> Fraction:
        return self.value if self.side == PUNTER else -self.value

    @cached_property
    def decisions(self) -> tuple[Decision, ...]:
        """The decisions before any zero was thrown, and of the others those that differ from them."""
        base = {_plain(node.situation): node.best for node in self.nodes if not node.situation.discarded}
        return tuple(
            node
            for node in self.nodes
            if not node.situation.discarded or base.get(_plain(node.situation), node.best) != node.best
        )

    def to_json(self) -> dict[str, Any]:
        """The answer of `POST /policies` for one side against a given other."""
        return {
            "side": self.side,
            "against": self.against,
            "information": self.information,
            "value": numbers.to_json(self.value),
            "ev_punter": numbers.to_json(self.ev_punter),
            "ev_banker": numbers.to_json(-self.ev_punter),
            "decisions": [decision.to_json() for decision in self.decisions],
            "rules_hash": self.rules_hash,
            "engine": engine(),
        }


def _plain(situation: Situation) -> tuple[Any, ...]:
    return situation.stage, situation.points, situation.cards, situation.third, situation.first


def best_response(
    rules: Rules,
    side: str,
    against: Policy | None = None,
    shoe: Shoe | None = None,
    seen: tuple[str, ...] = (),
    information: str = "all",
) -> BestResponse:
    """The best reply of `side` («punter» or «banker») to the other side's policy (None: its default).

    Raises RulesError as `exact.odds`, and for a banker to whom the rules leave no choice.
    """
    if side not in (PUNTER, BANKER):
        raise RulesError(f"must be punter or banker, not {side!r:.40}", pointer="/side")
    other = BANKER if side == PUNTER else PUNTER
    if side == BANKER and not rules.banker_is_free:
        raise RulesError("the rules leave this banker no choice", pointer="/side")
    against = against or default(other, rules)
    kind = check_information(information)
    left = (shoe or full(rules.decks)).without(seen)
    policies = ("optimal", against) if side == PUNTER else (against, "optimal")
    punter, banker = resolve(rules, *policies)
    solved = solve(cached_plan(rules), left, punter, banker, kind)
    value = solved.whole().ev()
    nodes = _punter_nodes(solved, kind) if punter is None else _banker_nodes(solved, punter, kind)
    sign = 1 if side == PUNTER else -1
    return BestResponse(
        side, against, kind, sign * Fraction(value), rules.hash, _decisions(solved.frame, sign, nodes)
    )


class _Node(NamedTuple):
    """A node of a tree: what its seat sees, the packed values of its actions, how often it is come to (0: never)."""

    situation: Situation
    values: dict[str, int]
    times: int


def _decisions(frame: Frame, sign: int, nodes: Iterable[_Node]) -> tuple[Decision, ...]:
    """Nodes that look the same to their seat, put together; those without a choice left out."""
    sums: dict[Situation, dict[bool, dict[str, list[int]]]] = {}
    for node in nodes:
        into = sums.setdefault(node.situation, {}).setdefault(node.times > 0, {})
        for action, value in node.values.items():
            spread = frame.unpack(value)
            pair = into.setdefault(action, [0, 0])
            pair[0] += int(spread.moment(1)) * (node.times or 1)
            pair[1] += int(spread.total) * (node.times or 1)
    found = []
    for situation, parts in sums.items():
        actions = parts.get(True) or parts[False]
        values = {
            action: Fraction(sign * moment, total) for action, (moment, total) in actions.items() if total
        }
        if len(values) > 1:
            mass = max(total for _, total in actions.values()) * (True in parts)
            found.append(Decision(situation, Fraction(mass, frame.den * _times_unit(frame)), values))
    return tuple(found)


def _times_unit(frame: Frame) -> int:
    """What numbers of times are out of."""
    return _ENDLESS[0] if frame.shoe.infinite else 1


def _punter_nodes(solved: Solved, kind: Information) -> Iterator[_Node]:
    frame, seat, choice = solved.frame, solved.seat, solved.choice
    times = (1, *[0] * frame.zeros) if not frame.shoe.infinite else (_ENDLESS[0],)
    for node in _tree_nodes(frame, seat, _Tree(solved.leaves, solved.values, choice, times)):
        yield node._replace(situation=_seen(frame, kind, node.situation))


def _banker_nodes(solved: Solved, punter: PunterTable, kind: Information) -> Iterator[_Node]:
    turns, frame = solved.turns, solved.frame
    for record, leaves in turns.trees.items():
        seat, choice = turns.seat(record), turns.choices[record]
        values = play(frame, seat, leaves, choice)
        times = turns.times(record, punter) if record in turns.reached else (0,) * (frame.zeros + 1)
        for node in _tree_nodes(frame, seat, _Tree(leaves, values, choice, times)):
            yield node._replace(situation=_seen(frame, kind, node.situation, turns, record))


def _seen(
    frame: Frame,
    kind: Information,
    situation: Situation,
    turns: BankerTurns | None = None,
    record: Record | None = None,
) -> Situation:
    """The situation as its seat sees it, and what the banker saw of the punter."""
    if kind == "points":
        situation = replace(situation, cards=None, discarded=None, replaced=None)
    elif not may_discard(frame.plan):
        situation = replace(situation, discarded=None, replaced=None)
    if turns is None or record is None:
        return replace(situation, replaced=None)
    third = {STOOD: "none", HIDDEN: "hidden"}.get(record.column, str(record.column - 1))
    first = frame.hands[record.first].cards if record.first >= 0 else None
    if first is not None and kind == "points":
        first = (frame.hands[record.first].points,)
    told = kind == "all" and len(turns.levels) > 1 and (record.column == STOOD or turns.levels_differ)
    return replace(situation, third=third, first=first, threw=bool(record.level) if told else None)


class _Tree(NamedTuple):
    leaves: Leaves
    values: Values
    choice: Choice
    times: tuple[int, ...]


def _tree_nodes(frame: Frame, seat: Seat, tree: _Tree) -> Iterator[_Node]:
    """All nodes of a tree, as the seat with the most information sees them."""
    leaves, values, choice, _ = tree
    for (thrown, level), times in _visits(frame, seat, tree).items():
        draws = []
        for number, hand in enumerate(frame.hands):
            at = thrown, level, number
            situation = Situation("dealt", hand.points, hand.cards, thrown, level == LATER)
            actions = action_values(seat, leaves, values, at, choice.unit)
            gone = seat.throws_dealt and number == 0 and _throws_dealt(choice, values, thrown, level)
            stand, drew = leaves.stand[thrown][level][number], values.drew[thrown][level][number]
            draws.append(
                DRAW in actions and not gone and (STAND not in actions or bool(choice.draw(*at, stand, drew)))
            )
            yield _Node(situation, actions, times)
        if seat.throws_drawn:
            yield from _drawn_nodes(frame, seat, tree, (thrown, level, times), draws)


def _throws_dealt(choice: Choice, values: Values, thrown: int, level: int) -> bool:
    return choice.replace(thrown, level, values.hand[thrown][level][0], values.more[thrown])


def _visits(frame: Frame, seat: Seat, tree: _Tree) -> dict[tuple[int, int], int]:
    """How often the seat decides about first cards, by zeros thrown before (by anyone) and level."""
    _, values, choice, times = tree
    if frame.shoe.infinite:
        later = times[0] // _ENDLESS[0] * _ENDLESS[1] if times[0] % _ENDLESS[0] == 0 else 0
        throws = seat.throws_dealt and _throws_dealt(choice, values, 0, FIRST)
        return {(0, FIRST): times[0]} | ({(0, LATER): later * throws} if seat.throws_dealt else {})
    found, later = {}, 0
    for thrown, count in enumerate(times):
        if count or thrown == 0:
            found[thrown, FIRST] = count
        if later:
            found[thrown, LATER] = later
        if seat.throws_dealt:
            first = count * _throws_dealt(choice, values, thrown, FIRST)
            later = first + later * (later > 0 and _throws_dealt(choice, values, thrown, LATER))
    return found


def _drawn_nodes(
    frame: Frame, seat: Seat, tree: _Tree, at: tuple[int, int, int], draws: list[bool]
) -> Iterator[_Node]:
    """A zero drawn to each hand, none drawn having been thrown before: keep it, or throw it."""
    thrown, level, times = at
    leaves, values, choice, _ = tree
    for number, hand in enumerate(frame.hands):
        if not seat.bits[number] & DRAW_BIT or number in leaves.fixed[level]:
            continue
        zero, others = leaves.drawn[level][thrown][number]
        if frame.shoe.infinite:
            throws = choice.again(0, level, number, zero + others, frame.close(others))
            more = frame.thrown(frame.close(others) if throws else zero + others)
        else:
            more = values.drew[thrown + 1][level][number] if thrown < frame.zeros else 0
        situation = Situation("drawn", hand.points, hand.cards, thrown, level == LATER)
        actions = {STAND: zero * choice.unit, DISCARD: more * choice.unit}
        yield _Node(situation, actions, times * draws[number])
