"""Writers of SQLite queue before the database, and those of one process that queue together are committed together.

Within a process they queue in the order of their coming; across processes by an advisory `flock` on a file beside
the database. SQLite's busy handler, which sleeps, is never needed; the kernel wakes a waiter at once and frees the
lock of a process that dies, whatever it was doing. Nobody waits longer than `MACAO_LOCK_SECONDS` for either.

A commit waits for the disk, about as long whatever it holds. So a writer who is done while others of his process
wait leaves the transaction open to the next, and the last of such a group commits for all. Each works in a savepoint
of his own: what he raises undoes what he did and nothing else. Nobody goes on before the commit that holds his work
is on the disk; if the group is lost (a full disk, a killed process) nobody in it was told of success.
"""

import fcntl
import os
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Lock, Thread, get_ident
from time import monotonic
from typing import Final

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError, IntegrityError

from api.services.errors import Busy

MOST: Final = 32  # writers in a group
LONGEST: Final = 0.05  # seconds that a group stays open to others: writers of other processes wait for it


class _Line:
    """A lock whose holder hands it to whoever has waited longest."""

    def __init__(self) -> None:
        self._mutex = Lock()
        self._waiting: deque[Lock] = deque()
        self._held = False

    def enter(self, seconds: float) -> bool:
        """Wait for the turn; False if it does not come in time."""
        with self._mutex:
            if not self._held:
                self._held = True
                return True
            ticket = Lock()
            ticket.acquire()
            self._waiting.append(ticket)
        if ticket.acquire(timeout=seconds):
            return True
        with self._mutex:
            if ticket not in self._waiting:
                return True  # handed over in the very last moment
            self._waiting.remove(ticket)
        return False

    def hand_over(self) -> bool:
        """Give the turn to the next, if there is one."""
        with self._mutex:
            if not self._waiting:
                return False
            self._waiting.popleft().release()
            return True

    def leave(self) -> None:
        """Give the turn to the next, or to whoever comes."""
        with self._mutex:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._held = False


class _Group:
    """Writers whose work one commit puts on the disk."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.started = monotonic()
        self.members = 0
        self.lost = False
        self._over = Event()
        self._error: BaseException | None = None

    @property
    def is_open(self) -> bool:
        """May another writer come into it?"""
        return not self.lost and self.members < MOST and monotonic() - self.started < LONGEST

    def end(self) -> None:
        """Commit, and wake everybody."""
        try:
            if self.lost:
                self.connection.rollback()
                raise Busy("the database failed another writer of the same group; nothing was changed")
            self.connection.commit()
        except BaseException as error:
            self._error = error
        finally:
            self.connection.close()
            self._over.set()

    def wait(self) -> None:
        """Wait for the end, whatever it is."""
        self._over.wait()

    def check(self) -> None:
        """Raise what the commit raised."""
        if self._error is not None:
            raise self._error


class _Waiter:
    """Waits for an exclusive `flock`, on behalf of one thread at a time and no longer than that thread wants.

    The kernel knows no such limit, but serves those who wait in the order of their coming. So a thread waits, with the
    file opened anew; what it gets when nobody wants it any more it gives back at once.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._mutex = Lock()
        self._got = Event()
        self._file: int | None = None
        self._is_waiting = False
        self._is_wanted = False

    def wait(self, seconds: float) -> int | None:
        """The file that is locked; None if it does not come in time."""
        with self._mutex:
            self._is_wanted = True
            if not self._is_waiting:
                file = _open_file(self._path)
                Thread(target=self._take, args=(file,), name="write lock", daemon=True).start()
                self._is_waiting = True
        self._got.wait(seconds)
        with self._mutex:
            self._is_wanted = False
            self._got.clear()
            found, self._file = self._file, None
        return found

    def _take(self, file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX)
        with self._mutex:
            self._is_waiting = False
            if self._is_wanted:
                self._file = file
                self._got.set()
            else:
                fcntl.flock(file, fcntl.LOCK_UN)
                os.close(file)


def _open_file(path: Path) -> int:
    """The file beside the database that its writers lock."""
    return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)


class WriteQueue:
    """One writer at a time over all threads and processes that name the same file.

    `connect` gives a connection for a group, on which it begins the transaction.
    """

    def __init__(self, path: Path, connect: Callable[[], Connection], *, patience: float) -> None:
        self.path = path
        self.patience = patience
        self._connect = connect
        self.forget()

    def forget(self) -> None:
        """Start anew in a forked child: it must not share the parent's file, to which the lock belongs."""
        self._line = _Line()
        self._holder: int | None = None
        self._group: _Group | None = None
        self._file: int | None = None
        self._waiter = _Waiter(self.path)

    @contextmanager
    def turn(self) -> Iterator[Connection]:
        """A connection in a transaction that others may share, for a block that works in a savepoint.

        Returns once the block's work is committed. Raises Busy after `patience` seconds of waiting for the turn.
        """
        group = self._enter()
        try:
            yield group.connection
            group.members += 1
        except DBAPIError as error:
            # A constraint undoes one statement. After anything else (a full disk) SQLite may have undone them all.
            group.lost = not isinstance(error, IntegrityError)
            raise
        finally:
            self._holder = None
            self._leave(group)
            group.wait()  # who was refused too: what he saw is committed before he tells of it or looks again
        group.check()

    def _enter(self) -> _Group:
        """Wait for the turn; the group that is open, or a new one."""
        if self._holder == get_ident():
            raise RuntimeError("a write transaction is open in this thread already")
        if not self._line.enter(self.patience):
            raise self._busy()
        self._holder = get_ident()
        if self._group is None:
            try:
                self._group = self._begin()
            except BaseException:
                self._holder = None
                self._line.leave()
                raise
        return self._group

    def _begin(self) -> _Group:
        file = self._locked()
        try:
            connection = self._connect()
            connection.begin()
        except BaseException:
            fcntl.flock(file, fcntl.LOCK_UN)
            raise
        return _Group(connection)

    def _locked(self) -> int:
        """The file, locked against other processes. Raises Busy after `patience` seconds."""
        file = self._open()
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            found = self._waiter.wait(self.patience)
            if found is None:
                raise self._busy() from None
            os.close(file)
            self._file = file = found
        return file

    def _busy(self) -> Busy:
        return Busy(f"writers have queued for {self.patience:g} s; nothing was changed")

    def _leave(self, group: _Group) -> None:
        """Leave the group to the next writer if one waits for it, else end it."""
        if group.is_open and self._line.hand_over():
            return
        self._group = None
        try:
            group.end()
        finally:
            fcntl.flock(self._open(), fcntl.LOCK_UN)
            self._line.leave()

    def _open(self) -> int:
        if self._file is None:
            self._file = _open_file(self.path)
        return self._file

    def close(self) -> None:
        """Close the file; the next turn opens it again."""
        if self._line.enter(self.patience):
            if self._file is not None:
                os.close(self._file)
                self._file = None
            self._line.leave()
