"""The banking family: eight presets of banking Macao, and whatever their options make of them."""

from collections.abc import Mapping
from typing import Any, Final

from casino.banking.bank import CIRCLE, BankingGame
from casino.banking.money import Movement
from casino.banking.presets import PRESETS
from casino.banking.rules import Rules, build
from casino.banking.state import BankingState
from casino.banking.text import MEANINGS, Action, Blob, Range
from casino.catalogue import Listing
from casino.options import schema_of

_SOURCE: Final = "002_ab38dec88f5893ee.txt, section «Макао», "
_SOURCES: Final = {
    "russian-even": _SOURCE + "telling 1 («…для неограниченного числа партнеров»)",
    "russian-multiple": _SOURCE + "tellings 2 and 3 («Число игроков в макао не ограничено»)",
    "russian-even-active": _SOURCE + "telling 1, with a banker who draws",
    "russian-multiple-active": _SOURCE + "tellings 2 and 3, with a banker who discards and draws",
    "house": _SOURCE + "tellings 2 and 3, with a banker who plays by rote",
    "continental": "French and Italian accounts of the game",
    "punto-banco": "the usual casino rules of punto banco; kept because its published figures prove the engine",
    "chemin-de-fer": "the usual rules of chemin de fer; kept because its published figures prove the engine",
}


def build_game(name: str, options: Mapping[str, Any], seats: int) -> BankingGame:
    """A preset with some options changed, at a table whose bank goes round."""
    return BankingGame(name, build(PRESETS[name][1], options, "/options"), seats)


def _listing(name: str) -> Listing:
    title, defaults = PRESETS[name]
    return Listing(
        name=name,
        family=BankingGame.family,
        title=title,
        source=_SOURCES[name],
        min_seats=2,
        max_seats=defaults["max_punters"] + 1,
        default_seats=2,
        build=build_game,
        defaults=defaults,
        schema=schema_of(Rules, defaults),
        actions=MEANINGS,
    )


GAMES: Final[tuple[Listing, ...]] = tuple(_listing(name) for name in PRESETS)

__all__ = ["CIRCLE", "GAMES", "Action", "BankingGame", "BankingState", "Blob", "Movement", "Range", "Rules"]
