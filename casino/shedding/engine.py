"""The one engine of the shedding games. A state is one deal; `casino/match.py` plays several.

What may be done is looked up in masks compiled from the rules (`tables.py`); what cards do is added up from their
powers (`packets.py`); procedures that rules choose are functions looked up by name. Nothing here knows a variant.
"""

from collections.abc import Callable, Mapping
from functools import cached_property
from random import Random
from typing import Any, Final, NoReturn, Self

from casino import chance
from casino.cards import members, pack
from casino.errors import GameOver, IllegalAction, NotYourTurn
from casino.game import Event, Game, Json, Result, State, View
from casino.shedding import calls, fields, laying, position, turns, views, worlds
from casino.shedding.actions import (
    ADD,
    CHOOSE,
    COUNT,
    DRAW,
    MACAO,
    MAX_SEATS,
    NAME,
    parse,
    text,
)
from casino.shedding.deal import DEALT, FOURS, NOBODY, OVER, SEAT_BITS, SKIP, TURN, UNDONE, Deal, hand_of
from casino.shedding.menus import MENUS
from casino.shedding.rules import Rules
from casino.shedding.tables import compiled

_LOT: Final = "lot"


class ShedGame(Game[int]):
    """A shedding game for so many seats. `rules` as chosen; `played` with what its switches stand for."""

    family = "shedding"

    def __init__(
        self, name: str, rules: Rules, played: Rules, seats: int, defaults: Mapping[str, Any]
    ) -> None:
        self.name = name
        self.rules = rules
        self.played = played
        self.seats = seats
        self.defaults = defaults
        self.tables = compiled(played)
        self.pack = tuple(pack(played.pack_count(seats), played.jokers))

    @property
    def options(self) -> Json:
        return self.rules.to_json()

    @property
    def rules_hash(self) -> str:
        return self.rules.hash

    @property
    def match_defaults(self) -> Json:
        """On points the fewest win and the first to the target loses; else deals won are counted."""
        target = self.played.target
        ending = {"deals": 1} if target is None else {"target": target}
        count = (
            {"count": "points", "best": "fewest"} if self.played.points else {"count": "wins", "best": "most"}
        )
        return {**count, **ending, "dealer": self.played.next_dealer}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ShedGame) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    @cached_property
    def _identity(self) -> tuple[str, Rules, int]:
        return self.name, self.rules, self.seats

    def start(self, seed: bytes, /) -> "ShedState":
        """One deal on its own; who deals it is found by lot."""
        return self.deal(seed, 0, chance.draw(self.seats, chance.derive(seed, _LOT, 0), 0))

    def deal(self, seed: bytes, number: int, dealer: int) -> "ShedState":
        """A deal (all of a match are alike): cards one by one from the dealer's left, then one is turned."""
        state = ShedState(self, seed)
        order = chance.shuffled(self.pack, seed, 0)
        size = self.played.hand_size(self.seats)
        dealt = size * self.seats
        state.hands = [
            hand_of(order[(seat - dealer - 1) % self.seats : dealt : self.seats])
            for seat in range(self.seats)
        ]
        turned = dealt + self._turned(order[dealt:])
        state.pile = order[dealt:turned]
        state.stock = order[: turned - 1 : -1]
        state.orders.append(order)
        state.dealer = dealer
        state.active = state.first_card = state.pile[-1]
        state.log.append((DEALT, tuple(state.hands), tuple(state.pile)))
        first = 1 if self.played.starts == "left" else -1
        state.to_move = (dealer + first) % self.seats
        turns.await_turn(state)
        return state

    def _turned(self, cards: list[int]) -> int:
        """How many cards are turned until one may begin: no joker, and none with a power where that is the rule."""
        special = self.tables.special if self.played.first_card == "not_special" else 0
        fit = (place for place, card in enumerate(cards, 1) if card < 52 and not special >> card & 1)
        return next(fit, len(cards))

    def position(self, data: Mapping[str, Any], /) -> "ShedState":
        state = ShedState(self, bytes(chance.SEED_BYTES))
        position.read(self, state, data)
        return state

    def from_json(self, data: Mapping[str, Any], /) -> "ShedState":
        return self.position(data)

    def text(self, action: int) -> str:
        return text(action)

    def parse(self, text: str) -> int:
        return parse(text)

    def world(self, view: View, rng: Random) -> "ShedState":
        return worlds.world(self, view, rng)


class ShedState(Deal, State[int]):
    """One deal being played."""

    __slots__ = ("_game",)

    def __init__(self, game: ShedGame, seed: bytes) -> None:
        super().__init__(game.tables, game.seats, seed)
        self._game = game

    @property
    def game(self) -> ShedGame:
        return self._game

    def copy(self) -> Self:
        twin = super().copy()
        twin._game = self._game
        return twin

    def actors(self) -> tuple[int, ...]:
        if self.window == NOBODY or self.said:
            return _ALONE[self.to_move]
        return tuple(seat for seat in range(self.seats) if seat == self.to_move or calls.aside(self, seat))

    def awaited(self) -> tuple[int, ...]:
        return _ALONE[self.to_move]

    def legal(self, seat: int) -> list[int]:
        if seat != self.to_move:
            return [*calls.aside(self, seat)]
        menu = self.menu
        if not menu:
            if self.ask == TURN and self.stock and self.tables.easy:
                # Most questions are this one: it takes the short way.
                menu = self.menu = members(self.hands[seat] & self.goal)
                menu.append(DRAW)
            else:
                menu = self.menu = MENUS[self.ask](self)
        return [*menu] if self.window < 0 else [*menu, *calls.aside(self, seat)]

    def apply(self, seat: int, action: int) -> None:
        if seat != self.to_move or action not in self.menu:
            if self._said_aside(seat, action):
                return
            self._check(seat, action)
        if self.window >= 0 and self.window != seat:
            calls.close(self)
            if self.ask == OVER:
                self.log.insert(-1, (UNDONE, seat, action))
                return
        self.menu = ()
        self.log.append(action << SEAT_BITS | seat)
        _DO[action](self, seat, action)

    def _said_aside(self, seat: int, action: int) -> bool:
        """Does what is said whoever's turn it is; returns whether that was it."""
        if action not in calls.aside(self, seat):
            return False
        self.log.append(action << SEAT_BITS | seat)
        self.menu = ()
        if action == MACAO:
            calls.say(self, seat)
        else:
            calls.catch(self)
        return True

    def _check(self, seat: int, action: int) -> None:
        """Raises unless this is an action in turn of the seat."""
        if self.ask == OVER:
            raise GameOver("the deal is over: nobody may act any more")
        if seat != self.to_move and action < MACAO:
            raise NotYourTurn(
                f"seat {seat} is not on turn: seat {self.to_move} is",
                legal=self.legal_texts(seat),
                pointer="/seat",
            )
        if seat != self.to_move or action not in self.legal(seat):
            self._refuse(seat, action)

    def _refuse(self, seat: int, action: int) -> NoReturn:
        legal = self.legal_texts(seat)
        what = text(action) if 0 <= action < COUNT else repr(action)
        shown = ", ".join(legal[:20]) + (" …" if len(legal) > 20 else "")
        why = views.fault(self, seat, action)
        raise IllegalAction(
            f"«{what}» is not legal for seat {seat} now: {why}; legal: {shown or 'nothing'}", legal=legal
        )

    def view(self, seat: int | None) -> View:
        return views.view(self, seat)

    def report(self) -> Json:
        """Everything, hidden hands too, by the names of the shared cases: for positions, never for a seat."""
        return views.report(self)

    def result(self) -> Result | None:
        return self.outcome

    def to_json(self) -> Json:
        return fields.write(self)

    def drain(self) -> list[Event]:
        events = views.events(self)
        self.log = []
        return events

    def drain_shuffles(self) -> list[list[int]]:
        orders, self.orders = self.orders, []
        return orders


def _accept(d: Deal, seat: int, action: int) -> None:
    (turns.accept_skip if d.ask == SKIP else turns.accept_penalty)(d, seat)


def _pass(d: Deal, seat: int, action: int) -> None:
    (turns.pass_four if d.ask == FOURS else turns.pass_turn)(d, seat)


Deed = Callable[[Deal, int, int], None]

# By action: what does it. (`macao` and `catch` are said aside.)
_DO: Final[tuple[Deed, ...]] = (
    *[laying.lay] * ADD,
    *[laying.lay_as] * (NAME - ADD),
    *[laying.name] * (CHOOSE - NAME),
    *[laying.choose] * MAX_SEATS,
    laying.end,
    laying.draw,
    _accept,
    _pass,
)
_ALONE: Final[tuple[tuple[int, ...], ...]] = (*((seat,) for seat in range(MAX_SEATS)), ())
