"""Headers of every answer: security (by `secure`), caching, CORS."""

from typing import Final

from flask import Flask, Response, request
from flask_cors import CORS
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


def _secure(policy: ContentSecurityPolicy, *, shared: bool) -> list[tuple[str, str]]:
    resource = CrossOriginResourcePolicy()
    headers = Secure(
        csp=policy,
        corp=resource.cross_origin() if shared else resource.same_origin(),
        coop=CrossOriginOpenerPolicy().same_origin(),
        hsts=StrictTransportSecurity().max_age(31_536_000),
        permissions=PermissionsPolicy().geolocation().microphone().camera(),
        referrer=ReferrerPolicy().no_referrer(),
        xcto=XContentTypeOptions().nosniff(),
        xfo=XFrameOptions().deny(),
    )
    return [(str(name), str(value)) for name, value in headers.header_items()]


_OF_DATA: Final = _secure(
    ContentSecurityPolicy().default_src("'none'").frame_ancestors("'none'").base_uri("'none'"), shared=True
)
# Swagger UI sets styles from its script and draws its icons from data: URLs.
_OF_PAGES: Final = _secure(
    ContentSecurityPolicy()
    .default_src("'none'")
    .script_src("'self'")
    .style_src("'self'", "'unsafe-inline'")
    .img_src("'self'", "data:")
    .connect_src("'self'")
    .form_action("'none'")
    .base_uri("'none'")
    .frame_ancestors("'none'"),
    shared=False,
)


def add_headers(response: Response) -> None:
    """Security headers, and `no-store` where nothing else was said: answers are private unless they say so."""
    headers = response.headers
    headers.extend(_OF_PAGES if request.path.startswith("/docs") else _OF_DATA)
    if "Cache-Control" not in headers:
        headers["Cache-Control"] = "no-store"


def allow_origins(app: Flask, config: Config) -> None:
    """Let pages of the configured origins call the service and read the headers above."""
    if not config.cors_origins:
        return
    CORS(
        app,
        origins=list(config.cors_origins),
        methods=list(_METHODS),
        allow_headers=list(_ACCEPTED),
        expose_headers=list(EXPOSED),
        max_age=600,
    )
