"""Actions of shedding games as small ints, and their text: one step of a turn each.

A face plays that card; other actions have codes of their own, in the order in which `legal` lists them.

>>> text(29), text(ADD + 29), parse("play BJ as QH") == JOKER_AS + face("QH")
('play 9H', 'add 9H', True)
"""

from typing import Final

from casino.cards import BLACK_JOKER, FACES, NAMES, RANKS, face
from casino.errors import NotationError

MAX_SEATS: Final = 10
CARDS: Final = 54

ADD: Final = CARDS
# A joker laid as a named card: «play BJ as …», «play RJ as …», then the same with «add».
JOKER_AS: Final = ADD + CARDS
ADD_JOKER_AS: Final = JOKER_AS + 2 * FACES
# What a caller names: the four suits, the thirteen ranks, any, and free from the suit in play.
NAME: Final = ADD_JOKER_AS + 2 * FACES
NAME_RANK: Final = NAME + 4
NAME_ANY: Final = NAME_RANK + 13
NAME_FREE: Final = NAME_ANY + 1
CHOOSE: Final = NAME_FREE + 1
END: Final = CHOOSE + MAX_SEATS
DRAW: Final = END + 1
ACCEPT: Final = DRAW + 1
PASS: Final = ACCEPT + 1
MACAO: Final = PASS + 1
CATCH: Final = MACAO + 1
COUNT: Final = CATCH + MAX_SEATS

SUIT_WORDS: Final = ("spades", "hearts", "diamonds", "clubs")

MEANINGS: Final[dict[str, str]] = {
    "play CARD": "lay the first card of a turn, or one just drawn, as in «play 7S»",
    "play JOKER as CARD": "lay a joker as the card named, where jokers stand for any card: «play BJ as QH»",
    "add CARD": "lay a further card of the packet, the run or after a 5; «add BJ as 7H» where jokers are named",
    "name WHAT": "say what must follow: a suit («name hearts»), a rank («name 9»), «name any» or «name free»",
    "choose SEAT": "say who is next, as in «choose 2»",
    "end": "lay no more cards; keep the card just drawn; make no demand where one is free to",
    "draw": "draw one card",
    "accept": "take the penalty cards, or sit out the turns",
    "pass": "do nothing, where nothing can be drawn or played; add no 4 where fours are asked",
    "macao": "say «macao», whoever's turn it is",
    "catch SEAT": "say «macao» for one who has not, as in «catch 1»",
}


def _texts() -> tuple[str, ...]:
    named = [f"{verb} {joker} as {{}}" for verb in ("play", "add") for joker in ("BJ", "RJ")]
    return (
        *(f"play {card}" for card in NAMES),
        *(f"add {card}" for card in NAMES),
        *(form.format(card) for form in named for card in NAMES[:FACES]),
        *(f"name {suit}" for suit in SUIT_WORDS),
        *(f"name {rank}" for rank in RANKS),
        "name any",
        "name free",
        *(f"choose {seat}" for seat in range(MAX_SEATS)),
        *("end", "draw", "accept", "pass", "macao"),
        *(f"catch {seat}" for seat in range(MAX_SEATS)),
    )


TEXTS: Final = _texts()
_CODES: Final[dict[str, int]] = {words: code for code, words in enumerate(TEXTS)}


def laid(action: int) -> tuple[int, int]:
    """The card that a `play` or `add` takes from the hand, and the card it counts as (they differ for a named
    joker)."""
    if action < JOKER_AS:
        card = action % CARDS
        return card, card
    joker, named = divmod((action - JOKER_AS) % (2 * FACES), FACES)
    return BLACK_JOKER + joker, named


def text(action: int) -> str:
    """The text of an action."""
    return TEXTS[action]


def parse(words: str) -> int:
    """The action of a text. Raises NotationError, which says how to write it."""
    code = _CODES.get(words)
    if code is not None:
        return code
    verb, _, rest = words.partition(" ")
    if verb in ("play", "add"):
        _refuse_card(words, rest)
    known = ", ".join(f"«{form}»" for form in MEANINGS)
    raise NotationError(f"«{words[:40]}» is not an action; there are {known}")


def _refuse_card(words: str, rest: str) -> None:
    """Raises NotationError for what is wrong with the card of a `play` or `add`, if anything is."""
    joker, named, card = rest.partition(" as ")
    if not named:
        face(rest)
    elif face(joker) < FACES:
        raise NotationError(f"only a joker is laid as another card, in «{words[:40]}»")
    elif face(card) >= FACES:
        raise NotationError(f"a joker is named as a card of rank and suit, in «{words[:40]}»")
