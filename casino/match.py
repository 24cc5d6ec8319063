"""Matches: deals one after another until a target, a number of deals, or agreed wins, in every family.

A `Match` is itself a `Game`: its state plays one deal of the game it is built on, adds the scores up and deals
again, so records, replays, views and bots need to know nothing more. How it goes is data (`MatchRules`).
Chance: deal d takes the bank's place in the key, and the lot for the first dealer has a key of its own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from random import Random
from typing import Any, Final, Self

from casino.chance import SEED_BYTES, bank_seed, draw
from casino.errors import GameOver, PositionError, RulesError
from casino.game import A, Event, Game, Json, Result, State, View
from casino.options import Schema, check, check_changes, digest, option

LOT: Final = "lot"
MOST_DEALS: Final = 1000
_POSITION: Final[Schema] = {
    "type": "object",
    "properties": {
        "deal": {"type": "integer", "minimum": 1, "maximum": 1_000_000},
        "won": {"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 1_000_000}},
    },
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class MatchRules:
    """How deals make a match. A game names its own defaults (`Game.match_defaults`); all can be changed."""

    count: str = option(
        {"enum": ["points", "wins"]},
        "What a deal adds to the totals: its scores, or 1 for each of its winners.",
        "points; Polish championship: agreed wins",
        default="points",
    )
    best: str = option(
        {"enum": ["most", "fewest"]},
        "The total that wins. Who first reaches the target has won with «most» and lost with «fewest».",
        "Пекло: the highest total wins; points on cards held: the first to the target loses, fewest win",
        default="most",
    )
    target: int | None = option(
        {"oneOf": [{"type": "null"}, {"type": "integer", "minimum": 1, "maximum": 1_000_000}]},
        "The total that ends the match once somebody reaches it; null: none.",
        "200, 500 or 1000 points in the Russian game, 500 in Tel-Aviv and the Romanian game on points",
        default=None,
    )
    deals: int = option(
        {"type": "integer", "minimum": 1, "maximum": 100_000},
        "The match ends after so many deals at the latest. Where only a target is asked for, it is this default.",
        "Пекло: one rising cycle; banking: everyone is banker once; to a target: so many* that only odd play ends so",
        default=MOST_DEALS,
    )
    dealer: str = option(
        {"enum": ["left", "winner"]},
        "Who deals next: the seat to the dealer's left, or the winner (of several the lowest seat).",
        "left*; Polish championship: the winner",
        default="left",
    )

    def __post_init__(self) -> None:
        if self.count == "wins" and self.best == "fewest":
            raise RulesError("deals won are counted: the most of them win, not the fewest", pointer="/best")

    def to_json(self) -> Json:
        """The full record as JSON values."""
        return {item.name: getattr(self, item.name) for item in fields(self)}


@dataclass(frozen=True, slots=True)
class DealKeys:
    """What all chance of a match comes from: the server's seed, the table's name, the seeds of the seats."""

    server_seed: bytes
    table: str = ""
    client_seeds: tuple[bytes, ...] = ()

    def seed(self, name: str) -> bytes:
        """The key of the deal (or lot) of that name: it takes the bank's place."""
        return bank_seed(self.server_seed, self.table, name, self.client_seeds)

    def to_json(self) -> Json:
        """The keys as JSON values: for storage, never for a client."""
        seeds = [seed.hex() for seed in self.client_seeds]
        return {"server_seed": self.server_seed.hex(), "table": self.table, "client_seeds": seeds}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The keys that `to_json` wrote."""
        seeds = tuple(bytes.fromhex(seed) for seed in data["client_seeds"])
        return cls(bytes.fromhex(data["server_seed"]), data["table"], seeds)


def deal_name(number: int) -> str:
    """The name of deal `number` (from 0) in the key: «deal 1», «deal 2» …"""
    return f"deal {number + 1}"


def match_of(
    game: Game[A], changes: Mapping[str, Any] | None = None, *, pointer: str = "/match"
) -> "Match[A]":
    """A match of a game, with some rules changed from the game's own. Raises RulesError with a pointer."""
    changed = dict(changes or {})
    check_changes(MatchRules, changed, pointer)
    merged = {**game.match_defaults, **changed}
    if changed.get("target") is not None and "deals" not in changed:
        merged["deals"] = MOST_DEALS
    try:
        rules = MatchRules(**merged)
    except RulesError as refusal:
        raise RulesError(refusal.detail, pointer=pointer + refusal.pointer) from None
    return Match(game, rules)


class Match(Game[A]):
    """A game played deal by deal. Immutable; two are equal if the game and the match rules are."""

    def __init__(self, game: Game[A], rules: MatchRules) -> None:
        self.game = game
        self.rules = rules
        self.family = game.family  # type: ignore[misc]  # an instance has the family of what it is built on
        self.name = game.name
        self.seats = game.seats

    @property
    def options(self) -> Json:
        return {**self.game.options, "match": self.rules.to_json()}

    @property
    def setup(self) -> Json:
        return self.game.setup

    @cached_property
    def rules_hash(self) -> str:
        return digest({"game": self.game.rules_hash, "match": self.rules.to_json()})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Match) and (self.game, self.rules) == (other.game, other.rules)

    def __hash__(self) -> int:
        return hash((self.game, self.rules))

    def start(self, seed: bytes, /, table: str = "", client_seeds: Sequence[bytes] = ()) -> "MatchState[A]":
        """The first deal; its dealer is found by lot. `client_seeds` by seat, empty where a seat gave none."""
        keys = DealKeys(seed, table, tuple(client_seeds))
        dealer = draw(self.seats, keys.seed(LOT), 0) if self.has_dealer else None
        return MatchState(self, keys, self.deal_for(keys, 0, dealer), dealer)

    @property
    def has_dealer(self) -> bool:
        """Does a seat deal? Not where the game is no single deal but a whole round (a circle of banks)."""
        return type(self.game).deal is not Game.deal

    def deal_for(self, keys: DealKeys, number: int, dealer: int | None) -> State[A]:
        """Deal `number` (from 0) under its own key."""
        seed = keys.seed(deal_name(number))
        return self.game.start(seed) if dealer is None else self.game.deal(seed, number, dealer)

    def next_dealer(self, dealer: int | None, winners: Sequence[int]) -> int | None:
        """Who deals after a deal of `dealer` that `winners` won."""
        if dealer is None:
            return None
        return winners[0] if self.rules.dealer == "winner" and winners else (dealer + 1) % self.seats

    def gains(self, outcome: Result) -> list[int]:
        """What a deal adds to the totals, by seat."""
        if self.rules.count == "wins":
            return [int(seat in outcome.winners) for seat in range(self.seats)]
        return list(outcome.scores)

    def ended_by(self, totals: Sequence[int], deals: int) -> str | None:
        """What ends the match once so many deals are over: «target», «deals», or nothing yet."""
        if self.rules.target is not None and max(totals) >= self.rules.target:
            return "target"
        return "deals" if deals >= self.rules.deals else None

    def position(self, data: Mapping[str, Any], /) -> "MatchState[A]":
        """A deal of a match: a position of the game whose `totals` the match goes on from.

        `match` may give `deal` (from 1) and `won` (deals won by seat); later deals come from a seed of zeros.
        """
        inner = {key: value for key, value in data.items() if key != "match"}
        deal = self.game.position(inner)
        about = data.get("match", {})
        try:
            check(about, _POSITION, "/match")
        except RulesError as refusal:
            raise PositionError(refusal.detail, pointer=refusal.pointer) from None
        for pointer, numbers in (("/totals", data.get("totals")), ("/match/won", about.get("won"))):
            if numbers is not None and len(numbers) != self.seats:
                raise PositionError(
                    f"must hold a number for each of the {self.seats} seats, not {len(numbers)}",
                    pointer=pointer,
                )
        dealer = data.get("dealer", self.seats - 1) if self.has_dealer else None
        state = MatchState(self, DealKeys(bytes(SEED_BYTES)), deal, dealer)
        state.number = about.get("deal", 1) - 1
        state.totals = list(data.get("totals") or state.totals)
        state.won = list(about.get("won") or state.won)
        state.settle()
        return state

    def from_json(self, data: Mapping[str, Any], /) -> "MatchState[A]":
        keys = DealKeys.from_json(data["keys"])
        return self._resume(keys, self.game.from_json(data["state"]), data["match"])

    def text(self, action: A) -> Any:
        return self.game.text(action)

    def parse(self, text: str) -> A:
        return self.game.parse(text)

    def world(self, view: View, rng: Random) -> "MatchState[A]":
        deal = self.game.world({key: value for key, value in view.items() if key != "match"}, rng)
        return self._resume(DealKeys(rng.randbytes(SEED_BYTES)), deal, view["match"])

    def _resume(self, keys: DealKeys, deal: State[A], about: Json) -> "MatchState[A]":
        state = MatchState(self, keys, deal, about["dealer"])
        state.number, state.totals, state.won = about["deal"] - 1, list(about["totals"]), list(about["won"])
        state.history = [dict(row) for row in about["deals"]]
        state.reason = about["ended_by"]
        return state


class MatchState(State[A]):
    """One match being played: a deal, and what the deals before it came to.

    `dealer`: the seat that dealt (None where a circle of banks has its own lot); `number` of the deal, from 0;
    `totals` and `won` (deals won) by seat; `history`: a row for each deal that is over; `reason`: None while the
    match goes on, then what ended it («target» or «deals», or why it was stopped). `ended`: the deal that has just
    ended and who dealt it, until something is done in the next; not stored.
    """

    __slots__ = (
        "deal", "dealer", "ended", "history", "keys", "match", "number", "outbox", "reason", "shuffles", "totals",
        "won",
    )  # fmt: skip

    def __init__(self, match: Match[A], keys: DealKeys, deal: State[A], dealer: int | None) -> None:
        self.match = match
        self.keys = keys
        self.deal = deal
        self.dealer = dealer
        self.number = 0
        self.totals = [0] * match.seats
        self.won = [0] * match.seats
        self.history: list[Json] = []
        self.outbox: list[Event] = []
        self.shuffles: list[list[int]] = []
        self.reason: str | None = None
        self.ended: tuple[State[A], int | None] | None = None

    @property
    def game(self) -> Match[A]:
        return self.match

    def actors(self) -> tuple[int, ...]:
        return self.deal.actors() if self.reason is None else ()

    def awaited(self) -> tuple[int, ...]:
        return self.deal.awaited() if self.reason is None else ()

    def legal(self, seat: int) -> list[Any]:
        return self.deal.legal(seat) if self.reason is None else []

    def legal_texts(self, seat: int) -> list[Any]:
        return self.deal.legal_texts(seat) if self.reason is None else []

    def apply(self, seat: int, action: A) -> None:
        if self.reason is not None:
            raise GameOver(f"the match is over after {self.number + 1} deals: nobody may act any more")
        self.deal.apply(seat, action)
        self.ended = None
        self.settle()

    def stop(self, reason: str) -> None:
        """The match ends between two deals: the next one, in which nothing was done yet, is not dealt after all."""
        if self.ended is None:
            raise ValueError("a match is stopped between two deals")
        self.deal, self.dealer = self.ended
        self.number -= 1
        self.reason, self.ended = reason, None

    def settle(self) -> None:
        """If the deal is over: add its scores, and deal again unless the match is over too."""
        while self.reason is None and (outcome := self.deal.result()) is not None:
            self._add(outcome)
            self.outbox += self._tell(self.deal.drain())
            self.shuffles += self.deal.drain_shuffles()
            self.reason = self.match.ended_by(self.totals, self.number + 1)
            if self.reason is None:
                self.number += 1
                self.ended = self.deal, self.dealer
                self.dealer = self.match.next_dealer(self.dealer, outcome.winners)
                self.deal = self.match.deal_for(self.keys, self.number, self.dealer)

    def _add(self, outcome: Result) -> None:
        for seat, gain in enumerate(self.match.gains(outcome)):
            self.won[seat] += seat in outcome.winners
            self.totals[seat] += gain
        row = {"dealer": self.dealer, "scores": list(outcome.scores), "winners": list(outcome.winners)}
        self.history.append({**row, "reason": outcome.reason})

    def view(self, seat: int | None) -> View:
        return {**self.deal.view(seat), "match": self._about()}

    def _about(self) -> Json:
        return {
            "deal": self.number + 1,
            "dealer": self.dealer,
            "totals": list(self.totals),
            "won": list(self.won),
            "deals": [dict(row) for row in self.history],
            "ended_by": self.reason,
        }

    def result(self) -> Result | None:
        if self.reason is None:
            return None
        rules = self.match.rules
        best = (max if rules.best == "most" else min)(self.totals)
        winners = tuple(seat for seat, total in enumerate(self.totals) if total == best)
        ended = self.deal.result()
        unit = "wins" if rules.count == "wins" or ended is None else ended.unit
        return Result(tuple(self.totals), winners, unit, self.reason)

    def copy(self) -> Self:
        twin = type(self)(self.match, self.keys, self.deal.copy(), self.dealer)
        twin.number, twin.totals, twin.won = self.number, self.totals.copy(), self.won.copy()
        twin.history, twin.outbox, twin.reason = self.history.copy(), self.outbox.copy(), self.reason
        twin.shuffles, twin.ended = self.shuffles.copy(), self.ended
        return twin

    def to_json(self) -> Json:
        return {"keys": self.keys.to_json(), "match": self._about(), "state": self.deal.to_json()}

    def drain(self) -> list[Event]:
        events = self.outbox + self._tell(self.deal.drain())
        self.outbox = []
        return events

    def drain_shuffles(self) -> list[list[int]]:
        orders = self.shuffles + self.deal.drain_shuffles()
        self.shuffles = []
        return orders

    def _tell(self, events: list[Event]) -> list[Event]:
        """The deal's events with its number (from 1), and the running totals where it was scored."""
        told = [replace(event, data={"deal": self.number + 1, **event.data}) for event in events]
        for event in told:
            if event.type == "scored":
                event.data.update(totals=list(self.totals), won=list(self.won))
        return told
