"""Questions: operations that work something out of what they are sent. They need no key, and nothing is stored.

blueprint = Questions("odds", "Exact odds …", by="api.services.odds", errors=(RulesError, Invalid))

@blueprint.question("/odds", OddsAsked(), EXAMPLE, OddsTold(), EXAMPLE_TOLD)
def ask_odds(body):
    \"\"\"Work out the odds. (as of every operation)\"\"\"
    return result(blueprint.answers().odds_answer(body, spend))
"""

from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any

from marshmallow import Schema

from api.blueprint import Answer, Blueprint, View
from api.context import service
from api.warming import wait_until_warm


class Questions(Blueprint):
    """A blueprint of questions that one module answers, with what that module may refuse."""

    def __init__(self, name: str, description: str, *, by: str, errors: tuple[type[Exception], ...]) -> None:
        super().__init__(name, description)
        self._by = by
        self._errors = errors

    def answers(self) -> ModuleType:
        """The module. It is imported with the first question, as it loads numpy and scipy: a service that is asked
        none loads none of it."""
        wait_until_warm(service())
        return import_module(self._by)

    def question(
        self, rule: str, asked: Schema, example: Any, told: Schema, example_told: Any
    ) -> Callable[[View], View]:
        """Make a view a question."""
        return self.operation(
            "POST",
            rule,
            body=asked,
            example=example,
            answer=Answer(200, told, example_told),
            errors=self._errors,
            key=None,
            idempotent=False,
        )
