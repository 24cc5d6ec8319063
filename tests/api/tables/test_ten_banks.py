"""Three persons and three bots play ten banks over HTTP, at two servers on one database, one of them restarted.

Each client asserts that it never saw a card it should not have. The pack is single, so every card is unique: a
concealed card in any body before its coup is settled would show.
"""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from threading import Thread
from time import monotonic, sleep
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import pytest

from api.db import Database, migrate
from tests.api.served import Served
from tests.api.tables.people import sound

Json = dict[str, Any]
BANKS = 10
CARD = re.compile(r"\b[2-9TJQKA][SHDC]\b")
PATIENCE = 240


class Client(Thread):
    """A person at a keyboard: waits for events, acts when he is awaited, and checks everything he is sent."""

    def __init__(self, name: str, address: Callable[[], str], seed: int) -> None:
        super().__init__(name=name, daemon=True)
        self.address = address
        self.random = Random(seed)
        self.table = ""
        self.bodies: list[str] = []  # since the last settlement
        self.numbers: list[int] = []  # of the events seen
        self.settled = 0
        self.own_seen = 0
        self.faults: list[str] = []
        self.key = self.ask("POST", "/players", {"name": name})["api_key"]

    def ask(self, method: str, path: str, body: Json | None = None) -> Json:
        """A request, again and again while the server is away; the JSON of the answer or of the problem."""
        until = monotonic() + PATIENCE
        while True:
            headers = {"Content-Type": "application/json"} if body is not None else {}
            if hasattr(self, "key"):
                headers["Authorization"] = f"Bearer {self.key}"
            data = json.dumps(body).encode() if body is not None else None
            try:
                with urlopen(
                    Request(f"{self.address()}/v1{path}", data, headers, method=method), timeout=30
                ) as answer:
                    text = answer.read().decode()
            except HTTPError as refused:
                text = refused.read().decode()
                if refused.code == 503 and monotonic() < until:
                    continue
            except (URLError, OSError):
                if monotonic() > until:
                    raise
                sleep(0.05)
                continue
            self.bodies.append(text)
            return json.loads(text)

    def run(self) -> None:
        """Play until ten banks are over."""
        try:
            while self.play_on():
                pass
        except Exception as fault:  # told to the test, which fails on it
            self.faults.append(f"{type(fault).__name__}: {fault}")

    def play_on(self) -> bool:
        """Wait for events, look at them, act if it is one's turn; False once ten banks are over."""
        last = self.numbers[-1] if self.numbers else 0
        for event in self.ask("GET", f"/tables/{self.table}/events?after={last}&wait=2")["events"]:
            self.numbers.append(event["n"])
            if event["type"] == "settled":
                self.look_back(event["data"])
        view = self.ask("GET", f"/tables/{self.table}")
        play = view["play"]
        if view["phase"] == "closed" or play["bank_number"] > BANKS:
            return False
        seat = view["you"]["seat"]
        for other, shown in enumerate(play["seats"]):
            hand = shown.get("hand", [])
            if other != seat and hand and not shown["open"] and hand[0] is not None and not shown["drew"]:
                self.faults.append(f"seat {other}'s card in the view: {hand}")
        if seat in play["awaited"]:
            self.ask("POST", f"/tables/{self.table}/actions", {"action": self.choose(view)})
        return True

    def choose(self, view: Json) -> str:
        """Any legal action, as a person might."""
        legal = [
            item
            for item in view["legal"]
            if item != "close" and not (isinstance(item, dict) and "seed" in item)
        ]
        item = self.random.choice(legal)
        if isinstance(item, str):
            return item
        ((verb, limits),) = item.items()
        steps = min(4, (limits["max"] - limits["min"]) // limits["step"])
        return f"{verb} {limits['min'] + limits['step'] * self.random.randint(0, steps)}"

    def look_back(self, settled: Json) -> None:
        """Nothing sent of this coup before its settlement may hold another's first card."""
        before = " ".join(told_of(json.loads(body), settled["coup"]) for body in self.bodies)
        mine = self.ask("GET", f"/tables/{self.table}")["you"]["seat"]
        for seat, hand in enumerate(settled["hands"]):
            own = seat == mine and seat != settled["banker"] and hand is not None
            self.own_seen += own and CARD.findall(hand)[0] in before
            if seat != mine and hand and re.search(rf"\b{CARD.findall(hand)[0]}\b", before):
                self.faults.append(
                    f"the card of seat {seat} was sent before coup {settled['coup']} was settled"
                )
        self.settled += 1
        self.bodies.clear()


def told_of(body: Json, coup: int) -> str:
    """What a body tells of a coup that is not settled: its view (without the last settlement), and its events."""
    events = body["events"] if isinstance(body.get("events"), list) else body.get("new_events", [])
    parts = [event for event in events if event["coup"] == coup and event["type"] != "settled"]
    play = body.get("play")
    if play and play["coup"] == coup:
        parts.append({**body, "last": None, "new_events": None})
    return json.dumps(parts)


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[list[Served]]:
    """Two servers, each a master with its own worker, on one SQLite file."""
    database = Database(f"sqlite:///{tmp_path}/macao.db")
    migrate(database)
    database.dispose()
    running = [start(tmp_path) for _ in range(2)]
    yield running
    for served in running:
        if served.process.poll() is None:
            served.stop()


def start(folder: Path, **settings: str) -> Served:
    """`macao serve` on the file of the folder."""
    return Served(
        folder, MACAO_DATABASE_URL=f"sqlite:///{folder}/macao.db", MACAO_LOG_LEVEL="warning", **settings
    )


def seat_all(clients: list[Client]) -> str:
    """A table of these persons and three bots; its id."""
    options = {"decks": 1, "max_punters": 5, "seats_change": "bank"}
    seats = [{"kind": "me"}, {"kind": "open"}, {"kind": "open"}]
    seats += [{"kind": "bot", "policy": policy} for policy in ("textbook", "stand", "threshold:4")]
    body = {"game": "russian-even", "bank": "rotates", "options": options, "seats": seats, "turn_seconds": 20}
    table = clients[0].ask("POST", "/tables", body)["id"]
    for client in clients:
        client.table = table
        if client is not clients[0]:
            client.ask("POST", f"/tables/{table}/seats", {})
    return str(table)


@pytest.mark.slow
def test_ten_banks_of_six_with_a_restart_in_the_middle(servers: list[Served], tmp_path: Path) -> None:
    """Nothing lost, nothing seen that should not be, every event once, the ledger sound."""
    urls = [served.url for served in servers]
    clients = [
        Client(name, lambda at=at: urls[at], at) for at, name in ((0, "Ada"), (1, "Boris"), (1, "Clara"))
    ]
    table = seat_all(clients)
    for client in clients:
        client.start()
    while clients[0].settled < 8 and clients[0].is_alive():
        sleep(0.05)
    servers[1].stop()
    servers[1] = start(tmp_path)
    urls[1] = servers[1].url
    for client in clients:
        client.join(PATIENCE)
    assert not any(client.is_alive() for client in clients)
    assert [client.faults for client in clients] == [[], [], []]
    assert all(client.settled > 15 for client in clients)
    assert all(client.own_seen > 5 for client in clients), (
        "one's own card is seen: the search can find a card"
    )
    for client in clients:
        assert client.numbers == list(range(1, len(client.numbers) + 1)), "every number once, in order"
    banks = clients[0].ask("GET", f"/tables/{table}/banks?limit=50")["banks"]
    assert sum(bank["closed_at"] is not None and bank["put_up"] > 0 for bank in banks) >= BANKS
    sound(Database(f"sqlite:///{tmp_path}/macao.db"))


@pytest.mark.slow
def test_a_poll_is_woken_by_the_other_server(servers: list[Served]) -> None:
    """A poll at one server is ended by an action at the other, long before its time is up."""
    urls = [served.url for served in servers]
    ada = Client("Ada", lambda: urls[0], 1)
    table = ada.ask("POST", "/tables", {"game": "house"})
    found: list[tuple[float, Json]] = []

    def poll() -> None:
        other = Client.__new__(Client)
        other.address, other.key, other.bodies = (lambda: urls[1]), ada.key, []
        found.append((0, other.ask("GET", f"/tables/{table['id']}/events?after={table['events']}&wait=20")))
        found[0] = (monotonic(), found[0][1])

    thread = Thread(target=poll)
    thread.start()
    sleep(0.5)
    ada.ask("POST", f"/tables/{table['id']}/actions", {"action": "stake 10"})
    done = monotonic()
    thread.join(30)
    assert found[0][1]["events"][0]["n"] == table["events"] + 1
    assert found[0][0] - done < 5
