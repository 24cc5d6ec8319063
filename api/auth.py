"""Who asks: `Authorization: Bearer <key>`, told by the SHA-256 of the secret.

A key that was found is remembered for `MACAO_KEY_CACHE_SECONDS`, so a read needs no look-up. Revoking, rotating and
deleting forget it at once in the process that did it (`Keyring.forget`, called after the commit); another process may
still answer *reads* for those seconds. A write asks the database again in its own transaction (`confirm`), so no
process changes anything for a revoked key.
"""

from collections.abc import Callable
from datetime import datetime
from time import monotonic
from typing import Final

from flask import Request, request
from sqlalchemy.orm import Session

from api.context import Context, Service, context, service
from api.db import Database
from api.refusals import MissingScope
from api.services.errors import Unauthorized
from api.services.keys import Caller, digest_of

_CACHE_SIZE: Final = 10_000
_LONGEST_SECRET: Final = 200


Lookup = Callable[[Session, bytes, datetime], Caller | None]


class Keyring:
    """Keys by the digest of their secret, remembered for some seconds."""

    def __init__(self, lookup: Lookup, seconds: float) -> None:
        self._lookup = lookup
        self._seconds = seconds
        self._known: dict[bytes, tuple[float, Caller]] = {}
        self._changes = 0

    def find(self, database: Database, secret: str, now: datetime) -> Caller | None:
        """The caller of a secret; None if it is unknown, expired or revoked."""
        digest = digest_of(secret)
        remembered = self._known.get(digest)
        if remembered is not None and remembered[0] > monotonic():
            caller = remembered[1]
            return caller if caller.expires_at is None or caller.expires_at > now else None
        changes = self._changes
        with database.read() as session:
            found = self._lookup(session, digest, now)
        if found is None:
            self._known.pop(digest, None)
        elif self._seconds and changes == self._changes:  # else it may be what was just revoked
            if len(self._known) >= _CACHE_SIZE:
                self._known.clear()
            self._known[digest] = (monotonic() + self._seconds, found)
        return found

    def confirm(self, session: Session, secret: str, now: datetime) -> Caller | None:
        """The caller as the database has it in this very transaction."""
        return self._lookup(session, digest_of(secret), now)

    def forget(self, *, player: str) -> None:
        """Forget all keys of a player: called once a change of them is committed."""
        self._changes += 1
        for digest, (_, caller) in list(self._known.items()):
            if caller.player == player:
                self._known.pop(digest, None)


def bearer(asked: Request) -> str | None:
    """The secret that a request brings, if it does in the right form."""
    scheme, _, secret = asked.headers.get("Authorization", "").partition(" ")
    secret = secret.strip()
    return secret if scheme.lower() == "bearer" and 0 < len(secret) <= _LONGEST_SECRET else None


def identify(asked: Request, here: Context, parts: Service) -> None:
    """Note in the context who asks; a bad key is refused only where one is needed (`require`)."""
    secret = bearer(asked)
    if secret is not None:
        here.caller = parts.keyring.find(parts.database, secret, parts.now())


def require(scope: str) -> Caller:
    """The caller, who must have the scope. Raises Unauthorized or Forbidden."""
    who = context().caller
    if who is None:
        raise Unauthorized(_missing())
    _check_scope(who, scope)
    return who


def confirm(session: Session, scope: str) -> Caller:
    """The caller once more, by the database, in the transaction that is about to write."""
    secret = bearer(request)
    who = service().keyring.confirm(session, secret, service().now()) if secret else None
    if who is None:
        raise Unauthorized(_missing())
    _check_scope(who, scope)
    return who


def caller() -> Caller:
    """The caller of an operation that needs a key."""
    who = context().caller
    if who is None:
        raise Unauthorized(_missing())
    return who


def _missing() -> str:
    if bearer(request) is None:
        return "send your API key as «Authorization: Bearer <key>»; POST /v1/players gives one"
    return "this API key is unknown, expired or revoked"


def _check_scope(who: Caller, scope: str) -> None:
    if scope not in who.scopes:
        held = ", ".join(sorted(who.scopes)) or "none"
        raise MissingScope(f"this key has the scopes {held}; «{scope}» is needed")
