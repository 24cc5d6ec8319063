"""How a request's body and query string become checked values: strict where webargs as it comes is lenient.

A body must be `application/json` in UTF-8 (else 415) and JSON as `api/strict_json.py` has it; unknown fields and
unknown or repeated query parameters are refused with 422 and the names there are.
"""

from collections.abc import Iterable
from typing import Any, Final, NoReturn

from flask import Request, request
from marshmallow import Schema, ValidationError, fields
from webargs.core import missing
from webargs.flaskparser import FlaskParser
from werkzeug.exceptions import RequestEntityTooLarge

from api.fields import EmptyBody, EmptyQuery, OneOrMany
from api.refusals import Flaw, Unprocessable, UnsupportedType, flaw
from api.services.errors import NotFound
from api.strict_json import loads, token

_AS_IT_IS: Final = "identity"  # of content codings the one that is none (RFC 9110, 8.4.1)
_LONGEST_NAME: Final = 100
_UNKNOWN: Final = "Unknown field."
_MISSING: Final = "Missing data for required field."
_NO_OBJECT: Final = "Invalid input type."


def body_of(asked: Request) -> bytes:
    """The body, read once. Raises RequestEntityTooLarge beyond the cap, also where it comes in chunks.

    Of a body whose length is not told werkzeug reads as much as the cap and leaves the rest: here one byte more is
    asked for, which shows that there is more.
    """
    cap = asked.max_content_length
    if asked.content_length is not None or cap is None:
        return asked.get_data(cache=True)
    asked.max_content_length = cap + 1
    body = asked.get_data(cache=True)
    asked.max_content_length = cap
    if len(body) > cap:
        raise RequestEntityTooLarge
    return body


def _check_type(asked: Request) -> None:
    """Is the body JSON in UTF-8, as it is? Raises UnsupportedType."""
    if asked.mimetype != "application/json":
        given = f"not {asked.mimetype[:60]}" if asked.mimetype else "the request names no Content-Type"
        raise UnsupportedType(f"send the body as application/json; {given}")
    charset = asked.mimetype_params.get("charset", "utf-8").lower()
    if charset not in ("utf-8", "utf8"):
        raise UnsupportedType(f"send JSON in UTF-8, not in {charset[:40]}")
    coding = asked.headers.get("Content-Encoding", _AS_IT_IS).strip().lower()
    if coding != _AS_IT_IS:
        raise UnsupportedType(f"send the body as it is, not in {coding[:40]}")


class StrictParser(FlaskParser):
    """webargs for this service."""

    DEFAULT_UNKNOWN_BY_LOCATION = {"json": None, "query": None}  # noqa: RUF012 (webargs' own attribute)

    def load_json(self, req: Request, schema: Schema) -> Any:
        """The body's value; an absent body is an empty object."""
        body = body_of(req)
        if not body:
            return {}
        _check_type(req)
        return loads(body)

    def load_querystring(self, req: Request, schema: Schema) -> Any:
        """The parameters, each given once."""
        if not req.query_string:
            return missing
        repeated = [
            flaw("given more than once", parameter=name[:64])
            for name, values in req.args.lists()
            if len(values) > 1
        ]
        if repeated:
            raise Unprocessable("a query parameter may be given once only", flaws=repeated)
        odd = [
            flaw("must not hold control characters", parameter=token(name))
            for name, value in req.args.items()
            if not (name.isprintable() and value.isprintable())
        ]
        if odd:
            raise Unprocessable("a query parameter must not hold control characters", flaws=odd)
        return req.args.to_dict()

    def handle_error(self, error: ValidationError, req: Request, schema: Schema, **_: Any) -> NoReturn:
        """Turn marshmallow's nested messages into one problem with pointers."""
        assert isinstance(error.messages, dict)  # noqa: S101 (webargs puts them under the location)
        ((location, messages),) = error.messages.items()
        flaws = list(_flaws(messages, schema, ""))
        if location != "json":
            flaws = [flaw(item["detail"], parameter=item["pointer"].removeprefix("/")) for item in flaws]
        first = flaws[0]
        where = first.get("pointer") or first.get("parameter") or "the body"
        more = f" (and {len(flaws) - 1} more)" if len(flaws) > 1 else ""
        raise Unprocessable(f"{where}: {first['detail']}{more}", flaws=flaws)


def _flaws(messages: Any, schema: Any, pointer: str) -> list[Flaw]:
    """All messages of a level and below, each with its pointer."""
    if isinstance(messages, dict):
        found = []
        for name, below in messages.items():
            if name == "_schema":
                found += _flaws(_plainer(below, schema), schema, pointer)
            else:
                found += _flaws(
                    _plainer(below, schema), _inner(schema, name), f"{pointer}/{token(str(name))}"
                )
        return found
    texts = messages if isinstance(messages, list) else [messages]
    return [flaw(_lower(str(text)), pointer=pointer) for text in texts]


def _plainer(messages: Any, schema: Any) -> Any:
    """marshmallow's shortest messages, with what would be right."""
    if messages == [_UNKNOWN]:
        names = ", ".join(schema.fields) if isinstance(schema, Schema) else ""
        return [f"unknown; there are {names}" if names else "unknown; none is taken here"]
    if messages == [_MISSING]:
        return ["is missing"]
    return ["must be a JSON object"] if messages == [_NO_OBJECT] else messages


def _inner(schema: Any, name: Any) -> Any:
    """The schema or field below a name, as far as it is known."""
    if isinstance(schema, OneOrMany) and isinstance(name, int):
        return schema
    field = schema.fields.get(name) if isinstance(schema, Schema) else schema
    if isinstance(field, fields.List):
        field = field.inner
    return field.schema if isinstance(field, fields.Nested) else field


def _lower(text: str) -> str:
    """A message in the tone of the others: marshmallow's are sentences."""
    return text[:1].lower() + text[1:].rstrip(".")


PARSER = StrictParser()
_NO_QUERY = EmptyQuery()
_NO_BODY = EmptyBody()


def check_nothing_sent(body: Schema | None, query: Schema | None) -> None:
    """Refuse a query or a body where an operation takes none."""
    if query is None and request.query_string:
        PARSER.parse(_NO_QUERY, request, location="query")
    if body is None and request.method not in ("GET", "HEAD") and body_of(request):
        PARSER.parse(_NO_BODY, request, location="json")


def check_path(parts: Iterable[Any]) -> None:
    """Refuse a part of a path that nothing can be named by (no database takes a NUL). Raises NotFound."""
    for part in parts:
        if isinstance(part, str) and not (part.isprintable() and len(part) <= _LONGEST_NAME):
            raise NotFound("nothing is named like that")
