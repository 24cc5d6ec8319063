"""Who sits where: the lot, joining and leaving by `seats_change`, a banker who leaves, a table that is given up."""

import pytest
from tables import act, chips, stack, table, types

from casino import chance
from casino.banking.seats import _by_cards
from casino.cards import NAMES, faces, pack, rank
from casino.catalogue import find
from casino.errors import IllegalAction, RulesError


def opened(name="house", seats=3, *, occupied=None, purses=None, options=None, **setup):
    """A table without a root seed: seeds come from outside."""
    game = find(name).game(options, seats).arranged({"banks": None, **setup})
    return game.open(purses or [1000] * seats, occupied or [True] * seats)


def provided(state, label="bnk"):
    """Give whatever seed the table waits for."""
    while state.needs_seed:
        state.provide(b"server seed", "tbl", label)
    return state


# The lot


def draws(cards, seats, everyone):
    found = []
    return _by_cards(range(seats), iter(faces(cards)), found, everyone=everyone), found


def test_the_lowest_card_deals_first_two_low_ace_high():
    assert draws("AS KH 2D 3C", 4, False)[0][0] == 2
    assert draws("AS KH QD", 3, False)[0][0] == 2
    assert draws("TS 9H AD", 3, False)[0][0] == 1, "an ace is high in the lot, though it counts 1 in the game"


def test_equals_draw_again_among_themselves():
    order, drawn = draws("3S 2H 2D KC 7S 6S", 4, False)
    assert order[0] == 2, "seats 1 and 2 drew twos, then a 7 and a 6"
    assert [seat for seat, _ in drawn] == [0, 1, 2, 3, 1, 2]
    order, drawn = draws("2S 2H 5D 5C 9S 9C 4S 3S", 4, False)
    assert order[0] == 1, "equals again: a 9 and a 9, then a 4 and a 3"
    assert len(drawn) == 8, "nobody cares who of the fives is lower"


def test_drawn_seats_follow_the_whole_order_of_the_cards():
    order, drawn = draws("KS 5H 2D 5C 9S 4S", 4, True)
    assert order == [2, 3, 1, 0], "the fives of seats 1 and 3 are followed by a 9 and a 4"
    assert len(drawn) == 6


def test_the_lot_is_drawn_from_shuffle_0_of_its_own_seed():
    state = opened("russian-even", 4)
    assert (state.phase, state.needs_seed, state.actors()) == ("lot", "lot", ())
    state.provide(b"lot seed", "tbl_7", "lot")
    order = chance.shuffled(pack(2), chance.bank_seed(b"lot seed", "tbl_7", "lot", ()), 0)
    seated = next(event for event in state.drain() if event.type == "seated")
    told = seated.data["draws"]
    assert [draw["card"] for draw in told] == [NAMES[card] for card in order[: len(told)]]
    assert [draw["seat"] for draw in told[:4]] == [0, 1, 2, 3]
    ranks = [rank(card) for card in order[:4]]
    assert ranks.count(min(ranks)) == 1
    assert state.banker == seated.seat == ranks.index(min(ranks))
    assert state.needs_seed == "bank"
    assert state.seating is None


def test_with_drawn_seating_the_players_sit_in_the_order_of_their_cards():
    state = opened("russian-multiple", 4, purses=[100, 200, 300, 400], occupied=[True, True, False, True])
    state.provide(b"lot seed", "tbl_7", "lot")
    seated = next(event for event in state.drain() if event.type == "seated")
    cards = {draw["seat"]: faces(draw["card"])[0] for draw in seated.data["draws"]}
    order = sorted(cards, key=lambda seat: rank(cards[seat]))
    assert len(set(map(rank, cards.values()))) == 3
    assert state.banker == 0
    assert state.occupied == [True, True, True, False]
    assert [state.seating[old] for old in order] == [0, 1, 2]
    assert state.seating[2] == 3, "the empty seat comes last"
    assert state.purses[:3] == [100 * (old + 1) for old in order]


def test_a_table_whose_bank_is_the_house_skips_the_lot():
    state = opened("russian-multiple", 3, bank="house")
    assert (state.phase, state.banker, state.needs_seed) == ("bank", 2, "bank")


def test_the_lot_waits_for_a_second_player():
    state = opened(occupied=[True, False, False])
    assert state.needs_seed is None
    state.join(2, 500)
    assert state.needs_seed == "lot"


# Seats change


@pytest.mark.parametrize(
    ("when", "stakes", "bank"), [("coup", True, True), ("bank", False, True), ("round", False, False)]
)
def test_when_seats_are_taken_and_left(when, stakes, bank):
    """Before the first stake of a coup; before the second bank of a round."""
    state = provided(
        opened("russian-even", 4, occupied=[True, True, True, False], options={"seats_change": when})
    )
    assert state.may_change(3), "before the first bank seats may change always"
    act(state, "bank 500")
    assert state.may_change(3) == stakes
    assert not state.may_change(state.banker) or when != "coup", "a banker stays while his bank lasts"
    punter = state.punters()[0]
    act(state, "stake 5")
    assert not state.may_change(3), "a stake is taken"
    assert not state.may_change(punter)
    act(state, "stake 5", "stand", "stand")
    state.do(state.banker, "close")
    assert state.phase == "bank"
    assert state.may_change(3) == bank
    if not bank:
        with pytest.raises(IllegalAction) as caught:
            state.join(3, 100)
        assert "round" in caught.value.detail


def test_under_round_seats_change_when_everyone_has_been_banker_once():
    state = provided(opened("russian-even", 3))
    first = state.banker
    for number in range(3):
        assert state.may_change(first) == (number == 0)
        act(provided(state), "bank 500")
        state.do(state.banker, "close")
    assert state.banker == first
    assert state.may_change(first)


def test_one_who_leaves_later_is_marked_and_vacated_at_the_next_change():
    state = stack(act(provided(opened(occupied=[True] * 3, bank="house")), "bank 500"), "5H 5D 5C")
    act(state, "stake 5", "stake 5")
    state.leave(1)
    assert state.leaving == [False, True, False]
    assert state.phase == "play"
    assert state.view(0)["seats"][1]["leaving"]
    with pytest.raises(IllegalAction):
        state.join(1, 100)
    act(state, "stand", "stand")
    assert state.last["net"][1] == -1, "his coup was settled"
    assert state.occupied == [True, False, True]
    assert [event.seat for event in state.drain() if event.type == "left"] == [1]
    assert state.awaited() == (0,)
    state.join(1, 700)
    assert state.awaited() == (0, 1)
    assert state.purses[1] == 700


def test_one_who_leaves_while_stakes_are_open_no_longer_holds_the_coup_up():
    state = provided(opened("russian-multiple", 4, occupied=[True] * 4, bank="house"))
    stack(act(state, "bank 500"), "5S 5H 5D")
    state.do(0, "stake 10")
    state.do(1, "stake 10")
    state.leave(2)
    assert state.phase == "play", "all who stay are in"
    assert state.occupied[2], "between banks only"


def test_a_banker_leaves_when_his_bank_ends_and_it_ends_at_once_between_coups():
    state = stack(act(provided(opened("continental", 3)), "bank 500"), "5S 5H 5D")
    banker = state.banker
    state.drain()
    state.leave(banker)
    assert not state.occupied[banker]
    assert types(state) == ["bank_over", "left"]
    assert state.purses[banker] == 1000
    assert state.phase == "bank"
    assert state.banker == (banker + 1) % 3


def test_a_banker_who_leaves_in_mid_coup_settles_it_first():
    state = stack(act(provided(opened("continental", 3)), "bank 500"), "5S 5H 5D")
    act(state, "stake 10", "stake 10")
    banker = state.banker
    state.leave(banker)
    assert state.occupied[banker]
    act(state, "stand", "stand", "stand")
    told = [event for event in state.drain() if event.type in ("settled", "bank_over", "left")]
    assert [event.type for event in told] == ["settled", "bank_over", "left"]
    assert told[1].data["reason"] == "left"
    assert chips(state) == 3000


def test_the_house_never_leaves_and_its_seat_is_not_taken():
    state = opened(bank="house")
    assert not state.may_change(2)
    with pytest.raises(IllegalAction):
        state.leave(2)
    with pytest.raises(IllegalAction):
        state.join(2, 100)


@pytest.mark.parametrize(("seat", "why"), [(0, "taken"), (1, "empty")])
def test_a_taken_seat_is_not_joined_and_an_empty_one_not_left(seat, why):
    state = opened(occupied=[True, False, True])
    change = state.leave if why == "empty" else lambda number: state.join(number, 100)
    with pytest.raises(IllegalAction) as caught:
        change(seat)
    assert why in caught.value.detail
    assert caught.value.pointer == "/seat"


def test_a_table_that_all_but_one_have_left_waits_and_may_be_joined():
    state = provided(opened("russian-even", 3))
    act(state, "bank 500")
    banker = state.banker
    one, two = state.punters()
    state.leave(one)
    state.leave(two)
    assert state.waiting, "seats change between rounds, but nobody is left to play this one"
    assert state.occupied.count(True) == 1
    assert (state.awaited(), state.needs_seed) == ((), None)
    assert state.purses[banker] == 1000
    state.join(one, 1000)
    provided(state)
    assert state.phase == "bank"
    assert state.awaited()


def test_a_joiner_whose_hand_the_shoe_no_longer_holds_ends_the_bank():
    state = provided(opened("house", 4, occupied=[True, False, False, True], bank="house"))
    act(state, "bank 500")
    stack(state, "5S 5H")
    state.shoe.at = 104 - 5
    state.join(1, 500)
    assert state.phase == "bank", "2 x 2 + 2 cards would be needed, 5 are left"


def test_a_client_seed_goes_with_its_seat_before_the_shuffle_only():
    state = provided(opened(occupied=[True] * 3, bank="house"))
    state.do(0, "seed 01")
    state.do(1, "seed 02")
    act(state, "bank 500")
    state.leave(0)
    assert state.client_seeds == [None, b"\x02", None]


def test_a_client_seed_that_is_in_the_key_stays_when_its_seat_is_left():
    state = provided(opened(occupied=[True] * 3, bank="house"))
    state.do(0, "seed 01")
    act(state, "bank 500", "stake 5", "stake 5")
    while state.phase == "play":
        act(state, "stand")
    key = state.bank_seed()
    state.leave(0)
    state.do(2, "close")
    proof = state.ended_bank
    assert proof["client_seeds"] == [b"\x01", b"", b""]
    assert (
        chance.bank_seed(proof["server_seed"], proof["table"], proof["label"], proof["client_seeds"]) == key
    )


# Giving a table up


def test_stakes_of_a_coup_that_is_not_dealt_go_back():
    state = act(provided(opened(bank="house")), "bank 500", "stake 10")
    state.drain()
    state.drain_movements()
    state.abandon()
    assert types(state) == ["voided", "bank_over"]
    assert [(m.source, m.target, m.amount) for m in state.drain_movements()] == [
        ("escrow", ("wallet", 0), 30),
        ("escrow", "bank", 30),
        ("bank", ("wallet", 2), 500),
    ]
    assert state.purses == [1000] * 3
    assert (state.phase, state.reason, state.escrow) == ("over", "closed", [0, 0, 0])


def test_a_coup_that_is_dealt_is_not_given_up():
    state = stack(act(provided(opened(bank="house")), "bank 500"), "5S 5H 5D")
    act(state, "stake 10", "stake 10")
    before = state.to_json()
    with pytest.raises(IllegalAction):
        state.abandon()
    assert state.to_json() == before


# Seeds from outside


def test_nobody_is_awaited_until_the_seed_is_given():
    state = opened(bank="house")
    assert (state.actors(), state.awaited()) == ((), ())
    state.provide(b"server seed", "tbl", "bnk_1")
    assert state.commitment == chance.commitment(b"server seed")
    assert state.awaited() == (2,)
    with pytest.raises(IllegalAction):
        state.provide(b"again", "tbl", "bnk_1")


def test_a_declined_bank_keeps_its_seed_and_what_was_given_to_it():
    state = provided(opened("russian-even", 3))
    state.do(state.banker, "seed 0a")
    first, commitment = state.banker, state.commitment
    act(state, "pass")
    assert state.commitment == commitment
    assert state.client_seeds[first] == b"\n"
    assert state.needs_seed is None


def test_the_proof_of_a_bank_that_ended():
    state = stack(act(provided(opened(bank="house"), "bnk_9"), "bank 500"), "5S 5H 5D", key=b"k")
    act(state, "stake 10", "sit", "stand")
    orders = state.cards_order
    state.do(2, "close")
    proof = state.ended_bank
    assert proof["number"] == 1
    assert (proof["table"], proof["label"], proof["server_seed"]) == ("tbl", "bnk_9", b"server seed")
    assert proof["bank_seed"] == b"k"
    assert proof["orders"] == orders
    assert proof["client_seeds"] == [b"", b"", b""]


# What a game refuses


@pytest.mark.parametrize(
    ("options", "seats", "pointer"),
    [
        ({"max_punters": 3}, 5, "/seats"),
        ({}, 1, "/seats"),
        ({"banker_draw": {"tableau": ["S" * 11] * 10}}, 3, "/options/banker_draw"),
    ],
)
def test_rules_that_do_not_go_with_the_seats(options, seats, pointer):
    with pytest.raises(RulesError) as caught:
        find("house").game(options, seats)
    assert caught.value.pointer == pointer


def test_a_tableau_goes_with_one_punter_or_one_hand():
    tableau = {"banker_draw": {"tableau": ["S" * 11] * 10}}
    assert find("house").game(tableau, 2)
    assert find("house").game({**tableau, "shared_hand": True}, 9)


@pytest.mark.parametrize(
    ("setup", "pointer"),
    [
        ({"bank": "nobody"}, "/setup/bank"),
        ({"banks": -1}, "/setup/banks"),
        ({"x": 1}, "/setup/x"),
        ({"purse": True}, "/setup/purse"),
    ],
)
def test_a_setup_that_is_none(setup, pointer):
    with pytest.raises(RulesError) as caught:
        find("house").game().arranged(setup)
    assert caught.value.pointer == pointer


def test_purses_and_seats_must_fit():
    with pytest.raises(RulesError):
        find("house").game(None, 3).open([1, 2], [True, True])
    state = table()
    with pytest.raises(IllegalAction):
        state.set_purse(0, -1)


def test_who_takes_the_seat_of_one_that_sat_out_may_stake():
    state = provided(opened(bank="house", options={"seats_change": "coup"}))
    act(state, "bank 1000")
    state.do(1, "sit")
    state.leave(1)
    state.join(1, 500)
    assert state.awaited() == (0, 1), "the sitting out was his who left"
    assert any("stake" in item for item in state.legal_texts(1) if isinstance(item, dict))
