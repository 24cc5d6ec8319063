"""`macao edge`, `macao policy` and `macao odds`: exact odds and best policies from the command line."""

import json
from collections.abc import Callable
from typing import Any, TypeVar

import click

from analysis.asked import EQUILIBRIUM, Question, answer, reply
from analysis.equilibrium import Equilibrium
from analysis.policy import BestResponse
from analysis.shoe import shoe_of
from api.commands.exports import chart_option, exported, pictured, table_options
from api.commands.odds_rows import edge_rows, policy_rows
from api.commands.odds_tables import show_edge, show_policy
from api.commands.rule_set import (
    SHOE,
    SHOE_HELP,
    policy_arguments,
    read_rules,
    read_shoe,
    rules_arguments,
)
from api.services.odds import odds_answer, policies_answer
from casino.banking.policies import BANKER, PUNTER
from casino.errors import CasinoError, RulesError

F = TypeVar("F", bound=Callable[..., Any])


def shoe_arguments(function: F) -> F:
    """The options `--shoe`, `--seen` and `--information`."""
    options = (
        click.option("--shoe", metavar=SHOE, help=SHOE_HELP),
        click.option("--seen", metavar="CARDS", default="", help="Cards seen, out of the shoe: 9H,KD,…"),
        click.option(
            "--information",
            type=click.Choice(["all", "points"]),
            default="all",
            show_default=True,
            help="What the best play goes by: all that its seat has seen, or points alone.",
        ),
        click.option("--json", "as_json", is_flag=True, help="Print JSON."),
    )
    for option in reversed(options):
        function = option(function)
    return function


@click.command()
@rules_arguments
@policy_arguments
@shoe_arguments
@chart_option
@table_options
def edge(
    name: str,
    changes: tuple[str, ...],
    decks: str | None,
    chart: str | None,
    csv_file: str | None,
    html_file: str | None,
    as_json: bool,
    **asked: Any,
) -> None:
    """The exact odds of a coup: edge of both sides, variance, every net result, and each first card and action.

    RULES is a preset of banking rules (see `macao games`).
    """
    found = answer(_question(name, changes, decks, asked))
    if chart is not None:
        if found.odds is None:
            raise RulesError("this equilibrium has no table of actions to draw: see `macao policy … --chart`")
        odds_found = found.odds
        from analysis.plots import heat_map  # noqa: PLC0415

        pictured(lambda: heat_map(odds_found), chart)
    if exported(f"{name}: odds of a coup", lambda: edge_rows(found), csv_file, html_file):
        return
    if as_json:
        _print(found.to_json())
    else:
        show_edge(found)


@click.command()
@rules_arguments
@policy_arguments
@shoe_arguments
@click.option("--equilibrium", is_flag=True, help="Both sides' strategies, neither gaining by another.")
@click.option("--punters", type=int, default=1, show_default=True, help="With --equilibrium: 1 to 3.")
@click.option(
    "--side", type=click.Choice([PUNTER, BANKER]), help="With --equilibrium and --chart: whose strategy."
)
@chart_option
@table_options
def policy(name: str, changes: tuple[str, ...], decks: str | None, equilibrium: bool, **asked: Any) -> None:
    """The best reply to a given policy, what every action is worth, and what another one costs.

    With --banker: the punter's best reply to it (the default). With --punter: the banker's. RULES is a preset of
    banking rules (see `macao games`).
    """
    how = {
        option: asked.pop(option)
        for option in ("punters", "side", "chart", "csv_file", "html_file", "as_json")
    }
    if equilibrium:
        from api.commands.equilibrium import tell_equilibrium  # noqa: PLC0415 - scipy is loaded with it

        question = _question(name, changes, decks, asked)
        tell_equilibrium(question.rules, question.left, **how)
        return
    found = _reply(name, changes, decks, asked)
    if how["chart"] is not None:
        from analysis.plots import policy_chart  # noqa: PLC0415

        pictured(lambda: policy_chart(found), how["chart"])
    if exported(f"{name}: best reply", lambda: policy_rows(found), how["csv_file"], how["html_file"]):
        return
    if how["as_json"]:
        _print(found.to_json())
    else:
        show_policy(found)


def _reply(name: str, changes: tuple[str, ...], decks: str | None, asked: dict[str, Any]) -> BestResponse:
    """The best reply to the one side whose policy is given; to the banker's default where none is."""
    if asked["punter"] is not None and asked["banker"] is not None:
        raise RulesError("give --punter or --banker, the side that is replied to, not both")
    open_side = BANKER if asked["punter"] is not None else PUNTER
    found = reply(_question(name, changes, decks, asked | {open_side: "optimal"}))
    if isinstance(found, Equilibrium):
        raise RulesError(f"both sides are to be worked out: add --{EQUILIBRIUM}")
    return found


@click.command()
@click.argument("file", type=click.File(encoding="utf-8"))
def odds(file: Any) -> None:
    """Answer requests as `POST /odds` does: FILE (- for standard input) holds one body or an array of them, as JSON.

    A body with `state` is a request of `POST /policies`: the banker's decision.
    """
    try:
        asked = json.load(file)
    except ValueError as fault:
        raise RulesError(f"{file.name} is not JSON: {fault}") from None
    if isinstance(asked, list):
        _print([_answer(body, f"/{at}") for at, body in enumerate(asked)])
    else:
        _print(_answer(asked, ""))


def _answer(body: Any, pointer: str) -> dict[str, Any]:
    try:
        decision = isinstance(body, dict) and "state" in body
        return policies_answer(body) if decision else odds_answer(body)
    except CasinoError as refusal:
        raise RulesError(refusal.detail, pointer=pointer + refusal.pointer) from None


def _question(name: str, changes: tuple[str, ...], decks: str | None, asked: dict[str, Any]) -> Question:
    rules, shoe = read_rules(name, changes, decks)
    if asked["shoe"] is not None:
        if shoe.infinite:
            raise RulesError("give --shoe or --decks infinite, not both")
        shoe = shoe_of(read_shoe(asked["shoe"]), rules.decks) or shoe
    seen = tuple(asked["seen"].replace(",", " ").split())
    return Question(rules, shoe, seen, asked["punter"], asked["banker"], asked["information"])


def _print(data: Any) -> None:
    click.echo(json.dumps(data, ensure_ascii=False, indent=2))
