"""Is the service fit to be asked? What `/readyz` looks at, each with a word when it is not."""

from collections.abc import Callable
from typing import Any, Final

from sqlalchemy.exc import SQLAlchemyError

from api.db import Database, is_current
from api.services.audit import sum_of_balances
from api.services.errors import Busy
from casino.chance import shuffled, words

# HMAC-SHA256 under 32 zero bytes of «macao shuffle 1», a zero byte and two zero counters; tests compute it anew.
_VECTOR: Final = "79027d5e4112846fff804c174b4e518611a89457d7d03bf3b2a3577bef034db9"
_ORDER: Final = [6, 10, 1, 4, 9, 12, 2, 3, 0, 8, 5, 11, 7]  # of 13 cards, by hand from the words
FINE: Final = "ok"


def readiness(database: Database) -> dict[str, Any]:
    """`{"ready": …, "checks": {name: "ok" or what is wrong}}`."""
    checks = {name: _try(check, database) for name, check in _CHECKS.items()}
    return {"ready": all(found == FINE for found in checks.values()), "checks": checks}


def generator() -> str:
    """Does the shuffle still give what it gave when its vector was written down?"""
    key = bytes(32)
    stream = b"".join(word.to_bytes(4, "big") for word in words(key, 0, 0, 1))
    good = stream.hex() == _VECTOR and shuffled(range(13), key, 0) == _ORDER
    return FINE if good else "the generator does not give its test vector"


def _database(database: Database) -> str:
    with database.read() as session:
        session.connection()
    return FINE


def _migrations(database: Database) -> str:
    return (
        FINE
        if is_current(database)
        else "the schema is not that of this version: run «macao serve» or migrate"
    )


def _ledger(database: Database) -> str:
    with database.read() as session:
        total = sum_of_balances(session)
    return FINE if total == 0 else f"the balances add up to {total}, not to 0"


def _try(check: Callable[[Database], str], database: Database) -> str:
    try:
        return check(database)
    except (SQLAlchemyError, Busy, OSError) as error:
        return f"cannot be asked ({type(error).__name__})"


_CHECKS: Final[dict[str, Callable[[Database], str]]] = {
    "database": _database,
    "migrations": _migrations,
    "ledger": _ledger,
    "generator": lambda _: generator(),
}
