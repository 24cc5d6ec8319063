"""The lines of requests are written by a thread: whole, once, in order, and soon (docs/operation.md, «Logs»)."""

import io
import os
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
from typing import Any, TextIO

import pytest

from api import log_writer
from api.log_writer import WriteBehind


@pytest.fixture
def log(tmp_path: Path) -> Iterator[tuple[Path, TextIO]]:
    """A log: its path, and it opened."""
    path = tmp_path / "log"
    with path.open("w") as file:
        yield path, file


@pytest.fixture
def no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """What waits is written by nobody but who drains it."""
    monkeypatch.setattr(log_writer, "EVERY", 3600)


@pytest.mark.usefixtures("no_thread")
def test_a_line_waits_and_is_written_once(log: tuple[Path, TextIO]) -> None:
    path, file = log
    behind = WriteBehind(file)
    assert behind.write("«één»\n") == 6
    behind.flush()
    assert path.read_text() == ""
    behind.drain()
    behind.drain()
    assert path.read_text() == "«één»\n"


def test_the_thread_writes_soon(log: tuple[Path, TextIO]) -> None:
    path, file = log
    WriteBehind(file).write("here\n")
    until = monotonic() + 60
    while not path.read_text():
        assert monotonic() < until
        sleep(0.01)


@pytest.mark.usefixtures("no_thread")
def test_lines_of_many_threads_are_whole_and_in_the_order_of_each(log: tuple[Path, TextIO]) -> None:
    path, file = log
    behind = WriteBehind(file)

    def write(name: int) -> None:
        for number in range(500):
            behind.write(f"{name} {number} {'x' * (number % 90)}\n")

    threads = [Thread(target=write, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    behind.drain()
    found = [line.split(" ") for line in path.read_text().splitlines()]
    for name in range(4):
        mine = [(int(number), len(rest)) for who, number, rest in found if who == str(name)]
        assert mine == [(number, number % 90) for number in range(500)]


@pytest.mark.usefixtures("no_thread")
def test_whole_lines_are_written_as_many_as_a_pipe_takes_at_once() -> None:
    """POSIX: a write of up to PIPE_BUF bytes is not mixed with what other processes write."""
    parts: list[bytes] = []

    class Noting(io.BytesIO):
        """Notes what is written at a time."""

        def write(self, data: Any) -> int:
            parts.append(bytes(data))
            return len(data)

    behind = WriteBehind(io.TextIOWrapper(Noting()))
    for _ in range(100):
        behind.write("y" * 299 + "\n")
    behind.drain()
    assert [len(part) for part in parts] == [3900] * 7 + [2700]  # 13 lines of 300 bytes in 4,096


@pytest.mark.usefixtures("no_thread")
def test_who_writes_more_than_may_wait_writes_it_out(
    log: tuple[Path, TextIO], monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that what waits for a slow reader is bounded."""
    monkeypatch.setattr(log_writer, "_MOST", 3)
    path, file = log
    behind = WriteBehind(file)
    for number in range(4):
        assert path.read_text() == ""
        behind.write(f"{number}\n")
    assert path.read_text() == "0\n1\n2\n3\n"


@pytest.mark.usefixtures("no_thread")
def test_a_forked_child_leaves_the_parents_lines_to_the_parent(log: tuple[Path, TextIO]) -> None:
    path, file = log
    behind = WriteBehind(file)
    behind.write("parent\n")
    child = os.fork()
    if child == 0:
        behind.write("child\n")
        behind.drain()
        os._exit(0)
    os.waitpid(child, 0)
    behind.drain()
    assert path.read_text() == "child\nparent\n"
