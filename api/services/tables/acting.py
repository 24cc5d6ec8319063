"""What players do at a table: join, act, play on by a policy, leave. Each is planned in a read."""

from collections.abc import Sequence
from datetime import datetime
from hmac import compare_digest
from typing import Any, Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from api.models import Player
from api.services import ledger, limits
from api.services.errors import Conflict, Forbidden, Gone, NotFound
from api.services.tables.change import Change, Happening, bot_returns
from api.services.tables.model import OPEN, PLAYER, Sitter, TableData, load, load_for, unknown
from api.services.tables.opening import digest
from api.services.tables.play import BY_DEFAULT, BY_HAND, Play, Terms
from api.services.tables.restraint import allow, refusal
from casino.banking.policies import PUNTER, parse_policy
from casino.banking.text import STAKE
from casino.bots.banking import BankingBot, default_bot
from casino.errors import IllegalAction

_WAITING: Final = "open"


def begin(table: TableData, terms: Terms, now: datetime) -> Change:
    """The change that opens a table just written: play begins, or it waits for its open seats to be taken."""
    happenings = [Happening("opened", None, None, {"game": table.game, "rules_hash": table.rules_hash})]
    happenings += [
        Happening("seated", sitter.number, None, sitter.told())
        for sitter in table.sitters
        if sitter.kind != OPEN
    ]
    if waits_for_seats(table):
        return Change(table, table.stored, _WAITING, None, happenings=happenings)
    play = Play.begin(table, terms, now)
    play.happenings += happenings
    play.run()
    return play.change()


def waits_for_seats(table: TableData) -> bool:
    """A table whose bank goes round begins when its seats are filled; one against the house at once."""
    return table.bank != "house" and any(sitter.kind == OPEN for sitter in table.sitters)


def plan_actions(
    session: Session, table_id: str, player: str, texts: Sequence[str], terms: Terms, now: datetime
) -> Change:
    """Do these actions in order, all or none, with all that follows. Raises what the engine refuses, and what
    goes beyond the player's own limits."""
    table, sitter = seated(session, table_id, player)
    allow(session, table, player, now)
    play = Play.resume(table, terms, now)
    play.run()  # a table that waited for chips goes on once there are some
    for step in (step for text in texts for step in text.split(";")):
        play.act(sitter.number, step.strip(), BY_HAND)
        play.run()
    return play.change()


def plan_autoplay(
    session: Session,
    table_id: str,
    player: str,
    terms: Terms,
    now: datetime,
    *,
    stake: int,
    policy: Any,
    coups: int,
) -> Change:
    """Play coups by a policy as if by hand, for the only person at a table, until a bank of his own comes.

    Stops early where the stake can no longer be covered, or the player's own limits forbid it; the report says how many
    coups were played and why it ended.
    """
    table, sitter = seated(session, table_id, player)
    allow(session, table, player, now)
    if sum(other.kind == PLAYER for other in table.sitters) > 1:
        raise Conflict("autoplay is for the only person at a table; others play here", code="not_alone")
    play = Play.resume(table, terms, now)
    play.run()
    rules = play.state.game.rules
    parsed = parse_policy(policy, rules, PUNTER, "/policy")
    bot = BankingBot(rules, parsed, stake=stake)
    first, totals = play.state.coups + (play.state.phase != "play"), play.state.totals[sitter.number]
    stopped = _play_on(play, sitter.number, bot, stake, coups)
    if not play.coups_settled:
        if isinstance(stopped, Conflict):
            raise stopped
        raise IllegalAction(
            f"no coup could be played: {stopped}", legal=play.legal(sitter.number), pointer="/stake"
        )
    change = play.change()
    change.silent = True
    change.report = {
        "autoplay": {
            "coups": play.coups_settled,
            "net": play.state.totals[sitter.number] - totals,
            "first_coup": first,
            "last_coup": play.state.coups,
            "stopped": stopped.detail if isinstance(stopped, Conflict) else stopped,
        }
    }
    return change


def _play_on(play: Play, seat: int, bot: BankingBot, stake: int, coups: int) -> str | Conflict | None:
    """Play until so many coups are settled; why it ended before (what the player's limits refuse), or None."""
    state, allowance = play.state, play.table.sitters[seat].allowance
    while play.coups_settled < coups:
        if play.closing or seat not in state.awaited():
            return "the table waits for something else than your stake"
        if state.phase == "bank":
            return "the bank is offered to you"
        banker = seat == state.banker
        if state.phase == "stakes" and not _covers(state.legal_texts(seat), stake):
            return f"a stake of {stake} is not possible now"
        if state.phase == "stakes" and allowance is not None:
            refused = refusal(state, seat, STAKE, stake, allowance, "/stake")
            if refused is not None:
                return refused
        chooser = default_bot(state.game.rules, banker=True) if banker else bot
        play.act(seat, chooser.choose(state.view(seat)), BY_HAND)
        play.run()
    return None


def _covers(legal: list[Any], stake: int) -> bool:
    ranges = [item["stake"] for item in legal if isinstance(item, dict) and "stake" in item]
    return any(
        limits["min"] <= stake <= limits["max"] and (stake - limits["min"]) % limits["step"] == 0
        for limits in ranges
    )


def plan_join(
    session: Session,
    table_id: str,
    player: str,
    terms: Terms,
    now: datetime,
    *,
    seat: int | None,
    invite: str | None,
) -> Change:
    """Take an open seat: at once where seats may change now, else at the next change.

    Raises NotFound, and Conflict, also where the player's own limits let him begin no play for chips.
    """
    table = _joinable(session, table_id, player, invite)
    sitter = _open_seat(table, seat)
    person = session.execute(select(Player.name, Player.limits).where(Player.id == player)).one()
    taken = Sitter(
        sitter.number,
        PLAYER,
        player,
        person.name,
        pending=bool(table.stored.get("state")),
        limits=person.limits,
    )
    if not table.practice:
        limits.check_free(session, player, person.limits, now)
        taken.account = ledger.wallet_of(session, player)
        table.balances = {**table.balances, taken.account: ledger.balance_of(session, taken.account)}
    table.sitters[sitter.number] = taken
    settings = {**table.settings, "players": sorted({*table.settings["players"], player})}
    change = _joined(table, taken, terms, now)
    change.settings = settings
    change.sitters = [*change.sitters, taken] if taken not in change.sitters else change.sitters
    change.report = {"seat": taken.number}
    return change


def _joined(table: TableData, taken: Sitter, terms: Terms, now: datetime) -> Change:
    if taken.pending:
        play = Play.resume(table, terms, now)
        play.run()
        return play.change()
    happening = Happening("seated", taken.number, None, taken.told())
    if waits_for_seats(table):
        return Change(table, table.stored, _WAITING, None, happenings=[happening])
    play = Play.begin(table, terms, now)
    play.happenings.append(happening)
    play.run()
    return play.change()


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
    if not table.stored.get("state"):
        return _leave_waiting(table, sitter, now)
    if sitter.leaving:
        raise Conflict("you are leaving already: the default policy plays on for you", code="leaving")
    play = Play.resume(table, terms, now)
    play.leave(seat)
    play.run()
    return play.change()


def _leave_waiting(table: TableData, sitter: Sitter, now: datetime) -> Change:
    """Leave a table that has not begun; the last person to go closes it."""
    table.sitters[sitter.number] = free = Sitter(sitter.number, OPEN)
    happenings = [Happening("left", sitter.number, None, sitter.told())]
    deserted = not any(other.kind == PLAYER for other in table.sitters)
    if deserted:
        happenings.append(Happening("closed", None, None, {"reason": "left"}))
    return Change(
        table,
        table.stored,
        "closed" if deserted else _WAITING,
        None,
        closed_at=now if deserted else None,
        moves=bot_returns(table) if deserted else [],
        happenings=happenings,
        sitters=[free],
    )


def plan_time_up(table: TableData, terms: Terms, now: datetime) -> Change:
    """What happens when a table's time is up: every person who is awaited has his turn played by the default."""
    play = Play.resume(table, terms, now)
    phase, coups = play.state.phase, play.state.coups
    for seat in [seat for seat in play.state.awaited() if table.sitters[seat].by_hand]:
        while seat in play.state.awaited() and (play.state.phase, play.state.coups) == (phase, coups):
            play.act(seat, play.default_action(seat), BY_DEFAULT, timed_out=True)
    play.run()
    return play.change()


def seated(session: Session, table_id: str, player: str) -> tuple[TableData, Sitter]:
    """The table and the seat from which the player may act now. Raises NotFound, Forbidden, Gone or Conflict."""
    table = load_for(session, table_id, player)
    sitter = table.seat_of(player)
    if table.closed:
        raise Gone("this table is closed: open another with POST /v1/tables", code="table_closed")
    if sitter is None:
        raise Forbidden("you have no seat at this table", code="not_seated")
    if not table.stored.get("state"):
        raise Conflict("the table waits for its open seats to be taken", code="waiting_for_seats")
    if sitter.pending:
        raise Conflict("you are seated when seats change next: you cannot act yet", code="pending")
    if sitter.leaving:
        raise Conflict("you are leaving: the default policy plays on for you", code="leaving")
    return table, sitter
