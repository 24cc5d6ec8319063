"""A banker's term: the bank, stakes and their cover, the chips of a coup, the end of a bank and of the shoe."""

import pytest
from tables import act, chips, near_the_end, stack, table

from casino import chance
from casino.cards import faces, names, pack
from casino.catalogue import find
from casino.errors import GameOver, IllegalAction, NotYourTurn


def house(purses=(1000, 5000), options=None, *, name="house", seats=2, banks=None):
    """A table whose last seat is always the banker, its seeds given from outside, a bank of 500 put up."""
    game = find(name).game(options, seats).arranged({"bank": "house", "banks": banks})
    state = game.open(list(purses), [True] * seats)
    state.provide(b"server seed", "tbl_1", "bnk_1")
    state.do(seats - 1, "bank 500")
    return state


def moves(state):
    return [(move.source, move.target, move.amount) for move in state.drain_movements()]


WALLET, BANKER = ("wallet", 0), ("wallet", 1)


# «Money of a coup» (table.md): stake 10, worst loss x3, worst payout x3


@pytest.mark.parametrize(
    ("cards", "transfers"),
    [
        ("9 4 A", [("escrow", WALLET, 60)]),  # wins 3
        ("7 8", [("escrow", WALLET, 20), ("escrow", "bank", 40)]),  # loses 1
        ("9 9", [("escrow", "bank", 60)]),  # loses 3 on a tie
        ("8 7", [("escrow", WALLET, 50), ("escrow", "bank", 10)]),  # wins 2
    ],
)
def test_the_transfers_of_a_coup(cards, transfers):
    state = stack(house(), cards)
    assert moves(state) == [(BANKER, "bank", 500)]
    act(state, "stake 10")
    assert moves(state) == [(WALLET, "escrow", 30), ("bank", "escrow", 30)]
    assert state.escrow == [60, 0]
    assert (state.purses[0], state.bank) == (970, 470)
    act(state, "stand")
    assert moves(state) == transfers
    assert state.escrow == [0, 0]


def test_a_push_gives_both_holds_back():
    state = act(stack(house(name="continental"), "9 9"), "stake 10")
    assert moves(state)[-2:] == [("escrow", WALLET, 30), ("escrow", "bank", 30)]


def test_what_is_left_of_a_bank_goes_to_the_banker():
    state = stack(house(), "9 4 A")
    act(state, "stake 10", "stand")
    state.drain_movements()
    state.do(1, "close")
    assert moves(state) == [("bank", BANKER, 470)]
    assert state.bank == 0
    assert chips(state) == 6000


def test_telling_1_holds_each_stake_once():
    state = act(table("russian-even"), "bank 200", "stake 20")
    assert [move.amount for move in state.drain_movements()] == [200, 20, 20]


# What may be staked, put up and added


def test_a_stake_is_cut_to_what_the_wallet_covers():
    state = house(purses=(100, 5000))
    assert state.legal_texts(0)[-1] == {"stake": {"min": 5, "max": 30, "step": 5}}, "100 covers 3 x 33"
    state.set_purse(0, 14)
    assert state.legal_texts(0) == [{"seed": {"max_bytes": 32}}, "sit"], "15 would be needed"
    with pytest.raises(IllegalAction) as caught:
        state.do(0, "stake 5")
    assert caught.value.legal == state.legal_texts(0)


def test_a_stake_is_cut_to_what_the_bank_covers_after_the_stakes_before_it():
    state = house(purses=(9000, 9000, 9000), seats=3)
    assert state.legal_texts(0)[-1] == {"stake": {"min": 5, "max": 165, "step": 5}}, "500 / 3"
    state.do(0, "stake 150")
    assert state.bank == 50
    assert state.legal_texts(1)[-1] == {"stake": {"min": 5, "max": 15, "step": 5}}
    state.set_purse(1, 30)
    assert state.legal_texts(1)[-1] == {"stake": {"min": 5, "max": 10, "step": 5}}


@pytest.mark.parametrize(
    "text", ["stake 0", "stake 4", "stake 7", "stake 505", "stake 1000000", "top 10", "close", "draw", "pass"]
)
def test_an_action_that_is_not_legal_changes_nothing(text):
    state = house()
    before = state.to_json()
    with pytest.raises(ValueError):
        state.do(0, text)
    assert state.to_json() == before


def test_a_bank_is_put_up_within_its_limits_and_covers_the_smallest_stake():
    state = table("house", setup={"purse": 700})
    assert state.legal_texts(state.banker)[0] == {"bank": {"min": 100, "max": 700, "step": 1}}
    options = {"stake_limits": {"min": 50, "max": 500, "step": 50}}
    state = table("house", options=options)
    assert state.legal_texts(state.banker)[0] == {"bank": {"min": 150, "max": 10_000, "step": 1}}
    state = table("house", setup={"purse": 99})
    assert state.legal_texts(state.banker) == ["pass", {"seed": {"max_bytes": 32}}], "he cannot: he passes"


def test_a_banker_may_add_to_his_bank_and_close_it_between_coups_only():
    state = act(table("house", 3), "bank 500")
    banker = state.banker
    assert [next(iter(item)) if isinstance(item, dict) else item for item in state.legal_texts(banker)] == [
        "close",
        "seed",
        "top",
    ]
    state.do(banker, "top 100")
    assert (state.bank, state.purses[banker]) == (600, 9400)
    act(state, "stake 5")
    assert state.legal_texts(banker) == [{"top": {"min": 1, "max": 9400, "step": 1}}], "a stake is taken"
    with pytest.raises(IllegalAction):
        state.do(banker, "close")


def test_the_bank_with_its_topping_keeps_its_limit():
    options = {"bank_limits": {"min": 100, "max": 600}}
    state = act(table("house", 3, options=options), "bank 500", "stake 20")
    assert state.legal_texts(state.banker) == [{"top": {"min": 1, "max": 100, "step": 1}}]
    options["bank_topup"] = False
    state = act(table("house", 3, options=options), "bank 500", "stake 20")
    assert state.legal_texts(state.banker) == []


# Stakes and deals


def test_a_coup_is_dealt_when_everyone_has_staked_or_sat_out():
    state = act(table("house", 4), "bank 500")
    stack(state, "5S 5H 5D")
    first, second, third = state.punters()
    state.do(second, "stake 5")
    state.do(third, "sit")
    assert (state.phase, state.awaited()) == ("stakes", (first,))
    state.do(first, "stake 5")
    assert (state.phase, state.awaited()) == ("play", (first,))
    assert [hand.seat for hand in state.coup.hands] == [first, second, state.banker]


def test_if_all_sit_out_stakes_open_again_and_no_coup_is_counted():
    state = act(table("house", 3), "bank 500", "sit", "sit")
    assert (state.phase, state.coups) == ("stakes", 0)
    assert state.awaited() == tuple(sorted(state.punters()))
    assert state.shoe is None, "nothing was shuffled yet"


def test_coups_and_banks_are_numbered_from_one_through_the_table():
    state = table("russian-even")
    act(state, "bank 500")
    assert (state.view(None)["bank_number"], state.view(None)["coup"]) == (1, 1)
    act(state, "stake 5", "stand", "stake 5", "stand")
    state.do(state.banker, "close")
    act(state, "bank 500", "stake 5", "stand")
    assert state.last["coup"] == 3
    assert state.last["bank_number"] == 2


def test_seeds_are_given_once_each_until_the_first_stake():
    state = table("house", 3)
    banker = state.banker
    first, second = (seat for seat in range(3) if seat != banker)
    state.do(first, "seed 00FF")
    with pytest.raises(NotYourTurn):
        state.do(first, "seed 01")
    act(state, "bank 500")
    state.do(banker, "seed aa")
    state.do(first, "stake 5")
    with pytest.raises(IllegalAction):
        state.do(second, "seed 02")
    seeds = [b"", b"", b""]
    seeds[first], seeds[banker] = b"\x00\xff", b"\xaa"
    key = chance.bank_seed(chance.derive(b"a table for tests", "bank", 1), "", "1", seeds)
    assert state.bank_seed() == key
    assert state.cards_order == [chance.shuffled(pack(2), key, 0)]


def test_the_next_bank_takes_new_seeds():
    state = act(table("house"), "bank 500")
    state.do(state.banker, "seed 01")
    first = state.commitment
    state.do(state.banker, "close")
    assert state.commitment != first
    assert state.client_seeds == [None, None]
    assert state.shoe is None


# How a bank ends


def test_a_bank_that_cannot_cover_the_smallest_stake_is_over():
    state = stack(house(), "9 2 A")
    act(state, "stake 165", "stand")
    events = {event.type: event.data for event in state.drain()}
    assert events["bank_over"]["reason"] == "broke"
    assert events["bank_over"]["left"] == 5
    assert state.phase == "bank"


def test_a_bank_is_over_when_no_punter_can_cover_the_smallest_stake():
    state = stack(house(purses=(15, 5000)), "9 9")
    act(state, "stake 5", "stand")
    events = {event.type: event.data for event in state.drain()}
    assert events["bank_over"]["reason"] == "no_punter"
    assert state.waiting, "and the house's next bank waits for chips"
    assert state.awaited() == ()
    assert state.actors() == ()
    assert state.needs_seed is None
    state.set_purse(0, 100)
    assert state.needs_seed == "bank"


def test_a_finite_game_is_over_when_no_punter_is_left():
    state = stack(house(purses=(15, 5000), banks=3), "9 9")
    act(state, "stake 5", "stand")
    assert state.phase == "over"
    assert state.result().reason == "no_punter"
    with pytest.raises(GameOver):
        state.do(1, "bank 100")


def test_the_bank_passes_to_the_left_until_everyone_has_been_banker_once():
    state = table("house", 4)
    bankers = []
    while state.phase != "over":
        bankers.append(state.banker)
        act(state, "bank 500")
        state.do(state.banker, "close")
    first = bankers[0]
    assert bankers == [(first + step) % 4 for step in range(4)]
    assert state.result().reason == "banks"
    assert state.result().scores == (0, 0, 0, 0)


def test_a_bank_declined_all_round_ends_the_game():
    state = act(table("house", 3), "pass", "bank 500")
    state.do(state.banker, "close")
    act(state, "pass", "pass")
    assert state.phase == "bank", "the last banker has not declined since"
    act(state, "pass")
    assert state.result().reason == "declined"


def test_a_bank_that_is_put_up_begins_the_count_of_declines_anew():
    state = act(table("house", 3, setup={"banks": 9}), "pass")
    for _ in range(3):
        act(state, "bank 500")
        state.do(state.banker, "close")
    act(state, "pass", "pass")
    assert state.phase == "bank", "the one who passed at first has been banker since"
    act(state, "pass")
    assert state.result().reason == "declined"


def test_a_commitment_to_a_bank_that_never_came_is_not_shown_for_ever():
    state = table("house")
    assert state.view(None)["commitment"] == chance.commitment(state.server_seed)
    act(state, "pass", "pass")
    assert state.phase == "over"
    assert state.view(None)["commitment"] is None


def test_the_house_does_not_decline_its_bank():
    state = table("house", setup={"bank": "house"})
    assert state.legal_texts(1) == [
        {"bank": {"min": 100, "max": 10_000, "step": 1}},
        {"seed": {"max_bytes": 32}},
    ]


def test_a_house_without_chips_ends_a_finite_game():
    assert table("house", setup={"bank": "house", "purse": 60}).result().reason == "broke"


def test_a_seat_that_nobody_could_play_against_is_passed_over():
    game = find("house").game(None, 2).arranged({"banks": 5})
    state = game.start(b"seed")
    rich = state.banker
    state.set_purse(1 - rich, 10)
    act(state, "pass")
    assert state.banker == 1 - rich, "he has too little, but the other could stake against him"
    assert state.legal_texts(state.banker)[0] == "pass"
    act(state, "pass")
    assert state.result().reason == "declined", "nobody could stake against the rich one"


# The end of the shoe


@pytest.mark.parametrize(
    ("name", "seats", "coups"),
    [
        # Two packs; each coup takes one card a hand (everybody stands), and a coup may start while 2n + 1 (never a
        # banker's draw) or 2n + 2 are left.
        ("russian-even", 2, 51),  # 104 - 2 x 51 = 2 < 3
        ("russian-even", 5, 20),  # 104 - 5 x 20 = 4 < 9 <= 104 - 5 x 19
        ("russian-even", 10, 9),  # 104 - 90 = 14 < 19 <= 24
        ("russian-even-active", 2, 51),  # 2 < 4 <= 4
        ("russian-even-active", 5, 19),  # 104 - 95 = 9 < 10 <= 14
    ],
)
def test_the_reserve_decides_how_many_coups_a_bank_has(name, seats, coups):
    state = act(table(name, seats), "bank 10000")
    while state.bank_number == 1 and state.phase in ("stakes", "play"):
        act(state, "stake 5" if state.phase == "stakes" else "stand")
    over = [event.data for event in state.drain() if event.type == "bank_over"]
    assert over[0]["reason"] == "shoe"
    assert state.coups == coups


def short(exhaustion, cards, name="russian-multiple", **options):
    """One punter against the banker of seat 1, a bank put up, and just these cards left in the shoe."""
    options = {"exhaustion": exhaustion, **options}
    return near_the_end(act(table(name, options=options, setup={"bank": "house"}), "bank 5000"), cards)


def reasons(state):
    return [event.data["reason"] for event in state.drain() if event.type == "bank_over"]


def test_the_reserve_is_checked_before_stakes_open():
    for exhaustion, cards, reason in (
        ("reserve", "5 4 3 5 4", []),  # 3 left: enough for a hand that draws, and the banker's
        ("reserve", "5 4 3 5", ["shoe"]),
        ("stand", "5 4 3 5", []),  # 2 left: enough for the first cards
        ("stand", "5 4 3", ["shoe"]),
        ("reshuffle", "5 4 3 5", []),
        ("reshuffle", "5 4 3", ["shoe"]),
    ):
        state = act(short(exhaustion, cards), "stake 10", "stand")
        assert reasons(state) == reason
        assert (state.phase == "stakes") == (not reason)


@pytest.mark.parametrize(("left", "reason"), [(4, []), (3, ["shoe"])])
def test_a_shared_game_needs_first_cards_for_two_hands_only(left, reason):
    game = find("punto-banco").game({"exhaustion": "stand"}, 5).arranged({"bank": "house"})
    state = act(game.start(b"seed"), "bank 10000")
    near_the_end(state, "3 2 4 7" + " 2" * left)  # 3 + 4 and 2 + 7: nobody draws
    act(state, "stake 5", "stake 5", "stake 5", "stake 5")
    assert reasons(state) == reason


def test_the_highest_stake_plays_the_shared_hand_then_the_nearest_to_the_bankers_left():
    game = find("chemin-de-fer").game(None, 5).arranged({"bank": "house"})
    for stakes, player in (((5, 20, 10, 20), 1), ((5, 5, 5, 5), 0), ((5, 10, 15, 20), 3)):
        state = act(game.start(b"seed"), "bank 10000")
        act(stack(state, "2 2 3 3"), *[f"stake {stake}" for stake in stakes])
        assert state.awaited() == (player,)


def test_with_an_empty_shoe_draw_and_discard_are_illegal_under_stand():
    state = act(short("stand", "K 4 Q"), "stake 10")
    assert state.legal_texts(0) == ["discard", "draw", "stand"]
    act(state, "discard")
    assert state.last["hands"] == ["(KS) QS", "4S"], "Q came; with the shoe empty he could only stand"
    assert reasons(state) == ["shoe"]


def test_who_must_draw_from_an_empty_shoe_stands_under_stand():
    state = act(short("stand", "5 4", punter_draw=["draw"] * 10, banker_draw={"upto": 9}), "stake 10")
    assert state.last["hands"] == ["5S", "4S"]


def test_a_rote_banker_keeps_a_zero_under_stand_when_the_shoe_is_empty():
    state = act(short("stand", "5 K", name="house"), "stake 10")
    assert state.last["hands"] == ["5S", "KS"]


def test_under_reshuffle_earlier_cards_are_shuffled_in_and_the_bank_ends_after_the_coup():
    state = short("reshuffle", "5 4")
    aside = sorted(state.shoe.order[: state.shoe.at])
    act(state, "stake 10", "draw")
    order = chance.shuffled(aside, b"key of a stacked shoe", 1)  # the two cards held are not among them
    while order[0] // 4 in (8, 9, 10, 11) and state.phase == "play":
        act(state, "stand")
    assert state.last["hands"][0] == f"5S {names(order[:1])}"
    assert state.drain_shuffles()[-1] == order
    told = {event.type: event.data for event in state.drain()}
    assert told["shuffled"] == {"coup": 1, "number": 1, "cards": 102}
    assert told["bank_over"]["reason"] == "reshuffled"


def test_under_reserve_discards_that_empty_the_shoe_do_as_reshuffle():
    """The third card serves one discard; the second one finds the shoe empty."""
    state = act(short("reserve", "K 9 Q"), "stake 10", "discard")
    assert state.shoe.left == 0
    assert state.legal_texts(0) == ["discard", "draw", "stand"]
    king_and_others = sorted([*state.shoe.order[: state.shoe.at - 3], *faces("KS")])
    act(state, "discard")
    if state.phase == "play":
        act(state, "stand")
    order = chance.shuffled(sorted([*king_and_others, *faces("QS")]), b"key of a stacked shoe", 1)
    assert state.drain_shuffles()[-1] == order, "what lay aside and both zeros of this coup, the 9 held not"
    assert state.last["hands"][0].startswith(f"(KS) (QS) {names(order[:1])}")
    assert reasons(state) == ["reshuffled"]


def test_cards_are_shuffled_in_more_than_once_in_one_coup_if_need_be():
    """One pack, nine punters with zeros: nothing is lost, whatever is thrown."""
    game = find("russian-multiple-active").game({"decks": 1, "exhaustion": "reshuffle"}, 10)
    state = act(game.start(b"s"), "bank 10000", *["stake 10"] * 9)
    while state.phase == "play":
        legal = state.legal_texts(state.awaited()[0])
        act(state, legal[0])
        held = state.coup.kept() if state.coup else []
        shoe = state.shoe
        if shoe is not None:
            assert sorted([*shoe.order[shoe.at :], *shoe.aside(held), *held]) == pack(1)
    assert state.coups == 1
