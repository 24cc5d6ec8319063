"""The caller's bankroll: sums, entries, curve, refills, and the limits that he sets himself."""

from typing import Any, Final

from flask import Response

from api.auth import caller
from api.blueprint import Answer, Blueprint, wanted_type
from api.context import now, service
from api.execution import read, reply, stream, write
from api.models.base import micros
from api.paging import PageQuery, next_link, page, refuse_page
from api.services import bankroll, expected, limits
from api.services.errors import Conflict, Invalid, LimitReached
from api.views.bankroll import schemas
from api.views.odds.spending import spend

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
    errors=(Invalid,),
    cost=_LONG_READ,
)
def get_series(query: dict[str, Any]) -> Response:
    """Show the curve over settled coups, in at most so many points, for a chart.

    `expected` is what the stakes up to there come to on average if both sides play their best: the edge of a game by
    its rules, from a full shoe, times the stakes. What lies between it and `net` is luck, and what choices cost.
    """
    who, points = caller().player, query["points"]
    with service().database.read() as session:
        curve = bankroll.series(session, who, points=points)
        stakes = expected.stakes(session, who, bankroll.step_of(session, who, points))
    return reply({"points": expected.beside(curve, stakes, spend)})


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


@blueprint.operation(
    "GET",
    "/players/me/bankroll/limits",
    answer=Answer(200, schemas.Limits(), schemas.LIMITS),
    cost=_LONG_READ,
)
def get_limits() -> Response:
    """Show the caller's own limits, those that are to come, and what is used of them."""
    return read(lambda tx: limits.shown(tx, caller().player, now()))


@blueprint.operation(
    "PUT",
    "/players/me/bankroll/limits",
    body=schemas.WantedLimits(),
    example=schemas.WANTED_LIMITS,
    answer=Answer(200, schemas.Limits(), schemas.LIMITS),
    errors=(Conflict, Invalid),
    cost=_LONG_READ,
)
def put_limits(body: dict[str, Any]) -> Response:
    """Set limits of one's own: what is stricter holds at once, what is looser in 24 hours.

    What is left out stays as it is, null takes a limit away. An exclusion is never shortened. Limits concern what is
    begun for chips: a coup that is dealt is always played and settled.
    """
    wanted = _named(body)
    return write(lambda tx: limits.change(tx, caller().player, wanted, now()))


def _named(body: dict[str, Any]) -> dict[str, int | None]:
    """The limits that a body sets, by their names."""
    wanted = {name: value for name, value in body.items() if name != "loss"}
    if "loss" in body:
        losses = dict.fromkeys(limits.WINDOWS) if body["loss"] is None else body["loss"]
        wanted |= {f"loss_{window}": value for window, value in losses.items()}
    if wanted.get(limits.EXCLUSION) is not None:
        wanted[limits.EXCLUSION] = micros(wanted[limits.EXCLUSION])
    return wanted
