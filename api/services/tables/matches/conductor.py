"""Tables of matches: how one is opened, played forward, left and shown."""

from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import Any, Final

from sqlalchemy.orm import Session

from api.services.errors import Conflict, Invalid, NotFound
from api.services.tables.asked import Autoplay, Opening, Plan, placed
from api.services.tables.bank_needed import Spend
from api.services.tables.change import Change, Happening
from api.services.tables.matches import opening, proving
from api.services.tables.matches.bots import Rehearsed, rehearse
from api.services.tables.matches.course import PRACTICE, Course, bot_chance, fresh_seed, state_of
from api.services.tables.matches.stakes import Stakes
from api.services.tables.model import BOT, PLAYER, Json, Sitter, TableData
from api.services.tables.play import BY_HAND, Terms
from api.services.tables.restraint import allow
from casino.banking.text import MAX_SEED_BYTES, SEED, parse
from casino.errors import IllegalAction
from casino.match import Match

_SEED: Final[Json] = {SEED: {"max_bytes": MAX_SEED_BYTES}}


class MatchTables:
    """Conducts tables of matches (`families.Conductor`)."""

    unit = "deal"
    any_version = frozenset(("macao", "catch"))

    def plan(self, asked: Opening) -> Plan:
        """Hold an opening against the rules. Raises RulesError or Invalid, with a pointer."""
        return opening.plan(asked)

    def foretell(self, made: Plan, spend: Spend) -> Json:
        """Nothing: nobody keeps a bank."""
        return {}

    def rehearse(self, made: Plan, table_id: str, terms: Terms) -> Rehearsed:
        """The seed of the match, and what its bots do until a person is awaited."""
        asked = made.opening
        practice_seed = asked.seed if asked.practice else None
        server_seed = fresh_seed(terms, practice_seed)
        if made.settings[opening.PROMISED]:
            return Rehearsed(server_seed)
        name = PRACTICE if asked.practice else table_id
        assert isinstance(made.game, Match)  # noqa: S101 (`plan` made it)
        chance = partial(bot_chance, practice_seed, 0, terms)
        return rehearse(made.game, made.sitters, name, server_seed, chance)

    def bind(self, session: Session, table: TableData, player: str, now: datetime) -> None:
        """A deal may begin for everybody: all limits are worked out."""
        for sitter in table.sitters:
            if sitter.player is not None:
                allow(session, table, sitter.player, now)

    def begin(
        self, table: TableData, terms: Terms, now: datetime, told: list[Happening], rehearsed: Rehearsed
    ) -> Change:
        """The seed is committed to; the first deal is dealt if no seat is open and no seed is waited for."""
        course = Course.begin(table, terms, now, rehearsed)
        course.happenings += told
        for sitter in table.sitters:
            if sitter.kind == PLAYER:
                course.purses.admit(sitter)
            elif sitter.kind == BOT and not course.purses.covers(sitter):
                held, chips = course.purses.held, course.purses.chips[sitter.number]
                raise Invalid(
                    f"a deal may cost each seat {held} chips, and a bot has {chips}",
                    pointer=course.purses.pointer,
                )
        course.run()
        return course.change()

    def act(
        self, table: TableData, seat: int, texts: Mapping[str, str], terms: Terms, now: datetime
    ) -> Change:
        """Do these texts in order, all or none, with all that follows.

        Bots wait as long as the seat may act itself: so it can play and say «macao» in one request.
        """
        course = Course.resume(table, terms, now)
        for pointer, text in texts.items():
            with placed(pointer):
                _do(course, seat, text)
        course.run()
        return course.change()

    def autoplay(
        self, table: TableData, sitter: Sitter, wanted: Autoplay, terms: Terms, now: datetime
    ) -> Change:
        """A match is played action by action."""
        raise Invalid("autoplay is for banking tables", pointer="/action", code="family")

    def join(self, table: TableData, taken: Sitter, terms: Terms, now: datetime, seed: str | None) -> Change:
        """Seat somebody; the first deal is dealt if he was the last that it waited for."""
        course = Course.resume(table, terms, now)
        course.purses.admit(taken)
        course.tell("seated", taken.number, taken.told())
        if seed is not None:
            with placed("/seed"):
                _give_seed(course, taken.number, f"{SEED} {seed}")
        course.run()
        return course.change()

    def leave(self, table: TableData, sitter: Sitter, terms: Terms, now: datetime) -> Change:
        """Leave a seat: once cards are dealt it is played on. A match that no person is left at ends with its deal."""
        course = Course.resume(table, terms, now)
        course.leave(sitter)
        course.run()
        return course.change()

    def time_up(self, table: TableData, terms: Terms, now: datetime) -> Change:
        """The person who is awaited has his turn played by the default."""
        course = Course.resume(table, terms, now)
        for seat in course.playing.awaited():
            if table.sitters[seat].by_hand:
                course.play_for(seat)
        course.run()
        return course.change()

    def shown(self, table: TableData, player: str, terms: Terms, now: datetime, live: Any) -> Json:
        """`play`, `legal` and `last` of a table's view. Before the first deal everybody sees the commitment."""
        kept = table.stored["match"]
        sitter = table.seat_of(player)
        seat = None if sitter is None else sitter.number
        shared = {
            "commitment": kept["commitment"],
            "seeded": [str(number) in kept["seeds"] for number in range(len(table.sitters))],
            "purse": None if sitter is None else _purse(table, sitter),
        }
        state = live if live is not None else state_of(table)
        if state is None:
            gives = sitter is not None and str(seat) not in kept["seeds"] and not table.closed
            return {"play": shared, "legal": [_SEED] if gives else [], "last": None}
        if not table.may_watch(player):
            return {"play": None, "legal": [], "last": None}
        play = state.view(seat)
        legal = play.pop("legal")
        if sitter is not None and sitter.leaving:
            legal = []  # the default policy acts for who is leaving
        return {
            "play": {**play, "awaited": list(state.awaited()), **shared},
            "legal": legal,
            "last": kept["last"],
        }

    def summary(self, table: TableData) -> Json:
        """What a match is played to, and for what."""
        stakes = Stakes.of(table.settings)
        return {
            "target": table.options["match"]["target"],
            "ante": stakes.ante,
            "chips_per_point": stakes.chips_per_point,
            "max_points": stakes.max_points,
        }

    def proof(
        self, session: Session, table: TableData, *, bank_id: str | None = None, deal_id: str | None = None
    ) -> bytes:
        """The proof of the whole match or of one of its deals."""
        if bank_id is not None:
            raise NotFound("this match has one proof, at …/proof, and one for each deal, at …/deals/ID/proof")
        return proving.proof(session, table, deal_id)


def _purse(table: TableData, sitter: Sitter) -> int:
    if not table.practice:
        return table.balance(sitter)
    purses: list[int] = table.stored["purses"]
    return purses[sitter.number]


def _do(course: Course, seat: int, text: str) -> None:
    """Do one text by hand."""
    if course.state is None:
        _give_seed(course, seat, text)
        course.run()
        return
    if seat not in course.state.actors():
        course.run()
    _refuse_seed(course, seat, text)
    course.act(seat, text, BY_HAND)


def _give_seed(course: Course, seat: int, text: str) -> None:
    """`seed 00ff`, while the table is open: the only action there is."""
    given = str(seat) in course.kept.seeds
    legal = [] if given else [_SEED]
    if text.split(" ", 1)[0] != SEED:
        raise Conflict(
            "the cards are dealt when no seat is open and every seed is given that was promised; until then there is"
            " «seed 00ff»",
            code="waiting_for_seats",
            members={"legal": legal},
        )
    seed = parse(text).value
    if given or not isinstance(seed, bytes):
        raise IllegalAction(f"seat {seat} has given its seed already", legal=legal, pointer="/action")
    course.kept.seeds[str(seat)] = seed.hex()
    course.tell(SEED, seat, {"bytes": len(seed), "by": BY_HAND})


def _refuse_seed(course: Course, seat: int, text: str) -> None:
    if text.split(" ", 1)[0] == SEED:
        legal = course.playing.legal_texts(seat)
        raise IllegalAction(
            "seeds are taken while the table is open: the cards are dealt", legal=legal, pointer="/action"
        )
