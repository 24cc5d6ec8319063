"""The table of docs/security.md and the tests it names; and what no other file of tests looks at."""

import ast
import re
import socket
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import EnvironBuilder, run_wsgi_app

from tests.api.roles import World, build, operations

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "security.md").read_text()
RISKS = 10
CLIENTS = {"requests", "httpx", "aiohttp", "urllib3", "http.client", "urllib.request", "ftplib", "smtplib"}


def rows() -> dict[str, list[tuple[str, str]]]:
    """Of every risk in the table, the tests as (file, function)."""
    found = re.findall(r"^\| (API\d+) [^|]+ \| [^|]+ \| ([^|]+) \|$", PAGE, re.MULTILINE)
    return {risk: re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", told) for risk, told in found}


def test_every_risk_has_a_row_and_tests_of_its_own() -> None:
    table = rows()
    assert list(table) == [f"API{number}" for number in range(1, RISKS + 1)]
    assert all(len(tests) >= 2 for tests in table.values())


@pytest.mark.parametrize("risk", rows())
def test_every_test_named_in_the_table_is_there(risk: str) -> None:
    for file, function in rows()[risk]:
        path = ROOT / file
        assert path.exists(), f"{risk}: there is no {file}"
        there = {
            item.name for item in ast.walk(ast.parse(path.read_text())) if isinstance(item, ast.FunctionDef)
        }
        assert function in there, f"{risk}: {file} has no {function}"


def test_nothing_else_is_named_in_the_column_of_tests() -> None:
    """A name written in another form would not be looked up."""
    for line in PAGE.splitlines():
        if re.match(r"\| API\d", line):
            told = line.rstrip(" |").rpartition("| ")[2]
            assert re.sub(r"`tests/[\w/]+\.py::\w+`(, )?", "", told) == "", told


@pytest.mark.parametrize(("blanks", "status"), [(0, 201), (1009, 201), (1010, 413), (9000, 413)])
def test_a_body_of_unknown_length_is_held_to_the_cap(
    sqlite_url: str, make_app: Callable[..., Flask], blanks: int, status: int
) -> None:
    """Sent in chunks it has no Content-Length: what is read is counted, to the byte, and none of it is left aside."""
    app = make_app(sqlite_url, max_body=1024, log_level="error")
    body = b'{"name": "Ada"' + b" " * blanks + b"}"
    sent = EnvironBuilder(
        "/v1/players", method="POST", input_stream=BytesIO(body), content_type="application/json"
    ).get_environ()
    sent.pop("CONTENT_LENGTH", None)
    sent |= {"HTTP_TRANSFER_ENCODING": "chunked", "wsgi.input_terminated": True}  # as gunicorn hands it over
    _, line, headers = run_wsgi_app(app.wsgi_app, sent)
    assert line.startswith(str(status)), (len(body), line)
    assert headers["Content-Type"] == ("application/problem+json" if status == 413 else "application/json")


def test_no_request_makes_the_service_connect_anywhere(
    sqlite_url: str, make_app: Callable[..., Flask], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every operation with its example, and with addresses where texts are taken: no connection is tried."""
    world = build(make_app(sqlite_url, refill_sum=10**6, log_level="error"))
    tried: list[Any] = []

    def connect(_self: socket.socket, address: Any) -> None:
        tried.append(address)
        raise OSError("no connection in this test")

    monkeypatch.setattr(socket.socket, "connect", connect)
    monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **_: connect(None, args))  # type: ignore[arg-type]
    for name, (method, path, _, example) in operations(world.app).items():
        if name != "delete_me":
            world.ask(method, world.path(path), world.ada.headers, example)
            if isinstance(example, dict):
                world.ask(method, world.path(path), world.ada.headers, aimed(example))
    assert tried == []


def aimed(value: Any) -> Any:
    """The same value with an address in the place of every text."""
    if isinstance(value, dict):
        return {name: aimed(item) for name, item in value.items()}
    if isinstance(value, list):
        return [aimed(item) for item in value]
    return "http://169.254.169.254/latest/meta-data" if isinstance(value, str) else value


def test_the_service_has_no_client_of_http() -> None:
    """Nothing in the three packages imports one."""
    for package in ("api", "analysis", "casino"):
        for path in (ROOT / package).rglob("*.py"):
            for item in ast.walk(ast.parse(path.read_text())):
                names = [alias.name for alias in item.names] if isinstance(item, ast.Import) else []
                names += [item.module or ""] if isinstance(item, ast.ImportFrom) else []
                used = {name for name in names if name in CLIENTS or name.split(".")[0] in CLIENTS}
                assert not used, f"{path.relative_to(ROOT)} imports {used}"


def test_the_world_of_these_tests_is_whole(sqlite_url: str, make_app: Callable[..., Flask]) -> None:
    """The helper stands for every part of a path that an operation has."""
    world: World = build(make_app(sqlite_url, log_level="error"))
    for _, (_, path, _, _) in operations(world.app).items():
        assert "{" not in world.path(path)
