"""Workers that `macao serve` starts: processes of their own, started again if they die, and gone when it is."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Final

import structlog

from api.config import Config, variable

FOLLOW: Final = "--until-stdin-ends"
_PAUSE: Final = 5.0  # seconds between two starts of the same one
_FIRST: Final = 1.0  # a service that only starts to be stopped again need not have any
_TOLD: Final = (
    "database_url",
    "executor_url",
    "worker_lease",
    "lock_seconds",
    "graceful_timeout",
    "log_level",
    "environment",
)

_log = structlog.get_logger()


class Staff:
    """The workers of a service. `see_to` is called every second or so, and starts those that should be there."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._places: list[subprocess.Popen[bytes] | None] = [None] * config.experiment_workers
        self._next = [monotonic() + _FIRST] * config.experiment_workers
        self._leaving = False

    def see_to(self) -> None:
        """Start the workers that are not there."""
        for place, worker in enumerate([] if self._leaving else self._places):
            if (worker is None or worker.poll() is not None) and monotonic() >= self._next[place]:
                if worker is not None:
                    _log.warning("worker started again", process=worker.pid)
                self._places[place] = self._start()
                self._next[place] = monotonic() + _PAUSE

    def _start(self) -> subprocess.Popen[bytes]:
        told = {variable(name): str(getattr(self._config, name)) for name in _TOLD}
        return subprocess.Popen(  # noqa: S603 - this program
            [sys.executable, "-m", "api", "worker", FOLLOW],
            env={**os.environ, **told},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl+C reaches the service, which tells its workers
        )

    def tell_to_stop(self) -> None:
        """Tell all to stop, and start no more."""
        self._leaving = True
        for worker in self._living():
            worker.terminate()

    def _living(self) -> list[subprocess.Popen[bytes]]:
        return [worker for worker in self._places if worker is not None and worker.poll() is None]

    def dismiss(self) -> None:
        """Tell all to stop, and wait for them."""
        self.tell_to_stop()
        for worker in self._living():
            try:
                worker.wait(self._config.graceful_timeout + 5)
            except subprocess.TimeoutExpired:
                worker.kill()
                worker.wait()


@contextmanager
def staff(config: Config) -> Iterator[Staff]:
    """The workers for a block, which processes forked in it may leave too: only the one that entered it dismisses."""
    owner = os.getpid()
    hired = Staff(config)
    try:
        yield hired
    finally:
        if os.getpid() == owner:
            hired.dismiss()
