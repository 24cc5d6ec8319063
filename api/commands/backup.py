"""`macao backup` and `macao restore`."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import click
from alembic.util import CommandError
from sqlalchemy.exc import SQLAlchemyError

from api.commands.opened import enter, reason
from api.config import ConfigError, from_environment
from api.db import Database, DatabaseError
from api.services import backup as archives
from api.services.archive import ArchiveError, Manifest
from api.services.audit import check
from api.services.errors import Busy, ServiceError

_FILE: Final = click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
_PATIENCE: Final = 60.0  # seconds for the turn to write, or for locks


def _database(role: str) -> Callable[..., Any]:
    text = f"Database {role}; default: that of MACAO_DATABASE_URL."
    return click.option("--database", "url", metavar="URL", help=text)


@click.command("backup")
@_FILE
@_database("to back up")
def backup(file: Path, url: str | None) -> None:
    """Write everything that is stored to FILE, while the service runs.

    FILE is new, holds one consistent state, and is for its owner only: it contains seeds that are not revealed yet.
    `macao restore` puts it into a new database, of the same kind or of the other.
    """
    with _refusals(), _opened(url) as database:
        manifest = archives.backup(database, file, datetime.now(UTC))
        enter(database, "database_backed_up", "database", _audited(manifest))
    click.echo(f"{file}: {_told(manifest)}")
    click.echo(f"SHA-256 of all it says: {manifest.digest}")


@click.command("restore")
@_FILE
@_database("to fill, new or empty")
def restore(file: Path, url: str | None) -> None:
    """Put what `macao backup` wrote to FILE into an empty database, and audit its ledger.

    All of it is restored or nothing. The database is created where there is none.
    """
    with _refusals(), _opened(url) as database:
        manifest = archives.restore(database, file)
        report = check(database)
        enter(database, "database_restored", "database", _audited(manifest))
    click.echo(f"Restored {_told(manifest)}")
    if not report.ok:
        raise click.ClickException(
            f"the ledger has {report.total} faults, and had them when it was backed up: see `macao ledger check`"
        )
    click.echo(f"The ledger is sound: {report.accounts} accounts, {report.transfers} transfers.")


@contextmanager
def _opened(url: str | None) -> Iterator[Database]:
    database = Database(from_environment(os.environ, database_url=url).database_url, patience=_PATIENCE)
    try:
        yield database
    finally:
        database.dispose()


@contextmanager
def _refusals() -> Iterator[None]:
    """Every refusal is one line."""
    try:
        yield
    except (ConfigError, DatabaseError) as error:
        raise click.UsageError(str(error)) from None
    except ArchiveError as error:
        raise click.ClickException(str(error)) from None
    except (OSError, SQLAlchemyError, CommandError, Busy) as error:
        raise click.ClickException(f"the database or the file cannot be used: {reason(error)}") from None
    except ServiceError as error:
        raise click.ClickException(error.detail) from None


def _audited(manifest: Manifest) -> dict[str, Any]:
    """What the audit log tells of an archive."""
    return {"digest": manifest.digest, "rows": manifest.rows, "transfers": manifest.chain[0]}


def _told(manifest: Manifest) -> str:
    number, _ = manifest.chain
    return (
        f"{manifest.rows} rows of {len(manifest.parts)} tables, transfers up to number {number}, as of"
        f" {manifest.made_at} (version {manifest.version}, schema {manifest.schema}, from {manifest.database})"
    )
