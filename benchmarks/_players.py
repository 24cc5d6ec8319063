"""Players of a mixed load: each thinks, looks at his table, acts where it is his turn, and looks round now and then.

A process holds some tables and all who sit at them, in one event loop. What a player waits for is measured: the time
from his request to the last byte of the answer, by kind of request. A refusal that play among strangers brings with it
(`EXPECTED`) is counted; any other, and every answer of 5xx, is a fault.
"""

import asyncio
import json
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from random import Random
from time import monotonic
from typing import Any
from uuid import UUID

EXPECTED = frozenset(
    (
        "illegal",
        "insufficient_funds",
        "leaving",
        "limit_reached",
        "not_seated",
        "not_your_turn",
        "over",
        "pending",
        "refill_not_needed",
        "seat_taken",
        "seated_already",
        "table_closed",
        "waiting_for_seats",
    )
)
PATIENCE = 120.0  # seconds
STALE = 1.0  # seconds of silence after which a player opens a new connection: the server closes one after 5
LEAVES = 0.004  # share of turns at tables of the rotating kind after which a player goes and comes back
Json = dict[str, Any]


@dataclass(frozen=True)
class Kind:
    """Tables of one kind: how one is opened, and how many people sit there at most."""

    name: str
    game: str
    most: int
    opening: Json = field(default_factory=dict)
    bots: int = 0


HOUSE = Kind("house", "house", 1)
ROTATING = Kind("rotating", "russian-multiple-active", 5, {"bank": "rotates"}, bots=1)
SHEDDING = Kind("shedding", "hungarian", 3, {"ante": 1}, bots=1)
PEKLO = Kind("peklo", "peklo", 3, {"ante": 1}, bots=1)
KINDS = (HOUSE, ROTATING, HOUSE, SHEDDING, ROTATING, HOUSE, PEKLO, ROTATING, HOUSE, SHEDDING)


@dataclass
class Tally:
    """What a process measured: seconds by kind of request, answers by status and code, faults in words."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    refusals: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)

    def add(self, other: "Tally") -> None:
        """Take over what another measured."""
        for kind, values in other.seconds.items():
            self.seconds[kind] += values
        self.refusals += other.refusals
        self.faults += other.faults


@dataclass(frozen=True)
class Share:
    """What one process is given: `tables` are kinds with numbers of people, `visitors` sit nowhere.

    `seconds` begin when everybody is there; on a slow machine play goes on, for at most `PATIENCE` more, until there
    were `least` actions at tables of each kind.
    """

    port: int
    seed: str
    seconds: float
    think: float
    tables: tuple[tuple[Kind, int], ...]
    visitors: int
    least: int


def play(share: Share) -> Tally:
    """Play for so long; what was measured."""
    return asyncio.run(_Crowd(share).play())


class _Wire:
    """One player's connection."""

    def __init__(self, port: int, tally: Tally) -> None:
        self.port, self.tally = port, tally
        self.key = ""
        self.used = 0.0
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, kind: str, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """Send a request; the answer's JSON, None where it was refused."""
        data = b"" if body is None else json.dumps(body).encode()
        lines = [f"{method} /v1{path} HTTP/1.1", "Host: localhost"]
        lines += [f"Authorization: Bearer {self.key}"] if self.key else []
        lines += ["Content-Type: application/json", f"Content-Length: {len(data)}"] if data else []
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        request = "\r\n".join(lines).encode() + b"\r\n\r\n" + data
        fresh, start = await self._ready(), monotonic()
        try:
            status, answer = await self._exchange(request)
        except (OSError, asyncio.IncompleteReadError) as error:
            await self.close()
            if (
                not fresh
            ):  # closed as idle while the request was on its way: sent again, as every client has to
                self.tally.refusals["(idle connection closed, sent again)"] += 1
                return await self.ask(kind, method, path, body, **headers)
            self.tally.faults[f"{kind}: {type(error).__name__}"] += 1
            return None
        self.used = monotonic()
        self.tally.seconds[kind].append(self.used - start)
        return self._judged(kind, status, answer)

    def _judged(self, kind: str, status: int, answer: bytes) -> Any:
        value = json.loads(answer) if answer else None
        if status < 400:
            return value
        code = value["code"] if isinstance(value, dict) else "none"
        if status < 500 and code in EXPECTED:
            self.tally.refusals[code] += 1
        else:
            self.tally.faults[f"{kind}: {status} {code}"] += 1
        return None

    async def _ready(self) -> bool:
        """Have a connection; is it a new one?"""
        if self.streams is not None and monotonic() - self.used > STALE:
            await self.close()
        if self.streams is None:
            self.streams = await asyncio.open_connection("127.0.0.1", self.port)
            return True
        return False

    async def _exchange(self, request: bytes) -> tuple[int, bytes]:
        assert self.streams is not None
        reader, writer = self.streams
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        body = await reader.readexactly(int(fields.get("content-length", 0)))
        if fields.get("connection", "").lower() == "close":
            await self.close()
        return int(first.split()[1]), body

    async def close(self) -> None:
        """End the connection."""
        if self.streams is not None:
            self.streams[1].close()
            self.streams = None


@dataclass
class _Place:
    """A table that people of this process sit at: when it is closed, who sees it first opens the next."""

    kind: Kind
    people: int
    id: str = ""
    opening: asyncio.Lock = field(default_factory=asyncio.Lock)


class _Crowd:
    """All players of one process."""

    def __init__(self, share: Share) -> None:
        self.share, self.tally = share, Tally()
        self.rng = Random(share.seed)
        self.awaited = sum(people for _, people in share.tables) + share.visitors
        self.until = float("inf")

    async def play(self) -> Tally:
        """Everybody comes, plays till the time is up, and stops where he is."""
        places = [_Place(kind, people) for kind, people in self.share.tables]
        people = [self._sit(place, number) for place in places for number in range(place.people)]
        people += [self._visit() for _ in range(self.share.visitors)]
        await asyncio.gather(*people)
        return self.tally

    async def _arrive(self) -> _Wire:
        await asyncio.sleep(self.rng.random() * self.share.think * 10)
        wire = _Wire(self.share.port, self.tally)
        while not wire.key:
            made = await wire.ask("register", "POST", "/players", {"name": f"load {self.rng.random():.6f}"})
            wire.key = made["api_key"] if made else ""
        self.awaited -= 1
        if not self.awaited:
            self.until = monotonic() + self.share.seconds
        return wire

    async def _think(self) -> bool:
        """Think for a while; False once the time is up."""
        await asyncio.sleep(self.rng.expovariate(1 / self.share.think))
        late = monotonic() - self.until
        return late < 0 or (late < PATIENCE and not self._enough())

    def _enough(self) -> bool:
        kinds = {kind.name for kind, _ in self.share.tables}
        return all(len(self.tally.seconds[f"act {name}"]) >= self.share.least for name in kinds)

    async def _sit(self, place: _Place, number: int) -> None:
        wire = await self._arrive()
        seat, view = "", None
        while await self._think():
            if seat != place.id or not place.id:
                view = await self._take_seat(wire, place)
                seat = place.id if view else ""
            elif view and view["phase"] == "closed":
                await self._reopen(wire, place, seat)
            else:
                view = await self._turn(wire, place.kind.name, seat, view)
            if view and place.kind is ROTATING and self.rng.random() < LEAVES:
                await wire.ask("leave", "DELETE", f"/tables/{seat}/seats/{view['you']['seat']}")
                seat = ""
        await wire.close()

    async def _take_seat(self, wire: _Wire, place: _Place) -> Any:
        async with place.opening:
            if not place.id:
                return await self._open(wire, place)
        return await self._post(wire, "join", f"/tables/{place.id}/seats", {})

    async def _reopen(self, wire: _Wire, place: _Place, old: str) -> None:
        async with place.opening:
            if place.id == old:
                place.id = ""

    async def _open(self, wire: _Wire, place: _Place) -> Any:
        kind = place.kind
        body: Json = {"game": kind.game, **kind.opening}
        if kind is not HOUSE:
            seats = [{"kind": "me"}, *([{"kind": "open"}] * (place.people - 1))]
            body["seats"] = seats + [{"kind": "bot"}] * max(kind.bots, 2 - len(seats))
        made = await self._post(wire, "open", "/tables", body)
        place.id = made["id"] if made else ""
        return made

    async def _turn(self, wire: _Wire, kind: str, table: str, view: Any) -> Any:
        """Act if there is anything to do, else look again or wait for news."""
        if view and view["legal"] and view["you"]:
            text = self._choice(view["legal"])
            done = await self._post(wire, f"act {kind}", f"/tables/{table}/actions", {"action": text})
            return done or await wire.ask("view", "GET", f"/tables/{table}")
        if view and self.rng.random() < 0.1:
            after = view["events"]
            await wire.ask("events (waiting)", "GET", f"/tables/{table}/events?after={after}&wait=2")
        return await wire.ask("view", "GET", f"/tables/{table}")

    def _choice(self, legal: list[Any]) -> str:
        """One of the legal actions; a bank is closed seldom, stakes are small."""
        item = self.rng.choice(
            [item for item in legal if item != "close" or self.rng.random() < 0.1] or legal
        )
        if isinstance(item, str):
            return item
        ((verb, bounds),) = item.items()
        if verb == "seed":
            return f"seed {self.rng.getrandbits(64):016x}"
        steps = (bounds["max"] - bounds["min"]) // bounds["step"] if "step" in bounds else 0
        return f"{verb} {bounds['min'] + bounds.get('step', 1) * self.rng.randint(0, min(4, steps))}"

    async def _post(self, wire: _Wire, kind: str, path: str, body: Json) -> Any:
        key = str(UUID(int=self.rng.getrandbits(128)))
        return await wire.ask(kind, "POST", path, body, Idempotency_Key=key)

    async def _visit(self) -> None:
        """Somebody who looks round: lists, sheets, his bankroll, a small question about odds."""
        wire = await self._arrive()
        looks = (
            ("list tables", "/tables?limit=20"),
            ("games", "/games"),
            ("bankroll", "/players/me/bankroll"),
            ("bankroll", "/players/me/bankroll/entries?limit=20"),
            ("par", "/games/house/par"),
        )
        while await self._think():
            if self.rng.random() < 0.1:
                await self._post(wire, "refill", "/players/me/bankroll/refills", {})
            elif self.rng.random() < 0.1:
                question = {"rules": {"preset": "house"}, "shoe": {"decks": self.rng.randint(1, 8)}}
                await wire.ask("odds", "POST", "/odds", question)
            else:
                kind, path = self.rng.choice(looks)
                await wire.ask(kind, "GET", path)
        await wire.close()
