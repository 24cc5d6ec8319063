"""Actions of a banking table and their text: `bank 500`, `seed 00ff`, `stake 10`, `draw` (`table.md`)."""

from typing import Any, Final, NamedTuple

from casino.errors import NotationError

BANK, SEED, PASS = "bank", "seed", "pass"
STAKE, SIT, TOP, CLOSE = "stake", "sit", "top", "close"
DISCARD, DRAW, STAND = "discard", "draw", "stand"

MAX_SEED_BYTES: Final = 32
MAX_DIGITS: Final = 15  # amounts stay far below 64 bits
_AMOUNTS: Final = frozenset((BANK, STAKE, TOP))

MEANINGS: Final[dict[str, str]] = {
    BANK: "put up the bank: «bank 500»",
    PASS: "decline the bank, which goes to the next seat",
    SEED: "add your own chance to the coming shoe, up to 32 bytes in hex: «seed 00ff»",
    STAKE: "stake on the coming coup: «stake 10»",
    SIT: "sit the coming coup out",
    TOP: "add chips to your bank: «top 100»",
    CLOSE: "end your bank, while nobody has staked on the coming coup",
    DISCARD: "throw a zero away and be given another card in its place",
    DRAW: "draw the one further card",
    STAND: "take no further card",
}


class Action(NamedTuple):
    """One action: a verb and, where it takes one, an amount in chips or the bytes of a seed."""

    verb: str
    value: int | bytes | None = None


class Range(NamedTuple):
    """Amounts that a verb may take: `min`, `min + step` … `max`, in chips."""

    verb: str
    min: int
    max: int
    step: int


class Blob(NamedTuple):
    """Bytes that a verb may take: 1 to `max_bytes`."""

    verb: str
    max_bytes: int


Legal = Action | Range | Blob


def text(action: Legal) -> Any:
    """The text of an action; an amount or a seed still to be chosen stands as its range."""
    if isinstance(action, Range):
        return {action.verb: {"min": action.min, "max": action.max, "step": action.step}}
    if isinstance(action, Blob):
        return {action.verb: {"max_bytes": action.max_bytes}}
    verb, value = action
    if value is None:
        return verb
    return f"{verb} {value.hex() if isinstance(value, bytes) else value}"


def parse(line: str) -> Action:
    """The action of a text. Raises NotationError, which tells the form that is wanted."""
    verb, _, rest = line.strip().partition(" ")
    rest = rest.strip()
    if verb not in MEANINGS:
        raise NotationError(f"«{line[:40]}» is no action; there are {', '.join(MEANINGS)}", pointer="/action")
    if verb in _AMOUNTS:
        return Action(verb, _amount(verb, rest))
    if verb == SEED:
        return Action(verb, _seed(rest))
    if rest:
        raise NotationError(f"«{verb}» stands alone, without «{rest[:40]}»", pointer="/action")
    return Action(verb)


def _amount(verb: str, rest: str) -> int:
    if not (rest.isascii() and rest.isdigit() and len(rest) <= MAX_DIGITS and rest[0] != "0"):
        raise NotationError(
            f"«{verb}» takes a whole number of chips above 0 (at most {MAX_DIGITS} digits), as in «{verb} 100»,"
            f" not «{rest[:40]}»",
            pointer="/action",
        )
    return int(rest)


def _seed(rest: str) -> bytes:
    try:
        seed = bytes.fromhex(rest) if rest.isascii() and " " not in rest else b""
    except ValueError:
        seed = b""
    if not 0 < len(seed) <= MAX_SEED_BYTES:
        raise NotationError(
            f"«seed» takes 1 to {MAX_SEED_BYTES} bytes in hex, two digits each, as in «seed 00ff»",
            pointer="/action",
        )
    return seed
