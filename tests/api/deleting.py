"""What is asked for while a player is being deleted, on PostgreSQL: it waits until that is committed."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime

from sqlalchemy import text
from sqlalchemy.orm import Session

from api.db import Database
from api.services import players


def asked_while_deleted(
    database: Database, player: str, now: datetime, ask: Callable[[Session], object]
) -> Future[None]:
    """`ask` in a transaction of its own, seen to wait for the player's deletion; its end, with what it raised."""

    def asking() -> None:
        with database.write() as session:
            ask(session)

    waiting = text("SELECT count(*) FROM pg_locks WHERE NOT granted")
    with ThreadPoolExecutor(1) as other:
        with database.write() as session:
            players.remove(session, player, now)
            answer = other.submit(asking)
            while not session.execute(waiting).scalar_one():
                assert not answer.done()
        return answer
