"""A worker: takes experiments from the queue and plays them, and replaces workers that are gone.

Every worker has a name that no other ever has, and a lease under that name, which it renews while it lives. One of
them at a time (by a further lease) is the caretaker: it submits what was ordered to the queue, cancels what waits
there and is no longer wanted, and resumes jobs whose holder has no lease. So after `kill -9` the chunks in hand are
lost, and after `MACAO_WORKER_LEASE` seconds the experiment goes on from those that are stored; after SIGTERM it goes
on at once.

An idle worker polls one table and has loaded neither dbos nor numba.
"""

import os
import socket
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor
from contextlib import ExitStack
from datetime import datetime, timedelta
from secrets import token_hex
from threading import Event
from time import monotonic
from typing import Final

import structlog
from sqlalchemy import delete, select

from analysis.errors import ExecutorError
from analysis.executors import executor
from api.config import Config
from api.context import utc_now
from api.db import Database
from api.jobs.queue import Queue
from api.models import Lease
from api.services import leases
from api.services.errors import Busy
from casino.errors import CasinoError

INTERVAL: Final = 0.5  # seconds between two looks
CARETAKER: Final = "experiments"
_PREFIX: Final = "worker:"
_RENEW: Final = 1 / 3  # share of a lease after which it is renewed
_TIDY_EVERY: Final = timedelta(hours=1)
_IDLE_SECONDS: Final = 60.0  # after which processes that have nothing to do are let go
_UNREACHED_SECONDS: Final = 10.0  # between two tries to reach an executor, or the database

_log = structlog.get_logger()


class Executors:
    """The executor of a worker: opened for the first job, kept for the next, closed when there is none for long."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._stack = ExitStack()
        self._open: Executor | None = None
        self._used = monotonic()

    def get(self) -> Executor:
        """The executor. Raises ExecutorError."""
        if self._open is None:
            self._open = self._stack.enter_context(executor(self._url))
        return self._open

    def used(self) -> None:
        """It is in use until now."""
        self._used = monotonic()

    @property
    def is_idle(self) -> bool:
        """Has it had nothing to do for long?"""
        return self._open is not None and monotonic() - self._used > _IDLE_SECONDS

    def close(self) -> None:
        """Let it go; the next job opens another."""
        self._open = None
        self._stack.close()


class Worker:
    """A worker of this process. `stopping` tells it to end."""

    def __init__(self, config: Config, now: Callable[[], datetime] = utc_now) -> None:
        self.config = config
        self.database = Database(config.database_url, patience=config.lock_seconds)
        self.now = now
        self.stopping = Event()
        self.name = token_hex(12)
        self._holder = f"{socket.gethostname()[:40]}:{os.getpid()}:{token_hex(4)}"
        self._executors = Executors(config.executor_url)
        self._queue: Queue | None = None
        self._renew_at: datetime | None = None
        self._tidy_at: datetime | None = None
        self._free = Event()
        self._free.set()

    def run(self) -> None:
        """Work until told to stop. A fault of a look is logged, and the next look tries again."""
        _log.info("worker", name=self.name)
        while not self.stopping.wait(INTERVAL):
            try:
                self.look()
            except Busy as refusal:
                _log.warning("worker", fault=refusal.detail)
            except Exception:
                _log.exception("worker")
        self._say_goodbye()

    def look(self) -> None:
        """Renew the lease, and as caretaker bring orders and queue together."""
        now = self.now()
        self._renew(now)
        if self._free.is_set() and self._executors.is_idle:
            self._executors.close()
        if self._queue is None and not self._unfinished():
            return
        if self._queue is None:
            self._queue = self._open_queue()
        with self.database.glance() as connection:
            may = leases.free(connection, CARETAKER, self._holder, now)
        if may and self._take(CARETAKER, now):
            self._care(self._queue, now)

    def _open_queue(self) -> Queue:
        from api.jobs.dbos_queue import DbosQueue  # noqa: PLC0415 - loads dbos

        return DbosQueue(self.database, self.name, self._play, self._give_up)

    def _unfinished(self) -> dict[str, datetime]:
        from api.jobs.store import unfinished  # noqa: PLC0415 - loads numpy

        with self.database.read() as session:
            return unfinished(session)

    def _care(self, queue: Queue, now: datetime) -> None:
        wanted, living = self._unfinished(), self._living(now)
        known = queue.progress()
        for job in wanted:
            if job not in known:
                queue.submit(job)
        for job, held in known.items():
            if held is not None and held.worker in living:
                continue  # whoever plays it finds out himself that it is no longer wanted
            if job not in wanted:
                queue.cancel(job)
            elif held is not None:
                _log.warning("worker gone", name=held.worker, experiment=job)
                queue.resume(job)
        if self._tidy_at is None or now >= self._tidy_at:
            self._tidy_at = now + _TIDY_EVERY
            queue.forget(now - _TIDY_EVERY)
            self._drop_chunks()

    def _drop_chunks(self) -> None:
        from api.jobs.store import drop_chunks  # noqa: PLC0415 - loads numpy

        drop_chunks(self.database)

    def _living(self, now: datetime) -> set[str]:
        """The names of the workers whose leases hold; leases that ran out long ago are cleared away."""
        with self.database.read() as session:
            rows = session.execute(
                select(Lease.name, Lease.expires_at).where(Lease.name.startswith(_PREFIX))
            ).all()
        long_ago = now - timedelta(seconds=self.config.worker_lease)
        gone = [row.name for row in rows if row.expires_at < long_ago]
        if gone:
            with self.database.write() as session:
                session.execute(delete(Lease).where(Lease.name.in_(gone), Lease.expires_at < long_ago))
        return {row.name.removeprefix(_PREFIX) for row in rows if row.expires_at > now}

    def _renew(self, now: datetime) -> None:
        if self._renew_at is None or now >= self._renew_at:
            self._take(_PREFIX + self.name, now)
            self._renew_at = now + timedelta(seconds=self.config.worker_lease * _RENEW)

    def _take(self, lease: str, now: datetime) -> bool:
        with self.database.write() as session:
            return leases.take(session, lease, self._holder, now, self.config.worker_lease)

    def _play(self, job: str) -> None:
        """Play a job the queue hands over, to its end."""
        from api.jobs.playing import Stopped  # noqa: PLC0415 - loads numpy
        from api.jobs.store import NoLongerWanted  # noqa: PLC0415

        self._free.clear()
        try:
            _log.info("experiment", experiment=job)
            self._play_on(job)
            _log.info("experiment over", experiment=job)
        except NoLongerWanted:
            _log.info("experiment no longer wanted", experiment=job)
        except Stopped:
            self._park()
        except ExecutorError:
            raise
        except CasinoError as refusal:
            self._give_up(job, refusal)
        except Exception as fault:
            _log.exception("experiment", experiment=job)
            if isinstance(fault, BrokenExecutor):
                self._executors.close()
            raise
        finally:
            self._executors.used()
            self._free.set()

    def _play_on(self, job: str) -> None:
        """Play it, however long the database cannot be reached: what is stored is not played again. Raises Stopped."""
        from api.jobs.playing import Stopped, play  # noqa: PLC0415 - loads numpy

        while not self.stopping.is_set():
            try:
                play(self.database, job, self._reach(), self.now, self.stopping.is_set)
            except Busy as refusal:
                _log.warning("experiment waits", experiment=job, fault=refusal.detail)
                self.stopping.wait(_UNREACHED_SECONDS)
            else:
                return
        raise Stopped

    def _reach(self) -> Executor:
        """The executor, however long it cannot be reached. Raises Stopped."""
        from api.jobs.playing import Stopped  # noqa: PLC0415 - loads numpy

        while not self.stopping.is_set():
            try:
                return self._executors.get()
            except ExecutorError as refusal:
                _log.warning("executor", fault=refusal.detail)
                self.stopping.wait(_UNREACHED_SECONDS)
        raise Stopped

    def _give_up(self, job: str, fault: Exception) -> None:
        from api.jobs.store import fail  # noqa: PLC0415 - loads numpy

        last = (getattr(fault, "errors", None) or [fault])[-1]
        kind = f"a fault of the service ({type(last).__name__})"
        told = last.detail if isinstance(last, CasinoError) else kind
        _log.warning("experiment given up", experiment=job, fault=told)
        fail(self.database, job, told, self.now())

    def _park(self) -> None:
        """Wait for the end of the process: were this to return or to raise, the queue would take the job to be over."""
        self._free.set()
        Event().wait()

    def _say_goodbye(self) -> None:
        """Let what is in hand be stored, and give the leases back: what is not over is resumed by others at once."""
        if self._free.wait(self.config.graceful_timeout):
            self._executors.close()
        try:
            with self.database.write() as session:
                for lease in (CARETAKER, _PREFIX + self.name):
                    leases.give_back(session, lease, self._holder)
        except Busy as refusal:
            _log.warning("leases kept", fault=refusal.detail)
        _log.info("worker stopped", name=self.name)
