"""`macao position`: set up situations of any game, play texts from them, see what came of it."""

import json
from typing import IO, Any

import click
from rich.console import Console

from casino.position import each_told


@click.command()
@click.argument("file", type=click.File(encoding="utf-8"))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def position(context: click.Context, file: IO[str], as_json: bool) -> None:
    """Tell what is on the table after the steps of a position, and what each seat may do.

    FILE (- for standard input) holds {"position": {...}, "steps": [[seat, text], ...]}, an array of such, or an
    object with such an array as "cases". A text that is refused is told as "error" and "detail", beside the
    situation before it. An entry may also have a "seat" (whose "view" is given; else that of the seat awaited) and
    "leads_to": true (what every action leads to). Where a position itself cannot be, the exit code is 2.
    """
    entries, single = _entries(file)
    results = each_told(entries)
    if as_json:
        click.echo(json.dumps(results[0] if single else results, ensure_ascii=False, indent=2))
    else:
        for result in results:
            _show(result)
    if any("legal" not in result for result in results):
        context.exit(2)


def _entries(file: IO[str]) -> tuple[list[Any], bool]:
    try:
        data = json.load(file)
    except (ValueError, RecursionError) as fault:
        raise click.UsageError(f"{file.name} is not JSON: {fault}", ctx=None) from None
    if isinstance(data, dict) and isinstance(data.get("cases"), list):
        return data["cases"], False
    return (data, False) if isinstance(data, list) else ([data], True)


def _show(result: dict[str, Any]) -> None:
    console = Console(soft_wrap=True, highlight=False, markup=False)
    for key, value in result.items():
        if key == "view":
            continue  # a position holds all that a seat sees, and more
        console.print(f"{key}: {_words(value)}")
    console.print()


def _words(value: Any) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{part}: {_words(item)}" for part, item in value.items()) or "-"
    if isinstance(value, list):
        told = (f"[{_words(item)}]" if isinstance(item, dict | list) else _words(item) for item in value)
        return ", ".join(told) or "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "-" if value in (None, "") else str(value)
