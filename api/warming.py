"""What is slow the first time is done before anybody asks: in a thread of each process of `macao serve`.

The analysis (numpy, scipy) is imported and its kernels are loaded from numba's cache on disk. Where they are not there
yet, after an installation or an upgrade, they are compiled, which takes some tens of seconds of one processor: in a
process of its own, of the lowest priority, one at a time for all processes of this user on the machine, so that play
goes on as ever. A request that wants the analysis meanwhile waits a little, and is then told to come back
(`wait_until_warm`).
"""

import fcntl
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Event, Thread
from time import monotonic, perf_counter
from typing import Final

import structlog

from api.context import Service
from api.services.errors import Busy

_DELAY: Final = 1.0  # seconds: a process that only starts to be stopped again need not do it
_LOOK: Final = 0.2  # seconds between looks at the process that compiles
_LONGEST: Final = 120.0  # seconds to wait for another process that compiles
_PATIENCE: Final = 3.0  # seconds that a request waits: as long as loading takes, not as long as compiling
_LATER: Final = 10  # seconds after which it should come back
_LOWEST: Final = 19

_log = structlog.get_logger()


class Stopped(Exception):
    """The service stops: nobody needs the analysis any more."""


class Warmer(Thread):
    """Warms once, and ends. `done` is set when all is ready."""

    def __init__(self, service: Service, delay: float = _DELAY) -> None:
        super().__init__(name="warm", daemon=True)
        self._service = service
        self._delay = delay
        self.done = Event()
        service.warm.clear()

    def run(self) -> None:
        """Compile, import and load; a fault is logged, and the first request that needs it meets it again."""
        try:
            if self._service.stopping.wait(self._delay):
                return
            started = perf_counter()
            self._compile()
            self._warm()
            _log.info("warm", seconds=round(perf_counter() - started, 2))
            self.done.set()
        except Stopped:
            return
        except Exception:
            _log.exception("warm")
        finally:
            self._service.warm.set()

    def _compile(self) -> None:
        """Have the kernels on the disk, if that can be; `_warm` compiles what is not there. Raises Stopped."""
        with _turns() as is_mine:
            until = monotonic() + _LONGEST
            while not is_mine() and monotonic() < until:
                self._rest()
            # A server's process may not be forked into a compiler: it has threads, and a low priority is for good.
            compiling = subprocess.Popen(
                [sys.executable, "-m", "analysis.warm"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl+C is for the server, which ends it
            )
            os.setpriority(os.PRIO_PROCESS, compiling.pid, _LOWEST)
            try:
                while compiling.poll() is None:
                    self._rest()
            except Stopped:
                compiling.terminate()
                compiling.wait()
                raise
        if compiling.returncode:
            _log.warning("warm", fault="the process that compiles failed", code=compiling.returncode)

    def _rest(self) -> None:
        if self._service.stopping.wait(_LOOK):
            raise Stopped

    def _warm(self) -> None:
        from analysis.warm import warm  # noqa: PLC0415 - loads numba
        from api.services import bankroll_maths, experiment_requests, odds  # noqa: F401, PLC0415 - load scipy

        warm()


def wait_until_warm(service: Service) -> None:
    """Wait a little for the analysis. Raises Busy while it is still being compiled; at once goes on if it is not to be
    warmed at all."""
    if not service.warm.wait(_PATIENCE):
        text = (
            "the analysis is being compiled, as after every installation or upgrade, for less than a minute"
        )
        raise Busy(f"{text}; tables are played meanwhile", retry_after=_LATER)


@contextmanager
def _turns() -> Iterator[Callable[[], bool]]:
    """One at a time on this machine, as the others find on the disk what the first compiled: is it one's turn now?"""
    path = Path(tempfile.gettempdir()) / f"macao-warm-{os.getuid()}.lock"
    try:
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError:  # somebody else's: then without turns
        yield lambda: True
        return
    try:
        yield partial(_is_locked, lock)
    finally:
        os.close(lock)


def _is_locked(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
