"""A test client that holds every answer to the OpenAPI document, and helpers to look at what happened."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import structlog
from flask import Flask
from flask.testing import FlaskClient
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012
from sqlalchemy import select
from werkzeug.test import TestResponse

from api.blueprint import Operation
from api.db import Database
from api.documentation import PATH
from api.models import Base

JSON_TYPES = ("application/json", "application/problem+json")


class ContractClient(FlaskClient):
    """Every answer of an operation must be one that the document declares: status, media type, shape."""

    def open(self, *args: Any, **kwargs: Any) -> TestResponse:
        response = super().open(*args, **kwargs)
        check_contract(self.application, response)
        return response


def check_contract(app: Flask, response: TestResponse) -> None:
    """Hold one answer to the document."""
    assert response.headers["X-Request-Id"]
    adapter = app.url_map.bind("localhost")
    request = response.request
    if not adapter.test(request.path, method=request.method):
        assert response.status_code in (404, 405), response.text
        return
    endpoint, _ = adapter.match(request.path, method=request.method)
    operation = getattr(app.view_functions[endpoint], "operation", None)
    if operation is None or request.method in ("HEAD", "OPTIONS"):
        return
    _check_operation(document_of(app), operation, response)


def _check_operation(document: dict[str, Any], operation: Operation, response: TestResponse) -> None:
    declared = operation_of(document, operation)["responses"]
    status = str(response.status_code)
    where = f"{operation.id} answered {status}: {response.text[:400]}"
    assert status in declared, where
    answer = resolved(document, declared[status])
    if "content" not in answer:
        assert response.data == b"", where
        return
    assert response.mimetype in answer["content"], where
    for name in answer.get("headers", {}):
        if name not in ("Link", "Idempotency-Replayed", "Retry-After"):
            untagged = name == "ETag" and response.mimetype not in JSON_TYPES
            assert name in response.headers or untagged or name.startswith("RateLimit"), f"{name}: {where}"
    if response.mimetype in JSON_TYPES:
        errors = [
            f"{'/'.join(map(str, error.path))}: {error.message}"
            for error in validator(document, answer["content"][response.mimetype]["schema"]).iter_errors(
                response.json
            )
        ]
        assert not errors, f"{errors}; {where}"


_registries: dict[int, tuple[dict[str, Any], Registry[Any]]] = {}


def validator(document: dict[str, Any], schema: dict[str, Any]) -> Draft202012Validator:
    """A validator of a schema of the document; objects may hold nothing that is not declared."""
    known = _registries.get(id(document))
    if known is None:
        resource = Resource.from_contents(strict(document), default_specification=DRAFT202012)
        known = _registries[id(document)] = (document, Registry().with_resource("urn:document", resource))
    return Draft202012Validator(_rooted(strict(schema)), registry=known[1])


def _rooted(schema: Any) -> Any:
    if isinstance(schema, dict):
        return {
            key: "urn:document" + item if key == "$ref" and isinstance(item, str) else _rooted(item)
            for key, item in schema.items()
        }
    return [_rooted(item) for item in schema] if isinstance(schema, list) else schema


def strict(schema: Any) -> Any:
    """The same with `additionalProperties: false` wherever properties are listed (Problem may have members)."""
    if isinstance(schema, list):
        return [strict(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: item if key in ("example", "examples") else strict(item) for key, item in schema.items()}
    if isinstance(schema.get("properties"), dict) and schema.get("type") == "object":
        problem = "request_id" in schema["properties"]
        if not problem:
            found.setdefault("additionalProperties", False)
    return found


_documents: dict[str, dict[str, Any]] = {}


def document_of(app: Flask) -> dict[str, Any]:
    """The OpenAPI document of an application, the same object for the same document."""
    if "test.document" not in app.extensions:
        answer = FlaskClient(app, TestResponse).get("/openapi.json")
        tag = answer.headers["ETag"]
        if tag not in _documents:
            _documents[tag] = answer.json
        app.extensions["test.document"] = _documents[tag]
    found: dict[str, Any] = app.extensions["test.document"]
    return found


def operation_of(document: dict[str, Any], operation: Operation) -> dict[str, Any]:
    """An operation's part of the document."""
    for path, methods in document["paths"].items():
        found = methods.get(operation.method.lower())
        if found is not None and found["operationId"] == operation.id:
            assert path
            return found
    raise AssertionError(f"{operation.id} is not in the document")


def resolved(document: dict[str, Any], part: dict[str, Any]) -> dict[str, Any]:
    """A part of the document, followed where it is a reference."""
    if "$ref" not in part:
        return part
    found: Any = document
    for name in part["$ref"].removeprefix("#/").split("/"):
        found = found[name]
    return found


def operations(app: Flask) -> dict[str, tuple[Operation, str]]:
    """Every operation with a path that it is at (parts filled with the document's examples)."""
    found = {}
    for rule in app.url_map.iter_rules():
        operation = getattr(app.view_functions[rule.endpoint], "operation", None)
        if operation is not None:
            path = re.sub(r"<(?:\w+:)?(\w+)>", lambda part: str(PATH[part[1]][1]), rule.rule)
            found[operation.id] = (operation, path)
    return found


def contents(database: Database) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table: equal before and after a call that changed nothing."""
    with database.read() as session:
        return {
            name: sorted(map(tuple, session.execute(select(table)).all()), key=repr)
            for name, table in Base.metadata.tables.items()
        }


@contextmanager
def request_lines() -> Iterator[list[dict[str, Any]]]:
    """The lines of requests that are logged within the block."""
    with structlog.testing.capture_logs() as captured:
        lines: list[dict[str, Any]] = []
        yield lines
        lines += [line for line in captured if line["event"] == "request"]


def register(client: FlaskClient, name: str = "Ada") -> dict[str, Any]:
    """A new player: what POST /v1/players answered, and `auth`, the header of his key."""
    made = client.post("/v1/players", json={"name": name})
    assert made.status_code == 201, made.text
    return {**made.json, "auth": {"Authorization": f"Bearer {made.json['api_key']}"}}
