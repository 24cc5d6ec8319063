"""Every error as `application/problem+json` (RFC 9457): one shape, one place, no traceback to a client.

The refusals of the services (`api/services/errors.py`) and of the HTTP layer (`api/refusals.py`) carry code, status
and title themselves; those of the engines get theirs from `api/codes.py`, which lists all codes; werkzeug's from
`_HTTP` below.
"""

import json
import logging
from typing import Any, Final

from flask import Flask, Response, request
from werkzeug import exceptions as http

from api import refusals
from api.codes import entry_of
from api.context import context, service
from api.services.errors import ServiceError
from casino import errors as casino

PROBLEM: Final = "application/problem+json"
_log = logging.getLogger(__name__)

_HTTP: Final[dict[type[http.HTTPException], tuple[type[refusals.RequestError], str]]] = {
    http.NotFound: (refusals.NoRoute, "there is nothing at this address; /docs shows what there is"),
    http.MethodNotAllowed: (refusals.MethodNotAllowed, "this address does not take {method}; see Allow"),
    http.NotAcceptable: (refusals.NotAcceptable, "none of the types in Accept can be sent"),
    http.RequestEntityTooLarge: (refusals.TooLarge, "the body may have at most {limit} bytes"),
    http.UnsupportedMediaType: (refusals.UnsupportedType, "send the body as application/json"),
}


def problem(error: ServiceError) -> Response:
    """The answer to a refusal."""
    reply = _reply(error.status, error.title, error.detail, error.reason, error.members)
    flaws = getattr(error, "flaws", None) or _single(error.detail, error.pointer)
    return _finish(reply, flaws, error.retry_after)


def engine_problem(error: casino.CasinoError) -> Response:
    """The answer to a refusal of the engines; that of an action lists the legal ones."""
    entry = entry_of(type(error))
    members = {"legal": error.legal} if isinstance(error, casino.ActionError) else {}
    reply = _reply(entry.status, entry.title, error.detail, error.reason, members)
    return _finish(reply, _single(error.detail, error.pointer), None)


def _single(detail: str, pointer: str) -> list[refusals.Flaw]:
    return [refusals.flaw(detail, pointer=pointer)] if pointer else []


def _reply(status: int, title: str, detail: str, code: str, members: dict[str, Any]) -> dict[str, Any]:
    here = context()
    here.code = code
    return {
        "type": f"urn:macao:problem:{code}",
        "title": title,
        "status": status,
        "detail": detail,
        "instance": request.path,
        "code": code,
        "errors": [],
        "request_id": here.request_id,
        **members,
    }


def _finish(reply: dict[str, Any], flaws: list[refusals.Flaw], retry_after: int | None) -> Response:
    reply["errors"] = flaws
    body = json.dumps(reply, ensure_ascii=False, separators=(",", ":"))
    response = Response(body.encode(errors="replace"), reply["status"], content_type=PROBLEM)
    if retry_after is not None:
        response.headers["Retry-After"] = str(retry_after)
    if reply["status"] == 401:
        response.headers["WWW-Authenticate"] = 'Bearer realm="macao"'
    return response


def http_problem(error: http.HTTPException) -> Response:
    """The answer to an error of werkzeug; its own headers, such as Allow, are kept."""
    if error.code is None or error.code < 400:  # a redirect, or 304
        return Response(error.get_response().response, error.code, error.get_headers())
    for kind, (refusal, text) in _HTTP.items():
        if isinstance(error, kind):
            answer = problem(refusal(text.format(method=request.method, limit=request.max_content_length)))
            break
    else:
        answer = problem(_other(error))
    for name, value in error.get_headers():
        if name.lower() not in ("content-type", "content-length"):
            answer.headers[name] = value
    return answer


def _other(error: http.HTTPException) -> ServiceError:
    if (error.code or 500) >= 500:
        return refusals.Internal("an unexpected fault; nothing was changed")
    return refusals.BadRequest(error.description or "the request cannot be read")


def unexpected(error: Exception) -> Response:
    """The answer to a fault: what it was goes to the log, in development to the client too."""
    _log.exception("unexpected fault", extra={"request_id": context().request_id})
    detail = "an unexpected fault; nothing was changed"
    if service().config.environment == "development":
        detail += f": {type(error).__name__}: {error}"
    return problem(refusals.Internal(detail))


def register(app: Flask) -> None:
    """Let every error of the application go through here."""
    app.register_error_handler(ServiceError, problem)
    app.register_error_handler(casino.CasinoError, engine_problem)
    app.register_error_handler(http.HTTPException, http_problem)
    app.register_error_handler(Exception, unexpected)
