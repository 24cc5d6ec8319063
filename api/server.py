"""gunicorn as this service runs it: threads, one graceful way to stop, problems instead of HTML.

A request that gunicorn itself cannot read never reaches the application; `Worker.handle_error` answers it in the same
shape as `api/errors.py`, with a line in the log.
"""

import contextlib
import json
import logging
import mmap
import os
import signal
import socket
import struct
import sys
from collections import Counter
from collections.abc import Callable
from time import monotonic, sleep
from types import FrameType
from typing import TYPE_CHECKING, Any, ClassVar, Final
from weakref import WeakKeyDictionary

import structlog
from gunicorn.app.base import BaseApplication
from gunicorn.arbiter import Arbiter
from gunicorn.errors import HaltServer
from gunicorn.glogging import Logger
from gunicorn.http import errors
from gunicorn.util import write_nonblock
from gunicorn.workers.gthread import ThreadWorker

from api import create_app, logs, metrics_files
from api.config import Config
from api.context import NAME, new_request_id
from api.jobs.hiring import Staff, staff
from api.memory import share_arenas
from api.ticker import Ticker
from api.warming import Warmer

if TYPE_CHECKING:
    from flask import Flask

# Whoever holds the writer's turn gives up the interpreter at every statement: he must not wait 5 ms (Python's usual
# interval) for it each time, while others read.
_SWITCH: Final = 0.0005  # seconds
_BOOT_SECONDS: Final = 60.0  # longest wait for new workers before the old ones are stopped all the same
_BOOT_LOOK: Final = 0.05
_READ_SECONDS: Final = 20.0  # in which a request has to be there as a whole: its thread waits for it
_WRITE_SECONDS: Final = 30  # for which a client may take nothing of an answer
_HTTP_WORDS: Final[dict[int, tuple[str, str]]] = {
    400: ("bad_request", "The request cannot be read"),
    414: ("bad_request", "The request line is too long"),
    417: ("bad_request", "An expectation that cannot be met"),
    431: ("bad_request", "The request's headers are too large"),
    500: ("internal", "Unexpected fault"),
    501: ("bad_request", "A transfer coding that is not known"),
}
_STATUS: Final[tuple[tuple[type[Exception], int], ...]] = (
    (errors.LimitRequestLine, 414),
    (errors.LimitRequestHeaders, 431),
    (errors.ExpectationFailed, 417),
    (errors.UnsupportedTransferCoding, 501),
    (errors.ConfigurationProblem, 500),
    (errors.ParseException, 400),
)


class _Logger(Logger):  # type: ignore[misc]
    """gunicorn's messages in the service's own log."""

    def setup(self, cfg: Any) -> None:
        super().setup(cfg)
        self.error_log.handlers[:] = []
        self.error_log.propagate = True
        self.error_log.setLevel(logging.WARNING)


def keep_to_a_processor(place: int, workers: int) -> None:
    """Where there is a process for each processor let this one keep to its own (Linux).

    The threads of a process take turns at the interpreter; handed from processor to processor each turn costs more, a
    fifth of a request in all. With fewer processes the system places them.
    """
    if sys.platform != "linux":
        return
    processors = sorted(os.sched_getaffinity(0))
    if workers >= len(processors):
        os.sched_setaffinity(0, {processors[place % len(processors)]})


class Worker(ThreadWorker):  # type: ignore[misc]
    """A worker that tells when it serves, stops without dropping a connection, on SIGINT too, and answers what it
    cannot read with a problem."""

    _places: ClassVar[WeakKeyDictionary["Worker", int]] = (
        WeakKeyDictionary()
    )  # of those that live, in the master

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._shared = mmap.mmap(-1, 1)  # made before the fork: what the worker writes the master reads
        self._reading: dict[Any, float] = {}  # connections, and until when their request has to be there
        used = Counter(Worker._places.values())
        self._place = Worker._places[self] = min(range(self.cfg.workers), key=used.__getitem__)

    @property
    def serves(self) -> bool:
        """Is the worker ready and taking connections? (For the master.)"""
        return self._shared[0] == 1

    def run(self) -> None:
        """Serve until told to stop."""
        keep_to_a_processor(self._place, self.cfg.workers)
        self._shared[0] = 1
        super().run()

    def is_parent_alive(self) -> bool:
        """Is the master there? Without it the worker stops, as gracefully as it would be told to."""
        if super().is_parent_alive():
            return True
        self.handle_exit(signal.SIGTERM, None)
        return False

    def set_accept_enabled(self, enabled: bool) -> None:
        """Take connections or not. Who stops first takes those that wait, for the system has accepted them already, and
        then closes the socket: a client that comes now is refused at once, unless another worker takes it."""
        stopping = not (enabled or self.alive)
        if stopping:
            self._take_waiting()
        super().set_accept_enabled(enabled)
        while stopping and self.sockets:
            self.sockets.pop().close()

    def _take_waiting(self) -> None:
        for listener in self.sockets:
            for _ in range(self.cfg.backlog):
                before = self.nr_conns
                self.accept(listener)
                if self.nr_conns == before:
                    break

    def handle(self, conn: Any) -> Any:
        """Serve a request that is coming in; a client that takes its time keeps its thread no longer than is told."""
        if not conn.initialized:
            patience = struct.pack("ll", _WRITE_SECONDS, 0)
            conn.sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, patience)
        self._reading[conn] = monotonic() + _READ_SECONDS
        try:
            return super().handle(conn)
        finally:
            self._reading.pop(conn, None)

    def handle_request(self, req: Any, conn: Any) -> Any:
        """Serve a request whose head is there; where it has no body, it is there as a whole."""
        if not any(name in ("CONTENT-LENGTH", "TRANSFER-ENCODING") for name, _ in req.headers):
            self._reading.pop(conn, None)
        return super().handle_request(req, conn)

    def murder_keepalived(self, force: bool = False) -> None:
        """Look after connections, every second or so: nothing more is read of a request that is late."""
        super().murder_keepalived(force)
        for conn, until in list(self._reading.items()):
            if monotonic() > until and self._reading.pop(conn, None) is not None:
                with contextlib.suppress(OSError):
                    conn.sock.shutdown(socket.SHUT_RD)  # what it was answered in the meantime is sent

    def init_signals(self) -> None:
        super().init_signals()
        # Ctrl+C reaches the whole group of processes: it means the same as SIGTERM to the master.
        signal.signal(signal.SIGINT, self.handle_exit)
        signal.siginterrupt(signal.SIGINT, False)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        app: Flask | None = self.app.callable
        if app is not None:
            app.extensions[NAME].stopping.set()
        super().handle_exit(sig, frame)

    def handle_error(self, req: Any, client: socket.socket, addr: Any, exc: Exception) -> None:
        """Answer a request that did not reach the application. What it said is not logged: it may hold a key."""
        status = next((number for kind, number in _STATUS if isinstance(exc, kind)), 500)
        code, title = _HTTP_WORDS[status]
        request_id = new_request_id()
        fault = type(exc).__name__
        structlog.get_logger().warning(
            "unreadable request", request_id=request_id, status=status, fault=fault
        )
        problem = {
            "type": f"urn:macao:problem:{code}",
            "title": title,
            "status": status,
            "detail": f"{title}; nothing was changed",
            "instance": "",
            "code": code,
            "errors": [],
            "request_id": request_id,
        }
        body = json.dumps(problem).encode()
        head = (
            f"HTTP/1.1 {status} {title}\r\nConnection: close\r\nContent-Type: application/problem+json\r\n"
            f"Content-Length: {len(body)}\r\nX-Request-Id: {request_id}\r\n\r\n"
        )
        with contextlib.suppress(OSError):
            write_nonblock(client, head.encode() + body)


class _Arbiter(Arbiter):  # type: ignore[misc]
    """A master that stops gracefully on SIGINT as on SIGTERM, and lets no worker go before another has taken over."""

    def handle_int(self) -> None:
        self.handle_term()

    def handle_term(self) -> None:
        if self.app.staff is not None:
            self.app.staff.tell_to_stop()
        super().handle_term()

    def reload(self) -> None:
        """Replace all processes by fresh ones: those that serve, then those that play experiments."""
        super().reload()
        if self.app.staff is not None:
            self.app.staff.replace()

    def manage_workers(self) -> None:
        """Start workers that are missing, stop those that are too many: after a reload, the old ones."""
        if len(self.WORKERS) > self.num_workers:
            self._await_successors()
        super().manage_workers()
        if self.app.staff is not None:
            self.app.staff.see_to()

    def _await_successors(self) -> None:
        """Wait until the newest workers serve. If they cannot start, the old ones go on."""
        until = monotonic() + _BOOT_SECONDS
        while monotonic() < until:
            newest = sorted(self.WORKERS.values(), key=lambda worker: worker.age)[-self.num_workers :]
            if all(worker.serves for worker in newest):
                return
            try:
                self.reap_workers()
            except HaltServer as fault:
                structlog.get_logger().error("reload", fault=fault.reason)
            sleep(_BOOT_LOOK)


class Server(BaseApplication):  # type: ignore[misc]
    """The service on a socket that is bound already, until a signal ends it."""

    def __init__(self, config: Config, listener: socket.socket, ready: Callable[[], None]) -> None:
        self._config = config
        self._address = f"fd://{listener.detach()}"  # the same after every reload
        self._ready = ready
        self.staff: Staff | None = None
        super().__init__()

    def load_config(self) -> None:
        config = self._config
        settings: dict[str, Any] = {
            "bind": self._address,
            "backlog": config.backlog,
            "workers": config.processes,
            "threads": config.threads,
            "worker_class": Worker,
            "logger_class": _Logger,
            "graceful_timeout": config.graceful_timeout,
            "timeout": 60,
            "keepalive": 5,
            "forwarded_allow_ips": "",
            "control_socket_disable": True,
            "proc_name": "macao",
            "when_ready": lambda _: self._ready(),
            "child_exit": _forget_worker,
        }
        for name, value in settings.items():
            self.cfg.set(name, value)

    def load(self) -> "Flask":
        """Each worker builds its own application: no connection is shared over a fork."""
        sys.setswitchinterval(_SWITCH)
        share_arenas()
        app = create_app(self._config)
        logs.write_behind()
        Ticker(app.extensions[NAME]).start()
        Warmer(app.extensions[NAME]).start()
        return app

    def run(self) -> None:
        """Serve until told to stop."""
        logs.configure(self._config)
        with metrics_files.shared_folder(), staff(self._config) as self.staff:
            _Arbiter(self).run()


def bind(address: str, backlog: int) -> socket.socket:
    """A listening socket. Raises OSError where the address cannot be had."""
    host, _, port = address.rpartition(":")
    family, kind, _, _, target = socket.getaddrinfo(
        host.strip("[]"), int(port), type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    listener = socket.socket(family, kind)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(target)
        listener.listen(backlog)
    except OSError:
        listener.close()
        raise
    return listener


def _forget_worker(_server: Any, worker: Any) -> None:
    metrics_files.fold(worker.pid)
