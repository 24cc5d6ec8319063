"""Rules compiled into bit masks: what may be laid on what. The engine reads masks and quantities, nothing else."""

from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from casino.cards import FACES, RANKS, members
from casino.shedding.patterns import ALL, BITS, JOKERS, OF_RANK, OF_SUIT, SUITED, mask
from casino.shedding.powers import Power
from casino.shedding.rules import Rules
from casino.shedding.soundness import cards_with, wild_cards

# In the place of a top card: anything may be laid.
ANYTHING: Final = 54

# Demands as small ints: a suit, a rank (in the order of the `name` actions), any, free from a suit.
NO_DEMAND: Final = -1
RANK: Final = 4
ANY: Final = RANK + len(RANKS)
FREE: Final = ANY + 1
DEMANDS: Final = FREE + 4


class Effect(NamedTuple):
    """What a card does, or several laid together: quantities of `Power`, in the order in which they are added up."""

    draw: int
    adds: int
    skip: int
    over: int
    reverse: int
    choose: bool
    cancel: bool


NO_EFFECT: Final = Effect(0, 0, 0, 0, 0, False, False)


Quick = tuple[int, int, int]
"""What laying a card alone comes to on a calm table: (more, blow, goal). Unless the hand still holds one of `more`, the
next seat draws `blow`, and `goal` are the cards that it may lay."""


class Tables:
    """Masks of cards for one rules record.

    follow: by the card to be matched (54: anything), what may be laid in a quiet turn. answer: by the card that an
    open penalty stands on. demanded: by demand, what meets it. chain: by a card that plays again, what may come
    next. powers, effects, calls, inert (neither draws nor turns anything), goes_on (may others follow in its turn?): by
    card.
    backs: cards that attack backward. same_rank: by card, its equals (jokers are equal). steps: by card, its
    neighbours in a run. joins: by card, what may be added to it alone; joins_alike: or to any packet that ends with
    it. quick: by card, what laying it comes to. odd: cards beside which more
    may be laid than `hand & goal`. lone: is a last card restricted? intricate: may either be so? easy: neither, and
    one may always draw.
    """

    __slots__ = (
        "again", "answer", "attacks", "backs", "callable", "calls", "calls_rank", "chain", "demanded",
        "doubling", "draw_cards", "draws_any", "easy", "effects", "final_draws", "follow", "goes_on", "inert",
        "intricate", "joins", "joins_alike", "lone", "odd", "plain", "powers", "quick", "rules", "same_rank",
        "skip_cards", "special", "steps", "values", "voluntary", "wild",
    )  # fmt: skip

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.powers = _by_card(rules)
        self.effects = tuple(map(_effect, self.powers))
        self.inert = tuple(effect == NO_EFFECT for effect in self.effects)
        self.backs = cards_with(rules, lambda power: power.back)
        self.wild = wild_cards(rules)
        self.special = cards_with(rules, lambda power: True)
        self.plain = SUITED & ~cards_with(rules, lambda power: power.acts)
        self.attacks = cards_with(rules, lambda power: power.draw or power.adds)
        self.again = cards_with(rules, lambda power: power.again)
        self.calls_rank = cards_with(rules, lambda power: power.names == "rank")
        self.calls = tuple(bool(power and power.names) for power in self.powers)
        self.draw_cards = mask(rules.draw_cards)
        self.skip_cards = mask(rules.skip_answers)
        self.final_draws = mask(rules.final_draws)
        self.doubling = mask(rules.doubling)
        self.callable = tuple(rank for rank in range(13) if mask(rules.callable) & OF_RANK[rank])
        self.same_rank = tuple(OF_RANK[card >> 2] if card < FACES else JOKERS for card in range(54))
        self.steps = tuple(map(_steps, range(FACES)))
        # A named joker is laid as the card it is named, so no mask holds it.
        faces = SUITED if rules.named_jokers else ALL
        self.follow = (*(self._follow(top) & faces for top in range(FACES)), faces, faces, faces)
        self.chain = tuple(OF_SUIT[card & 3] | OF_RANK[card >> 2] | self.wild for card in range(FACES))
        self.answer = tuple(map(self._answer, range(54)))
        self.demanded = tuple(self._demanded(demand) & faces for demand in range(DEMANDS))
        self.values = _values(rules)
        self._shortcuts()

    def _shortcuts(self) -> None:
        """What spares the engine a look at the rules in every move."""
        rules = self.rules
        self.joins = tuple(self.joining((card,)) for card in range(54))
        self.goes_on = tuple(bool(self.joins[card] or self.again >> card & 1) for card in range(54))
        self.joins_alike = rules.packet in ("none", "rank") and not rules.jokers_in_draw_packets
        named = JOKERS if rules.named_jokers else 0
        self.quick = tuple(self._quick(card, named) for card in range(54))
        self.odd = ALL if rules.rank_packets else JOKERS if rules.named_jokers else 0
        self.lone = rules.last_card != "free"
        self.intricate = bool(self.odd) or self.lone
        self.voluntary = rules.voluntary_draw
        self.easy = self.voluntary and not self.intricate
        self.draws_any = rules.play_after_draw == "any"

    def _quick(self, card: int, named: int) -> Quick:
        blow = _blow(self.powers[card])
        if blow < 0 or card >= FACES:
            return ALL, 0, 0
        joins = self.joins[card]
        return joins and joins | named, blow, (self.answer if blow else self.follow)[card]

    def _follow(self, top: int) -> int:
        by_rank = OF_RANK[top >> 2] & ~mask(self.rules.suit_only)
        bits = OF_SUIT[top & 3] | by_rank | self.wild
        for pair in self.rules.lays_on:
            if mask(pair.on) & BITS[top]:
                bits |= mask(pair.by)
        return bits

    def _answer(self, attack: int) -> int:
        bits = 0
        for pair in self.rules.answers:
            if mask(pair.on) & BITS[attack]:
                bits |= mask(pair.by)
        if self.draw_cards & BITS[attack]:
            bits |= self.draw_cards & _MATCHES[self.rules.draws_by](attack)
        return bits

    def _demanded(self, demand: int) -> int:
        if demand < RANK:
            return OF_SUIT[demand] | self.wild | mask(self.rules.demand_answers)
        if demand < ANY:
            return OF_RANK[demand - RANK] | self.calls_rank | mask(self.rules.demand_answers)
        if demand == ANY:
            return self.plain | self.calls_rank | mask(self.rules.demand_answers)
        return SUITED & ~OF_SUIT[demand - FREE] | self.wild

    def joining(self, cards: tuple[int, ...]) -> int:
        """What may be added to these cards of one packet or run."""
        bits = _PACKETS[self.rules.packet](self, cards)
        return bits | self.packing(cards) if self.rules.rank_packets else bits

    def packing(self, cards: tuple[int, ...]) -> int:
        """What may be added to these cards of equal rank, and to 2s or 3s with jokers among them."""
        return self.equal(cards) | (self._with_jokers(cards) if self.rules.jokers_in_draw_packets else 0)

    def equal(self, cards: tuple[int, ...]) -> int:
        """The rank that all these cards have; nothing if they differ."""
        bits = self.same_rank[cards[0]]
        return bits if all(BITS[card] & bits for card in cards) else 0

    def equal_or_suit(self, cards: tuple[int, ...]) -> int:
        """The rank, or for plain cards the suit, that all have."""
        of_suit = OF_SUIT[cards[0] & 3] & self.plain
        same = all(BITS[card] & of_suit for card in cards)
        return self.equal(cards) | (of_suit if same else 0)

    def equal_or_run(self, cards: tuple[int, ...]) -> int:
        """The rank that all have, or what goes on with a run of plain cards."""
        bits = self.equal(cards)
        plain = all(BITS[card] & self.plain for card in cards)
        if plain and all(BITS[after] & self.steps[card] for card, after in pairwise(cards)):
            bits |= self.steps[cards[-1]] & self.plain
        return bits

    def _with_jokers(self, cards: tuple[int, ...]) -> int:
        """Jokers beside 2s or 3s of one rank, in any order."""
        suited = [card for card in cards if card < FACES]
        if not suited:
            return JOKERS | self.draw_cards
        bits = self.same_rank[suited[0]]
        fits = bits & self.draw_cards and all(BITS[card] & bits for card in suited)
        return JOKERS | bits if fits else 0


# By `packet`: what may be added to cards of one turn.
_PACKETS: Final[dict[str, Callable[[Tables, tuple[int, ...]], int]]] = {
    "none": lambda tables, cards: 0,
    "rank": Tables.equal,
    "rank_or_suit": Tables.equal_or_suit,
    "run": Tables.equal_or_run,
}

# How a small penalty card answers another, by `draw_answers`.
_MATCHES: Final[dict[str, Callable[[int], int]]] = {
    "match": lambda card: OF_SUIT[card & 3] | OF_RANK[card >> 2],
    "same_rank": lambda card: OF_RANK[card >> 2],
    "cross": lambda card: ALL,
}


def quiet_goal(tables: Tables, demand: int, top: int) -> int:
    """What may be laid on this card while nothing is to be answered: what is demanded, or what matches."""
    return tables.follow[top] if demand == NO_DEMAND else tables.demanded[demand]


@lru_cache(maxsize=256)
def compiled(rules: Rules) -> Tables:
    """The tables of a rules record, compiled once."""
    return Tables(rules)


def _by_card(rules: Rules) -> tuple[Power | None, ...]:
    found: list[Power | None] = [None] * 54
    for power in rules.powers:
        for card in members(mask(power.cards)):
            found[card] = power
    return tuple(found)


def _effect(power: Power | None) -> Effect:
    if power is None:
        return NO_EFFECT
    return Effect(power.draw, power.adds, power.skip, power.over, power.reverse, power.choose, power.cancel)


def _blow(power: Power | None) -> int:
    """What a card makes the next seat draw, if that is all it does; below 0 if it does more."""
    if power is None:
        return 0
    return power.draw if power == Power(power.cards, draw=power.draw) else -1


def _values(rules: Rules) -> tuple[int, ...]:
    found = [0] * 54
    for worth in rules.points:
        for card in members(mask(worth.cards)):
            found[card] = worth.points
    return tuple(found)


def _steps(card: int) -> int:
    """One rank up or down in the suit, without a wrap round the ace, or the same rank in another suit."""
    rank, suit = card >> 2, card & 3
    bits = OF_RANK[rank] & ~BITS[card]
    for other in (rank - 1, rank + 1):
        if 0 <= other < len(RANKS):
            bits |= BITS[other * 4 + suit]
    return bits
