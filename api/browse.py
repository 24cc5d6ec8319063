"""The document at /openapi.json, a page at /docs that shows it, and one at /docs/verify that verifies proofs.

Both load nothing but this server's own files.

Swagger UI's files come with the package `flask-swagger-ui`; of these only the ones named here are served.
"""

import json
from pathlib import Path
from typing import Any, Final

import flask_swagger_ui
from flask import Blueprint, Flask, Response, redirect, send_from_directory
from werkzeug.wrappers import Response as WerkzeugResponse

from api.etags import body_etag, is_current, not_modified
from api.refusals import NoRoute

_OWN: Final = Path(__file__).parent / "web"
_SWAGGER: Final = Path(flask_swagger_ui.__file__).parent / "dist"
_FILES: Final = {
    "start.js": _OWN,
    "verify.js": _OWN,
    "verify.css": _OWN,
    "verify-page.js": _OWN,
    "swagger-ui.css": _SWAGGER,
    "swagger-ui-bundle.js": _SWAGGER,
    "favicon-32x32.png": _SWAGGER,
}
_DAY: Final = 86_400
_CACHE: Final = [("Cache-Control", "public, max-age=60")]

blueprint = Blueprint("browse", __name__)


def register(app: Flask, document: dict[str, Any]) -> None:
    """Serve the document of all blueprints registered so far, written out once."""
    body = json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()
    tag = body_etag(body)

    def openapi() -> Response:
        if is_current(tag):
            return not_modified(tag, _CACHE)
        headers = [*_CACHE, ("ETag", tag)]
        return Response(body, headers=headers, content_type="application/json")

    app.add_url_rule("/openapi.json", "openapi", openapi)
    app.register_blueprint(blueprint)


@blueprint.get("/")
def root() -> WerkzeugResponse:
    """Whoever opens the bare address gets to the page."""
    return redirect("/docs")


@blueprint.get("/docs")
def docs() -> Response:
    """The page."""
    return send_from_directory(_OWN, "docs.html", max_age=60)


@blueprint.get("/docs/verify")
def verify() -> Response:
    """The page that verifies proofs in the browser (docs/fairness.md)."""
    return send_from_directory(_OWN, "verify.html", max_age=60)


@blueprint.get("/docs/<file>")
def docs_file(file: str) -> Response:
    """One of the files of the page."""
    if file not in _FILES:
        raise NoRoute("the page at /docs has no such file")
    return send_from_directory(_FILES[file], file, max_age=_DAY)
