"""Lines of the log that nobody waits for: a thread writes them a few times a second.

A write to a pipe or a file gives up the interpreter. With many threads whoever wants it back queues for it, so that the
one line a request leaves would cost it more than all that it asks of the database.
"""

import os
from collections import deque
from threading import Lock, Thread
from time import sleep
from typing import Final, TextIO

EVERY: Final = 0.1  # seconds: so much of a log is lost with a process that is killed
_AT_ONCE: Final = (
    4_096  # bytes that a pipe takes whole, so that lines of several processes are not mixed (PIPE_BUF)
)
_MOST: Final = 10_000  # lines that wait: beyond them whoever writes one waits, too


class WriteBehind:
    """Takes lines for a file, and writes them soon. `flush` waits for nothing; `drain` until all is written."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._waiting: deque[str] = deque()
        self._starting, self._writing = Lock(), Lock()
        self._thread: Thread | None = None
        os.register_at_fork(after_in_child=self._forget)

    def write(self, text: str) -> int:
        """Take a line, or a part of one."""
        self._waiting.append(text)
        if self._thread is None:
            self._start()
        if len(self._waiting) > _MOST:
            self.drain()
        return len(text)

    def flush(self) -> None:
        """Nothing: the thread does it."""

    def drain(self) -> None:
        """Write all that waits."""
        with self._writing:
            part: list[bytes] = []
            size = 0
            while self._waiting:
                line = self._waiting.popleft().encode("utf-8", "replace")
                if size + len(line) > _AT_ONCE:
                    self._put(part)
                    part, size = [], 0
                part.append(line)
                size += len(line)
            self._put(part)

    def _put(self, lines: list[bytes]) -> None:
        if not lines:
            return
        self._file.buffer.write(b"".join(lines))
        self._file.buffer.flush()

    def _start(self) -> None:
        with self._starting:
            if self._thread is None:
                self._thread = Thread(target=self._go_on, name="log", daemon=True)
                self._thread.start()

    def _go_on(self) -> None:
        while True:
            sleep(EVERY)
            self.drain()

    def _forget(self) -> None:
        """In a forked child: what waits is the parent's to write, and so is its thread."""
        self._waiting = deque()
        self._starting, self._writing = Lock(), Lock()
        self._thread = None
