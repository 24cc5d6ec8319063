"""Win rates of the bots of the shedding games, each against a table of the next weaker one.

The bots are `random`, `simple`, `search`.
The match of each variant: to its target where it is on points, else one deal. Each round is one seed, played once
from every seat. A row says how often the stronger bot won (a shared win counts its part), with the 95 % interval,
beside a fair share, and by how much it was ahead of the others' mean at the end.

    python benchmarks/bots_shedding.py [--rounds 60] [--nodes 2000]
"""

from _duels import arguments, compare

from casino.bots.shedding import NODES
from casino.catalogue import listings
from casino.match import match_of

SEATS = (2, 4)


def main() -> None:
    chosen = arguments(__doc__, 60, NODES)
    tables = (
        (f"{listing.name}, {seats} seats", match_of(listing.game(None, seats)))
        for listing in listings()
        if listing.family == "shedding"
        for seats in SEATS
    )
    compare(tables, chosen.rounds, chosen.nodes)


if __name__ == "__main__":
    main()
