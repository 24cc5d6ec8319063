"""How times and events are told to clients."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

Json = dict[str, Any]


def stamp(when: datetime | None) -> str | None:
    """A time as clients get it: RFC 3339, UTC, milliseconds."""
    return when.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z") if when else None


def redacted(n: int, at: datetime, event: Mapping[str, Any], player: str | None, unit: str = "coup") -> Json:
    """One event as this player may see it: the number is everyone's, private data are the owner's.

    `unit`: what the table counts, coups or deals.
    """
    mine = (event["private"] or {}).get(player, {}) if player is not None else {}
    return {
        "n": n,
        "at": stamp(at),
        "type": event["type"],
        unit: event["coup"],
        "seat": event["seat"],
        "data": {**event["data"], **mine},
    }
