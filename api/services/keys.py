"""API keys: a secret of 256 random bits, of which only the SHA-256 is kept.

A key is looked up by that hash in an index: what an attacker could learn from the time it takes concerns hashes of
secrets he would have to guess whole, so no comparison of secrets can leak one bit by bit.
"""

import hashlib
import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import bindparam, func, or_, select
from sqlalchemy.orm import Session

from api.ids import new_id
from api.models import ApiKey, Player
from api.prepared import Prepared
from api.services import audit_log
from api.services.errors import Conflict, Forbidden, Invalid, NotFound
from api.times import rfc3339, rfc3339_or_none

# What a key may do. `read`: see what its player may see. `play`: open, join and leave tables, act, refill, set
# limits, start experiments. `keys`: issue, rotate and revoke keys, delete the player.
SCOPES: Final = ("read", "play", "keys")
MOST_KEYS: Final = 20
NAME_LENGTH: Final = 40
_SHOWN: Final = 12  # characters of a secret that a list shows, «macao_» among them
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Caller:
    """The player behind a key. `scopes` are what the key may do."""

    player: str
    key: str
    scopes: frozenset[str]
    expires_at: datetime | None


def digest_of(secret: str) -> bytes:
    """SHA-256 of a secret: it has 256 random bits, so it needs no salt and no slow hash."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).digest()


def _live(now: Any) -> tuple[Any, ...]:
    return ApiKey.revoked_at.is_(None), or_(ApiKey.expires_at.is_(None), ApiKey.expires_at > now)


# Every request looks a key up.
_FIND: Final = Prepared(
    select(ApiKey.id, ApiKey.player_id, ApiKey.scopes, ApiKey.expires_at).where(
        ApiKey.digest == bindparam("wanted"), *_live(bindparam("at"))
    )
)


def find(session: Session, digest: bytes, now: datetime) -> Caller | None:
    """The caller of a secret with this digest; None if it is unknown, expired or revoked, or its player gone."""
    row = _FIND.first(session.connection(), {"wanted": digest, "at": now})
    return None if row is None else Caller(row.player_id, row.id, frozenset(row.scopes), row.expires_at)


def issue(
    session: Session,
    player_id: str,
    now: datetime,
    *,
    name: str = "",
    scopes: Collection[str] = SCOPES,
    expires_at: datetime | None = None,
    within: Collection[str] = SCOPES,
) -> Json:
    """A new key as `listing` shows it, with its `secret`, told this once.

    `within` are the scopes of the key that asks: nobody gives away more than he has. Raises Invalid for the name,
    the scopes or a time that is past, Forbidden for scopes beyond `within`, Conflict at `MOST_KEYS` live keys.
    """
    _check(name, scopes, expires_at, now)
    if beyond := set(scopes) - set(within):
        raise Forbidden(
            f"this key lacks {', '.join(sorted(beyond))}, so it cannot give that to another",
            pointer="/scopes",
            code="scope",
        )
    _lock(session, player_id)
    live = select(func.count()).select_from(ApiKey).where(ApiKey.player_id == player_id, *_live(now))
    if session.execute(live).scalar_one() >= MOST_KEYS:
        raise Conflict(f"a player has at most {MOST_KEYS} keys: revoke one first", code="too_many_keys")
    secret = "macao_" + secrets.token_urlsafe(32)
    key = ApiKey(
        id=new_id("key", now),
        player_id=player_id,
        name=name,
        prefix=secret[:_SHOWN],
        digest=digest_of(secret),
        scopes=[scope for scope in SCOPES if scope in scopes],
        created_at=now,
        expires_at=expires_at,
    )
    session.add(key)
    session.flush()
    shown = _shown(key, now)
    audit_log.note(session, "key_issued", key.id, now, after=_audited(shown))
    return shown | {"secret": secret}


def listing(session: Session, player_id: str, now: datetime) -> list[Json]:
    """All keys, oldest first: `{"id", "name", "prefix", "scopes", "state", "created_at", "expires_at", "revoked_at"}`.

    `state` is `live`, `expired` or `revoked`.
    """
    wanted = select(ApiKey).where(ApiKey.player_id == player_id).order_by(ApiKey.created_at, ApiKey.id)
    return [_shown(key, now) for key in session.scalars(wanted)]


def get(session: Session, player_id: str, key_id: str, now: datetime) -> Json:
    """One key as `listing` shows it. Raises NotFound."""
    return _shown(_mine(session, player_id, key_id), now)


def rotate(
    session: Session, player_id: str, key_id: str, now: datetime, *, within: Collection[str] = SCOPES
) -> Json:
    """Replace a live key by a new one of the same name, scopes and end; as `issue`. The old one ends at once."""
    _lock(session, player_id)
    old = _live_one(session, player_id, key_id, now)
    before = _audited(_shown(old, now))
    old.revoked_at = now
    session.flush()
    made = issue(
        session,
        player_id,
        now,
        name=old.name,
        scopes=old.scopes,
        expires_at=old.expires_at,
        within=within,
    )
    after = _audited(_shown(old, now)) | {"replaced_by": made["id"]}
    audit_log.note(session, "key_rotated", old.id, now, before=before, after=after)
    return made


def revoke(session: Session, player_id: str, key_id: str, now: datetime) -> Json:
    """End a live key at once; it as `listing` shows it.

    Raises NotFound, and Conflict for a key that is over already, or the last that may manage keys without end (its
    player would be locked out for good: rotate it instead, or delete the player).
    """
    _lock(session, player_id)
    key = _live_one(session, player_id, key_id, now)
    others = session.scalars(
        select(ApiKey).where(ApiKey.player_id == player_id, ApiKey.id != key_id, *_live(now))
    )
    if "keys" in key.scopes and not any("keys" in other.scopes for other in others):
        raise Conflict(
            "this is your last key that may manage keys: rotate it, or issue another first",
            code="last_key",
        )
    before = _audited(_shown(key, now))
    key.revoked_at = now
    session.flush()
    shown = _shown(key, now)
    audit_log.note(session, "key_revoked", key.id, now, before=before, after=_audited(shown))
    return shown


def _lock(session: Session, player_id: str) -> None:
    """One at a time changes a player's keys. Raises NotFound for a player who is gone."""
    wanted = select(Player.id).where(Player.id == player_id, Player.deleted_at.is_(None)).with_for_update()
    if session.execute(wanted).one_or_none() is None:
        raise NotFound(f"there is no player «{player_id[:40]}»")


def _mine(session: Session, player_id: str, key_id: str) -> ApiKey:
    wanted = select(ApiKey).where(ApiKey.id == key_id, ApiKey.player_id == player_id)
    key = session.scalars(wanted).one_or_none()
    if key is None:
        raise NotFound(f"you have no key «{key_id[:40]}»; GET /v1/players/me/keys lists yours")
    return key


def _live_one(session: Session, player_id: str, key_id: str, now: datetime) -> ApiKey:
    key = _mine(session, player_id, key_id)
    state = _state(key, now)
    if state != "live":
        raise Conflict(f"this key is {state} already", code=f"key_{state}")
    return key


def _state(key: ApiKey, now: datetime) -> str:
    if key.revoked_at is not None:
        return "revoked"
    return "expired" if key.expires_at is not None and key.expires_at <= now else "live"


def _shown(key: ApiKey, now: datetime) -> Json:
    return {
        "id": key.id,
        "name": key.name,
        "prefix": key.prefix,
        "scopes": list(key.scopes),
        "state": _state(key, now),
        "created_at": rfc3339(key.created_at),
        "expires_at": rfc3339_or_none(key.expires_at),
        "revoked_at": rfc3339_or_none(key.revoked_at),
    }


def _audited(shown: Json) -> Json:
    """What the audit log tells of a key: not its name, which its player chose and may have forgotten."""
    return {member: shown[member] for member in ("scopes", "state", "expires_at")}


def _check(name: str, scopes: Sequence[str] | Collection[str], end: datetime | None, now: datetime) -> None:
    if len(name) > NAME_LENGTH or not name.isprintable():
        raise Invalid(f"a key's name has at most {NAME_LENGTH} printable characters", pointer="/name")
    if not scopes or set(scopes) - set(SCOPES):
        raise Invalid(f"scopes are some of {', '.join(SCOPES)}, at least one", pointer="/scopes")
    if end is not None and end <= now:
        raise Invalid(f"a key ends in the future, not at {rfc3339(end)}", pointer="/expires_at")
