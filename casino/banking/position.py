"""A position: one coup set up from JSON (`rules/banking.md`, «A position»), impossible ones refused by place."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from casino import chance
from casino.banking import money, term
from casino.banking.coup import Coup
from casino.banking.hands import ZERO, Hand
from casino.banking.plan import DRAW_BIT
from casino.banking.rules import build
from casino.banking.shoe import Shoe
from casino.cards import FACES, POINTS, RANKS, SUITS, face
from casino.errors import NotationError, PositionError
from casino.options import Schema
from casino.setting_up import check_shape, checked_seat

if TYPE_CHECKING:
    from casino.banking.state import BankingState

_SEAT: Final[Schema] = {"type": "integer", "minimum": 0, "maximum": 9}
_NULL: Final[Schema] = {"type": "null"}
SCHEMA: Final[Schema] = {
    "type": "object",
    "properties": {
        "game": {"type": "string"},
        "options": {"type": "object"},
        "seats": {"type": "integer", "minimum": 2, "maximum": 10},
        "banker": _SEAT,
        "to_move": {"oneOf": [_NULL, _SEAT]},
        "stakes": {"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 10**12}},
        "hands": {"type": "array", "items": {"oneOf": [_NULL, {"type": "string"}]}},
        "done": {"type": "array", "items": {"type": "boolean"}},
        "shoe": {"type": "array", "items": {"type": "string"}},
        "seed": {"oneOf": [{"type": "integer", "minimum": 0, "maximum": 2**256 - 1}, {"type": "string"}]},
    },
    "required": ["hands"],
    "additionalProperties": False,
}
_BY_SEAT: Final = ("hands", "stakes", "done")


def set_up(state: "BankingState", data: Mapping[str, Any]) -> "BankingState":
    """Fill a blank state with a position and play on to the first choice; it is over after its coup.

    Absent: `banker` the last seat, `stakes` the smallest for every punter with a hand, `done` false, `shoe` all
    other cards shuffled by `seed` (0). `to_move` is only checked. Cards that are neither in a hand nor in a given
    shoe lie aside. Raises PositionError, NotationError or RulesError with a pointer.
    """
    game = state.game
    check_shape(
        game,
        data,
        SCHEMA,
        _BY_SEAT,
        lambda options: build(game.options, options, "/options") == game.rules,
    )
    return _Reader(state, data).fill()


class _Stock:
    """The cards of all packs, taken out one by one: named cards first, then those without a suit."""

    def __init__(self, decks: int) -> None:
        self.decks = decks
        self.counts = [decks] * FACES

    def take(self, word: str, pointer: str) -> int:
        """Take a card; one without a suit becomes any of its rank that is left."""
        if len(word) == 1 and word in RANKS:
            return self._take_rank(word, pointer)
        card = face(word, pointer=pointer)
        if card >= FACES:
            raise PositionError("there are no jokers in these packs", pointer=pointer)
        if not self.counts[card]:
            raise PositionError(
                f"{word} stands here more often than in the {self.decks} packs", pointer=pointer
            )
        self.counts[card] -= 1
        return card

    def _take_rank(self, rank: str, pointer: str) -> int:
        for suit in SUITS:
            card = face(rank + suit)
            if self.counts[card]:
                self.counts[card] -= 1
                return card
        raise PositionError(
            f"there are more cards of rank {rank} here than the {4 * self.decks} of the shoe", pointer=pointer
        )

    def rest(self) -> list[int]:
        """What is left, in face order."""
        return [card for card, count in enumerate(self.counts) for _ in range(count)]


class _Reader:
    """One position being read into a blank state."""

    def __init__(self, state: "BankingState", data: Mapping[str, Any]) -> None:
        self.state = state
        self.game = state.game
        self.plan = state.game.plan
        self.data = data
        self.done: Sequence[bool] = data.get("done", [False] * self.game.seats)

    def fill(self) -> "BankingState":
        state, seats = self.state, self.game.seats
        state.banker = self._banker()
        words = [(text or "").split() for text in self.data["hands"]]
        key = self._key()
        cards, shoe = self._cards(words, key)
        stakes = self._stakes(words)
        order = self._order(words, stakes)
        state.occupied, state.single, state.phase = [True] * seats, True, "play"
        state.coups = state.bank_number = 1
        state.shoe = Shoe(self.game.rules.decks, [shoe], key)
        state.coup = coup = Coup(self.plan, state.shoe, 1, state.events)
        coup.hands = [self._hand(seat, words[seat], cards[seat]) for seat in order]
        self._check_draws(coup)
        self._check_turn(coup)
        self._take_stakes(stakes)
        coup.begin()
        if coup.over:
            term.settle(state, coup)
        return state

    def _banker(self) -> int:
        seats = self.game.seats
        return checked_seat(self.data.get("banker", seats - 1), seats, "/banker")

    def _key(self) -> bytes:
        seed = self.data.get("seed", 0)
        if isinstance(seed, int):
            return seed.to_bytes(chance.SEED_BYTES, "big")
        try:
            return bytes.fromhex(seed)
        except ValueError:
            raise PositionError("must be a number or bytes in hex, as in «00ff»", pointer="/seed") from None

    # Cards

    def _cards(self, words: Sequence[Sequence[str]], key: bytes) -> tuple[list[list[int]], list[int]]:
        """The faces of the hands and the order of the shoe: named cards are taken before suitless ones."""
        stock = _Stock(self.game.rules.decks)
        places = [
            ("hands", seat, f"/hands/{seat}", place, _bare(word, f"/hands/{seat}"))
            for seat, hand in enumerate(words)
            for place, word in enumerate(hand)
        ]
        places += [("shoe", 0, f"/shoe/{i}", i, word) for i, word in enumerate(self.data.get("shoe", ()))]
        found: dict[tuple[str, int, int], int] = {}
        for part, row, pointer, place, word in sorted(places, key=lambda item: len(item[4]) == 1):
            found[part, row, place] = stock.take(word, pointer)
        hands = [[found["hands", seat, i] for i in range(len(hand))] for seat, hand in enumerate(words)]
        if "shoe" in self.data:
            return hands, [found["shoe", 0, i] for i in range(len(self.data["shoe"]))]
        return hands, chance.shuffled(stock.rest(), key, 0)

    def _hand(self, seat: int, words: Sequence[str], cards: Sequence[int]) -> Hand:
        """One hand; thrown cards must be zeros that this seat may throw, the rest must fit the rules."""
        where, plan = f"/hands/{seat}", self.plan
        banker = seat == self.state.banker
        hand = Hand(seat, opened=plan.exposed and not banker)
        for word, card in zip(words, cards, strict=True):
            hand.drew = len(hand.kept()) >= plan.first
            hand.take(card)
            if word[0] == "(":
                self._check_throw(hand, word, banker, where)
                hand.throw()
        self._check_length(hand, banker, where)
        hand.drew = len(hand.kept()) > plan.first
        hand.done = self.done[seat]
        hand.stood = hand.done and not hand.drew
        if plan.on_turn and not banker:
            hand.opened = hand.done or hand.drew or hand.replaced
        return hand

    def _check_throw(self, hand: Hand, word: str, banker: bool, where: str) -> None:
        rules = self.game.rules
        option = "banker_discards" if banker else "punter_discards"
        kind = "drawn" if hand.drew else "dealt"
        if not ZERO[hand.cards[-1]]:
            raise PositionError(
                f"{word} is no zero: only tens and court cards are thrown away", pointer=where
            )
        if getattr(rules, option) not in (kind, "both"):
            raise PositionError(
                f"a {kind} zero may not be thrown here: {option} is not {kind}", pointer=where
            )

    def _check_length(self, hand: Hand, banker: bool, where: str) -> None:
        first, rules = self.plan.first, self.game.rules
        most = first + (rules.banker_may_draw if banker else rules.max_draws)
        if not first <= len(hand.kept()) <= most:
            size = f"{first}" if most == first else f"{first} or {most}"
            raise PositionError(f"this hand holds {size} cards, thrown ones apart", pointer=where)
        if hand.cards[-1] < 0:
            raise PositionError(
                "a thrown card is replaced at once: the hand ends with a kept one", pointer=where
            )

    def _check_draws(self, coup: Coup) -> None:
        """Nobody has drawn who had to stand, or after a natural that ends the coup."""
        banker = coup.banker
        ended = _first_points(banker, self.plan.first) in self.plan.banker_ends and not banker.replaced
        for hand in coup.hands:
            where = f"/hands/{hand.seat}"
            if ended and (hand.drew or hand.thrown()):
                raise PositionError("nobody draws once the banker has shown a natural", pointer=where)
            if not hand.drew:
                continue
            first = _first_points(hand, self.plan.first)
            bits = self.plan.banker[first][coup.third()] if hand is banker else self.plan.punter[first]
            natural = hand is not banker and first in self.plan.punter_ends
            if not bits & DRAW_BIT or (natural and (self.plan.natural_after_discard or not hand.replaced)):
                raise PositionError(f"a hand of {first} points takes no further card here", pointer=where)

    # Seats

    def _stakes(self, words: Sequence[Sequence[str]]) -> list[int]:
        banker = self.state.banker
        least = self.game.rules.limits.min
        given = self.data.get("stakes")
        stakes: list[int] = given or [least if hand else 0 for hand in words]
        if given is None:
            stakes[banker] = 0
        if stakes[banker]:
            raise PositionError("the banker has no stake", pointer=f"/stakes/{banker}")
        if not any(stakes):
            raise PositionError("at least one punter has staked", pointer="/stakes")
        return stakes

    def _order(self, words: Sequence[Sequence[str]], stakes: Sequence[int]) -> list[int]:
        """The seats with hands, from the banker's left, himself last."""
        seats, banker = self.game.seats, self.state.banker
        around = [(banker + step) % seats for step in range(1, seats)]
        order = [seat for seat in around if stakes[seat]]
        if self.plan.shared:
            order = [max(order, key=stakes.__getitem__)]
        order.append(banker)
        for seat, hand in enumerate(words):
            if hand and seat not in order:
                why = (
                    f"the one hand is played by seat {order[0]}" if self.plan.shared else "no stake, no card"
                )
                raise PositionError(f"seat {seat} has no hand: {why}", pointer=f"/hands/{seat}")
            if not hand and seat in order:
                raise PositionError(f"seat {seat} must have a hand", pointer=f"/hands/{seat}")
        return order

    def _check_turn(self, coup: Coup) -> None:
        waiting = [hand.seat for hand in coup.hands if not hand.done]
        banker = coup.banker
        if waiting and banker.done:
            raise PositionError("the banker decides last", pointer=f"/done/{banker.seat}")
        if waiting and waiting[0] != banker.seat and (banker.drew or banker.replaced):
            raise PositionError(
                "the banker draws and throws after the punters", pointer=f"/hands/{banker.seat}"
            )
        to_move = self.data.get("to_move")
        if waiting and to_move is not None and to_move != waiting[0]:
            raise PositionError(f"seat {waiting[0]} decides here, not seat {to_move}", pointer="/to_move")

    def _take_stakes(self, stakes: Sequence[int]) -> None:
        state, plan = self.state, self.plan
        state.purses = [self.game.purse + stake * plan.worst_loss for stake in stakes]
        state.bank = sum(stakes) * plan.worst_payout
        for seat, stake in enumerate(stakes):
            state.sat[seat] = not stake and seat != state.banker
            if stake:
                money.hold(state, seat, stake)
        state.drain_movements()


def _bare(word: str, pointer: str) -> str:
    """The card of a word, without the brackets of a thrown one."""
    if word[0] != "(" and word[-1] != ")":
        return word
    if word[0] == "(" and word[-1] == ")" and len(word) > 2:
        return word[1:-1]
    raise NotationError(
        f"«{word[:20]}» is no card: a thrown one stands in brackets, as in «(KD)»", pointer=pointer
    )


def _first_points(hand: Hand, first: int) -> int:
    """Points of the first cards that were kept."""
    return sum(POINTS[card] for card in hand.kept()[:first]) % 10
