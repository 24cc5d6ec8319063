"""When a session ends, as data: any of the rules that are set. Ruin ends it always.

Rules are looked at after every coup. `not_before` holds all but ruin and `coups` back for some coups, and a
`bank` with `wait` holds them back to the end of a bank, as for a human banker, who leaves only then.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from analysis.outcomes import BankrollError
from casino.options import Schema, check

MOST_COUPS = 10_000_000
_COUNT: Schema = {"type": "integer", "minimum": 1, "maximum": MOST_COUPS}
_CHIPS: Schema = {"type": "integer", "minimum": 1, "maximum": 10**14}

SCHEMA: Final[Schema] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "coups": _COUNT | {"description": "Most coups of a session."},
        "win": _CHIPS | {"description": "Chips ahead at which he leaves."},
        "target": _CHIPS | {"description": "Bankroll at which he leaves."},
        "loss": _CHIPS | {"description": "Chips behind at which he leaves."},
        "drawdown": _CHIPS | {"description": "Chips below the session's best at which he leaves."},
        "losing_streak": _COUNT
        | {"description": "Coups lost in a row (pushes left out) after which he leaves."},
        "winning_streak": _COUNT
        | {"description": "Coups won in a row (pushes left out) after which he leaves."},
        "bank_coups": _COUNT | {"description": "Coups of one bank."},
        "banks": _COUNT | {"description": "Banks after which he leaves; needs bank_coups."},
        "wait": {
            "type": "boolean",
            "description": "He leaves only at the end of a bank, whatever rule comes true; needs bank_coups.",
        },
        "not_before": {
            "type": "integer",
            "minimum": 0,
            "maximum": MOST_COUPS,
            "description": "Coups that he plays before any rule but `coups` counts.",
        },
    },
    "required": ["coups"],
}

# Why a session ended, in order of precedence: an index is what the kernels write.
REASONS: Final = (
    "ruin",
    "target",
    "loss",
    "drawdown",
    "losing_streak",
    "winning_streak",
    "bank",
    "coups",
)


@dataclass(frozen=True)
class Stops:
    """Any of these ends a session; None where a rule is not set. Chips, and coups."""

    coups: int
    win: int | None = None
    target: int | None = None
    loss: int | None = None
    drawdown: int | None = None
    losing_streak: int | None = None
    winning_streak: int | None = None
    bank_coups: int | None = None
    banks: int | None = None
    wait: bool = False
    not_before: int = 0

    def __post_init__(self) -> None:
        if self.bank_coups is None and (self.banks is not None or self.wait):
            raise BankrollError("`banks` and `wait` need the coups of a bank", pointer="/stops/bank_coups")

    @classmethod
    def from_json(cls, data: Mapping[str, Any], pointer: str = "/stops") -> "Stops":
        """Checked against SCHEMA. Raises RulesError or BankrollError with a pointer."""
        check(dict(data), SCHEMA, pointer)
        return cls(**data)

    def to_json(self) -> dict[str, Any]:
        """Only the rules that are set."""
        return {
            key: value for key, value in asdict(self).items() if value not in (None, False) and value != 0
        }

    def ceiling(self, bankroll: int) -> int | None:
        """The bankroll from which he leaves a winner, by `win` or `target`. Raises BankrollError: not above."""
        ends = [end for end in (self.target, bankroll + self.win if self.win else None) if end is not None]
        if ends and min(ends) <= bankroll:
            raise BankrollError(
                f"the target {min(ends)} must be above the bankroll {bankroll}", pointer="/stops/target"
            )
        return min(ends) if ends else None

    def floor(self, bankroll: int) -> int | None:
        """The bankroll down to which he leaves a loser, by `loss`."""
        return None if self.loss is None else bankroll - self.loss

    @property
    def only_barriers(self) -> bool:
        """Are there none but coups, win, target and loss, without waiting?"""
        rest = (self.drawdown, self.losing_streak, self.winning_streak, self.banks)
        return all(rule is None for rule in rest) and not self.wait and not self.not_before


def table() -> str:
    """The rules as a table in Markdown, for the documentation."""
    lines = ["| stop rule | meaning |", "|---|---|"]
    lines += [f"| `{name}` | {rule['description']} |" for name, rule in SCHEMA["properties"].items()]
    return "\n".join(lines) + "\n"
