"""`macao par`, `macao compare` and `macao counting`: what a rule set pays, what an option and a card are worth."""

import json
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from analysis.counting import SAMPLES, SIDES, Counting
from analysis.counting import counting as count
from analysis.numbers import Number
from analysis.par import Comparison, Line, Par
from analysis.par import compare as compare_rules
from analysis.par import par as par_sheet
from api.commands.rule_set import policy_arguments, read_rules, rules_arguments

_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.command()
@rules_arguments
@_JSON
def par(name: str, changes: tuple[str, ...], decks: str | None, as_json: bool) -> None:
    """The par sheet of a rule set: probabilities, the edge of both sides, variance, hit rates.

    RULES is a preset of banking rules (see `macao games`).
    """
    rules, _ = read_rules(name, changes, decks)
    found = par_sheet(rules)
    if as_json:
        _print(found.to_json())
    else:
        _show_par(found)


@click.command()
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@_JSON
def compare(first: str, second: str, as_json: bool) -> None:
    """Compare two rule sets, option by option: what each that differs is worth to the best punter."""
    found = compare_rules(read_rules(first, ())[0], read_rules(second, ())[0])
    if as_json:
        _print(found.to_json())
    else:
        _show_comparison(found, first, second)


@click.command()
@rules_arguments
@policy_arguments
@click.option("--side", type=click.Choice(SIDES), default=SIDES[0], show_default=True, help="Whose edge.")
@click.option("--depths", metavar="N,N,…", help="Cards gone; every eighth of the shoe where left out.")
@click.option("--samples", type=int, default=SAMPLES, show_default=True, help="Random shoes at each depth.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the random shoes.")
@click.option("--chart", metavar="FILE", help="Draw the edge by depth: .svg, .png, .html or .json.")
@_JSON
def counting(
    name: str,
    changes: tuple[str, ...],
    decks: str | None,
    depths: str | None,
    chart: str | None,
    as_json: bool,
    **asked: Any,
) -> None:
    """What each card gone is worth, and how the edge spreads over the depth of a bank."""
    from analysis import plots  # noqa: PLC0415 (charts are heavy)

    if chart is not None:
        plots.kind_of(chart)  # refused before the work
    rules, _ = read_rules(name, changes, decks)
    found = count(rules, depths=_numbers(depths), **asked)
    if chart is not None:
        plots.save(plots.edge_by_depth(found), chart)
    if as_json:
        _print(found.to_json())
    else:
        _show_counting(found)


def _numbers(text: str | None) -> list[int] | None:
    if text is None:
        return None
    words = [word.strip() for word in text.split(",")]
    if not all(word.isascii() and word.isdigit() and len(word) < 6 for word in words):
        raise click.BadParameter(
            f"write numbers of cards, such as 26,52; «{text[:40]}» is not", param_hint="--depths"
        )
    return [int(word) for word in words]


def _print(found: dict[str, Any]) -> None:
    click.echo(json.dumps(found, ensure_ascii=False, indent=2))


def _percent(value: Number) -> str:
    return f"{100 * float(value):+.6f} %"


def _show_par(found: Par) -> None:
    console = Console(highlight=False, soft_wrap=True)
    console.print(
        f"worst loss {found.rules.payoff.worst_loss}, worst payout {found.rules.payoff.worst_payout} stakes"
    )
    for title, line in (("the punter's best play", found.best), ("the textbook", found.textbook)):
        console.print(_line_table(title, line))


def _line_table(title: str, line: Line) -> Table:
    table = Table("", "value", title=title)
    table.add_row("edge of the punter", _percent(line.found.ev_punter))
    table.add_row("edge of the banker", _percent(-line.found.ev_punter))
    if line.found.odds is not None and line.hits is not None:
        table.add_row("the banker plays", str(line.found.odds.banker))
        table.add_row("variance, stakes squared", f"{float(line.found.odds.variance):.9f}")
        for name, share in line.hits.items():
            table.add_row(
                f"the punter {name}s" if name != "push" else "equal, the stake goes back",
                f"{float(share):.9f}",
            )
        for net, chance in line.found.odds.distribution.items():
            table.add_row(f"net {net:+d}" if net else "net 0", f"{float(chance):.9f}")
    return table


def _show_comparison(found: Comparison, first: str, second: str) -> None:
    console = Console(highlight=False, soft_wrap=True)
    console.print(f"the punter's best play: {first} {_percent(found.start)}, {second} {_percent(found.end)}")
    table = Table("option", "from", "to", "edge of the punter", "worth to him")
    for step in found.steps:
        figures = (
            ("—", step.reason or "")
            if step.ev is None or step.worth is None
            else (
                _percent(step.ev),
                _percent(step.worth),
            )
        )
        table.add_row(step.option, json.dumps(step.before), json.dumps(step.after), *figures)
    console.print(table)


def _show_counting(found: Counting) -> None:
    console = Console(highlight=False, soft_wrap=True)
    console.print(f"edge of the {found.side} from a fresh shoe: {_percent(found.fresh)}")
    table = Table("card gone", "cards", "edge of the punter changes by", title="effects of removal")
    for effect in found.effects:
        table.add_row(str(effect.points), str(effect.cards), _percent(effect.punter))
    console.print(table)
    table = Table(
        "cards gone",
        "mean edge",
        "deviation",
        "for the side",
        "bet variation, smallest stakes",
        "count tells",
    )
    for depth in found.depths:
        told = "—" if depth.correlation is None else f"{depth.correlation:.3f}"
        row = (
            _percent(depth.mean.value),
            _percent(depth.deviation),
            f"{depth.favourable:.3f}",
            f"{depth.gain.value:+.4f}",
        )
        table.add_row(str(depth.gone), *row, told)
    console.print(table)
