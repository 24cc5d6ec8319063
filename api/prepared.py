"""Core statements that every request runs, compiled once and run straight on the driver's cursor.

SQLAlchemy's own path works a statement's parameters and result out anew at each execution, for about four times as
long as SQLite takes for it. `Prepared` keeps what does not change: the text for this kind of database, and what the
column types do to values on their way in and out. The transaction, the events and the errors are SQLAlchemy's own.

    _BY_DIGEST = Prepared(select(ApiKey.id).where(ApiKey.digest == bindparam("digest")))
    row = _BY_DIGEST.first(session.connection(), {"digest": digest})
"""

import re
from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, Final, cast

from sqlalchemy import Connection, Dialect, Insert, Select, Table, Update, bindparam, insert
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql.compiler import SQLCompiler

Values = Mapping[str, Any]
_Process = Callable[[Any], Any]
_PARAMETER: Final = re.compile(r"%\((\w+)\)s")  # of psycopg
_TOGETHER: Final = (
    8  # rows at most: each number of rows is a statement of its own, which both sides keep prepared
)


class Prepared:
    """A select, insert or update whose parameters have names: the columns', or those of `bindparam`."""

    def __init__(self, statement: Select[*tuple[Any, ...]] | Insert | Update) -> None:
        self._statement: Final = statement
        self._forms: dict[str, _Form] = {}

    def first(self, connection: Connection, values: Values) -> Any | None:
        """The first row with its columns by name, None where there is none."""
        rows = self.all(connection, values)
        return rows[0] if rows else None

    def all(self, connection: Connection, values: Values) -> list[Any]:
        """All rows, each with its columns by name."""
        return self.ask(connection, values)()

    def ask(self, connection: Connection, values: Values) -> Callable[[], list[Any]]:
        """Ask for all rows, and go on: the function that is given waits for them."""
        form = self.form(connection.dialect)
        cursor = form.run(connection, values)
        return lambda: form.rows(connection, cursor)

    def run(self, connection: Connection, values: Values) -> None:
        """Do it once."""
        self.form(connection.dialect).run(connection, values)

    def count(self, connection: Connection, values: Values) -> int:
        """Do it once, not `pipelined`; how many rows it found."""
        return int(self.form(connection.dialect).run(connection, values).rowcount)

    def run_many(self, connection: Connection, rows: Sequence[Values]) -> None:
        """Do it for each of these, in order."""
        if rows:
            self.form(connection.dialect).run(connection, *rows)

    def form(self, dialect: Dialect) -> "_Form":
        """The statement in the words of this kind of database."""
        form = self._forms.get(dialect.name)
        if form is None:
            form = self._forms[dialect.name] = _Form(self._statement, dialect)
        return form


class _Form:
    """A statement in the words of one kind of database."""

    def __init__(self, statement: Any, dialect: Dialect) -> None:
        compiled = cast(SQLCompiler, statement.compile(dialect=dialect))
        self.text = str(compiled)
        self.inserts = isinstance(statement, Insert)
        self._order = compiled.positiontup
        self._fixed = {name: value for name, value in compiled.params.items() if value is not None}
        self._inward = [(name, _inward(bind.type, dialect)) for bind, name in compiled.bind_names.items()]
        columns = list(statement.selected_columns) if isinstance(statement, Select) else []
        self._types = [column.type for column in columns]
        shape: Any = namedtuple("Row", [column.name for column in columns])  # type: ignore[misc]
        self._row = shape._make
        self._outward: list[tuple[int, _Process]] | None = None
        self._dialect = dialect

    def run(self, connection: Connection, *rows: Values) -> Any:
        """A cursor on which it was run, once for each row of values. Raises DBAPIError as SQLAlchemy does."""
        given = [self.given(values) for values in rows]
        return _execute(connection, self.text, given if len(given) > 1 else given[0], len(given) > 1)

    def given(self, values: Values) -> Any:
        """Values as the driver takes them."""
        found = {
            name: value if inward is None else inward(value)
            for name, inward in self._inward
            for value in (values[name] if name in values else self._fixed[name],)
        }
        return found if self._order is None else [found[name] for name in self._order]

    def rows(self, connection: Connection, cursor: Any) -> list[Any]:
        """What it found. Raises DBAPIError as SQLAlchemy does, for what was run before in a pipeline too."""
        try:
            found = cursor.fetchall()
        except self._dialect.loaded_dbapi.Error as error:
            raise _refused(connection, cursor, self.text, None, error) from error
        if not found:
            return []
        if self._outward is None:
            self._outward = list(_outward(self._types, cursor.description, self._dialect))
        return [self._row(self._read(row)) for row in found]

    def _read(self, row: Sequence[Any]) -> Iterable[Any]:
        values = list(row)
        for index, outward in self._outward or ():
            values[index] = outward(values[index])
        return values


class Batch:
    """Inserts and updates to be done together: by PostgreSQL as one statement, sent and waited for once.

    Rows of one statement are inserted in their order. No two parts may change the same row.
    """

    def __init__(self) -> None:
        self._parts: list[tuple[Prepared, Sequence[Values]]] = []

    def add(self, statement: Prepared, *rows: Values) -> None:
        """Do this, too, for each of the rows; nothing for none."""
        if rows:
            self._parts.append((statement, rows))

    def run(self, connection: Connection) -> None:
        """Do it all. Raises DBAPIError as SQLAlchemy does."""
        size = sum(len(rows) for _, rows in self._parts)
        if connection.dialect.name != "postgresql" or not 1 < size <= _TOGETHER:
            for statement, rows in self._parts:
                statement.run_many(connection, rows)
            return
        forms = [(statement.form(connection.dialect), rows) for statement, rows in self._parts]
        text = _together(tuple((form, len(rows)) for form, rows in forms))
        values = {
            f"{name}_{part}_{number}": value
            for part, (form, rows) in enumerate(forms)
            for number, row in enumerate(rows)
            for name, value in form.given(row).items()
        }
        _execute(connection, text, values, False)


@lru_cache(maxsize=512)
def _together(parts: tuple[tuple[_Form, int], ...]) -> str:
    """The statements with these numbers of rows as one (PostgreSQL: WITH queries that change data)."""
    texts: list[str] = []
    for part, (form, count) in enumerate(parts):
        head, values, row = form.text.partition(" VALUES ") if form.inserts else ("", "", form.text)
        rows = [_PARAMETER.sub(rf"%(\1_{part}_{number})s", row) for number in range(count)]
        texts += [head + values + ", ".join(rows)] if form.inserts else rows
    *first, last = texts
    return (
        f"WITH {', '.join(f'step_{n} AS ({text})' for n, text in enumerate(first))} {last}" if first else last
    )


@contextmanager
def pipelined(connection: Connection, *, commit: bool = False) -> Iterator[None]:
    """Send what is run in the block without waiting for each answer, where the driver can do so (PostgreSQL).

    The block holds `Prepared` statements only. What fails is raised where an answer is waited for, at the latest at
    the end of the block; nothing after it was done. With `commit` the commit is sent with the last of them: the one
    that SQLAlchemy is then asked for finds nothing left to do.
    """
    if connection.dialect.name != "postgresql":
        yield
        return
    driver: Any = connection.connection.driver_connection
    try:
        with driver.pipeline():
            yield
            if commit:
                driver.commit()
    except connection.dialect.loaded_dbapi.Error as error:
        raise _refused(connection, None, "", None, error) from error


def say(connection: Connection, words: str) -> None:
    """Say to the driver what begins or ends a transaction. Raises DBAPIError as SQLAlchemy does."""
    cursor = connection.connection.cursor()
    try:
        cursor.execute(words)
    except connection.dialect.loaded_dbapi.Error as error:
        raise _refused(connection, cursor, words, None, error) from error


def _execute(connection: Connection, text: str, parameters: Any, many: bool) -> Any:
    cursor = connection.connection.cursor()
    _tell(connection, cursor, text, parameters, many)
    try:
        (cursor.executemany if many else cursor.execute)(text, parameters)
    except connection.dialect.loaded_dbapi.Error as error:
        raise _refused(connection, cursor, text, parameters, error) from error
    return cursor


def _inward(of: Any, dialect: Dialect) -> _Process | None:
    return cast(_Process | None, of.dialect_impl(dialect).bind_processor(dialect))


def _outward(types: Sequence[Any], described: Any, dialect: Dialect) -> Iterable[tuple[int, _Process]]:
    for index, (of, column) in enumerate(zip(types, described, strict=True)):
        process = of.dialect_impl(dialect).result_processor(dialect, column[1])
        if process is not None:
            yield index, process


def _tell(connection: Connection, cursor: Any, text: str, parameters: Any, many: bool) -> None:
    """Whoever listens to statements hears of these too."""
    for listener in connection.dispatch.before_cursor_execute:
        listener(connection, cursor, text, parameters, None, many)


def _refused(connection: Connection, cursor: Any, text: str, parameters: Any, error: Exception) -> Exception:
    """The driver's error as SQLAlchemy's; a connection that was lost is not used again, nor are those of its pool that
    were opened before: a database that was restarted has lost them all."""
    dialect = connection.dialect
    lost = dialect.is_disconnect(cast(Any, error), cast(Any, connection.connection), cursor)
    if lost:
        connection.engine.pool._invalidate(cast(Any, connection.connection), error)
        connection.invalidate(error)
    return DBAPIError.instance(
        text,
        parameters,
        error,
        dialect.loaded_dbapi.Error,
        hide_parameters=True,
        connection_invalidated=lost,
        dialect=dialect,
    )


def inserting(model: Any, *, besides: Iterable[str] = ()) -> Prepared:
    """The insert of a row of a model with all of its columns, but those that the database fills in."""
    table = cast(Table, model.__table__)
    names = [column.name for column in table.columns if column.name not in set(besides)]
    return Prepared(insert(table).inline().values({name: bindparam(name) for name in names}))
