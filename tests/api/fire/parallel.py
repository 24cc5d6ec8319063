"""Clients in many processes play at the same tables, at two servers on one database; then everything is audited.

Each process has some players. Now and then it sends copies of a request at once, to both servers.
"""

import multiprocessing
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from random import Random
from threading import Thread
from time import monotonic, sleep
from typing import NamedTuple

from tests.api.fire.book import read
from tests.api.fire.gambler import Gambler, SilenceError
from tests.api.fire.invariants import CHECKS, Fault
from tests.api.fire.server import PATIENCE, Server, audit
from tests.api.fire.wire import Effect, Request, Wire, check_effects, effect_of

PLAYERS = 3  # in a process
_COPIED = 0.08  # share of requests that are sent several times at once
_NEWS = 15  # requests after which a process looks again which tables have an open seat


class Share(NamedTuple):
    """What one process did: its writes, how many questions it asked besides, and how writes were answered."""

    effects: list[Effect]
    reads: int
    statuses: Counter[int]


@dataclass
class Outcome:
    """A whole run. `seconds` from the first request to the last; a `write` is a request, whatever its copies."""

    faults: list[Fault]
    writes: int
    reads: int
    seconds: float
    statuses: Counter[int]
    transfers: int
    coups: int

    def told(self) -> str:
        """In a line."""
        statuses = ", ".join(f"{status}: {count}" for status, count in sorted(self.statuses.items()))
        return (
            f"{self.writes:,} writes and {self.reads:,} reads in {self.seconds:.0f} s"
            f" ({self.writes / self.seconds:.0f} writes/s); answers {statuses};"
            f" {self.coups:,} coups, {self.transfers:,} transfers; {len(self.faults)} faults"
        )


def run(url: str, folder: Path, *, processes: int, writes: int, seed: int = 1, lean: bool = False) -> Outcome:
    """Play on a fresh database until so many writes are answered, leave, and audit. `lean`: see `doomed.py`."""
    servers = [Server(url, _made(folder / str(at)), mortal=lean) for at in range(2)]
    addresses = [server.address for server in servers]
    try:
        started = monotonic()
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(processes, mp_context=context) as pool:
            each = -(-writes // processes)
            jobs = [
                pool.submit(work, addresses, f"{at}", Random(f"{seed} {at}"), each) for at in range(processes)
            ]
            shares = [job.result() for job in jobs]
        seconds = monotonic() - started
        codes = [server.stop() for server in servers]
    finally:
        for server in servers:
            server.kill()
    return _judged(url, shares, seconds, codes)


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _judged(url: str, shares: Sequence[Share], seconds: float, codes: Sequence[int]) -> Outcome:
    book = read(url)
    effects = [effect for share in shares for effect in share.effects]
    found = [fault for check in CHECKS for fault in check(book)]
    found += check_effects(book, effects)
    found += [
        Fault(7, f"{row['id']} is {row['phase']}, and nobody is there")
        for row in book.tables.values()
        if row["phase"] != "closed"
    ]
    found += [Fault(1, f"macao ledger check: {item}") for item in audit(url)["findings"]]
    found += [Fault(7, f"a server ended with {code}") for code in codes if code]
    statuses = sum((share.statuses for share in shares), Counter[int]())
    if statuses[500]:
        found.append(Fault(7, f"{statuses[500]} answers of 500"))
    reads = sum(share.reads for share in shares)
    return Outcome(found, len(effects), reads, seconds, statuses, len(book.transfers), len(book.coups))


def work(addresses: Sequence[str], name: str, rng: Random, writes: int) -> Share:
    """What one process does."""
    return _Worker(addresses, name, rng).work(writes)


class _Worker:
    def __init__(self, addresses: Sequence[str], name: str, rng: Random) -> None:
        self.addresses, self.rng = addresses, rng
        self.wires = [Wire(lambda address=address: address) for address in addresses]  # type: ignore[misc]
        self.lobby: list[str] = []
        self.gamblers = [
            Gambler(f"p{name}-{at}", Random(rng.random()), rng.choice(self.wires), self.lobby, clocks=True)
            for at in range(PLAYERS)
        ]
        self.requests: list[Request] = []

    def work(self, writes: int) -> Share:
        idle = 0
        while len(self.requests) < writes:
            gambler = self.rng.choice(self.gamblers)
            if len(self.requests) % _NEWS == 0:
                self._look_round(gambler)
            request = gambler.wish()
            if request is None:
                idle += 1
                sleep(0.01 if idle % PLAYERS == 0 else 0)
            else:
                self._do(gambler, request)
        for gambler in self.gamblers:
            self._leave(gambler)
        statuses = Counter(answer.status for request in self.requests for answer in request.answers)
        effects = [effect_of(request) for request in self.requests]
        return Share(effects, sum(wire.reads for wire in self.wires), statuses)

    def _look_round(self, gambler: Gambler) -> None:
        answer = gambler.wire.ask("GET", "/tables?joinable=true&limit=20", gambler.headers)
        if answer is not None and answer.done:
            self.lobby[:] = [table["id"] for table in answer.body["tables"]]

    def _do(self, gambler: Gambler, request: Request) -> None:
        self.requests.append(request)
        if self.rng.random() < _COPIED:
            threads = [Thread(target=wire.send, args=(request,)) for wire in self.wires]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        until = monotonic() + PATIENCE
        while request.final is None and not request.crashed:
            if monotonic() > until:
                raise TimeoutError(f"no answer to {request.method} {request.path}")
            answer = gambler.wire.send(request)
            if answer is None or answer.status == 503:
                sleep(0.02)
        gambler.learn(request)

    def _leave(self, gambler: Gambler) -> None:
        until = monotonic() + PATIENCE
        while monotonic() < until:
            try:
                request = gambler.leave_one()
            except SilenceError:
                continue
            if request is None:
                return
            self._do(gambler, request)
        raise TimeoutError(f"{gambler.name} cannot leave")
