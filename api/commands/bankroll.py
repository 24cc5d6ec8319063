"""`macao ruin`, `macao kelly`, `macao sessions`: exact bankroll maths of any outcomes, or of rules and policies."""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import fields
from fractions import Fraction
from typing import Any, TypeVar

import click
from rich.console import Console
from rich.table import Table

from analysis.kelly import Growth, certainty_equivalent, growth, spread
from analysis.kelly import kelly as kelly_of
from analysis.outcomes import BankrollError, Outcomes
from analysis.ruin import bankroll_for, risk_of_ruin
from analysis.sessions import Sessions, session
from analysis.sources import SIDES, outcomes_of
from api.commands.rule_set import read_change

F = TypeVar("F", bound=Callable[..., Any])
Figures = dict[str, Any]
_QUANTILES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
_MOST_ROWS = 40


def source_options(function: F) -> F:
    """The options that say where outcomes come from; the command gets them as `source`'s keywords."""
    options = (
        click.option(
            "--outcomes", metavar="NET:P,…", help='Net in stakes and probability: "3:1/8,1:3/8,-1:1/2".'
        ),
        click.option("--results", type=click.File(), help="A file of recorded nets in stakes, one a line."),
        click.option("--rules", metavar="PRESET", help="Banking rules: see `macao games`."),
        click.option(
            "--set",
            "--change",
            "change",
            multiple=True,
            metavar="OPTION=VALUE",
            help="Change a rule: a JSON value, or a word; may be repeated.",
        ),
        click.option("--punter", metavar="POLICY", help="textbook, optimal, threshold:5, …, or JSON."),
        click.option("--banker", metavar="POLICY", help="The same for the banker."),
        click.option("--side", type=click.Choice(SIDES), help="Whose nets; punter where left out."),
        click.option("--punters", type=int, metavar="N", help="Punters against the bank, each staking 1."),
        click.option(
            "--shoe", metavar="PACKS", help="Packs, or infinite; those of the rules where left out."
        ),
    )
    for option in reversed(options):
        function = option(function)
    return function


def source(given: Mapping[str, Any]) -> Figures:
    """The part of a request that says where outcomes come from. Raises BankrollError: none or several are named."""
    named = [name for name in ("outcomes", "results", "rules") if given[name] is not None]
    if len(named) != 1:
        said = " and ".join(f"--{name}" for name in named) or "none"
        raise BankrollError(f"give one of --outcomes, --results and --rules, not {said}")
    asked = [name for name in ("change", "punter", "banker", "side", "punters", "shoe") if given[name]]
    if named[0] != "rules":
        if asked:
            raise BankrollError(f"--{asked[0]} goes with --rules only")
        lines = given["results"] if named[0] == "results" else ()
        return {named[0]: given["outcomes"] or [line.strip() for line in lines if line.strip()]}
    rules: Figures = {"preset": given["rules"]}
    if given["change"]:
        rules["changes"] = dict(map(read_change, given["change"]))
    for name in ("punter", "banker"):
        if given[name]:
            rules[name] = _json(given[name], f"--{name}") if given[name].startswith("{") else given[name]
    if given["shoe"]:
        rules["shoe"] = int(given["shoe"]) if given["shoe"].isdecimal() else given["shoe"]
    rules |= {name: given[name] for name in ("side", "punters") if given[name] is not None}
    return {"rules": rules}


def outcomes_from(given: Mapping[str, Any]) -> Outcomes:
    """The outcomes that a command's options name."""
    found = source(given)
    if "outcomes" in found:
        return Outcomes.parse(found["outcomes"])
    if "results" in found:
        return Outcomes.observed(found["results"])
    return outcomes_of(found["rules"])


@click.command()
@source_options
@click.option("--bankroll", metavar="STAKES", help="Bankroll, in stakes.")
@click.option("--goal", metavar="STAKES", help="Bankroll at which he stops.")
@click.option("--coups", type=int, help="Coups played at most; for ever where left out.")
@click.option(
    "--need", metavar="STAKES", help="Least bankroll to play on; stake or worst loss where left out."
)
@click.option("--risk", metavar="P", help="Find the bankroll instead whose risk of ruin is P.")
@click.option("--gain", metavar="STAKES", help="With --risk: he stops once so much is won.")
@click.option("--exact", is_flag=True, help="Fractions (not for ever without a goal).")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def ruin(as_json: bool, **given: Any) -> None:
    """Risk of ruin of a bankroll under flat stakes, or the bankroll for a risk.

    Ruined is who cannot cover the next coup. Everything is in stakes of 1.
    """
    outcomes = outcomes_from(given)
    if (given["bankroll"] is None) == (given["risk"] is None):
        raise BankrollError("give --bankroll, or --risk to find the bankroll")
    figures: Figures
    if given["risk"] is not None:
        if given["goal"] is not None or given["exact"]:
            raise BankrollError("--risk goes with --gain, --coups and --need, not with --goal or --exact")
        needed = bankroll_for(
            outcomes, given["risk"], coups=given["coups"], gain=given["gain"], need=given["need"]
        )
        figures = {"outcomes": outcomes.to_json(), "risk": given["risk"], **_fields(needed)}
        _show(figures, _RUIN, as_json)
        return
    if given["gain"] is not None:
        raise BankrollError("--gain goes with --risk; with a bankroll give --goal")
    risk = risk_of_ruin(
        outcomes,
        given["bankroll"],
        goal=given["goal"],
        coups=given["coups"],
        need=given["need"],
        exact=given["exact"],
    )
    _show({"outcomes": outcomes.to_json(), **_fields(risk)}, _RUIN, as_json)


@click.command()
@source_options
@click.option("--bankroll", metavar="STAKES", help="Adds the certainty equivalent of a stake of 1.")
@click.option("--fraction", metavar="F", help="Adds what staking this fraction of the bankroll does.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def kelly(as_json: bool, **given: Any) -> None:
    """Kelly's fraction over the full payouts, growth, half Kelly, N0 and the spread of a coup."""
    outcomes = outcomes_from(given)
    found = kelly_of(outcomes)
    rows: dict[str, Growth] = {"full Kelly": found.full, "half Kelly": found.half}
    if given["fraction"] is not None:
        rows[f"fraction {given['fraction']}"] = growth(outcomes, given["fraction"])
    about: Figures = {
        "zero_growth": found.zero_growth,
        "edge_over_variance": found.edge_over_variance,
        **_fields(spread(outcomes)),
    }
    if given["bankroll"] is not None:
        about["certainty_equivalent"] = certainty_equivalent(outcomes, given["bankroll"])
    if as_json:
        growths = {name: _fields(row) for name, row in rows.items()}
        _print_json({"outcomes": outcomes.to_json(), **growths, **about})
        return
    table = Table(
        "staking", "fraction", "growth a coup", "sd", "coups to double", "chance of falling to a half"
    )
    for name, row in rows.items():
        figures = (row.fraction, row.growth, row.deviation, row.doubling, 0.5**row.fall)
        table.add_row(name, *(f"{float(figure):.6g}" for figure in figures))
    show(table)
    _show(about, _KELLY, as_json=False)


@click.command()
@source_options
@click.option("--coups", type=int, required=True, help="Coups of a session.")
@click.option("--bankroll", metavar="STAKES", help="Ends a session early at ruin.")
@click.option("--goal", metavar="STAKES", help="Bankroll at which he stops.")
@click.option("--quantile", multiple=True, type=float, metavar="Q", help="Quantiles shown; may be repeated.")
@click.option("--exact", is_flag=True, help="Fractions.")
@click.option("--table", "whole", is_flag=True, help="Every result with its probability.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def sessions(as_json: bool, whole: bool, **given: Any) -> None:
    """The exact distribution of what a session of flat stakes brings, in stakes."""
    outcomes = outcomes_from(given)
    found = session(
        outcomes, given["coups"], bankroll=given["bankroll"], goal=given["goal"], exact=given["exact"]
    )
    figures = {
        "outcomes": outcomes.to_json(),
        "mean": found.mean,
        "deviation": found.deviation,
        "win": found.win,
        "loss": found.loss,
        "quantiles": {f"{share:g}": found.quantile(share) for share in given["quantile"] or _QUANTILES},
    }
    if as_json:
        listed = {str(net): _plain(chance) for net, chance in _results(found)}
        _print_json({key: _plain(value) for key, value in figures.items()} | {"distribution": listed})
        return
    _show(figures, _SESSIONS, as_json=False)
    _table(found, whole)


def _results(found: Sessions) -> list[tuple[Fraction, Any]]:
    return [(found.net(i), found.chance(found.net(i))) for i in range(len(found.masses)) if found.masses[i]]


def _table(found: Sessions, whole: bool) -> None:
    rows = _results(found)
    if not whole and len(rows) > _MOST_ROWS:
        click.echo(f"{len(rows)} results: --table lists them all.")
        return
    table = Table("result", "probability", "or worse")
    for net, chance in rows:
        table.add_row(str(net), _text(chance), _text(found.at_most(net)))
    show(table)


def _json(text: str, what: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise BankrollError(f"{what} is not JSON: {text[:60]!r} (a text needs its quotes)") from None


def _fields(record: Any) -> Figures:
    return {item.name: getattr(record, item.name) for item in fields(record)}


def _plain(value: Any) -> Any:
    """JSON of a figure: exact ones as num, den and float, infinite and unknown ones as null."""
    if isinstance(value, Fraction):
        return {"num": str(value.numerator), "den": str(value.denominator), "float": float(value)}
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return value


def _print_json(figures: Figures) -> None:
    click.echo(json.dumps(_plain(figures), ensure_ascii=False, indent=2))


def show(table: Table) -> None:
    """Print a table: to a terminal in its width, elsewhere as wide as it takes."""
    console = Console()
    (console if console.is_terminal else Console(width=180)).print(table)


def _text(value: Any) -> str:
    if isinstance(value, Fraction):
        exact = f" = {value}" if len(str(value)) <= 24 else ""
        return str(value) if value.denominator == 1 else f"{float(value):.8g}{exact}"
    return f"{value:.8g}" if isinstance(value, float) else str(value)


def _show(figures: Figures, names: Mapping[str, str], as_json: bool) -> None:
    if as_json:
        _print_json(figures)
        return
    table = Table(show_header=False)
    for key, value in figures.items():
        if key in names and value is not None and not (isinstance(value, float) and math.isnan(value)):
            shown = (
                ", ".join(f"{k}: {_text(v)}" for k, v in value.items())
                if isinstance(value, dict)
                else _text(value)
            )
            table.add_row(names[key], shown)
    show(table)


_RUIN = {
    "risk": "risk asked",
    "bankroll": "bankroll needed",
    "ruin": "risk of ruin",
    "goal": "chance of the goal",
    "open": "neither, playing on",
    "coups": "expected coups",
    "coups_if_ruined": "expected coups if ruined",
    "coups_if_goal": "expected coups if the goal is reached",
    "root": "root r of E(r^X) = 1",
    "root_formula": "by the root alone, for ever",
    "diffusion_formula": "by the diffusion formula, for ever",
}
_KELLY = {
    "zero_growth": "no growth above the fraction",
    "edge_over_variance": "mean / variance",
    "mean": "mean of a coup",
    "deviation": "sd of a coup",
    "mean_100": "mean of 100 coups",
    "deviation_100": "sd of 100 coups",
    "n0": "N0 (coups until the mean is one sd)",
    "certainty_equivalent": "certainty equivalent of a stake of 1",
}
_SESSIONS = {
    "mean": "mean",
    "deviation": "standard deviation",
    "win": "chance of a win",
    "loss": "chance of a loss",
    "quantiles": "quantiles",
}
