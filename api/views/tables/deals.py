"""Recall of matches: deals, their records, and what proves them."""

from typing import Any, Final

from flask import Response

from api.auth import caller
from api.blueprint import Answer, wanted_type
from api.context import service
from api.execution import read
from api.fields import Choice
from api.paging import PageQuery
from api.services.errors import Conflict, NotFound
from api.services.tables import recall
from api.services.tables.matches import deals
from api.views.tables import examples
from api.views.tables.common import blueprint, listed, proved, sent_whole
from api.views.tables.schemas import DealList, DealShown, MatchProof

_NDJSON: Final = "application/x-ndjson"
_TEXT: Final = "text/plain"


class DealQuery(PageQuery):
    """Which deals to list."""

    status = Choice("open", "settled", load_default=None, text="Only deals that stand so.")


@blueprint.operation(
    "GET",
    "/tables/<table_id>/deals",
    query=DealQuery(),
    answer=Answer(
        200,
        DealList(),
        {"deals": [examples.DEAL], "next": None},
        headers=("Link",),
        also={_NDJSON: examples.DEALS_NDJSON},
    ),
    errors=(NotFound,),
)
def list_deals(query: dict[str, Any], table_id: str) -> Response:
    """List the deals of a match, newest first.

    With `Accept: application/x-ndjson` all that are over are sent as one file, the oldest first, each with its choices
    and its record; a page or a filter of that cannot be asked for.
    """
    who = caller().player
    if wanted_type() == _NDJSON:
        return sent_whole("deals", "ndjson", table_id, deals.export_ndjson)
    return listed(
        "deals",
        query,
        table_id,
        lambda tx, table, before, limit: deals.deals(
            tx, table, who, before=before, limit=limit, status=query["status"]
        ),
    )


@blueprint.operation(
    "GET",
    "/tables/<table_id>/deals/<deal_id>",
    answer=Answer(200, DealShown(), examples.DEAL, also={_TEXT: examples.RECORD}),
    errors=(NotFound, Conflict),
)
def get_deal(table_id: str, deal_id: str) -> Response:
    """Recall a deal in full: cards, choices, who chose, chips, and a record that replays it card by card.

    Save `record`, or the whole answer, and step through it with `macao play --replay FILE`. With `Accept: text/plain`
    the record alone is sent, as lines that people read and can type; the command takes them too.
    """
    who = caller().player
    if wanted_type() == _TEXT:
        with service().database.read() as session:
            text = deals.record_text(session, recall.viewed(session, table_id, who), deal_id)
        return Response(text, content_type=f"{_TEXT}; charset=utf-8")
    return read(lambda tx: deals.deal(tx, recall.viewed(tx, table_id, who), who, deal_id))


@blueprint.operation(
    "GET",
    "/tables/<table_id>/deals/<deal_id>/proof",
    answer=Answer(200, MatchProof(), examples.MATCH_PROOF),
    errors=(NotFound, Conflict),
)
def get_deal_proof(table_id: str, deal_id: str) -> Response:
    """Prove a deal once its match is over: save the answer as it is, and check it with `macao verify FILE`."""
    return proved(table_id, deal_id=deal_id)


@blueprint.operation(
    "GET",
    "/tables/<table_id>/proof",
    answer=Answer(200, MatchProof(), examples.MATCH_PROOF),
    errors=(NotFound, Conflict),
)
def get_match_proof(table_id: str) -> Response:
    """Prove a match that is over: save the answer as it is, and check it offline with `macao verify FILE`."""
    return proved(table_id, deal_id=None)
