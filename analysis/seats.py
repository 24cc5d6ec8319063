"""What a seat at a table can work out from its view alone: its hand, the cards it has not seen, what the others did.

Nothing here looks into a state: a decision is made of the view of the seat that decides (`casino.banking.view`), as
it was when it decided. Every other seat is taken to play a policy: as it is given, or the default of its side.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from analysis.decision import BankerDecision, banker_decision, steps_of
from analysis.lines import Unseen
from analysis.punter_turn import PunterDecision, PunterState, punter_decision
from analysis.shoe import Shoe, banker_may_draw, full, may_discard, punter_may_draw
from analysis.strategies import BankerTable, PunterTable, cached_plan
from analysis.table_state import BankerState, PunterSeen, any_holding, holding
from casino.banking.hands import CONCEALED
from casino.banking.policies import BANKER, PUNTER
from casino.banking.rules import Rules
from casino.cards import POINTS, face
from casino.game import View

PunterTables = Mapping[int, PunterTable]


class Words(NamedTuple):
    """A hand as a view tells it: points of the cards kept (None: concealed), zeros thrown before and after the draw."""

    kept: tuple[int | None, ...]
    thrown: tuple[int, int]

    def first(self, number: int) -> tuple[int, ...] | None:
        """Points of the first cards, None where they are concealed."""
        cards = self.kept[:number]
        return None if None in cards else tuple(card for card in cards if card is not None)


def words_of(entry: Mapping[str, Any], first_cards: int) -> Words:
    """Read the hand of a seat in a view."""
    kept: list[int | None] = []
    thrown = [0, 0]
    for word in entry["cards"].split():
        if word[0] == "(":
            # A zero thrown with all first cards in hand had been drawn to them.
            thrown[len(kept) >= first_cards] += 1
        else:
            kept.append(None if word == CONCEALED else _points(word))
    return Words(tuple(kept), (thrown[0], thrown[1]))


def _points(word: str) -> int:
    return POINTS[face(word)]


@dataclass(frozen=True)
class Seen:
    """A view read once: everything that its seat knows of the cards of a coup under way."""

    rules: Rules
    view: View

    @property
    def seat(self) -> int:
        seat: int = self.view["seat"]
        return seat

    @property
    def banker(self) -> int:
        banker: int = self.view["banker"]
        return banker

    @property
    def side(self) -> str:
        return BANKER if self.seat == self.banker else PUNTER

    def hands(self) -> dict[int, Words]:
        """All hands of the coup, from the banker's left, his own last."""
        seats = self.view["seats"]
        around = [(self.banker + step) % len(seats) for step in range(1, len(seats) + 1)]
        first = self.rules.first_cards
        return {seat: words_of(seats[seat], first) for seat in around if "cards" in seats[seat]}

    def open_cards(self) -> Iterator[int]:
        """Points of all cards in hands that this seat sees."""
        for words in self.hands().values():
            yield from (card for card in words.kept if card is not None)

    def unseen(self) -> tuple[int, ...]:
        """Cards by points that this seat has not seen: a full shoe less what lies aside and what lies open."""
        return _less(full(self.rules.decks).counts, [*self._aside(), *self.open_cards()])

    def _aside(self) -> list[int]:
        return [_points(word) for word in self.view["played"].split()]

    def public_shoe(self) -> Shoe:
        """What everyone knows the cards of one punter and the banker to come from: a full shoe less what lies aside
        and what lies open of the other punters."""
        hands = self.hands()
        open_ = [
            card
            for seat, words in hands.items()
            if seat not in (self.seat, self.banker)
            for card in words.kept
            if card is not None
        ]
        return Shoe(_less(full(self.rules.decks).counts, [*self._aside(), *open_]))

    def punter(self) -> PunterState:
        """His own hand, of a punter on his turn."""
        words, entry = self.hands()[self.seat], self.view["seats"][self.seat]
        cards = words.first(self.rules.first_cards)
        if cards is None:
            raise ValueError("a punter sees his own cards")
        alone = len(self.hands()) == 2
        return PunterState(cards, bool(words.thrown[0]), bool(entry["drew"]), alone)

    def own_first(self) -> int | None:
        """Points of a punter's own first cards, where they lie open once he decides."""
        return None if self.rules.exposed == "never" else self.punter().points

    def punter_seen(self, seat: int, table: PunterTable) -> PunterSeen:
        """What is seen of another seat's hand."""
        words, entry, number = self.hands()[seat], self.view["seats"][seat], self.rules.first_cards
        return PunterSeen(
            stake=self._stake(seat),
            table=table,
            drew=entry["drew"],
            third=words.kept[number] if entry["drew"] else None,
            first=words.first(number),
            thrown=words.thrown,
            shown=entry["ended"],
        )

    def _stake(self, seat: int) -> int:
        """Chips on a hand: of all punters where they share one."""
        seats = self.view["seats"]
        if self.rules.shared_hand:
            return sum(entry["stake"] for entry in seats)
        stake: int = seats[seat]["stake"]
        return stake

    def others(self) -> list[int]:
        """The other punters who have a hand, from the banker's left."""
        return [seat for seat in self.hands() if seat not in (self.seat, self.banker)]


def _less(counts: Sequence[int], cards: Sequence[int]) -> tuple[int, ...]:
    gone = Counter(cards)
    return tuple(count - gone[points] for points, count in enumerate(counts))


def punter_turn(
    seen: Seen, banker: BankerTable, others: PunterTables, *, alone: bool | None = None, exact: bool = True
) -> tuple[PunterDecision, list[int]]:
    """A punter's decision against a banker's table; and the other seats that did what their tables never do.

    `alone`: does the banker go by this punter's third card? (None: where there is no other.) Raises RulesError.
    """
    state = seen.punter()
    if alone is not None:
        state = PunterState(state.cards, state.replaced, state.drew_zero, alone)
    pool = seen.unseen()
    odd: list[int] = []
    held = [weights for seat in seen.others() for weights in _held(seen, seat, others[seat], pool, odd)]
    left: int = seen.view["shoe_left"]
    unseen = Unseen(pool, tuple(held), left)
    if not unseen.possible:
        # The others' policies cannot all have led here: each may hold anything.
        unseen, odd = Unseen(pool, (), left), seen.others()
    return punter_decision(seen.rules, unseen, state, banker, exact=exact), odd


def _held(
    seen: Seen, seat: int, table: PunterTable, pool: tuple[int, ...], odd: list[int]
) -> list[tuple[int, ...]]:
    """Weights of the cards that another punter holds concealed, as far as they tell anything.

    What a hand of two cards tells is left out: its cards do not weigh one by one.
    """
    if seen.rules.first_cards == 2:
        return []
    plan, entry = cached_plan(seen.rules), seen.view["seats"][seat]
    looks = seen.punter_seen(seat, table)
    if not (entry["done"] or entry["drew"]):
        # He waits for his turn: all that is known is that he has shown no natural.
        found = (
            []
            if looks.first is not None
            else [tuple(int(card not in plan.punter_ends) for card in range(10))]
        )
    else:
        told = holding(plan, looks, pool)
        if not told.expected:
            odd.append(seat)
            told = any_holding(plan, looks)
        found = [weights for weights in (told.first, told.third) if weights is not None]
    return [weights for weights in found if len(set(weights)) > 1]


def banker_turn(seen: Seen, others: PunterTables) -> tuple[BankerDecision, list[int]]:
    """The banker's decision against punters who play by tables; and the seats that did what theirs never do.

    Raises RulesError: a decision that costs more than the cap.
    """
    shoe, state = _banker_state(seen, others)
    decision = banker_decision(seen.rules, shoe, state)
    punters = seen.others()
    return decision, [punters[at] for at in decision.unexpected]


def banker_steps(seen: Seen, others: PunterTables) -> int:
    """Multiplications that his decision takes, about."""
    return steps_of(seen.rules, *_banker_state(seen, others))


def _banker_state(seen: Seen, others: PunterTables) -> tuple[Shoe, BankerState]:
    """What the shoe held before the coup, less other cards seen, and the coup as the banker sees it."""
    rules = seen.rules
    words, entry = seen.hands()[seen.banker], seen.view["seats"][seen.banker]
    cards = words.first(rules.first_cards)
    if cards is None:
        raise ValueError("a banker who decides sees his own cards")
    state = BankerState(
        cards=cards,
        punters=tuple(seen.punter_seen(seat, others[seat]) for seat in seen.others()),
        third=words.kept[rules.first_cards] if entry["drew"] else None,
        thrown=words.thrown,
    )
    known = Counter(card for card, _ in state.known())
    return Shoe(tuple(count + known[points] for points, count in enumerate(seen.unseen()))), state


def may_run_dry(seen: Seen) -> bool:
    """Might the shoe run out in this coup, if everybody took all that he may, and every zero were thrown?"""
    plan, seats = cached_plan(seen.rules), seen.view["seats"]
    draws = sum(
        not (seats[seat]["done"] or seats[seat]["drew"])
        and (banker_may_draw(plan) if seat == seen.banker else punter_may_draw(plan))
        for seat in seen.hands()
    )
    left: int = seen.view["shoe_left"]
    return left < draws + (seen.unseen()[0] if may_discard(plan) else 0)
