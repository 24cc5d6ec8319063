"""What a player has used of his limits (docs/limits.md): chips won before a day, and minutes of play of a day."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from random import Random

import pytest
from sqlalchemy import select

from api.db import Database
from api.models import Bank, Coup, CoupResult
from api.services import limits_used
from tests.api.tables.people import Person

MIDNIGHT = datetime(2030, 1, 31, tzinfo=UTC)
MINUTE, SECOND = timedelta(minutes=1), timedelta(seconds=1)
Settle = Callable[..., None]


@pytest.fixture
def settle(ada: Person, database: Database) -> Settle:
    """`settle(opened, ended, net=0)`: a coup of Ada's, in minutes after midnight."""
    table = ada.open()["id"]
    with database.read() as session:
        bank = session.scalars(select(Bank.id)).first()

    def settle_(opened: float, ended: float, net: int = 0) -> None:
        times = {"opened_at": MIDNIGHT + opened * MINUTE, "settled_at": MIDNIGHT + ended * MINUTE}
        with database.write() as session:
            number = len(session.scalars(select(Coup.id)).all())
            coup = Coup(id=f"cou_{number}", table_id=table, bank_id=bank, number=number, record={}, **times)
            coup.status = "settled"
            session.add(coup)
            session.flush()
            who = {"table_id": table, "player_id": ada.id, "seat": 0, "game": "house", "side": "punter"}
            chips = {"stake": 0, "net": net, "balance_before": 0, "balance_after": net}
            session.add(CoupResult(coup_id=coup.id, at=times["settled_at"], **who, **chips))

    return settle_


def won_before(who: Person, database: Database, at: datetime) -> int:
    """What was won before midnight, asked at a time of that day."""
    with database.read() as session:
        return limits_used.net_before(session.connection(), who.id, MIDNIGHT, at)


def played(who: Person, database: Database, minutes: float) -> timedelta:
    """Time of play of the day, so many minutes after midnight."""
    with database.read() as session:
        at = MIDNIGHT + minutes * MINUTE
        used = limits_used.figures(session.connection(), who.id, [limits_used.PLAYED], at)
    return timedelta(microseconds=used.played)


def test_what_was_won_before_a_day_is_added_up_once_with_one_sum_in_every_process(
    ada: Person, database: Database, settle: Settle
) -> None:
    """What was won later does not count, and another process finds the same."""
    for ended, net in ((-600, 7), (-1, -20), (0, 100), (5, 100)):
        settle(ended - 1, ended, net)
    for _ in range(2):
        assert won_before(ada, database, MIDNIGHT + 60 * MINUTE) == -13
        limits_used._known.clear()


def test_a_coup_committed_right_after_midnight_is_not_left_out_for_the_whole_day(
    ada: Person, database: Database, settle: Settle
) -> None:
    """Settled before midnight, it may be there to be read a moment later only."""
    settle(-2, -1, 7)
    assert won_before(ada, database, MIDNIGHT + SECOND) == 7
    settle(-2, 0 - SECOND / MINUTE, 100)
    assert won_before(ada, database, MIDNIGHT + 2 * MINUTE) == 107


@pytest.mark.parametrize("seed", range(3))
def test_time_of_play_is_that_of_a_clock_that_ticks_every_minute(
    ada: Person, database: Database, settle: Settle, seed: int
) -> None:
    """Coups at several tables, over midnight too: counted minute by minute, pauses of up to ten minutes with them."""
    chance, noon = Random(seed), 720
    ends = sorted(chance.randint(-240, noon - 5) for _ in range(8 + 12 * seed))
    coups = [(ended - chance.randint(1, 45), ended) for ended in ends]
    busy = {minute for opened, ended in coups for minute in range(opened, ended)}
    for one, next_ in pairwise(sorted(busy | {noon})):
        if next_ - one - 1 <= 10:
            busy |= set(range(one, next_))
    for opened, ended in coups:
        settle(opened, ended)
    assert played(ada, database, noon) == len([minute for minute in busy if minute >= 0]) * MINUTE


def test_a_pause_is_play_up_to_its_last_microsecond(ada: Person, database: Database, settle: Settle) -> None:
    """Ten minutes exactly are, a microsecond more is not; over midnight its part of this day counts."""
    assert played(ada, database, 30) == timedelta()
    settle(-10, -4)
    assert played(ada, database, 6) == 6 * MINUTE
    assert played(ada, database, 6.1) == timedelta()
    settle(20, 21)
    assert played(ada, database, 31) == 11 * MINUTE
    assert played(ada, database, 31 + 1e-6 / 60) == 1 * MINUTE
