"""Opening a table: what is asked for is held against the rules, seats are filled, and play begins if it can."""

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import func, insert, select
from sqlalchemy.orm import Session

from api.ids import new_id
from api.models import Player, Seat, Table
from api.models.ledger import HOUSE as HOUSE_ACCOUNT
from api.services import ledger, limits
from api.services.errors import Invalid, LimitReached, Unauthorized
from api.services.tables.model import BOT, HOUSE, OPEN, PLAYER, SAME, Json, Sitter, TableData
from api.services.tables.play import Terms
from casino.banking.bank import BankingGame
from casino.banking.presets import PRESETS
from casino.banking.rules import build
from casino.bots.banking import check_policy
from casino.catalogue import find

ME: Final = "me"
_FAMILY: Final = "banking"


@dataclass(frozen=True, slots=True)
class Opening:
    """A table as it was asked for (`table.md`, «Opening a table»). `seats` and `bank` None: the defaults."""

    game: str
    options: Mapping[str, Any]
    seats: Sequence[Mapping[str, Any]] | None
    bank: str | None
    practice: bool
    seed: int
    turn_seconds: int
    private: bool
    spectators: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """An opening that was found sound."""

    opening: Opening
    game: BankingGame
    sitters: list[Sitter]
    mine: int


def plan(opening: Opening) -> Plan:
    """Hold an opening against the rules. Raises UnknownGame, RulesError or Invalid, with a pointer."""
    listing = find(opening.game)
    if listing.family != _FAMILY:
        raise Invalid(
            f"tables of the {listing.family} family are not served yet", pointer="/game", code="family"
        )
    bank = opening.bank or HOUSE
    options = dict(opening.options)
    if bank == HOUSE:
        options.setdefault("seats_change", "coup")
    rules = build(PRESETS[opening.game][1], options, "/options")
    sitters = _sitters(opening, bank)
    mine = _claim_seat(sitters)
    _check_bots(sitters, rules)
    game = BankingGame(opening.game, rules, len(sitters), bank, banks=None)
    return Plan(opening, game, sitters, mine)


def _sitters(opening: Opening, bank: str) -> list[Sitter]:
    given = opening.seats
    if given is None:
        given = [{"kind": ME}] if bank == HOUSE else [{"kind": ME}, {"kind": OPEN}]
    sitters = [_sitter(number, seat) for number, seat in enumerate(given)]
    houses = [sitter.number for sitter in sitters if sitter.kind == HOUSE]
    if bank != HOUSE and houses:
        raise Invalid(
            "the house sits only where the bank is always the house", pointer=f"/seats/{houses[0]}/kind"
        )
    if bank == HOUSE and not houses:
        sitters.append(Sitter(len(sitters), HOUSE, name="House"))
    elif houses and houses != [len(sitters) - 1]:
        raise Invalid("the house takes the last seat, once", pointer=f"/seats/{houses[0]}/kind")
    return sitters


def _sitter(number: int, seat: Mapping[str, Any]) -> Sitter:
    kind = seat["kind"]
    if kind != BOT and ("policy" in seat or "stake" in seat):
        raise Invalid("only a bot has a policy and a stake", pointer=f"/seats/{number}")
    if kind == BOT:
        name = seat.get("name") or f"Bot {number}"
        return Sitter(number, BOT, name=name, policy=seat.get("policy", "textbook"), stake=seat.get("stake"))
    return Sitter(number, kind, name="House" if kind == HOUSE else None)


def _claim_seat(sitters: list[Sitter]) -> int:
    """The caller's seat: the one marked «me», else seat 0."""
    marked = [sitter.number for sitter in sitters if sitter.kind == ME]
    if len(marked) > 1:
        raise Invalid("you can take one seat only", pointer=f"/seats/{marked[1]}/kind")
    mine = marked[0] if marked else 0
    if sitters[mine].kind not in (ME, OPEN):
        raise Invalid(
            'whoever opens a table takes seat 0: leave it open, or name another with {"kind": "me"}',
            pointer="/seats/0/kind",
        )
    sitters[mine].kind = PLAYER
    return mine


def _check_bots(sitters: list[Sitter], rules: Any) -> None:
    for sitter in sitters:
        if sitter.kind != BOT:
            continue
        check_policy(rules, sitter.policy, pointer=f"/seats/{sitter.number}/policy")
        limits, stake = rules.limits, sitter.stake
        if stake is not None and not (
            limits.min <= stake <= limits.max and (stake - limits.min) % limits.step == 0
        ):
            raise Invalid(
                f"a stake is {limits.min} to {limits.max} in steps of {limits.step}",
                pointer=f"/seats/{sitter.number}/stake",
            )


def create(
    session: Session, made: Plan, player: str, terms: Terms, now: datetime, engine: str, most_open: int
) -> tuple[TableData, str | None]:
    """Write the row, seats and accounts of a new table; the table, not yet begun, and the invite if it is private.

    Raises LimitReached, and Conflict where the player's own limits let him begin no play for chips.
    """
    _check_number(session, player, most_open)
    opening, game = made.opening, made.game
    table_id = new_id("tbl", now)
    mine = made.sitters[made.mine]
    mine.player = player
    person = select(Player.name, Player.limits).where(Player.id == player, Player.deleted_at.is_(None))
    found = session.execute(person.with_for_update(read=True, key_share=True)).one_or_none()
    if found is None:  # deleted since he asked
        raise Unauthorized("this API key is unknown, expired or revoked")
    mine.name, mine.limits = found
    if not opening.practice:
        limits.check_free(session, player, mine.limits, now)
    invite = secrets.token_urlsafe(12) if opening.private else None
    row: Json = {
        "id": table_id,
        "creator_id": player,
        "game": opening.game,
        "options": game.options,
        "rules_hash": game.rules_hash,
        "engine": engine,
        "bank": game.bank,
        "stakes": "practice" if opening.practice else "chips",
        "turn_seconds": opening.turn_seconds,
        "private": opening.private,
        "invite_digest": digest(invite) if invite else None,
        "spectators": opening.spectators,
        "settings": {"players": [player]},
        "phase": "open",
        "state": {},
        "version": 1,
        "last_event": 0,
        "deadline": None,
        "created_at": now,
        "closed_at": None,
    }
    session.execute(insert(Table), [row])
    accounts = _accounts(session, made, table_id, player, terms, now)
    session.execute(insert(Seat), [_seat_row(table_id, sitter, now) for sitter in made.sitters])
    stored: Json = {"accounts": accounts, **({"seed": opening.seed} if opening.practice else {})}
    balances = ledger.balances_of(
        session, [sitter.account for sitter in made.sitters if sitter.account not in (None, HOUSE_ACCOUNT)]
    )
    named = {name: row[name] for name in SAME}
    table = TableData(
        creator=player,
        practice=opening.practice,
        stored=stored,
        sitters=made.sitters,
        balances=balances,
        **named,
    )
    return table, invite


def _check_number(session: Session, player: str, most: int) -> None:
    open_tables = (
        select(func.count()).select_from(Table).where(Table.creator_id == player, Table.closed_at.is_(None))
    )
    if session.execute(open_tables).scalar_one() >= most:
        raise LimitReached(f"a player may have {most} tables open; leave one first", code="too_many_tables")


def _accounts(
    session: Session, made: Plan, table_id: str, player: str, terms: Terms, now: datetime
) -> dict[str, int]:
    """Escrow and bank of a table for chips; wallets of its seats, the bots' lent by the house."""
    if made.opening.practice:
        return {}
    loans = []
    for sitter in made.sitters:
        if sitter.kind == PLAYER:
            sitter.account = ledger.wallet_of(session, player)
        elif sitter.kind == HOUSE:
            sitter.account = HOUSE_ACCOUNT
        elif sitter.kind == BOT:
            sitter.account = ledger.open_bot(session, table_id, now)
            loans.append(ledger.Entry(HOUSE_ACCOUNT, sitter.account, terms.bot_purse, "bot_loan", table_id))
    escrow, bank = ledger.open_table(session, table_id, now)
    ledger.post(session, loans, now)
    return {"escrow": escrow, "bank": bank}


def _seat_row(table_id: str, sitter: Sitter, now: datetime) -> Json:
    return {"table_id": table_id, "joined_at": None if sitter.kind == OPEN else now, **sitter.row()}


def digest(invite: str) -> bytes:
    """What is kept of an invite code."""
    return hashlib.sha256(invite.encode()).digest()
