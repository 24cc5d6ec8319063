"""Banking tables: how one is opened, played forward, left and shown."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from sqlalchemy.orm import Session

from api.services.errors import Conflict, Invalid, NotFound
from api.services.tables.asked import ME, Autoplay, Opening, Plan, claim_seat, placed, refuse, sitter_of
from api.services.tables.autoplay import autoplay
from api.services.tables.bank_needed import NAME as NEEDED
from api.services.tables.bank_needed import Spend, bank_needed
from api.services.tables.change import Change, Happening, bot_returns
from api.services.tables.model import BOT, HOUSE, OPEN, PLAYER, Json, Sitter, TableData
from api.services.tables.play import BY_DEFAULT, BY_HAND, Play, Terms, state_of
from api.services.tables.proving import proof
from api.services.tables.restraint import allow, cut
from casino.banking.bank import BankingGame
from casino.banking.presets import PRESETS
from casino.banking.rules import build
from casino.banking.state import BankingState
from casino.banking.text import MEANINGS
from casino.bots.banking import check_policy
from casino.errors import NotationError

_WAITING: Final = "open"
AUTOPLAY: Final = "autoplay"
_OF_MATCHES: Final = ("target", "ante", "chips_per_point", "max_points")


class BankingTables:
    """Conducts banking tables (`families.Conductor`)."""

    unit = "coup"
    any_version: frozenset[str] = frozenset()

    def plan(self, opening: Opening) -> Plan:
        """Hold an opening against the rules. Raises RulesError or Invalid, with a pointer."""
        refuse(
            opening,
            _OF_MATCHES,
            "goes with games that are played in matches; here stakes are made coup by coup",
        )
        bank = opening.bank or HOUSE
        options = dict(opening.options)
        if bank == HOUSE:
            options.setdefault("seats_change", "coup")
        rules = build(PRESETS[opening.game][1], options, "/options")
        sitters = _sitters(opening, bank)
        mine = claim_seat(sitters)
        _check_bots(sitters, rules)
        game = BankingGame(opening.game, rules, len(sitters), bank, banks=None)
        return Plan(opening, game, sitters, mine, bank)

    def foretell(self, made: Plan, spend: Spend) -> Json:
        """What bank the table needs."""
        game = made.game
        assert isinstance(game, BankingGame)  # noqa: S101 (planned here)
        return {NEEDED: bank_needed(game.name, game.rules, game.seats - 1, spend)}

    def rehearse(self, made: Plan, table_id: str, terms: Terms) -> Any:
        """Nothing: bots of a banking table look nothing up, so they are asked as the table begins."""
        return None

    def bind(self, session: Session, table: TableData, player: str, now: datetime) -> None:
        """Only the player who acts puts chips at risk: his limits are worked out."""
        allow(session, table, player, now)

    def begin(
        self, table: TableData, terms: Terms, now: datetime, told: list[Happening], rehearsed: Any
    ) -> Change:
        """Play begins, or the table waits for its open seats to be taken."""
        if waits_for_seats(table):
            return Change(table, table.stored, _WAITING, None, happenings=told)
        return _begun(table, terms, now, told)

    def act(
        self, table: TableData, seat: int, texts: Mapping[str, str], terms: Terms, now: datetime
    ) -> Change:
        """Do these actions in order, all or none, with all that follows."""
        if not table.stored.get("state"):
            raise Conflict("the table waits for its open seats to be taken", code="waiting_for_seats")
        play = Play.resume(table, terms, now)
        if play.state.needs_seed:
            play.run()  # a table that waited for chips goes on once there are some
        for pointer, text in texts.items():
            with placed(pointer):
                for step in text.split(";"):
                    _check_known(step.strip())
                    play.act(seat, step.strip(), BY_HAND)
                    play.run()
        return play.change()

    def autoplay(
        self, table: TableData, sitter: Sitter, wanted: Autoplay, terms: Terms, now: datetime
    ) -> Change:
        """Play coups by a policy as if by hand."""
        return autoplay(table, sitter, wanted, terms, now)

    def join(self, table: TableData, taken: Sitter, terms: Terms, now: datetime, seed: str | None) -> Change:
        """Seat somebody: at once where seats may change now, else at the next change."""
        if seed is not None:
            raise Invalid(
                "a bank takes seeds as actions, until its first stake: «seed 00ff»", pointer="/seed"
            )
        if table.stored.get("state"):
            taken.pending = True
            play = Play.resume(table, terms, now)
            play.run()
            return play.change()
        told = [Happening("seated", taken.number, None, taken.told())]
        if waits_for_seats(table):
            return Change(table, table.stored, _WAITING, None, happenings=told)
        return _begun(table, terms, now, told)

    def leave(self, table: TableData, sitter: Sitter, terms: Terms, now: datetime) -> Change:
        """Leave a seat. A table that no person is left at is closed, all chips returned."""
        if not table.stored.get("state"):
            return _leave_waiting(table, sitter, now)
        play = Play.resume(table, terms, now)
        play.leave(sitter.number)
        play.run()
        return play.change()

    def time_up(self, table: TableData, terms: Terms, now: datetime) -> Change:
        """Every person who is awaited has his turn played by the default."""
        play = Play.resume(table, terms, now)
        moment = play.state.phase, play.state.coups
        for seat in [seat for seat in play.state.awaited() if table.sitters[seat].by_hand]:
            while seat in play.state.awaited() and (play.state.phase, play.state.coups) == moment:
                play.act(seat, play.default_action(seat), BY_DEFAULT, timed_out=True)
                if play.state.phase != "play":
                    break  # one action is his turn: where all sit out stakes open again, and he is awaited anew
        play.run()
        return play.change()

    def shown(self, table: TableData, player: str, terms: Terms, now: datetime, live: Any) -> Json:
        """`play`, `legal` and `last` of a table's view, and what bank it needs."""
        needed = {NEEDED: table.settings.get(NEEDED)}
        if not (table.stored.get("state") and table.may_watch(player)):
            return {"play": None, "legal": [], "last": None, **needed}
        sitter = table.seat_of(player)
        state: BankingState = live or state_of(table)
        play = state.view(None if sitter is None or sitter.pending else sitter.number)
        legal, last = play.pop("legal"), play.pop("last")
        if sitter is not None and not sitter.pending:
            if state.needs_seed:
                state = _going_on(table, terms, now)
                legal = state.legal_texts(sitter.number)
            mine = [] if sitter.leaving else legal  # the default policy acts for who is leaving
            legal = cut(mine, state, sitter.number, sitter.allowance)
        return {"play": play, "legal": legal, "last": last, **needed}

    def summary(self, table: TableData) -> Json:
        """What a list of tables tells of one, besides what every table has."""
        return {}

    def proof(
        self, session: Session, table: TableData, *, bank_id: str | None = None, deal_id: str | None = None
    ) -> bytes:
        """The proof of a bank: nothing else is proved here."""
        if bank_id is None:
            raise NotFound("each bank of this table has a proof of its own, at …/banks/ID/proof")
        return proof(session, table, bank_id)


def _going_on(table: TableData, terms: Terms, now: datetime) -> BankingState:
    """A table that waited for chips, as it goes on (on a copy) with what its players have by now.

    It does so as soon as somebody acts, so what may be done there may be done already.
    """
    play = Play.resume(replace(table, sitters=[replace(sitter) for sitter in table.sitters]), terms, now)
    play.run()
    return play.state


def waits_for_seats(table: TableData) -> bool:
    """A table whose bank goes round begins when its seats are filled; one against the house at once."""
    return table.bank != "house" and any(sitter.kind == OPEN for sitter in table.sitters)


def _begun(table: TableData, terms: Terms, now: datetime, told: list[Happening]) -> Change:
    play = Play.begin(table, terms, now)
    play.happenings += told
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


def _check_known(text: str) -> None:
    """Refuse what is no action, telling all that there are over REST: `autoplay` is none of the engine's. Raises
    NotationError."""
    verb = text.partition(" ")[0]
    if verb == AUTOPLAY:
        raise NotationError(
            '«autoplay» is asked for alone, with its stake and number of coups: {"action": "autoplay",'
            ' "stake": 10, "coups": 100}',
            pointer="/action",
        )
    if verb not in MEANINGS:
        raise NotationError(
            f"«{text[:40]}» is no action; there are {', '.join(MEANINGS)}, and {AUTOPLAY} (alone, with `stake` and"
            " `coups`)",
            pointer="/action",
        )


def _sitters(opening: Opening, bank: str) -> list[Sitter]:
    given = opening.seats
    if given is None:
        given = [{"kind": ME}] if bank == HOUSE else [{"kind": ME}, {"kind": OPEN}]
    sitters = [sitter_of(number, seat, "textbook") for number, seat in enumerate(given)]
    for number, seat in enumerate(given):
        if "seed" in seat:
            raise Invalid(
                "a bank takes seeds as actions, until its first stake: «seed 00ff»",
                pointer=f"/seats/{number}/seed",
            )
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
