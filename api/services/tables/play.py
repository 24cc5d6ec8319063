"""Playing a banking table forward on a copy: one action and everything that follows from it by itself.

The engine says what happens and which chips move. Here its seats become people, bots and the house; its banks and
coups get ids, seeds and rows; its movements become entries of the ledger. Nothing is written: see `change.py`.
"""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from time import thread_time
from typing import Any, Final

from api.services.tables.change import Change
from api.services.tables.gathering import KEPT, Gathering
from api.services.tables.model import BOT, HOUSE, OPEN, PLAYER, Json, TableData
from api.services.tables.restraint import check, cut, within
from casino.banking.bank import BankingGame
from casino.banking.presets import PRESETS
from casino.banking.rules import build
from casino.banking.state import BankingState
from casino.bots.banking import BankingBot, default_bot
from casino.errors import ActionError
from casino.options import canonical

BY_HAND, BY_BOT, BY_HOUSE, BY_DEFAULT = "player", "bot", "house", "default"
_STAKE: Final = "stake"
_STEPS: Final = 100_000  # far beyond what one request can set off; a fault must not spin for ever
_BETWEEN: Final = ("lot", "bank", "stakes")


@dataclass(frozen=True, slots=True)
class Terms:
    """What the house grants: chips of one of its banks, and chips it lends a bot."""

    house_bank: int
    bot_purse: int
    entropy: Callable[[int], bytes] = os.urandom


@lru_cache(maxsize=256)
def _game(name: str, options: bytes, seats: int, bank: str) -> BankingGame:
    return BankingGame(name, build(PRESETS[name][1], json.loads(options)), seats, bank, banks=None)


def game_of(table: TableData) -> BankingGame:
    """The game of a table, from its stored rules."""
    return _game(table.game, canonical(table.options), len(table.sitters), table.bank)


def state_of(table: TableData) -> BankingState:
    """The engine's state of a table that has begun, with purses as the accounts stand now."""
    state = game_of(table).from_json(table.stored["state"])
    if not table.practice:
        for sitter in table.sitters:
            if sitter.kind in (PLAYER, BOT) and not sitter.pending:
                state.set_purse(sitter.number, table.balance(sitter))
    return state


@dataclass(slots=True, kw_only=True)
class Play(Gathering):
    """One table being played forward. Everything that changes is gathered here, then handed over as a Change.

    `thought`: what its bots took to think, in seconds of a processor.
    """

    terms: Terms
    closing: bool = False
    thought: float = 0.0

    @classmethod
    def resume(cls, table: TableData, terms: Terms, now: datetime) -> "Play":
        """Take up a table where it was left."""
        stored = table.stored
        return cls(
            table=table,
            state=state_of(table),
            terms=terms,
            now=now,
            **{name: stored[name] for name in KEPT},
        )

    @classmethod
    def begin(cls, table: TableData, terms: Terms, now: datetime) -> "Play":
        """The first moment of a table whose seats are filled as far as they have to be."""
        purses = [
            terms.bot_purse if table.practice else table.balance(sitter) if sitter.kind != HOUSE else 0
            for sitter in table.sitters
        ]
        state = game_of(table).open(purses, [sitter.kind != OPEN for sitter in table.sitters])
        return cls(table=table, state=state, terms=terms, now=now)

    # Acting

    def act(self, seat: int, text: str, by: str, *, timed_out: bool = False) -> None:
        """Do one action of a seat. Raises what the engine raises, and Conflict where a person goes beyond his own
        limits; then nothing is changed."""
        if self.table.sitters[seat].kind == HOUSE and self.state.phase == "bank":
            self.state.set_purse(seat, self._house_bank())
        if by == BY_HAND:
            check(self.state, seat, text, self.table.sitters[seat].allowance)
            if text.startswith(_STAKE):
                self._bots_stake(seat, text)
        self._do(self.state, seat, text)
        if timed_out:
            self.tell("timed_out", seat, {"action": text})
        self.gather(by, seat, timed_out=timed_out)

    def _do(self, state: BankingState, seat: int, text: str) -> None:
        """Do an action on the state or on a copy; a refusal tells what is legal within the player's limits."""
        try:
            state.do(seat, text)
        except ActionError as refused:
            allowance = self.table.sitters[seat].allowance
            if allowance is None:
                raise
            raise within(refused, state, seat, text, allowance) from None

    def legal(self, seat: int) -> list[Any]:
        """Texts of what a seat may do, within its player's limits."""
        return cut(self.state.legal_texts(seat), self.state, seat, self.table.sitters[seat].allowance)

    def _bots_stake(self, seat: int, text: str) -> None:
        """Bots stake before the first person who does (`table.md`: «bots stake first»), and not while none does:
        so every person can give a seed, and no table plays on by itself. What he may stake they leave in the bank."""
        if self.state.phase != "stakes":
            return
        bots = [other for other in self.state.awaited() if self.table.sitters[other].kind == BOT]
        if bots:
            self._do(
                self.state.copy(), seat, text
            )  # what cannot be done is refused before anything is done for it
        for bot in bots:
            choice = self.choose(bot)
            if self._chips(choice) + self._chips(text) > self.state.bank // self.state.game.plan.worst_payout:
                return  # he was told that the bank covers his stake: who is left stakes after him
            self.act(bot, choice, BY_BOT)

    def _chips(self, text: str) -> int:
        """Chips that a text stakes."""
        verb, amount = self.state.game.parse(text)
        return amount if verb == _STAKE and isinstance(amount, int) else 0

    def run(self) -> None:
        """Let everything happen that needs no person: seeds, seats, the house, bots, vacated seats, the end."""
        for _ in range(_STEPS):
            if self.state.needs_seed:
                self.new_bank(self.terms.entropy)
            elif self.state.phase == "over" or self._deserted() or self._broke():
                self._close()
                return
            elif not self._change_seats() and not self._move_for_somebody():
                return
        raise RuntimeError("a table does not come to rest")

    def _deserted(self) -> bool:
        return self.state.phase in _BETWEEN and not any(
            sitter.kind == PLAYER and not sitter.leaving for sitter in self.table.sitters
        )

    def _broke(self) -> bool:
        """Can nobody play on at a practice table, where chips come with who joins and no other way?"""
        joinable = any(sitter.kind == OPEN or sitter.pending for sitter in self.table.sitters)
        return self.table.practice and self.state.waiting and not joinable

    def _move_for_somebody(self) -> bool:
        """Move for the first seat that is awaited and not played by hand; False if there is none."""
        awaited = self.state.awaited()
        if self._holds_back(awaited):
            return False
        for seat in awaited:
            sitter = self.table.sitters[seat]
            if not sitter.by_hand:
                by = BY_DEFAULT if sitter.kind == PLAYER else sitter.kind
                self.act(seat, self.choose(seat), by)
                return True
        return False

    def _holds_back(self, awaited: tuple[int, ...]) -> bool:
        """Do bots wait with their stakes, because persons may stake and none has, or the banker may end his bank?"""
        state = self.state
        if state.phase != "stakes" or any(state.stakes):
            return False
        return any(self.table.sitters[seat].by_hand for seat in awaited) or self._banker_has_time()

    def _banker_has_time(self) -> bool:
        """After each coup a person who banks against bots alone has his turn to top or close: they stake when he has
        acted, or when his time is up."""
        banks_by_hand = self.table.sitters[self.state.banker].by_hand
        return bool(self.coups_settled and self.table.turn_seconds) and banks_by_hand

    def choose(self, seat: int) -> str:
        """What the policy of a seat says: a bot's own, the house's by rote, or the default for a vacated seat."""
        sitter, state = self.table.sitters[seat], self.state
        if state.phase == "bank" and sitter.kind == HOUSE:
            return f"bank {self._house_bank()}"
        rules = state.game.rules
        if sitter.kind == BOT:
            began = thread_time()
            chosen = BankingBot(rules, sitter.policy, stake=sitter.stake).choose(state.view(seat))
            self.thought += thread_time() - began
            return chosen
        return default_bot(rules, banker=seat == state.banker).choose(state.view(seat))

    def default_action(self, seat: int) -> str:
        """What is done for a seat whose time is up: the bank is passed, a coup sat out, else the default policy."""
        phase = self.state.phase
        if phase in ("bank", "stakes"):
            return "pass" if phase == "bank" else "sit"
        return default_bot(self.state.game.rules, banker=seat == self.state.banker).choose(
            self.state.view(seat)
        )

    def _house_bank(self) -> int:
        limits = self.state.game.rules.limits
        smallest = max(limits.bank_min, limits.min * self.state.game.rules.payoff.worst_payout)
        return min(max(self.terms.house_bank, smallest), limits.bank_max)

    # Seats

    def leave(self, seat: int) -> None:
        """Leave a seat: at once where the rules let him, else the default policy plays on till then."""
        sitter = self.table.sitters[seat]
        self.changed.add(seat)
        if sitter.pending:
            self.vacate(seat)
            return
        sitter.leaving = True
        if any(self.state.stakes) and self._deserted():
            self.state.abandon()  # a coup that nobody is there to play is not dealt: its stakes go back
        self.state.leave(seat)
        self.gather(BY_HAND)

    def _change_seats(self) -> bool:
        """Seat those who wait for a place, where seats may change now."""
        for sitter in self.table.sitters:
            if sitter.pending and self.state.may_change(sitter.number):
                sitter.pending = False
                self.changed.add(sitter.number)
                purse = self.terms.bot_purse if self.table.practice else self.table.balance(sitter)
                self.state.join(sitter.number, purse)
                self.gather(BY_HAND)
                return True
        return False

    # The end

    def _close(self) -> None:
        """Stakes back, bank over, bots' chips to the house, seeds revealed, seats kept as they were."""
        self.closing = True
        self.state.abandon()
        self.gather(BY_HOUSE)
        self.bank_row(closed_at=self.now, revealed_at=self.now)
        for sitter in self.table.sitters:
            if sitter.kind == BOT and not self.table.practice:
                self.give_back(sitter)
        self.tell("closed", None, {"reason": self.state.reason})

    def change(self) -> Change:
        """What all this changes."""
        state, table = self.state, self.table
        stored = {
            **table.stored,
            "state": state.to_json(),
            **{name: getattr(self, name) for name in KEPT},
            "pending": [sitter.number for sitter in table.sitters if sitter.pending],
            "turn": self._turn(),
        }
        phase = "closed" if self.closing else state.phase
        change = self.changes(stored, phase, self._deadline(), state, coups="cou")
        change.thought = self.thought
        return change

    def _deadline(self) -> datetime | None:
        """When time is up for the seats that are awaited; None while nobody has to hurry.

        While stakes are open the clock runs once somebody has staked (`table.md`: «or when `turn_seconds` end with at
        least one stake»).
        """
        state = self.state
        if self.closing or not state.awaited() or not self.table.turn_seconds:
            return None
        if state.phase == "stakes" and not any(state.stakes) and not self._banker_has_time():
            return None
        if self.table.deadline is not None and self.table.stored.get("turn") == self._turn():
            return self.table.deadline
        return self.now + timedelta(seconds=self.table.turn_seconds)

    def _turn(self) -> Json:
        """What a deadline is for: it is not put off by what another seat does meanwhile."""
        state = self.state
        hand = state.coup.actor() if state.coup is not None else None
        return {
            "phase": state.phase,
            "coups": state.coups,
            "banker": state.banker,
            "seat": hand.seat if hand is not None else None,
            "cards": len(hand.cards) if hand is not None else 0,
        }
