"""The bots of the trick games, `simple` and `search` of `table.md`. They see a view only."""

from random import Random
from typing import Final

from casino.bots import Silent
from casino.bots.tricks_policy import choose_card, expected_tricks
from casino.game import View
from casino.tricks.actions import ALL, BID, parse, text
from casino.tricks.deal import NOBODY
from casino.tricks.engine import TrickGame, TrickState
from casino.tricks.worlds import Hidden, known, out_of_play

NODES: Final = 2000
_BIDS_TRIED: Final = 4


class SimpleBot(Silent):
    """Bids the tricks its hand is good for; then takes tricks while it needs them, and ducks when it does not."""

    def __init__(self, game: TrickGame) -> None:
        self.game = game

    def choose(self, view: View) -> str:
        """The text of one legal action of the view's seat."""
        seen = known(self.game, view)
        return text(decide(TrickState(self.game, seen), out_of_play(seen)))


class SearchBot(Silent):
    """Draws deals that the view allows, plays each action out with `simple` in every seat, takes the best mean.

    What counts is the seat's points less the others' mean. It stops after `nodes` actions played out, once
    every action was tried in the same deals.
    """

    def __init__(self, game: TrickGame, rng: Random, nodes: int = NODES) -> None:
        self.game = game
        self.rng = rng
        self.nodes = nodes

    def choose(self, view: View) -> str:
        """The text of one legal action of the view's seat."""
        hidden = Hidden(self.game, view)
        seen = out_of_play(hidden.known)
        actions = self._worth_trying(TrickState(self.game, hidden.known), seen, view)
        gains = dict.fromkeys(actions, 0.0)
        spent = 0 if len(actions) > 1 else self.nodes
        while spent < self.nodes:
            world = TrickState(self.game, hidden.draw(self.rng))
            for action in actions:
                trial = world.copy()
                spent += play_out(trial, seen, action)
                gains[action] += _margin(trial, view["seat"])
        return text(max(actions, key=gains.__getitem__))

    def _worth_trying(self, state: TrickState, seen: int, view: View) -> list[int]:
        """Cards: all. Bids: those nearest to what the hand is good for. The choice of `simple` comes first."""
        legal = [parse(words) for words in view["legal"]]
        first = decide(state, seen)
        nearest = sorted(legal, key=lambda action: (abs(action - first), action))
        if state.unbid:
            return nearest[:_BIDS_TRIED]
        return [first, *(action for action in legal if action != first)]


def decide(state: TrickState, seen: int) -> int:
    """The action of `simple` for the seat to move; `seen` are the cards out of play."""
    seat = state.turn
    hand = state.hands[seat]
    unseen = ALL & ~(seen | hand)
    others = state.seats - 1
    if state.unbid:
        leads = seat == state.game.first_leader(state.origin.dealer, state.bids)
        expected = expected_tricks(hand, unseen, state.trump, others, leads)
        return min(state.legal(seat), key=lambda action: abs(action - BID - expected))
    return choose_card(
        hand & state.led or hand,
        state.best,
        state.trump,
        unseen,
        wants=state.bids[seat] > state.taken[seat],
        last=len(state.trick) == others,
    )


def play_out(state: TrickState, seen: int, action: int) -> int:
    """Do the action and let `simple` finish the deal; the number of actions done."""
    before = len(state.log)
    while True:
        state.apply(state.turn, action)
        if state.turn == NOBODY:
            return len(state.log) - before
        seen |= 1 << action if action < BID else 0
        action = decide(state, seen)


def _margin(state: TrickState, seat: int) -> float:
    """The seat's points less the mean of the others'."""
    scores = state.scores()
    return scores[seat] - (sum(scores) - scores[seat]) / (state.seats - 1)
