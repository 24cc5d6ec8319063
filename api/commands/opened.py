"""The database that a command of an operator works on, and the entry in the audit log that he did."""

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

import click
from sqlalchemy.exc import SQLAlchemyError

from api.config import ConfigError, from_environment
from api.db import Database, DatabaseError, is_current
from api.services import audit_log
from api.services.audit import Findings
from api.services.errors import Busy, ServiceError

database_option: Final = click.option(
    "--database", "url", metavar="URL", help="Database to look at; default: that of MACAO_DATABASE_URL."
)


def reason(error: Exception) -> str:
    """Why a database cannot be used, in one line: the driver's own where it said something, without statement or link.

    Clients of the service are told less (`api/db.py`): where the database is and who it knows is not their business.
    """
    cause = error.__cause__ if isinstance(error, Busy) and error.__cause__ else error
    text = getattr(cause, "orig", None) or getattr(cause, "detail", None) or cause
    return str(text).strip().splitlines()[0]


def opened(url: str | None) -> Database:
    """The database of this URL, or else of the settings; it is there, and of this version.

    Raises a click exception with what would be right.
    """
    try:
        database = Database(from_environment(os.environ, database_url=url).database_url)
    except (ConfigError, DatabaseError) as error:
        raise click.UsageError(str(error)) from None
    try:
        current = is_current(database)
    except (ServiceError, SQLAlchemyError, OSError) as error:
        where = database.url.render_as_string()  # without the password
        raise click.ClickException(f"the database {where} cannot be used: {reason(error)}") from None
    if not current:
        raise click.ClickException(
            f"no database of this version at {database.url.render_as_string()}: name the one you mean with"
            " --database (a relative path starts in the present folder), or bring it up to date with"
            " `macao migrate`"
        )
    return database


def enter(database: Database, action: str, subject: str, after: Mapping[str, Any]) -> None:
    """Enter in the audit log what the user of the machine did; where it cannot be written that is said, no more."""
    try:
        with database.write() as session:
            audit_log.come_from(session, audit_log.operator())
            audit_log.note(session, action, subject, datetime.now(UTC), after=after)
    except (ServiceError, SQLAlchemyError, OSError) as error:
        click.echo(f"This is not in the audit log: {reason(error)}", err=True)


def show_findings(found: Findings) -> None:
    """Each finding on a line of its own, in full: hashes and balances are there to be compared and searched for."""
    for finding in found.findings:
        click.echo(
            f"{finding.what}: {finding.where}: expected {finding.expected or '-'}, found {finding.found or '-'}"
        )
