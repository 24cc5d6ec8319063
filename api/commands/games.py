"""`macao games`: the catalogue."""

import json

import click
from rich.console import Console
from rich.table import Column, Table

from casino.catalogue import Listing, find, listings


@click.command()
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def games(name: str | None, as_json: bool) -> None:
    """List every game, or show the options of one with their defaults and sources."""
    chosen = [find(name)] if name else list(listings())
    if as_json:
        rows = [_row(listing, whole=name is not None) for listing in chosen]
        click.echo(json.dumps(rows[0] if name else rows, ensure_ascii=False, indent=2))
    elif name:
        _show(chosen[0])
    else:
        _list(chosen)


def _row(listing: Listing, *, whole: bool) -> dict[str, object]:
    row: dict[str, object] = {
        "name": listing.name,
        "family": listing.family,
        "title": listing.title,
        "source": listing.source,
        "seats": {"min": listing.min_seats, "max": listing.max_seats},
    }
    return {**row, "options": listing.schema, "actions": listing.actions} if whole else row


def _list(chosen: list[Listing]) -> None:
    table = Table("game", "family", "seats", "what it is")
    for listing in chosen:
        table.add_row(listing.name, listing.family, f"{listing.min_seats}-{listing.max_seats}", listing.title)
    Console().print(table)


def _show(listing: Listing) -> None:
    console = Console()
    console.print(f"[bold]{listing.name}[/] ({listing.family}): {listing.title}\nSource: {listing.source}")
    # An option's name is there to be typed, and its default to be read: neither is cut short on a narrow terminal.
    table = Table(Column("option", no_wrap=True), Column("default", overflow="fold"), "meaning", "source")
    for name, schema in listing.schema["properties"].items():
        table.add_row(name, json.dumps(schema["default"]), schema["description"], schema["x-source"])
    console.print(table)
