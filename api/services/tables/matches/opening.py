"""Opening a match: seats, bots and stakes held against the game."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from functools import lru_cache
from typing import Any, Final

from api.services.errors import Invalid
from api.services.tables.asked import ME, Opening, Plan, claim_seat, refuse, sitter_of
from api.services.tables.matches.stakes import DEFAULT_MAX_POINTS, Stakes
from api.services.tables.model import BOT, HOUSE, Sitter, TableData
from casino.bots.policies import SIMPLE, read
from casino.catalogue import Listing, find
from casino.match import Match, match_of
from casino.options import canonical

PROMISED: Final = "promised"  # seats whose seed the first deal waits for


def plan(opening: Opening) -> Plan:
    """Hold an opening against the rules. Raises RulesError or Invalid, with a pointer."""
    refuse(opening, ("bank",), "goes with banking games; in a match nobody keeps a bank")
    listing = find(opening.game)
    sitters = _sitters(opening, listing)
    promised = [number for number, seat in enumerate(opening.seats or ()) if seat.get("seed")]
    mine = claim_seat(sitters)
    match = _match(opening, listing, len(sitters))
    stakes = _stakes(opening, match)
    return Plan(opening, match, sitters, mine, settings={**asdict(stakes), PROMISED: promised})


def _sitters(opening: Opening, listing: Listing) -> list[Sitter]:
    given = opening.seats
    if given is None:
        given = [{"kind": ME}, *[{"kind": BOT}] * (listing.default_seats - 1)]
    sitters = [sitter_of(number, seat, SIMPLE) for number, seat in enumerate(given)]
    for sitter in sitters:
        where = f"/seats/{sitter.number}"
        if sitter.kind == HOUSE:
            raise Invalid("the house sits at banking tables only", pointer=f"{where}/kind")
        if sitter.stake is not None:
            raise Invalid(
                "a bot stakes at banking tables only; here all pay the ante", pointer=f"{where}/stake"
            )
        if sitter.kind == BOT:
            read(sitter.policy, listing.family, f"{where}/policy")
    return sitters


def _match(opening: Opening, listing: Listing, seats: int) -> Match[Any]:
    if opening.target is not None and "target" in opening.options:
        raise Invalid("is said twice: here and in the options; say it once", pointer="/target")
    changes = {} if opening.target is None else {"target": opening.target}
    return match_of(listing.game(opening.options, seats), changes, pointer="")


def _stakes(opening: Opening, match: Match[Any]) -> Stakes:
    per_point = opening.chips_per_point or 0
    if per_point and match.rules.count != "points":
        raise Invalid(
            "goes with games whose deals are scored by points; here deals won are counted: play for an ante",
            pointer="/chips_per_point",
        )
    if opening.max_points is not None and not per_point:
        raise Invalid("goes with chips_per_point only", pointer="/max_points")
    most = DEFAULT_MAX_POINTS if opening.max_points is None else opening.max_points
    return Stakes(opening.ante or 0, per_point, most)


def match_of_table(table: TableData) -> Match[Any]:
    """The match that is played at a table, from its stored rules."""
    return _rebuilt(table.game, canonical(table.options), len(table.sitters))


@lru_cache(maxsize=256)
def _rebuilt(name: str, stored: bytes, seats: int) -> Match[Any]:
    options: Mapping[str, Any] = json.loads(stored)
    rules = {key: value for key, value in options.items() if key != "match"}
    return match_of(find(name).game(rules, seats), options["match"])
