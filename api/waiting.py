"""Waiting for events of tables: many requests, one watcher a process, no transaction held while waiting.

The watcher asks the database for the numbers of the last events of the watched tables, every `INTERVAL` seconds and
only while somebody waits; so an event committed by any process on any host is seen. What this process commits itself
it tells at once (`poke`). At most `most` may wait; the next is refused, and its request answered at once.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from threading import Condition, Thread
from time import monotonic
from typing import Final

import structlog

INTERVAL: Final = 0.02
_PATIENCE: Final = 0.5  # longest sleep of a waiter, so that a stopping service is noticed
Ask = Callable[[Sequence[str]], dict[str, int]]

_log = structlog.get_logger()


class TooManyWaiters(Exception):
    """All places for waiting are taken."""


class Watcher:
    """Wakes those who wait for an event of a table. `ask` gives the last numbers of some tables."""

    def __init__(self, ask: Ask, most: int, stopping: Callable[[], bool]) -> None:
        self._ask = ask
        self._most = most
        self._stopping = stopping
        self._changed = Condition()
        self._waiting: Counter[str] = Counter()
        self._last: dict[str, int] = {}
        self._thread: Thread | None = None
        self._faulty = False  # did the last question fail?

    def poke(self, table: str, last: int) -> None:
        """Tell that this process committed events of a table, up to this number."""
        with self._changed:
            if table in self._waiting:
                self._note({table: last})

    def wait(self, table: str, after: int, seconds: float) -> bool:
        """Wait until the table has an event above `after`; False if time is up or the service stops.

        Raises TooManyWaiters at once where all places are taken.
        """
        until = monotonic() + seconds
        with self._changed:
            self._enter(table)
            try:
                while self._last.get(table, 0) <= after:
                    left = until - monotonic()
                    if left <= 0 or self._stopping():
                        return False
                    self._changed.wait(min(left, _PATIENCE))
                return True
            finally:
                self._leave(table)

    def _enter(self, table: str) -> None:
        if self._waiting.total() >= self._most:
            raise TooManyWaiters
        self._waiting[table] += 1
        if self._thread is None:
            self._thread = Thread(target=self._watch, name="events", daemon=True)
            self._thread.start()

    def _leave(self, table: str) -> None:
        self._waiting[table] -= 1
        if not self._waiting[table]:
            del self._waiting[table]
            self._last.pop(table, None)

    def _note(self, numbers: dict[str, int]) -> None:
        news = {table: last for table, last in numbers.items() if last > self._last.get(table, 0)}
        if news:
            self._last.update(news)
            self._changed.notify_all()

    def _watch(self) -> None:
        """Ask again and again while somebody waits. A failing database ends the wait of nobody: it is asked anew."""
        while True:
            with self._changed:
                if not self._waiting or self._stopping():
                    self._thread = None
                    self._changed.notify_all()
                    return
                tables = list(self._waiting)
            numbers = self._asked(tables)
            with self._changed:
                self._note({table: last for table, last in numbers.items() if table in self._waiting})
                self._changed.wait(INTERVAL)

    def _asked(self, tables: Sequence[str]) -> dict[str, int]:
        """The numbers; none where the database fails, of which the first of a run of faults is logged."""
        try:
            numbers = self._ask(tables)
        except Exception:
            if not self._faulty:
                _log.exception(
                    "events",
                    fault="they cannot be read; they are asked for again, without another line, till they can",
                )
            self._faulty = True
            return {}
        self._faulty = False
        return numbers
