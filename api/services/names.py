"""Players' names in answers that are kept to be repeated: kept as a reference, so that no name outlives its player.

`{"name": "Ada"}` is kept as `{"name": {"player_name_of": "ply_…"}}` and told with the name again, or with null once
the player is deleted.
"""

import json
from collections.abc import Iterator
from typing import Any, Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from api.models import Player

_REFERENCE: Final = "player_name_of"
_MARK: Final = f'{{"{_REFERENCE}":'.encode()


class Name(str):
    """A player's name as an answer tells it, and whose it is."""

    player: str

    def __new__(cls, text: str, player: str) -> "Name":
        name = super().__new__(cls, text)
        name.player = player
        return name


def referring(value: Any) -> Any:
    """A JSON value with every Name as a reference."""
    if type(value) is dict:
        return {key: referring(item) for key, item in value.items()}
    if type(value) is list:
        return [referring(item) for item in value]
    return {_REFERENCE: value.player} if type(value) is Name else value


def named(session: Session, body: bytes) -> bytes:
    """A body that was kept with references, as it was told but for the names of players who are gone."""
    if _MARK not in body:
        return body
    value = json.loads(body)
    wanted = select(Player.id, Player.name).where(Player.id.in_(set(_references(value))))
    names = {row.id: row.name for row in session.execute(wanted)}
    return json.dumps(_resolved(value, names), ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if _REFERENCE in value:
            yield value[_REFERENCE]
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _references(item)


def _resolved(value: Any, names: dict[str, str | None]) -> Any:
    if isinstance(value, dict):
        if _REFERENCE in value:
            return names.get(value[_REFERENCE])
        return {key: _resolved(item, names) for key, item in value.items()}
    return [_resolved(item, names) for item in value] if isinstance(value, list) else value
