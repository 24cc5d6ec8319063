"""Two or three punters, each for himself, against one free banker: regret matching to an equilibrium.

Every deal that the seats can tell apart is a row: each punter's first points, and that he stood, drew a third card,
or showed a natural. For each row and each hand of the banker stand the chance and the nets of both his choices,
drawn cards of all hands taken out of the shoe. Predictive regret matching plus then moves all seats in turn.

Sources: O. Tammelin, Solving large imperfect information games using CFR+ (2014); G. Farina, C. Kroer and
T. Sandholm, Faster game solving via predictive Blackwell approachability (AAAI 2021). With more than two seats
nothing promises that it settles: the answer carries its exploitability (the sum over seats of what a best reply
would gain, «NashConv»), which is computed for the strategies as they are given out.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from analysis.numbers import to_json
from analysis.shoe import Shoe, may_discard
from casino.banking.plan import DRAW_BIT, STAND_BIT, plan_of
from casino.banking.rules import Rules
from casino.errors import RulesError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
ROUNDS: Final = {2: 3000, 3: 200}
TARGET: Final = 1e-12  # stakes of exploitability at which the search ends
_CHECK = 10
_FLOATS: Final[dict[int, Any]] = {2: np.float64, 3: np.float32}
_V = np.arange(10)
_FIRST = _V + 10 * (_V >= 7)
_SUMS = (_V[:, None] + _V) % 10
STOOD, SHOWN, HIDDEN, WAITS = 0, 11, 12, 13  # what is seen of a punter; 1-10: his third card + 1


@dataclass(frozen=True)
class Decision:
    """A punter's or the banker's choice: his points, what he had seen of the (other) punters, chance of drawing."""

    points: int
    seen: tuple[str, ...]
    draw: float

    def to_json(self) -> dict[str, Any]:
        """JSON values."""
        return {"points": self.points, "seen": list(self.seen), "draw": {"float": self.draw}}


@dataclass(frozen=True)
class Several:
    """An equilibrium up to `exploitability` (stakes, all seats together). `values`: net of each punter, from the
    banker's left, per unit staked."""

    rules_hash: str
    values: tuple[float, ...]
    punters: tuple[tuple[Decision, ...], ...]
    banker: tuple[Decision, ...]
    exploitability: float
    rounds: int
    certified: bool = False
    note: str = "an equilibrium: it need not be unique, and other equilibria may have other values"

    @property
    def value(self) -> float:
        """Net of all punters together, in stakes."""
        return sum(self.values)

    def to_json(self) -> dict[str, Any]:
        """JSON values."""
        return {
            "punters": len(self.values),
            "value": to_json(self.value),
            "values": [to_json(value) for value in self.values],
            "exploitability": to_json(self.exploitability),
            "certified": self.certified,
            "punter": [[decision.to_json() for decision in seat] for seat in self.punters],
            "banker": [decision.to_json() for decision in self.banker],
            "rounds": self.rounds,
            "note": self.note,
            "rules_hash": self.rules_hash,
        }


def solve(rules: Rules, shoe: Shoe, punters: int, rounds: int | None = None) -> Several:
    """Regret matching over `rounds` rounds at most (default by punters: seconds for two, half a minute for three).

    Raises RulesError where rules and punters do not go together.
    """
    _check(rules, shoe, punters)
    seats = _Seats(_Rows(rules, shoe, punters))
    limit = rounds or ROUNDS[punters]
    best = seats.exploitability(), seats.copy()
    done = 0
    while done < limit and best[0][0] > TARGET:
        seats.round()
        done += 1
        if done % _CHECK == 0:
            best = min(best, (seats.exploitability(), seats.copy()), key=lambda found: found[0][0])
    (gap, values), strategies = best
    return seats.answer(gap, values, strategies, done)


def _check(rules: Rules, shoe: Shoe, punters: int) -> None:
    plan, need = plan_of(rules), rules.reserve(punters)
    refusals = (
        (rules.shared_hand, "with shared_hand all punters stake on one hand, which is one punter's game"),
        (rules.uses_tableau, "a tableau goes by one punter's hand"),
        (may_discard(plan), "with discards an equilibrium is worked out for one punter only"),
        (
            rules.first_cards == 2 and not shoe.infinite,
            "two-card hands of several punters are worked out from an infinite shoe only",
        ),
        (
            not shoe.infinite and shoe.cards < need,
            f"{punters} punters may need {need} cards, the shoe holds {shoe.cards}",
        ),
    )
    for wrong, reason in refusals:
        if wrong:
            raise RulesError(reason, pointer="/punters")


class _Rows:
    """The rows and their tables. `first`, `act` [punter, row]: points; STOOD, third card + 1, or SHOWN.

    `stand[k]` [row]: chance times punter k's net if the banker stands, over all his hands; `change[k]` [row,
    points]: what the banker's draw adds to it. `fixed`: each punter's net from naturals of the banker that end
    the coup. Rows are sorted by `sight`, the number of what the banker sees; `starts` is where each begins.
    """

    def __init__(self, rules: Rules, shoe: Shoe, punters: int) -> None:
        self.rules, self.shoe, self.punters = rules, shoe, punters
        self.kind = _FLOATS[punters]  # of the large tables
        first, act = _hands(rules, punters)
        self.sight, self.sights = _numbers(self._seen(first, act, punters))
        chance = self._chance(first, act)[0]
        order = np.argsort(self.sight, kind="stable")
        order = order[chance[order] > 0]
        self.first, self.act, self.sight = first[:, order], act[:, order], self.sight[order]
        self.starts = np.searchsorted(self.sight, np.arange(len(self.sights) + 1))
        self._settle()

    def _seen(self, first: Ints, act: Ints, seat: int) -> Ints:
        """What a seat (the banker comes after all punters) has seen of each punter, as a code [punter, row]."""
        rules, codes = self.rules, []
        for other in range(self.punters):
            shown = act[other] == SHOWN
            seen = act[other] if rules.draw_face_up else np.where(_drew(act[other]), HIDDEN, act[other])
            open_ = rules.exposed == "dealt" or (rules.exposed == "on_turn" and other < seat)
            if other >= seat:
                seen = np.where(shown, SHOWN, WAITS)
            codes.append(seen * 11 + np.where(shown | open_, first[other] + 1, 0))
        return np.array([code for other, code in enumerate(codes) if other != seat])

    def infosets(self, seat: int) -> tuple[Ints, Ints]:
        """Number of each row's infoset for a punter, and the infosets: his points and what he had seen."""
        return _numbers(np.vstack([self.first[seat], self._seen(self.first, self.act, seat)]))

    def _chance(self, first: Ints, act: Ints) -> tuple[Floats, Floats, Floats]:
        """Chance of each row's cards, the cards left by points, and how many."""
        rows, weights = first.shape[1], np.array(self.shoe.counts, float)
        hands = weights
        if self.rules.first_cards == 2:
            hands = np.array([weights @ weights[(points - _V) % 10] for points in range(10)])
        self.hands = hands / hands.sum()
        left = np.tile(weights.astype(self.kind), (rows, 1))
        cards, chance = np.full(rows, weights.sum(), self.kind), np.ones(rows, self.kind)
        every = np.arange(rows)
        for punter in range(self.punters):
            if self.shoe.infinite:
                chance *= self.hands[first[punter]]
            for card, takes in (
                (first[punter], every),
                (act[punter] - 1, np.flatnonzero(_drew(act[punter]))),
            ):
                taken = card[takes]
                if not self.shoe.infinite:
                    chance[takes] *= np.maximum(left[takes, taken], 0) / cards[takes]
                    left[takes, taken] -= 1
                    cards[takes] -= 1
                elif takes is not every:
                    chance[takes] *= weights[taken] / cards[takes]
        return chance, np.maximum(left, 0), cards

    def _settle(self) -> None:
        """Fill `stand`, `change` and `fixed` from the payoff table."""
        rules, infinite = self.rules, self.shoe.infinite
        pay = np.array(rules.payoff.table, self.kind)
        ends = np.isin(_V, rules.banker_natural_ends)
        chance, left, cards = self._chance(self.first, self.act)
        dealt = chance[:, None] * (self.hands if infinite else left / cards[:, None]) * ~ends
        # A further card: of the cards left, the banker's own taken out.
        further = left / (cards if infinite else cards - 1)[:, None]
        own = 0.0 if infinite else 1 / (cards - 1)
        self.stand, self.change = [], []
        for punter in range(self.punters):
            drew, shown = _drew(self.act[punter]), self.act[punter] == SHOWN
            code = np.where(
                drew, (self.first[punter] + self.act[punter] - 1) % 10, _FIRST[self.first[punter]]
            )
            drawn = np.empty_like(left)
            for row in np.unique(code):
                here = np.flatnonzero(code == row)
                drawn[here] = further[here] @ pay[row][_SUMS]
                drawn[here] -= pay[row][_SUMS.diagonal()] * np.broadcast_to(own, len(left))[here, None]
            stand = pay[code][:, _FIRST]
            self.stand.append(np.einsum("rb,rb->r", dealt, stand, dtype=float))
            self.change.append(np.where(shown[:, None], self.kind(0), dealt * (drawn - stand)))
        self.fixed = self._ended(pay, ends)

    def _ended(self, pay: Floats, ends: NDArray[np.bool_]) -> float:
        counts = np.array(self.shoe.counts, float)
        both = np.outer(self.hands, self.hands)
        if not self.shoe.infinite:
            both = counts[:, None] * (counts - np.eye(10)) / (counts.sum() * (counts.sum() - 1))
        return float((both * pay[np.ix_(_FIRST, _FIRST)])[:, ends].sum())


def _hands(rules: Rules, punters: int) -> tuple[Ints, Ints]:
    """Every combination of what the punters may hold and have done: first points and acts [punter, row]."""
    draws = range(1, 11) if rules.max_draws else range(0)
    single = np.array(
        [
            (v, act)
            for v in range(10)
            for act in ([SHOWN] if v in rules.punter_natural_ends else [STOOD, *draws])
        ]
    )
    picks = np.indices((len(single),) * punters).reshape(punters, -1)
    return single[picks, 0], single[picks, 1]


def _drew(act: Ints) -> NDArray[np.bool_]:
    return (act > STOOD) & (act < SHOWN)


def _numbers(codes: Ints) -> tuple[Ints, Ints]:
    """Columns numbered through: the number of each, and the different ones [number, code]."""
    weights = np.cumprod([1, *codes.max(1)[:-1] + 1])
    _, first, number = np.unique(weights @ codes, return_index=True, return_inverse=True)
    return number, codes[:, first].T


class _Choices:
    """The choices of one seat: draw probabilities of infosets (of any shape), and regrets where he is free."""

    def __init__(self, may: NDArray[np.bool_], must: NDArray[np.bool_]) -> None:
        self.free = may & ~must
        self.draw = np.where(self.free, 0.5, must.astype(float))
        self.regret = np.zeros((*may.shape, 2))

    def learn(self, worth: Floats) -> None:
        """Move by predictive regret matching plus; `worth` [..., 2]: of standing and of drawing."""
        now = self.draw * worth[..., 1] + (1 - self.draw) * worth[..., 0]
        change = worth - now[..., None]
        self.regret = np.maximum(self.regret + change, 0)
        hope = np.maximum(self.regret + change, 0)
        total = hope.sum(-1)
        wanted = np.divide(hope[..., 1], total, out=self.draw.copy(), where=total > 0)
        self.draw = np.where(self.free, wanted, self.draw)

    def slack(self, worth: Floats) -> float:
        """What the best reply would gain."""
        now = self.draw * worth[..., 1] + (1 - self.draw) * worth[..., 0]
        return float(np.where(self.free, worth.max(-1) - now, 0).sum())


class _Seats:
    """All seats with their strategies: the punters, then the banker [sight, points]."""

    def __init__(self, rows: _Rows) -> None:
        plan = plan_of(rows.rules)
        self.rows, self.number, self.sets, self.punters = rows, [], [], []
        for seat in range(rows.punters):
            number, sets = rows.infosets(seat)
            bits = np.array(plan.punter)[sets[:, 0]]
            self.number.append(number)
            self.sets.append(sets)
            self.punters.append(_Choices(bits & DRAW_BIT > 0, bits & STAND_BIT == 0))
        bits = np.tile([row[0] for row in plan.banker], (len(rows.sights), 1))
        self.banker = _Choices(bits & DRAW_BIT > 0, bits & STAND_BIT == 0)
        self.shown = [act == SHOWN for act in rows.act]
        self.drew = [_drew(act).astype(int) for act in rows.act]
        self.total = sum(rows.change[1:], rows.change[0])

    def copy(self) -> list[Floats]:
        """The strategies as they are."""
        return [seat.draw.copy() for seat in (*self.punters, self.banker)]

    def _reach(self) -> list[Floats]:
        """How likely each punter's own acts are, by row."""
        found = []
        for seat, number, drew, shown in zip(self.punters, self.number, self.drew, self.shown, strict=True):
            chance = np.where(drew == 1, seat.draw[number], 1 - seat.draw[number])
            found.append(np.where(shown, 1.0, chance))
        return found

    def _worth(self, reach: list[Floats]) -> list[Floats]:
        """What standing and drawing bring each punter [infoset, 2], the others playing as they do."""
        rows, found = self.rows, []
        reply = np.repeat(self.banker.draw.astype(rows.change[0].dtype), np.diff(rows.starts), axis=0)
        for punter in range(rows.punters):
            others = np.prod([chance for other, chance in enumerate(reach) if other != punter], axis=0)
            net = others * (rows.stand[punter] + np.einsum("rb,rb->r", reply, rows.change[punter]))
            place = self.number[punter] * 2 + self.drew[punter]
            worth = np.bincount(place, net, 2 * len(self.sets[punter]))
            found.append(worth.reshape(-1, 2).astype(float))
        return found

    def _banker_worth(self, reach: list[Floats]) -> Floats:
        """What drawing brings the banker over standing, as [sight, points, (0, gain)]."""
        rows = self.rows
        joint = np.prod(reach, axis=0).astype(self.total.dtype)
        shape = (len(rows.sights), len(joint))
        gain = -(csr_array((joint, np.arange(len(joint)), rows.starts), shape=shape) @ self.total)
        return np.stack([np.zeros(gain.shape), gain.astype(float)], axis=-1)

    def round(self) -> None:
        """Everybody learns once, the banker from what the punters have just become."""
        for seat, worth in zip(self.punters, self._worth(self._reach()), strict=True):
            seat.learn(worth)
        self.banker.learn(self._banker_worth(self._reach()))

    def exploitability(self) -> tuple[float, list[float]]:
        """Sum over seats of what a best reply would gain, and what each punter nets now."""
        reach = self._reach()
        gap, values = self.banker.slack(self._banker_worth(reach)), []
        for punter, (seat, worth) in enumerate(zip(self.punters, self._worth(reach), strict=True)):
            gap += seat.slack(worth)
            # Rows where he shows a natural stand under «stand», whatever the strategy says there.
            mine = np.where(
                self._shows(punter), worth[:, 0], seat.draw * worth[:, 1] + (1 - seat.draw) * worth[:, 0]
            )
            values.append(float(mine.sum()) + self.rows.fixed)
        return gap, values

    def _shows(self, punter: int) -> NDArray[np.bool_]:
        return np.isin(self.sets[punter][:, 0], self.rows.rules.punter_natural_ends)

    def answer(self, gap: float, values: list[float], strategies: list[Floats], rounds: int) -> Several:
        """The result, infosets spelt out."""
        rows, punters = self.rows, []
        for punter, draw in enumerate(strategies[:-1]):
            turns = zip(self.sets[punter], draw, self._shows(punter), strict=True)
            punters.append(
                tuple(
                    Decision(int(codes[0]), _spell(codes[1:]), float(share))
                    for codes, share, shows in turns
                    if not shows
                )
            )
        hands = [
            points
            for points in range(10)
            if rows.hands[points] and points not in rows.rules.banker_natural_ends
        ]
        banker = tuple(
            Decision(points, _spell(codes), float(share[points]))
            for codes, share in zip(rows.sights, strategies[-1], strict=True)
            for points in hands
        )
        return Several(rows.rules.hash, tuple(values), tuple(punters), banker, gap, rounds)


def _spell(codes: Ints) -> tuple[str, ...]:
    """What was seen of each other punter, in words."""
    words = []
    for code in codes.tolist():
        act, first = divmod(code, 11)
        word = {STOOD: "stood", SHOWN: "natural", HIDDEN: "drew", WAITS: "waits"}.get(
            act
        ) or f"drew {act - 1}"
        words.append(f"{word} on {first - 1}" if first else word)
    return tuple(words)
