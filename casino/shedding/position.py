"""Positions of shedding games: any situation as JSON, read with every impossibility refused by its place.

`fields.py` has the fields and writes them.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NoReturn

from casino.cards import FACES, NAMES, RANKS, SUITS, face
from casino.chance import SEED_BYTES
from casino.errors import NotationError, PositionError
from casino.game import Result
from casino.setting_up import check_shape, checked_seat
from casino.shedding import ending, menus, packets, turns
from casino.shedding.actions import laid as laid_by
from casino.shedding.actions import parse
from casino.shedding.deal import (
    ADDING,
    CHOOSING,
    DREW,
    NAMING,
    NO_CARD,
    NOBODY,
    OVER,
    TURN,
    Deal,
    hand_of,
)
from casino.shedding.fields import SCHEMA
from casino.shedding.patterns import BITS
from casino.shedding.reading import build
from casino.shedding.tables import ANY, ANYTHING, FREE, RANK, quiet_goal

if TYPE_CHECKING:
    from casino.shedding.engine import ShedGame

BY_SEAT: Final = ("hands", "out_for", "totals")


def read(game: "ShedGame", d: Deal, data: Mapping[str, Any]) -> None:
    """Set a fresh deal to a position. Raises PositionError, RulesError or NotationError with a pointer."""
    known = {key: value for key, value in data.items() if value is not None}
    check_shape(
        game,
        known,
        SCHEMA,
        BY_SEAT,
        lambda options: build(game.defaults, options, "/options") == game.rules,
    )
    _Reader(game, d, known).read()


class _Reader:
    """One position being read into a fresh deal."""

    def __init__(self, game: "ShedGame", d: Deal, data: Mapping[str, Any]) -> None:
        self.d = d
        self.data = data
        self.tables = d.tables
        self.rules = d.tables.rules
        self.left = Counter(game.pack)

    def read(self) -> None:
        d, data = self.d, self.data
        self.cards()
        self.seats()
        self.top()
        self.obligations()
        self.counters()
        self.window()
        if "result" in data:
            self.result(data["result"])
            return
        self.turn()
        self.hands_that_are_empty()
        if ending.ended(d) and not (d.penalty and self.rules.last_attack == "answered") and d.ask != CHOOSING:
            ending.settle(d, "out")
        d.log = []

    # Cards.

    def cards(self) -> None:
        d, data = self.d, self.data
        if "hands" not in data or "pile" not in data:
            missing = "pile" if "hands" in data else "hands"
            raise PositionError(
                "must be given: hands and at least the top of the pile", pointer=f"/{missing}"
            )
        hands = [self.counted(hand, f"/hands/{seat}") for seat, hand in enumerate(data["hands"])]
        d.hands = [hand_of(hand) for hand in hands]
        d.stock = self.counted(data.get("stock", []), "/stock")[::-1]
        d.pile = self.counted(data["pile"], "/pile")
        if "first_card" in data:
            d.first_card = face(data["first_card"], pointer="/first_card")

    def counted(self, texts: Sequence[str], pointer: str) -> list[int]:
        """Cards that lie somewhere: all together no more of each than the pack has."""
        cards = []
        for index, text in enumerate(texts):
            card = face(text, pointer=f"{pointer}/{index}")
            if not self.left[card]:
                raise PositionError(
                    f"{text} lies here once more than the pack has it", pointer=f"{pointer}/{index}"
                )
            self.left[card] -= 1
            cards.append(card)
        return cards

    def one_card(self, key: str) -> int:
        return face(self.data[key], pointer=f"/{key}") if key in self.data else NO_CARD

    # Seats.

    def seat(self, seat: int, pointer: str) -> int:
        return checked_seat(seat, self.d.seats, pointer)

    def seats(self) -> None:
        d, data = self.d, self.data
        d.dealer = self.seat(data.get("dealer", d.seats - 1), "/dealer")
        d.direction = data.get("direction", self.rules.direction)
        for index, seat in enumerate(data.get("finished", [])):
            if d.hands[self.seat(seat, f"/finished/{index}")]:
                raise PositionError(f"seat {seat} is out and yet holds cards", pointer=f"/hands/{seat}")
            d.finished.append(seat)
        d.close_ranks()
        if d.still_in < 1:
            raise PositionError("somebody must be left in", pointer="/finished")
        d.to_move = self.to_move()
        d.players_at_start = data.get("players_at_start", d.seats)
        if d.players_at_start < d.seats:
            raise PositionError(
                f"there are {d.seats} seats, so no fewer at the start", pointer="/players_at_start"
            )
        d.cap = self.rules.turn_limit * d.players_at_start
        d.out_for = list(data.get("out_for", d.out_for))
        for seat in d.finished:
            if d.out_for[seat]:
                raise PositionError(f"seat {seat} is out: it loses no turns", pointer=f"/out_for/{seat}")
        d.sitting = sum(d.out_for)

    def to_move(self) -> int:
        d = self.d
        first = d.dealer if self.rules.starts == "left" else d.dealer - 2
        seat = self.seat(self.data.get("to_move", (first + 1) % d.seats), "/to_move")
        choosing = self.data.get("turn", {}).get("needs") == "choose"
        if seat in d.finished and not choosing and "result" not in self.data:
            if "to_move" in self.data and not ending.ended(d):
                raise PositionError(f"seat {seat} is out: it cannot be to move", pointer="/to_move")
            seat = d.ring[d.direction][seat]
        return seat

    def top(self) -> None:
        """What the next card must match: the top card, or what a joker there stands for."""
        d, data = self.d, self.data
        joker = d.pile[-1] >= FACES
        if "joker_as" in data:
            d.active = self.one_card("joker_as")
            if not joker or d.active >= FACES:
                raise PositionError(
                    "a joker on top of the pile stands for a card of rank and suit", pointer="/joker_as"
                )
        elif joker and self.rules.named_jokers and not data.get("free_card"):
            raise PositionError("say which card the joker on top of the pile stands for", pointer="/joker_as")
        else:
            d.active = self.shown(d.pile)
        if data.get("free_card"):
            d.active = ANYTHING

    # Obligations.

    def obligations(self) -> None:
        d, data = self.d, self.data
        kinds = ("penalty", "skip", "demand", "four_round")
        opened = [key for key in kinds if data.get(key)]
        if len(opened) > 1:
            raise PositionError(
                f"at most one obligation is open, and {opened[0]} is (a demand under it is a dormant_demand)",
                pointer=f"/{opened[1]}",
            )
        d.penalty, d.skip, d.solo = (data.get(key, 0) for key in ("penalty", "skip", "solo"))
        if d.penalty:
            self.attack()
        elif "attack" in data or "attack_by" in data:
            raise PositionError("no penalty is open", pointer="/attack")
        if d.skip and not self.skips("answer"):
            raise PositionError("nothing here makes the next seat lose turns", pointer="/skip")
        if (d.solo or "four_round" in data) and not self.skips("round"):
            key = "solo" if d.solo else "four_round"
            raise PositionError("there is no round of fours here", pointer=f"/{key}")
        if "four_round" in data:
            self.four_round(data["four_round"])
        if "dormant_demand" in data and not (d.penalty or d.skip or d.fours):
            raise PositionError("nothing is open that a demand would sleep under", pointer="/dormant_demand")
        for key in ("demand", "dormant_demand"):
            if key in data:
                self.demand(data[key], f"/{key}", asleep=key != "demand")

    def skips(self, procedure: str) -> bool:
        costly = any(power and power.skip for power in self.tables.powers)
        return costly and self.rules.skips == procedure

    def attack(self) -> None:
        """The card that the penalty stands on: as given, or the uppermost attacking card of the pile."""
        d, attacks = self.d, self.tables.attacks
        d.attack = self.one_card("attack")
        if d.attack == NO_CARD:
            shown = [*d.pile, *([d.active] if d.active < FACES else [])]
            d.attack = next((card for card in reversed(shown) if BITS[card] & attacks), NO_CARD)
        if d.attack == NO_CARD or not BITS[d.attack] & attacks:
            raise PositionError("say which attacking card the penalty stands on", pointer="/attack")
        if "attack_by" in self.data:
            d.backward = self.seat(self.data["attack_by"], "/attack_by")

    def four_round(self, four: Mapping[str, Any]) -> None:
        d = self.d
        d.fours = four["fours"]
        d.last_four = self.seat(four["last"], "/four_round/last")
        d.lap = four.get("lap", 1)
        passed = four.get("passed", 0)
        d.passed = passed if isinstance(passed, int) else len(passed)
        if d.last_four == d.to_move and "turn" not in self.data and "result" not in self.data:
            raise PositionError("who laid the last four is not asked himself", pointer="/to_move")

    def demand(self, demand: Mapping[str, Any], pointer: str, *, asleep: bool) -> None:
        d, data = self.d, self.data
        if len(demand) != 1:
            raise PositionError('a demand is one of {"suit"}, {"rank"}, {"any"}, {"not"}', pointer=pointer)
        ((kind, value),) = demand.items()
        d.demand = self.demand_code(kind, value, f"{pointer}/{kind}")
        d.demand_by = self.seat(data.get("demand_by", d.ring[-d.direction][d.to_move]), "/demand_by")
        if "demand_left" in data:
            # The turn now begun is counted in the position, and was counted off in the deal unless it sleeps.
            d.demand_left = data["demand_left"] - (not asleep)

    def demand_code(self, kind: str, value: Any, pointer: str) -> int:
        calls = "rank" if kind in ("rank", "any") else "suit"
        powers = [power for power in self.rules.powers if power.names == calls]
        if not powers:
            raise PositionError(f"no card here demands a {calls}", pointer=pointer)
        if kind in ("any", "not") and not any(power.held for power in powers):
            raise PositionError("is only said where one may name only what one holds", pointer=pointer)
        if kind == "any":
            return ANY
        if kind == "rank" and RANKS.index(value) not in self.tables.callable:
            named = ", ".join(RANKS[rank] for rank in self.tables.callable)
            raise PositionError(f"a {value} cannot be demanded here: {named} can", pointer=pointer)
        return (
            {"suit": 0, "not": FREE}[kind] + SUITS.index(value)
            if calls == "suit"
            else RANK + RANKS.index(value)
        )

    # The turn.

    def counters(self) -> None:
        d, data = self.d, self.data
        passes = data.get("passes", 0)
        if isinstance(passes, int):
            seat, count = d.to_move, min(passes, d.still_in - 1)
            passes = [seat := d.ring[-d.direction][seat] for _ in range(count)]
        for index, seat in enumerate(passes):
            d.passes |= 1 << self.seat(seat, f"/passes/{index}")
        d.turns = data.get("turns", 0)
        d.totals = tuple(data.get("totals", ()))
        d.shuffles = data.get("shuffles", 0)
        d.seed = self.seed(data.get("shuffle_seed", 0))

    def seed(self, seed: int | str) -> bytes:
        if isinstance(seed, int):
            return seed.to_bytes(SEED_BYTES, "big")
        try:
            found = bytes.fromhex(seed)
        except ValueError:
            found = b""
        if len(found) != SEED_BYTES:
            raise PositionError(f"is a number, or {2 * SEED_BYTES} hex digits", pointer="/shuffle_seed")
        return found

    def window(self) -> None:
        d = self.d
        if "window" not in self.data:
            return
        window = self.data["window"]
        d.window = self.seat(window["seat"], "/window/seat")
        d.said = window.get("said", False)
        if d.window in d.finished:
            raise PositionError(f"seat {d.window} is out: it has nothing to call", pointer="/window/seat")

    def turn(self) -> None:
        d = self.d
        turns.await_turn(d)
        d.drawn = self.one_card("drawn")
        turn = self.data.get("turn", {})
        if turn:
            self.laid(turn)
        if d.drawn != NO_CARD and turn.get("needs") is None:
            d.ask = DREW
            if not d.hands[d.to_move] & BITS[d.drawn]:
                raise PositionError(f"seat {d.to_move} does not hold this card", pointer="/drawn")

    def laid(self, turn: Mapping[str, Any]) -> None:
        d = self.d
        physical, d.laid = self.laid_cards(turn["laid"])
        held = len(physical)
        if physical[-len(d.pile) :] != d.pile[-held:]:
            raise PositionError("these cards lie on top of the pile", pointer="/turn/laid")
        d.base = self.base(turn, d.pile[:-held])
        wanted = quiet_goal(self.tables, d.demand, d.base)
        d.matched = (
            d.ask != TURN or not self.rules.rank_packets or any(BITS[card] & wanted for card in d.laid)
        )
        needs = turn.get("needs")
        choosing = any(self.tables.effects[card].choose for card in d.laid)
        if not {"name": self.tables.calls[d.laid[-1]], "choose": choosing}.get(needs or "", True):
            raise PositionError(f"{NAMES[d.laid[-1]]} asks no such thing", pointer="/turn/needs")
        d.ask = {"name": NAMING, "choose": CHOOSING}.get(needs or "", ADDING)
        d.calm = False
        if d.ask == ADDING:
            d.goal = packets.addable(d)
            if not d.matched and not menus.can_make_match(d):
                raise PositionError("no card of the hand makes this packet match", pointer="/turn/laid")
        else:
            self.aim(turn)

    def base(self, turn: Mapping[str, Any], under: Sequence[int]) -> int:
        """What the first card of the turn had to match: as given (null: nothing), or what lies under the turn's."""
        if "base" in turn:
            return ANYTHING if turn["base"] is None else face(turn["base"], pointer="/turn/base")
        return self.shown(under)

    def shown(self, cards: Sequence[int]) -> int:
        """The card that a pile shows: its top, or where jokers carry it the one under them."""
        if not cards or cards[-1] < FACES:
            return cards[-1] if cards else ANYTHING
        carries = self.rules.after_joker == "carry" and not self.rules.named_jokers
        return next((card for card in reversed(cards) if carries and card < FACES), ANYTHING)

    def aim(self, turn: Mapping[str, Any]) -> None:
        """Where the turn goes once the question is answered: as given, or as the cards laid say."""
        d = self.d
        powers = [power for card in d.laid if (power := self.tables.powers[card])]
        backward = any(power.draw and power.back for power in powers[-1:])
        d.aim = turn.get("aim", -1 if backward else 1)
        d.over = turn.get("over", sum(power.over for power in powers))

    def laid_cards(self, texts: Sequence[str]) -> tuple[list[int], tuple[int, ...]]:
        cards, faces = [], []
        for index, text in enumerate(texts):
            try:
                card, named = laid_by(parse(f"play {text}"))
            except NotationError as refusal:
                raise NotationError(refusal.detail, pointer=f"/turn/laid/{index}") from None
            cards.append(card)
            faces.append(named)
        return cards, tuple(faces)

    def hands_that_are_empty(self) -> None:
        """Who holds nothing is out, unless he must call first, may still be answered, or goes on with his turn."""
        d = self.d
        for seat, hand in enumerate(d.hands):
            waits = (
                seat in d.finished
                or (seat == d.window and self.rules.multiple_macao)
                or (seat == d.to_move and bool(d.laid))
                or seat == ending.double_owner(d)
            )
            if not hand and not waits:
                self.refuse_empty(seat)

    def refuse_empty(self, seat: int) -> NoReturn:
        raise PositionError(
            f"seat {seat} holds no cards and is not among the finished", pointer=f"/hands/{seat}"
        )

    def result(self, result: Mapping[str, Any]) -> None:
        d = self.d
        d.outcome = Result(
            tuple(result["scores"]), tuple(result["winners"]), result["unit"], result["reason"]
        )
        d.ask, d.to_move, d.window, d.menu = OVER, NOBODY, NOBODY, ()
