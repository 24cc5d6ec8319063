"""API keys of the caller: list, issue, rotate, revoke."""

from collections.abc import Callable
from typing import Any

from flask import Response
from sqlalchemy.orm import Session

from api.auth import caller
from api.blueprint import Answer, Blueprint
from api.context import now, service
from api.etags import body_etag
from api.execution import dumps, read, write
from api.services import keys
from api.services.errors import Conflict, Forbidden, Invalid
from api.views.keys import schemas

blueprint = Blueprint("keys", "The caller's API keys.")


@blueprint.operation(
    "GET", "/players/me/keys", answer=Answer(200, schemas.KeyList(), {"keys": [schemas.KEY]})
)
def list_keys() -> Response:
    """List the caller's keys, those that are over too."""
    return read(lambda tx: {"keys": keys.listing(tx, caller().player, now())})


@blueprint.operation("GET", "/players/me/keys/<key_id>", answer=Answer(200, schemas.Key(), schemas.KEY))
def get_key(key_id: str) -> Response:
    """Show a key, without its secret."""
    return read(lambda tx: keys.get(tx, caller().player, key_id, now()))


@blueprint.operation(
    "POST",
    "/players/me/keys",
    body=schemas.NewKey(),
    example={"name": "bot", "scopes": ["read", "play"]},
    answer=Answer(201, schemas.KeyIssued(), schemas.ISSUED),
    errors=(Conflict, Forbidden, Invalid),
    key="keys",
)
def create_key(body: dict[str, Any]) -> Response:
    """Issue a key. `secret` is shown this once."""
    return _issue(lambda tx: keys.issue(tx, caller().player, now(), within=caller().scopes, **body))


@blueprint.operation(
    "POST",
    "/players/me/keys/<key_id>/rotate",
    answer=Answer(201, schemas.KeyIssued(), schemas.ISSUED),
    errors=(Conflict, Forbidden),
    key="keys",
)
def rotate_key(key_id: str) -> Response:
    """Replace a key by a new one with the same name, scopes and end. The old one ends at once."""
    return _issue(lambda tx: keys.rotate(tx, caller().player, key_id, now(), within=caller().scopes))


@blueprint.operation(
    "DELETE",
    "/players/me/keys/<key_id>",
    answer=Answer(204, description="Revoked."),
    errors=(Conflict,),
    key="keys",
)
def revoke_key(key_id: str) -> Response:
    """Revoke a key. It ends at once."""
    who = caller().player
    return write(
        lambda tx: keys.revoke(tx, who, key_id, now()),
        status=204,
        after=lambda _: service().keyring.forget(player=who),
    )


def _issue(effect: Callable[[Session], dict[str, Any]]) -> Response:
    who = caller().player
    return write(
        effect,
        status=201,
        location=lambda made: f"/v1/players/me/keys/{made['id']}",
        etag=lambda made: body_etag(dumps({name: made[name] for name in schemas.KEY})),
        secret="secret",  # noqa: S106 (the name of a member)
        after=lambda _: service().keyring.forget(player=who),
    )
