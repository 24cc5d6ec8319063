"""The caller's bankroll: sums, entries, curve, refills."""

from typing import Any, Final

from flask import Response

from api.auth import caller
from api.blueprint import Answer, Blueprint, wanted_type
from api.context import now, service
from api.execution import read, stream, write
from api.paging import PageQuery, next_link, page, refuse_page
from api.services import bankroll
from api.services.errors import Conflict, LimitReached
from api.views.bankroll import schemas

_CSV: Final = "text/csv"
_LONG_READ: Final = 20

blueprint = Blueprint("bankroll", "What the caller has, and every transfer behind it.")


@blueprint.operation(
    "GET",
    "/players/me/bankroll",
    answer=Answer(200, schemas.Bankroll(), schemas.BANKROLL),
)
def get_bankroll() -> Response:
    """Show balance, chips held, net, and totals by game and by side."""
    return read(lambda tx: bankroll.summary(tx, caller().player))


@blueprint.operation(
    "GET",
    "/players/me/bankroll/entries",
    query=PageQuery(),
    answer=Answer(200, schemas.Entries(), schemas.ENTRIES, headers=("Link",), also={_CSV: schemas.CSV}),
)
def list_entries(query: dict[str, Any]) -> Response:
    """List the entries of the wallet, the newest first.

    With `Accept: text/csv` all of them are sent as one file, the oldest first; a page of that cannot be asked for.
    """
    who = caller().player
    if wanted_type() == _CSV:
        refuse_page(_CSV)
        return stream(
            lambda tx: bankroll.entries_csv(tx, who),
            content_type="text/csv; charset=utf-8; header=present",
            filename=f"{who}-entries.csv",
        )
    return read(
        lambda tx: page(
            "entries",
            query,
            lambda before, limit: bankroll.entries(tx, who, before=before, limit=limit),
            at={"seq": int},
        ),
        headers=next_link,
    )


@blueprint.operation(
    "GET",
    "/players/me/bankroll/entries/<entry_id>",
    answer=Answer(200, schemas.Entry(), schemas.ENTRY),
)
def get_entry(entry_id: str) -> Response:
    """Show one entry of the wallet."""
    return read(lambda tx: bankroll.entry(tx, caller().player, entry_id))


@blueprint.operation(
    "GET",
    "/players/me/bankroll/series",
    query=schemas.SeriesQuery(),
    answer=Answer(200, schemas.Series(), schemas.SERIES),
    cost=_LONG_READ,
)
def get_series(query: dict[str, Any]) -> Response:
    """Show the curve over settled coups, in at most so many points, for a chart."""
    return read(lambda tx: {"points": bankroll.series(tx, caller().player, points=query["points"])})


@blueprint.operation(
    "POST",
    "/players/me/bankroll/refills",
    answer=Answer(201, schemas.Entry(), schemas.ENTRY),
    errors=(Conflict, LimitReached),
)
def create_refill() -> Response:
    """Fill the wallet up to the sum that a refill fills to. Limited in number, and only for who has less."""
    config = service().config
    return write(
        lambda tx: bankroll.refill(
            tx, caller().player, now(), fill_to=config.refill_sum, per_day=config.refills_a_day
        ),
        status=201,
        location=lambda made: f"/v1/players/me/bankroll/entries/{made['id']}",
    )
