"""`macao audit`: the log of what was done beside play."""

import json
import sys
from dataclasses import asdict
from typing import Any, Final

import click

from api.commands.opened import database_option, opened, show_findings
from api.services import audit_log
from api.services.errors import ServiceError

_BY: Final = {"key": "key", "request": "request_id"}
_MOST: click.IntRange = click.IntRange(1, 1000)


@click.group()
def audit() -> None:
    """Read the audit log: who did what beside play."""


@audit.command("list", short_help="List entries, the newest first.")
@database_option
@click.option("--limit", type=_MOST, default=50, show_default=True, help="Entries of one page.")
@click.option("--before", type=click.IntRange(1), metavar="SEQ", help="Go on before this entry.")
@click.option("--actor", metavar="ID", help="Only what this player, or «system», or «os:NAME» did.")
@click.option("--subject", metavar="ID", help="Only what was done to this player, key or table.")
@click.option("--action", type=click.Choice(list(audit_log.ACTIONS)), help="Only this action.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_command(
    url: str | None, as_json: bool, limit: int, before: int | None, **wanted: str | None
) -> None:
    """List entries, the newest first; `--before` with the last number seen gives the next page."""
    database = opened(url)
    try:
        with database.read() as session:
            found = audit_log.listing(session, before=before, limit=limit + 1, **wanted)
    except ServiceError as error:
        raise click.ClickException(error.detail) from None
    entries, more = found[:limit], len(found) > limit
    following = entries[-1]["seq"] if more else None
    if as_json:
        click.echo(json.dumps({"entries": entries, "next": following}, indent=2))
        return
    _show(entries)
    if following is not None:
        click.echo(f"There are more: go on with --before {following}.")


@audit.command("check", short_help="Check that nothing was changed, left out or added.")
@database_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def check_command(url: str | None, as_json: bool) -> None:
    """Compute the chain of hashes again; the exit code is 1 if anything is wrong."""
    try:
        report = audit_log.check(opened(url))
    except ServiceError as error:
        raise click.ClickException(error.detail) from None
    if as_json:
        click.echo(json.dumps({"ok": report.ok, **asdict(report)}, indent=2))
    elif report.ok:
        click.echo(f"The audit log is sound: {report.entries} entries.")
    else:
        show_findings(report)
        click.echo(f"{report.total} findings in {report.entries} entries.")
    sys.exit(0 if report.ok else 1)


def _show(entries: list[dict[str, Any]]) -> None:
    """An entry a paragraph, nothing of it cut short, whatever the width of the terminal."""
    if not entries:
        click.echo("No such entries.")
    for entry in entries:
        click.echo(f"{entry['seq']}  {entry['at']}  {entry['actor']}  {entry['action']}  {entry['subject']}")
        by = [f"{name} {entry[member]}" for name, member in _BY.items() if entry[member]]
        if by:
            click.echo(f"    by {', '.join(by)}")
        for member in ("before", "after"):
            if entry[member] is not None:
                click.echo(f"    {member} {json.dumps(entry[member], ensure_ascii=False)}")
