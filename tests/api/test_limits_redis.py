"""Rate limits counted in a real Redis: several processes share them, and one that is away is no way around them."""

import json
import shutil
import socket
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

import pytest
from flask import Flask
from http_contract import register

from tests.api.served import Served

redis = pytest.importorskip("redis", reason="the redis client is not installed (pip install redis)")
SERVER = shutil.which("redis-server")
_PATIENCE = 60.0  # seconds to come up in


@contextmanager
def running(port: int, folder: Path) -> Iterator[None]:
    """A Redis of this test's own, which keeps nothing."""
    if SERVER is None:
        pytest.skip("redis-server is not installed (Debian: apt-get install redis-server)")
    command = [SERVER, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    server = subprocess.Popen([*command, "--dir", str(folder)], stdout=subprocess.DEVNULL)
    try:
        client, until = redis.Redis(port=port), monotonic() + _PATIENCE
        while not _answers(client):
            assert server.poll() is None, "redis-server ended"
            assert monotonic() < until, "redis-server does not answer"
            sleep(0.02)
        client.close()
        yield
    finally:
        server.terminate()
        server.wait()


def _answers(client: "redis.Redis") -> bool:
    try:
        return bool(client.ping())
    except redis.ConnectionError:
        return False


@pytest.fixture
def port() -> int:
    """A port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        found: int = probe.getsockname()[1]
        return found


@pytest.fixture
def storage(port: int, tmp_path: Path) -> Iterator[str]:
    """The address of a running Redis, for MACAO_RATE_STORAGE."""
    with running(port, tmp_path):
        yield f"redis://127.0.0.1:{port}/0"


def test_processes_share_what_is_spent(sqlite_url: str, make_app: Callable[..., Flask], storage: str) -> None:
    """Two applications on one Redis hold one key to one limit; in memory each counts for itself."""
    for address, allowed in ((storage, 6), ("memory://", 12)):
        apps = [make_app(sqlite_url, rate_limit="6/hour", rate_storage=address) for _ in range(2)]
        auth = register(apps[0].test_client())["auth"]
        statuses = Counter(
            app.test_client().get("/v1/players/me", headers=auth).status_code
            for _ in range(8)
            for app in apps
        )
        assert statuses == {200: allowed, 429: 16 - allowed}, address


def test_the_headers_are_as_in_memory(sqlite_url: str, make_app: Callable[..., Flask], storage: str) -> None:
    client = make_app(sqlite_url, rate_storage=storage).test_client()
    auth = register(client)["auth"]
    client.get("/v1/players/me", headers=auth)
    answer = client.get("/v1/players/me", headers=auth)
    assert answer.headers["RateLimit-Policy"] == '"key";q=300000;w=60'
    assert answer.headers["X-RateLimit-Remaining"] == "299998"
    assert 1 <= int(answer.headers["X-RateLimit-Reset"]) <= 60


def test_many_at_once_get_what_there_is_and_no_more(
    sqlite_url: str, make_app: Callable[..., Flask], storage: str
) -> None:
    app = make_app(sqlite_url, rate_limit="50/hour", rate_storage=storage)
    auth = register(app.test_client())["auth"]
    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(app.test_client().get, "/v1/players/me", headers=auth) for _ in range(80)]
        statuses = Counter(answer.result().status_code for answer in asked)
    assert statuses == {200: 50, 429: 30}


def test_a_redis_that_is_away_is_503_until_it_is_back(
    sqlite_url: str, make_app: Callable[..., Flask], port: int, tmp_path: Path
) -> None:
    """Nothing is let through uncounted, nothing is changed; what looks after the service is answered all the same."""
    address = f"redis://127.0.0.1:{port}/0"
    client = make_app(sqlite_url, rate_storage="memory://").test_client()
    auth = register(client)["auth"]
    with running(port, tmp_path):
        app = make_app(sqlite_url, rate_storage=address)
        client = app.test_client()
        assert client.get("/v1/players/me", headers=auth).status_code == 200
    refused = client.get("/v1/players/me", headers=auth)
    assert (refused.status_code, refused.json["code"]) == (503, "busy")
    assert refused.headers["Retry-After"]
    with running(port, tmp_path):
        assert client.get("/v1/players/me", headers=auth).status_code == 200


@pytest.mark.slow
def test_the_processes_of_one_server_share_them(storage: str, tmp_path: Path) -> None:
    """`macao serve` with two processes: new connections go to both, and one key gets its limit once."""
    served = Served(
        tmp_path,
        MACAO_DATABASE_URL=f"sqlite:///{tmp_path}/macao.db",
        MACAO_LOG_LEVEL="error",
        MACAO_WORKERS="2",
        MACAO_RATE_LIMIT="20/hour",
        MACAO_RATE_STORAGE=storage,
    )
    try:
        _, _, made = served.ask("POST", "/v1/players", {"name": "Ada"})
        key = {"Authorization": f"Bearer {json.loads(made)['api_key']}"}
        statuses = Counter(served.ask("GET", "/v1/players/me", **key)[0] for _ in range(30))
        assert statuses == {200: 20, 429: 10}
    finally:
        served.stop()
