"""`macao ruin`, `macao kelly`, `macao sessions`: exact bankroll maths of any outcomes, or of rules and policies.

The answers are those of `POST /ruin`, `/kelly` and `/sessions/distribution`; `--json` prints them as they are sent.
"""

import json
import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import IO, Any, Final, TypeVar

import click
from rich.console import Console
from rich.table import Table

from analysis.numbers import digits
from analysis.outcomes import BankrollError
from analysis.recorded import of_export, recorded
from analysis.sessions import Sessions
from analysis.sources import SIDES, asked_outcomes
from api.commands.exports import chart_option, pictured
from api.commands.rule_set import SHOE, SHOE_HELP, read_change, read_shoe
from api.services import bankroll_maths

F = TypeVar("F", bound=Callable[..., Any])
Figures = dict[str, Any]
_MOST_ROWS = 40
_SHORT = 80  # bits of a numerator or a denominator that may be shown
SOURCE: Final = (
    *("outcomes", "results", "played", "rules"),
    *("change", "punter", "banker", "side", "punters", "shoe", "game"),
)
_OF_RULES: Final = ("change", "punter", "banker", "punters", "shoe")


def source_options(function: F) -> F:
    """The options that say where outcomes come from; the command gets them as `source`'s keywords."""
    options = (
        click.option(
            "--outcomes", metavar="NET:P,…", help='Net in stakes and probability: "3:1/8,1:3/8,-1:1/2".'
        ),
        click.option("--results", type=click.File(), help="A file of recorded nets in stakes, one a line."),
        click.option(
            "--played",
            type=click.File(encoding="utf-8"),
            help="Your own play: the file of GET /v1/players/me/export.",
        ),
        click.option("--game", metavar="NAME", help="With --played: which game, where there are several."),
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
        click.option("--shoe", metavar=SHOE, help=SHOE_HELP),
    )
    for option in reversed(options):
        function = option(function)
    return function


def source(given: Mapping[str, Any]) -> Figures:
    """The part of a request that says where outcomes come from. Raises BankrollError: none or several are named."""
    kinds = ("outcomes", "results", "played", "rules")
    named = [name for name in kinds if given[name] is not None]
    if len(named) != 1:
        said = " and ".join(f"--{name}" for name in named) or "none"
        raise BankrollError(f"give one of --outcomes, --results, --played and --rules, not {said}")
    _check_together(named[0], given)
    if named[0] == "outcomes":
        return {"outcomes": given["outcomes"]}
    if named[0] == "results":
        return {"results": [line.strip() for line in given["results"] if line.strip()]}
    if named[0] == "played":
        return recorded(of_export(_loaded(given["played"])), given["game"], given["side"]).to_json()
    rules: Figures = {"preset": given["rules"]}
    if given["change"]:
        rules["changes"] = dict(map(read_change, given["change"]))
    return {"rules": rules} | beside_rules(given)


def beside_rules(given: Mapping[str, Any]) -> Figures:
    """What options say of the policies, the shoe and the side: as it stands beside `rules`, or in them."""
    found: Figures = {}
    for name in ("punter", "banker"):
        if given[name] is not None:
            policy = given[name]
            found[name] = _json(policy, f"--{name}") if policy.lstrip().startswith("{") else policy
    if given["shoe"] is not None:
        found["shoe"] = read_shoe(given["shoe"])
    return found | {name: given[name] for name in ("side", "punters") if given[name] is not None}


def _check_together(kind: str, given: Mapping[str, Any]) -> None:
    of_rules = [name for name in _OF_RULES if given[name] not in (None, ())]
    if kind != "rules" and of_rules:
        raise BankrollError(f"--{of_rules[0].replace('change', 'set')} goes with --rules only")
    if kind in ("outcomes", "results") and given["side"] is not None:
        raise BankrollError("--side goes with --rules or --played only")
    if kind != "played" and given["game"] is not None:
        raise BankrollError("--game goes with --played only; --rules names the game itself")


def _loaded(file: IO[str]) -> Any:
    try:
        return json.load(file)
    except ValueError as fault:
        raise BankrollError(f"{file.name} is not JSON: {fault}") from None


def _asked(given: Mapping[str, Any], *names: str) -> Figures:
    """The body of a question."""
    own = {name: given[name] for name in names if given[name] not in (None, ()) and given[name] is not False}
    return source({name: given[name] for name in SOURCE}) | own


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
@chart_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def ruin(as_json: bool, chart: str | None, **given: Any) -> None:
    """Risk of ruin of a bankroll under flat stakes, or the bankroll for a risk (what bank does a table need?).

    Ruined is who cannot cover the next coup. Everything is in stakes of 1.
    """
    body = _asked(given, "bankroll", "goal", "coups", "need", "risk", "gain", "exact")
    figures = bankroll_maths.ruin_figures(body)

    def picture() -> Any:
        from analysis.bankroll_plots import ruin_chart  # noqa: PLC0415 - for pictures only
        from analysis.ruin_curve import Form  # noqa: PLC0415

        mark = (float(Fraction(figures.get("bankroll", given["bankroll"]))), float(figures["ruin"]))
        form = Form(given["goal"], given["coups"], given["gain"], given["need"])
        return ruin_chart(asked_outcomes(body), form, mark)

    pictured(picture, chart)
    _show(figures, _RUIN, as_json)


@click.command()
@source_options
@click.option("--bankroll", metavar="STAKES", help="Adds the certainty equivalent of a stake of 1.")
@click.option(
    "--risk-tolerance", metavar="T", help="With --bankroll: of one who stakes T of Kelly's fraction; 1."
)
@click.option("--fraction", metavar="F", help="Adds what staking this fraction of the bankroll does.")
@chart_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def kelly(as_json: bool, chart: str | None, **given: Any) -> None:
    """Kelly's fraction over the full payouts, growth, half Kelly, N0 and the spread of a coup."""
    body = _asked(given, "bankroll", "fraction", "risk_tolerance")
    figures = bankroll_maths.kelly_figures(body)

    def picture() -> Any:
        from analysis.bankroll_plots import kelly_chart  # noqa: PLC0415 - for pictures only
        from analysis.kelly import kelly as kelly_of  # noqa: PLC0415

        outcomes = asked_outcomes(body)
        return kelly_chart(outcomes, kelly_of(outcomes))

    pictured(picture, chart)
    if as_json:
        _show(figures, {}, as_json=True)
        return
    names = {"full": "full Kelly", "half": "half Kelly", "fraction": f"fraction {given['fraction']}"}
    table = Table(
        "staking", "fraction", "growth a coup", "sd", "coups to double", "chance of falling to a half"
    )
    for key, name in names.items():
        if key in figures:
            row = figures[key]
            columns = ("fraction", "growth", "standard_deviation", "coups_to_double", "chance_of_half")
            table.add_row(name, *(f"{float(row[column]):.6g}" for column in columns))
    show(table)
    _show(figures | figures["coup"], _KELLY, as_json=False)


@click.command()
@source_options
@click.option("--coups", type=int, required=True, help="Coups of a session.")
@click.option("--bankroll", metavar="STAKES", help="Ends a session early at ruin.")
@click.option("--goal", metavar="STAKES", help="Bankroll at which he stops.")
@click.option("--quantile", "quantiles", multiple=True, metavar="Q", help="Quantiles shown; may be repeated.")
@click.option("--exact", is_flag=True, help="Fractions.")
@click.option("--table", "whole", is_flag=True, help="Every result with its probability.")
@chart_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def sessions(as_json: bool, whole: bool, chart: str | None, **given: Any) -> None:
    """The exact distribution of what a session of flat stakes brings, in stakes."""
    body = _asked(given, "coups", "bankroll", "goal", "quantiles", "exact")
    body |= {"quantiles": list(body["quantiles"])} if "quantiles" in body else {}
    figures, found = bankroll_maths.sessions_told(body)

    def picture() -> Any:
        from analysis.bankroll_plots import sessions_chart  # noqa: PLC0415 - for pictures only

        return sessions_chart(found, given["coups"], figures["quantiles"])

    pictured(picture, chart)
    _show(figures, _SESSIONS, as_json)
    if not as_json:
        _table(found, whole)


def _table(found: Sessions, whole: bool) -> None:
    rows = [(found.net(place), mass) for place, mass in enumerate(found.masses) if mass]
    if not whole and len(rows) > _MOST_ROWS:
        click.echo(f"{len(rows)} results: --table lists them all.")
        return
    table = Table("result", "probability", "or worse")
    for net, _ in rows:
        table.add_row(str(net), _text(found.chance(net)), _text(found.at_most(net)))
    show(table)


def _json(text: str, what: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise BankrollError(f"{what} is not JSON: {text[:60]!r} (a text needs its quotes)") from None


def show(table: Table) -> None:
    """Print a table: to a terminal in its width, elsewhere as wide as it takes."""
    console = Console()
    (console if console.is_terminal else Console(width=180)).print(table)


def _text(value: Any) -> str:
    if isinstance(value, Fraction):
        short = max(value.numerator.bit_length(), value.denominator.bit_length()) <= _SHORT
        if value.denominator == 1:
            return digits(value.numerator)
        exact = f" = {value}" if short and len(str(value)) <= 24 else ""
        return f"{float(value):.8g}{exact}"
    return f"{value:.8g}" if isinstance(value, float) else str(value)


def _show(figures: Figures, names: Mapping[str, str], as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(bankroll_maths.told(figures), ensure_ascii=False, indent=2))
        return
    table = Table(show_header=False)
    for key, name in names.items():
        value = figures.get(key)
        if value is not None and not (isinstance(value, float) and math.isnan(value)):
            shown = (
                ", ".join(f"{k}: {_text(v)}" for k, v in value.items())
                if isinstance(value, dict)
                else _text(value)
            )
            table.add_row(name, shown)
    show(table)


_RUIN = {
    "risk": "risk asked",
    "bankroll": "bankroll needed",
    "ruin": "risk of ruin",
    "goal": "chance of the goal",
    "open": "neither, playing on",
    "expected_coups": "expected coups",
    "expected_coups_if_ruined": "expected coups if ruined",
    "expected_coups_if_goal": "expected coups if the goal is reached",
    "root": "root r of E(r^X) = 1",
    "root_formula": "by the root alone, for ever",
    "diffusion_formula": "by the diffusion formula, for ever",
}
_KELLY = {
    "zero_growth": "no growth above the fraction",
    "edge_over_variance": "mean / variance",
    "mean": "mean of a coup",
    "standard_deviation": "sd of a coup",
    "mean_100": "mean of 100 coups",
    "standard_deviation_100": "sd of 100 coups",
    "n0": "N0 (coups until the mean is one sd)",
    "certainty_equivalent": "certainty equivalent of a stake of 1",
}
_SESSIONS = {
    "mean": "mean",
    "standard_deviation": "standard deviation",
    "win": "chance of a win",
    "loss": "chance of a loss",
    "quantiles": "quantiles",
}
