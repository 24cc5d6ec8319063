"""What belongs to the service and to one request: where every part of the HTTP layer finds it."""

import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from threading import Event
from time import perf_counter
from typing import TYPE_CHECKING, Final, cast

from flask import Request, current_app, g

from api.config import Config
from api.db import Database

if TYPE_CHECKING:
    from api.auth import Keyring
    from api.blueprint import Operation
    from api.limits import Limits, Spent
    from api.services.keys import Caller
    from api.waiting import Watcher

NAME: Final = "macao"
_SANE_ID: Final = re.compile(r"[A-Za-z0-9._:-]{1,64}")


def _set() -> Event:
    event = Event()
    event.set()
    return event


@dataclass(slots=True)
class Service:
    """The parts that live as long as the application."""

    config: Config
    database: Database
    keyring: "Keyring"
    limits: "Limits"
    now: Callable[[], datetime]
    watcher: "Watcher"
    stopping: Event  # set when the process is told to stop: whoever waits for something wakes up
    warm: Event = field(default_factory=_set)  # not set while the analysis is made ready (api/warming.py)


@dataclass(slots=True)
class Context:
    """One request: who asks, for what, and what is to be logged of it."""

    request_id: str
    started: float
    operation: "Operation | None" = None
    caller: "Caller | None" = None
    code: str | None = None
    spent: "Spent | None" = None
    replayed: bool = False


def service() -> Service:
    """The parts of the application that serves this request."""
    return cast(Service, current_app.extensions[NAME])


def context() -> Context:
    """The request that is being served."""
    return cast(Context, g.context)


def begin(asked: Request) -> Context:
    """Open the context of a request: its id is the client's `X-Request-Id` where that is sane."""
    given = asked.headers.get("X-Request-Id")
    request_id = given if given is not None and _SANE_ID.fullmatch(given) else new_request_id()
    g.context = opened = Context(request_id, perf_counter())
    return opened


def new_request_id() -> str:
    """An id for a request that brings none."""
    return "req_" + secrets.token_hex(12)


def now() -> datetime:
    """The time of the service's clock, in UTC."""
    return service().now()


def utc_now() -> datetime:
    """The clock of the machine."""
    return datetime.now(UTC)
