"""The service: `create_app(config)` puts its parts together. Importing it loads no numba and no scipy."""

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flask import Flask

    from api.config import Config


def create_app(config: "Config | None" = None, now: "Callable[[], datetime] | None" = None) -> "Flask":
    """The WSGI application of these settings (None: of the environment). `now` stands in for the clock in tests.

    The database must be migrated; `macao serve` sees to it. Raises ConfigError with every mistake of the settings.
    """
    # Imported here: `macao games` needs no web framework.
    from api.application import build  # noqa: PLC0415

    return build(config, now)
