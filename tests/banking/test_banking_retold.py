"""A settled coup dealt again: the views are those that its seats had."""

import pytest
from tables import table

from casino.banking.proof import VERBS
from casino.banking.retold import retold
from casino.bots.banking import BankingBot
from casino.errors import RulesError

# What a view tells of the cards and of who may do what; the rest is chips and the table's life.
TOLD = (
    "phase",
    "seat",
    "banker",
    "bank_number",
    "coup",
    "shoe_left",
    "shuffles",
    "played",
    "awaited",
    "legal",
)
HANDS = ("cards", "hand", "discarded", "points", "drew", "stood", "done", "open", "ended", "stake")


def seen(view):
    hands = [{name: entry[name] for name in HANDS if name in entry} for entry in view["seats"]]
    return {name: view[name] for name in TOLD} | {"hands": hands}


@pytest.mark.parametrize(
    ("name", "seats", "options"),
    [
        ("house", 4, {}),
        ("russian-multiple-active", 3, {"draw_face_up": False}),
        ("continental", 4, {"exposed": "on_turn"}),
        ("chemin-de-fer", 3, {}),
        ("russian-multiple", 4, {"decks": 1, "max_punters": 3, "exhaustion": "reshuffle"}),
    ],
)
def test_every_view_of_every_choice_comes_back(name, seats, options):
    state = table(name, seats, options=options, setup={"banks": 3})
    bots = [
        BankingBot(state.game.rules, policy)
        for policy in ("textbook", "stand", {"draw_on": [0, 1, 2]}, "threshold:4")
    ]
    choices, play, told, dealt, key = [], [], 0, 0, None
    while state.phase != "over":
        seat = state.awaited()[0]
        view = state.view(seat)
        if view["phase"] == "play":
            choices.append((seen(view), bots[seat].choose(view)))
        state.do(seat, bots[seat].choose(view))
        key = state.bank_seed() or key
        for event in state.drain():
            if event.type == "bank":
                dealt = 0
            elif event.type in VERBS:
                play.append([event.seat, VERBS[event.type]])
            elif event.type == "settled":
                again = list(retold(state.game, key, dealt, event.data, play))
                assert [(seen(choice.view), choice.action) for choice in again] == choices
                assert [play[choice.step] for choice in again] == [[c.view["seat"], c.action] for c in again]
                told += len(again)
                dealt += sum(len(event.data["hands"][seat].split()) for seat in event.data["played_by"])
                choices, play = [], []
    assert told > 20


def test_what_does_not_follow_from_the_cards_is_refused():
    state = table("house", 2, setup={"bank": "house"}, seed=b"no zero first")
    for seat, text in ((1, "bank 500"), (0, "stake 5")):
        state.do(seat, text)
    while state.last is None:
        state.do(0, "stand")
    play = [[event.seat, VERBS[event.type]] for event in state.drain() if event.type in VERBS]
    (choice,) = retold(state.game, state.bank_seed(), 0, state.last, play)
    assert choice.action == "stand"
    assert "discard" not in choice.view["legal"], "this seed deals no zero"
    for wrong in ([], [[1, "stand"], *play[1:]], [[0, "discard"], *play]):
        with pytest.raises(RulesError, match="does not follow"):
            list(retold(state.game, state.bank_seed(), 0, state.last, wrong))
