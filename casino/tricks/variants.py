"""The trick games by name: nothing of a variant stands anywhere else."""

from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Variant:
    """What the catalogue tells of a variant, and its full record of rules."""

    title: str
    source: str
    min_seats: int
    max_seats: int
    default_seats: int
    rules: dict[str, Any]


VARIANTS: Final[dict[str, Variant]] = {
    "peklo": Variant(
        title="Пекло: bid how many tricks you will take, one card more each deal, the last without trump",
        source="the Russian text on Macao, section «Макао (Пекло)»",
        min_seats=2,
        max_seats=10,
        default_seats=4,
        rules={
            "min_hand": 1,
            "max_hand": None,
            "last_deal_no_trump": True,
            "hook": False,
            "first_bid": "left",
            "first_lead": "left",
            "overtricks": "fail",
            "missed": "nothing",
            "bonus": 10,
            "trick_points": 1,
        },
    ),
}
