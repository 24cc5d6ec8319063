"""What the views of tables share."""

from collections import OrderedDict
from functools import lru_cache
from importlib.metadata import version
from threading import Lock

from api.blueprint import Blueprint
from api.context import service
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


def terms() -> Terms:
    """What the house grants at tables, from the settings."""
    config = service().config
    return Terms(config.house_bank, config.bot_purse)
