"""Where chunks are played: a `concurrent.futures.Executor` by its URL.

    local:              processes of this machine, one for each processor
    local:4             as many as said
    dask://host:8786    the workers of a Dask scheduler (needs the extra `dask`: `pip install 'macao[dask]'`)

Processes are spawned, not forked, and end when the process that started them ends, however it does. Importing this
module loads neither numba nor Dask.
"""

import os
import re
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import Any, Final

from analysis.errors import ExecutorError

MOST_PROCESSES: Final = 256
REACH_SECONDS: Final = 20.0  # to reach a scheduler
FORMS: Final = "local:, local:N (processes) or dask://HOST:PORT (a Dask scheduler)"
_HOST: Final = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]{1,253}):(\d{1,5})")


@dataclass(frozen=True)
class ExecutorUrl:
    """What an URL says: processes here, or the address of a scheduler."""

    processes: int = 0
    scheduler: str = ""


def parse(url: str) -> ExecutorUrl:
    """Read the URL of an executor. Raises ExecutorError with what would be right."""
    scheme, colon, rest = url.partition(":")
    if scheme == "local" and colon:
        if rest and not (rest.isascii() and rest.isdecimal() and 1 <= int(rest) <= MOST_PROCESSES):
            raise ExecutorError(
                f"local: takes 1 to {MOST_PROCESSES} processes, as in local:4, not «{url[:60]}»"
            )
        return ExecutorUrl(processes=int(rest) if rest else os.cpu_count() or 1)
    if scheme == "dask" and colon:
        found = _HOST.fullmatch(rest.removeprefix("//"))
        if not rest.startswith("//") or found is None or not 0 < int(found[2]) <= 65535:
            raise ExecutorError(f"write dask://HOST:PORT, such as dask://127.0.0.1:8786, not «{url[:60]}»")
        return ExecutorUrl(scheduler=f"tcp://{found[0]}")
    raise ExecutorError(f"«{url[:60]}» names no executor: give {FORMS}")


@contextmanager
def executor(url: str) -> Iterator[Executor]:
    """The executor of an URL for a block; at its end what has not begun is cancelled.

    Raises ExecutorError for an URL that cannot be read, an extra that is not installed, a scheduler that does not
    answer, or has workers of another version of this project (their results need not be the same to the bit).
    """
    found = parse(url)
    with _local(found.processes) if found.processes else _dask(found.scheduler, url) as made:
        yield made


@contextmanager
def _local(processes: int) -> Iterator[Executor]:
    pool = ProcessPoolExecutor(processes, mp_context=get_context("spawn"), initializer=follow_parent)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def follow_parent() -> None:
    """Let this process of a pool end with the one that started it: after `kill -9` nobody else would tell it."""
    parent = parent_process()
    if parent is None:
        return

    def wait() -> None:
        parent.join()
        os._exit(1)

    Thread(target=wait, name="follow-parent", daemon=True).start()


@contextmanager
def _dask(address: str, url: str) -> Iterator[Executor]:
    try:
        connect: Any = import_module("distributed").Client  # an extra, and heavy
    except ImportError:
        raise ExecutorError(f"{url} needs Dask, which is not installed: pip install 'macao[dask]'") from None
    try:
        client = connect(address, timeout=REACH_SECONDS, set_as_default=False)
    except OSError:
        raise ExecutorError(
            f"no Dask scheduler answers at {url}: start one with «dask scheduler», and workers with «dask worker»"
        ) from None
    try:
        _check_workers(client, url)
        yield client.get_executor(pure=False)
    finally:
        client.close()


def own_version() -> str | None:
    """The version of this project that a process has, None if it has none."""
    try:
        return version("macao")
    except PackageNotFoundError:
        return None


def _check_workers(client: Any, url: str) -> None:
    mine = own_version()
    try:
        client.wait_for_workers(1, timeout=REACH_SECONDS)
        theirs: dict[str, str | None] = client.run(own_version, on_error="return")
    except TimeoutError:
        raise ExecutorError(f"the Dask scheduler {url} has no worker: start one with «dask worker»") from None
    for worker, found in theirs.items():
        if found != mine:
            said = "it cannot import macao" if isinstance(found, Exception) else f"it has {found}"
            raise ExecutorError(f"the Dask worker {worker} needs macao {mine}, as here: {said}")
