"""An operation of the API: one decorator that routes, guards, parses and documents a view.

    blueprint = Blueprint("players", "Players and their keys.")

    @blueprint.operation(
        "POST", "/players", body=NewPlayer(), answer=Answer(201, PlayerMade(), EXAMPLE), errors=(Invalid,), key=None
    )
    def create_player(body):
        \"\"\"Register a player. (the summary; what follows an empty line is the description)\"\"\"
        return write(…)

The view's name is the operation id. Before the view is called, in this order: rate limit (`api/limits.py`), `Accept`,
API key and scope, query and body. A view gets `body` and `query` (as far as they are declared, in this order), then
the parts of the path by name, and returns what `api/execution.py` builds.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, wraps
from typing import Any, Final, TypedDict, Unpack

import flask_smorest
from flask import Response, request
from marshmallow import Schema
from werkzeug.datastructures import MIMEAccept
from werkzeug.http import parse_accept_header

from api import refusals
from api.auth import require
from api.context import context
from api.documentation import complete, path_parameters
from api.parsing import PARSER, check_nothing_sent, check_path

JSON: Final = "application/json"
BY_METHOD: Final = ""
_SCOPES: Final = {"GET": "read"}
View = Callable[..., Response]


@dataclass(frozen=True, slots=True)
class Answer:
    """What an operation answers when all is well. `example` is a value as it is sent."""

    status: int
    schema: Schema | Mapping[str, Any] | None = None
    example: Any = None
    description: str = ""
    headers: tuple[str, ...] = ()
    type: str = JSON
    tagged: bool = True  # a GET has an ETag and takes If-None-Match
    also: Mapping[str, str] = field(default_factory=dict)  # further media types: an example text of each


class More(TypedDict, total=False):
    """What an operation may have besides."""

    cost: int  # units of the rate limit, 1 if absent
    body: Schema
    example: Any  # a body as it is sent
    examples: Mapping[str, tuple[str, Any]]  # several in its place: name -> what it is, body
    query: Schema
    errors: tuple[type[Exception], ...]  # what the services may refuse, besides what every operation may
    idempotent: bool  # takes an Idempotency-Key: every POST does unless it says no
    if_match: bool


@dataclass(frozen=True, slots=True)
class Operation:
    """Everything that is known of an operation before a request comes."""

    id: str
    method: str
    rule: str
    answer: Answer
    scope: str | None
    cost: int = 1
    body: Schema | None = None
    example: Any = None
    examples: Mapping[str, tuple[str, Any]] | None = None
    query: Schema | None = None
    errors: tuple[type[Exception], ...] = ()
    idempotent: bool = False
    if_match: bool = False

    def __deepcopy__(self, _memo: object) -> "Operation":
        return self  # smorest copies what it documents

    @property
    def produces(self) -> tuple[str, ...]:
        """The media types of the answer, the usual one first."""
        return (self.answer.type, *self.answer.also)


class Blueprint(flask_smorest.Blueprint):  # type: ignore[misc]
    """flask-smorest's blueprint with `operation`."""

    ARGUMENTS_PARSER = PARSER

    def __init__(self, name: str, description: str, *, url_prefix: str = "/v1") -> None:
        super().__init__(name, __name__, url_prefix=url_prefix, description=description)
        self._prepare_doc_cbks.append(_complete)

    def operation(
        self,
        method: str,
        rule: str,
        *,
        answer: Answer,
        key: str | None = BY_METHOD,
        parameters: Mapping[str, str] | None = None,
        **more: Unpack[More],
    ) -> Callable[[View], View]:
        """Make a view an operation.

        `key`: the scope that the API key needs (`read` for a GET, `play` for the rest unless named), None where no key
        is needed. `parameters`: parts of the path explained, where `PATH` of `api/documentation.py` says too little.
        """
        scope = _SCOPES.get(method, "play") if key == BY_METHOD else key
        more.setdefault("idempotent", method == "POST")

        def decorate(view: View) -> View:
            operation = Operation(view.__name__, method, rule, answer, scope, **more)
            guarded = _guard(self._parse(view, operation), operation)
            documented = path_parameters(rule, parameters or {})
            self.add_url_rule(rule, view.__name__, guarded, methods=[method], parameters=documented)
            return view

        return decorate

    def _parse(self, view: View, operation: Operation) -> View:
        """Let smorest parse and document query and body; the innermost is the last of a view's arguments."""
        parsed = view
        if operation.query is not None:
            parsed = self.arguments(operation.query, location="query")(parsed)
        if operation.body is not None:
            required = any(item.required for item in operation.body.fields.values())
            shown = {"example": operation.example, "examples": _named(operation.examples)}
            parsed = self.arguments(operation.body, required=required, **shown)(parsed)
        return parsed


def _named(examples: Mapping[str, tuple[str, Any]] | None) -> dict[str, Any] | None:
    """Examples as the document has them."""
    if examples is None:
        return None
    return {name: {"summary": summary, "value": value} for name, (summary, value) in examples.items()}


def _guard(view: View, operation: Operation) -> View:
    @wraps(view)
    def guarded(*args: Any, **kwargs: Any) -> Response:
        check_accept(operation.produces)
        if operation.scope is not None:
            require(operation.scope)
        check_nothing_sent(operation.body, operation.query)
        check_path(kwargs.values())
        return view(*args, **kwargs)

    guarded.operation = operation  # type: ignore[attr-defined]
    guarded._apidoc = {**getattr(view, "_apidoc", {}), "operation": operation}  # type: ignore[attr-defined]
    return guarded


def _complete(doc: dict[str, Any], doc_info: dict[str, Any], *, spec: Any, **_: Any) -> dict[str, Any]:
    return complete(doc, doc_info["operation"], spec)


def check_accept(produces: tuple[str, ...]) -> str:
    """The media type to send. Raises NotAcceptable."""
    given = request.headers.get("Accept")
    best = produces[0] if not given else _best(given, produces)
    if best is None:
        raise refusals.NotAcceptable(f"this is sent as {' or '.join(produces)}, which Accept leaves out")
    return best


@lru_cache(maxsize=512)
def _best(accept: str, produces: tuple[str, ...]) -> str | None:
    return parse_accept_header(accept, MIMEAccept).best_match(produces)


def wanted_type() -> str:
    """The media type that the client prefers among those of the operation."""
    operation = context().operation
    return check_accept(operation.produces if operation else (JSON,))
