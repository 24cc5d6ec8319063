"""Times as they are told: RFC 3339 in UTC."""

from datetime import UTC, datetime


def rfc3339(when: datetime) -> str:
    """Such as `2026-03-01T12:00:00.000000Z`: always UTC, always microseconds, so that texts sort as times do."""
    return when.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def rfc3339_or_none(when: datetime | None) -> str | None:
    """The same where there may be no time."""
    return None if when is None else rfc3339(when)
