"""The guide «From one machine to many», run as it stands but for ports and the address of the database."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from time import sleep

import pytest
from postgresql import administer
from sqlalchemy import func, make_url, select

from api import create_app
from api.config import from_environment
from api.context import NAME
from api.db import Database, migrate
from api.models import Account
from tests.api.tables.people import Person, sound

GUIDE = Path(__file__).parents[2] / "docs" / "many-machines.md"
DATABASE = "postgresql://macao@db.example/macao"
PORTS = ("8000", "8001", "8002", "6379", "8786")
NEEDED = {"nginx": "nginx-light", "redis-server": "redis-server", "redis-cli": "redis-tools", "curl": "curl"}
PATIENCE = 400


@pytest.fixture
def database(postgresql_server: str) -> Iterator[str]:
    """The URL of a database in which there is nothing yet."""
    administer(postgresql_server, "DROP DATABASE IF EXISTS guide WITH (FORCE)", "CREATE DATABASE guide")
    yield make_url(postgresql_server).set(database="guide").render_as_string(hide_password=False)
    administer(postgresql_server, "DROP DATABASE guide WITH (FORCE)")


@pytest.fixture
def house(tmp_path: Path) -> Person:
    """A house on one machine: a SQLite file, a player in the middle of a coup, his key in a file."""
    (tmp_path / "var").mkdir()
    url = f"sqlite:///{tmp_path}/var/macao.db"
    migrate(Database(url))
    app = create_app(from_environment({}, database_url=url, log_level="error"))
    ada = Person(app, "Ada")
    ada.do(ada.open(turn_seconds=3600)["id"], "stake 10")
    (tmp_path / "key").write_text(ada.headers["Authorization"].removeprefix("Bearer "))
    app.extensions[NAME].database.dispose()
    return ada


def script(database: str) -> str:
    """All `sh` blocks of the guide in order, with ports that are free."""
    text = "\n".join(
        re.findall(r"^```sh\n(.*?)^```", GUIDE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    )
    assert DATABASE in text
    for port in PORTS:
        assert re.search(rf"\b{port}\b", text), port
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            text = re.sub(rf"\b{port}\b", str(probe.getsockname()[1]), text)
    return text.replace(DATABASE, database)


@pytest.mark.slow
def test_every_command_of_the_guide_runs(database: str, house: Person, tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="the extra dask is not installed")
    pytest.importorskip("redis", reason="the redis client is not installed (pip install redis)")
    for program, package in NEEDED.items():
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed (Debian: apt-get install {package})")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MACAO_")}
    environment["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}:/usr/sbin"
    with (tmp_path / "stdout").open("w+") as output, (tmp_path / "stderr").open("w+") as errors:
        process = subprocess.Popen(
            ["bash", "-euo", "pipefail", "-c", script(database)],
            cwd=tmp_path,
            env=environment,
            stdout=output,
            stderr=errors,
            start_new_session=True,
        )
        try:
            code = process.wait(PATIENCE)
            left = still_running(process.pid, tmp_path) if code == 0 else []
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            if (tmp_path / "nginx.pid").exists():  # it is a daemon, of a session of its own
                os.kill(int((tmp_path / "nginx.pid").read_text()), signal.SIGTERM)
        output.seek(0)
        errors.seek(0)
        told, wrong = output.read(), errors.read()
    assert code == 0, f"{told[-2000:]}\n{wrong[-2000:]}"
    assert left == [], "the guide stops whatever it started"
    check_what_it_told(told, house)
    check_what_is_left(tmp_path, database, told)


def still_running(group: int, folder: Path) -> list[str]:
    """What is left of a process group, and nginx, which is a daemon of its own; some time is given to them to end."""
    left: list[str] = []
    for _ in range(100):
        left = [name for name, state, its in processes() if its == group and state != "Z"]
        left += ["nginx"] if (folder / "nginx.pid").exists() else []
        if not left:
            break
        sleep(0.2)
    return left


def processes() -> Iterator[tuple[str, str, int]]:
    """The name, the state and the group of every process of this machine (proc(5))."""
    for file in Path("/proc").glob("[0-9]*/stat"):
        with suppress(FileNotFoundError, ProcessLookupError):  # it has ended
            head, _, rest = file.read_text().rpartition(") ")
            state, _parent, group = rest.split()[:3]
            yield head.partition("(")[2], state, int(group)


def check_what_it_told(told: str, house: Person) -> None:
    """The player of old is known at every host, at every step; the ledger is sound; quantities are told."""
    players = [
        json.loads(line)["id"] for line in told.splitlines() if line.startswith("{") and '"ply_' in line
    ]
    assert players == [house.id] * 9
    assert told.count("The ledger is sound") >= 4
    assert 'macao_experiments{status="done"} 1.0' in told
    assert "macao_database_up 1.0" in told


def check_what_is_left(folder: Path, database: str, told: str) -> None:
    results = json.loads((folder / "results.json").read_text())
    assert results
    assert json.loads((folder / "game.json").read_text())["name"] == "house"
    left = Database(database)
    sound(left)
    with left.read() as session:
        held = session.scalar(select(func.sum(Account.balance)).where(Account.kind.in_(("escrow", "bank"))))
    assert float(told.split("\nmacao_chips_in_play ")[1].split(maxsplit=1)[0]) == held > 100_000, (
        "the house's bank and a stake"
    )
    left.dispose()
