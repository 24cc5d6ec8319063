"""Headers of every answer: security (made by `secure`) and CORS (by Flask-CORS)."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final, cast

from flask import Response
from flask_cors import cross_origin
from secure import (
    ContentSecurityPolicy,
    CrossOriginOpenerPolicy,
    CrossOriginResourcePolicy,
    PermissionsPolicy,
    ReferrerPolicy,
    Secure,
    StrictTransportSecurity,
    XContentTypeOptions,
    XFrameOptions,
)

from api.config import Config

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

Headers = list[tuple[str, str]]
EDGE: Final = "macao.headers"
_YEAR: Final = 31_536_000  # seconds
EXPOSED: Final = (
    "Allow",
    "ETag",
    "Idempotency-Replayed",
    "Link",
    "Location",
    "RateLimit",
    "RateLimit-Policy",
    "Retry-After",
    "WWW-Authenticate",
    "X-RateLimit-Limit",
    "X-RateLimit-Remaining",
    "X-RateLimit-Reset",
    "X-Request-Id",
)
_ACCEPTED: Final = (
    "Accept",
    "Authorization",
    "Content-Type",
    "Idempotency-Key",
    "If-Match",
    "If-None-Match",
    "Last-Event-ID",
    "X-Request-Id",
)
_METHODS: Final = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS")


def _constant(headers: Secure) -> Headers:
    return [(str(name), str(value)) for name, value in headers.header_items()]


_OF_DATA: Final = _constant(
    Secure(
        csp=ContentSecurityPolicy().default_src("'none'").frame_ancestors("'none'").base_uri("'none'"),
        referrer=ReferrerPolicy().no_referrer(),
        xcto=XContentTypeOptions().nosniff(),
        xfo=XFrameOptions().deny(),
    )
)
# Said over TLS only (RFC 6797, 7.2).
_STRICT: Final = _constant(Secure(hsts=StrictTransportSecurity().max_age(_YEAR)))
# Swagger UI sets styles from its script and draws its icons from data: URLs.
_OF_PAGES: Final = _constant(
    Secure(
        csp=ContentSecurityPolicy()
        .default_src("'none'")
        .script_src("'self'")
        .style_src("'self'", "'unsafe-inline'")
        .img_src("'self'", "data:")
        .connect_src("'self'")
        .form_action("'none'")
        .base_uri("'none'")
        .frame_ancestors("'none'"),
        coop=CrossOriginOpenerPolicy().same_origin(),
        corp=CrossOriginResourcePolicy().same_origin(),
        permissions=PermissionsPolicy().geolocation().microphone().camera(),
        referrer=ReferrerPolicy().no_referrer(),
        xcto=XContentTypeOptions().nosniff(),
        xfo=XFrameOptions().deny(),
    )
)


class EdgeHeaders:
    """Adds headers where it costs least, to the list that goes to the server: those that never change, and those that
    the application put in the request's environment under `EDGE`.
    """

    def __init__(self, app: "WSGIApplication") -> None:
        self._app = app

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        constant = _OF_PAGES if environ["PATH_INFO"].startswith("/docs") else _OF_DATA
        if environ["wsgi.url_scheme"] == "https":
            constant = constant + _STRICT

        def start(status: str, headers: Headers, exc_info: Any = None, /) -> Any:
            return start_response(status, headers + environ.get(EDGE, []) + constant, exc_info)

        return self._app(environ, start)


def cors_of(config: Config) -> Callable[[Response], Response]:
    """A function that lets pages of the configured origins read an answer, and the headers above with it."""
    if not config.cors_origins:
        return lambda response: response
    allow = cross_origin(
        origins=list(config.cors_origins),
        methods=list(_METHODS),
        allow_headers=list(_ACCEPTED),
        expose_headers=list(EXPOSED),
        max_age=600,
        send_wildcard="*" in config.cors_origins,
        vary_header=False,  # the application adds it to every answer, also to those without an Origin
        automatic_options=False,
    )
    return cast(Callable[[Response], Response], allow(lambda response: response))
