"""One banking table being played: who may do what, and the chips. The phases are those of `table.md`.

`lot` (only while the seed for it is missing), `bank`, `stakes`, `play`, `over`. The chips are the engine's own:
`purses`, `bank` and `escrow`; every movement goes to an outbox that a server mirrors into its ledger.
"""

from typing import TYPE_CHECKING, Any, Final

from casino.banking import rounds, seats, term
from casino.banking.coup import Coup
from casino.banking.money import Movement
from casino.banking.plan import BITS
from casino.banking.rounds import HOUSE
from casino.banking.shoe import Shoe
from casino.banking.storage import dump
from casino.banking.text import (
    BANK,
    CLOSE,
    MAX_SEED_BYTES,
    PASS,
    SEED,
    SIT,
    STAKE,
    TOP,
    Action,
    Blob,
    Legal,
    Range,
    text,
)
from casino.banking.view import view_of
from casino.errors import ActionError, GameOver, IllegalAction, NotYourTurn, RulesError
from casino.game import Event, Json, Result, State, View

if TYPE_CHECKING:
    from casino.banking.bank import BankingGame

_SEED_ACTION: Final = Blob(SEED, MAX_SEED_BYTES)


class BankingState(State[Legal]):
    """A table being played. Lists run by seat.

    `purses`: chips a seat may still spend. `totals`: chips won and lost in settled coups. `been`: seats whose
    turn as banker has passed in this round; `declined`: those that passed since the last bank. `coups`: coups
    dealt. `waiting`: nobody could play against the next banker; a seat that joins or is given chips ends it.
    `single`: a position, which is over after its coup; then `net` holds the stakes won by seat.
    `ended_bank`: what proves the last bank that ended; not stored.
    """

    __slots__ = (
        "_game",
        "bank",
        "bank_label",
        "bank_number",
        "banker",
        "been",
        "client_seeds",
        "commitment",
        "coup",
        "coups",
        "declined",
        "ended_bank",
        "escrow",
        "events",
        "last",
        "leaving",
        "movements",
        "net",
        "occupied",
        "phase",
        "purses",
        "reason",
        "root",
        "sat",
        "seating",
        "server_seed",
        "shoe",
        "shuffles",
        "single",
        "stakes",
        "table",
        "totals",
        "waiting",
    )

    def __init__(self, game: "BankingGame", purses: list[int], occupied: list[bool]) -> None:
        count = game.seats
        if len(purses) != count or len(occupied) != count:
            raise RulesError(
                f"purses and occupied seats must be {count}, one for each seat", pointer="/seats"
            )
        self._game = game
        self.phase = "lot"
        self.purses, self.occupied = purses, occupied
        self.escrow, self.stakes, self.totals = [0] * count, [0] * count, [0] * count
        self.sat, self.leaving = [False] * count, [False] * count
        self.client_seeds: list[bytes | None] = [None] * count
        self.root: bytes | None = None
        self.server_seed = b""
        self.commitment: str | None = None
        self.table = self.bank_label = self.reason = ""
        self.bank = self.banker = self.bank_number = self.coups = 0
        self.been: list[int] = []
        self.declined: list[int] = []
        self.waiting = self.single = False
        self.shoe: Shoe | None = None
        self.coup: Coup | None = None
        self.seating: list[int] | None = None
        self.last: dict[str, Any] | None = None
        self.net: list[int] | None = None
        self.ended_bank: dict[str, Any] | None = None
        self.movements: list[Movement] = []
        self.events: list[Event] = []
        self.shuffles: list[list[int]] = []

    @property
    def game(self) -> "BankingGame":
        return self._game

    @property
    def cards_order(self) -> list[list[int]]:
        """The orders shuffled for this bank so far, the last being dealt: never for a client."""
        return [] if self.shoe is None else self.shoe.orders

    # Who may do what

    def playing(self, seat: int) -> bool:
        """Is somebody there who stays?"""
        return self.occupied[seat] and not self.leaving[seat]

    def punters(self) -> list[int]:
        """Seats that may stake, from the banker's left."""
        first, count = self.banker + 1, self._game.seats
        around = [(first + step) % count for step in range(count - 1)]
        return [seat for seat in around if self.occupied[seat] and not self.leaving[seat]]

    def awaited(self) -> tuple[int, ...]:
        if self.phase == "play" and self.coup is not None:
            hand = self.coup.actor()
            return () if hand is None else (hand.seat,)
        if self.phase == "stakes":
            return tuple(sorted(s for s in self.punters() if not self.stakes[s] and not self.sat[s]))
        if self.phase == "bank" and self._bank_is_open():
            return (self.banker,)
        return ()

    def actors(self) -> tuple[int, ...]:
        if self.phase == "play":
            return self.awaited()
        return tuple(seat for seat in range(self._game.seats) if self.legal(seat))

    def legal(self, seat: int) -> list[Legal]:
        if not 0 <= seat < self._game.seats:
            return []
        if self.phase == "play" and self.coup is not None:
            hand = self.coup.actor()
            return list(self.coup.choices()) if hand is not None and hand.seat == seat else []
        if self.phase == "stakes":
            return self._legal_stakes(seat)
        if self.phase == "bank" and self._bank_is_open():
            return self._legal_bank(seat)
        return []

    def _bank_is_open(self) -> bool:
        return bool(self.server_seed) and not self.waiting

    def _may_seed(self, seat: int) -> bool:
        return self.shoe is None and self.client_seeds[seat] is None and self.occupied[seat]

    def _legal_bank(self, seat: int) -> list[Legal]:
        found: list[Legal] = []
        if seat == self.banker:
            low, high = term.bank_range(self)
            if low <= high:
                found.append(Range(BANK, low, high, 1))
            if self._game.bank != HOUSE:
                found.append(Action(PASS))
        if self._may_seed(seat):
            found.append(_SEED_ACTION)
        return found

    def _legal_stakes(self, seat: int) -> list[Legal]:
        found: list[Legal] = [_SEED_ACTION] if self._may_seed(seat) else []
        if seat == self.banker:
            if not any(self.stakes):
                found.insert(0, Action(CLOSE))
            most = term.top_limit(self)
            if most > 0:
                found.append(Range(TOP, 1, most, 1))
        elif self.playing(seat) and not self.stakes[seat] and not self.sat[seat]:
            found.append(Action(SIT))
            low, high, step = term.stake_range(self, seat)
            if low <= high:
                found.append(Range(STAKE, low, high, step))
        return found

    # Acting

    def apply(self, seat: int, action: Legal) -> None:
        if self.phase == "play" and self.coup is not None:
            self._decide(self.coup, seat, action)
        elif isinstance(action, Action) and self._allows(seat, action):
            term.HANDLERS[action.verb](self, seat, action.value)
        else:
            raise self.refusal(seat, action)

    def _allows(self, seat: int, action: Action) -> bool:
        verb, value = action
        for allowed in self.legal(seat):
            if allowed.verb != verb:
                continue
            if isinstance(allowed, Range):
                if type(value) is not int:
                    return False
                return allowed.min <= value <= allowed.max and (value - allowed.min) % allowed.step == 0
            if isinstance(allowed, Blob):
                return isinstance(value, bytes) and 0 < len(value) <= allowed.max_bytes
            return value is None
        return False

    def _decide(self, coup: Coup, seat: int, action: Legal) -> None:
        hand = coup.actor()
        bit = BITS.get(action.verb, 0) if isinstance(action, Action) and action.value is None else 0
        if hand is None or hand.seat != seat or not coup.bits(hand) & bit:
            raise self.refusal(seat, action)
        coup.act(bit)
        coup.advance()
        if coup.over:
            term.settle(self, coup)

    def refusal(self, seat: int, action: object) -> ActionError:
        """The error for an action that this seat may not do now, with what it may do instead."""
        if self.phase == "over":
            return GameOver(f"the game is over ({self.reason})")
        legal = self.legal_texts(seat)
        if legal:
            what = f"«{text(action)}»" if isinstance(action, Action) else "that"
            wanted = ", ".join(map(_words, legal))
            detail = f"seat {seat} may not do {what} now: it may {wanted}"
            return IllegalAction(detail, legal=legal, pointer="/action")
        waits = self.awaited()
        who = (
            f"seat {', '.join(map(str, waits))} is awaited"
            if waits
            else "the table waits for seats or a seed"
        )
        return NotYourTurn(f"seat {seat} may not act now: {who}", pointer="/seat")

    # Seats, purses and seeds, from a server

    @property
    def needs_seed(self) -> str | None:
        """What a server seed is wanted for: "lot", "bank" or None."""
        return seats.wanted_seed(self)

    def provide(self, server_seed: bytes, table: str, bank: str) -> None:
        """Give the seed that `needs_seed` asks for; `table` and `bank` are the names that go into the key."""
        seats.provide(self, server_seed, table, bank)

    def bank_seed(self) -> bytes | None:
        """Key of this bank's shuffles, once its shoe is shuffled."""
        return self.shoe.key if self.shoe is not None else None

    def set_purse(self, seat: int, chips: int) -> None:
        """Set what a seat may spend (its wallet changed elsewhere)."""
        if chips < 0:
            raise IllegalAction(f"a purse cannot hold {chips} chips", pointer="/purse")
        self.purses[seat] = chips
        if self.waiting:
            term.offer_bank(self, self.banker)

    def may_change(self, seat: int) -> bool:
        """May this seat be taken or left at this moment (`seats_change`; a banker only when his bank ends)?"""
        return rounds.may_change(self, seat)

    def join(self, seat: int, purse: int) -> None:
        """Take an empty seat. Raises IllegalAction if it is not empty or seats may not change now."""
        seats.join(self, seat, purse)

    def leave(self, seat: int) -> None:
        """Leave a seat: at once where that may be, else at the next change; till then the seat is `leaving`."""
        seats.leave(self, seat)

    def abandon(self) -> None:
        """Close the table between coups: stakes go back, the bank ends, the game is over."""
        term.abandon(self)

    # Outboxes

    def drain(self) -> list[Event]:
        found, self.events = self.events, []
        if self.coup is not None:
            self.coup.events = self.events
        return found

    def drain_movements(self) -> list[Movement]:
        """The movements of chips since the last call, in order."""
        found, self.movements = self.movements, []
        return found

    def drain_shuffles(self) -> list[list[int]]:
        """The orders that were shuffled since the last call: for records, never for a client."""
        found, self.shuffles = self.shuffles, []
        return found

    # The rest of the protocol

    def view(self, seat: int | None) -> View:
        return view_of(self, seat)

    def result(self) -> Result | None:
        if self.phase != "over":
            return None
        unit, scores = ("stakes", self.net) if self.net is not None else ("chips", self.totals)
        best = max(scores)
        winners = tuple(seat for seat, score in enumerate(scores) if score == best)
        return Result(tuple(scores), winners, unit, self.reason)

    def copy(self) -> "BankingState":
        twin = BankingState.__new__(BankingState)
        for name in BankingState.__slots__:
            value = getattr(self, name)
            setattr(twin, name, value[:] if isinstance(value, list) else value)
        if self.shoe is not None:
            twin.shoe = self.shoe.copy()
            if self.coup is not None:
                twin.coup = self.coup.copy(twin.shoe, twin.events)
        return twin

    def to_json(self) -> Json:
        return dump(self)


def _words(item: Any) -> str:
    """One legal action for people."""
    if isinstance(item, str):
        return item
    ((verb, limits),) = item.items()
    if "max_bytes" in limits:
        return f"{verb} (1 to {limits['max_bytes']} bytes in hex)"
    return f"{verb} {limits['min']} to {limits['max']} in steps of {limits['step']}"
