"""`macao serve` and `macao migrate`."""

import os
import socket
from collections.abc import Callable
from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import Any

import click
from alembic.util import CommandError
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from api.commands.opened import reason
from api.config import Config, ConfigError, from_environment, variable
from api.db import Database, DatabaseError, Heads, migrate
from api.services import audit_log, entropy
from api.services.errors import Busy


def _with_settings(command: Callable[..., Any]) -> Callable[..., Any]:
    """An option for every setting; it goes before the environment."""
    for item in reversed(fields(Config)):
        default = f"default {item.metadata['default']}" if item.metadata["default"] else "default: empty"
        text = f"{item.metadata['text']}  [{variable(item.name)}, {default}]"
        command = click.option(f"--{item.name.replace('_', '-')}", item.name, metavar="…", help=text)(command)
    return command


@click.command("serve")
@_with_settings
def serve(**options: str | None) -> None:
    """Serve the API and its documentation page.

    Settings come from MACAO_ variables; an option goes before its variable. The database is brought up to date first.
    Stop with Ctrl+C or SIGTERM: requests in flight are ended, and a later start goes on where this one stopped.
    """
    config = settings_of(options)
    _check_entropy()
    _check_storage(config)
    listener = _listen(config)
    port = listener.getsockname()[1]
    config = replace(config, bind=f"{config.bind.rpartition(':')[0]}:{port}")
    bring_up_to_date(config)
    # Imported here: gunicorn is of no use to the other commands.
    from api.server import Server  # noqa: PLC0415

    Server(config, listener, lambda: click.echo(_greeting(config))).run()


@click.command("migrate")
@click.option("--database", "url", metavar="URL", help="Database; default: that of MACAO_DATABASE_URL.")
def migrate_command(url: str | None) -> None:
    """Create the database or bring it up to date, as `macao serve` does at its start."""
    config = settings_of({"database_url": url})
    bring_up_to_date(config)
    click.echo("The database is up to date.")


def settings_of(options: dict[str, str | None]) -> Config:
    """The settings of the environment with a command's options over them. Raises UsageError with all mistakes."""
    try:
        return from_environment(os.environ, **options)
    except ConfigError as error:
        lines = "\n".join(f"  {mistake}" for mistake in error.mistakes)
        raise click.UsageError(f"these settings cannot be used:\n{lines}") from None


def _check_entropy() -> None:
    try:
        entropy.check()
    except entropy.EntropyError as error:
        raise click.ClickException(f"nothing may be shuffled on this machine: {error}") from None


def _check_storage(config: Config) -> None:
    from limits.errors import ConfigurationError  # noqa: PLC0415
    from limits.storage import storage_from_string  # noqa: PLC0415

    from api.limits import storage_uri  # noqa: PLC0415

    try:
        storage_from_string(storage_uri(config))
    except ConfigurationError as error:
        missing = f"{str(error).splitlines()[0]} (for Redis: «pip install 'macao[redis]'» on this machine)"
        raise click.ClickException(f"MACAO_RATE_STORAGE: {missing}") from None


def _listen(config: Config) -> socket.socket:
    from api.server import bind  # noqa: PLC0415

    try:
        return bind(config.bind, config.backlog)
    except OSError as error:
        reason = error.strerror or str(error)
        raise click.ClickException(
            f"cannot listen on {config.bind}: {reason}. Stop what listens there, or choose another address with"
            " --bind or MACAO_BIND, as in 127.0.0.1:8001."
        ) from None


def bring_up_to_date(config: Config) -> None:
    """Migrate the database of the settings. Raises ClickException where it cannot be used."""
    try:
        database = Database(config.database_url, patience=config.lock_seconds)
        migrate(database, _note_migration)
        database.dispose()
    except (DatabaseError, OSError, SQLAlchemyError, CommandError, Busy) as error:
        raise click.ClickException(
            f"the database of MACAO_DATABASE_URL cannot be used: {reason(error)}"
        ) from None


def _note_migration(session: Session, before: Heads, after: Heads) -> None:
    audit_log.migrated(session, before, after, datetime.now(UTC))


def _greeting(config: Config) -> str:
    """What a first user needs: where it is, where the documentation is, and a request to paste."""
    return "\n".join(
        (
            f"Macao is listening on {config.url}",
            f"Documentation: {config.url}/docs",
            "A first request:",
            f"  curl -s {config.url}/v1/players -H 'Content-Type: application/json' -d '{{\"name\": \"Ada\"}}'",
        )
    )
