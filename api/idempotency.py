"""`Idempotency-Key`: n copies of a request have one effect and one answer.

The key is stored, with the SHA-256 of method, path and body, in the transaction of the effect, and the answer beside
it before the commit; a request that is refused rolls both back, so nothing is kept of it. A parallel copy meets the
first one's row: on SQLite it queues for the only writer, on PostgreSQL its insert waits for the first one's commit,
on both at most `MACAO_LOCK_SECONDS`, then 503 with Retry-After.

A key belongs to its player; without an API key (`POST /v1/players`) to the network address.
"""

import hashlib
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Lock
from time import monotonic
from typing import Any, Final, cast

from flask import Response, request
from sqlalchemy import Table, bindparam, delete, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from api.context import context, service
from api.models import IdempotencyKey
from api.parsing import body_of
from api.refusals import BadRequest, KeyReused, flaw
from api.services.errors import Busy
from api.services.names import named

HEADER: Final = "Idempotency-Key"
_KEY: Final = re.compile(r"[\x21-\x7e]{1,255}")
_KEPT_HEADERS: Final = ("Location", "ETag", "Link")
_PURGE_EVERY: Final = 600.0  # seconds
_PURGE_AT_ONCE: Final = 500  # rows: a purge rides on somebody's request
_TABLE: Final = cast(Table, IdempotencyKey.__table__)
_MINE: Final = (_TABLE.c.owner == bindparam("by"), _TABLE.c.key == bindparam("under"))
_FIND: Final = select(_TABLE.c.request, _TABLE.c.status, _TABLE.c.headers, _TABLE.c.body).where(*_MINE)
_KEEP: Final = update(_TABLE).where(*_MINE)
_GONE: Final = delete(_TABLE).where(*_MINE)
_OLD: Final = (
    select(_TABLE.c.owner.label("by"), _TABLE.c.key.label("under"))
    .where(_TABLE.c.created_at < bindparam("oldest"))
    .limit(_PURGE_AT_ONCE)
    # What another process is purging is left to it: to wait for it, perhaps with the ledger locked, could be for ever.
    .with_for_update(skip_locked=True)
)
# A row comes back if it was inserted, none if there is one already.
_TAKE: Final = {
    name: dialect.insert(_TABLE).on_conflict_do_nothing().returning(_TABLE.c.key)
    for name, dialect in (("sqlite", sqlite), ("postgresql", postgresql))
}


@dataclass(frozen=True, slots=True)
class Stored:
    """The answer to give again."""

    status: int
    headers: dict[str, Any]
    body: bytes


@dataclass(frozen=True, slots=True)
class Claim:
    """A request with an Idempotency-Key: whose it is, and what it asks."""

    owner: str
    key: str
    digest: bytes

    @property
    def _where(self) -> dict[str, str]:
        return {"by": self.owner, "under": self.key}

    def find(self, session: Session) -> Stored | None:
        """The answer stored under this key, if any. Raises KeyReused if it was to another request."""
        row = session.execute(_FIND, self._where).first()
        if row is None or row.status is None:
            return None
        if row.request != self.digest:
            raise KeyReused(
                f"this {HEADER} came before with another method, path or body; use a new one for a new request",
                flaws=[flaw("used before", parameter=HEADER)],
            )
        return Stored(row.status, row.headers, named(session, row.body))

    def take(self, session: Session, now: datetime) -> Stored | None:
        """Take the key for this request; the stored answer if it was taken before.

        Raises Busy where it can be neither taken nor answered: it was taken, and purged before its answer was read.
        """
        values = {"owner": self.owner, "key": self.key, "request": self.digest, "created_at": now}
        dialect = session.get_bind().dialect.name
        if session.execute(_TAKE[dialect], values).first():
            return None
        stored = self.find(session)
        if stored is None:
            raise Busy(f"this {HEADER} came before, and its answer is just being deleted: try again")
        return stored

    def keep(self, session: Session, response: Response, body: bytes, now: datetime) -> None:
        """Keep the answer beside the effect. `body` is what to repeat, without secrets and names of players."""
        headers = {name: response.headers[name] for name in _KEPT_HEADERS if name in response.headers}
        done = {"status": response.status_code, "headers": headers, "body": body, "completed_at": now}
        session.execute(_KEEP, {**self._where, **done})
        _purge(session, now)


def claim() -> Claim | None:
    """The claim of this request, if it brings a key. Raises BadRequest for one of the wrong shape."""
    key = request.headers.get(HEADER)
    if key is None:
        return None
    if not _KEY.fullmatch(key):
        raise BadRequest(
            f"{HEADER} must be 1 to 255 visible ASCII characters, such as a UUID",
            flaws=[flaw("wrong shape", parameter=HEADER)],
        )
    who = context().caller
    owner = (
        who.player if who else "address:" + hashlib.sha256((request.remote_addr or "").encode()).hexdigest()
    )
    target = f"{request.method} {request.full_path}\0".encode()
    return Claim(owner, key, hashlib.sha256(target + body_of(request)).digest())


def replay(stored: Stored) -> Response:
    """The stored answer, marked as a repetition."""
    context().replayed = True
    response = Response(stored.body, stored.status, content_type="application/json")
    if not stored.body:
        del response.headers["Content-Type"]
    response.headers.update(stored.headers)
    response.headers["Idempotency-Replayed"] = "true"
    return response


class _Purge:
    """When this process purges next."""

    lock = Lock()
    due = 0.0


def _purge(session: Session, now: datetime) -> None:
    """Now and then delete a few answers that are past their time; go on at once while there are more."""
    if monotonic() < _Purge.due or not _Purge.lock.acquire(blocking=False):
        return
    try:
        oldest = now - timedelta(hours=service().config.idempotency_hours)
        rows = [dict(row) for row in session.execute(_OLD, {"oldest": oldest}).mappings()]
        if rows:
            session.connection().execute(_GONE, rows)
        _Purge.due = monotonic() + (0 if len(rows) == _PURGE_AT_ONCE else _PURGE_EVERY)
    finally:
        _Purge.lock.release()
