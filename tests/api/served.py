"""`macao serve` as a process of its own, for the tests that stop, reload or kill it."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep
from typing import Any, ClassVar
from urllib.error import HTTPError
from urllib.request import Request, urlopen

WAIT = 30  # seconds; far more than a start or a stop takes
PATIENCE = 120


class Served:
    """A running `macao serve`."""

    command: ClassVar[tuple[str, ...]] = ("-m", "api", "serve")

    def __init__(self, folder: Path, **settings: str) -> None:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("MACAO_")}
        environment |= {"MACAO_BIND": "127.0.0.1:0", "MACAO_EXPERIMENT_WORKERS": "0", **settings}
        self.errors = (folder / "stderr").open("a+")
        self.process = subprocess.Popen(
            [sys.executable, *self.command],
            cwd=folder,
            env=environment | {"PYTHONPATH": os.pathsep.join(sys.path)},
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
        )
        assert self.process.stdout is not None
        self.greeting = [self.process.stdout.readline() for _ in range(4)]
        self.url = self.greeting[0].rsplit(" ", 1)[-1].strip()
        self.port = int(self.url.rsplit(":", 1)[-1])

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any, Any]:
        data = None if body is None else json.dumps(body).encode()
        request = Request(self.url + path, data=data, method=method, headers=headers)
        if data is not None:
            request.add_header("Content-Type", "application/json")
        try:
            with urlopen(request, timeout=WAIT) as answer:
                return answer.status, answer.headers, answer.read()
        except HTTPError as refused:
            return refused.code, refused.headers, refused.read()

    def raw(self, data: bytes) -> bytes:
        """What the server answers to bytes that need not be HTTP."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=WAIT) as connection:
            connection.sendall(data)
            answer = b""
            while part := connection.recv(65536):
                answer += part
        return answer

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(WAIT)

    def close(self) -> None:
        """Kill it if it runs still, and close its files."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(WAIT)
        assert self.process.stdout is not None
        self.process.stdout.close()
        self.errors.close()

    def log(self) -> str:
        self.errors.seek(0)
        return self.errors.read()


def until(condition: Callable[[], Any]) -> Any:
    """What a condition gives once it holds."""
    end = monotonic() + PATIENCE
    while not (found := condition()):
        assert monotonic() < end
        sleep(0.02)
    return found
