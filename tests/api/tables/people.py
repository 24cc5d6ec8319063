"""Players for the tests of tables: each with a key, talking to the application as a client would."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from flask import Flask
from sqlalchemy import select
from werkzeug.test import TestResponse

from api.db import Database
from api.models import Account, Transfer
from api.services.audit import check

Json = dict[str, Any]


class Clock:
    """A clock that a test sets; it begins on Thursday, 31 January 2030, 12:00 UTC."""

    def __init__(self) -> None:
        self.time = datetime(2030, 1, 31, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.time

    def pass_(self, seconds: float) -> None:
        """Let time pass."""
        self.time += timedelta(seconds=seconds)


class Person:
    """A registered player. `get`, `post` and `delete` want the status that is expected, and give the JSON."""

    def __init__(self, app: Flask, name: str) -> None:
        self.client = app.test_client()
        made = self.client.post("/v1/players", json={"name": name})
        assert made.status_code == 201, made.text
        self.id: str = made.json["id"]
        self.name = name
        self.headers = {"Authorization": f"Bearer {made.json['api_key']}"}
        self.seen: list[str] = []  # every body that was sent to this player

    def ask(self, method: str, path: str, **options: Any) -> TestResponse:
        """Any request; what comes back is kept in `seen`."""
        headers = {**self.headers, **options.pop("headers", {})}
        response = self.client.open(f"/v1{path}", method=method, headers=headers, **options)
        self.seen.append(response.text)
        return response

    def get(self, path: str, status: int = 200, **options: Any) -> Any:
        """GET."""
        response = self.ask("GET", path, **options)
        assert response.status_code == status, response.text
        return response.json

    def post(self, path: str, body: Any, status: int = 200, **options: Any) -> Any:
        """POST of JSON."""
        response = self.ask("POST", path, json=body, **options)
        assert response.status_code == status, response.text
        return response.json

    def open(self, status: int = 201, **body: Any) -> Any:
        """Open a table; `house` unless named."""
        return self.post("/tables", {"game": "house", **body}, status)

    def do(self, table: str, *actions: str, status: int = 200) -> Any:
        """Act at a table."""
        body = {"action": actions[0]} if len(actions) == 1 else {"actions": list(actions)}
        return self.post(f"/tables/{table}/actions", body, status)

    @property
    def balance(self) -> int:
        """Chips in the wallet."""
        return int(self.get("/players/me/bankroll")["balance"])


def accounts(database: Database, table: str) -> dict[str, int]:
    """What the accounts of a table hold, by kind (bots together)."""
    found: dict[str, int] = {}
    with database.read() as session:
        for kind, balance in session.execute(
            select(Account.kind, Account.balance).where(Account.table_id == table)
        ):
            found[kind] = found.get(kind, 0) + balance
    return found


def moves(database: Database, table: str, after: int = 0) -> list[tuple[str, str, int, str]]:
    """Transfers of a table with numbers above `after`: kinds of source and target, amount, kind."""
    with database.read() as session:
        kinds = {row.id: row.kind for row in session.execute(select(Account.id, Account.kind))}
        rows = session.execute(
            select(Transfer).where(Transfer.table_id == table, Transfer.seq > after).order_by(Transfer.seq)
        ).scalars()
        return [(kinds[row.source], kinds[row.target], row.amount, row.kind) for row in rows]


def last_seq(database: Database) -> int:
    """The number of the last transfer."""
    with database.read() as session:
        return session.scalar(select(Transfer.seq).order_by(Transfer.seq.desc()).limit(1)) or 0


def sound(database: Database) -> None:
    """Assert the ledger's invariants."""
    report = check(database)
    assert not report.findings, report.findings


def snapshot(database: Database) -> str:
    """Everything stored about money and tables, to see that a refusal changed nothing."""
    with database.read() as session:
        seq = session.scalar(select(Transfer.seq).order_by(Transfer.seq.desc()).limit(1))
        balances = session.execute(select(Account.id, Account.balance).order_by(Account.id)).all()
        from api.models import Event, Table  # noqa: PLC0415

        tables = session.execute(select(Table.id, Table.version, Table.last_event).order_by(Table.id)).all()
        events = session.execute(select(Event.table_id, Event.n)).all()
    return json.dumps([seq, [tuple(row) for row in balances], [tuple(row) for row in tables], len(events)])
