"""The audit log: who did what beside play, with what was before and after; append-only and chained (docs/audit.md).

Services call `note` in the transaction of the change. The entries are written as the last thing before the commit, so
that whoever holds the end of the chain waits for nobody; what is rolled back is not in the log. Play is not in it:
coups are in the ledger and in their records, and a request that only plays runs no statement for this.

No entry holds a name, a secret, a seed or a card: ids and figures only, so it can stay when a player is deleted.
"""

import getpass
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, Select, Table, bindparam, select, text, union, update
from sqlalchemy.orm import Session

from api.db import Database, Heads, Turn, at_the_end
from api.models import ApiKey, AuditEntry, AuditHead
from api.models.base import micros
from api.prepared import Prepared, inserting
from api.services.audit import Findings
from api.services.chain import GENESIS, link
from api.times import rfc3339

DOMAIN: Final = b"macao audit 1\x00"
# What may be noted, and what its `before` and `after` tell: what players do,
OF_PLAYERS: Final[dict[str, str]] = {
    "player_created": "a player was registered: his opening grant",
    "player_exported": "a player downloaded everything that is kept of him",
    "player_deleted": "a player was deleted: the chips that went back, the keys that ended, how many experiments",
    "key_issued": "a key was made: scopes and end",
    "key_rotated": "a key was replaced by another",
    "key_revoked": "a key was ended",
    "limits_changed": "a player's own limits, as they are stored",
    "refill_taken": "a refill: its chips and its transfer",
    "table_opened": "a table was opened: game, rules, bank, stakes and who may see it",
    "table_closed": "a table was closed: the phase before, the version after",
    "experiment_ordered": "an experiment was ordered: hash, cells, and the most chunks and coups",
    "experiment_cancelled": "an experiment was stopped: how far it was",
    "experiment_deleted": "an experiment was deleted with its results: how far it was",
}
# and what commands do.
OF_COMMANDS: Final[dict[str, str]] = {
    "schema_migrated": "the schema of the database: its revisions",
    "ledger_checked": "the ledger was audited: what was found",
    "database_backed_up": "everything was written to a file: its digest and its last transfer",
    "database_restored": "everything was read from a file: its digest and its last transfer",
}
ACTIONS: Final = OF_PLAYERS | OF_COMMANDS
COLUMNS: Final = ("seq", "at", "actor", "key_id", "action", "subject", "request_id", "before", "after")
ANONYMOUS, SYSTEM = "anonymous", "system"
_ACTOR_LENGTH: Final = 80
_ORIGIN: Final = "origin"
_NOTES: Final = "audit"
_BATCH: Final = 5_000
_ENTRIES: Final[Table] = AuditEntry.__table__  # type: ignore[assignment]
_HEAD: Final[Table] = AuditHead.__table__  # type: ignore[assignment]
_LOCK_HEAD: Final = Prepared(select(_HEAD.c.seq, _HEAD.c.hash).where(_HEAD.c.id == 1).with_for_update())
_MOVE_HEAD: Final = Prepared(
    update(_HEAD).where(_HEAD.c.id == 1).values(seq=bindparam("seq"), hash=bindparam("hash"))
)
_INSERT: Final = inserting(AuditEntry)
_WALK: Final = text(f"SELECT {', '.join(COLUMNS)}, previous, hash FROM audit_entries ORDER BY seq")  # noqa: S608
Json = dict[str, Any]


class Origin(NamedTuple):
    """Who is behind a transaction: a player's id, `anonymous`, `system`, or `os:` and a user of the machine."""

    actor: str
    key_id: str | None = None
    request_id: str | None = None


class _Note(NamedTuple):
    action: str
    subject: str
    at: datetime
    before: str | None
    after: str | None


@dataclass(slots=True, kw_only=True)
class Report(Findings):
    """What a check of the log saw."""

    entries: int = 0


# Writing


def come_from(session: Session, origin: Origin) -> None:
    """Say who is behind a session's transaction; who says nothing is the system itself."""
    session.info[_ORIGIN] = origin


def operator() -> Origin:
    """The user of the machine who runs a command."""
    try:
        user = getpass.getuser()
    except (OSError, KeyError):  # a container may run under a number without a name
        user = str(os.getuid())
    return Origin(f"os:{user}"[:_ACTOR_LENGTH])


def note(
    session: Session,
    action: str,
    subject: str,
    now: datetime,
    *,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
) -> None:
    """Enter in the log that the origin of this transaction did this to the subject, once it is committed.

    `action` is one of ACTIONS (else ValueError), `subject` an id or what a command is about, `before` and `after` what
    changed, as JSON.
    """
    if action not in ACTIONS:
        raise ValueError(f"{action!r} is not among the actions of the log: {', '.join(ACTIONS)}")
    if _NOTES not in session.info:
        session.info[_NOTES] = []
        at_the_end(session, Turn.AUDIT_LOG, _write)
    session.info[_NOTES].append(_Note(action, subject, now, _text(before), _text(after)))


def migrated(session: Session, before: Heads, after: Heads, now: datetime) -> None:
    """Note the migration of a database that was there before, by the user who ran it: revisions before and after."""
    if not before:
        return
    come_from(session, operator())
    note(
        session,
        "schema_migrated",
        "schema",
        now,
        before={"revisions": list(before)},
        after={"revisions": list(after)},
    )


def _text(value: Mapping[str, Any] | None) -> str | None:
    """JSON in one form: sorted, ASCII, without spaces. It holds no line feed."""
    return None if value is None else json.dumps(value, sort_keys=True, separators=(",", ":"))


def _write(session: Session) -> None:
    """Append what was noted. Nothing is locked after the head of the chain."""
    origin = session.info.get(_ORIGIN, Origin(SYSTEM))
    connection = session.connection()
    ((seq, previous),) = _LOCK_HEAD.all(connection, {})
    rows: list[Json] = []
    for noted in session.info.pop(_NOTES):
        seq += 1
        values = {
            "seq": seq,
            "at": noted.at,
            "actor": origin.actor,
            "key_id": origin.key_id,
            "action": noted.action,
            "subject": noted.subject,
            "request_id": origin.request_id,
            "before": noted.before,
            "after": noted.after,
        }
        digest = link(previous, (values | {"at": micros(noted.at)}).values(), DOMAIN)
        rows.append(values | {"previous": previous, "hash": digest})
        previous = digest
    _INSERT.run_many(connection, rows)
    _MOVE_HEAD.run(connection, {"seq": seq, "hash": previous})


# Reading


def listing(
    session: Session,
    *,
    before: int | None = None,
    limit: int = 50,
    concerning: str | None = None,
    actor: str | None = None,
    subject: str | None = None,
    action: str | None = None,
) -> list[Json]:
    """Entries with a number below `before` (None: the newest), the newest first, as `shown` tells them.

    `concerning`: those `about` this player only.
    """
    wanted = select(_ENTRIES) if concerning is None else about(concerning)
    wanted = wanted.order_by(_ENTRIES.c.seq.desc()).limit(limit)
    if before is not None:
        wanted = wanted.where(_ENTRIES.c.seq < before)
    for column, value in (
        (_ENTRIES.c.actor, actor),
        (_ENTRIES.c.subject, subject),
        (_ENTRIES.c.action, action),
    ):
        if value is not None:
            wanted = wanted.where(column == value)
    return [shown(row) for row in session.execute(wanted)]


def about(player_id: str) -> Select[Any]:
    """The entries of what a player did, and of what was done to him and to keys of his."""
    seq, subject = select(_ENTRIES.c.seq), _ENTRIES.c.subject
    # Each by its index; an OR of the three would be looked for along the whole log by PostgreSQL.
    his = union(
        seq.where(_ENTRIES.c.actor == player_id),
        seq.where(subject == player_id),
        seq.join(ApiKey, ApiKey.id == subject).where(ApiKey.player_id == player_id),
    )
    return select(_ENTRIES).where(_ENTRIES.c.seq.in_(his))


def shown(row: Any) -> Json:
    """`{"seq", "at", "actor", "key", "action", "subject", "request_id", "before", "after", "hash"}`."""
    return {
        "seq": row.seq,
        "at": rfc3339(row.at),
        "actor": row.actor,
        "key": row.key_id,
        "action": row.action,
        "subject": row.subject,
        "request_id": row.request_id,
        "before": None if row.before is None else json.loads(row.before),
        "after": None if row.after is None else json.loads(row.after),
        "hash": row.hash.hex(),
    }


def check(database: Database) -> Report:
    """Compute the whole chain again, in one pass on one snapshot. Reads only; never raises for what it finds."""
    report = Report()
    with database.read() as session:
        seq, last = _follow(session.connection(), report)
        head = session.execute(select(AuditHead.seq, AuditHead.hash)).one_or_none()
    if head is None or (head.seq, head.hash) != (seq, last):
        found = "nothing" if head is None else f"number {head.seq}, {head.hash.hex()}"
        report.add("head", "head of the log", f"number {seq}, {last.hex()}", found)
    return report


def _follow(connection: Connection, report: Report) -> tuple[int, bytes]:
    """Walk along the chain; the number and the hash at its end."""
    seq, last = 0, GENESIS
    for row in connection.execution_options(yield_per=_BATCH).execute(_WALK):
        *values, previous, digest = row
        name = f"entry {values[0]}"
        if values[0] != seq + 1:
            report.add("gap", name, f"number {seq + 1}", f"number {values[0]}")
        if previous != last:
            report.add("previous_hash", name, last.hex(), previous.hex())
        computed = link(previous, values, DOMAIN)
        if computed != digest:
            report.add("hash", name, computed.hex(), digest.hex())
        seq, last = values[0], digest
        report.entries += 1
    return seq, last
