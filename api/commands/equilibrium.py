"""The equilibrium part of `macao policy`: value and strategies of both sides, with their proof."""

import json
from math import ceil, floor

import click
from rich.console import Console
from rich.table import Table

from analysis.equilibrium import Equilibrium, equilibrium, third_name
from analysis.many_punters import Several
from analysis.numbers import Number
from analysis.plots import policy_chart
from analysis.shoe import Shoe
from api.commands.exports import exported, pictured
from api.commands.odds_rows import equilibrium_rows
from casino.banking.rules import Rules
from casino.errors import RulesError

_SURE = 1e-9
_MOST_ROWS = 60
_GRAIN = 10**9  # bounds are told a little wider than they are


def tell_equilibrium(
    rules: Rules,
    shoe: Shoe,
    *,
    punters: int = 1,
    side: str | None = None,
    chart: str | None = None,
    csv_file: str | None = None,
    html_file: str | None = None,
    as_json: bool = False,
) -> None:
    """Work the equilibrium out and print, write or draw it. Raises RulesError as `analysis.equilibrium`."""
    if chart is not None and (punters > 1 or side is None):
        raise RulesError(
            "the picture of an equilibrium is of one punter, or his banker: add --side, and no --punters"
        )
    with Console(stderr=True).status("working the equilibrium out"):
        found = equilibrium(rules, shoe, punters=punters)
    if chart is not None and isinstance(found, Equilibrium):
        pictured(lambda: policy_chart(found, side), chart)
    if exported("Equilibrium", lambda: equilibrium_rows(found), csv_file, html_file):
        return
    if as_json:
        click.echo(json.dumps(found.to_json(), indent=2))
    elif isinstance(found, Equilibrium):
        _show_one(found)
    else:
        _show_several(found)


def _show_one(found: Equilibrium) -> None:
    console = Console(highlight=False, soft_wrap=True)
    console.print(f"Value for the punter: {_number(found.value)} a unit staked", end="")
    if found.certified:
        console.print(" (exact: both best replies were checked in fractions)")
    else:
        low, high = floor(found.lower * _GRAIN) / _GRAIN, ceil(found.upper * _GRAIN) / _GRAIN
        console.print(f" (between {low:+.9f} and {high:+.9f})")
    if found.discards is not None:
        console.print(
            f"No more than {found.discards.cap} zeros are thrown in a coup, and the bounds allow for more."
            " Draws are told for hands before any zero is thrown."
        )
    console.print(_punter_table(found))
    console.print(_banker_table(found))
    console.print(found.note.capitalize() + ".")


def _punter_table(found: Equilibrium) -> Table:
    table = Table("punter holds", *map(str, range(10)))
    table.add_row("draws", *map(_share, found.punter))
    if found.discards is not None:
        table.add_row("throws a drawn zero", *map(_share, found.discards.drawn))
        table.add_row("throws the dealt zero", _share(found.discards.dealt), *[""] * 9)
    return table


def _banker_table(found: Equilibrium) -> Table:
    """How often the banker draws, by his points and what he sees."""
    sights = sorted({(seen.first, seen.third) for seen in found.banker})
    names = [third_name(third) if first < 0 else f"{first}: {third_name(third)}" for first, third in sights]
    rows = {(seen.points, seen.first, seen.third): share for seen, share in found.banker.items()}
    points = sorted({seen.points for seen in found.banker})
    table = Table(
        "sees", *map(str, points), title="The banker draws, by what he sees and the points he holds"
    )
    for name, (first, third) in zip(names, sights, strict=True):
        table.add_row(name, *(_share(rows.get((held, first, third))) for held in points))
    return table


def _show_several(found: Several) -> None:
    console = Console(highlight=False, soft_wrap=True)
    nets = ", ".join(f"{value:+.9f}" for value in found.values)
    console.print(f"Nets of the punters, from the banker's left, a unit staked: {nets}")
    console.print(
        f"Best replies of all seats together would gain {found.exploitability:.3g} ({found.rounds} rounds)."
    )
    table = Table("seat", "holds", "has seen", "draws", title="Choices that are not certain")
    seats = [*((str(seat), decisions) for seat, decisions in enumerate(found.punters, start=1))]
    mixed = [
        (seat, decision)
        for seat, decisions in [*seats, ("banker", found.banker)]
        for decision in decisions
        if _SURE < decision.draw < 1 - _SURE
    ]
    for seat, decision in mixed[:_MOST_ROWS]:
        table.add_row(seat, str(decision.points), ", ".join(decision.seen), f"{decision.draw:.6f}")
    console.print(table)
    if len(mixed) > _MOST_ROWS:
        console.print(f"… and {len(mixed) - _MOST_ROWS} more: --json tells all.")
    console.print(found.note.capitalize() + ".")


def _share(share: Number | None) -> str:
    if share is None:
        return "-"
    value = float(share)
    return str(round(value)) if min(value, 1 - value) < _SURE else f"{value:.6f}"


def _number(value: Number) -> str:
    return f"{value:+.8f}" if isinstance(value, float) else f"{float(value):+.12f} = {value}"
