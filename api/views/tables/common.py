"""What the views of tables share."""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from importlib.metadata import version
from threading import Lock
from typing import Any

from flask import Response
from sqlalchemy.orm import Session

from api.auth import caller
from api.blueprint import JSON, Blueprint, wanted_type
from api.context import service
from api.etags import body_etag, is_current, not_modified
from api.execution import read, stream
from api.paging import next_link, page, refuse_page
from api.services.tables import recall
from api.services.tables.families import conductor_of
from api.services.tables.model import Json, TableData
from api.services.tables.play import Terms

blueprint = Blueprint("tables", "Tables: open, join, act, watch, recall.")


class Remembered:
    """The last so many bodies by key, for several threads."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[object, bytes] = OrderedDict()
        self._lock = Lock()

    def get(self, key: object) -> bytes | None:
        """The body of a key, if it is still remembered."""
        with self._lock:
            found = self._values.get(key)
            if found is not None:
                self._values.move_to_end(key)
            return found

    def put(self, key: object, value: bytes) -> None:
        """Remember a body, and forget the one not asked for longest where there are too many."""
        with self._lock:
            self._values[key] = value
            if len(self._values) > self._most:
                self._values.popitem(last=False)


@lru_cache(maxsize=1)
def engine_version() -> str:
    """What every table and coup keeps of the code that dealt it."""
    return f"macao {version('macao')}"


def proved(table_id: str, **what: str | None) -> Response:
    """The proof of a bank, a deal or a match, as the conductor of the table makes it: its bytes as they are, or 304."""
    who = caller().player
    with service().database.read() as session:
        table = recall.viewed(session, table_id, who)
        proof = conductor_of(table.game).proof(session, table, **what)
    tag = body_etag(proof)
    return (
        not_modified(tag) if is_current(tag) else Response(proof, headers=[("ETag", tag)], content_type=JSON)
    )


def listed(
    name: str,
    query: dict[str, Any],
    table_id: str,
    rows: Callable[[Session, TableData, Any, int], Sequence[Json]],
) -> Response:
    """A page of a table's banks, coups or deals, newest first, for who may see them. `rows` gives those of a table
    before a number (None: from the newest), so many at most."""
    who = caller().player

    def fetch(session: Session) -> Json:
        table = recall.viewed(session, table_id, who)
        return page(
            name, query, lambda before, limit: rows(session, table, before, limit), at={"number": int}
        )

    return read(fetch, headers=next_link)


def sent_whole(
    name: str, ending: str, table_id: str, export: Callable[[Session, TableData, str], Iterator[str]]
) -> Response:
    """All of them that are over as one file of the type that is wanted, the oldest first."""
    who, media_type = caller().player, wanted_type()
    refuse_page(media_type)
    return stream(
        lambda tx: export(tx, recall.viewed(tx, table_id, who), who),
        content_type=f"{media_type}; charset=utf-8",
        filename=f"{table_id}-{name}.{ending}",
    )


def terms() -> Terms:
    """What the house grants at tables, from the settings."""
    config = service().config
    return Terms(config.house_bank, config.bot_purse)
