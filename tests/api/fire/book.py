"""What a database holds of money and play, read with plain SQL: nothing of the service is used or believed."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urlsplit

import psycopg
from psycopg.rows import dict_row

Json = dict[str, Any]
_COLUMNS = {
    "accounts": "id, kind, player_id, table_id, balance",
    "transfers": "seq, id, at, source, target, amount, kind, table_id, bank_id, coup_id, parent_id, source_after,"
    " target_after, previous, hash",
    "chain_head": "seq, hash",
    "players": "id, deleted_at",
    "tables": "id, game, options, bank, stakes, settings, turn_seconds, phase, version, last_event",
    "banks": "id, table_id, closed_at",
    "coups": "id, table_id, bank_id, number, status, record",
    "coup_results": "coup_id, player_id, seat, side, stake, net, balance_before, balance_after",
    "refills": "transfer_id, player_id, amount",
    "seats": "table_id, number, player_id",
    "events": "table_id, n, type, coup, seat, data",
}
_ORDER = {"transfers": "seq", "events": "table_id, n"}
_TEXTS = ("options", "settings", "record", "data")


@dataclass
class Book:
    """All rows, by name of the table; the commonest ways to look something up."""

    rows: dict[str, list[Json]]
    accounts: dict[int, Json] = field(init=False)
    tables: dict[str, Json] = field(init=False)
    coups: dict[str, Json] = field(init=False)
    events: dict[str, list[Json]] = field(init=False)
    of_coup: dict[str, list[Json]] = field(init=False)
    of_table: dict[str, list[Json]] = field(init=False)

    def __post_init__(self) -> None:
        self.accounts, self.tables, self.coups = (
            {row["id"]: row for row in self.rows[name]} for name in ("accounts", "tables", "coups")
        )
        self.events = _grouped(self.rows["events"], "table_id")
        self.of_coup = _grouped(self.rows["transfers"], "coup_id")
        self.of_table = _grouped(self.rows["transfers"], "table_id")

    @property
    def transfers(self) -> list[Json]:
        """All transfers in the order of the chain."""
        return self.rows["transfers"]

    def kind(self, account: int) -> str:
        """The kind of an account; «player» for whatever may stake: a wallet, a bot's, the house's."""
        kind: str = self.accounts[account]["kind"]
        return "player" if kind in ("wallet", "bot", "house") else kind

    def moved(self, row: Json) -> tuple[str, str, int, str]:
        """A transfer as kinds of its accounts, amount, kind."""
        return self.kind(row["source"]), self.kind(row["target"]), row["amount"], row["kind"]


def _grouped(rows: list[Json], name: str) -> dict[str, list[Json]]:
    found: dict[str, list[Json]] = defaultdict(list)
    for row in rows:
        if row[name] is not None:
            found[row[name]].append(row)
    return found


def read(url: str) -> Book:
    """The book of a database, from one snapshot."""
    with connect(url) as connection:
        rows = {
            name: [
                _decoded(row)
                for row in connection.execute(
                    f"SELECT {columns} FROM {name} ORDER BY {_ORDER.get(name, columns.split(',')[0])}"
                )
            ]
            for name, columns in _COLUMNS.items()
        }
    return Book(rows)


@contextmanager
def connect(url: str) -> Iterator[Any]:
    """A bare connection in one transaction, rows as dicts; nothing is committed."""
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)) as connection:
            connection.row_factory = sqlite3.Row
            connection.execute("BEGIN")
            yield connection
        return
    with psycopg.connect(_plain(url), row_factory=dict_row) as connection:
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield connection
        connection.rollback()


def _plain(url: str) -> str:
    """The URL without the name of a driver, as PostgreSQL's own library reads it."""
    parts = urlsplit(url)
    assert parts.scheme in ("postgresql", "postgresql+psycopg"), unquote(url)
    return parts._replace(scheme="postgresql").geturl()


def _decoded(row: Any) -> Json:
    values = dict(row)
    for name in _TEXTS:
        if isinstance(values.get(name), str):
            values[name] = json.loads(values[name])
    return {name: bytes(value) if isinstance(value, memoryview) else value for name, value in values.items()}
