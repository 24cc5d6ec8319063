"""Events of a table: at once, by long poll, or as a stream."""

import json
from collections.abc import Iterator
from time import monotonic
from typing import Any, Final

from flask import Response, request, stream_with_context

from api.auth import caller, confirm
from api.blueprint import Answer, wanted_type
from api.context import service
from api.execution import read
from api.refusals import BadRequest, flaw
from api.services.errors import Busy, NotFound, Unauthorized
from api.services.keys import Caller
from api.services.tables import events
from api.services.tables.model import Json, load_watched
from api.views.tables import examples, schemas
from api.views.tables.common import blueprint
from api.waiting import TooManyWaiters

_STREAM: Final = "text/event-stream"
_STREAM_SECONDS: Final = 300  # then the client comes again, with Last-Event-ID
_HEARTBEAT: Final = 15
_SCOPE: Final = "read"  # of the key: looked up again whenever something was waited for
_RETRY_AFTER: Final = 2


@blueprint.operation(
    "GET",
    "/tables/<table_id>/events",
    query=schemas.EventQuery(),
    answer=Answer(
        200, schemas.EventList(), examples.EVENTS, also={_STREAM: examples.STREAM}, headers=("Retry-After",)
    ),
    errors=(NotFound,),
)
def list_events(query: dict[str, Any], table_id: str) -> Response:
    """List the events after a number, or wait for the next.

    Every viewer gets every number once, in order; the data are what he may see. With `wait` the answer comes as soon
    as there is an event, at a closed table at once. With `Accept: text/event-stream` they come as a stream, which
    `Last-Event-ID` takes up again; it ends when the table is closed or the key is revoked. Where too many wait
    already the answer comes at once, with `Retry-After`.
    """
    who = caller()
    last = _last_seen(query["after"])
    if wanted_type() == _STREAM:
        return _stream(table_id, who, last)
    found, closed = _fetch(table_id, who, last, query["limit"])
    full = False
    if not (found or closed) and query["wait"]:
        try:
            service().watcher.wait(table_id, last, query["wait"])
        except TooManyWaiters:
            full = True
        found, _ = _fetch(table_id, who, last, query["limit"], waited=True)
    answer = {"events": found, "last": found[-1]["n"] if found else last}
    headers = {"Retry-After": str(_RETRY_AFTER)} if full else {}
    return read(lambda _: answer, headers=lambda _: headers)


def _fetch(
    table_id: str, who: Caller, last: int, limit: int, *, waited: bool = False
) -> tuple[list[Json], bool]:
    """The next events, and whether the table is closed: then there will be no others.

    Who has `waited` may have lost his key meanwhile: it is looked up again. Raises Unauthorized.
    """
    with service().database.read() as session:
        if waited:
            confirm(session, _SCOPE)
        table = load_watched(session, table_id, who.player)
        return events.after(session, table, who.player, last, limit), table.closed


def _last_seen(after: int) -> int:
    given = request.headers.get("Last-Event-ID")
    if given is None:
        return after
    if not given.isascii() or not given.isdecimal() or len(given) > 18:
        raise BadRequest(
            "Last-Event-ID must be the number of an event",
            flaws=[flaw("no number", parameter="Last-Event-ID")],
        )
    return max(after, int(given))


def _stream(table_id: str, who: Caller, last: int) -> Response:
    # An unknown table is refused before the stream begins.
    found, closed = _fetch(table_id, who, last, schemas.MOST_EVENTS)
    parts = stream_with_context(_parts(table_id, who, last, found, closed))
    response = Response(parts, content_type=f"{_STREAM}; charset=utf-8")
    response.headers["X-Accel-Buffering"] = "no"
    return response


def _parts(table_id: str, who: Caller, last: int, found: list[Json], closed: bool) -> Iterator[str]:
    until = monotonic() + _STREAM_SECONDS
    yield ": events\n\n"
    while True:
        for event in found:
            last = event["n"]
            yield f"id: {last}\nevent: {event['type']}\ndata: {json.dumps(event, ensure_ascii=False)}\n\n"
        if (
            (closed and len(found) < schemas.MOST_EVENTS)
            or monotonic() > until
            or service().stopping.is_set()
        ):
            return
        try:
            if not service().watcher.wait(table_id, last, _HEARTBEAT):
                yield ": waiting\n\n"
            found, closed = _fetch(table_id, who, last, schemas.MOST_EVENTS, waited=True)
        except Unauthorized:
            return
        except (TooManyWaiters, Busy):
            yield f"retry: {_RETRY_AFTER * 1000}\n\n"
            return
