"""The eight variants as data: nothing of a variant stands anywhere else.

Each is derived from another and cites the text that it comes from: «Spanish text» (seeds/000…), «Romanian text»
(seeds/001…), «Russian text» (seeds/002…). `switches` are options that stand for several others.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from casino.errors import RulesError
from casino.shedding.powers import Pair, Power, Worth
from casino.shedding.rules import Rules


@dataclass(frozen=True, slots=True)
class Variant:
    """What the catalogue tells of a variant, its rules, and what its switches change."""

    title: str
    source: str
    max_seats: int
    rules: Rules
    switches: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    min_seats: int = 2
    default_seats: int = 4


TWO, THREE = Power("2", draw=2), Power("3", draw=3)
FOUR = Power("4", skip=1)
ACE = Power("A", names="suit")

BASE: Final = Rules()

HUNGARIAN: Final = replace(
    BASE,
    jokers=2,
    starts="right",
    direction=-1,
    wild="A Jk",
    powers=(
        TWO,
        THREE,
        FOUR,
        Power("KH", draw=5),
        Power("KS", draw=5, back=True),
        Power("QH", adds=5),
        Power("J", names="rank", held=True, new=True),
        Power("A", names="suit", held=True, new=True),
        Power("Jk", reverse=True),
    ),
    draw_answers="match",
    answers=(Pair("KS KH QH", "KS KH QH"),),
    added_king="next",
    callable="5-T Q",
    packet="run",
    uncalled="caught",
    call_penalty=5,
    last_card="no_lone_draw_card",
    end="one_left",
)

_JOKER_DRAWS: Final = (Power("BJ", draw=5), Power("RJ", draw=10))

ROMANIAN_REGIONAL: Final = replace(
    HUNGARIAN,
    powers=(TWO, THREE, FOUR, ACE, *_JOKER_DRAWS),
    answers=(Pair("2 3 Jk", "Jk"),),
    after_joker="any",
    callable="",
)

TEL_AVIV: Final = replace(
    BASE,
    packs=1,
    cards_dealt_two=7,
    wild="A Q",
    suit_only="5",
    powers=(TWO, THREE, Power("KH", draw=5), Power("5", again=True), ACE),
    voluntary_draw=False,
    last_attack="dropped",
    points=(
        Worth("4-9", 5),
        Worth("T-K", 10),
        Worth("2", 20),
        Worth("3", 30),
        Worth("A", 50),
        Worth("KH", 150),
    ),
    target=500,
)

PLAWNO: Final = replace(
    BASE,
    jokers=2,
    starts="right",
    direction=-1,
    lays_on=(Pair("A", "J"), Pair("J", "A"), Pair("2 3 KS KH", "Q")),
    named_jokers=True,
    powers=(
        TWO,
        THREE,
        FOUR,
        Power("KH", draw=5),
        Power("KS", draw=5, back=True),
        Power("QH", cancel=True),
        Power("QD", over=1),
        Power("QS", reverse=True),
        Power("QC", choose=True),
        Power("J", names="rank"),
        ACE,
    ),
    draw_answers="cross",
    answers=(Pair("2 3", "KS KH Q"), Pair("KS KH", "2 3 KS KH Q")),
    mixed_kings="top",
    queen_packets="top",
    skips="round",
    callable="5-T",
    demand_answers="J A",
    packet="rank",
    call_penalty=5,
    end="one_left",
)

ROMANIAN: Final = replace(
    BASE,
    packs=1,
    jokers=2,
    first_card="not_special",
    wild="A Jk",
    powers=(
        TWO,
        THREE,
        FOUR,
        Power("KH KD", draw=5),
        Power("KS KC", draw=5, back=True),
        Power("BJ", draw=5, names="rank", free=True),
        Power("RJ", draw=10, names="rank", free=True),
        ACE,
    ),
    draw_answers="cross",
    answers=(Pair("2 3", "K Jk"), Pair("K Jk", "2 3 K Jk")),
    callable="5-T J Q",
    packet="rank",
    uncalled="caught",
    call_penalty=5,
    call_packet=True,
    end="third_out_of_five",
)

ROMANIAN_POINTS: Final = replace(
    ROMANIAN,
    last_attack="drawn",
    final_draws="2 3 Jk",
    end="first_out",
    points=(
        *(Worth(rank, number) for number, rank in enumerate("23456789T", 2)),
        Worth("J", 2),
        Worth("Q", 3),
        Worth("K", 4),
        Worth("A", 1),
        Worth("7", 25),
        Worth("Jk", 50),
    ),
    doubling="7",
    target=500,
)

ROMANIAN_NUMBERS: Final = replace(
    ROMANIAN,
    powers=(TWO, THREE, FOUR, Power("5", pass_on=True), Power("7", cancel=True), ACE, *_JOKER_DRAWS),
    answers=(Pair("2 3", "5 7 Jk"), Pair("Jk", "2 3 5 7 Jk")),
    callable="",
)

RUSSIAN_104: Final = replace(
    BASE,
    packs=2,
    wild="9 A",
    powers=(TWO, THREE, Power("KH", draw=5), ACE),
    answers=(Pair("KH", "KH"),),
    play_after_draw="any",
    last_attack="answered",
    points=(
        Worth("4-8", 5),
        Worth("T-K", 10),
        Worth("2", 20),
        Worth("3", 30),
        Worth("9", 40),
        Worth("A KH", 50),
    ),
    target=500,
)

VARIANTS: Final[dict[str, Variant]] = {
    "hungarian": Variant(
        "Hungarian Makaó: runs, kings against kings, jacks and aces that demand what one holds",
        "Spanish text, «Como se Juega», «Cartas de acción»",
        10,
        HUNGARIAN,
    ),
    "romanian-regional": Variant(
        "Romanian variation of the Hungarian game: jokers draw and are laid on anything",
        "Spanish text, «Variación rumana»",
        10,
        ROMANIAN_REGIONAL,
        {
            "inherit_hungarian": {
                "powers": (
                    *(power for power in HUNGARIAN.powers if power.cards not in ("A", "Jk")),
                    *(ROMANIAN_REGIONAL.powers[3:]),
                ),
                "answers": (*HUNGARIAN.answers, *ROMANIAN_REGIONAL.answers),
                "callable": HUNGARIAN.callable,
            }
        },
    ),
    "tel-aviv": Variant(
        "Tel-Aviv or London Macao: queens and aces change the suit, a 5 plays again; on points to 500",
        "Spanish text, «Variación de Tel-Aviv»",
        8,
        TEL_AVIV,
    ),
    "plawno": Variant(
        "Macao of Pławno: wars, queens that turn them, the round of fours, jokers that are any card",
        "Spanish text, «Variación Pławno»",
        10,
        PLAWNO,
        {"championship": {"end": "first_out", "next_dealer": "winner", "target": 3}},
    ),
    "romanian": Variant(
        "Romanian Macao: any attack answers any other, black kings send it back, jokers demand a rank",
        "Romanian text, «Reguli»",
        6,
        ROMANIAN,
    ),
    "romanian-points": Variant(
        "Romanian Macao on points: the first out ends the deal, a 7 doubles; to 500",
        "Romanian text, «Macao pe puncte»",
        6,
        ROMANIAN_POINTS,
    ),
    "romanian-numbers": Variant(
        "Romanian Macao with numbers: a 7 stops an attack, a 5 sends it on",
        "Romanian text, «Macao cu numere»",
        6,
        ROMANIAN_NUMBERS,
    ),
    "russian-104": Variant(
        "Russian Macao with 104 cards: 9s and aces change the suit; on points to 200, 500 or 1000",
        "Russian text, «Макао (карточная игра для взрослых и детей)», «Макао (другая)»",
        5,
        RUSSIAN_104,
    ),
}

SWITCHES: Final = ("championship", "inherit_hungarian")


def played_by(variant: Variant, rules: Rules, pointer: str = "") -> Rules:
    """The rules that are played: with each switch that is on put in the place of what it stands for.

    Raises RulesError for a switch that the variant has not, or beside an option that it sets.
    """
    for name in SWITCHES:
        if not getattr(rules, name):
            continue
        changes = variant.switches.get(name)
        if changes is None:
            raise RulesError("this variant has no such form", pointer=f"{pointer}/{name}")
        for option in changes:
            if getattr(rules, option) != getattr(variant.rules, option):
                raise RulesError(f"sets «{option}» itself: give one of them", pointer=f"{pointer}/{name}")
        rules = replace(rules, **changes)
    return rules
