"""Spent units in the memory of one process, for Flask-Limiter.

The library's own memory storage starts a thread for every ten milliseconds in which something is counted; this one
drops what is past as it counts.
"""

from threading import Lock
from time import time
from typing import Final

from limits.storage import Storage

SCHEME: Final = "process"
_SWEEP_ABOVE: Final = 1_000  # buckets
_SWEEP_EVERY: Final = 60.0  # seconds


class ProcessStorage(Storage):
    """Fixed windows by key: a window begins with its first unit and ends `expiry` seconds later."""

    STORAGE_SCHEME: list[str] | None = [SCHEME]  # noqa: RUF012 (declared so by the library)

    def __init__(
        self, uri: str | None = None, wrap_exceptions: bool = False, **_: float | str | bool
    ) -> None:
        super().__init__(uri, wrap_exceptions)
        self._lock = Lock()
        self._windows: dict[str, tuple[float, int]] = {}  # key: (end, units)
        self._sweep_at = 0.0

    @property
    def base_exceptions(self) -> type[Exception]:
        return ValueError

    def incr(self, key: str, expiry: float, amount: int = 1) -> int:
        """Count units; the sum in the present window."""
        now = time()
        with self._lock:
            end, units = self._windows.get(key, (0.0, 0))
            if end <= now:
                self._sweep(now)
                end, units = now + expiry, 0
            self._windows[key] = (end, units + amount)
        return units + amount

    def _sweep(self, now: float) -> None:
        if len(self._windows) > _SWEEP_ABOVE and now >= self._sweep_at:
            self._sweep_at = now + _SWEEP_EVERY
            self._windows = {key: window for key, window in self._windows.items() if window[0] > now}

    def get(self, key: str) -> int:
        """Units of the present window."""
        end, units = self._windows.get(key, (0.0, 0))
        return units if end > time() else 0

    def get_expiry(self, key: str) -> float:
        """When the present window ends, in seconds since 1970."""
        return self._windows.get(key, (time(), 0))[0]

    def check(self) -> bool:
        """Memory is always there."""
        return True

    def reset(self) -> int:
        """Forget everything; how many buckets there were."""
        count = len(self._windows)
        self._windows = {}
        return count

    def clear(self, key: str) -> None:
        """Forget one bucket."""
        self._windows.pop(key, None)
