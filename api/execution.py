"""How a view reads and writes: one line each, and nothing of HTTP in the services.

    return write(lambda tx: refills.take(tx, caller().player, now()), status=201, location="/v1/…")
    return read(lambda tx: players.profile(tx, caller().player), etag=lambda body: etag_of(body["version"]))

`write(effect)` opens one write transaction and in it, in this order: asks the database for the caller's key once more,
takes the `Idempotency-Key` (a stored answer is given again and `effect` is not called), checks `If-Match` against
`current(tx)` if given (None: any version will do), calls `effect(tx)`, builds the answer from the JSON value it
returns, stores it under the key, and commits. Whatever is raised rolls everything back.

Work that must not be done while the writer is held (bots that think) goes into `plan`, which is called first, in a
read transaction, and whose value `effect` gets as its second argument:

    return write(lambda tx, moves: tables.act(tx, …, moves), plan=lambda tx: tables.think(tx, …))

If `effect` finds that its plan is out of date it raises `PlanStale`: everything is rolled back and planned anew, as
long as one waits for a lock (`MACAO_LOCK_SECONDS`), then Busy. Each time somebody else was done, so of many at one
table everybody's turn comes. A stored answer is found before anything is planned.

`read(question)` opens a snapshot, answers 304 where the client has the version already (`check_not_modified` in the
question, before the work, or the tag of the answer after it) and 200 with a tag otherwise. Private answers are
`no-store`; give `public=seconds` for what everyone may keep. `reply(value)` does the same for a value that needs no
database, `result(value)` answers a POST that only asks, `stream(parts)` sends a long text.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain
from time import monotonic
from typing import Any, Final

from flask import Response, request
from sqlalchemy.orm import Session

from api.auth import confirm
from api.context import context, now, service
from api.etags import NotModified, body_etag, check_match, is_current, not_modified
from api.idempotency import Claim, claim, replay
from api.services import audit_log
from api.services.errors import Busy, PlanStale
from api.services.names import referring

Text = str | Callable[[Any], str | None] | None

_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)


@dataclass(frozen=True, slots=True)
class _Write:
    """Everything about a write but what it does and what it planned."""

    claim: Claim | None
    answer: Callable[[Any], Response]
    current: Callable[[Session], str | None] | None
    secret: str | None
    after: Callable[[Any], object] | None


def write(
    effect: Callable[..., Any],
    *,
    status: int = 200,
    location: Text = None,
    etag: Text = None,
    current: Callable[[Session], str | None] | None = None,
    plan: Callable[[Session], Any] | None = None,
    secret: str | None = None,
    after: Callable[[Any], object] | None = None,
) -> Response:
    """Do a write and answer it; see the module's text.

    `location` and `etag` are texts or functions of the effect's value; a function may take out of it what is not for
    the body. The tag of a 201 is that of its body unless given. `secret` names a member of the value that a
    repetition leaves out. `after` is called with the value once it is committed. 204 sends no body.
    """
    shape = _Write(claim(), lambda value: _answer(value, status, location, etag), current, secret, after)
    if plan is None:
        return _attempt(effect, shape)
    until = monotonic() + service().config.lock_seconds
    while monotonic() < until:
        try:
            return _planned(effect, plan, shape)
        except PlanStale:
            continue
    raise Busy("others changed this at the same time, again and again; nothing was changed")


def _planned(effect: Callable[..., Any], plan: Callable[[Session], Any], shape: _Write) -> Response:
    """Plan in a read, then do it; a stored answer is found before anything is planned."""
    with service().database.read() as session:
        stored = shape.claim.find(session) if shape.claim else None
        if stored:
            return replay(stored)
        try:
            made = plan(session)
        except Exception:
            _check_version(session, shape)  # an old version is told before all else
            raise
    return _attempt(lambda session: effect(session, made), shape)


def _check_version(session: Session, shape: _Write) -> None:
    if shape.current is not None and "If-Match" in request.headers:
        version = shape.current(session)
        if version is not None:
            check_match(version)


def _attempt(effect: Callable[[Session], Any], shape: _Write) -> Response:
    database, time = service().database, now()
    with database.write() as session:
        _confirm(session)
        audit_log.come_from(session, _origin())
        stored = shape.claim.take(session, time) if shape.claim else None
        if stored:
            return replay(stored)
        _check_version(session, shape)
        value = effect(session)
        response = shape.answer(value)
        if shape.claim:
            shape.claim.keep(session, response, _kept(value, shape.secret, response), time)
        if shape.after is not None:
            after = shape.after
            database.on_commit(session, lambda: after(value))
    return response


def _confirm(session: Session) -> None:
    operation = context().operation
    if operation is not None and operation.scope is not None:
        context().caller = confirm(session, operation.scope)


def _origin() -> audit_log.Origin:
    """Who is behind this request, for the audit log."""
    here = context()
    if here.caller is None:
        return audit_log.Origin(audit_log.ANONYMOUS, None, here.request_id)
    return audit_log.Origin(here.caller.player, here.caller.key, here.request_id)


def enter(effect: Callable[[Session], object]) -> None:
    """Enter in the audit log what a request that changes nothing else does, before it is done."""
    with service().database.write() as session:
        audit_log.come_from(session, _origin())
        effect(session)


def _kept(value: Any, secret: str | None, response: Response) -> bytes:
    """The body to repeat: without the secret, players' names by reference."""
    if response.status_code == 204:
        return b""
    told = value if secret is None else {name: item for name, item in value.items() if name != secret}
    return dumps(referring(told))


def read(
    question: Callable[[Session], Any],
    *,
    etag: Text = None,
    public: int | None = None,
    headers: Callable[[Any], dict[str, str]] | None = None,
) -> Response:
    """Answer a read from one snapshot; `headers` are further ones, made of the value."""
    try:
        with service().database.read() as session:
            value = question(session)
    except NotModified as known:
        return not_modified(known.etag, _caching(public))
    return reply(value, etag=etag, public=public, headers=headers(value) if headers else None)


def reply(
    value: Any,
    *,
    status: int = 200,
    etag: Text = None,
    public: int | None = None,
    headers: dict[str, str] | None = None,
) -> Response:
    """Answer a GET with a value that is at hand: 304 if the client has it."""
    response = _answer(value, status, None, etag)
    if "ETag" not in response.headers:
        response.headers["ETag"] = body_etag(response.get_data())
    tag = response.headers["ETag"]
    if is_current(tag):
        return not_modified(tag, _caching(public))
    response.headers.extend(_caching(public))
    response.headers.update(headers or {})
    return response


def reply_with(body: bytes, tag: str) -> Response:
    """The same with a body that is at hand, and its tag."""
    if is_current(tag):
        return not_modified(tag)
    response = Response(body, 200, content_type="application/json")
    response.headers["ETag"] = tag
    return response


def result(value: Any) -> Response:
    """Answer a question that a POST asked: it has no version, and is nobody else's."""
    return _answer(value, 200, None, None)


def document(data: bytes, content_type: str, *, filename: str | None = None) -> Response:
    """Answer a GET with a text that is no JSON value of ours, such as a picture: 304 if the client has it."""
    tag = body_etag(data)
    if is_current(tag):
        return not_modified(tag)
    response = Response(data, content_type=content_type)
    response.headers["ETag"] = tag
    if filename is not None:
        response.headers["Content-Disposition"] = f'attachment; filename="{filename}"'
    return response


def stream(parts: Callable[[Session], Iterator[str]], *, content_type: str, filename: str) -> Response:
    """Send a long text part by part from one snapshot. What is raised before the first part is a problem as ever."""
    with ExitStack() as stack:
        session = stack.enter_context(service().database.read())
        rest = parts(session)
        response = Response(chain([next(rest, "")], rest), content_type=content_type)
        response.headers["Content-Disposition"] = f'attachment; filename="{filename}"'
        response.call_on_close(stack.pop_all().close)
    return response


def _caching(public: int | None) -> list[tuple[str, str]]:
    return [] if public is None else [("Cache-Control", f"public, max-age={public}")]


def dumps(value: Any) -> bytes:
    """Compact JSON in UTF-8 and a line end, for those who read it in a terminal; NaN and infinities are a fault."""
    return _ENCODER.encode(value).encode() + b"\n"


def _answer(value: Any, status: int, location: Text, etag: Text) -> Response:
    # Headers first: what makes one may take a member out of the value that is for it alone.
    headers = [
        (name, found)
        for name, text in (("Location", location), ("ETag", etag))
        if (found := text(value) if callable(text) else text) is not None
    ]
    if status == 204:
        response = Response(status=204)
        del response.headers["Content-Type"]
    else:
        response = Response(dumps(value), status, content_type="application/json")
    response.headers.extend(headers)
    if status == 201 and etag is None:
        response.headers["ETag"] = body_etag(response.get_data())
    return response
