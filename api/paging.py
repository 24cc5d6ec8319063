"""Paging by opaque cursors: stable while rows are added, and refused when they are not from the same list.

    class EntryQuery(PageQuery): ...

    return read(
        lambda tx: page("entries", query, lambda after, limit: service.entries(tx, …, after, limit), at={"seq": int}),
        headers=next_link,
    )

The service is asked for one row more than the page has; a further page is there if it comes. The answer is
`{"entries": [...], "next": cursor or null}`, and `Link: <…>; rel="next"` where there is more.
"""

import base64
import binascii
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlencode

from flask import request

from api.fields import QuerySchema, Text, Whole
from api.refusals import Unprocessable, flaw
from api.strict_json import INT64_MAX, INT64_MIN

MOST: Final = 200
USUAL: Final = 50
Key = tuple[int | str, ...]


class PageQuery(QuerySchema):
    """Where a page begins, and how long it is."""

    limit = Whole(1, MOST, load_default=USUAL, text="Most items of the page.", example=50)
    cursor = Text(1, 400, load_default=None, text="`next` of the page before; nothing for the first page.")


def page(
    name: str,
    query: dict[str, Any],
    fetch: Callable[[Any, int], Sequence[dict[str, Any]]],
    at: Mapping[str, type],
) -> dict[str, Any]:
    """One page of a list. `fetch(after, limit)` gives rows as JSON after a key (None: from the start).

    `at` names the members of a row that make its key, with their types; a key of one member is handed over bare.
    """
    after = _read(name, query["cursor"], tuple(at.values())) if query["cursor"] else None
    limit = query["limit"]
    rows = list(fetch(after[0] if after and len(after) == 1 else after, limit + 1))
    following = cursor(name, tuple(rows[limit - 1][member] for member in at)) if len(rows) > limit else None
    return {name: rows[:limit], "next": following}


def refuse_page(media_type: str) -> None:
    """Refuse query parameters where a whole list is sent as one file. Raises Unprocessable."""
    flaws = [flaw("goes with JSON only", parameter=name) for name in request.args]
    if flaws:
        raise Unprocessable(f"as {media_type} all of the list is sent: leave the parameters out", flaws=flaws)


def next_link(answer: dict[str, Any]) -> dict[str, str]:
    """The `Link` header of a page."""
    if answer["next"] is None:
        return {}
    parameters = {**request.args.to_dict(), "cursor": answer["next"]}
    return {"Link": f'<{request.path}?{urlencode(parameters)}>; rel="next"'}


def cursor(name: str, key: Key) -> str:
    """The opaque form of a key of a list."""
    text = json.dumps([name, *key], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _read(name: str, text: str, types: tuple[type, ...]) -> Key:
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        found = json.loads(raw)
    except (ValueError, binascii.Error, RecursionError):
        found = None
    good = isinstance(found, list) and found[:1] == [name] and len(found) == len(types) + 1
    if not good or not all(map(_is_key, found[1:], types)):
        detail = "must be `next` of a page of this list"
        raise Unprocessable(f"cursor: {detail}", flaws=[flaw(detail, parameter="cursor")])
    return tuple(found[1:])


def _is_key(item: Any, kind: type) -> bool:
    if isinstance(item, str):
        return kind is str and len(item) <= 64
    return kind is int and type(item) is int and INT64_MIN <= item <= INT64_MAX
