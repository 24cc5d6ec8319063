"""Whole matches of every game over REST: events, clock, records, proofs (`table.md`, «Shedding and trick tables»)."""

import json
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from api.db import Database
from api.services.tables.matches import course
from api.ticker import Ticker
from casino import chance
from casino.cards import names
from casino.match_proof import verify
from casino.proof import ProofError, dump
from casino.record import Record
from tests.api.matches.matches import BOT, ME, OPEN, SHORT, everything, plant, play_out
from tests.api.tables.people import Clock, Json, Person, accounts, sound

People = Callable[[str], Person]
BOTS = [{**BOT, "policy": "simple"}, {**BOT, "policy": "random"}, {**BOT, "policy": "search:60"}]


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Whole matches are long; what the database does in them is tested on both kinds in test_match_life and _money."""
    return sqlite_url


def planted(ada: Person, boris: Person, database: Database, game: str, /, **given: Any) -> str:
    """A table of the two, with these `hands`, `pile` and `stock`, Ada to move; what else is given, opens it."""
    cards = {name: given.pop(name) for name in ("hands", "pile", "stock")}
    table: str = ada.open(game=game, seats=[ME, OPEN], **given)["id"]
    boris.post(f"/tables/{table}/seats", {}, 201)
    plant(database, table, game=game, seats=2, dealer=1, to_move=0, **cards)
    return table


@pytest.mark.parametrize("game", SHORT)
def test_a_whole_match_with_bots_of_every_kind(ada: Person, database: Database, game: str) -> None:
    """Played to its end; every chip accounted for; events without gaps; records replay; the proof holds."""
    table = ada.open(game=game, seats=[ME, *BOTS[:2], BOTS[2]], ante=5, **SHORT[game])
    name = table["id"]
    view = play_out([ada], name, rng=Random(3))
    assert view["play"]["match"]["ended_by"] in ("target", "deals")
    assert accounts(database, name) == {"bot": 0, "escrow": 0, "bank": 0}
    events = everything(ada, name)
    assert [event["n"] for event in events] == list(range(1, len(events) + 1))
    assert events[-1]["type"] == "closed"
    deals = ada.get(f"/tables/{name}/deals?limit=200")["deals"]
    assert [deal["number"] for deal in deals] == list(range(len(deals), 0, -1))
    assert ada.balance == 1000 + sum(deal["chips"][0] for deal in deals)
    assert deals[0]["totals"] == view["play"]["match"]["totals"]
    whole = ada.get(f"/tables/{name}/deals/{deals[0]['id']}")
    state = Record.from_json(whole["record"]).replay()
    assert list(state.result().scores) == whole["scores"]
    by = {(choice["seat"], choice["data"]["by"]) for choice in whole["choices"]}
    assert by <= {(0, "player"), (1, "bot"), (2, "bot"), (3, "bot")}
    proof = ada.ask("GET", f"/tables/{name}/proof").data
    assert len(verify(proof, table["play"]["commitment"])["deals"]) == len(deals)
    sound(database)


def test_several_persons_see_the_same_numbers_and_their_own_cards(ada: Person, boris: Person) -> None:
    """One numbering; the events of two viewers differ in cards dealt and drawn only."""
    table = ada.open(game="russian-104", seats=[ME, OPEN, BOT], target=60)["id"]
    boris.post(f"/tables/{table}/seats", {}, 201)
    play_out([ada, boris], table)
    mine, his = everything(ada, table), everything(boris, table)
    assert [(e["n"], e["type"], e["seat"], e["deal"]) for e in mine] == [
        (e["n"], e["type"], e["seat"], e["deal"]) for e in his
    ]
    assert {e["type"] for e, other in zip(mine, his, strict=True) if e["data"] != other["data"]} <= {
        "dealt",
        "drew",
    }


def test_a_stalemate_is_scored_and_ends_the_deal(ada: Person, boris: Person, database: Database) -> None:
    """Nothing to draw, nothing to play, a lap of passes: least points win, here 5 against 10 (queen)."""
    cards = {"hands": [["4S"], ["QS"]], "pile": ["7D"], "stock": []}
    table = planted(ada, boris, database, "russian-104", ante=10, target=10, **cards)
    assert ada.do(table, "pass")["legal"] == []
    view = boris.do(table, "pass")
    assert (view["last"]["reason"], view["last"]["scores"], view["last"]["winners"]) == (
        "stalemate",
        [5, 10],
        [0],
    )
    assert view["last"]["chips"] == [10, -10]
    assert view["phase"] == "closed"


def test_a_refusal_names_the_text_that_is_refused(ada: Person, boris: Person) -> None:
    """Alone it stands at `/action`, of several at `/actions/1`; a seed with a seat at `/seed`."""
    table = ada.open(game="peklo", seats=[ME, OPEN], options={"max_hand": 1})["id"]
    problem = boris.post(f"/tables/{table}/seats", {"seed": "xyz"}, 422)
    assert problem["errors"][0]["pointer"] == "/seed"
    boris.post(f"/tables/{table}/seats", {}, 201)
    first = ada if ada.get(f"/tables/{table}")["legal"] else boris
    second = boris if first is ada else ada
    for player, texts, code, pointer in (
        (first, ["nonsense"], "notation", "/action"),
        (first, ["play 2S"], "illegal", "/action"),
        (first, ["bid 0", "bid 9"], "not_your_turn", "/actions/1"),
        (first, ["bid 0", "play 9X"], "notation", "/actions/1"),
        (second, ["bid 0"], "not_your_turn", "/action"),
    ):
        problem = player.do(table, *texts, status=422 if code == "notation" else 409)
        assert (problem["code"], problem["errors"][0]["pointer"]) == (code, pointer), texts
    house = ada.open()["id"]
    problem = ada.do(house, "stake 10", "stake 7", status=409)
    assert problem["errors"][0]["pointer"] == "/actions/1"


# Time


@pytest.fixture
def clock() -> Clock:
    """The time of the application."""
    return Clock()


def test_a_late_seat_has_its_whole_turn_played(
    ada: Person, boris: Person, ticker: Ticker, clock: Clock, database: Database
) -> None:
    """`simple` moves, says «macao» too; every step is marked `timed_out`, by `default`."""
    waiting = ada.open(game="romanian", seats=[ME, OPEN], turn_seconds=30)["id"]
    assert ada.get(f"/tables/{waiting}")["deadline"] is None, "nobody is awaited while seats are open"
    # Two equal ranks and another card: the packet is laid whole, and leaves one card.
    cards = {"hands": [["8S", "8D", "JC"], ["9H", "TD"]], "pile": ["9S"], "stock": ["5C", "6C"]}
    table = planted(ada, boris, database, "romanian", turn_seconds=30, **cards)
    clock.pass_(29)
    assert ticker.tick() == 0
    clock.pass_(2)
    assert ticker.tick() == 1
    told = [e for e in everything(ada, table) if e["seat"] == 0 and e["type"] != "seated"]
    assert [e["type"] for e in told] == ["timed_out", "played", "timed_out", "played", "timed_out", "called"]
    assert all(e["data"]["by"] == "default" and e["data"]["timed_out"] for e in told[1::2])
    view = boris.get(f"/tables/{table}")
    assert view["play"]["awaited"] == [1]
    assert view["play"]["window"] == {"seat": 0, "said": True}
    assert view["deadline"] == "2030-01-31T12:01:01.000Z"


@pytest.mark.parametrize("clocked", [0, 30])
def test_a_long_deal_of_bots_alone_is_played_bit_by_bit(
    ada: Person,
    ticker: Ticker,
    clock: Clock,
    database: Database,
    monkeypatch: pytest.MonkeyPatch,
    clocked: int,
) -> None:
    """A deal may last 10,000 turns a seat: no request plays them all. Tick by tick the clock goes on, to the end."""
    monkeypatch.setattr(course, "_STEPS", 20)
    options = {"turn_limit": 10, "end": "one_left", "call_penalty": 20}
    seats = [ME, *[{**BOT, "policy": "random"}] * 4]
    view = ada.open(game="romanian-points", options=options, seats=seats, ante=10, turn_seconds=clocked)
    table = view["id"]
    view = ada.ask("DELETE", f"/tables/{table}/seats/0").json
    assert (view["phase"], view["deadline"]) == ("play", "2030-01-31T12:00:00.000Z")
    ticks = 0
    while ada.get(f"/tables/{table}")["phase"] != "closed":
        assert ticker.tick() == 1
        ticks += 1
        clock.pass_(1)
    assert 1 < ticks < 50
    events = everything(ada, table)
    assert [event["n"] for event in events] == list(range(1, len(events) + 1))
    assert not any(event["type"] == "timed_out" for event in events), "nobody was late"
    assert len(verify(ada.ask("GET", f"/tables/{table}/proof").data)["deals"]) == 1
    assert set(accounts(database, table).values()) == {0}
    sound(database)


def test_what_others_say_does_not_put_a_deadline_off(
    ada: Person, boris: Person, clock: Clock, database: Database
) -> None:
    """The clock of the seat awaited runs on while the one before says «macao»."""
    cards = {"hands": [["7S", "8S"], ["9H", "TD"]], "pile": ["9S"], "stock": ["5C", "6C"]}
    table = planted(ada, boris, database, "romanian", turn_seconds=30, **cards)
    first = ada.do(table, "play 7S")["deadline"]
    clock.pass_(10)
    assert ada.do(table, "macao")["deadline"] == first


# Proofs


@pytest.fixture
def finished(ada: Person) -> tuple[Json, bytes]:
    """A match with a client seed, played to its end: the view before it, and its proof."""
    table = ada.open(game="peklo", seats=[{**ME, "seed": True}, BOT, BOT], options={"max_hand": 2})
    ada.do(table["id"], "seed c0ffee")
    play_out([ada], table["id"])
    return table, ada.ask("GET", f"/tables/{table['id']}/proof").data


def test_a_match_is_dealt_from_the_documented_key(finished: tuple[Json, bytes]) -> None:
    """«deal 1» in the bank's place; HMAC and shuffle as in docs/fairness.md; the lot is «lot»."""
    proof = json.loads(finished[1])
    seed, given = bytes.fromhex(proof["server_seed"]), [bytes.fromhex("c0ffee"), b"", b""]
    assert proof["client_seeds"] == ["c0ffee", "", ""]
    assert chance.commitment(seed) == proof["commitment"] == finished[0]["play"]["commitment"]
    for number, deal in enumerate(proof["deals"], 1):
        key = chance.bank_seed(seed, finished[0]["id"], f"deal {number}", given)
        order = chance.shuffled(range(52), key, 0)
        assert deal["shuffles"] == [names(order)]
    lot = chance.draw(3, chance.bank_seed(seed, finished[0]["id"], "lot", given), 0)
    assert [deal["dealer"] for deal in proof["deals"]] == [lot, (lot + 1) % 3]


def test_any_changed_byte_of_a_proof_is_refused(finished: tuple[Json, bytes]) -> None:
    """One bit of each seventh byte in turn."""
    for place in range(0, len(finished[1]), 7):
        broken = bytearray(finished[1])
        broken[place] ^= 1
        with pytest.raises(ProofError):
            verify(bytes(broken))


@pytest.mark.parametrize(
    ("where", "change"),
    [
        ("scores", lambda value: [number + 1 for number in value]),
        ("winners", lambda value: [(value[0] + 1) % 3]),
        ("dealer", lambda value: (value + 1) % 3),
        ("reason", lambda value: "stalemate"),
        ("actions", lambda value: value[:-1]),
        ("actions", lambda value: [[(value[0][0] + 1) % 3, value[0][1]], *value[1:]]),
        ("shuffles", lambda value: [" ".join(reversed(value[0].split()))]),
        ("number", lambda value: value + 1),
    ],
)
def test_a_made_up_deal_is_refused_though_the_digest_fits(
    finished: tuple[Json, bytes], where: str, change: Callable[[object], object]
) -> None:
    """Who forges a proof can make its digest fit; cards, moves and scores he cannot."""
    proof = json.loads(finished[1])
    proof["deals"][1][where] = change(proof["deals"][1][where])
    with pytest.raises(ProofError) as caught:
        verify(dump(proof))
    assert caught.value.pointer


@pytest.mark.parametrize(
    ("member", "value"), [("totals", [0, 0, 0]), ("ended_by", "target"), ("client_seeds", ["", "", ""])]
)
def test_a_made_up_match_is_refused(finished: tuple[Json, bytes], member: str, value: object) -> None:
    """Totals, what ended it and the seeds of the seats are held to the deals."""
    proof = json.loads(finished[1])
    if proof[member] == value:
        pytest.skip("nobody scored")
    proof[member] = value
    with pytest.raises(ProofError):
        verify(dump(proof))
    with pytest.raises(ProofError, match="noted"):
        verify(finished[1], "0" * 64)


def test_a_deal_is_proved_alone_and_nothing_before_the_end(ada: Person, database: Database) -> None:
    """409 while the match lasts; the record of a deal that is over tells no other deal."""
    table = ada.open(game="peklo", seats=[ME, BOT], options={"max_hand": 2})["id"]
    (first,) = ada.get(f"/tables/{table}/deals")["deals"]
    assert (first["status"], "hands" in first) == ("open", False)
    assert set(ada.get(f"/tables/{table}/deals/{first['id']}")) == set(first)
    for path in ("proof", f"deals/{first['id']}/proof"):
        assert ada.get(f"/tables/{table}/{path}", 409)["code"] == "not_revealed"
    (bank,) = ada.get(f"/tables/{table}/banks")["banks"]
    assert (bank["server_seed"], bank["client_seeds"]) == (None, None)
    play_out([ada], table)
    proof = ada.ask("GET", f"/tables/{table}/deals/{first['id']}/proof").data
    assert [deal["number"] for deal in verify(proof)["deals"]] == [1]
    secret = json.loads(proof)["server_seed"]
    deal = ada.get(f"/tables/{table}/deals/{first['id']}")
    assert secret not in json.dumps(deal)
    assert ada.get(f"/tables/{table}/banks/{bank['id']}/proof", 404)["code"] == "not_found"
    house = ada.open()["id"]
    assert ada.get(f"/tables/{house}/deals")["deals"] == []
    assert ada.get(f"/tables/{house}/proof", 404)["code"] == "not_found"
    assert ada.get(f"/tables/{table}/coups")["coups"] == []


def test_deals_as_pages_and_as_one_file(ada: Person) -> None:
    """The same deals, newest first in pages, oldest first in the file, with records that replay."""
    table = ada.open(game="peklo", seats=[ME, BOT], options={"max_hand": 5}, ante=1)["id"]
    play_out([ada], table)
    pages, link = [], f"/tables/{table}/deals?limit=2"
    while link:
        response = ada.ask("GET", link)
        pages += response.json["deals"]
        link = response.headers.get("Link", "").split(">")[0].removeprefix("</v1")
    assert [deal["number"] for deal in pages] == [5, 4, 3, 2, 1]
    file = ada.ask("GET", f"/tables/{table}/deals", headers={"Accept": "application/x-ndjson"}).text
    whole = [json.loads(line) for line in file.splitlines()]
    assert [deal["id"] for deal in whole] == [deal["id"] for deal in reversed(pages)]
    for deal in whole:
        assert len(deal["hands"][0]) == deal["number"]
        assert list(Record.from_json(deal["record"]).replay().result().scores) == deal["scores"]
    assert ada.get(f"/tables/{table}/deals?status=open")["deals"] == []
    ada.get(f"/tables/{table}/deals?status=voided", 422)
