"""What the views of tables share."""

from collections import OrderedDict
from functools import lru_cache
from importlib.metadata import version
from threading import Lock

from flask import Response

from api.auth import caller
from api.blueprint import JSON, Blueprint
from api.context import service
from api.etags import body_etag, is_current, not_modified
from api.services.tables import recall
from api.services.tables.families import conductor_of
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


def terms() -> Terms:
    """What the house grants at tables, from the settings."""
    config = service().config
    return Terms(config.house_bank, config.bot_purse)
