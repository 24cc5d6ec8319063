"""Positions of trick games: JSON that says what lies where, read with every impossibility refused by place."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from casino.cards import FACES, NAMES, SUITS, face, members
from casino.errors import PositionError
from casino.game import Json
from casino.options import Schema
from casino.setting_up import check_shape, checked_seat
from casino.tricks.actions import MAX_BID
from casino.tricks.deal import NO_TRUMP, NOBODY, NOT_BID, Deal, Trick, voids, winner
from casino.tricks.rules import build

if TYPE_CHECKING:
    from casino.tricks.engine import TrickGame

_NULL: Final[Schema] = {"type": "null"}
_CARD: Final[Schema] = {"type": "string"}
_SEAT: Final[Schema] = {"type": "integer", "minimum": 0, "maximum": 9}
_COUNT: Final[Schema] = {"type": "integer", "minimum": 0, "maximum": MAX_BID}
_HAND: Final[Schema] = {"type": "array", "items": _CARD}
_PLAY: Final[Schema] = {"type": "array"}
_TRICK: Final[Schema] = {
    "type": "object",
    "properties": {"leader": _SEAT, "cards": _HAND, "winner": _SEAT},
    "required": ["leader", "cards"],
    "additionalProperties": False,
}
SCHEMA: Final[Schema] = {
    "type": "object",
    "properties": {
        "game": {"type": "string"},
        "options": {"type": "object"},
        "seats": {"type": "integer", "minimum": 2, "maximum": 10},
        "dealer": _SEAT,
        "hands": {"type": "array", "items": _HAND},
        "trump": {"oneOf": [_NULL, {"enum": list(SUITS)}]},
        "turned": {"oneOf": [_NULL, _CARD]},
        "bids": {"type": "array", "items": {"oneOf": [_NULL, _COUNT]}},
        "taken": {"type": "array", "items": _COUNT},
        "trick": {"type": "array", "items": _PLAY},
        "tricks": {"type": "array", "items": _TRICK},
        "to_move": {"oneOf": [_NULL, _SEAT]},
        "totals": {"type": "array", "items": {"type": "integer", "minimum": -(10**9), "maximum": 10**9}},
    },
    "required": ["hands"],
    "additionalProperties": False,
}
BY_SEAT: Final = ("hands", "bids", "taken", "totals")


def read(game: "TrickGame", data: Mapping[str, Any]) -> Deal:
    """The situation of a position. Raises PositionError, RulesError or NotationError with a pointer."""
    check_shape(
        game,
        data,
        SCHEMA,
        BY_SEAT,
        lambda options: build(game.defaults, options, "/options") == game.rules,
    )
    return _Reader(game, data).deal()


def write(deal: Deal) -> Json:
    """The position of a situation: `read` gives it back."""
    seats = len(deal.hands)
    # With the bidding open or the deal over there is nobody to lead: who moves follows from the rest.
    leads = NOT_BID not in deal.bids and any(deal.hands)
    position: Json = {
        "dealer": deal.dealer,
        "hands": [[NAMES[card] for card in members(hand)] for hand in deal.hands],
        "trump": None if deal.trump == NO_TRUMP else SUITS[deal.trump],
        "turned": None if deal.turned is None else NAMES[deal.turned],
        "bids": [None if bid == NOT_BID else bid for bid in deal.bids],
        "taken": list(deal.taken),
        "trick": [[(deal.leader + place) % seats, NAMES[card]] for place, card in enumerate(deal.trick)],
        "tricks": tricks_json(deal.tricks),
        "to_move": (deal.leader + len(deal.trick)) % seats if leads else None,
    }
    return {**position, "totals": list(deal.totals)} if deal.totals else position


def tricks_json(tricks: Sequence[Trick]) -> list[Json]:
    """Tricks taken, as JSON values."""
    return [
        {"leader": leader, "cards": [NAMES[card] for card in cards], "winner": taker}
        for leader, cards, taker in tricks
    ]


class _Reader:
    """One position being read: `where` holds the place of each card met so far."""

    def __init__(self, game: "TrickGame", data: Mapping[str, Any]) -> None:
        self.game = game
        self.data = data
        self.seats = game.seats
        self.where: dict[int, str] = {}

    def deal(self) -> Deal:
        data = self.data
        dealer = self.seat(data.get("dealer", self.seats - 1), "/dealer")
        hands = [self.cards(hand, f"/hands/{seat}") for seat, hand in enumerate(data["hands"])]
        trump, turned = self.trump()
        leader, trick = self.trick()
        tricks = self.tricks(trump)
        taken = self.taken(tricks)
        left = self.left(hands, leader, len(trick))
        size = self.size(left, taken)
        bids = self.bids(dealer, size, played=bool(trick) or size > left)
        deal = Deal(
            dealer=dealer,
            hands=tuple(sum(1 << card for card in hand) for hand in hands),
            trump=trump,
            turned=turned,
            bids=tuple(bids),
            taken=tuple(taken),
            leader=self.leader(dealer, bids, taken, tricks) if left else dealer,
            trick=tuple(trick),
            tricks=tuple(tricks),
            totals=tuple(data.get("totals", ())),
        )
        self.check_followed(deal)
        return deal

    def seat(self, seat: int, pointer: str) -> int:
        return checked_seat(seat, self.seats, pointer)

    def card(self, text: str, pointer: str) -> int:
        card = face(text, pointer=pointer)
        if card >= FACES:
            raise PositionError("there are no jokers in this pack", pointer=pointer)
        if card in self.where:
            first = self.where[card]
            raise PositionError(f"{text} lies at {first} already: one pack has it once", pointer=pointer)
        self.where[card] = pointer
        return card

    def cards(self, texts: Sequence[str], pointer: str) -> list[int]:
        return [self.card(text, f"{pointer}/{index}") for index, text in enumerate(texts)]

    def trump(self) -> tuple[int, int | None]:
        turned = self.data.get("turned")
        card = None if turned is None else self.card(turned, "/turned")
        named = self.data.get("trump", turned and turned[1])
        suit = NO_TRUMP if named is None else SUITS.index(named)
        if card is not None and card & 3 != suit:
            raise PositionError(f"{turned} was turned, so its suit is trump", pointer="/trump")
        return suit, card

    def trick(self) -> tuple[int, list[int]]:
        """The leader (NOBODY: not begun) and the cards of the open trick."""
        plays = self.data.get("trick", [])
        if len(plays) >= self.seats:
            raise PositionError(
                f"the open trick has {len(plays)} cards: with {self.seats} it is taken, count it in «taken»",
                pointer="/trick",
            )
        cards = []
        for index, play in enumerate(plays):
            pointer = f"/trick/{index}"
            if not (len(play) == 2 and type(play[0]) is int and isinstance(play[1], str) and play[0] >= 0):
                raise PositionError('write a seat and a card, as in [0, "7S"]', pointer=pointer)
            due = (plays[0][0] + index) % self.seats
            if self.seat(play[0], f"{pointer}/0") != due:
                raise PositionError(f"seat {due} plays here, not seat {play[0]}", pointer=f"{pointer}/0")
            cards.append(self.card(play[1], f"{pointer}/1"))
        return (plays[0][0] if plays else NOBODY), cards

    def tricks(self, trump: int) -> list[Trick]:
        found: list[Trick] = []
        for index, trick in enumerate(self.data.get("tricks", [])):
            pointer = f"/tricks/{index}"
            leader = self.seat(trick["leader"], f"{pointer}/leader")
            if len(trick["cards"]) != self.seats:
                raise PositionError(f"a trick has {self.seats} cards", pointer=f"{pointer}/cards")
            if found and leader != found[-1][2]:
                raise PositionError(
                    f"seat {found[-1][2]} took the last trick and leads", pointer=f"{pointer}/leader"
                )
            cards = tuple(self.cards(trick["cards"], f"{pointer}/cards"))
            taker = winner(leader, cards, trump)
            if trick.get("winner", taker) != taker:
                raise PositionError(f"seat {taker} took this trick", pointer=f"{pointer}/winner")
            found.append((leader, cards, taker))
        return found

    def taken(self, tricks: Sequence[Trick]) -> list[int]:
        known = [sum(taker == seat for _, _, taker in tricks) for seat in range(self.seats)]
        taken = list(self.data.get("taken", known))
        for seat, count in enumerate(known):
            if taken[seat] < count:
                raise PositionError(f"seat {seat} took {count} of «tricks» already", pointer=f"/taken/{seat}")
        return taken

    def left(self, hands: Sequence[Sequence[int]], leader: int, laid: int) -> int:
        """Tricks still to be taken, the open one with them: as many as cards of one who has not laid yet."""
        holds = [len(hand) for hand in hands]
        for place in range(laid):
            holds[(leader + place) % self.seats] += 1
        for seat, count in enumerate(holds):
            if count != holds[0]:
                raise PositionError(
                    f"seat {seat} has {count} cards with the one in the trick, seat 0 has {holds[0]}: all have"
                    " equally many",
                    pointer=f"/hands/{seat}",
                )
        return holds[0]

    def size(self, left: int, taken: Sequence[int]) -> int:
        """Cards that were dealt to each."""
        size = left + sum(taken)
        if not 1 <= size <= FACES // self.seats:
            raise PositionError(
                f"{size} cards each (in hand, in the trick, in tricks taken): for {self.seats} seats it is 1 to"
                f" {FACES // self.seats}",
                pointer="/hands",
            )
        return size

    def bids(self, dealer: int, size: int, *, played: bool) -> list[int]:
        bids = [NOT_BID if bid is None else bid for bid in self.data.get("bids", [None] * self.seats)]
        first = self.game.first_bidder(dealer)
        order = [(first + place) % self.seats for place in range(self.seats)]
        waits = None
        for seat in order:
            pointer = f"/bids/{seat}"
            if bids[seat] > size:
                raise PositionError(f"a bid is from 0 to {size}, not {bids[seat]}", pointer=pointer)
            if bids[seat] == NOT_BID:
                if played:
                    raise PositionError("cards were played, so all have bid", pointer=pointer)
                waits = seat if waits is None else waits
            elif waits is not None:
                raise PositionError(f"seat {waits} bids before seat {seat}", pointer=pointer)
        if waits is None and self.game.rules.hook and sum(bids) == size:
            raise PositionError(
                f"hook: the last bid may not make the sum {size}, the number of tricks",
                pointer=f"/bids/{order[-1]}",
            )
        self.check_to_move(waits)
        return bids

    def check_to_move(self, due: int | None) -> None:
        """`due` moves, if anyone is known to."""
        named = self.data.get("to_move")
        if due is not None and named is not None and named != due:
            raise PositionError(f"seat {due} is to move, not seat {named}", pointer="/to_move")

    def leader(self, dealer: int, bids: list[int], taken: Sequence[int], tricks: Sequence[Trick]) -> int:
        """Who leads, or led, to the open trick."""
        if NOT_BID in bids:
            return self.game.first_bidder(dealer)
        laid = self.data.get("trick", [])
        named = self.data.get("to_move")
        told = laid[0][0] if laid else named
        if not any(taken):
            known: int | None = self.game.first_leader(dealer, bids)
        elif tricks:
            known = tricks[-1][2]
        else:
            takers = [seat for seat in range(self.seats) if taken[seat]]
            known = takers[0] if len(takers) == 1 else told if told in takers else None
        if known is None:
            raise PositionError(
                "who took the last trick leads: name one who has taken any",
                pointer="/trick/0/0" if laid else "/to_move",
            )
        if laid and told != known:
            raise PositionError(f"seat {known} leads to this trick, not seat {told}", pointer="/trick/0/0")
        self.check_to_move((known + len(laid)) % self.seats)
        return known

    def check_followed(self, deal: Deal) -> None:
        for seat, missing in enumerate(voids(deal)):
            for card in members(deal.hands[seat] & missing):
                raise PositionError(
                    f"seat {seat} holds {NAMES[card]}, yet did not follow that suit before",
                    pointer=self.where[card],
                )
