"""`macao compare`: two rule sets, option by option."""

import json
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Column, Table

from analysis.compare import Comparison, Step
from analysis.compare import compare as compared
from analysis.numbers import Number
from api.commands.exports import Tables, exported, figure, table_options
from api.commands.rule_set import policy_arguments, read_rules

F = TypeVar("F", bound=Callable[..., Any])


def _changes(flag: str, whose: str) -> Callable[[F], F]:
    text = f"Change a rule of {whose}: a JSON value, or a word."
    return click.option(flag, multiple=True, metavar="OPTION=VALUE", help=text)


@click.command()
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@_changes("--set-a", "A")
@_changes("--set-b", "B")
@policy_arguments
@table_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def compare(
    first: str,
    second: str,
    set_a: tuple[str, ...],
    set_b: tuple[str, ...],
    as_json: bool,
    **how: Any,
) -> None:
    """What each option in which two rule sets differ is worth, turned one after another from A to B.

    A and B are presets of banking rules (see `macao games`). Both sides play their best (the equilibrium, where the
    banker is free) unless policies are given. The worth of an option depends on the others: `in order` counts those
    turned before it, `alone` is what it does to A by itself.
    """
    (old, _), (new, _) = read_rules(first, set_a), read_rules(second, set_b)
    columns = (TextColumn("working out"), BarColumn(), MofNCompleteColumn())
    # Only where somebody looks, so that pipes stay clean.
    with Progress(
        *columns, console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()
    ) as progress:
        task = progress.add_task("EVs", total=None)
        found = compared(
            old,
            new,
            how["punter"] or "optimal",
            how["banker"] or "optimal",
            lambda done, of: progress.update(task, completed=done, total=of),
        )
    if exported(f"{first} and {second}", lambda: _rows(found), how["csv_file"], how["html_file"]):
        return
    if as_json:
        click.echo(json.dumps({"a": first, "b": second} | found.to_json(), ensure_ascii=False, indent=2))
    else:
        _show(first, second, found)


def _rows(found: Comparison) -> Tables:
    return {
        "option by option": [
            {"option": " ".join(step.options), "before": _values(step.before), "after": _values(step.after)}
            | figure("ev_punter", step.ev_punter)
            | figure("worth", step.worth)
            | figure("alone", step.alone)
            for step in found.steps
        ]
    }


def _values(values: tuple[Any, ...]) -> str:
    return "; ".join(json.dumps(value, ensure_ascii=False) for value in values)


def _show(first: str, second: str, found: Comparison) -> None:
    console = Console(highlight=False, soft_wrap=True)
    console.print(f"[bold]{first}[/]: punter {_percent(found.ev_first)} of the stake")
    if not found.steps:
        console.print(f"{second} is the same.")
        return
    values = (Column(name, overflow="fold") for name in ("from", "to"))
    table = Table(Column("option", no_wrap=True), *values, "worth in order", "alone", "punter then")
    for step in found.steps:
        table.add_row(
            "\n".join(step.options),
            "\n".join(map(_short, step.before)),
            "\n".join(map(_short, step.after)),
            _percent(step.worth),
            _alone(step),
            _percent(step.ev_punter),
        )
    console.print(table)
    change = found.ev_second - found.ev_first
    console.print(
        f"[bold]{second}[/]: punter {_percent(found.ev_second)}, banker {_percent(-found.ev_second)};"
        f" all options together are worth {_percent(change)} to the punter."
    )


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 30 else f"{text[:29]}…"


def _alone(step: Step) -> str:
    return "contradicts itself" if step.alone is None else _percent(step.alone)


def _percent(value: Number) -> str:
    return f"{100 * float(value):+.4f} %" if value else "0"
