"""The fault simulator: players at several tables, a server that is killed, a network that duplicates and reorders.

    python -m tests.api.fire.simulator [--seed N] [--rounds M] [--runs K] [--database sqlite|postgresql] [--plan]

The seed fixes what goes wrong and when (`faultplan.py`), and what players draw when they decide; `--plan` prints the
faults as JSON and plays nothing. Cards are dealt by the server's own chance. After every round, when all requests are
answered, the eight invariants of `api.md` are checked from the rows alone (`invariants.py`, `wire.py`); at the end
everybody leaves, nothing may be open any more, and `macao ledger check` has its say. It ends with 1 if anything was
found, and prints the seed either way.
"""

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from threading import Thread, Timer
from time import monotonic, sleep

from tests.api.fire.book import read
from tests.api.fire.faultplan import Batch, Death, Round, rounds
from tests.api.fire.fresh import KINDS, databases
from tests.api.fire.gambler import Gambler, SilenceError
from tests.api.fire.invariants import CHECKS, Fault
from tests.api.fire.server import PATIENCE, Server, audit
from tests.api.fire.wire import Request, Wire, check_effects, effect_of

PLAYERS = 4


class Simulator:
    """One run on a database that is fresh and migrated."""

    def __init__(self, url: str, folder: Path, seed: int) -> None:
        self.url, self.seed = url, seed
        self.clocks = seed % 4 == 3  # then half of the tables have a second to act
        self.server = Server(url, folder, mortal=True)
        lobby: list[str] = []
        self.gamblers = [
            Gambler(f"p{at}", Random(f"{seed} {at}"), self._wire(), lobby, clocks=self.clocks)
            for at in range(PLAYERS)
        ]
        self.requests: list[Request] = []
        self.late: list[
            tuple[int, Request]
        ] = []  # copies still on their way, and the batch in which they arrive
        self.batches = 0

    def _wire(self) -> Wire:
        return Wire(lambda: self.server.address)

    def run(self, plan: Iterator[Round]) -> list[Fault]:
        """Play the rounds and wind up; the faults of the first round that has any."""
        try:
            for item in plan:
                self._round(item)
                if found := self.check():
                    return found
            return self._wind_up()
        finally:
            self.server.kill()

    def check(self) -> list[Fault]:
        """The eight invariants, as things stand."""
        book = read(self.url)
        found = [fault for check in CHECKS for fault in check(book)]
        found += check_effects(book, map(effect_of, self.requests))
        crashes = {f"{item.method} {item.path}" for item in self.requests if item.crashed}
        return found + [Fault(7, f"{what} was answered with 500") for what in sorted(crashes)]

    def _round(self, item: Round) -> None:
        timer = self._sentence(item.death)
        for batch in item.batches:
            self._batch(batch)
        if timer is not None:
            timer.join()
        self.server.spare()
        self.ensure_alive()

    def _sentence(self, death: Death | None) -> Timer | None:
        if death is None:
            return None
        if death.point != "outside":
            self.server.doom(death.point, death.after, whole=death.whole)
            return None
        timer = Timer(death.after / 1000, self.server.shoot)
        timer.start()
        return timer

    def _batch(self, batch: Batch) -> None:
        """Send what these players wish, as the plan handles it, until everything is answered; then they learn."""
        self.batches += 1
        wishes = [(self.gamblers[at], self.gamblers[at].wish()) for at in batch.order]
        asked = [(gambler, request) for gambler, request in wishes if request is not None]
        sent: list[tuple[Request, int]] = []
        arriving = [(gambler, request) for due, gambler, request in self.late if due <= self.batches]
        self.late = [item for item in self.late if item[0] > self.batches]
        for (gambler, request), handling in zip(asked, batch.handling, strict=False):
            self.requests.append(request)
            sent += [(request, delay) for delay in handling.delays]
            if handling.late:
                self.late.append((self.batches + handling.late, gambler, request))
        self._send(sent + [(request, 0) for _, request in arriving])
        for gambler, request in asked + arriving:
            self._insist(request)
            gambler.learn(request)

    def _send(self, copies: list[tuple[Request, int]]) -> None:
        threads = [Thread(target=self._send_one, args=copy) for copy in copies]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _send_one(self, request: Request, delay: int) -> None:
        sleep(delay / 1000)
        wire = self._wire()
        wire.send(request)
        wire.close()

    def _insist(self, request: Request) -> None:
        """Ask again until there is an answer, as a client must that does not know what became of its request."""
        until = monotonic() + PATIENCE
        while request.final is None and not request.crashed:
            if monotonic() > until:
                raise TimeoutError(f"no answer to {request.method} {request.path}, seed {self.seed}")
            self.ensure_alive()
            wire = self._wire()
            answer = wire.send(request)
            wire.close()
            if answer is None or answer.status == 503:
                sleep(0.02)

    def ensure_alive(self) -> None:
        if not self.server.alive:
            self.server.revive()

    def _wind_up(self) -> list[Fault]:
        """What is on its way arrives, everybody leaves; then no chip may be at any table, and the auditors agree."""
        for _, gambler, request in self.late:
            self._insist(request)
            self._send([(request, 0)])
            gambler.learn(request)
        for gambler in self.gamblers:
            self._leave_all(gambler)
        found = self.check()
        book = read(self.url)
        found += [
            Fault(7, f"{table['id']} is {table['phase']}, and nobody is there")
            for table in book.tables.values()
            if table["phase"] != "closed"
        ]
        found += [
            Fault(7, f"{coup['id']} is open") for coup in book.coups.values() if coup["status"] == "open"
        ]
        told = audit(self.url)
        return found + [Fault(1, f"macao ledger check: {item}") for item in told["findings"]]

    def _leave_all(self, gambler: Gambler) -> None:
        until = monotonic() + PATIENCE
        while monotonic() < until:
            try:
                request = gambler.leave_one()
            except SilenceError:  # the server is dead, or its worker is
                self.ensure_alive()
                sleep(0.02)
                continue
            if request is None:
                return
            self.requests.append(request)
            self._insist(request)
            gambler.learn(request)
        raise TimeoutError(f"{gambler.name} cannot leave, seed {self.seed}")

    def summary(self) -> str:
        """What was done, in a line."""
        book = read(self.url)
        ended = Counter(coup["status"] for coup in book.coups.values())
        copies = sum(len(request.answers) for request in self.requests)
        return (
            f"{len(self.requests)} requests, {copies} answers, {self.server.starts - 1} starts after a death,"
            f" {len(book.tables)} tables, {len(book.transfers)} transfers, coups {dict(ended)}"
        )


def simulate(url: str, seed: int, count: int) -> tuple[list[Fault], str]:
    """A whole run: what was found, and what was done."""
    with tempfile.TemporaryDirectory(prefix="macao-fire-") as folder:
        simulator = Simulator(url, Path(folder), seed)
        found = simulator.run(rounds(seed, count, PLAYERS))
        return found, simulator.summary()


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description="Kill the server again and again, and look for lost chips.")
    parser.add_argument("--seed", type=int, default=None, help="the first seed; by chance where absent")
    parser.add_argument("--rounds", type=int, default=20, help="rounds a run")
    parser.add_argument("--runs", type=int, default=1, help="runs, with one seed after another")
    parser.add_argument("--database", default="sqlite", choices=KINDS)
    parser.add_argument("--plan", action="store_true", help="print what would go wrong, and play nothing")
    wanted = parser.parse_args()
    first = Random().randrange(10**6) if wanted.seed is None else wanted.seed
    if wanted.plan:
        for item in rounds(first, wanted.rounds, PLAYERS):
            print(json.dumps(item.told()))
        return 0
    with databases(wanted.database) as fresh:
        for seed in range(first, first + wanted.runs):
            print(f"seed {seed} on {wanted.database}, {wanted.rounds} rounds", flush=True)
            found, summary = simulate(fresh(), seed, wanted.rounds)
            print(f"  {summary}", flush=True)
            for fault in found:
                print(f"  invariant {fault.invariant}: {fault.text}")
            if found:
                print(f"FAILED: again with --seed {seed} --rounds {wanted.rounds}")
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
