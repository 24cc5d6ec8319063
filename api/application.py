"""Puts the parts of the service together: settings, database, views, errors, limits, headers, logs, documents."""

import os
from collections.abc import Callable
from datetime import datetime
from functools import partial
from importlib import import_module
from importlib.metadata import version
from threading import Event
from time import perf_counter

from flask import Flask, Response, request
from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.routing import IntegerConverter

from api import auth, browse, errors, headers, limits, logs, metrics
from api.config import Config, from_environment
from api.context import NAME, Service, begin, context, utc_now
from api.db import Database
from api.documentation import api_of
from api.services import entropy, keys
from api.services.tables.events import last_events
from api.views import VIEWS
from api.waiting import Watcher


class _SmallNumber(IntegerConverter):
    """A number in a path: what no table, seat or page can have is no address."""

    regex = r"\d{1,9}"


def build(config: Config | None = None, now: Callable[[], datetime] | None = None) -> Flask:
    """See `api.create_app`."""
    config = config or from_environment(os.environ)
    logs.configure(config)
    entropy.check()
    app = Flask("macao", static_folder=None)
    app.debug = False  # whatever FLASK_DEBUG says: MACAO_ENVIRONMENT is what counts here
    app.config["MAX_CONTENT_LENGTH"] = config.max_body
    app.url_map.merge_slashes = False
    app.url_map.converters["int"] = _SmallNumber
    database, stopping = Database(config.database_url, patience=config.lock_seconds), Event()
    app.extensions[NAME] = Service(
        config=config,
        database=database,
        keyring=auth.Keyring(keys.find, config.key_cache_seconds),
        limits=limits.limits_of(app, config),
        now=now or utc_now,
        watcher=Watcher(partial(last_events, database), config.max_waiters, stopping.is_set),
        stopping=stopping,
    )
    app.before_request(_beginner(app, app.extensions[NAME]))
    errors.register(app)
    app.after_request(_finisher(app.extensions[NAME], headers.cors_of(config), config))
    api = api_of(app, version("macao"))
    for name in VIEWS:
        api.register_blueprint(import_module(f"api.views.{name}.resources").blueprint)
    browse.register(app, api.spec.to_dict())
    app.wsgi_app = headers.EdgeHeaders(app.wsgi_app)  # type: ignore[method-assign]
    if config.trusted_proxies:
        hops = config.trusted_proxies
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=hops, x_proto=hops)  # type: ignore[method-assign]
    return app


def _beginner(app: Flask, service: Service) -> Callable[[], None]:
    """What comes before the view: the context, the operation, the caller, the rate limit."""
    views = app.view_functions

    def begin_request() -> None:
        asked = request._get_current_object()  # type: ignore[attr-defined]
        here = begin(asked)
        if asked.endpoint is not None:
            here.operation = getattr(views[asked.endpoint], "operation", None)
            auth.identify(asked, here, service)
            service.limits.spend(here, asked.remote_addr)

    return begin_request


def _finisher(
    service: Service, cors: Callable[[Response], Response], config: Config
) -> Callable[[Response], Response]:
    """What comes after every answer, refused ones included: headers, counts, the line in the log."""
    vary = bool(config.cors_origins) and "*" not in config.cors_origins

    def finish_request(response: Response) -> Response:
        asked, here = request._get_current_object(), context()  # type: ignore[attr-defined]
        sent = response.headers
        edge = asked.environ[headers.EDGE] = [("X-Request-Id", here.request_id)]
        if "Cache-Control" not in sent:
            sent["Cache-Control"] = "no-store"  # answers are private unless they say otherwise
        if here.spent is not None:
            edge += limits.headers_of(here.spent)
        if vary:
            sent.add("Vary", "Origin")
        if "Origin" in asked.headers:
            response = cors(response)
        seconds = perf_counter() - here.started
        route = asked.url_rule.rule if asked.url_rule is not None else None
        metrics.observe(asked.method, route, response.status_code, seconds, here.code)
        logs.log_request(asked, here, response.status_code, seconds)
        return response

    return finish_request
