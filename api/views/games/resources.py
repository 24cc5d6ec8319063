"""The catalogue: every game of the three families. It changes with the version only, so it may be kept."""

from functools import lru_cache
from typing import Any, Final

from flask import Response

from api.blueprint import Answer, Blueprint
from api.execution import reply
from api.services.errors import NotFound
from api.views.games import examples
from api.views.games.schemas import GameDetail, GameList, GameQuery
from casino import catalogue
from casino.errors import UnknownGame

_HOUR: Final = 3600
blueprint = Blueprint("games", "The games there are, with their rules as data.")


@blueprint.operation(
    "GET", "/games", query=GameQuery(), answer=Answer(200, GameList(), examples.GAMES), key=None
)
def list_games(query: dict[str, Any]) -> Response:
    """List the games."""
    return reply(_summaries(query.get("family")), public=_HOUR)


@blueprint.operation("GET", "/games/<name>", answer=Answer(200, GameDetail(), examples.GAME), key=None)
def get_game(name: str) -> Response:
    """Show a game: its options as JSON Schema with defaults and sources, seats and actions.

    A table is opened with any of the options changed; what is not named keeps its default.
    """
    return reply(_detail(name), public=_HOUR)


@lru_cache(maxsize=8)
def _summaries(family: str | None) -> dict[str, Any]:
    listings = [item for item in catalogue.listings() if family in (None, item.family)]
    return {"games": [_summary(item) | {"href": f"/v1/games/{item.name}"} for item in listings]}


def _summary(listing: catalogue.Listing) -> dict[str, Any]:
    return {
        "name": listing.name,
        "family": listing.family,
        "title": listing.title,
        "seats": {
            "min": listing.min_seats,
            "max": listing.max_seats,
            "default": listing.default_seats,
        },
    }


def _detail(name: str) -> dict[str, Any]:
    try:
        return _known(name)
    except UnknownGame as unknown:
        raise NotFound(unknown.detail) from None


@lru_cache(maxsize=64)
def _known(name: str) -> dict[str, Any]:
    listing = catalogue.find(name)
    return _summary(listing) | {
        "source": listing.source,
        "options": listing.schema,
        "defaults": listing.defaults,
        "actions": listing.actions,
        "rules_hash": listing.game().rules_hash,
    }
