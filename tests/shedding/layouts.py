"""Situations in few words, players, and the cases' own expectations: shared by the tests of the shedding games."""

from collections import Counter
from itertools import chain

from casino.catalogue import find
from casino.errors import CasinoError
from casino.position import set_up
from casino.shedding.actions import CATCH, MACAO, NAME
from casino.shedding.deal import cards_of
from casino.shedding.variants import VARIANTS

MODIFIERS = (
    "open_cards",
    "cross_draw_stack",
    "draw_cards_match",
    "rank_packets",
    "jokers_in_draw_packets",
    "sevens_own_suit_wild",
)
NAMES = tuple(VARIANTS)


def at(game, hands, pile, **fields):
    """A state: hands and pile as texts («2S 5D»), the other fields of a position as they are."""
    position = {"game": game, "seats": len(hands), "hands": [hand.split() for hand in hands]}
    if isinstance(fields.get("stock"), str):
        fields["stock"] = fields["stock"].split()
    return find(game).position({**position, "pile": pile.split(), "to_move": 0, **fields})


def play(state, *steps):
    """Do texts one after another, each as «seat: text»; returns the state."""
    for step in steps:
        seat, _, text = step.partition(": ")
        state.do(int(seat), text)
    return state


def may(state, seat):
    """What the seat may do in turn, as a set of texts."""
    return {text for text in state.legal_texts(seat) if text != "macao" and not text.startswith("catch")}


def hand(state, seat):
    """The cards of a seat as one sorted text."""
    return " ".join(sorted(state.report()["hands"][seat]))


def sizes(state):
    return state.report()["hand_sizes"]


def all_cards(state):
    """Every card that lies anywhere, in order."""
    return sorted(chain(state.stock, state.pile, *map(cards_of, state.hands)))


def at_random(state, seat, rng):
    """A player who takes any action."""
    return rng.choice(state.legal(seat))


def when_one_can(state, seat, rng):
    """A player who calls, and lays a card whenever one may be laid."""
    legal = state.legal(seat)
    if MACAO in legal:
        return MACAO
    laying = [action for action in legal if action < NAME]
    quiet = [action for action in legal if action < CATCH]
    return rng.choice(laying or quiet or legal)


def mismatches(case):
    """What of a case's expectation is not so: empty if it holds."""
    state = set_up(case)
    error = None
    for seat, text in case["steps"]:
        try:
            state.do(seat, text)
        except CasinoError as refusal:
            error = refusal.code
            break
    return unmet(case["expect"], state.report(), error)


def unmet(expect, found, error):
    """What of an expectation is not so in the report of a situation."""
    wrong = [] if error == expect.get("error") else [("error", error)]
    for key, wanted in expect.items():
        if key != "error" and not _holds(found, key, wanted):
            wrong.append((key, found.get(key, found["legal"]), wanted))
    return wrong


def _holds(found, key, wanted):
    if key == "legal":
        steps = {seat: [text for text in found["legal"][seat] if not _aside(text)] for seat in wanted}
        return all(Counter(steps[seat]) == Counter(texts) for seat, texts in wanted.items())
    if key == "legal_has":
        return all(set(texts) <= set(found["legal"][seat]) for seat, texts in wanted.items())
    if key == "legal_lacks":
        return all(not set(texts) & set(found["legal"][seat]) for seat, texts in wanted.items())
    if key == "hands":
        return all(Counter(cards) == Counter(found["hands"][int(seat)]) for seat, cards in wanted.items())
    return found[key] == wanted


def _aside(text):
    return text == "macao" or text.startswith("catch")
