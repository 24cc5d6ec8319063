"""How commands are told rules, shoes and policies: `RULES --set option=value --decks N|infinite --punter POLICY`."""

import json
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

import click

from analysis.shoe import INFINITE, Shoe, full, infinite
from casino.banking.presets import PRESETS
from casino.banking.rules import Rules, build
from casino.errors import RulesError, UnknownGame

F = TypeVar("F", bound=Callable[..., Any])
SHOE: Final = "N|infinite|0:32,1:8,…"
SHOE_HELP: Final = "Packs, infinite, or the cards left by points; the full shoe of the rules where left out."


def rules_arguments(function: F) -> F:
    """The argument RULES and the options `--set` and `--decks`; the command gets `name`, `changes` and `decks`."""
    function = click.option("--decks", metavar="N|infinite", help="Packs in the shoe, or infinite.")(function)
    function = click.option(
        "--set",
        "changes",
        multiple=True,
        metavar="OPTION=VALUE",
        help="Change a rule: a JSON value, or a word.",
    )(function)
    return click.argument("name", metavar="RULES")(function)


def policy_arguments(function: F) -> F:
    """The options `--punter` and `--banker`: a policy's name, or an object as JSON."""
    for side in ("banker", "punter"):
        text = f"The {side}'s policy: textbook, threshold:5, optimal, …, or a JSON object."
        function = click.option(f"--{side}", metavar="POLICY", callback=_policy, help=text)(function)
    return function


def read_rules(name: str, changes: Sequence[str], decks: str | None = None) -> tuple[Rules, Shoe]:
    """The rules of a preset with `option=value` changes, and the shoe. Raises UnknownGame or RulesError."""
    if name not in PRESETS:
        raise UnknownGame(f"no banking rules «{name[:40]}»; there are {', '.join(PRESETS)}")
    told = dict(map(read_change, changes))
    if decks is not None and decks != "infinite":
        told["decks"] = _packs(decks)
    rules = build(PRESETS[name][1], told)
    return rules, infinite() if decks == "infinite" else full(rules.decks)


def read_change(text: str) -> tuple[str, Any]:
    """A changed rule `option=value`: its name and its value. Raises RulesError."""
    option, equals, value = text.partition("=")
    if not equals:
        raise RulesError(f"a change is written option=value, such as ties=push; «{text[:40]}» is not")
    return option, _value(value)


def read_shoe(text: str) -> Any:
    """A shoe as JSON from what `--shoe` takes: packs, infinite, or cards left by points. Raises RulesError."""
    if text == INFINITE:
        return INFINITE
    if text.isascii() and text.isdigit() and len(text) <= 3:
        return {"decks": int(text)}
    counts: dict[str, int] = {}
    for part in text.replace(",", " ").split():
        points, colon, count = part.partition(":")
        number = count.removeprefix("-")
        if not colon or not number.isascii() or not number.isdigit() or len(number) > 4 or points in counts:
            raise RulesError(
                f"--shoe is written as packs, 2, as infinite, or as points:count, 0:32,1:8; «{part[:20]}» is none",
                pointer="/shoe",
            )
        counts[points] = int(count)
    if not counts:
        raise RulesError(
            "--shoe is written as packs, 2, as infinite, or as 0:32,1:8, not empty", pointer="/shoe"
        )
    return {"counts": counts}


def _value(text: str) -> Any:
    """A JSON value, or the text as it is: a word, a fraction."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _packs(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 3:
        raise RulesError(f"must be a number of packs, or infinite, not «{text[:20]}»", pointer="/decks")
    return int(text)


def _policy(context: click.Context, option: click.Parameter, text: str | None) -> Any:
    if text is None or not text.lstrip().startswith("{"):
        return text
    try:
        return json.loads(text)
    except ValueError as fault:
        raise click.BadParameter(f"not JSON: {fault}", context, option) from None
