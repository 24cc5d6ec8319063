"""The OpenAPI document is valid and complete; the page that shows it loads nothing from outside."""

import re
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from http_contract import document_of, operation_of, operations, resolved, validator
from openapi_spec_validator import OpenAPIV31SpecValidator

from api import browse
from api.documentation import errors_of


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """The document is the same on any database."""
    return sqlite_url


@pytest.fixture
def document(app: Flask) -> dict[str, Any]:
    return document_of(app)


def test_the_document_is_valid_openapi_3_1(document: dict[str, Any]) -> None:
    assert document["openapi"].startswith("3.1")
    assert list(OpenAPIV31SpecValidator(document).iter_errors()) == []


def test_every_route_under_v1_is_an_operation(app: Flask) -> None:
    free = {rule.rule for rule in app.url_map.iter_rules()} - {
        rule.rule
        for rule in app.url_map.iter_rules()
        if getattr(app.view_functions[rule.endpoint], "operation", None)
    }
    assert free == {"/openapi.json", "/", "/docs", "/docs/verify", "/docs/<file>"}


def test_operation_ids_are_unique_names(document: dict[str, Any]) -> None:
    ids = [
        operation["operationId"]
        for methods in document["paths"].values()
        for name, operation in methods.items()
        if name != "parameters"
    ]
    assert len(ids) == len(set(ids)) >= 15
    assert all(re.fullmatch(r"[a-z][a-z_]+", name) for name in ids)


def test_every_operation_is_complete(app: Flask, document: dict[str, Any]) -> None:
    for operation, _ in operations(app).values():
        told = operation_of(document, operation)
        where = operation.id
        assert told["summary"].strip().endswith("."), where
        assert told["tags"], where
        assert bool(told["security"]) == (operation.scope is not None), where
        good = [status for status in told["responses"] if status.startswith("2")]
        assert len(good) == 1, where
        answer = told["responses"][good[0]]
        if good != ["204"]:
            for part in answer["content"].values():
                assert part["schema"], where
                assert part["example"] is not None, where
        if operation.body is not None:
            body = told["requestBody"]["content"]["application/json"]
            assert body["schema"], where
            shown = [body["example"]] if "example" in body else list(body["examples"].values())
            assert shown, where
            assert None not in shown, where


def test_every_example_fits_its_schema(app: Flask, document: dict[str, Any]) -> None:
    for operation, _ in operations(app).values():
        told = operation_of(document, operation)
        parts = [
            part
            for answer in told["responses"].values()
            for part in resolved(document, answer).get("content", {}).values()
        ]
        parts += told.get("requestBody", {}).get("content", {}).values()
        for part in parts:
            examples = [item["value"] for item in part.get("examples", {}).values()]
            examples += [part["example"]] if "example" in part else []
            for example in examples:
                errors = [error.message for error in validator(document, part["schema"]).iter_errors(example)]
                assert errors == [], f"{operation.id}: {errors}"


def test_every_error_an_operation_may_give_is_told(app: Flask, document: dict[str, Any]) -> None:
    for operation, _ in operations(app).values():
        told = operation_of(document, operation)["responses"]
        for kind in errors_of(operation):
            examples = [
                example
                for status in told
                for part in resolved(document, told[status]).get("content", {}).values()
                for example in part.get("examples", {})
            ]
            code = kind.code  # type: ignore[attr-defined]
            assert code in examples, f"{operation.id}: {code}"
        expected = {"406", "422", "429", "500", "503"}
        expected |= {"401", "403"} if operation.scope else set()
        expected |= {"400", "413", "415"} if operation.method != "GET" else set()
        expected |= {"404"} if "<" in operation.rule else set()
        expected |= {"412"} if operation.if_match else set()
        assert expected <= set(told), operation.id


def test_errors_are_problems_everywhere(app: Flask, document: dict[str, Any]) -> None:
    for operation, _ in operations(app).values():
        for status, answer in operation_of(document, operation)["responses"].items():
            if int(status) >= 400:
                content = resolved(document, answer)["content"]
                assert list(content) == ["application/problem+json"]
                assert content["application/problem+json"]["schema"] == {
                    "$ref": "#/components/schemas/Problem"
                }


def test_every_post_that_changes_something_takes_an_idempotency_key(
    app: Flask, document: dict[str, Any]
) -> None:
    for operation, _ in operations(app).values():
        names = [resolved(document, item)["name"] for item in operation_of(document, operation)["parameters"]]
        assert ("Idempotency-Key" in names) == operation.idempotent
        assert operation.method != "GET" or not operation.idempotent


def test_request_bodies_refuse_what_they_do_not_name(app: Flask, document: dict[str, Any]) -> None:
    for operation, _ in operations(app).values():
        if operation.body is not None:
            schema = operation_of(document, operation)["requestBody"]["content"]["application/json"]["schema"]
            assert closed(document, schema), operation.id


def closed(document: dict[str, Any], schema: dict[str, Any]) -> bool:
    """Does a schema refuse fields that it does not name, in every shape that it takes?"""
    found = resolved(document, schema)
    if "oneOf" in found:
        return all(closed(document, shape) for shape in found["oneOf"])
    if found.get("type") == "array":
        return closed(document, found["items"])
    return found["additionalProperties"] is False


def test_the_document_may_be_kept_and_asked_for_again(client: FlaskClient) -> None:
    first = client.get("/openapi.json")
    assert first.headers["Cache-Control"] == "public, max-age=60"
    again = client.get("/openapi.json", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")


# What a browser loads by itself: links to pages that a reader may click are none of it.
_LOADS = re.compile(
    r"""(?:src|href)\s*=\s*["']([^"']+)|url\(\s*["']?([^"')]+)|@import\s+["']([^"']+)|url:\s*["']([^"']+)"""
)


def test_the_page_loads_nothing_from_outside(client: FlaskClient) -> None:
    waiting, seen = ["/docs"], set()
    while waiting:
        path = waiting.pop()
        seen.add(path)
        answer = client.get(path)
        assert answer.status_code == 200, path
        if path.endswith(("bundle.js", ".png", "openapi.json")):
            continue
        for groups in _LOADS.findall(answer.text):
            found = next(item for item in groups if item)
            if found.startswith(("data:", "#")):
                continue
            assert found.startswith("/"), f"{path} loads {found}"
            assert not found.startswith("//"), f"{path} loads {found}"
            if found not in seen:
                waiting.append(found)
    assert seen == {
        "/docs",
        "/docs/swagger-ui.css",
        "/docs/favicon-32x32.png",
        "/docs/swagger-ui-bundle.js",
        "/docs/start.js",
        "/docs/verify",
        "/docs/verify.css",
        "/docs/verify.js",
        "/docs/verify-page.js",
        "/openapi.json",
    }


def test_the_bare_address_leads_to_the_page(client: FlaskClient) -> None:
    answer = client.get("/")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/docs")


def test_the_browser_is_told_to_load_nothing_from_outside(client: FlaskClient) -> None:
    policy = client.get("/docs").headers["Content-Security-Policy"]
    parts = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert parts["default-src"] == "'none'"
    allowed = {source for sources in parts.values() for source in sources.split()}
    assert allowed <= {"'none'", "'self'", "'unsafe-inline'", "data:"}
    assert "'unsafe-inline'" not in parts["script-src"]


def test_the_page_does_not_ask_a_validator_elsewhere(client: FlaskClient) -> None:
    assert "validatorUrl: null" in client.get("/docs/start.js").text


def test_other_files_of_the_package_are_not_served(client: FlaskClient) -> None:
    for name in ("index.html", "swagger-ui.js", "../__init__.py", "%2e%2e/__init__.py", "LICENSE"):
        assert client.get(f"/docs/{name}").status_code == 404
    assert set(browse._FILES) == {
        "start.js",
        "verify.js",
        "verify.css",
        "verify-page.js",
        "swagger-ui.css",
        "swagger-ui-bundle.js",
        "favicon-32x32.png",
    }
