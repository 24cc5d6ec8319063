"""Puts the parts of the service together: settings, database, views, errors, limits, headers, logs, documents."""

import os
from collections.abc import Callable
from datetime import datetime
from functools import partial
from importlib import import_module
from importlib.metadata import version
from threading import Event
from time import perf_counter

from flask import Flask, Response, current_app, request
from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.routing import IntegerConverter

from api import auth, browse, errors, headers, limits, logs, metrics
from api.config import Config, from_environment
from api.context import NAME, Service, begin, context, utc_now
from api.db import Database
from api.documentation import api_of
from api.services import keys
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
    app = Flask("macao", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = config.max_body
    app.url_map.merge_slashes = False
    app.url_map.converters["int"] = _SmallNumber
    app.before_request(_begin)
    database, stopping = Database(config.database_url, patience=config.lock_seconds), Event()
    app.extensions[NAME] = Service(
        config=config,
        database=database,
        keyring=auth.Keyring(keys.find, config.key_cache_seconds),
        limiter=limits.limiter_of(app, config),
        now=now or utc_now,
        watcher=Watcher(partial(last_events, database), config.max_waiters, stopping.is_set),
        stopping=stopping,
    )
    errors.register(app)
    headers.allow_origins(app, config)
    app.after_request(_finish)
    api = api_of(app, version("macao"))
    for name in VIEWS:
        api.register_blueprint(import_module(f"api.views.{name}.resources").blueprint)
    browse.register(app, api.spec.to_dict())
    if config.trusted_proxies:
        hops = config.trusted_proxies
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=hops, x_proto=hops)  # type: ignore[method-assign]
    return app


def _begin() -> None:
    here = begin()
    if request.endpoint is not None:
        view = current_app.view_functions[request.endpoint]
        here.operation = getattr(view, "operation", None)
        auth.identify()


def _finish(response: Response) -> Response:
    here = context()
    seconds = perf_counter() - here.started
    limits.add_headers(response)
    headers.add_headers(response)
    response.headers["X-Request-Id"] = here.request_id
    rule = request.url_rule
    route = rule.rule if rule is not None else None
    metrics.observe(request.method, route, response.status_code, seconds, here.code)
    logs.log_request(here, response, seconds)
    return response
