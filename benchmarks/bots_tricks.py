"""Win rates of the bots of Пекло, each against a table of the next weaker one: `random`, `simple`, `search`.

Whole matches from the catalogue; each round is one seed, played once from every seat. A row says how often the
stronger bot won (a shared win counts its part), with the 95 % interval, beside a fair share.

    python benchmarks/bots_tricks.py [--rounds 40] [--nodes 2000] [--seats 2 4]
"""

from typing import Any

from _duels import arguments, compare

from casino.bots.tricks import NODES
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


def main() -> None:
    chosen = arguments(__doc__, 40, NODES, (2, 3, 4, 6))
    tables = (
        (
            f"{seats} seats, " + ", ".join(f"{key} {value}" for key, value in options.items()),
            match_of(find("peklo").game(options, seats)),
        )
        for seats, options in TABLES
        if seats in chosen.seats
    )
    compare(tables, chosen.rounds, chosen.nodes)


if __name__ == "__main__":
    main()
