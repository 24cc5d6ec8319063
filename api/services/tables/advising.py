"""Advice at a table, and what the choices of a coup cost: worked out from the view of the seat that chooses.

What is asked is read from the database first; the work is done afterwards, with no transaction open. A seat that
a person holds is taken to play the default policy of its side; a bot and the house what they are known to play.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from api.models import Coup, Event
from api.services.errors import Conflict
from api.services.tables.acting import seated
from api.services.tables.model import BOT, PLAYER, Json, Sitter, TableData
from api.services.tables.play import game_of, state_of
from api.services.tables.proving import steps
from api.services.tables.recall import bank_key, coup_row, viewed
from casino.banking.bank import BankingGame
from casino.banking.policies import BANKER, ODDS, PUNTER, default_policy
from casino.banking.presets import PRESETS
from casino.banking.proof import VERBS
from casino.banking.retold import Choice, retold
from casino.banking.rules import Rules
from casino.banking.text import STAKE
from casino.errors import RulesError
from casino.game import View

if TYPE_CHECKING:
    from analysis.advice import Advice


Spend = Callable[[int], object]


@dataclass(frozen=True, slots=True)
class Turn:
    """A seat that is asked what it does best: its view, and the policies of other seats that are known."""

    table: TableData
    rules: Rules
    view: View
    given: Mapping[int, Any]


@dataclass(frozen=True, slots=True)
class Told:
    """A settled coup: all that it takes to deal it again, and who made each step."""

    id: str
    table: TableData
    game: BankingGame
    key: bytes
    dealt: int
    record: Json
    play: list[list[Any]]
    by: list[str] = field(default_factory=list)


def turn_of(session: Session, table_id: str, player: str) -> Turn:
    """The caller's seat as it sees the table now. Raises NotFound, Forbidden, Conflict or Gone."""
    table, sitter = seated(session, table_id, player)
    _check_family(table)
    state = state_of(table)
    view = state.view(sitter.number)
    return Turn(table, state.game.rules, view, known(table, state.game.rules, view["banker"]))


def _check_family(table: TableData) -> None:
    """Refuse tables of other families. Raises Conflict."""
    if table.game not in PRESETS:
        raise Conflict(
            f"what choices are worth is worked out for banking games, and this is a table of {table.game}",
            code="no_advice",
        )


def known(table: TableData, rules: Rules, banker: int | None) -> dict[int, Any]:
    """By seat, the policies that everyone at the table knows: those of bots, of the house, of vacated seats."""
    return {
        sitter.number: _policy(sitter, rules, BANKER if sitter.number == banker else PUNTER)
        for sitter in table.sitters
        if sitter.kind != PLAYER or sitter.leaving
    }


def _policy(sitter: Sitter, rules: Rules, side: str) -> Any:
    """A bot banks by its policy only where that is worked out (`casino.bots.banking`)."""
    if sitter.kind == BOT and sitter.policy is not None and (side == PUNTER or sitter.policy in ODDS):
        return sitter.policy
    return default_policy(rules, side).spec


def advice(asked: Turn, spend: Spend) -> Json:
    """What each action of the seat is worth. Raises Conflict: nothing to decide, or nothing that can be told.

    `spend` is told the cost in about milliseconds before the work, and may raise.
    """
    from analysis.advice import advise, advise_stake, cost_of  # noqa: PLC0415 - loads scipy

    view = asked.view
    stakes = view["phase"] == "stakes" and any(
        isinstance(item, dict) and STAKE in item for item in view["legal"]
    )
    if not stakes and (view["phase"] != "play" or not view["legal"]):
        raise Conflict(
            "advice is for a seat that is to stake, or to decide on a card; yours has neither to do now",
            code="nothing_to_decide",
        )
    try:
        spend(cost_of(asked.rules, view, asked.given))
        found = (advise_stake if stakes else advise)(asked.rules, view, asked.given)
    except RulesError as refusal:
        raise Conflict(f"this cannot be told: {refusal.detail}", code="no_advice") from None
    place = {
        "table": asked.table.id,
        "version": asked.table.version,
        "coup": view["coup"],
        "seat": view["seat"],
    }
    return place | found.to_json()


def told(session: Session, table_id: str, player: str, coup_id: str) -> Told:
    """A coup that was settled, with its cards. Raises NotFound, or Conflict while it is not."""
    table = viewed(session, table_id, player)
    _check_family(table)
    row = coup_row(session, table, coup_id)
    if row.status != "settled":
        raise Conflict(
            f"this coup is {row.status}: what choices cost is told of settled ones", code="not_settled"
        )
    record = row.record
    earlier = select(Coup.record).where(
        Coup.bank_id == row.bank_id, Coup.status == "settled", Coup.number < row.number
    )
    return Told(
        id=row.id,
        table=table,
        game=game_of(table),
        key=bank_key(session, table, row.bank_id),
        dealt=sum(map(_cards, session.scalars(earlier))),
        record=record,
        play=steps(session, table, [record]).get(record["coup"], []),
        by=_by(session, table, record),
    )


def _cards(record: Json) -> int:
    """Cards that a coup took from the shoe, thrown ones too (a shared hand stands at every seat that staked on it)."""
    return sum(len(record["hands"][seat].split()) for seat in record["played_by"])


def _by(session: Session, table: TableData, record: Json) -> list[str]:
    first, last = record["events"]
    query = select(Event.data).where(
        Event.table_id == table.id,
        Event.n >= first,
        Event.n <= last,
        Event.coup == record["coup"],
        Event.type.in_(VERBS),
    )
    return [data["by"] for data in session.scalars(query.order_by(Event.n))]


def cost(asked: Told, spend: Spend) -> Json:
    """The EV of what was done and of the best there was, for every choice of a coup, and what they cost by seat.

    `spend` is told the cost of all in about milliseconds before the work, and may raise.
    """
    given = known(asked.table, asked.game.rules, asked.record["banker"])
    told_again = list(retold(asked.game, asked.key, asked.dealt, asked.record, asked.play))
    spend(sum(_cost_of(asked, choice, given) for choice in told_again))
    seats: dict[int, Fraction | float] = {}
    choices = []
    for choice in told_again:
        seat = choice.view["seat"]
        entry = {"seat": seat, "action": choice.action, "by": asked.by[choice.step]}
        try:
            found = _found(asked, choice, given)
        except RulesError as refusal:
            choices.append(entry | {"reason": refusal.detail})
            continue
        stake = 1 if found.side == BANKER else asked.record["stakes"][seat]
        seats[seat] = seats.get(seat, Fraction(0)) + found.cost(choice.action) * stake
        choices.append(entry | _judged(found, choice.action))
    return {
        "coup": asked.id,
        "table": asked.table.id,
        "number": asked.record["coup"],
        "choices": choices,
        "cost_in_chips": {str(seat): _figure(value) for seat, value in seats.items()},
        "rules_hash": asked.table.rules_hash,
    }


def _cost_of(asked: Told, choice: Choice, given: Mapping[int, Any]) -> int:
    """Milliseconds; nothing for what is refused at once."""
    from analysis.advice import cost_of  # noqa: PLC0415

    try:
        return cost_of(asked.game.rules, choice.view, given)
    except RulesError:
        return 0


def _found(asked: Told, choice: Choice, given: Mapping[int, Any]) -> "Advice":
    from analysis.advice import advise  # noqa: PLC0415

    others = {seat: policy for seat, policy in given.items() if seat != choice.view["seat"]}
    return advise(asked.game.rules, choice.view, others)


def _judged(found: "Advice", action: str) -> Json:
    """An advice beside what was done."""
    told = found.to_json()
    kept = ("side", "unit", "ev", "best", "against", "unexpected", "notes")
    return {name: told[name] for name in kept} | {"cost": told["cost"][action]}


def _figure(value: Fraction | float) -> Json:
    from analysis.numbers import to_json  # noqa: PLC0415

    return to_json(value)
