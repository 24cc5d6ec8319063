"""What `/metrics` tells out of the database: the same whichever process of whichever host is asked."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Select, func, or_, select
from sqlalchemy.orm import Session

from api.models import Account, ChainHead, Table
from api.models.ledger import BANK, ESCROW
from api.services import experiments

_LATE: Final = timedelta(seconds=10)  # a clock this far behind is not being kept


@dataclass(frozen=True, slots=True)
class Measure:
    """A quantity of now: its name without the prefix, what it is, the name of its label if it has one, its values."""

    name: str
    text: str
    label: str | None
    values: dict[str, int]


def measures(session: Session, now: datetime) -> list[Measure]:
    """All of them, from one snapshot."""
    return [measure for take in _MEASURES for measure in take(session, now)]


def _chips(session: Session, _: datetime) -> Iterable[Measure]:
    sums = _by(session, select(Account.kind, func.sum(Account.balance)).group_by(Account.kind))
    yield Measure("chips", "Chips by kind of account; together always 0.", "account", sums)
    in_play = sums.get(ESCROW, 0) + sums.get(BANK, 0)
    yield Measure("chips_in_play", "Chips held in banks and for coups that are open.", None, {"": in_play})


def _tables(session: Session, now: datetime) -> Iterable[Measure]:
    still_open = or_(Table.phase < "closed", Table.phase > "closed")  # two ranges of an index
    count = select(Table.game, func.count()).where(still_open).group_by(Table.game)
    yield Measure("tables_open", "Tables that are open.", "game", _by(session, count))
    late = select(func.count()).select_from(Table).where(still_open, Table.deadline < now - _LATE)
    text = "Tables whose clock ran out more than ten seconds ago; nobody keeps the clocks where it stays above 0."
    yield Measure("tables_overdue", text, None, {"": session.execute(late).scalar_one()})


def _transfers(session: Session, _: datetime) -> Iterable[Measure]:
    last = session.execute(select(ChainHead.seq)).scalar_one()
    yield Measure("ledger_transfers", "Transfers in the ledger.", None, {"": last})


def _experiments(session: Session, _: datetime) -> Iterable[Measure]:
    text = "Experiments by status; those that wait are the queue of the workers."
    yield Measure("experiments", text, "status", dict(experiments.by_status(session)))


def _by(session: Session, query: Select[str, int]) -> dict[str, int]:
    """Numbers by their label; PostgreSQL adds whole numbers up to decimals."""
    return {label: int(number) for label, number in session.execute(query).all()}


_MEASURES: Final[tuple[Callable[[Session, datetime], Iterable[Measure]], ...]] = (
    _chips,
    _tables,
    _transfers,
    _experiments,
)
