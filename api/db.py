"""The database: one way to read, one way to write, the same on SQLite and on PostgreSQL.

`read()` is a consistent snapshot that refuses writes and waits for nobody. `write()` is one transaction that
is committed at the end of the block or rolled back; on SQLite writers queue, and those who queue together are
committed together (api/write_queue.py), on PostgreSQL they lock the rows that they change.

SQLite runs in WAL mode with `synchronous=FULL`: a commit is on the disk before it is acknowledged, so neither
`kill -9` nor a power cut loses one. (NORMAL would survive the kill, but not the power cut; FULL costs about a
quarter of a millisecond a commit on an SSD, little beside a request.) PostgreSQL does the same by default.
"""

import json
import logging
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from enum import IntEnum
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import URL, Connection, Engine, create_engine, event, func, make_url, select
from sqlalchemy.engine.interfaces import IsolationLevel
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.orm import Session

from api import migrations
from api.prepared import pipelined, say
from api.services.errors import Busy
from api.write_queue import WriteQueue

if TYPE_CHECKING:
    from alembic.config import Config

PATIENCE: Final = 10.0  # seconds that a writer waits for its turn
_BUSY_TIMEOUT_MS: Final = 5_000  # for writers that do not queue, such as a shell
_CHECKPOINT_PAGES: Final = 4_000  # of 4 KiB
_MIGRATION_LOCK: Final = 0x6D6163616F  # «macao»
_KEPT: Final = 8  # connections of a pool that stay open
_HOOKS: Final = "after_commit"
_LAST: Final = "before_commit"
Heads = tuple[str, ...]  # revisions of the schema: one, or none where there is no database yet
_RETRYABLE_STATES: Final = {"40001", "40P01", "55P03"}  # serialization, deadlock, lock not available
_LATE: Final = "the database could not be reached, or did not take the call in time: try again"
_log = logging.getLogger(__name__)


class DatabaseError(ValueError):
    """An URL that names no database this service can use; the text says what would be right."""


class Database:
    """A database named by an URL: `sqlite:///file.db` or `postgresql://user@host/name`.

    Nothing is opened before the first use. `path` is the file of a SQLite database, `patience` the seconds that a
    writer waits for his turn or for a lock.
    """

    def __init__(self, url: str, *, patience: float = PATIENCE) -> None:
        self.url = _parse(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self._glances = _Glances()
        if self.is_sqlite:
            self._open_sqlite(patience)
        else:
            self._open_postgresql(patience)
        os.register_at_fork(after_in_child=self._forget)

    def __repr__(self) -> str:
        return f"Database({self.url.render_as_string()})"

    @contextmanager
    def read(self) -> Iterator[Session]:
        """A session on one consistent snapshot; any write in it is refused by the database."""
        with _retryable(), Session(self._reader, autoflush=False, expire_on_commit=False) as session:
            yield session
            session.commit()  # of nothing, but a rollback makes psycopg prepare its statements anew

    @contextmanager
    def glance(self) -> Iterator[Connection]:
        """A connection for `Prepared` selects: each is a snapshot by itself, so no transaction is opened for it.

        Some are kept at hand: to take one from its pool and to give it back costs as much as what it is asked.
        """
        with _retryable():
            connection = self._glances.take() or self._glancer.connect()
            try:
                yield connection
            except BaseException:
                self._glances.drop(connection)
                raise
            self._glances.keep(connection)

    @contextmanager
    def write(self) -> Iterator[Session]:
        """A session in one transaction, committed at the end of the block, rolled back on an exception.

        Raises Busy where the turn or a lock is not to be had in time (nothing was changed), or the database is not
        reached (if it is lost in the very commit nobody can tell: repeat the request under its Idempotency-Key).
        """
        with _retryable(), self._turn() as bind, Session(bind, **_IN_A_SAVEPOINT) as session:
            yield session
            _finish(session)
        for hook in session.info.pop(_HOOKS, ()):
            _run(hook)

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """As `write()`, but a bare connection: for migrations and bulk work."""
        with _retryable(), self._turn() as bind:
            if isinstance(bind, Connection):
                with bind.begin_nested():
                    yield bind
            else:
                with bind.begin() as connection:
                    yield connection

    def on_commit(self, session: Session, hook: Callable[[], object]) -> None:
        """Call the hook once the session's transaction is committed and its locks are free; never otherwise.

        A hook that raises is logged: what was committed stands, and the other hooks are called.
        """
        after_commit(session, hook)

    def dispose(self) -> None:
        """Close all connections; the next use opens new ones."""
        self._glances.close()
        self._writer.dispose()
        self._reader.dispose()
        if self._queue is not None:
            self._queue.close()

    def _forget(self) -> None:
        self._glances.forget()
        self._writer.dispose(close=False)
        self._reader.dispose(close=False)
        if self._queue is not None:
            self._queue.forget()

    def _turn(self) -> AbstractContextManager[Engine | Connection]:
        """What a writer works on: on SQLite a connection that writers who queue share, one after another."""
        return self._queue.turn() if self._queue is not None else nullcontext(self._writer)

    def _open_sqlite(self, patience: float) -> None:
        path = Path(str(self.url.database)).absolute()
        self.path: Path | None = path
        url = self.url.set(database=str(path))
        self._writer = create_engine(url, **_SHARED, pool_size=1, max_overflow=1)
        lock = path.with_name(path.name + ".lock")
        self._queue: WriteQueue | None = WriteQueue(lock, self._writer.connect, patience=patience)
        self._reader = create_engine(url, **_SHARED, pool_size=8, max_overflow=64)
        self._glancer = self._reader  # the driver opens no transaction by itself
        event.listen(self._writer, "connect", _prepare_writer)
        event.listen(self._reader, "connect", _prepare_reader)
        event.listen(self._writer, "begin", lambda connection: say(connection, "BEGIN IMMEDIATE"))
        event.listen(self._reader, "begin", lambda connection: say(connection, "BEGIN"))
        _plain_savepoints(self._writer)

    def _open_postgresql(self, patience: float) -> None:
        self.path = None
        self._queue = None
        self._writer = self._pool(patience, "READ COMMITTED", most=16)
        # What is sent in one pipeline is one transaction by itself, so these hold for it too.
        reading = ("default_transaction_isolation=repeatable\\ read", "default_transaction_read_only=on")
        self._glancer = self._pool(patience, "AUTOCOMMIT", *reading, most=24)
        self._reader = self._glancer.execution_options(isolation_level="REPEATABLE READ")

    def _pool(self, patience: float, isolation: IsolationLevel, *settings: str, most: int) -> Engine:
        """So many connections to PostgreSQL. Writers have their own: a rollback makes psycopg prepare all anew."""
        settings = ("timezone=UTC", f"lock_timeout={int(patience * 1000)}", *settings)
        return create_engine(
            self.url,
            **_SHARED,
            pool_size=_KEPT,
            max_overflow=most - _KEPT,
            pool_timeout=patience,
            isolation_level=isolation,
            connect_args={"options": " ".join(f"-c {setting}" for setting in settings)},
        )


class _Glances:
    """Connections of one pool that are at hand for the next glance, the last used first."""

    def __init__(self) -> None:
        self._idle: list[Connection] = []
        self._parents: list[Connection] = []

    def take(self) -> Connection | None:
        try:
            return self._idle.pop()
        except IndexError:
            return None

    def keep(self, connection: Connection) -> None:
        if len(self._idle) < _KEPT:
            self._idle.append(connection)
        else:
            connection.close()

    def drop(self, connection: Connection) -> None:
        """Close one that failed; if it was lost, those at hand were too."""
        lost = connection.invalidated
        connection.close()
        while lost and (other := self.take()) is not None:
            other.invalidate()
            other.close()

    def close(self) -> None:
        while (connection := self.take()) is not None:
            connection.close()

    def forget(self) -> None:
        """In a forked child: leave the parent's alone, and in memory, for to be collected would be to be closed."""
        self._parents += self._idle
        self._idle = []


def after_commit(session: Session, hook: Callable[[], object]) -> None:
    """See `Database.on_commit`: for those who have the session only."""
    session.info.setdefault(_HOOKS, []).append(hook)


class Turn(IntEnum):
    """In which order the last steps are taken: all transactions lock the heads of the chains in this one."""

    LEDGER = 1
    AUDIT_LOG = 2


def at_the_end(session: Session, turn: Turn, step: Callable[[Session], object]) -> None:
    """Take this step, of `Prepared` statements only, as one of the last things in the session's `write()`.

    What it locks is held only until the commit that follows at once: on PostgreSQL the commit is sent together with
    the step's last statements.
    """
    session.info.setdefault(_LAST, []).append((turn, step))


def _finish(session: Session) -> None:
    steps = sorted(session.info.pop(_LAST, ()), key=itemgetter(0))
    if steps:
        session.flush()
        with pipelined(session.connection(), commit=True):
            for _, step in steps:
                step(session)
    session.commit()


def migrate(database: Database, told: Callable[[Session, Heads, Heads], object] | None = None) -> None:
    """Bring the schema up to date, in one transaction; several processes may try at once.

    Creates a SQLite database, with its folder, where there is none. `told` is called in that transaction with the
    revisions before and after, if they differ.
    """
    from alembic import command  # noqa: PLC0415 (only who migrates pays for the import)
    from alembic.migration import MigrationContext  # noqa: PLC0415

    if database.path is not None:
        database.path.parent.mkdir(parents=True, exist_ok=True)
    with database.writing() as connection:
        if not database.is_sqlite:
            connection.execute(select(func.pg_advisory_xact_lock(_MIGRATION_LOCK)))
        config = _alembic()
        config.attributes["connection"] = connection
        before = MigrationContext.configure(connection).get_current_heads()
        command.upgrade(config, "head")
        after = MigrationContext.configure(connection).get_current_heads()
        if told is not None and before != after:
            with Session(connection) as session:
                told(session, before, after)
                _finish(session)


def is_current(database: Database) -> bool:
    """Is the schema the one that this version of the code works on? (Not if there is no database.)"""
    return revision(database) == newest_revision()


def revision(database: Database) -> str | None:
    """The revision of a database's schema; None where there is no database, or no schema in it."""
    from alembic.migration import MigrationContext  # noqa: PLC0415

    if database.path is not None and not database.path.exists():
        return None
    with database.read() as session:
        return MigrationContext.configure(session.connection()).get_current_revision()


def newest_revision() -> str:
    """The revision of the schema that this version of the code works on."""
    from alembic.script import ScriptDirectory  # noqa: PLC0415

    return str(ScriptDirectory.from_config(_alembic()).get_current_head())


def _alembic() -> "Config":
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent).replace("%", "%%"))
    return config


def dump(value: object) -> str:
    """Compact JSON, the form of every JSON column."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# The text of an error goes to the log: it must not hold what was being written (seeds, states).
_SHARED: Final[dict[str, Any]] = {"json_serializer": dump, "hide_parameters": True}
# Where several writers share a transaction each has a savepoint; where one has his own this changes nothing.
_IN_A_SAVEPOINT: Final[dict[str, Any]] = {
    "expire_on_commit": False,
    "join_transaction_mode": "create_savepoint",
}


def _parse(text: str) -> URL:
    try:
        url = make_url(text)
    except ArgumentError:
        raise DatabaseError(
            "not the URL of a database; give sqlite:///file.db or postgresql://user@host/name"
        ) from None
    backend = url.get_backend_name()
    if backend == "postgresql":
        return url.set(drivername="postgresql+psycopg")
    if backend != "sqlite":
        raise DatabaseError(f"«{backend}» is not supported; give a URL of sqlite or of postgresql")
    if url.database in (None, "", ":memory:"):
        raise DatabaseError("a database in memory would be lost and not be shared; give sqlite:///file.db")
    return url


def _prepare_writer(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # the engine's `begin` event opens transactions, not the driver
    # A checkpoint writes and syncs the file itself: seldom enough not to be felt, often enough to keep the log small.
    _pragmas(connection, "foreign_keys=ON", "synchronous=FULL", f"wal_autocheckpoint={_CHECKPOINT_PAGES}")
    (mode,) = connection.execute("PRAGMA journal_mode=WAL").fetchone()
    if mode != "wal":
        raise DatabaseError(
            f"the database cannot be put in WAL mode (it stays in «{mode}»): use a local disk"
        )


def _prepare_reader(connection: Any, _record: object) -> None:
    connection.isolation_level = None
    _pragmas(connection, "query_only=ON")


def _plain_savepoints(engine: Engine) -> None:
    """Savepoints in fixed words; SQLAlchemy would compile them anew for each writer."""
    dialect: Any = engine.dialect
    dialect.do_savepoint = lambda connection, name: say(connection, f"SAVEPOINT {name}")
    dialect.do_release_savepoint = lambda connection, name: say(connection, f"RELEASE SAVEPOINT {name}")


def _pragmas(connection: Any, *settings: str) -> None:
    for setting in (f"busy_timeout={_BUSY_TIMEOUT_MS}", *settings):
        connection.execute(f"PRAGMA {setting}")


@contextmanager
def _retryable() -> Iterator[None]:
    """Turn what a later try may cure into Busy; every other error passes."""
    try:
        yield
    except PoolTimeout as error:
        raise Busy(_LATE) from error
    except DBAPIError as error:
        if not _may_pass(error):
            raise
        raise Busy(_LATE) from error


def _may_pass(error: DBAPIError) -> bool:
    code = getattr(error.orig, "sqlite_errorname", None) or getattr(error.orig, "sqlstate", None)
    if code is None:  # not from the database: it could not be reached, or was lost
        return error.connection_invalidated or isinstance(error, OperationalError)
    return code in _RETRYABLE_STATES or code.startswith(("SQLITE_BUSY", "SQLITE_LOCKED", "08", "57P"))


def _run(hook: Callable[[], object]) -> None:
    try:
        hook()
    except Exception:
        _log.exception("a hook failed after the commit")
