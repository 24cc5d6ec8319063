"""What the engine tells of a table and moves at it, gathered as rows, events and entries of the ledger.

Nothing is written here: see `change.py`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from api.ids import new_id
from api.models.ledger import HOUSE as HOUSE_ACCOUNT
from api.services.ledger import Entry
from api.services.tables.change import Happening
from api.services.tables.gathered import Gathered
from api.services.tables.model import BOT, HOUSE, OPEN, PLAYER, Json, Sitter
from casino.banking.money import Movement
from casino.banking.state import BankingState
from casino.cards import names
from casino.chance import SEED_BYTES, derive
from casino.game import Event

_CHOICES: Final = frozenset(
    ("bank", "declined", "topped", "staked", "sat_out", "discarded", "drew", "stood", "seed")
)

KEPT: Final = (
    "bank_id",
    "coup_id",
    "coup_event",
    "put_up",
    "shuffles",
)  # from one request to the next


@dataclass(slots=True, kw_only=True)
class Gathering(Gathered):
    """All that changes at one banking table. `coup_event` is the first event of the coup, 0 before it."""

    state: BankingState
    coup_id: str | None = None
    coup_event: int = 0
    put_up: int = 0
    shuffles: list[str] = field(default_factory=list)
    coups_settled: int = 0

    def new_bank(self, entropy: Callable[[int], bytes]) -> None:
        """Give the engine a fresh server seed and note the bank (number 0 is the lot for the first banker).

        A practice table's seeds and names come from the seed that it was opened with: the same cards every time.
        """
        state, kind = self.state, self.state.needs_seed
        number = 0 if kind == "lot" else state.bank_number + 1
        self.bank_id = bank_id = new_id("bnk", self.now)
        self.shuffles = []
        if self.table.practice:
            given = self.table.stored["seed"].to_bytes(SEED_BYTES, "big")
            seed = derive(given, "practice bank", number)
            state.provide(seed, "practice", str(number))
        else:
            seed = entropy(SEED_BYTES)
            state.provide(seed, self.table.id, bank_id)
        self.add_bank(bank_id, number, seed)
        self.gather("house")
        if kind == "lot":
            self.bank_row(reason="lot", closed_at=self.now, revealed_at=self.now)
            self.bank_id = None

    def gather(self, by: str, seat: int | None = None, *, timed_out: bool = False) -> None:
        """Take over what the engine tells and moves."""
        movements, events = self.state.drain_movements(), self.state.drain()
        for order in self.state.drain_shuffles():
            self.shuffles = [*self.shuffles, names(order)]
            self.bank_row(shuffles=self.shuffles)
        if self.coup_id is None and any(event.type == "staked" for event in events):
            self._open_coup(next(event.data["coup"] for event in events if event.type == "staked"))
        self._take_moves(movements)
        chooser = seat
        for event in events:
            chosen = chooser is not None and event.seat == chooser and event.type in _CHOICES
            self._take_event(event, by if chosen else None, timed_out)
            if chosen:
                chooser = None  # what follows from it by itself nobody chose
        if self.coup_id is None and not any(self.state.sat):
            self.coup_event = 0

    def _open_coup(self, number: int) -> None:
        self.coup_id = new_id("cou", self.now)
        self.coup_event = self.coup_event or self.table.last_event + len(self.happenings) + 1
        self.add_coup(self.coup_id, number)

    def _take_moves(self, movements: list[Movement]) -> None:
        if self.table.practice:
            return
        accounts = self.table.stored["accounts"]
        for move in movements:
            places = []
            for place in (move.source, move.target):
                places.append(accounts[place] if isinstance(place, str) else self._account(place[1]))
            in_coup = "escrow" in (move.source, move.target)
            self.moves.append(
                Entry(
                    places[0],
                    places[1],
                    move.amount,
                    move.kind,
                    self.table.id,
                    self.bank_id,
                    self.coup_id if in_coup else None,
                )
            )

    def _account(self, seat: int) -> int:
        sitter = self.table.sitters[seat]
        if sitter.kind == HOUSE:
            return HOUSE_ACCOUNT
        assert sitter.account is not None  # noqa: S101 (only an open seat has none, and it moves no chips)
        return sitter.account

    def _take_event(self, event: Event, by: str | None, timed_out: bool) -> None:
        data = dict(event.data)
        if event.type in _CHOICES:
            data["by"] = by or self._by_itself(event)
            if by and timed_out:
                data["timed_out"] = True
        if event.type in ("seated", "left") and event.seat is not None and "draws" not in data:
            sitter = self.table.sitters[event.seat]
            data |= sitter.told()
        private = self.private(event)
        self.happenings.append(Happening(event.type, event.seat, self._coup_number(event), data, private))
        if event.type == "sat_out" and not self.coup_event:  # before anybody has staked
            self.coup_event = self.table.last_event + len(self.happenings)
        handler = _HANDLERS.get(event.type)
        if handler is not None:
            handler(self, event)

    def _by_itself(self, event: Event) -> str:
        """Who made a choice that followed from another seat's: the house, or the rules, where there was none."""
        sitter = None if event.seat is None else self.table.sitters[event.seat]
        return HOUSE if sitter is not None and sitter.kind == HOUSE else "rules"

    # What some events mean for the rows

    def _on_bank(self, event: Event) -> None:
        assert event.seat is not None  # noqa: S101 (somebody put it up)
        self.put_up = event.data["amount"]
        player = self.table.sitters[event.seat].player
        self.bank_row(banker_seat=event.seat, banker_id=player, put_up=self.put_up)

    def _on_topped(self, event: Event) -> None:
        self.put_up += event.data["amount"]
        self.bank_row(put_up=self.put_up)

    def _on_shuffled(self, event: Event) -> None:
        if event.data["number"] == 0:
            state, ended = self.state, self.state.ended_bank
            # A bank may be shuffled for, played and over in one action: then its seeds are with what proves it.
            given = state.client_seeds if state.shoe is not None or ended is None else ended["client_seeds"]
            self.bank_row(client_seeds=[(seed or b"").hex() for seed in given])

    def _on_bank_over(self, event: Event) -> None:
        self.bank_row(
            left_over=event.data["left"],
            reason=event.data["reason"],
            closed_at=self.now,
            revealed_at=self.now,
        )

    def _on_settled(self, event: Event) -> None:
        record = {
            **event.data,
            "events": [self.coup_event, self.table.last_event + len(self.happenings)],
            "rules_hash": self.table.rules_hash,
            "engine": self.table.engine,
        }
        self._end_coup(status="settled", record=record)
        self.coups_settled += 1

    def _on_voided(self, event: Event) -> None:
        last = self.table.last_event + len(self.happenings)
        self._end_coup(status="voided", record={**event.data, "events": [self.coup_event, last]})

    def _end_coup(self, **values: Any) -> None:
        assert self.coup_id is not None  # noqa: S101 (a coup is opened by its first stake)
        row = self.rows.setdefault(self.coup_id, {"id": self.coup_id})
        row.update(values, settled_at=self.now)
        if values["status"] == "settled" and not self.table.practice:
            self._add_results(values["record"])
        self.coup_id, self.coup_event = None, 0

    def _add_results(self, record: Json) -> None:
        """What the coup was to each player; balances count what lies in his bank here."""
        state = self.state
        for sitter in self.table.sitters:
            seat = sitter.number
            banks = seat == record["banker"]
            stake = sum(record["stakes"]) if banks else record["stakes"][seat]
            if sitter.kind != PLAYER or not stake:
                continue
            after = state.purses[seat] + (state.bank if seat == state.banker else 0)
            net = record["chips"][seat]
            side = "banker" if banks else "punter"
            self.results.append(
                self.result_row(seat, self.coup_id, side=side, stake=stake, net=net, balance_after=after)
            )

    def _on_seated(self, event: Event) -> None:
        seating = event.data.get("seating")
        if seating is not None:
            self._reseat(seating)

    def _on_left(self, event: Event) -> None:
        assert event.seat is not None  # noqa: S101 (somebody left it)
        self.vacate(event.seat)

    def _coup_number(self, event: Event) -> int | None:
        number = event.data.get("coup")
        return number if isinstance(number, int) else None

    def vacate(self, seat: int) -> None:
        sitter = self.table.sitters[seat]
        if sitter.kind == BOT and not self.table.practice:
            self.give_back(sitter)
        self.table.sitters[seat] = Sitter(seat, OPEN)
        self.changed.add(seat)

    def _reseat(self, seating: list[int]) -> None:
        """Take the seats in the order of the drawn cards: `seating[old] = new`."""
        sitters = self.table.sitters
        moved = sorted(zip(seating, sitters, strict=True), key=lambda pair: pair[0])
        for number, (_, sitter) in enumerate(moved):
            sitter.number = number
            sitters[number] = sitter
            self.changed.add(number)

    def give_back(self, sitter: Sitter) -> None:
        chips = self.state.purses[sitter.number]
        if chips:
            self.state.set_purse(sitter.number, 0)
            account = self._account(sitter.number)
            self.moves.append(Entry(account, HOUSE_ACCOUNT, chips, "bot_return", self.table.id))


_HANDLERS: Final[dict[str, Callable[[Gathering, Event], None]]] = {
    "bank": Gathering._on_bank,
    "topped": Gathering._on_topped,
    "shuffled": Gathering._on_shuffled,
    "bank_over": Gathering._on_bank_over,
    "settled": Gathering._on_settled,
    "voided": Gathering._on_voided,
    "seated": Gathering._on_seated,
    "left": Gathering._on_left,
}
