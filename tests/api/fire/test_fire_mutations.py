"""Each of the eight invariants of `api.md` («Money») is tested by something that fails when its guard is gone.

A test does the same twice: with the service as it is, which breaks nothing, and with the guard removed, which breaks
the invariant. What is broken is found from the rows alone (`invariants.py`), or in the journal of requests.
"""

import os
import signal
from collections.abc import Callable
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from itertools import count
from threading import Thread
from typing import Any

import pytest
from flask import Flask
from sqlalchemy.exc import DBAPIError

from api import idempotency
from api.db import Database
from api.models import HOUSE
from api.services import ledger
from api.services.errors import InsufficientFunds
from api.services.tables import change
from casino.banking import money
from tests.api.fire.book import read
from tests.api.fire.invariants import Fault, faults
from tests.api.fire.mutation import changeable, unchecked, without
from tests.api.fire.wire import Answer, Request, check_effects, effect_of
from tests.api.postgresql import administer
from tests.api.tables.people import Person

_others = count(900_000)


class Scene:
    """An application on a database, with what the tests do in it."""

    def __init__(self, app: Flask, database: Database, url: str, patch: pytest.MonkeyPatch) -> None:
        self.app, self.database, self.url, self.patch = app, database, url, patch
        self.stack = ExitStack()
        self.in_child: Callable[[], object] = lambda: None  # what a process does before it works and dies

    def person(self) -> Person:
        """A new player."""
        return Person(self.app, "Ada")

    def house_table(self, who: Person) -> str:
        """A table of rules of its own: nothing that was worked out for another table is used for it."""
        table: str = who.open(options={"bank_limits": {"min": 100, "max": next(_others)}})["id"]
        return table

    def faults(self) -> list[Fault]:
        """What the rows tell."""
        return faults(self.url)


@pytest.fixture
def scene(app: Flask, database: Database, database_url: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    made = Scene(app, database, database_url, monkeypatch)
    with made.stack:
        yield made


def holds(
    scene: Scene, number: int, do: Callable[[Scene], list[Fault]], remove: Callable[[], object]
) -> None:
    """As it is nothing is broken; without the guard this invariant is."""
    assert do(scene) == []
    remove()
    assert number in {fault.invariant for fault in do(scene)}


# 1. The sum over all accounts is 0; each balance equals its entries and the last running balance.


def two_register(scene: Scene) -> list[Fault]:
    """Two grants from the mint, one after the other."""
    scene.person()
    scene.person()
    return scene.faults()


def test_1_balances_are_read_in_the_transaction_that_changes_them(scene: Scene) -> None:
    """Guard: `ledger.post` goes by the balances that it reads under its lock. Without: by those it read first."""
    guard, seen = "account: found.balance for", "account: seen.setdefault(account, found.balance) for"
    holds(scene, 1, two_register, lambda: without(scene.patch, ledger, "post", guard, seen, seen={}))


# 2. Only the mint is negative.


def overdraw(scene: Scene) -> list[Fault]:
    """A wallet of 1000 chips gives 1001."""
    who = scene.person()
    with suppress(InsufficientFunds, DBAPIError), scene.database.write() as session:
        entry = ledger.Entry(ledger.wallet_of(session, who.id), HOUSE, 1001, "gift")
        ledger.post(session, [entry], datetime.now(UTC))
    return scene.faults()


def test_2_nobody_gives_what_he_has_not(scene: Scene) -> None:
    """Guards: `ledger._apply` refuses, and so does the CHECK of the database. Without both."""

    def remove() -> None:
        without(scene.patch, ledger, "_apply", "left < 0 and entry.source != MINT", "False")
        assert overdraw(scene) == [], "the CHECK alone is enough"
        scene.stack.enter_context(unchecked(scene.database, scene.url))

    holds(scene, 2, overdraw, remove)


# 3. A stake is held with its worst loss, and ends exactly once.


def stake_ten(scene: Scene) -> list[Fault]:
    """A stake of 10 at a table where it may lose 30, and win 30."""
    who = scene.person()
    who.do(scene.house_table(who), "stake 10")
    return scene.faults()


def test_3_a_stake_is_held_with_its_worst_loss(scene: Scene) -> None:
    """Guard: `money.hold`. Without: the stake alone is held."""
    holds(
        scene,
        3,
        stake_ten,
        lambda: without(scene.patch, money, "hold", "stake * plan.worst_loss", "stake"),
    )


# 4. A coup nets to zero over all seats and its escrow is 0 afterwards.


def play_coups(scene: Scene) -> list[Fault]:
    """Three coups to their ends, or as far as they go."""
    who = scene.person()
    table = scene.house_table(who)
    for _ in range(3):
        for action in ("stake 10", "stand"):
            who.ask("POST", f"/tables/{table}/actions", json={"action": action})
    return scene.faults()


def test_4_a_coup_clears_its_escrow(scene: Scene) -> None:
    """Guard: `money.release` brings both sides their part. Without: the bank's part stays where it is."""
    holds(scene, 4, play_coups, lambda: without(scene.patch, money, "release", "if kept:", "if False:"))


# 5. n copies of a request in parallel have one effect and one answer.


def five_copies(scene: Scene) -> list[Fault]:
    """A registration, five copies at a time."""
    known = len(read(scene.url).rows["players"])
    request = Request("POST", "/players", {"name": "Ada"}, {}, f"key-{known}")

    def send() -> None:
        client, headers = scene.app.test_client(), {"Idempotency-Key": request.key}
        told = client.post("/v1/players", json=request.body, headers=headers)
        replayed = "Idempotency-Replayed" in told.headers
        request.answers.append(Answer(told.status_code, told.json, replayed, 0))

    threads = [Thread(target=send) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    book = read(scene.url)
    book.rows["players"] = book.rows["players"][known:]
    return list(check_effects(book, [effect_of(request)]))


def test_5_copies_find_the_first_ones_answer(scene: Scene) -> None:
    """Guard: `Claim.take`, by which whoever comes second gives the stored answer. Without: he does it again."""
    holds(
        scene,
        5,
        five_copies,
        lambda: without(scene.patch, idempotency.Claim, "take", "stored = self.find(session)", "return None"),
    )


# 6. Every coup taken is covered: the bank can pay the worst case.


def test_6_a_stake_is_held_with_the_banks_worst_payout(scene: Scene) -> None:
    """Guard: `money.hold` takes from the bank what the stake may win. Without: the bank covers it once."""
    holds(
        scene,
        6,
        stake_ten,
        lambda: without(scene.patch, money, "hold", "stake * plan.worst_payout", "stake"),
    )


# 7. A process killed at any point leaves 1 to 6 true, and the coup resumes or is voided.


def killed_while_settling(scene: Scene) -> list[Fault]:
    """A process dies while it settles a coup; what is broken then. If nothing is, another settles it."""
    who = scene.person()
    table = scene.house_table(who)
    while who.do(table, "stake 10")["phase"] != "play":
        continue
    child = os.fork()
    if child == 0:
        # It has connections of its own (`Database._forget`), and dies when all is written but the transfers.
        scene.in_child()
        scene.patch.setattr(ledger, "post", lambda *_: os.kill(os.getpid(), signal.SIGKILL))
        try:
            who.do(table, "stand")
        finally:
            os._exit(1)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL
    found = [Fault(7, f"{fault.invariant}: {fault.text}") for fault in scene.faults()]
    if not found:
        assert who.do(table, "stand")["last"]["coup"] == 1, "the coup is resumed"
        found = scene.faults()
    return found


def test_7_a_coup_is_settled_in_one_transaction(scene: Scene) -> None:
    """Guard: `change.commit` writes all in the one transaction of the request. Without: part is committed before."""
    guard = "batch.run(connection)"
    early = f"{guard}; connection.exec_driver_sql('COMMIT')"

    def remove() -> None:
        scene.in_child = lambda: without(scene.patch, change, "commit", guard, early)

    holds(scene, 7, killed_while_settling, remove)


# 8. Replaying the events from nothing gives the same balances and hashes.


def change_the_past(scene: Scene) -> list[Fault]:
    """Somebody who has the database moves the time of a transfer."""
    scene.person()
    with suppress(DBAPIError):
        administer(scene.url, "UPDATE transfers SET at = at + 1 WHERE seq = 1")
    return scene.faults()


def test_8_the_database_refuses_to_change_a_transfer(scene: Scene) -> None:
    """Guard: the triggers of `migrations/append_only.py`. Without: the hashes of a replay are others."""
    holds(
        scene,
        8,
        change_the_past,
        lambda: scene.stack.enter_context(changeable(scene.database, scene.url)),
    )
