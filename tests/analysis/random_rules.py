"""Options of banking rules to choose from at random, for tests that compare two tellings over many rule sets."""

from typing import Any, Final

OPTIONS: Final[dict[str, list[Any]]] = {
    "exposed": ["never", "on_turn", "dealt"],
    "draw_face_up": [True, False],
    "punter_discards": ["none", "dealt", "drawn", "both"],
    "banker_discards": ["none", "dealt", "drawn", "both"],
    "natural_after_discard": [True, False],
    "natural_pays": [{}, {"9": 3, "8": 2}, {"7": 4}],
    "natural_takes": [{}, {"9": 3, "8": 2}, {"7": 4}],
    "ties": ["push", "banker"],
    "tie_takes": [{}, {"9": 3, "0": 2, "5": 7}],
    "tie_takes_on": ["points", "banker_natural", "punter_natural"],
    "banker_natural_ends": [[], [8, 9], [7]],
    "punter_natural_ends": [[], [8, 9], [7]],
}
DISCARDS: Final = ("punter_discards", "banker_discards")
TWO_CARDS: Final[dict[str, Any]] = {
    "first_cards": 2,
    "shared_hand": True,
    **dict.fromkeys(DISCARDS, "none"),
}
