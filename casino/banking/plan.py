"""What the engine asks of the rules at every card, looked up once: masks and flags, nothing new."""

from dataclasses import dataclass
from typing import Final

from casino.banking.rules import Rules
from casino.banking.text import DISCARD, DRAW, STAND, Action

DISCARD_BIT, DRAW_BIT, STAND_BIT = 1, 2, 4
BITS: Final = {DISCARD: DISCARD_BIT, DRAW: DRAW_BIT, STAND: STAND_BIT}

# The actions of a set of bits, sorted by their text.
CHOICES: Final = tuple(tuple(Action(verb) for verb, bit in BITS.items() if bits & bit) for bits in range(8))
_OF_PUNTER: Final = {"free": DRAW_BIT | STAND_BIT, "draw": DRAW_BIT, "stand": STAND_BIT}
_OF_BANKER: Final = {"F": DRAW_BIT | STAND_BIT, "D": DRAW_BIT, "S": STAND_BIT}


@dataclass(frozen=True, slots=True)
class Plan:
    """The rules of one coup in the form that dealing uses."""

    first: int
    deck_cards: int
    punter: tuple[int, ...]  # by points: bits of draw and stand
    banker: tuple[tuple[int, ...], ...]  # by points and third card (0: none): the same
    banker_free: bool
    punter_dealt: bool
    punter_drawn: bool
    banker_dealt: bool
    banker_drawn: bool
    natural_after_discard: bool
    punter_ends: frozenset[int]
    banker_ends: frozenset[int]
    peeks: bool
    on_turn: bool
    exposed: bool
    face_up: bool
    dry: bool  # nobody draws from an empty shoe
    shared: bool
    table: tuple[tuple[int, ...], ...]
    worst_loss: int
    worst_payout: int


def plan_of(rules: Rules) -> Plan:
    """The plan of a rule set."""
    draws = rules.max_draws > 0
    return Plan(
        first=rules.first_cards,
        deck_cards=52 * rules.decks,
        punter=tuple(_OF_PUNTER[rule] if draws else STAND_BIT for rule in rules.punter_draw),
        banker=tuple(tuple(_OF_BANKER[letter] for letter in row) for row in rules.tableau),
        banker_free=rules.banker_is_free,
        punter_dealt=rules.punter_discards in ("dealt", "both"),
        punter_drawn=rules.punter_discards in ("drawn", "both"),
        banker_dealt=rules.banker_discards in ("dealt", "both"),
        banker_drawn=rules.banker_discards in ("drawn", "both"),
        natural_after_discard=rules.natural_after_discard,
        punter_ends=frozenset(rules.punter_natural_ends),
        banker_ends=frozenset(rules.banker_natural_ends),
        peeks=rules.banker_peeks,
        on_turn=rules.exposed == "on_turn",
        exposed=rules.exposed == "dealt",
        face_up=rules.draw_face_up,
        dry=rules.exhaustion == "stand",
        shared=rules.shared_hand,
        table=rules.payoff.table,
        worst_loss=rules.payoff.worst_loss,
        worst_payout=rules.payoff.worst_payout,
    )
