"""The ticker: in every process of `macao serve` a thread that would keep the tables' clocks; by a lease one does."""

import os
import socket
from collections import defaultdict
from datetime import datetime, timedelta
from secrets import token_hex
from threading import Thread
from time import thread_time
from typing import Final

import structlog

from api.context import Service
from api.services import leases
from api.services.errors import Busy, ServiceError
from api.services.tables.clock import due, time_up
from api.services.tables.play import Terms

INTERVAL: Final = 0.5
LEASE: Final = "ticker"
LEASE_SECONDS: Final = 5.0
SHARE: Final = 0.5  # seconds of a processor
_RENEW: Final = 0.5  # share of the lease after which it is renewed

_log = structlog.get_logger()


class Ticker(Thread):
    """Plays on at tables whose time is up, while it holds the lease. Ends when the service stops."""

    def __init__(self, service: Service) -> None:
        super().__init__(name=LEASE, daemon=True)
        self._service = service
        self._holder = f"{socket.gethostname()}:{os.getpid()}:{token_hex(4)}"
        self._renew_at: datetime | None = None
        config = service.config
        self._terms = Terms(config.house_bank, config.bot_purse)

    def run(self) -> None:
        """Tick until the service stops; a fault is logged, and the next tick tries again."""
        while not self._service.stopping.wait(INTERVAL):
            try:
                self.tick()
            except ServiceError as refusal:
                _log.warning("tick", fault=refusal.reason)
            except Exception:
                _log.exception("tick")
        self._give_back()

    def tick(self) -> int:
        """Hold the lease and play on where time is up; how many tables.

        The bots of one player's tables may think for SHARE, then his other tables wait for the next tick.
        """
        service = self._service
        now = service.now()
        if not self._holds_lease(now):
            return 0
        with service.database.glance() as connection:
            overdue = due(connection, now)
        thought: dict[str, float] = defaultdict(float)
        played = 0
        for table, creator in overdue:
            if thought[creator] < SHARE:
                began = thread_time()
                played += self._play_on(table)
                thought[creator] += thread_time() - began
        return played

    def _play_on(self, table: str) -> bool:
        """Play on at one table, if the lease still holds: bots may have thought for long at those before it. A fault
        there is logged, and the clocks of the other tables go on."""
        service = self._service
        now = service.now()
        try:
            return self._holds_lease(now) and time_up(
                service.database, table, self._terms, now, service.watcher.poke
            )
        except Busy:
            raise
        except Exception:
            _log.exception("tick", table=table)
            return False

    def _holds_lease(self, now: datetime) -> bool:
        if self._renew_at is not None and now < self._renew_at:
            return True
        database = self._service.database
        with database.glance() as connection:
            if not leases.free(connection, LEASE, self._holder, now):
                self._renew_at = None
                return False
        with database.write() as session:
            taken = leases.take(session, LEASE, self._holder, now, LEASE_SECONDS)
        self._renew_at = now + timedelta(seconds=LEASE_SECONDS * _RENEW) if taken else None
        return taken

    def _give_back(self) -> None:
        if self._renew_at is None:
            return
        try:
            with self._service.database.write() as session:
                leases.give_back(session, LEASE, self._holder)
        except ServiceError as refusal:
            _log.warning("lease kept", fault=refusal.reason)
