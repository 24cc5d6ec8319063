"""Win rates of the bots of Пекло, each against a table of the next weaker one: `random`, `simple`, `search`.

Whole matches from the catalogue; each round is one seed, played once from every seat. A row says how often the
stronger bot won (a shared win counts its part), with the 95 % interval, beside a fair share.

    python benchmarks/bots_tricks.py [--rounds 40] [--nodes 2000]
"""

import argparse
import platform
import sys
from functools import partial
from random import Random
from typing import Any

from analysis.arena import duel
from casino.bots import Bot
from casino.bots.tricks import NODES, SearchBot, bot
from casino.catalogue import find
from casino.match import match_of

# Seats and options: short cycles where a bot thinks, or a table would take an hour.
TABLES: tuple[tuple[int, dict[str, Any]], ...] = (
    (2, {"max_hand": 6}),
    (3, {"max_hand": 6}),
    (4, {"max_hand": 6}),
    (4, {"max_hand": 6, "hook": True, "overtricks": "count"}),
    (6, {"max_hand": 4}),
)


def named(policy: str, nodes: int, game: Any, rng: Random) -> Bot:
    return SearchBot(game, rng, nodes) if policy == "search" else bot(policy, game, rng)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--rounds", type=int, default=40, help="rounds of `search`; `simple` plays five times as many"
    )
    parser.add_argument(
        "--nodes", type=int, default=NODES, help="actions that `search` plays out for a decision"
    )
    chosen = parser.parse_args()
    print(f"Python {platform.python_version()}; search with {chosen.nodes} nodes a decision")
    print(
        f"{'table':50}{'bot':8}{'against':9}{'rounds':>6}{'fair':>7}{'wins':>7}  {'95 %':15}{'points ahead'}"
    )
    weaker = 0
    for seats, options in TABLES:
        game = match_of(find("peklo").game(options, seats))
        label = f"{seats} seats, " + ", ".join(f"{key} {value}" for key, value in options.items())
        for strong, weak, rounds in (
            ("simple", "random", 5 * chosen.rounds),
            ("search", "simple", chosen.rounds),
        ):
            makers = [partial(named, policy, chosen.nodes) for policy in (strong, weak)]
            found = duel(game, makers[0], makers[1], rounds)
            interval = f"{found.wins.low:.3f}-{found.wins.high:.3f}"
            lead = f"{found.lead.mean:+.1f} ({found.lead.low:+.1f} to {found.lead.high:+.1f})"
            print(
                f"{label:50}{strong:8}{weak:9}{rounds:6}{found.fair:7.3f}{found.wins.mean:7.3f}  {interval:15}{lead}",
                flush=True,
            )
            weaker += not found.stronger
    if weaker:
        sys.exit(
            f"{weaker} rows do not show the stronger bot ahead: more rounds, or a weaker bot than thought"
        )


if __name__ == "__main__":
    main()
