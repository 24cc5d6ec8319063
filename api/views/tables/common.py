"""What the views of tables share."""

from functools import lru_cache
from importlib.metadata import version

from api.blueprint import Blueprint
from api.context import service
from api.services.tables.play import Terms

blueprint = Blueprint("tables", "Tables: open, join, act, watch, recall.")


@lru_cache(maxsize=1)
def engine_version() -> str:
    """What every table and coup keeps of the code that dealt it."""
    return f"macao {version('macao')}"


def terms() -> Terms:
    """What the house grants at tables, from the settings."""
    config = service().config
    return Terms(config.house_bank, config.bot_purse)
