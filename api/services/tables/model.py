"""A table as the services hold it: its row, who sits where, and what their accounts hold."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from api.ids import is_id
from api.models import Account, Player, Seat, Table
from api.services.errors import NotFound

PLAYER, BOT, HOUSE, OPEN = "player", "bot", "house", "open"
Json = dict[str, Any]


@dataclass(slots=True)
class Sitter:
    """Who holds a seat. `pending`: he waits for the next change of seats; `leaving`: the default policy plays on."""

    number: int
    kind: str
    player: str | None = None
    name: str | None = None
    policy: Any = None
    stake: int | None = None
    account: int | None = None
    pending: bool = False
    leaving: bool = False

    @property
    def by_hand(self) -> bool:
        """Does a person decide here?"""
        return self.kind == PLAYER and not self.leaving

    def to_json(self, viewer: str | None) -> Json:
        """The seat as everyone may see it."""
        shown: Json = {"seat": self.number, "kind": self.kind, "name": self.name}
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
    bank: str
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

    def was_here(self, player: str) -> bool:
        """Has the player a seat here, or had one, or opened the table? (Then he may recall it.)"""
        return player == self.creator or player in self.settings.get("players", ())


_ROW: Final = select(Table.__table__)
_SEATS: Final = (
    select(
        Seat.number,
        Seat.kind,
        Seat.player_id,
        Seat.policy,
        Seat.account_id,
        Seat.leaving,
        Player.name,
        Account.balance,
    )
    .outerjoin(Player, Player.id == Seat.player_id)
    .outerjoin(Account, Account.id == Seat.account_id)
    .order_by(Seat.number)
)


def load(session: Session, table_id: str) -> TableData:
    """The table as this transaction sees it. Raises NotFound."""
    row = session.execute(_ROW.where(Table.id == table_id)).first() if is_id(table_id, "tbl") else None
    if row is None:
        raise unknown(table_id)
    pending = row.state.get("pending", ())
    sitters, balances = [], {}
    for found in session.execute(_SEATS.where(Seat.table_id == table_id)):
        policy = found.policy or {}
        sitters.append(
            Sitter(
                found.number,
                found.kind,
                found.player_id,
                found.name or policy.get("name"),
                policy.get("policy"),
                policy.get("stake"),
                found.account_id,
                found.number in pending,
                found.leaving,
            )
        )
        if found.account_id is not None:
            balances[found.account_id] = found.balance
    return TableData(
        id=row.id,
        creator=row.creator_id,
        game=row.game,
        options=row.options,
        rules_hash=row.rules_hash,
        engine=row.engine,
        bank=row.bank,
        practice=row.stakes == "practice",
        turn_seconds=row.turn_seconds,
        private=row.private,
        invite_digest=row.invite_digest,
        spectators=row.spectators,
        settings=row.settings,
        phase=row.phase,
        stored=row.state,
        version=row.version,
        last_event=row.last_event,
        deadline=row.deadline,
        created_at=row.created_at,
        closed_at=row.closed_at,
        sitters=sitters,
        balances=balances,
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
