"""Reloading and stopping under load: real servers, parallel clients, no request that fails.

What counts as a failure: an answer other than the one that is due, and any fault of a connection, also on one that is
kept alive, whether or not a client would try again by itself. Two things are fair and are not counted: a connection
that was idle for longer than `IDLE` seconds may be closed (RFC 9112, 9.3.1), and a server that was told to stop refuses
new connections (one in the very moment of closing its socket by a reset).
"""

import json
import os
import signal
import socket
from collections.abc import Callable, Iterator
from http.client import HTTPConnection, HTTPException, RemoteDisconnected
from pathlib import Path
from threading import Event, Thread
from time import monotonic, sleep
from typing import Any

import pytest

from tests.api.served import PATIENCE, Served, until

IDLE = 1.5  # seconds; a worker that stops keeps idle connections for 2
PAUSE = 0.02
RELOADS = 2
Json = dict[str, Any]


class Client(Thread):
    """Asks and asks, on one connection as long as the server keeps it (`keeps`), or on a new one for each request."""

    def __init__(self, port: int, name: str, *, keeps: bool) -> None:
        super().__init__(name=name, daemon=True)
        self.port = port
        self.keeps = keeps
        self.connection: HTTPConnection | None = None
        self.used = 0.0
        self.enough = Event()
        self.answered = 0
        self.refused = False  # a new connection was: the server has stopped
        self.stopping = False  # the server was told to: a new connection may be reset as well
        self.faults: list[str] = []
        self.key = ""
        self.key = self.ask("POST", "/v1/players", {"name": name}, 201)["api_key"]
        self.table = self.ask("POST", "/v1/tables", {"game": "house"}, 201)["id"]

    def run(self) -> None:
        """Ask until it is enough, or something fails. There are pauses: the machine is needed by the server."""
        while not (self.enough.is_set() or self.faults or self.refused):
            try:
                self.step()
                self.enough.wait(PAUSE)
            except ConnectionRefusedError:
                self.refused = True
            except Exception as fault:
                if (
                    self.stopping
                    and not self.used
                    and isinstance(fault, ConnectionResetError | RemoteDisconnected)
                ):
                    self.refused = True
                    return
                self.faults.append(f"{type(fault).__name__}: {fault}, after {self.answered} answers")

    def step(self) -> None:
        """A coup, and a look at the table."""
        self.ask("POST", f"/v1/tables/{self.table}/actions", {"actions": ["stake 10", "stand"]}, 200)
        self.ask("GET", f"/v1/tables/{self.table}", None, 200)

    def ask(self, method: str, path: str, body: Json | None, status: int) -> Json:
        """One request; AssertionError unless it is answered as is due."""
        connection = self.connected()
        headers = {"Content-Type": "application/json"} if body is not None else {}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        if not self.keeps:
            headers["Connection"] = "close"
        data = None if body is None else json.dumps(body)
        idle = monotonic() - self.used
        try:
            connection.request(method, path, data, headers)
            answer = connection.getresponse()
            text = answer.read()
        except (HTTPException, OSError):
            if self.used and idle > IDLE:
                self.connection = None
                return self.ask(method, path, body, status)
            raise
        self.used = monotonic()
        if answer.will_close:
            connection.close()
            self.connection = None
        assert answer.status == status, f"{method} {path}: {answer.status} {text[:300]!r}"
        self.answered += 1
        return json.loads(text)

    def connected(self) -> HTTPConnection:
        """The connection that is kept, or a new one. ConnectionRefusedError where nobody listens."""
        if self.connection is None:
            self.connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
            self.connection.connect()
            self.used = 0.0
        return self.connection


class Poller(Client):
    """Waits for events of its table again and again: a reload ends its waiting early, with an answer."""

    def step(self) -> None:
        found = self.ask("GET", f"/v1/tables/{self.table}/events?after=1000&wait=20", None, 200)
        assert found["events"] == []


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Served]]:
    """`serve(…)`: a server of two processes."""
    running: list[Served] = []

    def start(**settings: str) -> Served:
        few = {
            "MACAO_WORKERS": "2",
            "MACAO_THREADS": "8",
            "MACAO_MAX_WAITERS": "4",
        }
        quiet = {
            "MACAO_LOG_LEVEL": "warning",
            "MACAO_RATE_LIMIT": "100000000/minute",
            "MACAO_OPENING_GRANT": "1000000",
        }
        running.append(Served(tmp_path, **few, **quiet, **settings))
        return running[-1]

    yield start
    for served in running:
        served.close()


@pytest.fixture
def served(serve: Callable[..., Served]) -> Served:
    """A running server."""
    return serve()


def workers_of(served: Served) -> set[int]:
    children = Path(f"/proc/{served.process.pid}/task/{served.process.pid}/children").read_text()
    return {int(number) for number in children.split()}


def crowd(served: Served) -> list[Client]:
    """Four who keep their connection, two who do not, one who waits; all of them have been answered."""
    clients = [Client(served.port, f"Keeps {number}", keeps=True) for number in range(4)]
    clients += [Client(served.port, f"Anew {number}", keeps=False) for number in range(2)]
    clients.append(Poller(served.port, "Waits", keeps=True))
    for client in clients:
        client.start()
    until(lambda: all(client.answered > 4 for client in clients[:-1]))
    return clients


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="asks /proc for the processes of the server")
def test_no_request_fails_over_several_reloads(served: Served) -> None:
    """SIGHUP replaces every process; nobody notices."""
    clients = crowd(served)
    for _ in range(RELOADS):
        old = until(lambda: len(found := workers_of(served)) == 2 and found)
        served.process.send_signal(signal.SIGHUP)
        until(lambda old=old: not workers_of(served) & old)
        answered = [client.answered for client in clients]
        until(
            lambda answered=answered: all(
                client.answered > before or client.faults
                for client, before in zip(clients, answered, strict=True)
                if not isinstance(client, Poller)
            )
        )
    for client in clients:
        client.enough.set()
    served.process.send_signal(signal.SIGHUP)  # ends the waiting of the one who waits
    for client in clients:
        client.join(PATIENCE)
    assert not any(client.is_alive() for client in clients)
    assert {client.name: client.faults for client in clients if client.faults} == {}
    assert not any(client.refused for client in clients)
    assert clients[-1].answered > RELOADS
    assert served.stop() == 0
    assert served.log() == ""


def test_a_stop_answers_what_was_asked(served: Served) -> None:
    """SIGTERM under load: whoever is connected gets his answer, told to be the last; then nobody listens."""
    clients = crowd(served)
    for client in clients:
        client.stopping = True
    served.process.send_signal(signal.SIGTERM)
    for client in clients:
        client.join(PATIENCE)
    assert served.process.wait(PATIENCE) == 0
    assert {client.name: client.faults for client in clients if client.faults} == {}
    assert all(client.refused for client in clients)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="asks /proc for the processes of the server")
def test_connections_that_wait_when_it_stops_are_served(served: Served) -> None:
    """What the system has accepted is answered, though no process had come to take it."""
    workers = until(lambda: len(found := workers_of(served)) == 2 and found)
    client = Client(served.port, "Ada", keeps=False)
    for worker in workers:
        os.kill(worker, signal.SIGSTOP)
    waiting = [HTTPConnection("127.0.0.1", served.port, timeout=PATIENCE) for _ in range(20)]
    for connection in waiting:
        connection.request("GET", "/v1/players/me", headers={"Authorization": f"Bearer {client.key}"})
    served.process.send_signal(signal.SIGTERM)
    sleep(0.5)  # the master closes its socket and tells the workers, who learn it when they go on
    for worker in workers:
        os.kill(worker, signal.SIGCONT)
    for connection in waiting:
        answer = connection.getresponse()
        assert answer.status == 200
        answer.read()
        connection.close()
    assert served.process.wait(PATIENCE) == 0


def test_half_a_request_that_has_arrived_is_answered_in_whole(served: Served) -> None:
    body = b'{"name": "Ada"}'
    head = (
        b"POST /v1/players HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        b"Content-Length: %d\r\n\r\n" % len(body)
    )
    with socket.create_connection(("127.0.0.1", served.port), timeout=PATIENCE) as connection:
        connection.sendall(head + body[:5])
        sleep(0.3)  # it is being read by then; if not, it waits in the queue, and is taken from there
        served.process.send_signal(signal.SIGTERM)
        until(lambda: refuses(served.port))
        connection.sendall(body[5:])
        answer = b""
        while part := connection.recv(65536):
            answer += part
    assert answer.startswith(b"HTTP/1.1 201 ")
    assert b"\r\nConnection: close\r\n" in answer
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["balance"] == 1_000_000
    assert served.process.wait(PATIENCE) == 0


def refuses(port: int) -> bool:
    """Does nobody listen any more?"""
    with socket.socket() as probe:
        probe.settimeout(PATIENCE)
        return probe.connect_ex(("127.0.0.1", port)) != 0


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="asks /proc for the processes of the server")
class Failing(Served):
    """A server whose new processes cannot start while there is a file `fail`."""

    command = (
        "-c",
        """
from pathlib import Path
from api import server
from api.commands.serve import serve

class Failing(server.Server):
    def load(self):
        if Path("fail").exists():
            raise RuntimeError("planted")
        return super().load()

server.Server = Failing
serve([])
""",
    )


def test_a_reload_that_cannot_start_leaves_the_old_processes(tmp_path: Path) -> None:
    """New processes that die while they start are told of, the old ones go on, and a later reload may succeed."""
    served = Failing(
        tmp_path,
        MACAO_WORKERS="2",
        MACAO_LOG_LEVEL="warning",
        MACAO_GRACEFUL_TIMEOUT="1",
    )
    try:
        old = until(lambda: len(found := workers_of(served)) == 2 and found)
        client = Client(served.port, "Ada", keeps=False)
        (tmp_path / "fail").touch()
        served.process.send_signal(signal.SIGHUP)
        until(lambda: served.log().count('"event": "reload"') == 2)
        until(lambda: workers_of(served) == old)
        client.step()
        (tmp_path / "fail").unlink()
        served.process.send_signal(signal.SIGHUP)
        until(lambda: len(workers_of(served) - old) == 2)
        client.step()
        assert served.stop() == 0
    finally:
        served.process.kill()
        served.process.wait(PATIENCE)
        served.process.stdout.close()
        served.errors.close()
