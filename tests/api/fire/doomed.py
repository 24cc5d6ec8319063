"""`macao serve` that dies where a sentence says: `python -m tests.api.fire.doomed`, in the place of `macao serve`.

The sentence is a JSON file named by FIRE_SENTENCE, which may come while the server runs: `{"point", "after", "whole"}`.
The `after`-th passing of the point from then on kills this process with SIGKILL, or with `whole` its whole group:

    before_flush    before rows that are held in memory are written
    statement       before a statement that writes
    before_commit   all is written, nothing committed
    after_commit    committed, nobody told

The file is removed before, so that a server that starts again lives on. It starts often, so it is lean: it does not
warm the analysis, of which nothing here is asked, and tables do not tell what bank they need.
"""

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import Any

from sqlalchemy import Connection, Engine, event
from sqlalchemy.orm import Session

from api import server
from api.cli import main
from api.services.tables import banking

POINTS = ("before_flush", "statement", "before_commit", "after_commit")
_WRITES = ("INSERT", "UPDATE", "DELETE")


class Doom:
    """Counts down to the end."""

    def __init__(self, sentence: Path) -> None:
        self._sentence = sentence
        self._lock = Lock()
        self._read: tuple[int, int] | None = None  # which file was read: its number and time
        self._point, self._left, self._whole = "", 0, False

    def passing(self, point: str) -> None:
        """Die, if it is time."""
        with self._lock:
            self._look()
            if point != self._point:
                return
            self._left -= 1
            if self._left > 0:
                return
            self._sentence.unlink(missing_ok=True)
            if self._whole:
                os.killpg(0, signal.SIGKILL)
            os.kill(os.getpid(), signal.SIGKILL)

    def _look(self) -> None:
        try:
            found = self._sentence.stat()
        except FileNotFoundError:
            self._point, self._read = "", None
            return
        which = found.st_ino, found.st_mtime_ns
        if which != self._read:
            told = json.loads(self._sentence.read_text())
            self._point, self._left, self._whole = told["point"], told["after"], told["whole"]
            self._read = which


def listen(doom: Doom) -> None:
    """Put the points where the service writes, on whichever database."""
    event.listen(Session, "before_flush", lambda *_: doom.passing("before_flush"))

    def before_statement(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if statement.lstrip().startswith(_WRITES):
            doom.passing("statement")

    event.listen(Engine, "before_cursor_execute", before_statement)
    commit: Callable[[Connection], None] = Connection._commit_impl

    def committing(connection: Connection) -> None:
        doom.passing("before_commit")
        commit(connection)
        doom.passing("after_commit")

    Connection._commit_impl = committing  # type: ignore[method-assign]


class NoWarmer:
    """In the place of what warms the analysis."""

    def __init__(self, _service: object) -> None: ...

    def start(self) -> None:
        """Nothing."""


if __name__ == "__main__":
    server.Warmer = NoWarmer  # type: ignore[assignment,misc]
    banking.bank_needed = lambda *_: None  # type: ignore[assignment]
    listen(Doom(Path(os.environ["FIRE_SENTENCE"])))
    main(["serve"])
