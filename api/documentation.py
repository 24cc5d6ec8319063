"""The OpenAPI document: what every operation has in common, written once.

A view's docstring gives summary and description; its `Operation` the rest. Each answer that is an error lists the
codes it may carry, with an example of each.
"""

import re
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

import flask_smorest
from apispec import APISpec
from flask import Flask

from api import refusals
from api.codes import Entry, entry_of, more_exact
from api.errors import PROBLEM as PROBLEM_TYPE
from api.fields import OneOrMany
from api.services import errors

if TYPE_CHECKING:
    from api.blueprint import Operation

SECURITY: Final = "bearer"

# part of a path: (meaning, example)
PATH: Final[dict[str, tuple[str, Any]]] = {
    "name": ("The name of a game of the catalogue.", "house"),
    "key_id": ("The id of an API key.", "key_01jdz3k5q8v7m2x4n6p8r0s1t3"),
    "table_id": ("The id of a table.", "tbl_01jdz3k5q8v7m2x4n6p8r0s1t3"),
    "bank_id": ("The id of a bank.", "bnk_01jdz3k5q8v7m2x4n6p8r0s1t3"),
    "coup_id": ("The id of a coup.", "cou_01jdz3k5q8v7m2x4n6p8r0s1t3"),
    "deal_id": ("The id of a deal.", "dea_01jdz3k5q8v7m2x4n6p8r0s1t3"),
    "entry_id": ("The id of a transfer.", "trf_01jdz3k5q8v7m2x4n6p8r0s1t3"),
    "experiment_id": ("The id of an experiment.", "exp_01jdz3k5q8v7m2x4n6p8r0s1t3"),
    "seat": ("The number of a seat, from 0.", 1),
}
_ALWAYS: Final = (
    refusals.LineTooLong,
    refusals.HeadersTooLarge,
    refusals.NotAcceptable,
    refusals.Unprocessable,
    refusals.RateLimited,
    refusals.Internal,
    errors.Busy,
)
_OF_BODIES: Final = (
    refusals.Malformed,
    refusals.DuplicateName,
    refusals.TooDeep,
    refusals.TooLarge,
    refusals.UnsupportedType,
)
_HEADERS_OF: Final = {401: ("WWW-Authenticate",), 429: ("Retry-After",), 503: ("Retry-After",)}

_HEADERS: Final[dict[str, tuple[str, Any, str]]] = {
    "Location": ("string", "/v1/players/me", "Where the new resource is."),
    "ETag": (
        "string",
        '"5d41402abc4b2a76b9719d91"',
        "The version of the resource, for If-None-Match and If-Match.",
    ),
    "Link": ("string", '</v1/tables?cursor=…>; rel="next"', "The next page, if there is one."),
    "Retry-After": ("integer", 1, "Seconds after which to try again."),
    "X-Request-Id": ("string", "req_3f2a9c", "The request's id, as sent or as made here."),
    "RateLimit": (
        "string",
        '"key";r=299999;t=60',
        "Units left (r) and seconds to the end of the window (t).",
    ),
    "RateLimit-Policy": ("string", '"key";q=300000;w=60', "Units (q) of a window of w seconds."),
    "Idempotency-Replayed": ("string", "true", "This answer was given before, and nothing was done again."),
    "WWW-Authenticate": ("string", 'Bearer realm="macao"', "How to authenticate."),
}
EVERYWHERE: Final = ("X-Request-Id", "RateLimit", "RateLimit-Policy")

_PARAMETERS: Final[dict[str, dict[str, Any]]] = {
    "IdempotencyKey": {
        "name": "Idempotency-Key",
        "in": "header",
        "description": "Makes the call safe to repeat: the same key with the same request has one effect and one"
        " answer, kept for 24 hours at least.",
        "schema": {"type": "string", "minLength": 1, "maxLength": 255},
        "example": "8e03978e-40d5-43e8-bc93-6894a57f9324",
    },
    "IfMatch": {
        "name": "If-Match",
        "in": "header",
        "description": "Do it only if this is still the version of the resource, else 412.",
        "schema": {"type": "string"},
        "example": '"5d41402abc4b2a76b9719d91"',
    },
    "IfNoneMatch": {
        "name": "If-None-Match",
        "in": "header",
        "description": "Answer 304 if this is still the version.",
        "schema": {"type": "string"},
        "example": '"5d41402abc4b2a76b9719d91"',
    },
}

PROBLEM_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "description": "An error (RFC 9457). `code` is stable, `detail` is for people.",
    "required": ["type", "title", "status", "detail", "instance", "code", "errors", "request_id"],
    "properties": {
        "type": {"type": "string", "description": "`urn:macao:problem:` and the code."},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What was wrong, and what would be right."},
        "instance": {"type": "string", "description": "The path of the request."},
        "code": {"type": "string", "description": "Stable: branch on this."},
        "errors": {
            "type": "array",
            "description": "Where in the body (`pointer`, a JSON Pointer) or in which `parameter`, and what.",
            "items": {
                "type": "object",
                "required": ["detail"],
                "properties": {
                    "pointer": {"type": "string"},
                    "parameter": {"type": "string"},
                    "detail": {"type": "string"},
                },
            },
        },
        "request_id": {"type": "string"},
        "legal": {"type": "array", "description": "After an illegal action: the legal ones.", "items": {}},
    },
}


class Api(flask_smorest.Api):  # type: ignore[misc]
    """flask-smorest's Api without its own error handling: `api/errors.py` stands in its place."""

    DEFAULT_ERROR_RESPONSE_NAME = None

    def _register_error_handlers(self) -> None:
        """Every error is answered by `api/errors.py`."""


def api_of(app: Flask, version: str) -> Api:
    """The document's frame: title, security, shared parts."""
    app.config.update(API_TITLE="Macao", API_VERSION=version, OPENAPI_VERSION="3.1.0")
    info = {
        "description": "Macao and its cousins: played over REST, with exact odds and bankroll experiments. Chips are"
        " integers and play money. Every error is `application/problem+json` with a stable `code`; an address that"
        " is not listed answers 404 `no_route`, a method that is not listed 405 `method_not_allowed` with `Allow`.",
        "license": {"name": "MIT", "identifier": "MIT"},
    }
    servers = [{"url": "/", "description": "this server"}]
    api = Api(app, spec_kwargs={"info": info, "servers": servers})
    components = api.spec.components
    components.security_scheme(
        SECURITY, {"type": "http", "scheme": "bearer", "description": "The key that POST /v1/players gave."}
    )
    components.schema("Problem", PROBLEM_SCHEMA)
    for name, (kind, example, text) in _HEADERS.items():
        components.header(name, {"description": text, "schema": {"type": kind}, "example": example})
    for name, parameter in _PARAMETERS.items():
        components.parameter(name, parameter["in"], parameter)
    return api


def complete(doc: dict[str, Any], operation: "Operation", spec: APISpec) -> dict[str, Any]:
    """An operation's part of the document: what smorest knows (parameters, body), and all the rest."""
    doc["operationId"] = operation.id
    doc["security"] = [] if operation.scope is None else [{SECURITY: []}]
    if operation.scope is not None:
        doc["x-scope"] = operation.scope
    doc["x-cost"] = operation.cost
    shared = {
        "IdempotencyKey": operation.idempotent,
        "IfMatch": operation.if_match,
        "IfNoneMatch": operation.method == "GET" and operation.answer.tagged,
    }
    names = [name for name, wanted in shared.items() if wanted]  # apispec makes references of names
    doc["parameters"] = [*doc.get("parameters", []), *names]
    if isinstance(operation.body, OneOrMany):
        content = doc["requestBody"]["content"]["application/json"]
        content["schema"] = _one_or_many(content["schema"], operation.body.most)
    doc["responses"] = {**_answers(operation), **_refusals(operation, spec)}
    return doc


def _one_or_many(schema: Any, most: int) -> dict[str, Any]:
    """The shape of a value, or of an array of at most so many."""
    return {"oneOf": [schema, {"type": "array", "items": schema, "minItems": 1, "maxItems": most}]}


def path_parameters(rule: str, explained: Mapping[str, str]) -> list[dict[str, Any]]:
    """The parts of a path, explained here or by the operation."""
    found = []
    for name in re.findall(r"<(?:\w+:)?(\w+)>", rule):
        text, example = PATH[name]
        found.append(
            {"name": name, "in": "path", "description": explained.get(name, text), "example": example}
        )
    return found


def _answers(operation: "Operation") -> dict[str, Any]:
    """The answers when all is well: one, and 304 beside a 200 that has a tag."""
    answer = operation.answer
    names = [*EVERYWHERE, *answer.headers]
    if operation.idempotent:
        names.append("Idempotency-Replayed")
    tagged = operation.method == "GET" and answer.tagged
    if tagged or answer.status == 201:
        names.append("ETag")
    if answer.status == 201:
        names.append("Location")
    found: dict[str, Any] = {
        "description": answer.description or HTTPStatus(answer.status).phrase,
        "headers": _header_references(names),
    }
    if answer.schema is not None:
        found["content"] = {answer.type: {"schema": answer.schema, "example": answer.example}}
        for media_type, example in answer.also.items():
            found["content"][media_type] = {"schema": {"type": "string"}, "example": example}
    answers = {str(answer.status): found}
    if tagged:
        headers = _header_references([*EVERYWHERE, "ETag"])
        answers["304"] = {
            "description": "The version of If-None-Match is the present one.",
            "headers": headers,
        }
    return answers


def _header_references(names: Iterable[str]) -> dict[str, Any]:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def errors_of(operation: "Operation") -> list[type[Exception]]:
    """Every refusal that an operation may give, the declared ones and those of its shape."""
    kinds: list[type[Exception]] = [*operation.errors, *_ALWAYS]
    if operation.scope is not None:
        kinds += [errors.Unauthorized, refusals.MissingScope]
    if operation.method != "GET":
        kinds += _OF_BODIES
    if operation.idempotent:
        kinds += [refusals.BadRequest, refusals.KeyReused]
    if operation.if_match:
        kinds.append(errors.Stale)
    if "<" in operation.rule:
        kinds.append(errors.NotFound)
    return list(dict.fromkeys(kinds))


def _refusals(operation: "Operation", spec: APISpec) -> dict[str, Any]:
    """References to shared answers: one for each status and set of codes."""
    by_status: dict[int, dict[str, type[Exception]]] = {}
    for kind in errors_of(operation):
        entry = entry_of(kind)
        by_status.setdefault(entry.status, {})[entry.code] = kind
    return {str(status): _shared(status, by_status[status], spec) for status in sorted(by_status)}


def _shared(status: int, kinds: dict[str, type[Exception]], spec: APISpec) -> dict[str, str]:
    name = "-".join([str(status), *sorted(kinds)])
    if name not in spec.components.responses:
        entries = {code: entry_of(kind) for code, kind in kinds.items()}
        names = [*EVERYWHERE, *_HEADERS_OF.get(status, ())]
        content = {
            "schema": {"$ref": "#/components/schemas/Problem"},
            "examples": {
                code: {"summary": entry.title, "value": example(entry)} for code, entry in entries.items()
            },
        }
        spec.components.response(
            name,
            {
                "description": " ".join(_described(kind) for kind in kinds.values()),
                "headers": _header_references(names),
                "content": {PROBLEM_TYPE: content},
            },
        )
    return {"$ref": f"#/components/responses/{name}"}


def _described(kind: type[Exception]) -> str:
    entry = entry_of(kind)
    exact = more_exact(kind)
    more = (
        f" More exactly, where one of these is meant: {', '.join(f'`{code}`' for code in exact)}."
        if exact
        else ""
    )
    return f"`{entry.code}`: {entry.text}{more}"


def example(entry: Entry) -> dict[str, Any]:
    """A problem as it is sent."""
    return {
        "type": f"urn:macao:problem:{entry.code}",
        "title": entry.title,
        "status": entry.status,
        "detail": entry.text,
        "instance": "/v1/…",
        "code": entry.code,
        "errors": [],
        "request_id": "req_3f2a9c0d5b7e41a6c8d0e2f4",
    }
