"""A player's own limits: chips lost, chips of one stake, minutes of play, and staying away until a time.

They lie on his row as `{"loss_day": 100, "time": 60, "pending": {"time": [120, at]}}` (times in microseconds), or None,
so that whoever has none costs nothing to ask. What is stricter holds at once, what is looser 24 hours later; an
exclusion is never shortened. Days, weeks (from Monday) and months are those of UTC.

Lost is what he has less than when the day began, apart from what the mint gave him, with all that is held in stakes
and banks counted as lost. So a stake taken at one table changes what may be lost at another by its worst loss, and the
wallet shows it: what may be lost ends where the wallet reaches its `floor`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import Connection, select, update
from sqlalchemy.orm import Session

from api.models import Player, Seat, Table
from api.models.base import instant, micros
from api.services import audit_log, ledger, limits_used
from api.services.errors import Conflict, Invalid, NotFound
from api.services.limits_used import GRANTED, PLAYED, start_of
from api.times import rfc3339

DELAY: Final = timedelta(hours=24)  # after which a looser limit holds
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
    connection = session.connection()
    used = limits_used.figures(connection, player_id, (GRANTED, PLAYED), now)
    net = {
        window: limits_used.net_before(connection, player_id, start_of(window, now), now)
        for window in WINDOWS
    }
    return {
        "loss": {window: held.get(f"loss_{window}") for window in WINDOWS},
        STAKE: held.get(STAKE),
        TIME: held.get(TIME),
        EXCLUSION: rfc3339(instant(held[EXCLUSION])) if EXCLUSION in held else None,
        _PENDING: [
            {"pointer": POINTERS[name], "value": value, "at": rfc3339(instant(since))}
            for name, (value, since) in sorted(_pending(row.limits, now).items())
        ],
        # Less than he would have, had he neither won nor lost since the window began, and were nothing held.
        "lost": {window: used.granted + before - balance for window, before in net.items()},
        "played": timedelta(microseconds=used.played) // timedelta(minutes=1),
    }


# What they leave


def figures(stored: Json | None, now: datetime) -> tuple[str, ...]:
    """The figures of `limits_used` that `left` needs for these limits: none for a stake or an exclusion."""
    return _figures(in_force(stored, now))


def _figures(held: Limits) -> tuple[str, ...]:
    lossy = any(f"loss_{window}" in held for window in WINDOWS)
    return (GRANTED,) * lossy + (PLAYED,) * (TIME in held and EXCLUSION not in held)


def allowance(session: Session, player_id: str, stored: Json | None, now: datetime) -> Allowance | None:
    """What these limits leave the player at this time; None where he has none."""
    connection, names = session.connection(), figures(stored, now)
    used = limits_used.figures(connection, player_id, names, now) if names else None
    return left(connection, player_id, stored, used, now)


def left(
    connection: Connection, player_id: str, stored: Json | None, used: Any, now: datetime
) -> Allowance | None:
    """The same from `used`, a row with the `figures` of these limits. What else it reads does not change any more."""
    held = in_force(stored, now)
    if not held:
        return None
    windows = [window for window in WINDOWS if f"loss_{window}" in held]
    floors = [
        used.granted
        + limits_used.net_before(connection, player_id, start_of(window, now), now)
        - held[f"loss_{window}"]
        for window in windows
    ]
    return Allowance(held.get(STAKE), max(floors, default=None), _bar(held, used, now))


def check_free(session: Session, player_id: str, stored: Json | None, now: datetime) -> None:
    """Raises Conflict (`excluded`, `out_of_time`) where the player may begin no play."""
    held = in_force(stored, now)
    names = [name for name in _figures(held) if name == PLAYED]
    used = limits_used.figures(session.connection(), player_id, names, now) if names else None
    barred = _bar(held, used, now)
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


def _bar(held: Limits, used: Any, now: datetime) -> Conflict | None:
    if (excluded := _excluded(held)) is not None:
        return excluded
    minutes = held.get(TIME)
    if minutes is None or timedelta(microseconds=used.played) < timedelta(minutes=minutes):
        return None
    until = rfc3339(start_of("day", now) + timedelta(days=1))
    return Conflict(
        f"your {minutes} minutes of play for chips are over for this day: go on from {until}",
        code="out_of_time",
        members={"until": until},
    )
