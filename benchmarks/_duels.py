"""Rows of win rates: `simple` against `random`, `search` against `simple`, at tables of matches."""

import argparse
import platform
import sys
from collections.abc import Iterable
from functools import partial
from random import Random
from typing import Any

from analysis.arena import duel
from casino.bots import Bot
from casino.bots.policies import SEARCH, Policy, make
from casino.match import Match

PAIRS = (("simple", "random"), ("search", "simple"))


def named(policy: str, nodes: int, game: Any, rng: Random) -> Bot:
    """The bot of a seat."""
    return make(Policy(policy, nodes=nodes if policy == SEARCH else None), game, rng)


def arguments(text: str, rounds: int, nodes: int, seats: tuple[int, ...]) -> argparse.Namespace:
    """`--rounds`, `--nodes`, `--seats` and `--only` of the command line."""
    parser = argparse.ArgumentParser(description=text.splitlines()[0])
    parser.add_argument(
        "--rounds", type=int, default=rounds, help="rounds of `search`; `simple` plays twice as many"
    )
    parser.add_argument(
        "--nodes", type=int, default=nodes, help="actions that `search` plays out for a decision"
    )
    parser.add_argument("--seats", type=int, nargs="+", default=seats, help="sizes of table")
    parser.add_argument("--only", nargs="+", default=(), help="only these games, or forms of them")
    return parser.parse_args()


def compare(tables: Iterable[tuple[str, Match[Any]]], rounds: int, nodes: int) -> None:
    """Print a row for each table and pair. Ends the program with an error where the stronger is not shown ahead."""
    print(f"Python {platform.python_version()}; search with {nodes} nodes a decision")
    print(f"{'table':54}{'bot':8}{'against':9}{'rounds':>6}{'fair':>7}{'wins':>7}  {'95 %':15}{'ahead'}")
    weaker = 0
    for label, game in tables:
        for strong, weak in PAIRS:
            makers = [partial(named, policy, nodes) for policy in (strong, weak)]
            count = rounds if strong == SEARCH else 2 * rounds
            found = duel(game, makers[0], makers[1], count)
            interval = f"{found.wins.low:.3f}-{found.wins.high:.3f}"
            lead = f"{found.lead.mean:+.1f} ({found.lead.low:+.1f} to {found.lead.high:+.1f})"
            print(
                f"{label:54}{strong:8}{weak:9}{count:6}{found.fair:7.3f}{found.wins.mean:7.3f}  {interval:15}{lead}",
                flush=True,
            )
            weaker += not found.stronger
    if weaker:
        sys.exit(
            f"{weaker} rows do not show the stronger bot ahead: more rounds, or a weaker bot than thought"
        )
