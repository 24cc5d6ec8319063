"""What players do at a table: join, act, play on by a policy, leave. Each is planned in a read."""

from collections.abc import Mapping
from datetime import datetime
from hmac import compare_digest
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from api.models import Player
from api.services import ledger, limits
from api.services.errors import Conflict, Forbidden, Gone, NotFound
from api.services.tables.asked import Autoplay
from api.services.tables.change import Change, Happening
from api.services.tables.families import conductor_of
from api.services.tables.model import OPEN, PLAYER, Sitter, TableData, load, load_for, unknown
from api.services.tables.opening import digest
from api.services.tables.play import Terms


def begin(
    session: Session, table: TableData, player: str, terms: Terms, now: datetime, rehearsed: Any
) -> Change:
    """The change that opens a table just written: play begins, or it waits for its open seats to be taken."""
    told = [Happening("opened", None, None, {"game": table.game, "rules_hash": table.rules_hash})]
    told += [
        Happening("seated", sitter.number, None, sitter.told())
        for sitter in table.sitters
        if sitter.kind != OPEN
    ]
    conductor = conductor_of(table.game)
    conductor.bind(session, table, player, now)
    return conductor.begin(table, terms, now, told, rehearsed)


def plan_actions(
    session: Session, table_id: str, player: str, texts: Mapping[str, str], terms: Terms, now: datetime
) -> Change:
    """Do these actions, by their places in the request, in order, all or none, with all that follows.

    Raises what the engine refuses, and what goes beyond the player's own limits."""
    table, sitter = at_table(session, table_id, player)
    conductor = conductor_of(table.game)
    conductor.bind(session, table, player, now)
    return conductor.act(table, sitter.number, texts, terms, now)


def plan_autoplay(
    session: Session, table_id: str, player: str, wanted: Autoplay, terms: Terms, now: datetime
) -> Change:
    """Play coups by a policy as if by hand (`autoplay.py`)."""
    table, sitter = seated(session, table_id, player)
    conductor = conductor_of(table.game)
    conductor.bind(session, table, player, now)
    return conductor.autoplay(table, sitter, wanted, terms, now)


def plan_join(
    session: Session,
    table_id: str,
    player: str,
    terms: Terms,
    now: datetime,
    *,
    seat: int | None,
    invite: str | None,
    seed: str | None = None,
) -> Change:
    """Take an open seat: at once where seats may change now, else at the next change. `seed`: a client seed in hex.

    Raises NotFound, and Conflict, also where the player's own limits let him begin no play for chips.
    """
    table = _joinable(session, table_id, player, invite)
    sitter = _open_seat(table, seat)
    person = session.execute(select(Player.name, Player.limits).where(Player.id == player)).one()
    taken = Sitter(sitter.number, PLAYER, player, person.name, limits=person.limits)
    if not table.practice:
        limits.check_free(session, player, person.limits, now)
        taken.account = ledger.wallet_of(session, player)
        table.balances = {**table.balances, taken.account: ledger.balance_of(session, taken.account)}
    table.sitters[sitter.number] = taken
    settings = {**table.settings, "players": sorted({*table.settings["players"], player})}
    conductor = conductor_of(table.game)
    conductor.bind(session, table, player, now)
    change = conductor.join(table, taken, terms, now, seed)
    change.settings = settings
    change.sitters = [*change.sitters, taken] if taken not in change.sitters else change.sitters
    change.report = {"seat": taken.number}
    return change


def _joinable(session: Session, table_id: str, player: str, invite: str | None) -> TableData:
    table = load(session, table_id)
    invited = (
        invite is not None
        and table.invite_digest is not None
        and compare_digest(digest(invite), table.invite_digest)
    )
    known = table.was_here(player)
    if table.private and not (invited or known):
        raise unknown(table_id)
    if not (table.private or known or table.spectators or table.has_open_seat()):
        raise unknown(table_id)
    if table.closed:
        raise Gone("this table is closed: open another with POST /v1/tables", code="table_closed")
    if table.seat_of(player) is not None:
        raise Conflict("you have a seat at this table already", code="seated_already")
    return table


def _open_seat(table: TableData, seat: int | None) -> Sitter:
    free = [sitter for sitter in table.sitters if sitter.kind == OPEN]
    if seat is not None:
        free = [sitter for sitter in free if sitter.number == seat]
    if not free:
        taken = "no seat is open" if seat is None else f"seat {seat} is not open"
        raise Conflict(f"{taken} at this table", pointer="/seat", code="seat_taken")
    return free[0]


def plan_leave(
    session: Session, table_id: str, player: str, seat: int, terms: Terms, now: datetime
) -> Change:
    """Leave one's seat. A table that no person is left at is closed, all chips returned."""
    table = load_for(session, table_id, player)
    sitter = next((item for item in table.sitters if item.number == seat), None)
    if sitter is None or (sitter.player != player):
        raise NotFound(f"you have no seat {seat} at this table")
    if table.closed:
        raise Gone("this table is closed: its seats are free", code="table_closed")
    if sitter.leaving:
        raise Conflict("you are leaving already: the default policy plays on for you", code="leaving")
    conductor = conductor_of(table.game)
    conductor.bind(session, table, player, now)
    return conductor.leave(table, sitter, terms, now)


def plan_time_up(session: Session, table: TableData, terms: Terms, now: datetime) -> Change:
    """What happens when a table's time is up: every person who is awaited has his turn played by the default."""
    conductor = conductor_of(table.game)
    conductor.bind(session, table, "", now)
    return conductor.time_up(table, terms, now)


def seated(session: Session, table_id: str, player: str) -> tuple[TableData, Sitter]:
    """The table, which has begun, and the seat from which the player may act. Raises NotFound, Forbidden, Gone or
    Conflict."""
    table, sitter = at_table(session, table_id, player)
    if not table.stored.get("state"):
        raise Conflict("the table waits for its open seats to be taken", code="waiting_for_seats")
    return table, sitter


def at_table(session: Session, table_id: str, player: str) -> tuple[TableData, Sitter]:
    """The same of a table that may still wait for its seats to be taken."""
    table = load_for(session, table_id, player)
    sitter = table.seat_of(player)
    if table.closed:
        raise Gone("this table is closed: open another with POST /v1/tables", code="table_closed")
    if sitter is None:
        raise Forbidden("you have no seat at this table", code="not_seated")
    if sitter.pending:
        raise Conflict("you are seated when seats change next: you cannot act yet", code="pending")
    if sitter.leaving:
        raise Conflict("you are leaving: the default policy plays on for you", code="leaving")
    return table, sitter
