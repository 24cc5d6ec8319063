"""Refusals of the analysis, beside those of the engines. Loads nothing else, so that the service may import it."""

from typing import ClassVar

from casino.errors import CasinoError


class BankrollError(CasinoError):
    """A question about a bankroll that has no answer, or whose answer costs more than the cap."""

    code: ClassVar[str] = "bankroll"


class ExecutorError(CasinoError):
    """An executor that cannot be had: an URL of no known kind, a part that is not installed, nobody who answers."""

    code: ClassVar[str] = "executor"
