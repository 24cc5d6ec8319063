"""A match being played forward on a copy: one action and everything that follows from it by itself.

The engine says what happens. Here its seats become people and bots, its deals get ids, rows and stakes, and the table
is dealt, stopped and closed. Nothing is written: see `change.py`.
"""

from collections import deque
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from functools import partial
from random import Random
from typing import Any, Final

from api.ids import new_id
from api.models.ledger import HOUSE as HOUSE_ACCOUNT
from api.services.ledger import Entry
from api.services.tables.change import Change, Happening
from api.services.tables.gathered import Gathered
from api.services.tables.matches.bots import Bots, Rehearsed, turn_goes_on
from api.services.tables.matches.opening import PROMISED, match_of_table
from api.services.tables.matches.purses import Purses
from api.services.tables.model import BOT, HOUSE, OPEN, PLAYER, Json, Sitter, TableData
from api.services.tables.play import BY_BOT, BY_DEFAULT, Terms
from casino.bots.moving import CALL
from casino.cards import names
from casino.chance import SEED_BYTES, commitment, derive
from casino.game import Event
from casino.match import Match, MatchState, deal_name

PRACTICE: Final = "practice"  # the name of every practice table in its key
_CHOICES: Final = frozenset(("played", "called", "caught"))
# What bots may do in one go, in steps and in seconds of thought; a deal without people may take far more.
_STEPS: Final = 5000
_THOUGHT: Final = 2.0


@dataclass(slots=True)
class Kept:
    """What is kept of a match beside the engine's state, from one request to the next.

    `seeds`: client seeds in hex by seat, as they come in; `server_seed` in hex, until the cards are dealt. Of the open
    deal: its id, `number`, first event, cards dealt, shuffled orders, and `done`, the actions so far. `moves`: actions
    in turn of the whole match, so a deadline is known to be for the present one. `last`: the last deal as scored.
    """

    commitment: str
    server_seed: str | None
    promised: list[int]
    bank_id: str
    seeds: dict[str, str] = field(default_factory=dict)
    deal_id: str | None = None
    deal_event: int = 0
    number: int = 0
    done: int = 0
    moves: int = 0
    dealt: Json = field(default_factory=dict)
    shuffles: list[Json] = field(default_factory=list)
    last: Json | None = None


@dataclass(slots=True, kw_only=True)
class Course(Gathered):
    """One match being played forward. `state` is None until the first deal, `closing` says why the table closes.

    `paused`: bots have done what they may in one go and have more to do: the clock of the tables goes on with it.
    """

    match: Match[Any]
    state: MatchState[Any] | None
    terms: Terms
    kept: Kept
    purses: Purses
    bots: Bots
    closing: str | None = None
    paused: bool = False

    @classmethod
    def resume(cls, table: TableData, terms: Terms, now: datetime) -> "Course":
        """Take up a table where it was left."""
        return cls._made(table, terms, now, Kept(**table.stored["match"]), state_of(table))

    @classmethod
    def begin(cls, table: TableData, terms: Terms, now: datetime, rehearsed: Rehearsed) -> "Course":
        """The first moment of a table: its seed is drawn and committed to."""
        seed = rehearsed.server_seed
        promised = list(table.settings[PROMISED])
        kept = Kept(commitment(seed), seed.hex(), promised, new_id("bnk", now))
        course = cls._made(table, terms, now, kept, None, rehearsed)
        course.add_bank(kept.bank_id, 1, seed)
        return course

    @classmethod
    def _made(
        cls,
        table: TableData,
        terms: Terms,
        now: datetime,
        kept: Kept,
        state: MatchState[Any] | None,
        rehearsed: Rehearsed | None = None,
    ) -> "Course":
        match = match_of_table(table)
        chance = partial(bot_chance, table.stored.get("seed"), kept.moves, terms)
        return cls(
            table=table,
            now=now,
            bank_id=kept.bank_id,
            match=match,
            state=state,
            terms=terms,
            kept=kept,
            purses=Purses.of(table, terms),
            bots=Bots(match, table.sitters, chance, rehearsed.moves if rehearsed else None),
        )

    # Acting

    def act(self, seat: int, text: str, by: str, *, timed_out: bool = False) -> None:
        """Do a text of a seat, which may hold several steps. Raises what the engine raises."""
        for step in text.split(";"):
            self._step(seat, step.strip(), by, timed_out)

    def _step(self, seat: int, step: str, by: str, timed_out: bool) -> None:
        state = self.playing
        in_turn = seat in state.awaited()
        state.do(seat, step)
        if timed_out:
            self.tell("timed_out", seat, {"action": step})
        self.kept.done += 1
        self.kept.moves += in_turn
        self.gather(by, seat, timed_out)

    @property
    def playing(self) -> MatchState[Any]:
        """The state of a match that has begun."""
        assert self.state is not None  # noqa: S101 (whoever asks has looked)
        return self.state

    def run(self) -> None:
        """Let everything happen that needs no person: the first deal, bots, vacated seats, the end."""
        for _ in range(_STEPS):
            if self.closing is not None:
                return
            if self.bots.thought > _THOUGHT and not self.table.practice:
                break  # a practice table repeats itself, however fast the machine is
            if self.state is None:
                if self._deserted():
                    self._close("left")
                elif self._ready():
                    self._start()
                else:
                    return
            elif self.state.reason is not None:
                self._close(self.state.reason)
            elif (move := self.bots.next(self.state)) is not None:
                by = BY_BOT if self.table.sitters[move[0]].kind == BOT else BY_DEFAULT
                self._step(*move, by, timed_out=False)
            else:
                return
        self.paused = not any(self.table.sitters[seat].by_hand for seat in self.playing.awaited())

    def play_for(self, seat: int) -> None:
        """Time is up: the default plays the whole of the seat's turn, and says what is to be said."""
        bot, state, deal = self.bots.bot(seat), self.playing, self.kept.number
        while True:
            self.act(seat, bot.choose(state.view(seat)), BY_DEFAULT, timed_out=True)
            over = state.reason is not None or self.kept.number != deal
            if over or seat not in state.awaited() or not turn_goes_on(state.view(seat)):
                break
        if CALL in state.legal_texts(seat):
            self.act(seat, CALL, BY_DEFAULT, timed_out=True)

    # What the engine tells

    def gather(self, by: str, seat: int | None, timed_out: bool = False) -> None:
        """Take over what the engine tells."""
        state = self.playing
        orders = deque(state.drain_shuffles())
        for event in state.drain():
            if event.type == "dealt" and not self._open_deal(event):
                return
            if event.type in ("dealt", "shuffled"):
                self.kept.shuffles.append({"after": self.kept.done, "cards": names(orders.popleft())})
            data = dict(event.data)
            if event.type == "scored":
                data |= self._settled(data["deal"])
            chosen = event.type in _CHOICES or data.get("why") == "draw"
            if chosen and event.seat == seat:
                data |= {"by": by, "timed_out": True} if timed_out else {"by": by}
            self.happenings.append(Happening(event.type, event.seat, data["deal"], data, self.private(event)))
            if event.type == "scored":
                self._end_deal(data)

    def tell(self, kind: str, seat: int | None, data: Json) -> None:
        """Add an event of the table itself, with the number of the deal it falls into."""
        number = self.kept.number if self.kept.deal_id is not None else None
        self.happenings.append(Happening(kind, seat, number, data))

    # Deals

    def _ready(self) -> bool:
        """Are all seats taken, and all seeds given that were promised? Who cannot cover the deal loses his seat."""
        if any(sitter.kind == OPEN for sitter in self.table.sitters):
            return False
        if any(str(seat) not in self.kept.seeds for seat in self.kept.promised):
            return False
        short = [sitter for sitter in self.table.sitters if not self.purses.covers(sitter)]
        for sitter in short:
            self.vacate(sitter, reason="not_covered")
        return not short

    def _start(self) -> None:
        kept, table = self.kept, self.table
        seeds = [bytes.fromhex(kept.seeds.get(str(seat), "")) for seat in range(self.match.seats)]
        server_seed = bytes.fromhex(kept.server_seed or "")
        self.state = self.match.start(server_seed, PRACTICE if table.practice else table.id, seeds)
        self.bank_row(client_seeds=[seed.hex() for seed in seeds])
        kept.server_seed = None
        self.gather(BY_DEFAULT, None)

    def _open_deal(self, event: Event) -> bool:
        """A deal begins: its stakes are held. False where it cannot begin; then the match is stopped before it."""
        number, kept = event.data["deal"], self.kept
        obstacle = self._obstacle() if number > 1 else None
        if obstacle is not None:
            self.playing.stop(obstacle)
            return False
        self._replace_who_left()
        kept.deal_id, kept.number, kept.done = new_id("dea", self.now), number, 0
        kept.deal_event = self.table.last_event + len(self.happenings) + 1
        kept.shuffles = []
        private = event.private or {}
        hands = event.data.get("hands") or [private[seat]["hand"] for seat in sorted(private)]
        kept.dealt = {"hands": hands, "turned": event.data["turned"]}
        self.add_coup(kept.deal_id, number)
        self._move(self.purses.hold())
        return True

    def _replace_who_left(self) -> None:
        """From the deal after he left on a seat is played by the default on chips of the house."""
        for sitter in self.table.sitters:
            if sitter.leaving:
                account = None if self.table.practice else HOUSE_ACCOUNT
                self._seat(Sitter(sitter.number, HOUSE, name="House", account=account))
                self.tell("seated", sitter.number, self.table.sitters[sitter.number].told())

    def _seat(self, sitter: Sitter) -> None:
        self.table.sitters[sitter.number] = sitter
        self.changed.add(sitter.number)

    def _obstacle(self) -> str | None:
        """Why no further deal can be dealt; None if one can."""
        if self._deserted():
            return "left"
        return None if all(map(self.purses.covers, self.table.sitters)) else "not_covered"

    def _deserted(self) -> bool:
        return not any(sitter.by_hand for sitter in self.table.sitters)

    def _settled(self, number: int) -> Json:
        """Pay the deal out; what is told of it besides what the engine tells."""
        row = self.playing.history[number - 1]
        fewest = self.match.rules.best == "fewest"
        chips = self.purses.stakes.nets(row["scores"], row["winners"], fewest=fewest)
        self._move(self.purses.settle(chips))
        return {"winners": row["winners"], "reason": row["reason"], "chips": chips}

    def _end_deal(self, told: Json) -> None:
        """Write the deal down: everything that it takes to recall it and to play it again."""
        kept, table = self.kept, self.table
        number, last = told["deal"], self.table.last_event + len(self.happenings)
        row = self.playing.history[number - 1]
        key = self.playing.keys.seed(deal_name(number - 1))
        record = {
            **told,
            **row,
            **kept.dealt,
            "stake": self.purses.held,
            "shuffles": kept.shuffles,
            "seed": key.hex(),
            "events": [kept.deal_event, last],
            "rules_hash": table.rules_hash,
            "engine": table.engine,
        }
        assert kept.deal_id is not None  # noqa: S101 (it was opened when it was dealt)
        ended = self.rows.setdefault(kept.deal_id, {"id": kept.deal_id})
        ended.update(status="settled", record=record, settled_at=self.now)
        self._add_results(told["chips"])
        kept.last = told
        kept.deal_id = None

    def _add_results(self, chips: list[int]) -> None:
        stake = self.purses.held
        if not stake or self.table.practice:
            return
        for sitter in self.table.sitters:
            if sitter.kind == PLAYER:
                seat = sitter.number
                values = {"stake": stake, "net": chips[seat], "balance_after": self.purses.chips[seat]}
                self.results.append(self.result_row(seat, self.kept.deal_id, side="player", **values))

    def _move(self, moved: list[tuple[int, int, str]]) -> None:
        """Chips between wallets and the escrow: (seat, chips into the escrow or out of it, kind)."""
        if self.table.practice:
            return
        escrow = self.table.stored["accounts"]["escrow"]
        for seat, chips, kind in moved:
            account = self.table.sitters[seat].account
            assert account is not None  # noqa: S101 (every seat is taken while a deal is on)
            source, target = (account, escrow) if chips > 0 else (escrow, account)
            self.moves.append(
                Entry(source, target, abs(chips), kind, self.table.id, self.bank_id, self.kept.deal_id)
            )

    # Seats and the end

    def vacate(self, sitter: Sitter, **why: str) -> None:
        """Free a seat before the first deal, and forget the seed that was given for it."""
        self.kept.seeds.pop(str(sitter.number), None)
        self.kept.promised = [seat for seat in self.kept.promised if seat != sitter.number]
        self._seat(Sitter(sitter.number, OPEN))
        self.tell("left", sitter.number, {**sitter.told(), **why})

    def leave(self, sitter: Sitter) -> None:
        """A person goes: before the first deal his seat is free, afterwards it is played on."""
        if self.state is None:
            self.vacate(sitter)
            return
        sitter.leaving = True
        self.changed.add(sitter.number)
        self.tell("left", sitter.number, sitter.told())

    def _close(self, reason: str) -> None:
        """The seed is revealed, bots' chips go back to the house, seats are kept as they were."""
        self.closing = reason
        self.bank_row(reason=reason, closed_at=self.now, revealed_at=self.now)
        for sitter in self.table.sitters:
            chips = self.purses.chips[sitter.number]
            if sitter.kind == BOT and sitter.account is not None and chips:
                self.moves.append(Entry(sitter.account, HOUSE_ACCOUNT, chips, "bot_return", self.table.id))
        data: Json = {"reason": reason}
        if self.state is not None and (outcome := self.state.result()) is not None:
            data |= {"totals": list(outcome.scores), "winners": list(outcome.winners)}
        self.tell("closed", None, data)

    def change(self) -> Change:
        """What all this changes."""
        state = self.state
        stored = {
            **self.table.stored,
            "match": asdict(self.kept),
            "state": {} if state is None else state.to_json(),
            "turn": None if self.paused else self._turn(),
        }
        if self.table.practice:
            stored["purses"] = self.purses.chips
        phase = "closed" if self.closing is not None else "open" if state is None else "play"
        change = self.changes(stored, phase, self._deadline(), state, coups="dea")
        change.thought = self.bots.thought
        return change

    def _deadline(self) -> datetime | None:
        """When time is up for the person who is awaited; what others say meanwhile does not put it off."""
        seconds = self.table.turn_seconds
        if self.paused:
            return self.now
        if self.closing is not None or self.state is None or not seconds:
            return None
        if self.table.deadline is not None and self.table.stored.get("turn") == self._turn():
            return self.table.deadline
        return self.now + timedelta(seconds=seconds)

    def _turn(self) -> Json:
        return {"deal": self.kept.number, "moves": self.kept.moves}


def state_of(table: TableData) -> MatchState[Any] | None:
    """The engine's state of a match; None before the first deal."""
    stored = table.stored["state"]
    return match_of_table(table).from_json(stored) if stored else None


def fresh_seed(terms: Terms, practice_seed: int | None) -> bytes:
    """A server seed; a practice table's comes from the seed that it was opened with: the same cards every time."""
    if practice_seed is None:
        return terms.entropy(SEED_BYTES)
    return derive(practice_seed.to_bytes(SEED_BYTES, "big"), "practice bank", 1)


def bot_chance(practice_seed: int | None, moves: int, terms: Terms, seat: int) -> Random:
    """What the bot of a seat draws from; at a practice table it does the same every time."""
    if practice_seed is None:
        return Random(terms.entropy(SEED_BYTES))  # noqa: S311 (a bot's whims are no secret)
    return Random(derive(practice_seed.to_bytes(SEED_BYTES, "big"), f"practice bot {seat}", moves))  # noqa: S311
