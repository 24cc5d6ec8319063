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
from sqlalchemy import CursorResult, Select, bindparam, delete, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from api.context import context, service
from api.models import IdempotencyKey
from api.refusals import BadRequest, KeyReused, flaw

HEADER: Final = "Idempotency-Key"
_KEY: Final = re.compile(r"[\x21-\x7e]{1,255}")
_KEPT_HEADERS: Final = ("Location", "ETag", "Link")
_PURGE_EVERY: Final = 600.0  # seconds
_PURGE_AT_ONCE: Final = 500  # rows: a purge rides on somebody's request
_COLUMNS: Final = (
    IdempotencyKey.request,
    IdempotencyKey.status,
    IdempotencyKey.headers,
    IdempotencyKey.body,
)


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
    def _row(self) -> Select[bytes, int | None, dict[str, Any] | None, bytes | None]:
        return select(*_COLUMNS).where(IdempotencyKey.owner == self.owner, IdempotencyKey.key == self.key)

    def find(self, session: Session) -> Stored | None:
        """The answer stored under this key, if any. Raises KeyReused if it was to another request."""
        row = session.execute(self._row).first()
        if row is None or row.status is None:
            return None
        if row.request != self.digest:
            raise KeyReused(
                f"this {HEADER} came before with another method, path or body; use a new one for a new request",
                flaws=[flaw("used before", parameter=HEADER)],
            )
        return Stored(row.status, row.headers, row.body)

    def take(self, session: Session, now: datetime) -> Stored | None:
        """Take the key for this request; the stored answer if it was taken before."""
        values = {"owner": self.owner, "key": self.key, "request": self.digest, "created_at": now}
        dialect = session.get_bind().dialect.name
        statement = (postgresql if dialect == "postgresql" else sqlite).insert(IdempotencyKey)
        done = session.execute(statement.values(**values).on_conflict_do_nothing())
        return None if cast(CursorResult[Any], done).rowcount else self.find(session)

    def keep(self, session: Session, response: Response, body: bytes, now: datetime) -> None:
        """Keep the answer beside the effect. `body` is what to repeat, without secrets."""
        headers = {name: response.headers[name] for name in _KEPT_HEADERS if name in response.headers}
        session.execute(
            update(IdempotencyKey)
            .where(IdempotencyKey.owner == self.owner, IdempotencyKey.key == self.key)
            .values(status=response.status_code, headers=headers, body=body, completed_at=now)
        )
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
    return Claim(owner, key, hashlib.sha256(target + request.get_data(cache=True)).digest())


def replay(stored: Stored) -> Response:
    """The stored answer, marked as a repetition."""
    context().replayed = True
    response = Response(stored.body, stored.status, content_type="application/json")
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
        owner, key = IdempotencyKey.owner, IdempotencyKey.key
        old = select(owner, key).where(IdempotencyKey.created_at < oldest).limit(_PURGE_AT_ONCE)
        rows = [{"old_owner": row.owner, "old_key": row.key} for row in session.execute(old)]
        if rows:
            gone = delete(IdempotencyKey).where(owner == bindparam("old_owner"), key == bindparam("old_key"))
            session.connection().execute(gone, rows)
        _Purge.due = monotonic() + (0 if len(rows) == _PURGE_AT_ONCE else _PURGE_EVERY)
    finally:
        _Purge.lock.release()
