"""What is slow the first time is done before anybody asks: in a thread of each process of `macao serve`.

The analysis (numpy, scipy) is imported and its kernels are loaded from numba's cache on disk; where they are not there
yet, after an installation or an upgrade, they are compiled, which takes some tens of seconds of one processor. Requests
are served meanwhile; one that wants a kernel waits for it.
"""

from threading import Event, Thread
from time import perf_counter
from typing import Final

import structlog

from api.context import Service

_DELAY: Final = 1.0  # seconds: a process that only starts to be stopped again need not do it

_log = structlog.get_logger()


class Warmer(Thread):
    """Warms once, and ends. `done` is set when all is ready."""

    def __init__(self, service: Service, delay: float = _DELAY) -> None:
        super().__init__(name="warm", daemon=True)
        self._service = service
        self._delay = delay
        self.done = Event()

    def run(self) -> None:
        """Import and load; a fault is logged, and the first request that needs it meets it again."""
        if self._service.stopping.wait(self._delay):
            return
        started = perf_counter()
        try:
            self._warm()
        except Exception:
            _log.exception("warm")
        else:
            _log.info("warm", seconds=round(perf_counter() - started, 2))
            self.done.set()

    def _warm(self) -> None:
        from analysis.warm import warm  # noqa: PLC0415 - loads numba
        from api.services import odds  # noqa: F401, PLC0415 - loads scipy

        warm()
