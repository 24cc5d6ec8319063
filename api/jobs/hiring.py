"""Workers that `macao serve` starts: processes of their own, started again if they die, replaced when it is reloaded,
and gone when it is."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
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

_BOOT: Final = 60.0  # longest wait for one who is to follow another
_CLEAR_UP: Final = 5.0  # beyond the time for what is in hand

_log = structlog.get_logger()
_Process = subprocess.Popen[bytes]


@dataclass(slots=True)
class _Place:
    """Where one worker works: he himself, who is to follow him, and who was told to go, with the last moment for it."""

    next: float  # moment before which nobody is started
    worker: _Process | None = None
    heir: _Process | None = None
    patience: float = 0.0  # moment until which the heir may take to start
    leaving: list[tuple[_Process, float]] = field(default_factory=list)

    def living(self) -> list[_Process]:
        """All that run."""
        known = [self.worker, self.heir, *(process for process, _ in self.leaving)]
        return [process for process in known if process is not None and process.poll() is None]


class Staff:
    """The workers of a service. `see_to` is called every second or so, and starts those that should be there."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._places = [_Place(monotonic() + _FIRST) for _ in range(config.experiment_workers)]
        self._leaving = False

    def see_to(self) -> None:
        """Start the workers that are not there, and let those go whose successors are."""
        for place in [] if self._leaving else self._places:
            self._clear(place)
            if place.heir is not None:
                self._hand_over(place, place.heir)
            elif (place.worker is None or place.worker.poll() is not None) and monotonic() >= place.next:
                if place.worker is not None:
                    _log.warning("worker started again", process=place.worker.pid)
                place.worker = self._start()
                place.next = monotonic() + _PAUSE

    def replace(self) -> None:
        """Let fresh workers follow those that are there. Each goes on until his successor works."""
        for place in [] if self._leaving else self._places:
            if place.worker is not None and place.heir is None:
                place.heir, place.patience = self._start(), monotonic() + _BOOT

    def _hand_over(self, place: _Place, heir: _Process) -> None:
        """Put the heir in the place of the other if he works; if he cannot start, the other goes on."""
        if _works(heir):
            if place.worker is not None and place.worker.poll() is None:
                place.worker.terminate()
                last = monotonic() + self._config.graceful_timeout + _CLEAR_UP
                place.leaving.append((place.worker, last))
            place.worker, place.heir = heir, None
            _log.info("worker replaced", process=heir.pid)
        elif heir.poll() is not None or monotonic() >= place.patience:
            heir.kill()
            place.leaving.append((heir, 0.0))
            place.heir = None
            _log.error("reload", fault="a worker for experiments did not start: the one before goes on")

    def _clear(self, place: _Place) -> None:
        """Forget who is gone, and end who does not go by himself."""
        place.leaving = [item for item in place.leaving if item[0].poll() is None]
        for process, last in place.leaving:
            if monotonic() >= last:
                process.kill()

    def _start(self) -> _Process:
        told = {variable(name): str(getattr(self._config, name)) for name in _TOLD}
        started = subprocess.Popen(  # noqa: S603 - this program
            [sys.executable, "-m", "api", "worker", FOLLOW],
            env={**os.environ, **told},
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl+C reaches the service, which tells its workers
        )
        if started.stdout is not None:
            os.set_blocking(started.stdout.fileno(), False)
        return started

    def tell_to_stop(self) -> None:
        """Tell all to stop, and start no more."""
        self._leaving = True
        for worker in self._living():
            worker.terminate()

    def _living(self) -> list[_Process]:
        return [process for place in self._places for process in place.living()]

    def dismiss(self) -> None:
        """Tell all to stop, and wait for them."""
        self.tell_to_stop()
        for worker in self._living():
            try:
                worker.wait(self._config.graceful_timeout + _CLEAR_UP)
            except subprocess.TimeoutExpired:
                worker.kill()
                worker.wait()


def _works(worker: _Process) -> bool:
    """Has it said that it works? (It says nothing else.)"""
    return worker.stdout is not None and bool(worker.stdout.read(1))


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
