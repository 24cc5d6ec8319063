"""Win rates of the bots of the shedding games, each against a table of the next weaker one.

The bots are `random`, `simple`, `search`. Single deals, as a match is many of them and tells no more for its time. Each
round is one seed, played once from every seat, so a row of 300 rounds for two seats is 600 deals. A row says how often
the stronger bot won (a shared win counts its part), with the 95 % interval, beside a fair share, and by how much it was
ahead of the others' mean at the end.

    python benchmarks/bots_shedding.py [--rounds 300] [--nodes 600] [--seats 2] [--only romanian plawno …]
"""

from _duels import arguments, compare

from casino.catalogue import find
from casino.match import match_of
from casino.shedding.variants import VARIANTS

ONE_DEAL = {"deals": 1, "target": None}
FORMS = (*((name, {}) for name in VARIANTS), ("plawno", {"championship": True}))


def main() -> None:
    chosen = arguments(__doc__, 300, 600, (2,))
    tables = (
        (
            " ".join((name, *options)) + f", {seats} seats",
            match_of(find(name).game(options, seats), ONE_DEAL),
        )
        for name, options in FORMS
        if not chosen.only or name in chosen.only or any(option in chosen.only for option in options)
        for seats in chosen.seats
    )
    compare(tables, chosen.rounds, chosen.nodes)


if __name__ == "__main__":
    main()
