"""Entity tags: `If-None-Match` on reads, `If-Match` on writes (RFC 9110, 13.1)."""

import hashlib
from collections.abc import Iterable
from typing import Final

from flask import Response, request
from werkzeug.datastructures import ETags
from werkzeug.http import parse_etags

from api.services.errors import Stale

_HEX: Final = 24


class NotModified(Exception):
    """The client's copy is the present one: answered with 304 by `read`."""

    def __init__(self, etag: str) -> None:
        super().__init__(etag)
        self.etag = etag


def etag_of(*parts: object) -> str:
    """A strong tag of some values, such as an id and its version."""
    return quoted(hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()[:_HEX])


def body_etag(body: bytes) -> str:
    """A strong tag of a body."""
    return quoted(hashlib.sha256(body).hexdigest()[:_HEX])


def quoted(tag: str) -> str:
    """The header's form of an opaque tag."""
    return f'"{tag}"'


def check_not_modified(etag: str) -> None:
    """Within a read: end it with 304 if the client has this version already."""
    if is_current(etag):
        raise NotModified(etag)


def is_current(etag: str) -> bool:
    """Does `If-None-Match` name this tag? (Weak comparison, as the RFC has it for reads.)"""
    given = request.headers.get("If-None-Match")
    return given is not None and parse_etags(given).contains_weak(etag.strip('"'))


def check_match(etag: str) -> None:
    """Within a write: raise Stale (412) if `If-Match` is given and does not name this version."""
    given = request.headers.get("If-Match")
    if given is None:
        return
    tags: ETags = parse_etags(given)
    if not tags.contains(etag.strip('"')):
        raise Stale(f"If-Match names another version than the present one, {etag}", members={"etag": etag})


def not_modified(etag: str, headers: Iterable[tuple[str, str]] = ()) -> Response:
    """304 with the tag."""
    response = Response(status=304, headers=list(headers))
    response.headers["ETag"] = etag
    del response.headers["Content-Type"]
    return response
