"""Players: registering, the own profile, everything kept of it, its end."""

from typing import Any, Final

from flask import Response

from api.auth import caller
from api.blueprint import JSON, Answer, Blueprint
from api.context import now, service
from api.etags import body_etag
from api.execution import dumps, enter, read, stream, write
from api.paging import next_link, page
from api.services import audit_log, players
from api.services.errors import Conflict, Invalid
from api.views.players import schemas

_REGISTRATION: Final = 20  # units: it makes rows that stay
_EXPORT: Final = 50

blueprint = Blueprint("players", "Registering, and the caller's own profile.")


@blueprint.operation(
    "POST",
    "/players",
    body=schemas.NewPlayer(),
    example={"name": "Ada"},
    answer=Answer(201, schemas.PlayerMade(), schemas.MADE),
    errors=(Invalid,),
    key=None,
    cost=_REGISTRATION,
)
def create_player(body: dict[str, Any]) -> Response:
    """Register a player.

    The opening grant of play chips comes with it. `api_key` is shown this once: keep it.
    """
    grant = service().config.opening_grant
    return write(
        lambda tx: players.create(tx, body["name"], now(), grant=grant),
        status=201,
        location="/v1/players/me",
        etag=_profile_etag,
        secret="api_key",  # noqa: S106 (the name of a member)
    )


def _profile_etag(made: dict[str, Any]) -> str:
    """The tag that GET /v1/players/me will give."""
    return body_etag(dumps({name: made[name] for name in schemas.PROFILE}))


@blueprint.operation("GET", "/players/me", answer=Answer(200, schemas.Profile(), schemas.PROFILE))
def get_me() -> Response:
    """Show the caller."""
    return read(lambda tx: players.profile(tx, caller().player))


@blueprint.operation(
    "GET",
    "/players/me/export",
    answer=Answer(200, schemas.Export(), schemas.EXPORT, tagged=False),
    cost=_EXPORT,
)
def export_me() -> Response:
    """Download everything that is kept of the caller."""
    who = caller().player
    enter(lambda tx: players.exported(tx, who, now()))
    return stream(lambda tx: players.export(tx, who, now()), content_type=JSON, filename=f"{who}.json")


@blueprint.operation(
    "GET",
    "/players/me/audit",
    query=schemas.AuditQuery(),
    answer=Answer(200, schemas.Audit(), schemas.AUDIT, headers=("Link",)),
)
def list_audit(query: dict[str, Any]) -> Response:
    """List what the caller did beside play, and what was done to him and his keys, the newest first.

    The entries of the audit log that concern him: who, what, by which key, what was before and after. Coups and chips
    are told by the bankroll and the tables.
    """
    who = caller().player
    return read(
        lambda tx: page(
            "audit",
            query,
            lambda before, limit: audit_log.listing(
                tx, concerning=who, before=before, limit=limit, action=query["action"]
            ),
            at={"seq": int},
        ),
        headers=next_link,
    )


@blueprint.operation(
    "DELETE",
    "/players/me",
    answer=Answer(204, description="Deleted: name and keys are gone."),
    errors=(Conflict,),
    key="keys",
)
def delete_me() -> Response:
    """Delete the caller.

    Keys are revoked, the name is forgotten, chips go back to the mint. Coups and transfers stay without a name: the
    other players at those tables need them. Refused while the caller sits at a table that is not closed.
    """
    who = caller().player
    return write(
        lambda tx: players.remove(tx, who, now()),
        status=204,
        after=lambda _: service().keyring.forget(player=who),
    )
