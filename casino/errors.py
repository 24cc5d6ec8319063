"""Every refusal of the engines: what was wrong, where, and what would have been right.

A `code` is stable: clients may branch on it, so a code is never renamed or given a second meaning.
"""

from collections.abc import Sequence
from typing import Any, ClassVar


class CasinoError(ValueError):
    """Root of all refusals. `code` is stable, `detail` is for people, `pointer` says where in the input."""

    code: ClassVar[str] = "refused"

    def __init__(self, detail: str, *, pointer: str = "", code: str | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        self.pointer = pointer
        self.reason = code or self.code


class RulesError(CasinoError):
    """Options that are unknown, of the wrong shape, or contradict each other."""

    code = "rules"


class NotationError(CasinoError):
    """A text that is not a card, an action, a position or a record."""

    code = "notation"


class PositionError(CasinoError):
    """A well-formed position that cannot be: a card too often, a seat out of range."""

    code = "position"


class RecordError(CasinoError):
    """A record whose game did not go as it says: an action that was refused, another order of cards."""

    code = "record"


class UnknownGame(CasinoError):
    """No game of that name in the catalogue."""

    code = "unknown_game"


class ActionError(CasinoError):
    """An action refused by a state, which it leaves as it was. `legal` lists what the seat may do instead."""

    code = "illegal"

    def __init__(
        self, detail: str, *, legal: Sequence[Any] = (), pointer: str = "", code: str | None = None
    ) -> None:
        super().__init__(detail, pointer=pointer, code=code)
        self.legal = list(legal)


class IllegalAction(ActionError):
    """The seat may act now, but not so."""

    code = "illegal"


class NotYourTurn(ActionError):
    """The seat may not act now."""

    code = "not_your_turn"


class GameOver(ActionError):
    """Nobody may act any more."""

    code = "over"
