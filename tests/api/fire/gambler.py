"""Players who decide at random what to ask next, from what they are shown: several tables each, of three kinds."""

from collections.abc import Callable
from random import Random
from typing import Any

from tests.api.fire.book import Json
from tests.api.fire.wire import Answer, Request, Wire

ME, OPEN, BOT = {"kind": "me"}, {"kind": "open"}, {"kind": "bot"}
_MOST_TABLES = 3
# How often what is wished; the rest is play.
_REFILL, _SIT, _LEAVE, _GO, _AUTOPLAY = 0.06, 0.10, 0.05, 0.04, 0.10

KINDS: dict[str, Callable[[Random], Json]] = {
    "house": lambda rng: {"game": "house", "seats": [ME, *[BOT] * rng.randrange(3)]},
    "bank goes round": lambda rng: {
        "game": rng.choice(["russian-even", "russian-even-active", "russian-multiple-active", "continental"]),
        "bank": "rotates",
        "seats": [ME, OPEN, *[BOT] * rng.randrange(2)],
        "options": {"seats_change": "coup", "stake_limits": {"min": 5, "max": 50, "step": 5}},
    },
    "match": lambda rng: {
        "game": "russian-104",
        "seats": [ME, rng.choice([OPEN, BOT])],
        "ante": rng.choice([0, 10]),
        "chips_per_point": rng.randrange(2),
        "target": 60,
    },
}


class SilenceError(Exception):
    """A question was not answered."""


class Gambler:
    """A player. `lobby` is what all share: tables at which a seat was open; `wire` only reads here."""

    def __init__(self, name: str, rng: Random, wire: Wire, lobby: list[str], *, clocks: bool = False) -> None:
        self.name, self.rng, self.wire, self.lobby, self.clocks = name, rng, wire, lobby, clocks
        self.headers: dict[str, str] = {}
        self.tables: list[str] = []
        self.asked = 0

    def view(self, table: str) -> Json | None:
        """The table as he sees it, if he still sits there. Raises SilenceError."""
        answer = self.wire.ask("GET", f"/tables/{table}", self.headers)
        if answer is None or answer.status >= 500:
            raise SilenceError
        view: Json | None = answer.body if answer.done else None
        return view if view and view["phase"] != "closed" and view["you"] is not None else None

    def wish(self) -> Request | None:
        """What to ask next; None if nothing can be done just now."""
        try:
            return self._wish()
        except SilenceError:
            return None

    def _wish(self) -> Request | None:
        if not self.headers:
            return self._request("POST", "/players", {"name": self.name})
        roll = self.rng.random()
        for share, wish in (
            (_REFILL, self._refill),
            (_SIT, self._sit),
            (_LEAVE, self._leave),
            (_GO, self._go),
        ):
            if roll < share:
                return wish()
            roll -= share
        return self._play() if self.tables else self._sit()

    def learn(self, request: Request) -> None:
        """Take note of what came of a request."""
        answer = request.final
        mine = request.headers in ({}, self.headers)  # or of the player that he was before he deleted himself
        if answer is None or request.learned or not mine:
            return
        if not answer.done:
            self.headers = {} if answer.status == 401 else self.headers
            return
        request.learned = True
        if request.path == "/players":
            self._begin(answer)
        elif request.path == "/players/me":
            self.headers, self.tables = {}, []
        elif request.path == "/tables" or request.path.endswith("/seats"):
            self.tables.append(answer.body["id"])
            if any(seat["kind"] == "open" for seat in answer.body["seats"]):
                self.lobby.append(answer.body["id"])
        elif request.method == "DELETE" and answer.body["id"] in self.tables:
            self.tables.remove(answer.body["id"])

    def leave_one(self) -> Request | None:
        """The request to leave a table at which he sits; None if he sits nowhere any more. Raises SilenceError."""
        while self.tables:
            view = self.view(self.tables[-1])
            if view is not None and not view["seats"][view["you"]["seat"]]["leaving"]:
                return self._request("DELETE", f"/tables/{view['id']}/seats/{view['you']['seat']}")
            self.tables.pop()
        return None

    def _begin(self, answer: Answer) -> None:
        """A key that was told to nobody, because its answer was lost, is gone: then he registers again."""
        if "api_key" in answer.body:
            self.headers = {"Authorization": f"Bearer {answer.body['api_key']}"}

    def _request(self, method: str, path: str, body: Json | None = None) -> Request:
        self.asked += 1
        key = f"{self.name}-{self.asked}-{self.rng.getrandbits(48):x}"
        return Request(method, path, body, dict(self.headers), key)

    def _refill(self) -> Request:
        return self._request("POST", "/players/me/bankroll/refills")

    def _sit(self) -> Request | None:
        if len(self.tables) >= _MOST_TABLES:
            return self._play()
        others = [table for table in self.lobby if table not in self.tables]
        if others and self.rng.random() < 0.6:
            table = self.rng.choice(others)
            if self.rng.random() < 0.5:
                self.lobby.remove(table)
            return self._request("POST", f"/tables/{table}/seats", {})
        body = KINDS[self.rng.choice(sorted(KINDS))](self.rng)
        clock = 1 if self.clocks and self.rng.random() < 0.5 else 0
        return self._request("POST", "/tables", {**body, "turn_seconds": clock})

    def _leave(self) -> Request | None:
        self.rng.shuffle(self.tables)
        return self.leave_one()

    def _go(self) -> Request | None:
        """Delete himself, which is refused while he sits somewhere; rather leave first."""
        return self._leave() if self.tables else self._request("DELETE", "/players/me")

    def _play(self) -> Request | None:
        for table in self.rng.sample(self.tables, len(self.tables)):
            view = self.view(table)
            if view is None:
                self.tables.remove(table)
                continue
            play = view["play"]
            if view["legal"] and play is not None and view["you"]["seat"] in play.get("awaited", ()):
                return self._act(view)
        return None

    def _act(self, view: Json) -> Request:
        path = f"/tables/{view['id']}/actions"
        if view["bank"] == "house" and self.rng.random() < _AUTOPLAY:
            return self._request("POST", path, {"action": "autoplay", "stake": 5, "coups": 5})
        return self._request("POST", path, {"action": self._choose(view["legal"])})

    def _choose(self, legal: list[Any]) -> str:
        """Anything legal, small amounts; more seldom what holds play up."""
        slow = ("pass", "sit", "close", "draw")
        texts = [item for item in legal if isinstance(item, str)]
        ranges = [item for item in legal if not isinstance(item, str) and "seed" not in item]
        lively = [*[text for text in texts if text not in slow], *ranges]
        item = self.rng.choice(lively if lively and self.rng.random() < 0.8 else [*texts, *ranges])
        if isinstance(item, str):
            return item
        ((verb, limits),) = item.items()
        steps = min(6, (limits["max"] - limits["min"]) // limits["step"])
        return f"{verb} {limits['min'] + limits['step'] * self.rng.randint(0, steps)}"
