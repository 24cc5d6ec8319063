"""`macao simulate`: deal coups by the million and say how far off the figures may be."""

import json
import sys
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from analysis.dealing import Dealing
from analysis.reply_tables import tables
from analysis.simulate import ENGINES, Simulation
from analysis.simulate import simulate as deal
from api.commands.rule_set import policy_arguments, read_rules, rules_arguments

_DEFAULT_COUPS = 10_000_000


@click.command()
@rules_arguments
@policy_arguments
@click.option("--coups", type=int, default=_DEFAULT_COUPS, show_default=True, help="Coups to deal.")
@click.option(
    "--punters", type=int, default=1, show_default=True, help="Punters, each with a hand of his own."
)
@click.option("--per-bank", type=int, help="Coups of a bank at most; 1: each from a full shoe.")
@click.option("--seed", type=int, default=0, show_default=True, help="Decides every card.")
@click.option(
    "--threads", type=int, default=1, show_default=True, help="They change the time, not the result."
)
@click.option("--engine", type=click.Choice(ENGINES), help="numba where it is installed, else numpy.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def simulate(
    name: str,
    changes: tuple[str, ...],
    decks: str | None,
    punter: Any,
    banker: Any,
    as_json: bool,
    **how: Any,
) -> None:
    """Deal coups from a shoe in order, or from an infinite one, and tell what the punters net.

    RULES is a preset of banking rules (see `macao games`).
    """
    rules, shoe = read_rules(name, changes, decks)
    mine, his = tables(rules, shoe, punter, banker)
    dealing = Dealing(rules, (mine,) * how["punters"], his, shoe.infinite, how["per_bank"])
    found = _deal(dealing, how["coups"], seed=how["seed"], threads=how["threads"], engine=how["engine"])
    if as_json:
        click.echo(json.dumps(found.to_json(), indent=2))
    else:
        _show(found)


def _deal(dealing: Dealing, coups: int, **how: Any) -> Simulation:
    columns = (TextColumn("dealing"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    # Only where somebody looks, so that pipes stay clean.
    with Progress(
        *columns, console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()
    ) as progress:
        task = progress.add_task("coups", total=coups)
        return deal(dealing, coups, progress=lambda done: progress.advance(task, done), **how)


def _show(found: Simulation) -> None:
    console, dealing = Console(highlight=False, soft_wrap=True), found.dealing
    rules = dealing.rules
    shoe = "an infinite shoe"
    if not dealing.infinite:
        shoe = f"{rules.decks} packs, {found.tally.banks:,} banks, end of the shoe: {rules.exhaustion}"
    console.print(f"{found.coups:,} coups from {shoe}; seed {found.seed}, by {found.dealt_by}")
    table = Table("hand", "net a unit", "error", "95 % interval", "variance")
    for number, hand in enumerate(found.hands, start=1):
        low, high = hand.ev.interval
        table.add_row(
            str(number),
            f"{hand.ev.value:+.6f}",
            f"{hand.ev.error:.6f}",
            f"{low:+.6f} to {high:+.6f}",
            f"{hand.variance:.4f}",
        )
    console.print(table)
    nets = Table("net", *(f"hand {number}" for number in range(1, dealing.hands + 1)))
    for net in found.hands[0].distribution:
        shares = (hand.distribution[net] for hand in found.hands)
        nets.add_row(f"{net:+d}", *(f"{share.value:.6f} ± {share.error:.6f}" for share in shares))
    console.print(nets)
