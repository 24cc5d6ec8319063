"""Banking tables for tests: positions in short, shoes in a chosen order, play by texts."""

from casino.banking.shoe import Shoe
from casino.cards import faces, pack
from casino.catalogue import find


def position(name, hands, *, shoe=None, options=None, **more):
    """A position of a game; hands by seat, the banker's last."""
    data = {"game": name, "options": options or {}, "seats": len(hands), "hands": hands, **more}
    if shoe is not None:
        data["shoe"] = shoe.split()
    return find(name).position(data)


def table(name="house", seats=2, *, options=None, setup=None, seed=b"a table for tests"):
    """A table from a seed; the lot is drawn already, the first bank not yet put up."""
    return find(name).game(options, seats).arranged(setup or {}).start(seed)


def stack(state, first, key=b"key of a stacked shoe"):
    """Put a shoe on the table whose next cards are these; the others follow in pack order."""
    decks = state.game.rules.decks
    order = faces(first, suitless=True)
    rest = pack(decks)
    for card in order:
        rest.remove(card)
    state.shoe = Shoe(decks, [order + rest], key)
    return state


def near_the_end(state, cards, key=b"key of a stacked shoe"):
    """Leave just these cards in the shoe; all others were dealt before and lie aside."""
    decks = state.game.rules.decks
    order = faces(cards, suitless=True)
    rest = pack(decks)
    for card in order:
        rest.remove(card)
    state.shoe = Shoe(decks, [rest + order], key, len(rest))
    return state


def act(state, *texts):
    """Do each text for the seat that is awaited (the first, where several are)."""
    for text in texts:
        state.do(state.awaited()[0], text)
    return state


def net(state):
    return state.to_json()["net"]


def types(state):
    return [event.type for event in state.drain()]


def chips(state):
    return sum(state.purses) + state.bank + sum(state.escrow)
