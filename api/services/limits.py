"""A player's own limits: chips lost, chips of one stake, minutes of play, and staying away until a time.

They lie on his row as `{"loss_day": 100, "time": 60, "pending": {"time": [120, at]}}` (times in microseconds), or None,
so that whoever has none costs nothing to ask. What is stricter holds at once, what is looser 24 hours later; an
exclusion is never shortened. Days, weeks (from Monday) and months are those of UTC.

Lost is what he has less than when the day began, apart from what the mint gave him, with all that is held in stakes
and banks counted as lost. So a stake taken at one table changes what may be lost at another by its worst loss, and the
wallet shows it: what may be lost ends where the wallet reaches its `floor`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import bindparam, func, literal, select, update
from sqlalchemy.orm import Session

from api.models import MINT, Account, Coup, CoupResult, Player, Seat, Table, Transfer
from api.models.base import instant, micros
from api.services import audit_log, ledger
from api.services.errors import Conflict, Invalid, NotFound
from api.times import rfc3339

DELAY: Final = timedelta(hours=24)  # after which a looser limit holds
PAUSE: Final = timedelta(minutes=10)  # a longer one between two coups is no play
LONGEST_EXCLUSION: Final = timedelta(days=5 * 366)
MINUTES_A_DAY: Final = 24 * 60
STAKE, TIME, EXCLUSION = "stake", "time", "exclusion"
WINDOWS: Final = ("day", "week", "month")
# name of a limit: where it stands in a request
POINTERS: Final = {
    **{f"loss_{window}": f"/loss/{window}" for window in WINDOWS},
    **{name: f"/{name}" for name in (STAKE, TIME, EXCLUSION)},
}
_PENDING: Final = "pending"
_READ_AT_ONCE: Final = 200
_MOST_KNOWN: Final = 10_000
Json = dict[str, Any]
Limits = dict[str, int]


@dataclass(frozen=True, slots=True)
class Allowance:
    """What a player with limits may still begin.

    `stake`: most chips of one stake. `floor`: chips that his wallet may not fall below. `barred`: the refusal of
    everything that begins play, if he is excluded or his time is up. None: no limit.
    """

    stake: int | None
    floor: int | None
    barred: Conflict | None

    @property
    def key(self) -> tuple[object, ...]:
        """What a view that is cut to it depends on."""
        return (self.stake, self.floor, self.barred and self.barred.reason)


# What holds when


def in_force(stored: Json | None, now: datetime) -> Limits:
    """The limits that hold at this time, by name; an exclusion as microseconds."""
    if not stored:
        return {}
    at = micros(now)
    found = {name: stored[name] for name in POINTERS if stored.get(name) is not None}
    for name, (value, since) in stored.get(_PENDING, {}).items():
        if since <= at:
            found.pop(name, None)
            if value is not None:
                found[name] = value
    if found.get(EXCLUSION, at) <= at:
        found.pop(EXCLUSION, None)
    return found


def _pending(stored: Json | None, now: datetime) -> dict[str, tuple[int | None, int]]:
    """What was asked for and does not hold yet: `{name: [value, from when]}`."""
    waiting = (stored or {}).get(_PENDING, {})
    return {name: (value, since) for name, (value, since) in waiting.items() if since > micros(now)}


# Asking for limits


def change(session: Session, player_id: str, wanted: Mapping[str, int | None], now: datetime) -> Json:
    """Set the limits that are named (names of POINTERS; None takes one away); all of them, as `shown` tells them.

    What is asked for again keeps the time at which it was first asked for. Raises Invalid for an exclusion that ends
    in the past or after more than five years, Conflict (`exclusion_stands`) for one that would end sooner.
    """
    mine = select(Player.limits).where(Player.id == player_id, Player.deleted_at.is_(None))
    # Only other changes of limits wait for this: a coup that is settled refers to the player, and must not.
    stored = session.execute(mine.with_for_update(key_share=True)).one_or_none()
    if stored is None:
        raise NotFound(f"there is no player «{player_id[:40]}»")
    held, waiting = in_force(stored.limits, now), _pending(stored.limits, now)
    for name, value in wanted.items():
        if name == EXCLUSION:
            _check_exclusion(value, held.get(name), now)
        elif _is_looser(value, held.get(name)):
            if name not in waiting or waiting[name][0] != value:
                waiting[name] = (value, micros(now + DELAY))
            continue
        waiting.pop(name, None)
        held.pop(name, None)
        if value is not None:
            held[name] = value
    kept = {**held, **({_PENDING: waiting} if waiting else {})} or None
    session.execute(update(Player).where(Player.id == player_id).values(limits=kept))
    if kept != stored.limits:
        audit_log.note(session, "limits_changed", player_id, now, before=stored.limits, after=kept)
    _outdate_plans(session, player_id)
    return shown(session, player_id, now)


def _is_looser(value: int | None, present: int | None) -> bool:
    return present is not None and (value is None or value > present)


def _check_exclusion(until: int | None, present: int | None, now: datetime) -> None:
    pointer = POINTERS[EXCLUSION]
    if present is not None and (until is None or until < present):
        raise Conflict(
            f"you are excluded until {rfc3339(instant(present))}: that may be put off, not ended sooner",
            code="exclusion_stands",
            pointer=pointer,
            members={"until": rfc3339(instant(present))},
        )
    if until is None or until == present:
        return
    latest = now + LONGEST_EXCLUSION
    if not micros(now) < until <= micros(latest):
        raise Invalid(f"an exclusion ends in the future, at {rfc3339(latest)} at the latest", pointer=pointer)


def _outdate_plans(session: Session, player_id: str) -> None:
    """What is being planned at his tables was planned with the old limits: a new version makes it be planned anew."""
    mine = (
        select(Table.id)
        .join(Seat, Seat.table_id == Table.id)
        .where(Seat.player_id == player_id, Table.closed_at.is_(None))
        .order_by(Table.id)
        .with_for_update(of=Table, key_share=True)
    )
    tables = list(session.scalars(mine))
    if tables:
        newer = update(Table).where(Table.id.in_(tables)).values(version=Table.version + 1)
        session.execute(newer, execution_options={"synchronize_session": False})


# Telling them


def shown(session: Session, player_id: str, now: datetime) -> Json:
    """`{"loss": {window: chips}, "stake", "time", "exclusion", "pending": […], "lost": {window: chips}, "played"}`.

    `lost` is negative where he won, `played` whole minutes of this day. Raises NotFound.
    """
    row = session.execute(
        select(Player.limits).where(Player.id == player_id, Player.deleted_at.is_(None))
    ).one_or_none()
    if row is None:
        raise NotFound(f"there is no player «{player_id[:40]}»")
    held = in_force(row.limits, now)
    balance = ledger.balance_of(session, ledger.wallet_of(session, player_id))
    marks = _marks(session, player_id, WINDOWS, now)
    return {
        "loss": {window: held.get(f"loss_{window}") for window in WINDOWS},
        STAKE: held.get(STAKE),
        TIME: held.get(TIME),
        EXCLUSION: rfc3339(instant(held[EXCLUSION])) if EXCLUSION in held else None,
        _PENDING: [
            {"pointer": POINTERS[name], "value": value, "at": rfc3339(instant(since))}
            for name, (value, since) in sorted(_pending(row.limits, now).items())
        ],
        "lost": {window: mark - balance for window, mark in marks.items()},
        "played": _played(session, player_id, now) // timedelta(minutes=1),
    }


# What they leave


def allowance(session: Session, player_id: str, stored: Json | None, now: datetime) -> Allowance | None:
    """What these limits leave the player at this time; None where he has none."""
    held = in_force(stored, now)
    if not held:
        return None
    return Allowance(
        held.get(STAKE), _floor(session, player_id, held, now), _bar(session, player_id, held, now)
    )


def check_free(session: Session, player_id: str, stored: Json | None, now: datetime) -> None:
    """Raises Conflict (`excluded`, `out_of_time`) where the player may begin no play."""
    barred = _bar(session, player_id, in_force(stored, now), now)
    if barred is not None:
        raise barred


def check_not_excluded(session: Session, player_id: str, now: datetime) -> None:
    """Raises Conflict (`excluded`) where the player stays away: he is given no chips to play with either."""
    stored = session.execute(select(Player.limits).where(Player.id == player_id)).scalar_one()
    excluded = _excluded(in_force(stored, now))
    if excluded is not None:
        raise excluded


def _excluded(held: Limits) -> Conflict | None:
    if EXCLUSION not in held:
        return None
    until = rfc3339(instant(held[EXCLUSION]))
    return Conflict(
        f"you have excluded yourself from play for chips until {until}",
        code="excluded",
        members={"until": until},
    )


def _bar(session: Session, player_id: str, held: Limits, now: datetime) -> Conflict | None:
    if (excluded := _excluded(held)) is not None:
        return excluded
    minutes = held.get(TIME)
    if minutes is None or _played(session, player_id, now) < timedelta(minutes=minutes):
        return None
    until = rfc3339(start_of("day", now) + timedelta(days=1))
    return Conflict(
        f"your {minutes} minutes of play for chips are over for this day: go on from {until}",
        code="out_of_time",
        members={"until": until},
    )


def _floor(session: Session, player_id: str, held: Limits, now: datetime) -> int | None:
    windows = [window for window in WINDOWS if f"loss_{window}" in held]
    if not windows:
        return None
    marks = _marks(session, player_id, windows, now)
    return max(mark - held[f"loss_{window}"] for window, mark in marks.items())


def start_of(window: str, now: datetime) -> datetime:
    """When the day, week or month of this time began, in UTC."""
    day = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if window == "month":
        return day.replace(day=1)
    return day - timedelta(days=day.weekday()) if window == "week" else day


_GRANTED: Final = select(func.coalesce(func.sum(Transfer.amount), 0)).where(
    Transfer.target == select(Account.id).where(Account.player_id == bindparam("player")).scalar_subquery(),
    Transfer.source == literal(MINT, literal_execute=True),  # written out: the partial index is seen to fit
)
_NET_BEFORE: Final = select(func.coalesce(func.sum(CoupResult.net), 0)).where(
    CoupResult.player_id == bindparam("player"), CoupResult.at < bindparam("start")
)
# What a player had won before a day began does not change any more: it is added up once.
_known: dict[tuple[str, datetime], int] = {}


def _marks(session: Session, player_id: str, windows: Sequence[str], now: datetime) -> Limits:
    """What his wallet would hold, had he neither won nor lost since each window began, and were nothing held."""
    granted = int(session.execute(_GRANTED, {"player": player_id}).scalar_one())
    return {window: granted + _net_before(session, player_id, start_of(window, now)) for window in windows}


def _net_before(session: Session, player_id: str, start: datetime) -> int:
    found = _known.get((player_id, start))
    if found is None:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        found = int(session.execute(_NET_BEFORE, {"player": player_id, "start": start}).scalar_one())
        _known[player_id, start] = found
    return found


# Time


def _played(session: Session, player_id: str, now: datetime) -> timedelta:
    """Time of play of this day: his coups from the first stake to the settlement, and pauses that are not long."""
    start, total, edge = start_of("day", now), timedelta(), now
    for opened, ended in _coups_back(session, player_id):
        until = max(start, min(ended, edge))
        if edge - ended <= PAUSE:
            total += edge - until
        if ended <= start:
            break
        since = max(start, min(opened, until))
        total += until - since
        edge = since
    return total


def _coups_back(session: Session, player_id: str) -> Iterator[tuple[datetime, datetime]]:
    """When his coups were opened and settled, the last first, read as far as they are asked for."""
    wanted = (
        select(Coup.opened_at, CoupResult.at)
        .join(Coup, Coup.id == CoupResult.coup_id)
        .where(CoupResult.player_id == player_id)
        .order_by(CoupResult.id.desc())
        .execution_options(yield_per=_READ_AT_ONCE)
    )
    with session.execute(wanted) as found:
        yield from found
