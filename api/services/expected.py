"""What a player's stakes come to on average, beside what they came to: the curve of a bankroll without its luck.

A stake is worth stake × edge of its side, from a full shoe, if both sides play their best: against a banker by rote the
punter's best reply to him, against a person who may draw as he likes the equilibrium, against the house or a bot the
best reply to what they are known to play. Coups of games without a banker count as even.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from api.models import CoupResult, Table
from casino.banking.policies import BANKER, PUNTER, default_policy
from casino.banking.presets import PRESETS
from casino.banking.rules import Rules, build

Json = dict[str, Any]
Spend = Callable[[int], object]
_MOST_KNOWN: Final = 1024


class Played(NamedTuple):
    """What a stake was for: a rule set, whether the house always banked, and the player's side."""

    game: str
    rules_hash: str
    house: bool
    side: str


class Stakes(NamedTuple):
    """Chips staked in each part of a curve, by what for; the options of every rule set."""

    parts: list[Mapping[Played, int]]
    options: Mapping[str, Json]


_known: dict[tuple[str, bool], float] = {}  # edge of the punter by rules hash, and whether the house banks


def stakes(session: Session, player_id: str, step: int) -> Stakes:
    """His stakes in the order of play, `step` coups to a part. Practice tables keep no results."""
    ranked = (
        select(
            CoupResult.table_id,
            CoupResult.game,
            CoupResult.side,
            CoupResult.stake,
            (func.row_number().over(order_by=CoupResult.id) - 1).label("place"),
        )
        .where(CoupResult.player_id == player_id)
        .subquery()
    )
    part = ranked.c.place.op("/")(step)
    sums = (
        select(
            part.label("part"),
            ranked.c.game,
            Table.rules_hash,
            Table.bank,
            ranked.c.side,
            func.sum(ranked.c.stake),
        )
        .join(Table, Table.id == ranked.c.table_id)
        .group_by(part, ranked.c.game, Table.rules_hash, Table.bank, ranked.c.side)
        .order_by(part)
    )
    parts: dict[int, dict[Played, int]] = {}
    for number, game, rules_hash, bank, side, chips in session.execute(sums):
        played = Played(game, rules_hash, bank == "house", side)
        parts.setdefault(int(number), {})[played] = int(chips)
    return Stakes([parts[number] for number in sorted(parts)], _options(session, player_id))


def _options(session: Session, player_id: str) -> dict[str, Json]:
    """The options of every rule set that he has played by."""
    mine = select(CoupResult.table_id).where(CoupResult.player_id == player_id)
    rows = session.execute(select(Table.rules_hash, Table.options).where(Table.id.in_(mine)))
    return {row.rules_hash: row.options for row in rows}


def beside(points: list[Json], found: Stakes, spend: Spend) -> list[Json]:
    """The points of a curve, each with `expected`: what all stakes up to there come to on average, in chips.

    `spend` is told the cost in about milliseconds before an edge is worked out for the first time, and may raise.
    """
    expected, told = 0.0, []
    for point, part in zip(points, found.parts, strict=True):
        for played, chips in part.items():
            if played.game in PRESETS and played.side in (PUNTER, BANKER):
                edge = _edge(played, found.options[played.rules_hash], spend)
                expected += chips * (edge if played.side == PUNTER else -edge)
        told.append({**point, "expected": round(expected, 6)})
    return told


def _edge(played: Played, options: Json, spend: Spend) -> float:
    """The punter's EV per unit staked, worked out once."""
    key = (played.rules_hash, played.house)
    if key not in _known:
        rules = build(PRESETS[played.game][1], options)
        value = _worked_out(rules, played.house, spend)
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        _known[key] = value
    return _known[key]


def _worked_out(rules: Rules, house: bool, spend: Spend) -> float:
    from analysis.asked import Question  # noqa: PLC0415 - loads scipy
    from analysis.equilibrium_play import equilibrium_of  # noqa: PLC0415
    from analysis.exact import odds  # noqa: PLC0415
    from analysis.shoe import full  # noqa: PLC0415
    from api.services.odds import cost  # noqa: PLC0415

    if rules.banker_is_free and not house:
        spend(cost(Question(rules, punter="equilibrium", banker="equilibrium")))
        return float(equilibrium_of(rules, full(rules.decks)).value)
    banker = default_policy(rules, BANKER).spec
    spend(cost(Question(rules, punter="optimal", banker=banker)))
    return float(odds(rules, punter="optimal", banker=banker).ev_punter)
