"""The views: one package per resource, each with its operations (resources.py) and shapes (schemas.py)."""

from typing import Final

# In the order of the document.
VIEWS: Final = (
    "games",
    "players",
    "keys",
    "bankroll",
    "tables",
    "positions",
    "odds",
    "bankroll_maths",
    "experiments",
    "operation",
)
