"""`macao counting`: what counting cards is worth to a side."""

import json
import sys
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from analysis.counting import DEPTHS, SAMPLES, SIDES, Counting
from analysis.counting import counting as counted
from analysis.numbers import Number
from api.commands.exports import chart_option, exported, pictured, table_options
from api.commands.odds_rows import counting_rows
from api.commands.rule_set import policy_arguments, read_rules, rules_arguments
from casino.errors import RulesError


@click.command()
@rules_arguments
@policy_arguments
@click.option(
    "--side", type=click.Choice(SIDES), default=SIDES[0], show_default=True, help="Whose edge is told."
)
@click.option("--depths", metavar="N,N,…", help="Numbers of cards gone; every eighth of the shoe by default.")
@click.option(
    "--samples", type=int, default=SAMPLES, show_default=True, help="Random shoes at each of the depths."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Decides the shoes.")
@chart_option
@table_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def counting(
    name: str,
    changes: tuple[str, ...],
    decks: str | None,
    depths: str | None,
    chart: str | None,
    csv_file: str | None,
    html_file: str | None,
    as_json: bool,
    **asked: Any,
) -> None:
    """Effects of removal of every card, and the edge of a side by the depth of the bank, over random shoes.

    The punter plays `optimal`, worked out anew from each shoe, unless a policy is given. RULES is a preset of banking
    rules (see `macao games`).
    """
    rules, shoe = read_rules(name, changes, decks)
    if shoe.infinite:
        raise RulesError("no card ever leaves an infinite shoe: give a number of packs", pointer="/decks")
    places = None if depths is None else _depths(depths)
    columns = (TextColumn("working shoes out"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    # Only where somebody looks, so that pipes stay clean.
    with Progress(
        *columns, console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()
    ) as bar:
        task = bar.add_task("shoes", total=asked["samples"] * len(places or range(DEPTHS)))
        found = counted(rules, depths=places, progress=lambda done: bar.advance(task, done), **asked)
    if chart is not None:
        from analysis.plots import edge_by_depth  # noqa: PLC0415

        pictured(lambda: edge_by_depth(found), chart)
    if exported(f"{name}: counting", lambda: counting_rows(found), csv_file, html_file):
        return
    if as_json:
        click.echo(json.dumps({"game": name} | found.to_json(), indent=2))
    else:
        _show(name, found)


def _depths(text: str) -> list[int]:
    parts = text.replace(",", " ").split()
    if not parts or not all(part.isascii() and part.isdigit() and len(part) <= 4 for part in parts):
        raise RulesError(f"--depths is written N,N,… in cards gone, as in 26,52,78; «{text[:40]}» is not")
    return [int(part) for part in parts]


def _show(name: str, found: Counting) -> None:
    console = Console(highlight=False, soft_wrap=True)
    console.print(
        f"[bold]{name}[/]: edge of the {found.side} from the fresh shoe {_percent(found.fresh)} of the stake"
    )
    table = Table(
        "card gone",
        "in the shoe",
        "to the punter",
        "to the banker",
        title="effects of removal, in % of the stake",
    )
    bets = any(effect.tie_bet is not None for effect in found.effects)
    if bets:
        table.add_column("bet on the banker")
        table.add_column("bet on a tie")
    for effect in found.effects:
        row = [_effect(effect.punter), _effect(effect.banker)]
        row += [_effect(effect.banker_bet), _effect(effect.tie_bet)] if bets else []
        table.add_row(_card(effect.points), str(effect.cards), *row)
    console.print(table)
    console.print(_by_depth(found))
    console.print(
        f"Nine tenths: the middle of {found.samples} random shoes at each depth (seed {found.seed}). Gain: won a coup,"
        f" in smallest stakes, by staking {float(found.spread):g} times as much wherever the edge is above 0. Count:"
        " how well the effects of the cards gone, added up, tell the edge (correlation)."
    )


def _by_depth(found: Counting) -> Table:
    title = f"edge of the {found.side} by cards gone, in % of the stake"
    table = Table("gone", "mean", "deviation", "nine tenths", "above 0", "gain", "count", title=title)
    for depth in found.depths:
        low, high = min(depth.quantiles), max(depth.quantiles)
        table.add_row(
            str(depth.gone),
            f"{100 * depth.mean.value:+.3f} ± {100 * depth.mean.error:.3f}",
            f"{100 * depth.deviation:.3f}",
            f"{100 * depth.quantiles[low]:+.2f} to {100 * depth.quantiles[high]:+.2f}",
            f"{100 * depth.favourable:.1f} %",
            f"{depth.gain.value:.4f} ± {depth.gain.error:.4f}",
            "" if depth.correlation is None else f"{depth.correlation:.3f}",
        )
    return table


def _card(points: int) -> str:
    return {0: "10 J Q K", 1: "A"}.get(points, str(points))


def _effect(value: Number | None) -> str:
    return "" if value is None else f"{100 * float(value):+.4f}"


def _percent(value: Number) -> str:
    return f"{100 * float(value):+.4f} %"
