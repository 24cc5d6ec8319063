"""The one engine of the trick games: bids, then tricks. A state is one deal; `casino/match.py` plays the cycle.

Hands are bit masks, so legal cards are `hand & suit led`, or the hand. What may be chosen in the rules is looked
up in `Rules`; nothing here knows a variant.
"""

from collections.abc import Mapping
from functools import cached_property
from random import Random
from typing import Any, Final, Self

from casino import chance
from casino.cards import FACES, NAMES, SUITS, mask, members
from casino.errors import CasinoError, GameOver, IllegalAction, NotationError, NotYourTurn
from casino.game import Event, Game, Json, Result, State, View
from casino.tricks import position, views, worlds
from casino.tricks.actions import ALL, BID, BITS, MAX_SEATS, OF_SUIT, parse, text
from casino.tricks.deal import NO_CARD, NO_TRUMP, NOBODY, NOT_BID, TAKERS, Deal
from casino.tricks.rules import Rules

_LOT: Final = "lot"
# By the seat to act, NOBODY too: what `actors` gives.
_ALONE: Final[tuple[tuple[int, ...], ...]] = (*((seat,) for seat in range(MAX_SEATS)), ())
_UNTOLD: Final = -1  # not even the deal was told as an event


class TrickGame(Game[int]):
    """A trick game for so many seats. `cycle`: the cards each, deal by deal."""

    family = "tricks"

    def __init__(self, name: str, rules: Rules, seats: int, defaults: Mapping[str, Any]) -> None:
        self.name = name
        self.rules = rules
        self.seats = seats
        self.defaults = defaults
        self.cycle = rules.cycle(seats)

    @property
    def options(self) -> Json:
        return self.rules.to_json()

    @property
    def rules_hash(self) -> str:
        return self.rules.hash

    @property
    def match_defaults(self) -> Json:
        """One rising cycle, the highest total wins (`rules/peklo.md`)."""
        return {"best": "most", "deals": len(self.cycle)}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TrickGame) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    @cached_property
    def _identity(self) -> tuple[str, Rules, int]:
        return self.name, self.rules, self.seats

    def start(self, seed: bytes, /) -> "TrickState":
        """One deal of the cycle on its own: which one, and who deals it, are found by lot."""
        lot = chance.draw(len(self.cycle) * self.seats, chance.derive(seed, _LOT, 0), 0)
        number, dealer = divmod(lot, self.seats)
        return self.deal(seed, number, dealer)

    def deal(self, seed: bytes, number: int, dealer: int) -> "TrickState":
        """Deal `number` of the cycle (after the last the first comes again): cards one by one from the left."""
        place = number % len(self.cycle)
        cards = self.cycle[place] * self.seats
        order = chance.shuffled(range(FACES), seed, 0)
        shares = [mask(order[at : cards : self.seats]) for at in range(self.seats)]
        first = -1 - dealer  # the dealer's left has the first card: where in the shares seat 0 stands
        no_trump = self.rules.last_deal_no_trump and place == len(self.cycle) - 1
        turned = None if no_trump or cards == FACES else order[cards]
        fresh = Deal(
            dealer=dealer,
            hands=(*shares[first:], *shares[:first]),
            trump=NO_TRUMP if turned is None else turned & 3,
            turned=turned,
            bids=(NOT_BID,) * self.seats,
            taken=(0,) * self.seats,
            leader=self.first_bidder(dealer),
        )
        state = TrickState(self, fresh)
        state.shuffles.append(order)
        return state

    def first_bidder(self, dealer: int) -> int:
        """The seat that opens the bidding."""
        return dealer if self.rules.first_bid == "dealer" else (dealer + 1) % self.seats

    def first_leader(self, dealer: int, bids: list[int]) -> int:
        """The seat that leads to the first trick, once all have bid."""
        match self.rules.first_lead:
            case "dealer":
                return dealer
            case "highest_bid":
                first = self.first_bidder(dealer)
                order = [(first + step) % self.seats for step in range(self.seats)]
                return max(order, key=bids.__getitem__)
            case _:
                return (dealer + 1) % self.seats

    def position(self, data: Mapping[str, Any], /) -> "TrickState":
        return TrickState(self, position.read(self, data))

    def from_json(self, data: Mapping[str, Any], /) -> "TrickState":
        try:
            state = self.position(data["position"])
            for seat, action in data["log"]:
                state.apply(seat, parse(action))
        except (KeyError, TypeError, ValueError) as fault:
            if isinstance(fault, CasinoError):
                raise
            raise NotationError(f"not a stored state of «{self.name}»: {fault!r}") from None
        state.told = len(state.log)
        return state

    def text(self, action: int) -> str:
        return text(action)

    def parse(self, text: str) -> int:
        return parse(text)

    def world(self, view: View, rng: Random) -> "TrickState":
        return TrickState(self, worlds.Hidden(self, view).draw(rng))


class TrickState(State[int]):
    """One deal being played. `turn` is the seat to act, NOBODY once all tricks are taken; `best` the card to beat,
    NO_CARD while there is none; `takers` the cards that beat it; `left` the tricks still to be taken; `led` the cards
    that follow suit."""

    __slots__ = (
        "_game", "best", "bids", "hands", "leader", "led", "left", "log", "origin", "seats", "shuffles", "taken",
        "takers", "told", "trick", "tricks", "trump", "turn", "unbid", "winner",
    )  # fmt: skip

    def __init__(self, game: TrickGame, origin: Deal) -> None:
        self._game = game
        self.origin = origin
        self.seats = game.seats
        self.trump = origin.trump
        self.hands = list(origin.hands)
        self.bids = list(origin.bids)
        self.taken = list(origin.taken)
        self.tricks = list(origin.tricks)
        self.unbid = self.bids.count(NOT_BID)
        self.leader = origin.leader
        self.turn = origin.leader
        # Tricks still to be taken: everyone has as many cards as that, one less who has laid to the open one.
        self.left = max(hand.bit_count() for hand in self.hands)
        self.trick: list[int] = []
        self.led = self.takers = ALL
        self.best, self.winner = NO_CARD, NOBODY
        for card in origin.trick:
            self._lay(self.turn, card)
        if self.unbid:
            self.turn = (game.first_bidder(origin.dealer) + self.seats - self.unbid) % self.seats
        if not self.left:
            self.turn = NOBODY
        self.log: list[tuple[int, int]] = []
        self.told = _UNTOLD
        self.shuffles: list[list[int]] = []

    @property
    def game(self) -> TrickGame:
        return self._game

    @property
    def k(self) -> int:
        """Cards dealt to each, so also the tricks of this deal."""
        return self.left + sum(self.taken)

    def actors(self) -> tuple[int, ...]:
        return _ALONE[self.turn]

    def awaited(self) -> tuple[int, ...]:
        return _ALONE[self.turn]

    def legal(self, seat: int) -> list[int]:
        if seat != self.turn or seat < 0:
            return []
        if self.unbid:
            bids = [*range(BID, BID + self.left + 1)]
            barred = self.barred_bid() if self.unbid == 1 else NOT_BID
            return bids if not 0 <= barred <= self.left else bids[:barred] + bids[barred + 1 :]
        hand = self.hands[seat]
        return members(hand & self.led or hand)

    def barred_bid(self) -> int:
        """The bid that the hook forbids to the seat now bidding; below 0 if there is none."""
        if self.unbid > 1 or not self._game.rules.hook:
            return NOT_BID
        return self.left - sum(bid for bid in self.bids if bid != NOT_BID)

    def apply(self, seat: int, action: int) -> None:
        if seat != self.turn or seat < 0:
            raise self._not_now(seat)
        if self.unbid:
            self._bid(seat, action)
        else:
            hand = self.hands[seat]
            bit = BITS.get(action, 0)
            if not (hand & self.led or hand) & bit:
                raise self._illegal(seat, action)
            self.hands[seat] = hand ^ bit
            self._lay(seat, action)
        self.log.append((seat, action))

    def _bid(self, seat: int, action: int) -> None:
        bid = action - BID
        if not 0 <= bid <= self.left or bid == self.barred_bid():
            raise self._illegal(seat, action)
        self.bids[seat] = bid
        self.unbid -= 1
        if self.unbid:
            self.turn = (seat + 1) % self.seats
        else:
            self.leader = self.turn = self._game.first_leader(self.origin.dealer, self.bids)

    def _lay(self, seat: int, card: int) -> None:
        """The card joins the trick; the last one ends it."""
        trick = self.trick
        if not trick:
            self.led = OF_SUIT[card & 3]
        if self.takers >> card & 1:
            self.takers = TAKERS[self.trump][card]
            self.best, self.winner = card, seat
        trick.append(card)
        if len(trick) == self.seats:
            self._take()
        else:
            seat += 1
            self.turn = seat if seat < self.seats else 0

    def _take(self) -> None:
        winner = self.winner
        self.taken[winner] += 1
        self.tricks.append((self.leader, tuple(self.trick), winner))
        self.trick.clear()
        self.leader = winner
        self.led = self.takers = ALL
        self.best = NO_CARD
        self.left -= 1
        self.turn = winner if self.left else NOBODY

    def view(self, seat: int | None) -> View:
        return views.view(self, seat)

    def report(self) -> Json:
        """Everything, hidden hands too, by the names of the shared cases: for positions, never for a seat."""
        return views.report(self)

    def scores(self) -> list[int]:
        """Points of the deal by seat, as they stand with the tricks taken so far."""
        return [self._game.rules.score(bid, won) for bid, won in zip(self.bids, self.taken, strict=True)]

    def result(self) -> Result | None:
        if self.turn != NOBODY:
            return None
        scores = self.scores()
        best = max(scores)
        winners = tuple(seat for seat, points in enumerate(scores) if points == best)
        return Result(tuple(scores), winners, "points", "played_out")

    def copy(self) -> Self:
        twin = object.__new__(type(self))
        twin._game, twin.origin, twin.seats, twin.trump = self._game, self.origin, self.seats, self.trump
        twin.hands, twin.bids, twin.taken = self.hands.copy(), self.bids.copy(), self.taken.copy()
        twin.trick, twin.tricks, twin.log = self.trick.copy(), self.tricks.copy(), self.log.copy()
        twin.unbid, twin.leader, twin.turn, twin.left = self.unbid, self.leader, self.turn, self.left
        twin.led, twin.takers, twin.best, twin.winner = self.led, self.takers, self.best, self.winner
        twin.told = self.told
        twin.shuffles = self.shuffles.copy()
        return twin

    def to_json(self) -> Json:
        log = [[seat, text(action)] for seat, action in self.log]
        return {"position": position.write(self.origin), "log": log}

    def drain(self) -> list[Event]:
        """Events are told from the log: `dealt`, `played` (bids too), `scored`."""
        if self.told == len(self.log):
            return []
        events = [views.dealt(self)] if self.told == _UNTOLD else []
        done = max(self.told, 0)
        events += views.played(self, done)
        if self.turn == NOBODY:
            events.append(views.scored(self))
        self.told = len(self.log)
        return events

    def drain_shuffles(self) -> list[list[int]]:
        found, self.shuffles = self.shuffles, []
        return found

    def _not_now(self, seat: int) -> GameOver | NotYourTurn:
        if self.turn == NOBODY:
            return GameOver("the deal is over: all tricks are taken")
        what = "bid" if self.unbid else "play a card"
        return NotYourTurn(f"seat {seat} may not act now: seat {self.turn} is to {what}", pointer="/seat")

    def _illegal(self, seat: int, action: int) -> IllegalAction:
        legal = self.legal_texts(seat)
        return IllegalAction(
            f"{self._fault(seat, action)}; legal: {', '.join(legal)}", legal=legal, pointer="/action"
        )

    def _fault(self, seat: int, action: int) -> str:
        if self.unbid:
            if action in BITS:
                return f"no card may be played before all bids are made: {self.unbid} to come"
            if action - BID == self.barred_bid():
                return f"the last bid may not make the sum {self.left}, the number of tricks"
            return f"a bid is from 0 to {self.left}, the number of tricks"
        if action not in BITS:
            return "all bids are made: play a card"
        if not self.hands[seat] & BITS[action]:
            return f"{NAMES[action]} is not in the hand of seat {seat}"
        return f"{SUITS[self.trick[0] & 3]} was led, seat {seat} holds it and must follow, not play {NAMES[action]}"
