"""Requests under a key of their own, sent over loopback, and a journal of what every copy was answered."""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from http.client import HTTPConnection, HTTPException
from typing import Any, NamedTuple

from tests.api.fire.book import Book, Json
from tests.api.fire.invariants import Fault

# Secrets are told once, and left out of a repetition; the name of a player who is deleted meanwhile, too.
_NOT_REPEATED = ("api_key", "invite", "name")


class Answer(NamedTuple):
    """What a copy of a request was answered. `replayed`: marked as a repetition."""

    status: int
    body: Any
    replayed: bool
    retry_after: float

    @property
    def done(self) -> bool:
        """Did the request do what it asked?"""
        return self.status < 300


@dataclass
class Request:
    """A write: whose it is, what it asks, the key under which copies are one, and all its answers."""

    method: str
    path: str
    body: Json | None
    headers: dict[str, str]
    key: str
    answers: list[Answer] = field(default_factory=list)
    learned: bool = False  # has its player taken note that it was done?

    @property
    def crashed(self) -> bool:
        """Was a copy answered with a fault of the service?"""
        return any(answer.status == 500 for answer in self.answers)

    @property
    def final(self) -> Answer | None:
        """The answer: what was done, else the last refusal; None while nobody has answered."""
        told = [answer for answer in self.answers if answer.status not in (503, 500)]
        return next((answer for answer in told if answer.done), told[-1] if told else None)


class Wire:
    """A connection that is opened again when it is lost; `address` gives HOST:PORT of the present server."""

    def __init__(self, address: Callable[[], str], timeout: float = 60) -> None:
        self._address, self._timeout = address, timeout
        self._connection: HTTPConnection | None = None
        self._to = ""
        self.reads = 0

    def ask(self, method: str, path: str, headers: dict[str, str], body: Json | None = None) -> Answer | None:
        """Send one copy; None if it was not answered."""
        self.reads += method == "GET"
        address = self._address()
        if self._connection is None or self._to != address:
            self.close()
            self._connection, self._to = HTTPConnection(address, timeout=self._timeout), address
        sent = dict(headers)
        if body is not None:
            sent["Content-Type"] = "application/json"
        try:
            self._connection.request(
                method, f"/v1{path}", None if body is None else json.dumps(body).encode(), sent
            )
            answer = self._connection.getresponse()
            text = answer.read()
        except (OSError, HTTPException):
            self.close()
            return None
        replayed = answer.headers.get("Idempotency-Replayed") == "true"
        wait = float(answer.headers.get("Retry-After", 0))
        return Answer(answer.status, json.loads(text) if text else None, replayed, wait)

    def send(self, request: Request) -> Answer | None:
        """Send a copy of a write, and note its answer."""
        headers = {**request.headers, "Idempotency-Key": request.key}
        answer = self.ask(request.method, request.path, headers, request.body)
        if answer is not None:
            request.answers.append(answer)
        return answer

    def close(self) -> None:
        """Close the connection, if there is one."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


class Effect(NamedTuple):
    """A request as far as the fifth invariant goes."""

    method: str
    path: str
    digests: tuple[str, ...]  # of the bodies with which it was told to be done
    fresh: int  # how many of them were not marked as repetitions
    opened: tuple[str, int] | None  # a table, at a version
    answered: bool

    @property
    def done(self) -> bool:
        """Was it done?"""
        return bool(self.digests)


def effect_of(request: Request) -> Effect:
    """What is to be remembered of a request."""
    done = [answer for answer in request.answers if answer.done]
    digests = sorted({f"{answer.status} {_digest(answer.body)}" for answer in done})
    opened = None
    if done and request.path == "/tables":
        opened = done[0].body["id"], done[0].body["version"]
    fresh = sum(not answer.replayed for answer in done)
    return Effect(request.method, request.path, tuple(digests), fresh, opened, request.final is not None)


def _digest(body: Any) -> str:
    return sha256(json.dumps(_repeated(body), sort_keys=True).encode()).hexdigest()


def _repeated(body: Any) -> Any:
    if isinstance(body, list):
        return [_repeated(item) for item in body]
    if isinstance(body, dict):
        return {name: _repeated(item) for name, item in body.items() if name not in _NOT_REPEATED}
    return body


def check_effects(book: Book, effects: Iterable[Effect]) -> Iterator[Fault]:
    """5: n copies of a request have one effect and one answer. The journal must hold every write there was."""
    counts: dict[str, int] = defaultdict(int)
    opened: dict[str, int] = {}
    for effect in effects:
        if len(effect.digests) > 1 or effect.fresh > 1:
            told = f"{effect.fresh} first answers, {len(effect.digests)} different ones"
            yield Fault(5, f"{effect.method} {effect.path}: {told}")
        if not effect.answered:
            yield Fault(5, f"{effect.method} {effect.path} was never answered")
        if effect.done:
            parts = effect.path.split("/")
            counts["/".join(parts[:3]) if parts[1] == "tables" else effect.method + effect.path] += 1
            opened |= dict([effect.opened]) if effect.opened else {}
    wanted = {
        "POST/players": len(book.rows["players"]),
        "POST/players/me/bankroll/refills": len(book.rows["refills"]),
        "/tables": len(book.tables),
        "DELETE/players/me": sum(row["deleted_at"] is not None for row in book.rows["players"]),
    }
    for what, found in wanted.items():
        if found != counts[what]:
            yield Fault(5, f"{what}: {counts[what]} requests were done, there are {found} effects")
    gone = {row["id"] for row in book.rows["players"] if row["deleted_at"] is not None}
    # Whoever is deleted takes his name from the closed tables where he has a seat, which changes them once more.
    unnamed = Counter(row["table_id"] for row in book.rows["seats"] if row["player_id"] in gone)
    for name, table in book.tables.items():
        asked, steps = counts[f"/tables/{name}"] + unnamed[name], table["version"] - opened.get(name, 0)
        if steps < asked or (steps > asked and not table["turn_seconds"]):  # a clock changes a table too
            yield Fault(5, f"{name}: {asked} requests were done, it has changed {steps} times")
