"""`macao ledger`: the audit."""

import json
import os
import sys
from dataclasses import asdict

import click
from rich.console import Console
from rich.table import Table

from api.config import ConfigError, from_environment
from api.db import Database, DatabaseError, is_current
from api.services.audit import Report, check
from api.services.errors import ServiceError


@click.group()
def ledger() -> None:
    """Look after the ledger."""


@ledger.command("check", short_help="Audit every balance and every hash.")
@click.option(
    "--database", "url", metavar="URL", help="Database to audit; default: that of MACAO_DATABASE_URL."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def check_command(url: str | None, as_json: bool) -> None:
    """Compute every balance and every hash again; the exit code is 1 if anything is wrong."""
    try:
        database = Database(from_environment(os.environ, database_url=url).database_url)
    except (ConfigError, DatabaseError) as error:
        raise click.UsageError(str(error)) from None
    try:
        if not is_current(database):
            raise click.ClickException(
                f"no database of this version at {database.url.render_as_string()}: name the one you mean with"
                " --database (a relative path starts in the present folder), or bring it up to date with"
                " `macao migrate`"
            )
        report = check(database)
    except ServiceError as error:
        raise click.ClickException(error.detail) from None
    if as_json:
        click.echo(json.dumps({"ok": report.ok, **asdict(report)}, indent=2))
    else:
        _show(report)
    sys.exit(0 if report.ok else 1)


def _show(report: Report) -> None:
    console = Console()
    seen = f"{report.accounts} accounts, {report.transfers} transfers"
    if report.ok:
        console.print(f"The ledger is sound: {seen}.")
        return
    table = Table("what", "where", "expected", "found")
    for finding in report.findings:
        table.add_row(finding.what, finding.where, finding.expected, finding.found)
    console.print(table)
    console.print(f"{report.total} findings in {seen}; the first {len(report.findings)} are shown.")
