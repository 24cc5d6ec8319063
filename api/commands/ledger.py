"""`macao ledger`: the audit."""

import json
import sys
from dataclasses import asdict

import click

from api.commands.opened import database_option, enter, opened, show_findings
from api.services.audit import Report, check
from api.services.errors import ServiceError


@click.group()
def ledger() -> None:
    """Look after the ledger."""


@ledger.command("check", short_help="Audit every balance and every hash.")
@database_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def check_command(url: str | None, as_json: bool) -> None:
    """Compute every balance and every hash again; the exit code is 1 if anything is wrong.

    That it was done, and what it found, is entered in the audit log.
    """
    database = opened(url)
    try:
        report = check(database)
    except ServiceError as error:
        raise click.ClickException(error.detail) from None
    found = {"ok": report.ok, "transfers": report.transfers, "findings": report.total}
    enter(database, "ledger_checked", "ledger", found)
    if as_json:
        click.echo(json.dumps({"ok": report.ok, **asdict(report)}, indent=2))
    else:
        _show(report)
    sys.exit(0 if report.ok else 1)


def _show(report: Report) -> None:
    seen = f"{report.accounts} accounts, {report.transfers} transfers"
    if report.ok:
        click.echo(f"The ledger is sound: {seen}.")
        return
    show_findings(report)
    click.echo(f"{report.total} findings in {seen}; the first {len(report.findings)} are shown.")
