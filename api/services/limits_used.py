"""What a player has used of his limits: what the mint gave him, what he won before a time, and how long he played.

What may change from one moment to the next is a FIGURE, a part of a statement: whoever needs several asks for them, and
for what else must fit to them, in one statement, so that they are of one moment wherever it is run.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Label,
    ScalarSelect,
    bindparam,
    case,
    cast,
    func,
    literal_column,
    select,
    type_coerce,
)

from api.models import MINT, Account, Coup, CoupResult, Transfer
from api.models.base import micros
from api.prepared import Prepared

PAUSE: Final = timedelta(minutes=10)  # a longer one between two coups is no play
GRANTED, PLAYED = "granted", "played"
_COMMITTED: Final = timedelta(minutes=1)  # after which what was written before a time is there to be read
_MOST_KNOWN: Final = 10_000
_PLAYER: Final[ColumnElement[str]] = bindparam("player")
_DAY: Final = bindparam("day", type_=BigInteger())
_NOW: Final = bindparam("now", type_=BigInteger())
_NET_BEFORE: Final = Prepared(
    select(cast(func.coalesce(func.sum(CoupResult.net), 0), BigInteger).label("net")).where(
        CoupResult.player_id == _PLAYER, CoupResult.at < bindparam("start")
    )
)
# What a player had won before a day began does not change any more: it is added up once.
_known: dict[tuple[str, datetime], int] = {}
Whole = ColumnElement[int]


def start_of(window: str, now: datetime) -> datetime:
    """When the day, week or month of this time began, in UTC."""
    day = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if window == "month":
        return day.replace(day=1)
    return day - timedelta(days=day.weekday()) if window == "week" else day


def net_before(connection: Connection, player_id: str, start: datetime, now: datetime) -> int:
    """Chips that a player had won before a time, less those he had lost."""
    found = _known.get((player_id, start))
    if found is not None:
        return found
    (row,) = _NET_BEFORE.all(connection, {"player": player_id, "start": start})
    net = int(row.net)
    if now - start > _COMMITTED:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        _known[player_id, start] = net
    return net


# Figures


def figures(connection: Connection, player_id: str, names: Sequence[str], now: datetime) -> Any:
    """These figures of a player, by name, in one statement: chips that were `granted`, microseconds `played` today."""
    return _asking(tuple(names)).first(connection, moment(player_id, now))


def columns(names: Iterable[str]) -> list[Label[int]]:
    """Figures as columns of a statement that is given `moment` among its values."""
    return [_FIGURES[name].label(name) for name in names]


def moment(player_id: str, now: datetime) -> Mapping[str, Any]:
    """Whose figures, and when."""
    return {"player": player_id, "day": micros(start_of("day", now)), "now": micros(now)}


@lru_cache
def _asking(names: tuple[str, ...]) -> Prepared:
    return Prepared(select(*columns(names)))


def _granted() -> ScalarSelect[int]:
    """What the mint gave him."""
    wallet = select(Account.id).where(Account.player_id == _PLAYER).correlate(None).scalar_subquery()
    minted = Transfer.source == literal_column(str(MINT))  # written out: the partial index is seen to fit
    given = select(cast(func.coalesce(func.sum(Transfer.amount), 0), BigInteger))
    return given.where(Transfer.target == wallet, minted).correlate(None).scalar_subquery()


def _played() -> ScalarSelect[int]:
    """Time of play of this day: his coups from the first stake to the settlement, and pauses that are not long.

    From the last coup to the first: `edge` is where what was counted already begins, `until` where a coup ends that
    counts up to there at the most.
    """
    coups = _coups().subquery()
    whole = select(coups, _later(_DAY, _sooner(coups.c.ended, coups.c.edge)).label("until")).subquery()
    paused = case((whole.c.edge - whole.c.ended <= _PAUSE, whole.c.edge - whole.c.until), else_=0)
    coup = whole.c.until - _later(_DAY, _sooner(whole.c.opened, whole.c.until))
    return select(cast(func.coalesce(func.sum(paused + coup), 0), BigInteger)).scalar_subquery()


def _coups() -> Any:
    """His coups of this day, read back as far as one that may have a part in it."""
    opened, ended = type_coerce(Coup.opened_at, BigInteger), type_coerce(CoupResult.at, BigInteger)
    his = CoupResult.player_id == _PLAYER
    before = select(CoupResult.id).where(his, ended < _DAY - _PAUSE).order_by(CoupResult.id.desc()).limit(1)
    later = func.min(opened).over(order_by=CoupResult.id.desc(), rows=(None, -1))
    edge = _later(_DAY, _sooner(_NOW, func.coalesce(later, _NOW)))
    return (
        select(opened.label("opened"), ended.label("ended"), edge.label("edge"))
        .join(Coup, Coup.id == CoupResult.coup_id)
        .where(his, CoupResult.id > func.coalesce(before.correlate(None).scalar_subquery(), 0))
        .correlate(None)
    )


def _later(one: Whole, other: Whole) -> Whole:
    return case((one > other, one), else_=other)


def _sooner(one: Whole, other: Whole) -> Whole:
    return case((one < other, one), else_=other)


_PAUSE: Final = PAUSE // timedelta(microseconds=1)
_FIGURES: Final = {GRANTED: _granted(), PLAYED: _played()}
