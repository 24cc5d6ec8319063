"""`macao par`: the par sheet of a rule set."""

import json
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from analysis.numbers import Number
from analysis.par import Line, Par
from analysis.par import par as par_sheet
from api.commands.exports import Tables, exported, figure, net_column, table_options
from api.commands.rule_set import read_rules, rules_arguments


@click.command()
@rules_arguments
@table_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def par(
    name: str,
    changes: tuple[str, ...],
    decks: str | None,
    csv_file: str | None,
    html_file: str | None,
    as_json: bool,
) -> None:
    """The par sheet of a rule set: probabilities, the edge of both sides, variance, hit rates.

    RULES is a preset of banking rules (see `macao games`).
    """
    rules, shoe = read_rules(name, changes, decks)
    with Console(stderr=True).status("working best play out"):
        found = par_sheet(rules, shoe)
    if exported(f"{name}: par sheet", lambda: _rows(found), csv_file, html_file):
        return
    if as_json:
        click.echo(json.dumps(found.to_json(), ensure_ascii=False, indent=2))
    else:
        _show(name, found)


def _rows(found: Par) -> Tables:
    return {"par sheet": [_row(line) for line in found.lines]}


def _row(line: Line) -> dict[str, Any]:
    punter, banker = line.policies
    row = {"punter": str(punter), "banker": str(banker)} | figure("ev_punter", line.found.ev_punter)
    if line.found.odds is None or line.hits is None:
        return row
    row |= figure("variance", line.found.odds.variance) | {"coups_to_tell": line.coups_to_tell}
    row |= {name: float(share) for name, share in line.hits.items()}
    row |= {f"natural_{points}": float(share) for points, share in line.naturals.items()}
    return row | {net_column(net): float(share) for net, share in line.found.odds.distribution.items()}


def _show(name: str, found: Par) -> None:
    console = Console(highlight=False, soft_wrap=True)
    shoe = "an infinite shoe" if found.shoe.infinite else f"{found.rules.decks} packs"
    pay = found.rules.payoff
    console.print(
        f"[bold]{name}[/]: a punter's first coup from {shoe}, per unit staked;"
        f" worst loss {pay.worst_loss}, worst payout {pay.worst_payout} stakes"
    )
    table = Table("", "best play", "textbook")
    for row in _lines(found):
        table.add_row(*row)
    console.print(table)
    odds = found.best.found.odds
    if odds is not None and odds.has_side_bets:
        console.print(
            f"A bet on the banker's side: {_percent(odds.banker_bet_ev)} after commission;"
            f" on a tie paid 8 to 1: {_percent(odds.tie_bet_8_to_1_ev)}"
        )


def _lines(found: Par) -> list[list[str]]:
    """The rows of the table, both ways to play side by side."""
    lines = found.lines
    rows = [
        ["the punter plays", *(str(line.policies[0]) for line in lines)],
        ["the banker plays", *(str(line.policies[1]) for line in lines)],
        ["edge of the punter", *(_percent(line.found.ev_punter) for line in lines)],
        ["edge of the banker", *(_percent(-line.found.ev_punter) for line in lines)],
        [
            "standard deviation, stakes",
            *("" if line.deviation is None else f"{line.deviation:.6f}" for line in lines),
        ],
        ["coups till the edge tells (95 %)", *map(_coups, lines)],
    ]
    for share in ("win", "push", "lose"):
        rows.append(
            [
                f"{share}s".replace("pushs", "pushes"),
                *(_share((line.hits or {}).get(share)) for line in lines),
            ]
        )
    for points in (7, 8, 9):
        rows.append([f"natural {points}", *(_share(line.naturals.get(points)) for line in lines)])
    for net in sorted({net for line in lines for net in _nets(line)}):
        rows.append([f"net {net:+d}" if net else "net 0", *(_share(_nets(line).get(net)) for line in lines)])
    return rows


def _nets(line: Line) -> dict[int, Number]:
    return {} if line.found.odds is None else line.found.odds.distribution


def _coups(line: Line) -> str:
    if line.deviation is None:
        return ""
    return "never" if line.coups_to_tell is None else f"{line.coups_to_tell:,}"


def _share(value: Number | None) -> str:
    return "" if value is None else f"{float(value):.9f}"


def _percent(value: Number) -> str:
    return f"{100 * float(value):+.6f} %"
