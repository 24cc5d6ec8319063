"""The bots of the shedding games, `simple` and `search` of `table.md`. They see a view only."""

from collections.abc import Sequence
from math import sqrt
from random import Random
from typing import Final

from casino.bots.shedding_policy import Look, Traits, decide, ranked
from casino.cards import face
from casino.chance import SEED_BYTES
from casino.game import View
from casino.shedding.actions import MACAO, parse, text
from casino.shedding.deal import OVER, cards_of, hand_of
from casino.shedding.engine import ShedGame, ShedState

NODES: Final = 2000
_TRIED: Final = 12  # actions that are played out, those that `simple` likes best
_FEW: Final = 8  # deals after which actions are compared
_SURE: Final = 1.0  # standard errors
_FAR: Final = 12  # actions after which a deal that is played out is judged as it stands
# What a card less than the others' mean, and a point less, is worth beside a win.
_CARD: Final = 0.005
_POINT: Final = 0.001


class SimpleBot:
    """Plays when it can, what leaves it most to play; answers attacks, says «macao» and catches who does not."""

    def __init__(self, game: ShedGame, traits: Traits | None = None) -> None:
        self.game = game
        self.traits = traits or Traits()

    def choose(self, view: View) -> str:
        """The text of one legal action of the view's seat."""
        return text(decide(look_at(self.game, view), self.traits))

    def aside(self, view: View) -> str | None:
        """Whatever may be said."""
        said: Sequence[str] = view["legal"]
        return said[-1] if said else None


class SearchBot(SimpleBot):
    """Draws deals that the view allows and plays actions out in each, some way on, with `simple` in all seats.

    It does what `simple` would (keeping wild cards, where they do not attack), unless another action came out better in
    the same deals by more than their spread explains. A deal counts by the share of its win, and by points or cards
    less than the others hold. It stops after `nodes` actions played out; one that falls clearly behind is played out no
    more.
    """

    def __init__(self, game: ShedGame, rng: Random, nodes: int = NODES, traits: Traits | None = None) -> None:
        # What it begins from: wild cards are kept for last, unless they are attacks, which are not worth it.
        wild_attacks = game.tables.wild & game.tables.attacks
        super().__init__(game, traits or Traits(keep_wild=not wild_attacks))
        self.rng = rng
        self.nodes = nodes

    def choose(self, view: View) -> str:
        """The text of one legal action of the view's seat."""
        actions = ranked(look_at(self.game, view), self.traits)[:_TRIED]
        if len(actions) == 1 or actions[0] >= MACAO:
            return text(actions[0])
        return text(self._best(actions, self.game.world(view, self.rng), view))

    def _best(self, actions: list[int], known: ShedState, view: View) -> int:
        seat = view["seat"]
        hidden = [other for other, cards in enumerate(view["hands"]) if cards is None]
        others = [Gain(action) for action in actions[1:]]
        spent = 0
        while spent < self.nodes and others:
            world = redealt(known, hidden, self.rng)
            usual, done = self._tried(world, seat, actions[0])
            spent += done
            for other in others:
                found, done = self._tried(world, seat, other.action)
                other.add(found - usual)
                spent += done
            others = [other for other in others if other.hopeful]
        best = max(others, key=lambda other: other.sure, default=None)
        return best.action if best is not None and best.sure > 0 else actions[0]

    def _tried(self, world: ShedState, seat: int, action: int) -> tuple[float, int]:
        trial = world.copy()
        done = play_out(trial, seat, action, self.traits)
        return _gain(trial, seat), done


class Gain:
    """By how much an action came out better than another in the same deals: mean and spread."""

    __slots__ = ("action", "count", "squares", "total")

    def __init__(self, action: int) -> None:
        self.action = action
        self.count = 0
        self.total = self.squares = 0.0

    def add(self, gain: float) -> None:
        """Note one deal."""
        self.count += 1
        self.total += gain
        self.squares += gain * gain

    @property
    def error(self) -> float:
        """Standard error of the mean."""
        mean = self.total / self.count
        return sqrt(max(self.squares / self.count - mean * mean, 0.0) / self.count)

    @property
    def sure(self) -> float:
        """What is gained at least, with some certainty; nothing is sure after few deals."""
        return self.total / self.count - _SURE * self.error if self.count >= _FEW else 0.0

    @property
    def hopeful(self) -> bool:
        """May it still turn out to be better?"""
        return self.count < _FEW or self.total / self.count + _SURE * self.error > 0


def redealt(known: ShedState, hidden: Sequence[int], rng: Random) -> ShedState:
    """The same situation with the cards of the hidden hands and the stock dealt anew.

    (With open cards nothing is hidden but what a later shuffle brings.)
    """
    state = known.copy()
    state.seed = rng.randbytes(SEED_BYTES)
    if not hidden:
        return state
    pool = state.stock
    for seat in hidden:
        pool = pool + cards_of(state.hands[seat])
    rng.shuffle(pool)
    for seat in hidden:
        size = state.hands[seat].bit_count()
        state.hands[seat] = hand_of(pool[:size])
        pool = pool[size:]
    state.stock = pool
    return state


def look_at(game: ShedGame, view: View) -> Look:
    """What the view's seat goes by."""
    sizes: list[int] = view["hand_sizes"]
    four = view["four_round"]
    return Look(
        game.tables,
        hand_of(map(face, view["hands"][view["seat"]])),
        [parse(words) for words in view["legal"]],
        sizes,
        sizes[_next_in(view)],
        view["penalty"],
        four["lap"] if four else 0,
        view["turns"],
    )


def _next_in(view: View) -> int:
    """The next seat in the direction of play that is not out."""
    own: int = view["seat"]
    count = len(view["hand_sizes"])
    seats = ((own + view["direction"] * step) % count for step in range(1, count + 1))
    return next((seat for seat in seats if seat not in view["finished"]), own)


def play_out(state: ShedState, seat: int, action: int, traits: Traits) -> int:
    """Do the action and let `simple` play on until somebody is out, at most so far; the number of actions done."""
    state.apply(seat, action)
    plain, done = Traits(), 1
    while state.ask != OVER and not state.finished and done < _FAR:
        if state.window >= 0 and not state.said:
            state.apply(state.window, MACAO)
        else:
            mover = state.to_move
            state.apply(mover, decide(_look_of(state, mover), traits if mover == seat else plain))
        done += 1
    return done


def _look_of(state: ShedState, seat: int) -> Look:
    sizes = [hand.bit_count() for hand in state.hands]
    return Look(
        state.tables,
        state.hands[seat],
        state.legal(seat),
        sizes,
        sizes[state.after[seat]],
        state.penalty,
        state.lap,
        state.turns,
    )


def _gain(state: ShedState, seat: int) -> float:
    """What a deal played out, or as it stands, is worth to the seat: its share of the win, and what it holds less than
    the others. While nobody is out, each is taken to win the likelier the fewer cards he holds."""
    outcome = state.outcome
    winners = outcome.winners if outcome is not None else tuple(state.finished[:1])
    held = [hand.bit_count() for hand in state.hands]
    if winners:
        share = (seat in winners) / len(winners)
    else:
        share = 1 / (held[seat] or 1) / sum(1 / (count or 1) for count in held)
    gain = share + _CARD * _lead(held, seat)
    if not state.tables.rules.points:
        return gain
    if outcome is None:
        values = state.tables.values
        points = [sum(values[card] for card in cards_of(hand)) for hand in state.hands]
    else:
        points = list(outcome.scores)
    return gain + _POINT * _lead(points, seat)


def _lead(held: Sequence[int], seat: int) -> float:
    """By how much less than the others' mean the seat has."""
    return (sum(held) - held[seat]) / (len(held) - 1) - held[seat]
