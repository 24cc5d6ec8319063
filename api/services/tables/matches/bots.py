"""Who moves next at a match for seats that no person plays, and what. Bots see the view of their seat only."""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from random import Random
from time import thread_time
from typing import Any

from api.services.tables.model import BOT, OPEN, Sitter
from casino.bots import Bot
from casino.bots.moving import Move, next_move
from casino.bots.policies import DEFAULT, make, read
from casino.game import View
from casino.match import Match, MatchState


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """The beginning of a match as it was thought out before the table is written: its seed, what bots do, and what
    they `thought`, in seconds of a processor."""

    server_seed: bytes
    moves: Sequence[Move] = ()
    thought: float = 0.0


class Bots:
    """The bots of a table. `rehearsed`: all that they do, thought out already; None: they think when asked.

    `thought`: what that took so far, in seconds of a processor.
    """

    def __init__(
        self,
        match: Match[Any],
        sitters: Sequence[Sitter],
        chance: Callable[[int], Random],
        rehearsed: Iterable[Move] | None = None,
    ) -> None:
        self.match = match
        self.sitters = sitters
        self._chance = chance
        self._rehearsed = None if rehearsed is None else deque(rehearsed)
        self._made: dict[tuple[int, bool], Bot] = {}
        self.thought = 0.0

    def next(self, state: MatchState[Any]) -> Move | None:
        """The next move that needs no person: one thought out already, or what a bot does now."""
        if self._rehearsed is not None:
            return self._rehearsed.popleft() if self._rehearsed else None
        began = thread_time()
        move = next_move(state, lambda seat: None if self.sitters[seat].by_hand else self.bot(seat))
        self.thought += thread_time() - began
        return move

    def bot(self, seat: int) -> Bot:
        """The bot that plays a seat: its own, or the default where a person has left or is late."""
        sitter = self.sitters[seat]
        own = sitter.kind == BOT
        if (seat, own) not in self._made:
            policy = read(sitter.policy, self.match.family) if own else DEFAULT
            self._made[seat, own] = make(policy, self.match.game, self._chance(seat))
        return self._made[seat, own]


def rehearse(
    match: Match[Any],
    sitters: Sequence[Sitter],
    name: str,
    server_seed: bytes,
    chance: Callable[[int], Random],
) -> Rehearsed:
    """Play a match from its seed until a person is awaited. `name`: the table's in the key."""
    if any(sitter.kind == OPEN for sitter in sitters):
        return Rehearsed(server_seed)
    moves: list[Move] = []
    state = match.start(server_seed, name, [b""] * match.seats)
    bots = Bots(match, sitters, chance)
    while (move := bots.next(state)) is not None:
        moves.append(move)
        state.do(*move)
    return Rehearsed(server_seed, moves, bots.thought)


def turn_goes_on(view: View) -> bool:
    """Has the seat on turn begun its turn: laid cards that want more, or drawn one?"""
    return bool(view.get("turn") or view.get("drew"))
