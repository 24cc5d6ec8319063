"""What changes at a table of any family while it is played forward: rows, events, entries of the ledger.

Nothing is written here: see `change.py`.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from api.services.ledger import Entry
from api.services.tables.change import Change, Happening
from api.services.tables.model import PLAYER, Json, TableData
from casino.chance import commitment
from casino.game import Event, State


@dataclass(slots=True, kw_only=True)
class Gathered:
    """All that changes at one table. `rows` are values of banks, coups and deals by id, those in `fresh` are new;
    `changed` are numbers of seats; `bank_id` is the present bank, of a match the table's one seed."""

    table: TableData
    now: datetime
    bank_id: str | None = None
    happenings: list[Happening] = field(default_factory=list)
    moves: list[Entry] = field(default_factory=list)
    rows: dict[str, Json] = field(default_factory=dict)
    fresh: set[str] = field(default_factory=set)
    results: list[Json] = field(default_factory=list)
    changed: set[int] = field(default_factory=set)

    def rows_of(self, prefix: str, *, fresh: bool) -> list[Json]:
        """Rows of banks, coups or deals: those to insert, or those to update."""
        return [
            row
            for name, row in self.rows.items()
            if name.startswith(prefix) and (name in self.fresh) is fresh
        ]

    def add_bank(self, bank_id: str, number: int, server_seed: bytes) -> None:
        """A new bank, or the one seed of a match (number 1)."""
        self.fresh.add(bank_id)
        self.rows[bank_id] = {
            "id": bank_id,
            "table_id": self.table.id,
            "number": number,
            "banker_seat": None,
            "banker_id": None,
            "commitment": commitment(server_seed),
            "server_seed": server_seed,
            "client_seeds": [""] * len(self.table.sitters),
            "shuffles": [],
            "put_up": 0,
            "left_over": None,
            "reason": None,
            "opened_at": self.now,
            "closed_at": None,
            "revealed_at": None,
        }

    def add_coup(self, coup_id: str, number: int) -> None:
        """A new coup or deal of the present bank; its record is written when it is over."""
        self.fresh.add(coup_id)
        self.rows[coup_id] = {
            "id": coup_id,
            "table_id": self.table.id,
            "bank_id": self.bank_id,
            "number": number,
            "status": "open",
            "record": {},
            "opened_at": self.now,
            "settled_at": None,
        }

    def bank_row(self, **values: Any) -> None:
        """Change the row of the present bank."""
        if self.bank_id is not None:
            self.rows.setdefault(self.bank_id, {"id": self.bank_id}).update(values)

    def tell(self, kind: str, seat: int | None, data: Json) -> None:
        """Add an event of the table itself."""
        self.happenings.append(Happening(kind, seat, None, data))

    def private(self, event: Event) -> Json | None:
        """What the engine tells single seats, by the player who sits there."""
        found = {
            player: more
            for seat, more in (event.private or {}).items()
            if (player := self.table.sitters[seat].player) is not None
        }
        return found or None

    def result_row(self, seat: int, coup_id: str | None, **values: Any) -> Json:
        """A row of what a coup or a deal was to a player; `values`: side, stake, net and the balance after it."""
        sitter = self.table.sitters[seat]
        return {
            "coup_id": coup_id,
            "table_id": self.table.id,
            "player_id": sitter.player,
            "account": sitter.account,
            "seat": seat,
            "game": self.table.game,
            "at": self.now,
            "balance_before": values["balance_after"] - values["net"],
            **values,
        }

    def changes(
        self, stored: Json, phase: str, deadline: datetime | None, live: State[Any] | None, *, coups: str
    ) -> Change:
        """All of it as a Change; `coups` is the prefix of the ids of what is played here."""
        table = self.table
        return Change(
            table=table,
            state=stored,
            phase=phase,
            deadline=deadline,
            closed_at=self.now if phase == "closed" else None,
            counted_on={
                sitter.account: table.balance(sitter)
                for sitter in table.sitters
                if sitter.kind == PLAYER and sitter.account is not None
            },
            moves=self.moves,
            happenings=self.happenings,
            results=self.results,
            sitters=[table.sitters[number] for number in sorted(self.changed)],
            live=live,
            new_banks=self.rows_of("bnk", fresh=True),
            banks=self.rows_of("bnk", fresh=False),
            new_coups=self.rows_of(coups, fresh=True),
            coups=self.rows_of(coups, fresh=False),
        )
