"""The folder in which several processes count: one file for each, and one for all that have ended.

What a process counted stays when it ends, or sums would fall at every reload; its files do not, or there would be more
and more of them. Whoever adds the files up holds a lock, so that nothing is seen twice or not at all while a file is
being folded into another.
"""

import fcntl
import os
import shutil
import struct
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import structlog

VARIABLE: Final = "PROMETHEUS_MULTIPROC_DIR"
_LOCK: Final = "lock"
_KINDS: Final = ("counter", "histogram")
_GONE: Final = 0  # in the place of a process id: those that have ended

_log = structlog.get_logger()


def folder() -> Path | None:
    """Where processes count together, if they do."""
    name = os.environ.get(VARIABLE)
    return Path(name) if name else None


@contextmanager
def shared_folder() -> Iterator[None]:
    """A folder for this process and those it starts, unless the environment names one; gone afterwards."""
    if VARIABLE in os.environ:
        yield
        return
    made, owner = tempfile.mkdtemp(prefix="macao-metrics-"), os.getpid()
    os.environ[VARIABLE] = made
    try:
        yield
    finally:
        if os.getpid() == owner:  # and not a process that was started
            del os.environ[VARIABLE]
            shutil.rmtree(made, ignore_errors=True)


@contextmanager
def locked(place: Path, *, alone: bool) -> Iterator[None]:
    """Hold the folder's lock: with others who read, or alone to change files that no living process writes."""
    with (place / _LOCK).open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        yield


def fold(pid: int) -> None:
    """Add what a process that has ended counted to what earlier ones did, and remove its files."""
    place = folder()
    if place is None:
        return
    try:
        with locked(place, alone=True):
            for kind in _KINDS:
                _fold(place / f"{kind}_{pid}.db", place / f"{kind}_{_GONE}.db")
    except (OSError, RuntimeError, ValueError, struct.error):  # a file that cannot be read stays, and is told
        _log.exception("counts of a process that ended", process=pid)


def _fold(ended: Path, kept: Path) -> None:
    # Reads the variable when it is imported, and the master has no use for it before.
    from prometheus_client.mmap_dict import MmapedDict  # noqa: PLC0415

    if not ended.exists():
        return
    counts = list(MmapedDict.read_all_values_from_file(str(ended)))  # type: ignore[no-untyped-call]
    total = MmapedDict(str(kept))  # type: ignore[no-untyped-call]
    for key, value, *_ in counts:
        before, _ = total.read_value(key)  # type: ignore[no-untyped-call]
        total.write_value(key, before + value, 0.0)  # type: ignore[no-untyped-call]
    total.close()  # type: ignore[no-untyped-call]
    ended.unlink()
