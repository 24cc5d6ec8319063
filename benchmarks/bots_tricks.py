"""Win rates of the bots of Пекло, each against a table of the next weaker one: `random`, `simple`, `search`.

Whole matches from the catalogue; each round is one seed, played once from every seat. A row says how often the
stronger bot won (a shared win counts its part), with the 95 % interval, beside a fair share.

    python benchmarks/bots_tricks.py [--rounds 60] [--nodes 600] [--seats 2 4]
"""

from typing import Any

from _duels import arguments, compare

from casino.catalogue import find
from casino.match import match_of

# Short cycles where a bot thinks, or a table would take an hour.
OPTIONS: tuple[dict[str, Any], ...] = (
    {"max_hand": 5},
    {"max_hand": 5, "hook": True, "overtricks": "count"},
)


def main() -> None:
    chosen = arguments(__doc__, 60, 600, (2, 4))
    tables = (
        (
            f"{seats} seats, " + ", ".join(f"{key} {value}" for key, value in options.items()),
            match_of(find("peklo").game(options, seats)),
        )
        for seats in chosen.seats
        for options in OPTIONS
    )
    compare(tables, chosen.rounds, chosen.nodes)


if __name__ == "__main__":
    main()
