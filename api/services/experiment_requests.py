"""How the body of `POST /experiments` becomes an order: outcomes worked out, every cell checked, the cost told before.

Loads the analysis.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from sqlalchemy.orm import Session

from analysis.errors import BankrollError
from analysis.runs import spec
from analysis.sources import BESIDE, SOURCES, folded
from analysis.sweep import Sweep, cell_requests
from api.services.bankroll_costs import rules_cost, values_cost
from api.services.errors import Invalid
from api.services.experiments import Prepared
from api.services.recorded import played
from casino.errors import RulesError
from casino.options import canonical, digest

OWN_PLAY: Final = "played"
_CELL: Final = 2  # milliseconds to check one
_OF_RULES: Final = [[name] for name in ("rules", *BESIDE)]
Json = dict[str, Any]


def prepare(
    session: Session, player_id: str, body: Mapping[str, Any], spend: Callable[[int], object]
) -> Prepared:
    """Work a request out. `spend` is told the cost in milliseconds before the work, and may raise.

    Raises BankrollError, RulesError (the rules and what goes with them), Invalid (other members) or UnknownGame with a
    JSON Pointer.
    """
    request = _with_play(session, player_id, body)
    if request.get("grid"):
        request.pop("label", None)  # it names the whole: each cell is called by its system
    cells, requests = cell_requests(request)
    with _of_the_request():
        spend(_CELL * len(cells) + sum(map(values_cost, requests)) + _sources_cost(requests))
        sweep = Sweep.from_json(request)
    specs = [
        {"cell": dict(cell), "spec": json.loads(spec(experiment))}
        for cell, experiment in zip(cells, sweep.experiments, strict=True)
    ]
    return Prepared(
        request=dict(body),
        label=str(body.get("label", "")),
        hash=digest({"cells": specs}),
        specs=specs,
        chunks=sum(experiment.chunks for experiment in sweep.experiments),
        coups=sum(experiment.planned * experiment.stops.coups for experiment in sweep.experiments),
    )


@contextmanager
def _of_the_request() -> Iterator[None]:
    """A member that is missing or misshapen is told as such: only what lies in the rules is an option of rules."""
    try:
        yield
    except RulesError as refusal:
        if refusal.pointer.split("/")[1:2] in _OF_RULES:
            raise
        raise Invalid(refusal.detail, pointer=refusal.pointer) from None


def _with_play(session: Session, player_id: str, body: Mapping[str, Any]) -> Json:
    """The request with the player's own play in the place of `played`."""
    request = dict(body)
    wanted = request.pop(OWN_PLAY, None)
    if wanted is None:
        return request
    given = [name for name in SOURCES if name in request]
    if given:
        raise BankrollError(f"stands beside {' and '.join(given)}: give one source", pointer=f"/{OWN_PLAY}")
    return request | played(session, player_id, wanted.get("game"), wanted.get("side"))


def _sources_cost(requests: list[Json]) -> int:
    """Milliseconds to work out the outcomes of all cells: each set of rules, policies and side once."""
    seen: dict[bytes, int] = {}
    for request in requests:
        rules = folded(request).get("rules")
        if not isinstance(rules, Mapping):
            continue
        asked = [dict(rules)]
        turns = request.get("turns")
        players = turns.get("players") if isinstance(turns, Mapping) else None
        if isinstance(players, int) and players > 1:
            asked.append({**rules, "side": "banker", "punters": players - 1})
        for one in asked:
            key = canonical(one)
            if key not in seen:
                seen[key] = rules_cost(one)
    return sum(seen.values())
