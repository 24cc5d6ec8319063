"""Bots against bots: the share of wins of one against others of one kind, with its interval.

Every round is one seed, played once with the challenger in each seat, so luck of the cards falls on both sides
alike; a round is then one observation, and the interval comes from the spread between rounds.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from random import Random
from statistics import fmean, stdev
from typing import Any

from analysis.intervals import Z
from casino.bots import Bot
from casino.game import Game, State
from casino.match import Match, MatchRules, match_of

Maker = Callable[[Game[Any], Random], Bot]
"""Makes a bot for one seat of a game, with a generator of its own."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over rounds with the ends of its 95 % interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Duel:
    """What a challenger reached: `wins` is its share of wins (of a shared one its part), to be held against `fair`,
    the share of anybody among equals; `lead` by how much it is ahead of the others' mean, in the game's unit (where the
    fewest points win: how many less)."""

    rounds: int
    fair: float
    wins: Estimate
    lead: Estimate

    @property
    def stronger(self) -> bool:
        """Is the whole interval above a fair share?"""
        return self.wins.low > self.fair


def play(game: Game[Any], bots: Sequence[Bot], seed: bytes) -> State[Any]:
    """One game from the seed, a bot in each seat, to the end."""
    state = game.start(seed)
    last = 0
    while waits := state.awaited():
        seat, words = _says(state, bots, waits, last) or (waits[0], None)
        state.do(seat, words or bots[seat].choose(state.view(seat)))
        last = seat
    return state


def _says(state: State[Any], bots: Sequence[Bot], waits: Sequence[int], last: int) -> tuple[int, str] | None:
    """Who speaks out of turn, and what: the first that wants to, beginning with the one that acted last."""
    able = [seat for seat in state.actors() if seat not in waits]
    for seat in sorted(able, key=lambda seat: (seat - last) % len(bots)):
        words = bots[seat].aside(state.view(seat))
        if words is not None:
            return seat, words
    return None


def duel(game: Game[Any], challenger: Maker, others: Maker, rounds: int, seed: int = 0) -> Duel:
    """A challenger against `others` in all other seats, over so many rounds (at least two)."""
    wins, leads = [], []
    chance = Random(seed)  # noqa: S311 (a simulation: nothing is at stake)
    for _ in range(rounds):
        key = chance.randbytes(32)
        outcomes = [_outcome(game, challenger, others, seat, key) for seat in range(game.seats)]
        wins.append(fmean(won for won, _ in outcomes))
        leads.append(fmean(lead for _, lead in outcomes))
    return Duel(rounds, 1 / game.seats, _estimate(wins), _estimate(leads))


def _outcome(game: Game[Any], challenger: Maker, others: Maker, seat: int, key: bytes) -> tuple[float, float]:
    """The challenger's part of the win and its lead, in that seat."""
    played = game.game if isinstance(game, Match) else game
    makers = [challenger if place == seat else others for place in range(game.seats)]
    bots = [maker(played, Random(key + bytes([place]))) for place, maker in enumerate(makers)]  # noqa: S311
    result = play(game, bots, key).result()
    if result is None:
        raise RuntimeError(f"«{game.name}» stopped with nobody awaited and no result")
    won = 1 / len(result.winners) if seat in result.winners else 0.0
    rest = [score for place, score in enumerate(result.scores) if place != seat]
    ahead = result.scores[seat] - fmean(rest)
    return won, -ahead if _rules(game).best == "fewest" else ahead


def _rules(game: Game[Any]) -> MatchRules:
    return game.rules if isinstance(game, Match) else match_of(game).rules


def _estimate(values: Sequence[float]) -> Estimate:
    mean = fmean(values)
    half = Z * stdev(values) / sqrt(len(values))
    return Estimate(mean, mean - half, mean + half)
