"""Matches: dealers, running scores, targets, ends, Пекло's cycle, banking's circle, keys, storage, replay."""

import hashlib
import hmac
from random import Random

import pytest

from casino.catalogue import find
from casino.chance import bank_seed, draw
from casino.deal_game import deal_of
from casino.errors import GameOver, NotYourTurn, PositionError, RulesError
from casino.game import Event, Game, Result, State, replay
from casino.match import DealKeys, Match, MatchRules, match_of
from casino.options import schema_of
from casino.record import Record, Recorder

SEED = bytes(range(32))


class Scripted(Game):
    """Each deal is one `go` by the seat to the dealer's left; what it scores stands in a list by deal number."""

    family = "scripted"
    name = "scripted"

    def __init__(self, *scores, best=max):
        self.scores = scores
        self.best = best
        self.seats = len(scores[0])

    options = property(lambda self: {})
    rules_hash = property(lambda self: "0")

    def start(self, seed, /):
        return self.deal(seed, 0, 0)

    def deal(self, seed, number, dealer):
        return ScriptedState(self, seed, number, dealer)

    def position(self, data, /):
        return self.from_json({"number": 0, "dealer": data["dealer"], "done": False, "seed": ""})

    def from_json(self, data, /):
        state = self.deal(bytes.fromhex(data["seed"]), data["number"], data["dealer"])
        state.done = data["done"]
        return state

    def text(self, action):
        return action

    def parse(self, text):
        return text

    def world(self, view, rng):
        return self.from_json({**view, "seed": ""})


class ScriptedState(State):
    def __init__(self, game, seed, number, dealer):
        self._game, self.seed, self.number, self.dealer, self.done = game, seed, number, dealer, False
        self.events = [Event("dealt", None, {"dealer": dealer})]

    game = property(lambda self: self._game)

    def actors(self):
        return () if self.done else ((self.dealer + 1) % self._game.seats,)

    awaited = actors

    def legal(self, seat):
        return ["go"] if seat in self.actors() else []

    def apply(self, seat, action):
        if seat not in self.actors():
            raise NotYourTurn("not now")
        self.done = True
        self.events.append(Event("scored", None, {}))

    def view(self, seat):
        return {"number": self.number, "dealer": self.dealer, "done": self.done}

    def result(self):
        if not self.done:
            return None
        scores = self._game.scores[self.number % len(self._game.scores)]
        best = self._game.best(scores)
        return Result(
            tuple(scores), tuple(s for s, points in enumerate(scores) if points == best), "points", "done"
        )

    def copy(self):
        return self._game.from_json(self.to_json())

    def to_json(self):
        return {"number": self.number, "dealer": self.dealer, "done": self.done, "seed": self.seed.hex()}

    def drain(self):
        events, self.events = self.events, []
        return events


def finish(state, limit=10_000):
    """Everyone awaited does his first legal action; the dealers, deal by deal."""
    dealers = [state.dealer]
    for _ in range(limit):
        if not state.awaited():
            return dealers
        seat = state.awaited()[0]
        deal = state.number
        state.do(seat, state.legal_texts(seat)[0])
        if state.number != deal:
            dealers.append(state.dealer)
    raise AssertionError("no end")


def played(game, **rules):
    state = match_of(game, rules).start(SEED)
    return state, finish(state)


def test_the_dealer_passes_on_to_the_left():
    """First dealer by lot, then in turn to the left."""
    _, dealers = played(Scripted((1, 2, 3)), deals=7)
    first = dealers[0]
    assert dealers == [(first + step) % 3 for step in range(7)]


def test_the_first_dealer_is_drawn_from_a_key_of_his_own():
    """Over many seeds every seat is first dealer about equally often: 900 lots, 300 each, sd 14."""
    match = match_of(Scripted((1, 2, 3)), {"deals": 1})
    lots = [match.start(number.to_bytes(32, "big")).dealer for number in range(900)]
    assert all(abs(lots.count(seat) - 300) < 5 * 14.2 for seat in range(3))
    assert lots[7] == draw(3, bank_seed((7).to_bytes(32, "big"), "", "lot", []), 0)


def test_where_the_data_says_so_the_winner_deals_next():
    game = Scripted((0, 1, 0), (5, 1, 5), (0, 0, 2))
    _, dealers = played(game, dealer="winner", deals=4)
    assert dealers[1:] == [1, 0, 2], "of several winners the lowest seat"


def test_scores_run_and_the_first_to_the_target_loses():
    """500: after two deals 240, 380, 90; the third takes seat 1 to 505. Seat 2 has the fewest and wins."""
    game = Scripted((100, 180, 90), (140, 200, 0), (0, 125, 60), best=min)
    state, _ = played(game, best="fewest", target=500)
    assert state.result() == Result((240, 505, 150), (2,), "points", "target")
    assert [row["scores"] for row in state.view(None)["match"]["deals"]] == [
        [100, 180, 90],
        [140, 200, 0],
        [0, 125, 60],
    ]
    assert state.won == [1, 0, 2]


@pytest.mark.parametrize(("target", "deals"), [(200, 2), (500, 5), (1000, 10), (100, 1), (101, 2)])
def test_the_target_ends_the_match_once_it_is_reached(target, deals):
    """100 points a deal for the loser: 200 are reached with the second deal, 101 too."""
    state, _ = played(Scripted((0, 100), best=min), best="fewest", target=target)
    assert (len(state.history), state.reason, state.result().winners) == (deals, "target", (0,))


def test_the_first_to_the_target_wins_where_most_is_best():
    state, _ = played(Scripted((10, 11), (30, 0)), target=30)
    assert state.result() == Result((40, 11), (0,), "points", "target")


def test_several_over_the_target_and_equals_share():
    state, _ = played(Scripted((500, 600, 20, 20), best=min), best="fewest", target=500)
    assert state.result().winners == (2, 3)


def test_agreed_wins_count_deals_and_not_points():
    """Three wins: seats 0, 1, 0, 1, 1 win, so seat 1 has them after the fifth deal."""
    game = Scripted((9, 1), (0, 1), (5, 0), (0, 50), (3, 4))
    state, _ = played(game, count="wins", target=3)
    assert state.result() == Result((2, 3), (1,), "wins", "target")


def test_doubled_points_of_a_deal_go_into_the_totals():
    """A deal that doubles (a seven in the Romanian game on points) tells doubled scores; the match adds those."""
    state, _ = played(Scripted((0, 37, 58), (0, 2 * 37, 2 * 58), best=min), best="fewest", deals=2)
    assert state.totals == [0, 111, 174]


def test_a_number_of_deals_ends_a_match_that_has_not_reached_its_target():
    state, _ = played(Scripted((1, 2)), target=1000, deals=4)
    assert (state.totals, state.reason) == ([4, 8], "deals")


def test_a_target_alone_lifts_the_games_own_number_of_deals():
    """A scripted game is one deal, Пекло one cycle: to a target both go on, but not for ever."""
    assert match_of(Scripted((1, 2))).rules.deals == 1
    assert match_of(find("peklo").game({}, 4)).rules.deals == 13
    assert match_of(find("peklo").game({}, 4), {"target": 500}).rules.deals == 1000
    state, _ = played(Scripted((0, 0)), target=5)
    assert (len(state.history), state.reason) == (1000, "deals")


def test_nobody_acts_after_the_end():
    state, _ = played(Scripted((1, 2)), deals=1)
    assert (state.actors(), state.awaited(), state.legal(0)) == ((), (), [])
    with pytest.raises(GameOver, match="after 1 deals"):
        state.do(0, "go")


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"deals": None}, "/match/deals"),
        ({"count": "wins", "best": "fewest"}, "/match/best"),
        ({"target": 0}, "/match/target"),
        ({"target": True}, "/match/target"),
        ({"deals": 0}, "/match/deals"),
        ({"dealer": "right"}, "/match/dealer"),
        ({"goal": 500}, "/match/goal"),
    ],
)
def test_senseless_matches_are_refused_by_place(changes, pointer):
    with pytest.raises(RulesError) as refusal:
        match_of(Scripted((1, 2)), changes)
    assert refusal.value.pointer == pointer


def test_match_rules_are_data():
    rules = MatchRules(target=500, best="fewest")
    assert MatchRules(**rules.to_json()) == rules
    schema = schema_of(MatchRules, rules.to_json())
    assert set(schema["properties"]) == {"count", "best", "target", "deals", "dealer"}
    assert all(row["x-source"] and row["description"] for row in schema["properties"].values())


def test_peklo_plays_one_rising_cycle_and_the_last_deal_has_no_trump():
    state = match_of(find("peklo").game({}, 5)).start(SEED)
    sizes, trumps = [], []
    while state.actors():
        if state.deal.view(None)["phase"] == "bids" and len(sizes) == state.number:
            view = state.view(None)
            sizes.append(view["k"])
            trumps.append(view["trump"] is not None)
        (seat,) = state.actors()
        state.apply(seat, state.legal(seat)[0])
    assert sizes == list(range(1, 11))
    assert trumps == [True] * 9 + [False]
    assert state.totals == [sum(row["scores"][seat] for row in state.history) for seat in range(5)]
    assert state.result().winners == tuple(s for s in range(5) if state.totals[s] == max(state.totals))


def test_peklo_goes_round_again_if_more_deals_are_agreed():
    state = match_of(find("peklo").game({"max_hand": 2}, 3), {"deals": 4}).start(SEED)
    finish(state)
    assert [row["dealer"] for row in state.history] == [
        (state.history[0]["dealer"] + step) % 3 for step in range(4)
    ]


def test_in_bankings_circle_everyone_is_banker_once():
    """«пока все игроки не сдадут, т.е. не будут банкометами по одному разу»."""
    match = match_of(find("russian-even").game({}, 3))
    assert not match.has_dealer
    state = match.start(SEED)
    rng, bankers = Random(1), []
    for _ in range(3000):
        if not state.awaited():
            break
        seat = state.awaited()[0]
        state.do(seat, banking_choice(rng, state.legal_texts(seat)))
        bankers += [event.seat for event in state.drain() if event.type == "bank"]
    assert sorted(bankers) == [0, 1, 2]
    outcome = state.result()
    assert (outcome.unit, sum(outcome.scores), state.number) == ("chips", 0, 0)


def banking_choice(rng, legal):
    for text in legal:
        for verb in ("bank", "stake"):
            if isinstance(text, dict) and verb in text:
                return f"{verb} {text[verb]['min']}"
    return rng.choice(
        [text for text in legal if isinstance(text, str) and text not in ("pass", "close", "sit")]
    )


def test_each_deal_takes_the_banks_place_in_the_key():
    """table.md, «Chance»: HMAC-SHA256(server seed, version ‖ table ‖ deal ‖ client seeds), each with its length."""
    parts = [b"macao-1", b"tbl_7", b"deal 2", b"\x01\x02", b""]
    message = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    seed = hmac.new(SEED, message, hashlib.sha256).digest()
    state = match_of(Scripted((1, 2)), {"deals": 2}).start(SEED, "tbl_7", [b"\x01\x02", b""])
    state.do(state.actors()[0], "go")
    assert (state.number, state.deal.seed) == (1, seed)


def test_the_same_seed_gives_another_match_at_another_table_or_with_other_client_seeds():
    match = match_of(find("peklo").game())
    hands = [
        match.start(SEED, *more).deal.report()["hands"]
        for more in ((), ("a",), ("a", [b"x"]), ("a", [b"", b"x"]))
    ]
    assert len({str(hand) for hand in hands}) == 4


def random_match(seed):
    rng = Random(seed)
    match = match_of(find("peklo").game({"max_hand": 4}, 3))
    state = match.start(rng.randbytes(32), "t", [b"abc"])
    while state.actors():
        yield match, state, rng
        (seat,) = state.actors()
        state.apply(seat, rng.choice(state.legal(seat)))
    yield match, state, rng


def test_a_stored_match_comes_back_and_goes_on_alike():
    for match, state, rng in random_match(5):
        state.drain()
        back = match.from_json(state.to_json())
        assert back.to_json() == state.to_json()
        assert [back.view(seat) for seat in (None, 0, 1, 2)] == [state.view(seat) for seat in (None, 0, 1, 2)]
        assert back.result() == state.result()
        for seat in state.actors():
            action = rng.choice(state.legal(seat))
            twin = state.copy()
            twin.apply(seat, action)
            back.apply(seat, action)
            assert back.to_json() == twin.to_json()
            assert twin.to_json() != state.to_json()


def test_a_match_is_a_game_and_replays():
    log = []
    match = match_of(find("peklo").game({"max_hand": 3}, 4))
    state, rng = match.start(SEED), Random(6)
    while state.actors():
        (seat,) = state.actors()
        text = rng.choice(state.legal_texts(seat))
        state.do(seat, text)
        log.append((seat, text))
    again = replay(match, SEED, log)
    assert (again.to_json(), again.drain()) == (state.to_json(), state.drain())
    assert match == match_of(find("peklo").game({"max_hand": 3}, 4))
    assert hash(match) == hash(Match(find("peklo").game({"max_hand": 3}, 4), match.rules))
    assert match != match_of(find("peklo").game({"max_hand": 3}, 4), {"deals": 2})
    assert match.rules_hash != match.game.rules_hash


def test_events_carry_the_deal_and_scores_the_totals():
    state, _ = played(Scripted((1, 2), (3, 0)), deals=2)
    assert [(event.type, event.data.get("deal"), event.data.get("totals")) for event in state.drain()] == [
        ("dealt", 1, None),
        ("scored", 1, [1, 2]),
        ("dealt", 2, None),
        ("scored", 2, [4, 2]),
    ]


def test_worlds_of_a_match_look_the_same_and_deal_otherwise_later():
    for match, state, rng in random_match(7):
        for seat in (None, 0, 2):
            view = state.view(seat)
            world = match.world(view, rng)
            assert world.view(seat) == view
            assert world.keys != state.keys


def test_keys_are_in_no_view():
    for _, state, _ in random_match(8):
        for seat in (None, 0, 1, 2):
            assert state.keys.server_seed.hex() not in str(state.view(seat))


POSITION = {
    "game": "peklo",
    "seats": 3,
    "options": {"max_hand": 3},
    "dealer": 1,
    "hands": [["AH"], ["KH"], ["2H"]],
    "bids": [0, 0, 1],
    "to_move": 2,
    "totals": [30, 5, 20],
}


def test_a_position_goes_on_from_its_totals():
    """Seat 0 takes the trick it had not bid: 0 points, seat 1 10, seat 2 0. Then seat 2 deals the next deal."""
    match = match_of(find("peklo").game({"max_hand": 3}, 3))
    state = match.position({**POSITION, "match": {"deal": 2, "won": [1, 0, 0]}})
    for seat, text in ((2, "play 2H"), (0, "play AH"), (1, "play KH")):
        state.do(seat, text)
    assert (state.totals, state.won, state.number, state.dealer) == ([30, 15, 20], [1, 1, 0], 2, 2)
    assert state.view(None)["k"] == 3


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"totals": [1, 2]}, "/totals"),
        ({"match": {"won": [1]}}, "/match/won"),
        ({"match": {"deal": 0}}, "/match/deal"),
        ({"match": {"round": 1}}, "/match/round"),
        ({"match": 3}, "/match"),
        ({"hands": [["AH"], ["AH"], ["2H"]]}, "/hands/1/0"),
    ],
)
def test_match_positions_that_cannot_be(changes, pointer):
    with pytest.raises(PositionError) as refusal:
        match_of(find("peklo").game({"max_hand": 3}, 3)).position({**POSITION, **changes})
    assert refusal.value.pointer == pointer


def test_keys_round_trip():
    keys = DealKeys(SEED, "tbl_1", (b"", b"\xff"))
    assert DealKeys.from_json(keys.to_json()) == keys


def play_when_you_can(state, limit=60_000):
    """Everyone awaited lays the first card he may; the dealers, deal by deal."""
    dealers = [state.dealer]
    for _ in range(limit):
        if not state.awaited():
            return dealers
        seat = state.awaited()[0]
        legal = state.legal_texts(seat)
        deal = state.number
        laid = [text for text in legal if text.split()[0] not in ("draw", "pass", "macao", "catch")]
        state.do(seat, (laid or legal)[0])
        if state.number != deal:
            dealers.append(state.dealer)
    raise AssertionError("no end")


@pytest.mark.parametrize(
    ("name", "changes", "target"),
    [
        ("russian-104", {"target": 200}, 200),
        ("russian-104", {}, 500),
        ("russian-104", {"target": 1000}, 1000),
        ("tel-aviv", {}, 500),
        ("romanian-points", {}, 500),
    ],
)
def test_on_points_the_first_to_the_target_loses(name, changes, target):
    """S3, S8, S10: points are bad; the one who first reaches the target has lost, the fewest win."""
    state = match_of(find(name).game({}, 3), changes).start(SEED)
    dealers = play_when_you_can(state)
    assert state.reason == "target"
    assert max(state.totals) >= target
    before = [total - last for total, last in zip(state.totals, state.history[-1]["scores"], strict=True)]
    assert max(before) < target, "it ends with the first deal that reaches it"
    assert state.totals == [sum(row["scores"][seat] for row in state.history) for seat in range(3)]
    assert state.result().winners == tuple(s for s in range(3) if state.totals[s] == min(state.totals))
    assert dealers == [(dealers[0] + step) % 3 for step in range(len(state.history))]
    assert sum(state.won) >= len(state.history), "deals won stand beside the points"


def test_in_the_championship_agreed_wins_end_it_and_the_winner_deals():
    """S4 championship: the first out wins the deal and deals next; three wins* are agreed."""
    state = match_of(find("plawno").game({"championship": True}, 3)).start(SEED)
    dealers = play_when_you_can(state)
    assert (state.reason, max(state.totals), state.totals) == ("target", 3, state.won)
    assert dealers[1:] == [row["winners"][0] for row in state.history[:-1]]


def test_games_without_points_are_one_deal_unless_wins_are_agreed():
    for name in ("hungarian", "romanian", "plawno"):
        match = match_of(find(name).game({}, 3), {"target": 2})
        assert match_of(find(name).game({}, 3)).rules.deals == 1
        state = match.start(SEED)
        play_when_you_can(state)
        assert (state.result().unit, max(state.totals)) == ("wins", 2)


def test_points_doubled_by_a_seven_are_added_to_the_totals():
    """S8, going out with a 7: T 10 and J 2 make 24; A 1, Q 3 and 7 25 make 58. On top of 100, 200 and 300."""
    position = {
        "game": "romanian-points",
        "seats": 3,
        "dealer": 2,
        "to_move": 0,
        "hands": [["7S"], ["TC", "JS"], ["AH", "QD", "7D"]],
        "stock": ["KD", "JD"],
        "pile": ["8S"],
        "totals": [100, 200, 300],
    }
    state = match_of(find("romanian-points").game({}, 3)).position(position)
    state.do(0, "play 7S")
    assert (state.totals, state.number, state.dealer) == ([100, 224, 358], 1, 0)


def closing(game, hands, totals, **more):
    """The last play of a deal: seat 0 lays its 7S on the 8S, seat 2 dealt."""
    position = {"game": game, "seats": 3, "dealer": 2, "to_move": 0, "direction": 1, "pile": ["8S"]}
    return {**position, "hands": [["7S"], *hands], "stock": ["6D", "6H", "6C"], "totals": totals, **more}


def test_tel_aviv_to_500_by_hand():
    """S3: K♥ 150 and 4 5 make 155; an ace 50. 480, 455, 540: seat 2 has lost, seat 1 has the fewest."""
    state = match_of(find("tel-aviv").game({}, 3)).position(
        closing("tel-aviv", [["KH", "4C"], ["AD"]], [480, 300, 490])
    )
    state.do(0, "play 7S")
    assert state.result() == Result((480, 455, 540), (1,), "points", "target")
    assert state.won == [1, 0, 0], "the deal was won by another than the match"


@pytest.mark.parametrize(("target", "over"), [(200, True), (500, False), (1000, False)])
def test_the_russian_game_to_200_500_or_1000_by_hand(target, over):
    """S10: 9 40 and K♥ 50 make 90, 2 20. 0, 120, 30 become 0, 210, 50: over if to 200, else seat 0 deals."""
    match = match_of(find("russian-104").game({}, 3), {"target": target})
    state = match.position(closing("russian-104", [["9D", "KH"], ["2C"]], [0, 120, 30]))
    state.do(0, "play 7S")
    assert state.totals == [0, 210, 50]
    if over:
        assert state.result() == Result((0, 210, 50), (0,), "points", "target")
    else:
        assert (state.result(), state.number, state.dealer) == (None, 1, 0)


@pytest.mark.parametrize(("turned", "factor"), [("7D", 4), ("6D", 2)])
def test_a_seven_turned_and_a_seven_to_close_with_make_four_times(turned, factor):
    """S8: T 10 and J 2 are 12, A 1 and Q 3 are 4; twice for the closing 7, twice again for a turned one."""
    match = match_of(find("romanian-points").game({}, 3))
    state = match.position(
        closing("romanian-points", [["TC", "JS"], ["AH", "QD"]], [0, 0, 0], first_card=turned)
    )
    state.do(0, "play 7S")
    assert state.totals == [0, 12 * factor, 4 * factor]


def test_the_championship_by_hand():
    """S4: one win for the first out, whatever the others hold. The third ends it; after the second the winner deals."""
    match = match_of(find("plawno").game({"championship": True}, 3))
    more = {"options": {"championship": True}}
    won, goes_on = (
        match.position(closing("plawno", [["KC", "TC"], ["5D"]], totals, **more))
        for totals in ([2, 2, 1], [1, 2, 1])
    )
    won.do(0, "play 7S")
    assert won.result() == Result((3, 2, 1), (0,), "wins", "target")
    goes_on.do(0, "play 7S")
    assert (goes_on.result(), goes_on.totals, goes_on.dealer) == (None, [2, 2, 1], 0)


def test_the_last_deal_of_a_cycle_by_hand():
    """Пекло: three met bids of 1 are 11 each. 21, 21, 11: the highest totals share. One deal earlier it goes on."""
    match = match_of(find("peklo").game({"max_hand": 3}, 3))
    position = {
        **POSITION,
        "bids": [1, 1, 1],
        "taken": [1, 1, 0],
        "trump": None,
        "hands": [["2H"], ["3H"], ["AH"]],
        "totals": [10, 10, 0],
    }
    for deal, ended in ((3, "deals"), (2, None)):
        state = match.position({**position, "to_move": 0, "match": {"deal": deal}})
        for seat, card in ((0, "2H"), (1, "3H"), (2, "AH")):
            state.do(seat, f"play {card}")
        assert (state.totals, state.reason) == ([21, 21, 11], ended)
        if ended:
            assert state.result() == Result((21, 21, 11), (0, 1), "points", "deals")
        else:
            assert (state.view(None)["k"], state.view(None)["trump"]) == (3, None), (
                "the last is without trump"
            )


def test_records_of_matches_replay_and_round_trip():
    match = match_of(find("peklo").game({"max_hand": 2}, 3), {"deals": 3})
    recorder, rng = Recorder(match, SEED), Random(9)
    while recorder.state.awaited():
        (seat,) = recorder.state.awaited()
        recorder.do(seat, rng.choice(recorder.state.legal_texts(seat)))
    record = recorder.record()
    assert [made.after for made in record.shuffles] == [0, 6, 15], (
        "3 bids and 3 cards, then 3 bids and 6 cards"
    )
    assert record.build() == match
    assert record.replay().to_json() == recorder.state.to_json()
    assert Record.from_json(record.to_json()) == record
    assert Record.from_text(record.to_text()) == record


# Stopping


def test_a_match_is_stopped_between_two_deals():
    """What was dealt and not touched is not dealt after all: the deal before it is the last."""
    match = match_of(Scripted([3, 0], [5, 1], [1, 2]), {"deals": 3})
    state = match.start(SEED)
    with pytest.raises(ValueError, match="between two deals"):
        state.stop("left")
    state.do(*_next(state))
    assert (state.number, len(state.history)) == (1, 1)
    twin = state.copy()
    state.stop("left")
    assert (state.number, state.reason, state.result().scores) == (0, "left", (3, 0))
    assert state.view(0)["match"]["ended_by"] == "left"
    assert (state.actors(), state.awaited(), state.legal_texts(0), state.legal_texts(1)) == ((), (), [], [])
    with pytest.raises(GameOver):
        state.do(0, "go")
    assert twin.reason is None
    twin.do(*_next(twin))
    assert len(twin.history) == 2


def _next(state):
    (seat,) = state.awaited()
    return seat, state.legal_texts(seat)[0]


@pytest.mark.parametrize("name", ["russian-104", "peklo"])
def test_one_deal_is_a_game_of_its_own(name):
    """Told by number and dealer, dealt from its own key: the same cards as in the match; its record replays."""
    game = find(name).game(None, 3)
    state = match_of(game).start(SEED, "tbl", [b"", b"x", b""])
    one = deal_of(game, {"number": 1, "dealer": state.dealer}, pointer="/deal")
    recorder = Recorder(one, state.keys.seed("deal 1"))
    for seat in range(3):
        shown = state.view(seat)
        shown.pop("match")
        assert recorder.state.view(seat) == shown
    rng = Random(1)
    for _ in range(5):
        (seat,) = recorder.state.awaited()
        recorder.do(seat, rng.choice(recorder.state.legal_texts(seat)))
    record = recorder.record()
    assert record.setup == {"deal": {"number": 1, "dealer": state.dealer}}
    assert record.build() == one
    assert hash(record.build()) == hash(one)
    assert Record.from_text(record.to_text()) == record
    assert record.replay().to_json() == recorder.state.to_json()
    assert one != deal_of(game, {"number": 2, "dealer": state.dealer}, pointer="")


@pytest.mark.parametrize(
    ("place", "pointer"),
    [
        ({"number": 0, "dealer": 0}, "/deal/number"),
        ({"number": 1, "dealer": 3}, "/deal/dealer"),
        ({"number": 1}, "/deal/dealer"),
        ({"number": 1, "dealer": 0, "x": 1}, "/deal/x"),
        ([], "/deal"),
    ],
)
def test_deals_that_cannot_be_are_refused_by_place(place, pointer):
    with pytest.raises(RulesError) as caught:
        deal_of(find("peklo").game(None, 3), place, pointer="/deal")
    assert caught.value.pointer == pointer
