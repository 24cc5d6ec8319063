"""The cards a coup is dealt from, by points, as odds need them: a full shoe, what is left of one, or no end.

Suits and ranks of one value are all one here: a shoe is ten counts, of zeros (tens and court cards), aces,
twos … nines. An infinite shoe draws every card with replacement; its counts are the weights of one suit.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from casino.banking.plan import DRAW_BIT, Plan
from casino.cards import BLACK_JOKER, NAMES, POINTS, face
from casino.errors import NotationError, RulesError
from casino.options import Schema

ONE_SUIT: Final = (4, 1, 1, 1, 1, 1, 1, 1, 1, 1)
MOST_DECKS: Final = 8
INFINITE: Final = "infinite"
SHOE_SCHEMA: Final[Schema] = {
    "oneOf": [
        {"enum": [INFINITE]},
        {
            "type": "object",
            "properties": {"decks": {"type": "integer", "minimum": 1, "maximum": MOST_DECKS}, "counts": {}},
            "additionalProperties": False,
        },
    ]
}
_WORDS = ("zeros", "aces", "twos", "threes", "fours", "fives", "sixes", "sevens", "eights", "nines")


@dataclass(frozen=True, slots=True)
class Shoe:
    """Cards left by points (`counts[0]` zeros … `counts[9]` nines); `infinite`: drawn with replacement."""

    counts: tuple[int, ...]
    infinite: bool = False

    @property
    def cards(self) -> int:
        """Cards left (13, one suit, for an infinite shoe)."""
        return sum(self.counts)

    @property
    def packs(self) -> int:
        """The fewest packs that hold these cards."""
        return max(-(-count // (4 * ones)) for count, ones in zip(self.counts, ONE_SUIT, strict=True))

    def without(self, seen: Sequence[str], packs: int = MOST_DECKS, pointer: str = "/seen") -> "Shoe":
        """The shoe less the cards seen («9H», «TD»; suits may be left out). An infinite shoe stays as it is.

        Raises NotationError: a text that is no card; RulesError: a joker, or more of a card than there are.
        """
        counts = list(self.counts)
        faces = [0] * len(NAMES)
        for index, text in enumerate(seen):
            where = f"{pointer}/{index}"
            card = _face(text, where)
            counts[POINTS[card]] -= not self.infinite
            if counts[POINTS[card]] < 0:
                had = self.counts[POINTS[card]]
                raise RulesError(
                    f"the shoe holds {had} {_WORDS[POINTS[card]]}, and this is one more seen", pointer=where
                )
            faces[card] += len(text) == len(NAMES[card])
            if faces[card] > packs and not self.infinite:
                raise RulesError(f"{packs} packs hold no {faces[card]} cards {NAMES[card]}", pointer=where)
        return Shoe(tuple(counts), self.infinite)


def _face(text: Any, pointer: str) -> int:
    if not isinstance(text, str):
        raise NotationError("must be a card as text, such as «9H»", pointer=pointer)
    card = face(text, suitless=True, pointer=pointer)
    if card >= BLACK_JOKER:
        raise RulesError("banking games are played without jokers", pointer=pointer)
    return card


def full(packs: int, pointer: str = "/decks") -> Shoe:
    """A full shoe of 1-8 packs. Raises RulesError."""
    if isinstance(packs, bool) or not isinstance(packs, int) or not 1 <= packs <= MOST_DECKS:
        raise RulesError(f"must be 1 to {MOST_DECKS} packs, not {packs!r:.40}", pointer=pointer)
    return Shoe(tuple(4 * packs * count for count in ONE_SUIT))


def infinite() -> Shoe:
    """The shoe without end."""
    return Shoe(ONE_SUIT, infinite=True)


def left(counts: Mapping[str, Any] | Sequence[Any], packs: int, pointer: str = "/counts") -> Shoe:
    """What is left of a shoe of `packs` packs, by points: ten counts, or a mapping «0» … «9» (absent: none left).

    Raises RulesError: no points of that name, a count that is no number, negative, or above the packs.
    """
    named = counts if isinstance(counts, Mapping) else {str(at): count for at, count in enumerate(counts)}
    found = [0] * 10
    for key, count in named.items():
        where = f"{pointer}/{key}"
        if key not in tuple("0123456789"):
            raise RulesError(f"«{str(key)[:20]}» is no number of points: there are 0 to 9", pointer=where)
        most = 4 * packs * ONE_SUIT[int(key)]
        if isinstance(count, bool) or not isinstance(count, int):
            raise RulesError(f"must be a whole number of cards, not {count!r:.40}", pointer=where)
        if not 0 <= count <= most:
            raise RulesError(
                f"must be 0 to {most}, the {_WORDS[int(key)]} of {packs} packs, not {count!r:.40}",
                pointer=where,
            )
        found[int(key)] = count
    return Shoe(tuple(found))


def shoe_of(data: Any, packs: int, pointer: str = "/shoe") -> Shoe | None:
    """A shoe from JSON: «infinite», packs (`2` or `{"decks": 2}`), or counts left by points of so many packs
    (`{"counts": {"0": 32, …}}`; those of `packs` where it names none); None: the full shoe. Raises RulesError.
    """
    if data is None:
        return None
    if data == INFINITE:
        return infinite()
    if not isinstance(data, Mapping):
        return full(data, pointer)
    held = data.get("decks", packs)
    if "counts" not in data:
        return full(held, f"{pointer}/decks")
    if not isinstance(data["counts"], Mapping | list):
        raise RulesError('must be counts by points, such as {"0": 32, "1": 8}', pointer=f"{pointer}/counts")
    return left(data["counts"], held, f"{pointer}/counts")


def check_coup(shoe: Shoe, plan: Plan, pointer: str = "/shoe") -> None:
    """Refuse a shoe that might run out in the middle of one punter's coup. Raises RulesError with the reason.

    Where zeros may be thrown away all of them may go, so the cards that are none must suffice for every hand.
    """
    if not serves(shoe, plan):
        what = "cards that are not zeros (every zero may be thrown away)" if may_discard(plan) else "cards"
        raise RulesError(
            f"a coup may need {kept_cards(plan)} {what} and the shoe holds {_usable(shoe, plan)}: it could not be"
            " finished without a reshuffle, which exact odds do not cover",
            pointer=pointer,
        )


def serves(shoe: Shoe, plan: Plan) -> bool:
    """Can one punter's coup be finished from this shoe, whatever is done?"""
    return shoe.infinite or _usable(shoe, plan) >= kept_cards(plan)


def _usable(shoe: Shoe, plan: Plan) -> int:
    return shoe.cards - shoe.counts[0] if may_discard(plan) else shoe.cards


def kept_cards(plan: Plan) -> int:
    """Most cards that one punter and the banker may hold at the end of a coup."""
    return 2 * plan.first + punter_may_draw(plan) + banker_may_draw(plan)


def punter_may_draw(plan: Plan) -> bool:
    """Is there a hand on which a punter may draw?"""
    return any(bits & DRAW_BIT for bits in plan.punter)


def banker_may_draw(plan: Plan) -> bool:
    """Is there a hand on which the banker may draw?"""
    return any(bits & DRAW_BIT for row in plan.banker for bits in row)


def may_discard(plan: Plan) -> bool:
    """May anybody throw a zero away?"""
    return plan.punter_dealt or plan.punter_drawn or plan.banker_dealt or plan.banker_drawn
