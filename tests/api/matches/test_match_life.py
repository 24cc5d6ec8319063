"""A match outlives its server, does what it is asked once, and lets nobody wait for a bot that thinks.

On SQLite and on PostgreSQL; every answer is held to the OpenAPI document.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from random import Random
from time import thread_time

import pytest
from flask import Flask
from http_contract import ContractClient

from api import create_app
from api.config import from_environment
from api.context import utc_now
from api.db import Database
from api.ticker import Ticker
from casino.bots.shedding import SimpleBot
from casino.bots.tricks import SimpleBot as TrickBot
from casino.game import View
from casino.match_proof import verify
from casino.record import Record
from tests.api.matches.matches import BOT, ME, OPEN, choice, everything, play_out
from tests.api.tables.people import Json, Person, accounts, snapshot, sound
from tests.api.tables.test_versions import together

People = Callable[[str], Person]


@pytest.fixture
def app(app: Flask) -> Flask:
    """The application; what it answers must be what the document declares."""
    app.test_client_class = ContractClient
    return app


@pytest.mark.parametrize(
    ("game", "more"), [("russian-104", {"target": 30}), ("peklo", {"options": {"max_hand": 4}})]
)
def test_a_match_goes_on_after_a_restart_in_the_middle_of_a_deal(
    ada: Person, boris: Person, database: Database, database_url: str, game: str, more: Json
) -> None:
    """Another process over the same database shows the same, deals on from the same seed, and proves it all."""
    table = ada.open(game=game, seats=[ME, OPEN, BOT], ante=10, **more)
    name, rng = table["id"], Random(5)
    boris.post(f"/tables/{name}/seats", {"seed": "c0ffee"}, 201)
    people = {0: ada, 1: boris}
    for _ in range(5):
        view = ada.get(f"/tables/{name}")
        mover = people[view["play"]["awaited"][0]]
        mover.do(name, choice(rng, mover.get(f"/tables/{name}")["legal"]))
    before = [person.get(f"/tables/{name}") for person in (ada, boris)]
    assert before[0]["phase"] == "play"
    database.dispose()
    second = create_app(from_environment({}, database_url=database_url, log_level="error"))
    for person in (ada, boris):
        person.client = second.test_client()
    after = [person.get(f"/tables/{name}") for person in (ada, boris)]
    for view in (*before, *after):
        view.pop("server_time")
    assert after == before
    play_out([ada, boris], name, rng=rng)
    events = everything(ada, name)
    assert [event["n"] for event in events] == list(range(1, len(events) + 1))
    deals = ada.get(f"/tables/{name}/deals?limit=200")["deals"]
    proof = ada.ask("GET", f"/tables/{name}/proof").data
    proved = verify(proof, table["play"]["commitment"])
    assert [deal["number"] for deal in proved["deals"]] == [deal["number"] for deal in reversed(deals)]
    assert proved["client_seeds"] == ["", "c0ffee", ""]
    assert accounts(second.extensions["macao"].database, name) == {"bot": 0, "escrow": 0, "bank": 0}
    sound(second.extensions["macao"].database)
    second.extensions["macao"].database.dispose()


def test_a_repeated_request_has_one_effect(ada: Person, boris: Person, database: Database) -> None:
    """Opening, joining, a card, leaving: a copy gets the same answer and changes nothing."""
    body: Json = {"game": "russian-104", "seats": [ME, OPEN, BOT], "ante": 10}
    first, name = repeated(ada, database, "POST", "/tables", body), ""
    name = first["id"]
    repeated(boris, database, "POST", f"/tables/{name}/seats", {"seed": "00"})
    people = {0: ada, 1: boris}
    for _ in range(3):
        mover = people[ada.get(f"/tables/{name}")["play"]["awaited"][0]]
        text = choice(Random(2), mover.get(f"/tables/{name}")["legal"])
        repeated(mover, database, "POST", f"/tables/{name}/actions", {"action": text})
    sound(database)


def repeated(person: Person, database: Database, method: str, path: str, body: Json) -> Json:
    """Ask twice under one key; the first answer, with names of players as they are."""
    headers = {"Idempotency-Key": f"{len(person.seen)}"}
    first = person.ask(method, path, json=body, headers=headers)
    assert first.status_code in (200, 201), first.text
    before = snapshot(database)
    second = person.ask(method, path, json=body, headers=headers)
    assert (second.status_code, second.json) == (first.status_code, first.json)
    assert second.headers["Idempotency-Replayed"] == "true"
    assert snapshot(database) == before
    found: Json = first.json
    return found


def test_parallel_copies_of_a_card_lay_it_once(ada: Person, app: Flask, database: Database) -> None:
    """Six copies of one request: one answer for all, one card less."""
    table = ada.open(game="russian-104", seats=[ME, BOT])
    name = table["id"]
    count = len(everything(ada, name))
    text = choice(Random(2), table["legal"])
    path, headers = f"/v1/tables/{name}/actions", {**ada.headers, "Idempotency-Key": "one"}
    answers = together(app, 6, path, {"action": text}, headers)
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.data for answer in answers}) == 1
    told = [event for event in everything(ada, name)[count:] if event["seat"] == 0 and "by" in event["data"]]
    assert len(told) == 1
    sound(database)


def test_an_old_version_is_refused_for_whatever_is_done_besides_speaking(ada: Person, boris: Person) -> None:
    """Of several steps all must be such as may cite an old version, in one text and in a list."""
    name = ada.open(game="romanian", seats=[ME, OPEN])["id"]
    boris.post(f"/tables/{name}/seats", {}, 201)
    old = {"If-Match": '"0123456789"'}
    steps: list[Json] = [
        {"action": "draw"},
        {"action": "catch 1; draw"},
        {"action": "macao;draw"},
        {"actions": ["macao", "draw"]},
        {"action": ";"},
    ]
    for body in steps:
        answer = ada.ask("POST", f"/tables/{name}/actions", json=body, headers=old)
        assert (answer.status_code, answer.json["code"]) == (412, "stale"), body
    for body in ({"action": " macao "}, {"actions": ["catch 1", "macao"]}):
        answer = ada.ask("POST", f"/tables/{name}/actions", json=body, headers=old)
        assert answer.status_code == 409, body


# Bots think while nobody is held up


class Thinking:
    """Counts the write transactions that are open, and how often a bot thought; it never does while one is open."""

    def __init__(self, database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
        self.open = self.thoughts = 0
        write = database.write

        @contextmanager
        def counted() -> Iterator[object]:
            with write() as session:
                self.open += 1
                try:
                    yield session
                finally:
                    self.open -= 1

        monkeypatch.setattr(database, "write", counted)
        for bot in (SimpleBot, TrickBot):
            for name in ("choose", "aside"):
                monkeypatch.setattr(bot, name, self.watched(getattr(bot, name)))

    def watched(self, think: Callable[[object, View], str | None]) -> Callable[[object, View], str | None]:
        """The same thinking, noticed."""

        def thinks(bot: object, view: View) -> str | None:
            assert self.open == 0, "a bot thinks while a write transaction is open"
            self.thoughts += 1
            return think(bot, view)

        return thinks

    def since(self) -> int:
        """Thoughts since the last call."""
        count, self.thoughts = self.thoughts, 0
        return count


@pytest.fixture
def thinking(database: Database, monkeypatch: pytest.MonkeyPatch) -> Thinking:
    return Thinking(database, monkeypatch)


@pytest.mark.parametrize("game", ["russian-104", "peklo"])
def test_no_write_transaction_is_open_while_a_bot_thinks(
    ada: Person, boris: Person, app: Flask, thinking: Thinking, game: str
) -> None:
    """Whatever makes bots move: an opening, a seat taken, a seed, an action, time that is up, the last one leaving."""
    late, ticker = utc_now() + timedelta(hours=1), Ticker(app.extensions["macao"])
    moved = dict.fromkeys(("open", "join", "seed", "act", "clock", "leave"), 0)
    for _ in range(40):  # who begins is drawn by lot
        name = ada.open(game=game, seats=[ME, BOT, BOT, BOT])["id"]
        moved["open"] += thinking.since()
        ada.ask("DELETE", f"/tables/{name}/seats/0")
        moved["leave"] += thinking.since()
        name = ada.open(game=game, seats=[ME, OPEN, BOT, BOT])["id"]
        assert thinking.since() == 0
        boris.post(f"/tables/{name}/seats", {}, 201)
        moved["join"] += thinking.since()
        for number, person in enumerate((ada, boris)):
            person.ask("DELETE", f"/tables/{name}/seats/{number}")
        moved["leave"] += thinking.since()
        name = ada.open(game=game, seats=[{**ME, "seed": True}, BOT, BOT, BOT])["id"]
        assert thinking.since() == 0
        view = ada.do(name, "seed 00ff")
        moved["seed"] += thinking.since()
        for _ in range(3):
            view = ada.do(name, choice(Random(2), view["legal"]))
        moved["act"] += thinking.since()
        app.extensions["macao"].now = lambda: late
        assert ticker.tick() > 0
        app.extensions["macao"].now = utc_now
        moved["clock"] += thinking.since()
        ada.ask("DELETE", f"/tables/{name}/seats/0")
        moved["leave"] += thinking.since()
        if all(moved.values()):
            return
    raise AssertionError(f"bots never moved in one of these: {moved}")


def test_who_plays_elsewhere_does_not_wait_for_a_bot(
    ada: Person, boris: Person, app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While a bot of one table thinks, and does not come to an end, a card is laid at another."""
    name = ada.open(game="peklo", seats=[ME, BOT])["id"]
    other = boris.open(game="russian-104", seats=[ME, OPEN])["id"]
    ada.post(f"/tables/{other}/seats", {}, 201)
    laid: list[str] = []
    think = TrickBot.choose

    def slow(bot: TrickBot, view: View) -> str:
        mover = next(
            player for player in (ada, boris) if player.get(f"/tables/{other}")["you"]["seat"] in awaited()
        )
        laid.append(mover.do(other, choice(Random(1), mover.get(f"/tables/{other}")["legal"]))["phase"])
        return think(bot, view)

    def awaited() -> list[int]:
        found: list[int] = ada.get(f"/tables/{other}")["play"]["awaited"]
        return found

    monkeypatch.setattr(TrickBot, "choose", slow)
    while not laid:
        ada.do(name, choice(Random(1), ada.get(f"/tables/{name}")["legal"]))
    assert laid[0] == "play"


def test_what_bots_think_is_paid_for(ada: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    """Five units a millisecond of a processor: a bot that takes 200 of them costs a thousand units a move."""
    think = TrickBot.choose

    def slow(bot: TrickBot, view: View) -> str:
        until = thread_time() + 0.2
        while thread_time() < until:
            pass
        return think(bot, view)

    table = ada.open(game="peklo", seats=[ME, OPEN, BOT], options={"max_hand": 2})
    quick = left(ada)
    ada.get(f"/tables/{table['id']}")
    assert quick - left(ada) < 10
    monkeypatch.setattr(TrickBot, "choose", slow)
    table = ada.open(game="peklo", seats=[ME, BOT], options={"max_hand": 2})
    before = left(ada)
    moved = len(ada.do(table["id"], table["legal"][0])["new_events"])
    assert moved > 1, "the bot moved too"
    assert before - left(ada) >= 1000


def left(person: Person) -> int:
    """Units of the present window that are left; they are told with every answer, this one included."""
    return int(person.ask("GET", "/players/me").headers["X-RateLimit-Remaining"])


# Records that people read


def test_the_record_of_a_deal_is_read_and_typed(ada: Person, boris: Person) -> None:
    """As text it says the same as in JSON; a copy typed with other spaces and remarks replays; 409 while it lasts."""
    name = ada.open(game="russian-104", seats=[ME, BOT, BOT], target=20, spectators=True)["id"]
    (deal,) = ada.get(f"/tables/{name}/deals")["deals"]
    where, text = f"/tables/{name}/deals/{deal['id']}", {"Accept": "text/plain"}
    assert ada.ask("GET", where, headers=text).json["code"] == "not_settled"
    play_out([ada], name)
    whole = ada.get(where)
    answer = boris.ask("GET", where, headers=text)
    assert answer.mimetype == "text/plain"
    record = Record.from_text(answer.text)
    assert record == Record.from_json(whole["record"])
    lines = [f"  {line}  " if line[:1].isdigit() else line for line in answer.text.splitlines()]
    typed = Record.from_text("\n# a remark\n".join(lines))
    assert list(typed.replay().result().scores) == whole["scores"]
    assert typed.actions == tuple((choice["seat"], told(choice)) for choice in whole["choices"])
    assert ada.ask("GET", where, headers={"Accept": "image/png"}).status_code == 406


def told(event: Json) -> str:
    """The text of a choice."""
    data = event["data"]
    texts = {"called": "macao", "caught": f"catch {data.get('caught')}", "drew": "draw"}
    return texts.get(event["type"]) or str(data["action"])
