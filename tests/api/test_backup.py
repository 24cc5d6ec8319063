"""Backup and restore: a drill under play, from either database to either; and everything that is refused."""

import hashlib
import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from click.testing import CliRunner
from flask import Flask
from sqlalchemy import create_engine, func, make_url, select, text

from api import create_app
from api.cli import main
from api.config import from_environment
from api.context import NAME
from api.db import Database, migrate
from api.models import Base, Lease, Transfer
from api.services.archive import opened
from api.services.audit import check
from tests.api.tables.people import Person

Json = dict[str, Any]
PATIENCE = 60
KINDS = ("sqlite", "postgresql")


@pytest.fixture
def fresh(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Callable[[str], str]]:
    """`fresh(kind)`: the URL of a database in which there is nothing yet, not even tables."""
    created: list[str] = []

    def make(kind: str) -> str:
        if kind == "sqlite":
            return f"sqlite:///{tmp_path}/restored/macao.db"
        created.append(request.getfixturevalue("postgresql_server"))
        administer(created[-1], "DROP DATABASE IF EXISTS restored WITH (FORCE)", "CREATE DATABASE restored")
        return make_url(created[-1]).set(database="restored").render_as_string(hide_password=False)

    yield make
    for server in created:
        administer(server, "DROP DATABASE restored WITH (FORCE)")


def administer(url: str, *statements: str) -> None:
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        for statement in statements:
            connection.execute(text(statement))
    engine.dispose()


@pytest.fixture
def house() -> Iterator[Callable[[str], Flask]]:
    """`house(url)`: the service on a database."""
    made: list[Flask] = []

    def make(url: str) -> Flask:
        made.append(create_app(from_environment({}, database_url=url, log_level="error")))
        return made[-1]

    yield make
    for app in made:
        app.extensions[NAME].database.dispose()


def run(*words: str) -> tuple[int, str]:
    """Exit code and output of a command."""
    done = CliRunner().invoke(main, words, prog_name="macao")
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


class Play(Thread):
    """A player who goes on playing, request after request, until he is told to stop."""

    def __init__(self, app: Flask) -> None:
        super().__init__(daemon=True)
        self.person = Person(app, "Boris")
        self.table = self.person.open()["id"]
        self.enough = Event()
        self.played = 0

    def run(self) -> None:
        while not self.enough.is_set():
            self.person.do(self.table, "stake 10", "stand")
            self.played += 1


def rows_of(url: str) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table but the leases."""
    database = Database(url)
    with database.read() as session:
        found = {
            table.name: [tuple(row) for row in session.execute(select(table).order_by(*table.primary_key))]
            for table in Base.metadata.sorted_tables
            if table.name != Lease.__tablename__
        }
    database.dispose()
    return found


@pytest.mark.parametrize("target", KINDS)
@pytest.mark.parametrize("source", KINDS)
def test_a_house_burns_down_and_plays_on(
    source: str,
    target: str,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    fresh: Callable[[str], str],
    house: Callable[[str], Flask],
) -> None:
    """Backed up while others play, restored in a new place: the same chain, the open coup, the same people."""
    url, file = request.getfixturevalue(f"{source}_url"), tmp_path / "house.backup"
    app = house(url)
    ada = Person(app, "Ada")
    table = ada.open(private=True)
    ada.do(table["id"], "stake 20")  # dealt, and not yet decided
    back_up_under_play(app, url, file)
    with opened(file) as archive:
        last, chain = archive.manifest.chain
    transfers = rows_of(url)["transfers"]
    assert 5 * 3 < last < len(transfers)
    ada_had = ada.get("/players/me/bankroll")

    new = fresh(target)
    code, output = run("restore", str(file), "--database", new)
    assert code == 0, output
    assert "The ledger is sound" in output
    assert run("ledger", "check", "--database", new)[0] == 0
    assert rows_of(new)["transfers"] == transfers[:last], "every id, number, time and hash"
    assert transfers[last - 1][-1].hex() == chain
    play_on(house(new), ada, table["id"], ada_had)


def back_up_under_play(app: Flask, url: str, file: Path) -> None:
    """A backup that holds nobody up."""
    play = Play(app)
    play.start()
    while play.played < 5:
        assert play.is_alive()
    code, output = run("backup", str(file), "--database", url)
    played_at_backup = play.played
    while play.played < played_at_backup + 3:
        assert play.is_alive()
    play.enough.set()
    play.join(PATIENCE)
    assert code == 0, output
    assert file.stat().st_mode & 0o077 == 0, "it holds seeds: for its owner only"


def play_on(restored: Flask, ada: Person, table: str, ada_had: Json) -> None:
    """The key that Ada had, her chips, the cards in her hand; a new player; numbers without a gap."""
    again = object.__new__(Person)
    again.client, again.headers, again.seen = restored.test_client(), ada.headers, []
    assert again.get("/players/me/bankroll") == ada_had
    view = again.get(f"/tables/{table}")
    assert view["phase"] == "play"
    settled = again.do(table, "stand")
    assert settled["phase"] == "stakes"
    clara = Person(restored, "Clara")
    assert clara.do(clara.open()["id"], "stake 10", "stand")["last"]["coup"] == 1
    with restored.extensions[NAME].database.read() as session:
        transfers, last = session.execute(select(func.count(Transfer.seq), func.max(Transfer.seq))).one()
        assert transfers == last
    assert check(restored.extensions[NAME].database).ok


@pytest.fixture
def backed_up(sqlite_url: str, tmp_path: Path, house: Callable[[str], Flask]) -> tuple[str, Path]:
    """A small house, and the file of its backup."""
    app = house(sqlite_url)
    ada = Person(app, "Ada «Ю» 🂡")
    ada.do(ada.open()["id"], "stake 10", "stand")
    ada.client.post("/v1/players", json={"name": "Once"}, headers={"Idempotency-Key": "once"})
    file = tmp_path / "small.backup"
    assert run("backup", str(file), "--database", sqlite_url)[0] == 0
    return sqlite_url, file


LOG = ("audit_entries", "audit_head")  # goes on by what the commands themselves enter


def without_log(rows: dict[str, list[Any]]) -> dict[str, list[Any]]:
    return {table: found for table, found in rows.items() if table not in LOG}


@pytest.mark.parametrize("target", KINDS)
def test_every_row_comes_back_as_it_was(
    target: str, backed_up: tuple[str, Path], tmp_path: Path, fresh: Callable[[str], str]
) -> None:
    url, file = backed_up
    new = fresh(target)
    assert run("restore", str(file), "--database", new)[0] == 0
    before, after = rows_of(url), rows_of(new)
    assert without_log(after) == without_log(before)
    # Of the log each has a last entry of its own: that it was backed up, that it was restored.
    assert after["audit_entries"][:-1] == before["audit_entries"][:-1] != []
    # A backup of what was restored says the same of every table, whatever the database.
    assert run("backup", str(tmp_path / "again.backup"), "--database", new)[0] == 0
    with opened(file) as first, opened(tmp_path / "again.backup") as second:
        for one, other in zip(first.manifest.parts, second.manifest.parts, strict=True):
            assert one == other or one.table in LOG
        assert first.manifest.rows > 20


def test_the_manifest_tells_what_is_in_it(backed_up: tuple[str, Path]) -> None:
    """Read with nothing but a zip program, a JSON parser and SHA-256."""
    url, file = backed_up
    with zipfile.ZipFile(file) as archive:
        manifest = json.loads(archive.read("manifest.json"))
        texts = {part["table"]: archive.read(f"tables/{part['table']}.jsonl") for part in manifest["parts"]}
        assert sorted(archive.namelist()) == sorted(
            ["manifest.json", *(f"tables/{table}.jsonl" for table in texts)]
        )
    found = rows_of(url)
    assert {part["table"]: part["rows"] for part in manifest["parts"]} == {
        table: len(rows) - (table == "audit_entries")  # the last one was entered after it
        for table, rows in found.items()
    }
    for part in manifest["parts"]:
        text = texts[part["table"]]
        assert hashlib.sha256(text).hexdigest() == part["sha256"]
        assert all(len(json.loads(line)) == len(part["columns"]) for line in text.splitlines())
    assert (manifest["format"], manifest["version"], manifest["database"]) == (
        "macao backup 1",
        "0.1.0",
        "sqlite",
    )
    assert manifest["chain"] == [len(found["transfers"]), found["transfers"][-1][-1].hex()]
    assert {"schema", "made_at", "digest"} <= set(manifest)


def refused(*words: str) -> str:
    """The one line of a refusal."""
    code, output = run(*words)
    assert code in (1, 2), output
    (line,) = [line for line in output.splitlines() if line.startswith("Error: ")]
    return line


def test_a_database_in_use_is_not_filled(backed_up: tuple[str, Path], tmp_path: Path) -> None:
    url, file = backed_up
    before = rows_of(url)
    assert "is not empty" in refused("restore", str(file), "--database", url)
    assert rows_of(url) == before
    # One that is migrated and no more is as good as a new one.
    empty = Database(f"sqlite:///{tmp_path}/empty.db")
    migrate(empty)
    empty.dispose()
    assert run("restore", str(file), "--database", f"sqlite:///{tmp_path}/empty.db")[0] == 0


def test_no_file_is_overwritten_and_none_is_left_half_written(
    backed_up: tuple[str, Path], tmp_path: Path
) -> None:
    url, file = backed_up
    before = file.read_bytes()
    assert "is there already" in refused("backup", str(file), "--database", url)
    assert file.read_bytes() == before
    assert "cannot be used" in refused("backup", str(tmp_path / "nowhere" / "x"), "--database", url)
    none = refused("backup", str(tmp_path / "x"), "--database", f"sqlite:///{tmp_path}/none.db")
    assert "no database of this version" in none
    assert {path.name for path in tmp_path.iterdir()} & {"x", "none.db", "nowhere"} == set()
    assert not list(tmp_path.glob("*.part"))


def altered(file: Path, change: Callable[[Json, dict[str, bytes]], None], *, sign: bool = False) -> Path:
    """A copy of an archive in which something is otherwise; `sign`: with hashes made anew."""
    with zipfile.ZipFile(file) as archive:
        texts = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(texts.pop("manifest.json"))
    change(manifest, texts)
    if sign:
        manifest.pop("digest")
        for part in manifest["parts"]:
            text = texts[f"tables/{part['table']}.jsonl"]
            part["rows"], part["sha256"] = text.count(b"\n"), hashlib.sha256(text).hexdigest()
        compact = json.dumps(manifest, ensure_ascii=False, separators=(",", ":"))
        manifest["digest"] = hashlib.sha256(compact.encode()).hexdigest()
    made = file.with_name("altered.backup")
    with zipfile.ZipFile(made, "w") as archive:
        for name, text in texts.items():
            archive.writestr(name, text)
        archive.writestr("manifest.json", json.dumps(manifest))
    return made


def richer(manifest: Json, texts: dict[str, bytes]) -> None:
    texts["tables/accounts.jsonl"] = texts["tables/accounts.jsonl"].replace(b"1", b"2")


def older(manifest: Json, texts: dict[str, bytes]) -> None:
    manifest["schema"] = "0000"


def later(manifest: Json, texts: dict[str, bytes]) -> None:
    manifest["schema"], manifest["version"] = "9999", "7.1"


def gap(manifest: Json, texts: dict[str, bytes]) -> None:
    texts["tables/transfers.jsonl"] = b"".join(texts["tables/transfers.jsonl"].splitlines(keepends=True)[1:])


def less(manifest: Json, texts: dict[str, bytes]) -> None:
    del texts["tables/events.jsonl"]


def other(manifest: Json, texts: dict[str, bytes]) -> None:
    manifest["format"] = "macao backup 7"


@pytest.mark.parametrize(
    ("change", "sign", "told"),
    [
        (richer, False, "table accounts is not what the manifest says"),
        (less, False, "is no whole archive"),
        (older, False, "the manifest is not what its digest says"),
        (older, True, "revision 0000 of the schema, and this macao"),
        (
            older,
            True,
            "then bring this up to date with `macao migrate --database URL` of the present version",
        ),
        (later, True, "it was made by a later one (version 7.1): install that, and restore it again"),
        (other, True, "its format is 'macao backup 7'"),
        (gap, True, "cannot be used"),  # the database itself refuses a chain with a gap
    ],
)
def test_a_broken_archive_restores_nothing(
    change: Callable[..., None], sign: bool, told: str, backed_up: tuple[str, Path], tmp_path: Path
) -> None:
    bad = altered(backed_up[1], change, sign=sign)
    url = f"sqlite:///{tmp_path}/new/macao.db"
    assert told in refused("restore", str(bad), "--database", url)
    if (tmp_path / "new").exists():  # the tables were made, in a transaction of their own
        assert {table: len(rows) for table, rows in rows_of(url).items() if rows} == {
            "accounts": 2,
            "chain_head": 1,
            "audit_head": 1,
        }
    # Signed anew, and not altered: it is the alteration that was refused.
    good = altered(backed_up[1], lambda *_: None, sign=True)
    assert run("restore", str(good), "--database", url)[0] == 0


@pytest.mark.parametrize("cut", ["end", "middle", "everything", "byte"])
def test_a_damaged_file_is_told_in_one_line(cut: str, backed_up: tuple[str, Path], tmp_path: Path) -> None:
    data = bytearray(backed_up[1].read_bytes())
    if cut == "end":
        del data[-100:]
    elif cut == "middle":
        del data[len(data) // 3 : len(data) // 2]
    elif cut == "everything":
        data.clear()
    else:
        with zipfile.ZipFile(backed_up[1]) as archive:  # within a text: some bytes of a zip say nothing
            largest = max(archive.infolist(), key=lambda item: item.compress_size)
        data[largest.header_offset + 30 + len(largest.filename) + largest.compress_size // 2] ^= 0x10
    bad = tmp_path / "bad.backup"
    bad.write_bytes(data)
    line = refused("restore", str(bad), "--database", f"sqlite:///{tmp_path}/new.db")
    assert "is no whole archive of «macao backup»" in line
    assert not (tmp_path / "new.db").exists()
    assert "No such file" in refused(
        "restore", str(tmp_path / "none"), "--database", f"sqlite:///{tmp_path}/n.db"
    )


def test_the_drill_of_the_page_runs_as_it_stands(sqlite_url: str, tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "backup.md").read_text(encoding="utf-8")
    (drill,) = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", drill],
        cwd=tmp_path,
        env={**os.environ, "PATH": path, "MACAO_DATABASE_URL": sqlite_url},
        capture_output=True,
        text=True,
        timeout=PATIENCE * 4,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("The ledger is sound") == 2
    assert not list(tmp_path.glob("drill*"))
