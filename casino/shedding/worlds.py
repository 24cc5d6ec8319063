"""Deals that a view allows: the cards that are not seen, at random, so that the view stays what it is."""

from collections import Counter
from random import Random
from typing import TYPE_CHECKING, Final

from casino.cards import NAMES, face
from casino.chance import SEED_BYTES
from casino.errors import PositionError
from casino.game import Json, View
from casino.shedding.actions import END
from casino.shedding.deal import ADDING, DREW
from casino.shedding.fields import SCHEMA

if TYPE_CHECKING:
    from casino.shedding.engine import ShedGame, ShedState

_TRIES: Final = 2_000


def world(game: "ShedGame", view: View, rng: Random) -> "ShedState":
    """A deal at random that the view allows, the rest of the shuffles with it.

    A turn that goes on tells of the hand: who has drawn and may still lay holds something that he may lay. Deals
    that contradict it are drawn again. Raises PositionError if none is found.
    """
    known = {key: value for key, value in view.items() if key in SCHEMA["properties"]}
    for _ in range(_TRIES):
        try:
            state = game.position({**known, **_hidden(game, view, rng)})
        except PositionError as refusal:
            if refusal.pointer != "/turn/laid":
                raise
            continue
        if _turn_goes_on(state):
            return state
    raise PositionError("no deal is found that this view allows", pointer="/turn")


def _hidden(game: "ShedGame", view: View, rng: Random) -> Json:
    """Cards for the hands and the stock that the view does not show."""
    unseen = Counter(game.pack)
    unseen.subtract(map(face, view["pile"]))
    for cards in (*view["hands"], view["stock"]):
        unseen.subtract(map(face, cards or ()))
    pool = [NAMES[card] for card in unseen.elements()]
    rng.shuffle(pool)
    wanted = sum(size for size, hand in zip(view["hand_sizes"], view["hands"], strict=True) if hand is None)
    if wanted + (view["stock_size"] if view["stock"] is None else 0) > len(pool):
        raise PositionError("more cards are hidden than the pack has left", pointer="/hand_sizes")
    hands = [
        [pool.pop() for _ in range(size)] if hand is None else hand
        for size, hand in zip(view["hand_sizes"], view["hands"], strict=True)
    ]
    stock = [pool.pop() for _ in range(view["stock_size"])] if view["stock"] is None else view["stock"]
    hidden: Json = {"hands": hands, "stock": stock, "shuffle_seed": rng.randbytes(SEED_BYTES).hex()}
    if view["drew"] and view["drawn"] is None:
        # Which card of the hand was drawn nobody else knows; any may have been.
        hidden["drawn"] = hands[view["to_move"]][-1]
    return hidden


def _turn_goes_on(state: "ShedState") -> bool:
    """Would a turn that goes on in the view go on with these cards?"""
    if state.ask not in (DREW, ADDING):
        return True
    return any(action != END for action in state.legal(state.to_move))
