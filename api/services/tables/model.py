"""A table as the services hold it: its row, who sits where, and what their accounts hold."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from api.ids import is_id
from api.models import Account, Player, Seat, Table
from api.prepared import Prepared, pipelined
from api.services.errors import NotFound
from api.services.limits import Allowance
from api.services.names import Name
from casino.catalogue import find

PLAYER, BOT, HOUSE, OPEN = "player", "bot", "house", "open"
Json = dict[str, Any]


@dataclass(slots=True)
class Sitter:
    """Who holds a seat. `pending`: he waits for the next change of seats; `leaving`: the default policy plays on.

    `limits` are his own as they are stored, `allowance` what they leave him, once somebody has worked it out.
    """

    number: int
    kind: str
    player: str | None = None
    name: str | None = None
    policy: Any = None
    stake: int | None = None
    account: int | None = None
    pending: bool = False
    leaving: bool = False
    limits: Json | None = None
    allowance: Allowance | None = None

    @property
    def by_hand(self) -> bool:
        """Does a person decide here?"""
        return self.kind == PLAYER and not self.leaving

    def told(self) -> Json:
        """The seat in an event. A person's name is not in it: events stay, and a name may be deleted."""
        return {"kind": self.kind} if self.kind == PLAYER else {"kind": self.kind, "name": self.name}

    def row(self) -> Json:
        """The columns of the seat."""
        policy = {"policy": self.policy, "stake": self.stake, "name": self.name}
        return {
            "number": self.number,
            "kind": self.kind,
            "player_id": self.player,
            "policy": policy if self.kind in (BOT, HOUSE) else None,
            "account_id": self.account,
            "leaving": self.leaving,
        }

    def to_json(self, viewer: str | None) -> Json:
        """The seat as everyone may see it."""
        name = Name(self.name, self.player) if self.name and self.player else self.name
        shown: Json = {"seat": self.number, "kind": self.kind, "name": name}
        if self.kind == BOT:
            shown["policy"] = self.policy
        shown |= {"pending": self.pending, "leaving": self.leaving}
        shown["you"] = viewer is not None and self.player == viewer
        return shown


@dataclass(slots=True)
class TableData:
    """One table at one version. `stored` is the secret state; `balances` are chips by account."""

    id: str
    creator: str
    game: str
    options: Json
    rules_hash: str
    engine: str
    bank: str | None
    practice: bool
    turn_seconds: int
    private: bool
    invite_digest: bytes | None
    spectators: bool
    settings: Json
    phase: str
    stored: Json
    version: int
    last_event: int
    deadline: datetime | None
    created_at: datetime
    closed_at: datetime | None
    sitters: list[Sitter]
    balances: Mapping[int, int] = field(default_factory=dict)

    @property
    def family(self) -> str:
        """The family of its game."""
        return family_of(self.game)

    @property
    def closed(self) -> bool:
        """Is the table closed for good?"""
        return self.closed_at is not None

    def seat_of(self, player: str) -> Sitter | None:
        """The seat that a player holds."""
        return next((sitter for sitter in self.sitters if sitter.player == player), None)

    def balance(self, sitter: Sitter) -> int:
        """What a seat's account holds, in chips."""
        return self.balances.get(sitter.account, 0) if sitter.account is not None else 0

    def has_open_seat(self) -> bool:
        """Is there a seat to take?"""
        return not self.closed and any(sitter.kind == OPEN for sitter in self.sitters)

    def may_watch(self, player: str) -> bool:
        """May the player see what is played? (That a table is there, to take its open seat, more people may see.)"""
        return self.spectators or self.was_here(player)

    def was_here(self, player: str) -> bool:
        """Has the player a seat here, or had one, or opened the table? (Then he may recall it.)"""
        return player == self.creator or player in self.settings.get("players", ())


@lru_cache(maxsize=64)
def family_of(game: str) -> str:
    """The family of a game of the catalogue."""
    return find(game).family


# Built once, and run without the unit of work: every request reads a table.
_IDS: Final[Any] = bindparam("ids", expanding=True)
_ROWS: Final = select(Table.__table__).where(Table.id.in_(_IDS))
_ROW: Final = Prepared(select(Table.__table__).where(Table.id == bindparam("id")))
# Columns that a row and a TableData call by the same name.
SAME: Final = tuple(
    column.name for column in Table.__table__.columns if column.name not in ("creator_id", "stakes", "state")
)
_SEATS: Final = (
    select(
        Seat.table_id,
        Seat.number,
        Seat.kind,
        Seat.player_id,
        Seat.policy,
        Seat.account_id,
        Seat.leaving,
        Player.name,
        Player.limits,
        Account.balance,
    )
    .outerjoin(Player, Player.id == Seat.player_id)
    .outerjoin(Account, Account.id == Seat.account_id)
    .order_by(Seat.table_id, Seat.number)
)
_SEATS_OF_ALL: Final = _SEATS.where(Seat.table_id.in_(_IDS))
_SEATS_OF_ONE: Final = Prepared(_SEATS.where(Seat.table_id == bindparam("id")))


def load(session: Session, table_id: str) -> TableData:
    """The table as this transaction sees it. Raises NotFound."""
    if not is_id(table_id, "tbl"):
        raise unknown(table_id)
    connection, wanted = session.connection(), {"id": table_id}
    with pipelined(connection):
        rows = _ROW.ask(connection, wanted)
        seats = _SEATS_OF_ONE.ask(connection, wanted)
    for row in rows():
        return _table(row, seats())
    raise unknown(table_id)


def load_all(session: Session, ids: Sequence[str]) -> list[TableData]:
    """The tables of these ids that there are, in this order: two statements, however many."""
    connection, wanted = session.connection(), {"ids": ids}
    rows = {row.id: row for row in connection.execute(_ROWS, wanted)}
    seats: dict[str, list[Any]] = {table_id: [] for table_id in rows}
    for seat in connection.execute(_SEATS_OF_ALL, wanted):
        seats[seat.table_id].append(seat)
    return [_table(rows[table_id], seats[table_id]) for table_id in ids if table_id in rows]


def _table(row: Any, seats: Sequence[Any]) -> TableData:
    pending = row.state.get("pending", ())
    named = {name: getattr(row, name) for name in SAME}
    return TableData(
        creator=row.creator_id,
        practice=row.stakes == "practice",
        stored=row.state,
        sitters=[_sitter(seat, seat.number in pending) for seat in seats],
        balances={seat.account_id: seat.balance for seat in seats if seat.account_id is not None},
        **named,
    )


def _sitter(seat: Any, pending: bool) -> Sitter:
    policy = seat.policy or {}
    return Sitter(
        seat.number,
        seat.kind,
        seat.player_id,
        seat.name or policy.get("name"),
        policy.get("policy"),
        policy.get("stake"),
        seat.account_id,
        pending,
        seat.leaving,
        seat.limits,
    )


def unknown(table_id: str) -> NotFound:
    """The one answer for a table that is not there and for one that may not be seen."""
    return NotFound(
        f"there is no table «{table_id[:40]}» that you may see; GET /v1/tables lists those you may"
    )


def load_for(session: Session, table_id: str, player: str) -> TableData:
    """The table, if the player may see it at all. Raises NotFound."""
    table = load(session, table_id)
    if not (table.was_here(player) or (not table.private and (table.spectators or table.has_open_seat()))):
        raise unknown(table_id)
    return table


def load_watched(session: Session, table_id: str, player: str) -> TableData:
    """The table, if the player may see what is and was played there. Raises NotFound."""
    table = load_for(session, table_id, player)
    if not table.may_watch(player):
        raise NotFound(
            f"what is played at the table «{table_id}» is for those who sit or sat there: take its open seat first"
        )
    return table
