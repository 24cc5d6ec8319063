"""Fresh databases for runs from the command line."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

KINDS = ("sqlite", "postgresql")


@contextmanager
def databases(kind: str) -> Iterator[Callable[[], str]]:
    """Gives the URL of a fresh migrated database at each call; on PostgreSQL it is the same one, emptied."""
    # Imported here: the processes that only play need none of it.
    from api.db import Database, migrate  # noqa: PLC0415
    from tests.api.postgresql import emptied, running  # noqa: PLC0415

    if kind == "postgresql":
        with running() as url:
            yield lambda: emptied(url)
        return
    with tempfile.TemporaryDirectory(prefix="macao-fire-db-") as folder:

        def made() -> str:
            url = f"sqlite:///{Path(tempfile.mkdtemp(dir=folder)) / 'macao.db'}"
            database = Database(url)
            migrate(database)
            database.dispose()
            return url

        yield made
