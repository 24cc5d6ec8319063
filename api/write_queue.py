"""Writers queue before the database, so that SQLite's busy handler (which sleeps) is never needed.

Within a process a lock is the queue; across processes an advisory `flock` on a file beside the database. The
kernel wakes a waiter at once and frees the lock of a process that dies, whatever it was doing.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock, get_ident

from api.services.errors import Busy


class WriteQueue:
    """One holder at a time over all threads and processes that name the same file."""

    def __init__(self, path: Path, *, patience: float) -> None:
        self.path = path
        self.patience = patience
        self.forget()

    def forget(self) -> None:
        """Start anew in a forked child: it must not share the parent's file, to which the lock belongs."""
        self._lock = Lock()
        self._holder: int | None = None
        self._file: int | None = None

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for the turn and keep it for the block. Raises Busy after `patience` seconds of waiting."""
        if self._holder == get_ident():
            raise RuntimeError("a write transaction is open in this thread already")
        if not self._lock.acquire(timeout=self.patience):
            raise Busy(f"writers have queued for {self.patience:g} s; nothing was changed")
        try:
            self._holder = get_ident()
            file = self._open()
            fcntl.flock(file, fcntl.LOCK_EX)
            try:
                yield
            finally:
                fcntl.flock(file, fcntl.LOCK_UN)
        finally:
            self._holder = None
            self._lock.release()

    def _open(self) -> int:
        if self._file is None:
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
        return self._file

    def close(self) -> None:
        """Close the file; the next turn opens it again."""
        with self._lock:
            if self._file is not None:
                os.close(self._file)
                self._file = None
