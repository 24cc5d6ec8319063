"""Everything that is stored, into an archive and back: from SQLite or PostgreSQL to either.

A backup reads one snapshot while others go on writing, row by row; a restore is one transaction into a database that
holds nothing yet. Ids, numbers, times and hashes are kept as they are, so the chain of the ledger is the same chain.
Leases are left out: they are held by processes, not by the house.
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Connection,
    Integer,
    LargeBinary,
    Table,
    delete,
    func,
    insert,
    select,
    text,
)

from api.db import Database, is_current, migrate, newest_revision, revision
from api.models import HOUSE, Account, AuditHead, Base, ChainHead, Instant, Lease
from api.models.base import instant, micros
from api.services.archive import FORMAT, ArchiveError, Manifest, Part, Reader, create, opened

_BATCH: Final = 500
_LEFT_OUT: Final = {Lease.__tablename__}
# What a new database holds already, and which rows would be more than that.
_USED: Final[dict[str, ColumnElement[bool]]] = {
    Account.__tablename__: (Account.id > HOUSE) | (Account.balance != 0),
    ChainHead.__tablename__: ChainHead.seq > 0,
    AuditHead.__tablename__: AuditHead.seq > 0,
}
_Convert = Callable[[Any], Any]


def backup(database: Database, path: Path, now: datetime) -> Manifest:
    """Write everything to a new archive. Raises ArchiveError, OSError."""
    if not is_current(database):
        raise ArchiveError(
            f"no database of this version at {database.url.render_as_string()}: name the one you mean with"
            " --database, or bring it up to date with `macao migrate`"
        )
    with create(path) as archive, database.read() as session:
        connection = session.connection()
        for table in _tables():
            archive.add(table.name, [column.name for column in table.columns], _stored(connection, table))
        head = connection.execute(select(ChainHead.seq, ChainHead.hash)).one()
        manifest = Manifest(
            format=FORMAT,
            made_at=now.isoformat(),
            version=version("macao"),
            schema=newest_revision(),
            database=connection.dialect.name,
            chain=(head.seq, head.hash.hex()),
            parts=tuple(archive.parts),
        )
        archive.close(manifest)
    return manifest


def restore(database: Database, path: Path) -> Manifest:
    """Put back all that an archive holds, or nothing. Raises ArchiveError, OSError."""
    with opened(path) as archive:
        _check_schema(archive.manifest)
        archive.verify()
        _make_ready(database)
        with database.writing() as connection:
            _refuse_used(connection)
            _fill(connection, archive)
    return archive.manifest


def _tables() -> list[Table]:
    """In an order in which every row finds the rows it refers to."""
    return [table for table in Base.metadata.sorted_tables if table.name not in _LEFT_OUT]


def _stored(connection: Connection, table: Table) -> Iterator[list[Any]]:
    """The rows of a table in the order of its key, in values of JSON."""
    writers = [_converters(column)[0] for column in table.columns]
    query = select(table).order_by(*table.primary_key.columns).execution_options(yield_per=_BATCH)
    for row in connection.execute(query):
        yield [
            value if writer is None or value is None else writer(value)
            for writer, value in zip(writers, row, strict=True)
        ]


def _converters(column: Column[Any]) -> tuple[_Convert | None, _Convert | None]:
    """How a column's values are written in JSON and read again; None where they are the same."""
    if isinstance(column.type, Instant):
        return micros, instant
    if isinstance(column.type, LargeBinary):
        return bytes.hex, bytes.fromhex
    return None, None


def _check_schema(manifest: Manifest) -> None:
    newest = newest_revision()
    if manifest.schema != newest:
        raise ArchiveError(
            f"the archive has revision {manifest.schema} of the schema, and this macao (version {version('macao')})"
            f" works on {newest}: {_way_out(manifest, newest)}"
        )
    told = {part.table: part.columns for part in manifest.parts}
    known = {table.name: [column.name for column in table.columns] for table in _tables()}
    if told != known:
        raise ArchiveError("the archive's tables are not those of its revision of the schema")


def _way_out(manifest: Manifest, newest: str) -> str:
    """What to do with an archive of another revision; their names are numbers in the order of their making."""
    if manifest.schema > newest:
        return f"it was made by a later one (version {manifest.version}): install that, and restore it again"
    return (
        f"install the one that made it (version {manifest.version}) in an environment of its own, restore the archive"
        " with that into a new database, then bring this up to date with `macao migrate --database URL` of the present"
        " version"
    )


def _make_ready(database: Database) -> None:
    """Create the tables where there are none."""
    present = revision(database)
    if present is None:
        migrate(database)
    elif present != newest_revision():
        raise ArchiveError(
            f"the database has revision {present} of the schema, not {newest_revision()}: name a new database"
        )


def _refuse_used(connection: Connection) -> None:
    """Raise unless the database is as good as new; whoever wants to write meanwhile waits."""
    tables = _tables()
    if connection.dialect.name == "postgresql":
        names = ", ".join(table.name for table in tables)
        connection.execute(text(f"LOCK TABLE {names} IN ACCESS EXCLUSIVE MODE"))
    for table in tables:
        query = select(func.count()).select_from(table)
        if table.name in _USED:
            query = query.where(_USED[table.name])
        if found := connection.execute(query).scalar_one():
            raise ArchiveError(
                f"the database is not empty ({found} rows in {table.name}): nothing was restored; name a new"
                " database, in which the tables are made too"
            )


def _fill(connection: Connection, archive: Reader) -> None:
    parts = {part.table: part for part in archive.manifest.parts}
    for table in reversed(_tables()):
        if table.name in _USED:
            connection.execute(delete(table))
    for table in _tables():
        for rows in _batches(_read(archive, table, parts[table.name])):
            connection.execute(insert(table), rows)
    if connection.dialect.name == "postgresql":
        _number_on(connection)


def _read(archive: Reader, table: Table, part: Part) -> Iterator[dict[str, Any]]:
    readers = [(column.name, _converters(column)[1]) for column in table.columns]
    for row in archive.rows(part):
        yield {
            name: value if reader is None or value is None else reader(value)
            for (name, reader), value in zip(readers, row, strict=True)
        }


def _batches(rows: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    rest = iter(rows)
    while batch := list(islice(rest, _BATCH)):
        yield batch


def _number_on(connection: Connection) -> None:
    """PostgreSQL numbers rows by sequences, which know nothing of rows that brought their number."""
    for table in _tables():
        column = table.autoincrement_column
        if column is not None and isinstance(column.type, (Integer, BigInteger)):
            last = select(func.max(column)).scalar_subquery()
            sequence = func.pg_get_serial_sequence(table.name, column.name)
            connection.execute(select(func.setval(sequence, func.coalesce(last, 1), last.is_not(None))))
