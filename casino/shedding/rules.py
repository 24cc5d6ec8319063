"""Shedding Macao as data: every option of `rules/shedding.md`, with its schema, meaning and source.

«Spanish text» is the one on the Hungarian game and its variations (Romanian, Tel-Aviv, Pławno, open cards, easier
and harder rules), «Romanian text» the one of the game, on points and with numbers, «Russian text» the one of the
104-card game. A `*` marks a choice made where a text is silent or contradicts itself. Patterns of cards are
written as in `patterns.py`, records of powers as in `powers.py`.
"""

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Final

from casino.errors import RulesError
from casino.options import Schema, digest, option
from casino.shedding.powers import BOOL, PAIR, PATTERN, POWER, WORTH, Pair, Power, Worth, plain
from casino.shedding.soundness import contradiction

_HAND: Final[Schema] = {"type": "integer", "minimum": 1, "maximum": 20}


def _rows(item: Schema) -> Schema:
    return {"type": "array", "items": item, "maxItems": 40}


@dataclass(frozen=True)
class Rules:
    """One frozen record: tables are compiled from it, the engine plays by it, the catalogue publishes it."""

    packs: int | str = option(
        {"oneOf": [{"enum": ["auto"]}, {"type": "integer", "minimum": 1, "maximum": 4}]},
        "Packs of 52; auto: one for up to 5 players, two for up to 9, three for 10.",
        "Russian text: two; Romanian text: one; auto* elsewhere",
        default="auto",
    )
    jokers: int = option(
        {"type": "integer", "minimum": 0, "maximum": 2},
        "Jokers a pack.",
        "Romanian text: two; Tel-Aviv and Russian text: none; two* in the Hungarian game, whose rules need them",
        default=0,
    )
    cards_dealt: int = option(_HAND, "Cards dealt to each.", "all texts: five", default=5)
    cards_dealt_two: int = option(
        _HAND, "Cards dealt to each of two players.", "Tel-Aviv: seven; else as for more", default=5
    )
    first_card: str = option(
        {"enum": ["any", "not_special"]},
        "The card turned to begin: any but a joker, without effect; or turned until it has no power.",
        "Romanian text: «nu trebuie să aibă funcție specială»; any, no effect* elsewhere",
        default="any",
    )
    starts: str = option(
        {"enum": ["left", "right"]},
        "Who begins: the seat to the dealer's left or right.",
        "Spanish text: right (Hungarian, Pławno), left (Tel-Aviv); Russian text: «из-под сдающего», left*",
        default="left",
    )
    direction: int = option(
        {"enum": [1, -1]},
        "Which way play goes at first: 1 clockwise (to the left), -1 the other way.",
        "as the first turn suggests*",
        default=1,
    )
    wild: str = option(PATTERN, "Cards that go on any card.", "each text", default="")
    specials_wild: bool = option(
        BOOL,
        "Do all cards with a power go on any card?",
        "no*: the Romanian text says so of special cards, then of aces and jokers only",
        default=False,
    )
    lays_on: tuple[Pair, ...] = option(
        _rows(PAIR),
        "Cards that go on some cards without matching them.",
        "Pławno: jacks and aces on each other, queens on war cards",
        default=(),
    )
    suit_only: str = option(
        PATTERN, "Cards that begin a turn by suit only, never by rank.", "Tel-Aviv: the 5", default=""
    )
    named_jokers: bool = option(
        BOOL,
        "Is a joker the card that its player names, power included?",
        "Pławno: «Joker reemplaza cualquier carta»",
        default=False,
    )
    after_joker: str = option(
        {"enum": ["carry", "any"]},
        "What goes on a joker: what goes on the card under it, or any card.",
        "Romanian variation: any; carry* elsewhere",
        default="carry",
    )
    powers: tuple[Power, ...] = option(
        _rows(POWER), "What cards do.", "each text", default=(Power("2", draw=2), Power("3", draw=3))
    )
    draw_cards: str = option(
        PATTERN,
        "The small penalty cards, which `draw_answers` speaks of.",
        "all texts: 2 and 3",
        default="2 3",
    )
    draw_answers: str = option(
        {"enum": ["match", "same_rank", "cross"]},
        "How a 2 or 3 answers an open 2 or 3: by rank or suit, by rank, or without matching.",
        "Tel-Aviv, Russian text: rank; Pławno, Romanian text: any; Hungarian: match*, by its group example",
        default="same_rank",
    )
    answers: tuple[Pair, ...] = option(
        _rows(PAIR),
        "What else answers an open penalty: `by` on a penalty that stands on `on`.",
        "each text",
        default=(),
    )
    added_king: str = option(
        {"enum": ["next", "own"]},
        "Where an attack goes that is added to another: to the next seat, or where its own power aims.",
        "Hungarian: «al siguiente»*; own elsewhere",
        default="own",
    )
    mixed_kings: str = option(
        {"enum": ["top", "sum"]},
        "Cards of one rank with different attacks laid together: the uppermost alone counts, or all add.",
        "Pławno: «la carta superior tiene prioridad»*; sum* elsewhere",
        default="sum",
    )
    queen_packets: str = option(
        {"enum": ["top", "each"]},
        "Cards laid together that stop, pass over, turn round or choose: the top one acts, or each.",
        "top* in Pławno; Hungarian: «múltiples cartas de acción» add",
        default="each",
    )
    after_backward: str = option(
        {"enum": ["attacker", "continue"]},
        "Who moves after a backward attack is served: the attacker again, or the seat after him.",
        "Pławno: the attacker; so elsewhere*",
        default="attacker",
    )
    skips: str = option(
        {"enum": ["answer", "round"]},
        "A card that costs turns: the next seat answers or loses them; or all are asked for more of them in turn,"
        " twice, and the last to lay one plays alone as often as were laid.",
        "Pławno: the round («engaño»)",
        default="answer",
    )
    skip_answers: str = option(
        PATTERN, "Cards that answer a demand to lose turns, or are asked for.", "all texts: 4", default="4"
    )
    reverse_with_two: str = option(
        {"enum": ["nothing", "skip"]},
        "A card that turns play round with two left: the other moves all the same, or loses his turn.",
        "nothing*",
        default="nothing",
    )
    callable: str = option(
        PATTERN,
        "Ranks that may be named.",
        "Romanian text: not 2, 3, 4, J(oker), K, A; Spanish text: no action cards",
        default="",
    )
    demand_answers: str = option(
        PATTERN,
        "Cards that meet any demand, besides what was named and another caller of its kind.",
        "Pławno: jacks and aces",
        default="",
    )
    rank_demand_lasts: str = option(
        {"enum": ["met_or_lap", "next_only", "lap"]},
        "A demanded rank stands until met or for one lap, for the next seat only, or for the whole lap.",
        "met_or_lap*; Romanian text: «pentru un singur tur»",
        default="met_or_lap",
    )
    suit_demand_lasts: str = option(
        {"enum": ["next_card", "lap"]},
        "A demanded suit stands until the next card is laid, or for the whole lap.",
        "next_card*",
        default="next_card",
    )
    packet: str = option(
        {"enum": ["none", "rank", "rank_or_suit", "run"]},
        "Several cards a turn: none; equal ranks; also plain cards of one suit; also runs of plain cards.",
        "Hungarian: «carreras»; Pławno: equal; Romanian text: «la duble», rank*",
        default="none",
    )
    voluntary_draw: bool = option(
        BOOL,
        "May one draw though able to play?",
        "Romanian and Russian text, Hungarian: yes; Pławno: yes*; Tel-Aviv: no*",
        default=True,
    )
    play_after_draw: str = option(
        {"enum": ["drawn", "any"]},
        "What may be played after drawing: the drawn card only, or any card.",
        "drawn*; Russian text: «без потери хода», any*",
        default="drawn",
    )
    uncalled: str = option(
        {"enum": ["automatic", "caught"]},
        "«Macao» unsaid costs cards by itself at the next seat's action, or only if another says it first.",
        "Tel-Aviv, Pławno, Russian text: automatic; Hungarian, Romanian text: caught",
        default="automatic",
    )
    call_penalty: int = option(
        _HAND, "Cards drawn for «macao» unsaid.", "Tel-Aviv, Russian text: 2; else 5*", default=2
    )
    call_packet: bool = option(
        BOOL,
        "Must «macao» also be said for a packet that empties the hand?",
        "Romanian text: «DACA aveti dubluri tot trebuie rostit»",
        default=False,
    )
    last_card: str = option(
        {"enum": ["free", "no_lone_draw_card"]},
        "The last card: any; or, with two players, no single 2 or 3, and a packet of them («double macao») is undone"
        " by an answer.",
        "Hungarian: «si juegas Macao en dos, no puedes terminar con un 2,3»",
        default="free",
    )
    last_attack: str = option(
        {"enum": ["stays", "dropped", "answered", "drawn"]},
        "An attack that ends the deal: nobody draws; so too if it does not end it (dropped); the next seat answers or"
        " draws first; or it draws first and may not answer.",
        "Russian text: answered; Romanian on points: drawn; dropped* in Tel-Aviv; stays* elsewhere",
        default="stays",
    )
    final_draws: str = option(
        PATTERN, "With `drawn`: the last cards that make the next seat draw.", "2, 3 or joker", default=""
    )
    end: str = option(
        {"enum": ["first_out", "one_left", "third_out_of_five"]},
        "The deal ends with the first out; with one left; or so, but with five or more with the third out.",
        "Tel-Aviv, Russian text, on points: first; Hungarian, Pławno: one left; Romanian text: third of 5-6",
        default="first_out",
    )
    points: tuple[Worth, ...] = option(
        _rows(WORTH), "Points of cards held at the end; a later line wins. None: deals won are counted.",
        "Tel-Aviv, Russian text, Romanian on points", default=(),
    )  # fmt: skip
    doubling: str = option(
        PATTERN,
        "Cards that double the points: going out with one, and one turned to begin.",
        "Romanian on points: the 7",
        default="",
    )
    target: int | None = option(
        {"oneOf": [{"type": "null"}, {"type": "integer", "minimum": 1, "maximum": 1_000_000}]},
        "Points that lose a match, or deals that win it; null: one deal is all.",
        "500 in Tel-Aviv and on points; Russian text: 200, 500* or 1000; Pławno: agreed wins, 3*",
        default=None,
    )
    next_dealer: str = option(
        {"enum": ["left", "winner"]},
        "Who deals next.",
        "Russian text: in turn; championship: the winner; left* elsewhere",
        default="left",
    )
    turn_limit: int = option(
        {"type": "integer", "minimum": 10, "maximum": 10_000},
        "Turns a seat after which a deal ends as a stalemate.",
        "500*: sensible play never gets there",
        default=500,
    )
    championship: bool = option(
        BOOL, "First out ends the deal, the winner deals, wins are counted.", "Pławno", default=False
    )
    inherit_hungarian: bool = option(
        BOOL, "Do the Hungarian special cards hold as well?", "no*: the Romanian list replaces them", default=False
    )  # fmt: skip
    open_cards: bool = option(
        BOOL, "Are all hands and the stock visible to everyone?", "Spanish text: «Cartas abiertas»", default=False
    )  # fmt: skip
    cross_draw_stack: bool = option(
        BOOL, "2s and 3s answer each other without matching.", "Spanish text: «Más fácil»", default=False
    )
    draw_cards_match: bool = option(
        BOOL, "2s and 3s answer each other by rank or suit.", "Spanish text: «Más difícil»", default=False
    )
    rank_packets: bool = option(
        BOOL,
        "Equal ranks may be laid together if any one of them matches; none need say «macao» to go out with them.",
        "Spanish text: «Más fácil»",
        default=False,
    )
    jokers_in_draw_packets: bool = option(
        BOOL, "Jokers may join a packet of 2s or 3s.", "Spanish text: «Más fácil»", default=False
    )
    sevens_own_suit_wild: bool = option(
        BOOL, "7s go on any card and set their own suit.", "Spanish text: «Más difícil»", default=False
    )

    def __post_init__(self) -> None:
        fault = contradiction(self)
        if fault is not None:
            raise RulesError(fault[1], pointer=f"/{fault[0]}")

    @property
    def draws_by(self) -> str:
        """`draw_answers` with the modifiers in force."""
        modified = {self.cross_draw_stack: "cross", self.draw_cards_match: "match"}
        return modified.get(True, self.draw_answers)

    @property
    def multiple_macao(self) -> bool:
        """Must «macao» be said for a packet that empties the hand?"""
        return self.call_packet and not self.rank_packets

    def pack_count(self, seats: int) -> int:
        """Packs for so many players."""
        if isinstance(self.packs, int):
            return self.packs
        return 1 if seats <= 5 else 2 if seats <= 9 else 3

    def hand_size(self, seats: int) -> int:
        """Cards dealt to each of so many players."""
        return self.cards_dealt_two if seats == 2 else self.cards_dealt

    def to_json(self) -> dict[str, Any]:
        """The full record as JSON values, in the order of the fields."""
        return {item.name: plain(item.name, getattr(self, item.name)) for item in fields(self)}

    @cached_property
    def hash(self) -> str:
        """Hex SHA-256 of the canonical JSON of the record."""
        return digest(self.to_json())
