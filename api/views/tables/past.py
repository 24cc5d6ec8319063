"""Recall: banks and coups of a table, and what proves them."""

from typing import Any, Final

from flask import Response

from api.auth import caller
from api.blueprint import Answer, wanted_type
from api.execution import read
from api.paging import PageQuery
from api.services.errors import Conflict, NotFound
from api.services.tables import recall
from api.views.tables import examples, schemas
from api.views.tables.common import blueprint, listed, proved, sent_whole

_CSV: Final = "text/csv"
_NDJSON: Final = "application/x-ndjson"
_EXPORTS: Final = {_CSV: recall.export_csv, _NDJSON: recall.export_ndjson}


@blueprint.operation(
    "GET",
    "/tables/<table_id>/banks",
    query=PageQuery(),
    answer=Answer(200, schemas.BankList(), {"banks": [examples.BANK], "next": None}, headers=("Link",)),
    errors=(NotFound,),
)
def list_banks(query: dict[str, Any], table_id: str) -> Response:
    """List the banks of a table, newest first."""
    return listed(
        "banks",
        query,
        table_id,
        lambda tx, table, before, limit: recall.banks(tx, table, before=before, limit=limit),
    )


@blueprint.operation(
    "GET",
    "/tables/<table_id>/banks/<bank_id>",
    answer=Answer(200, schemas.BankShown(), examples.BANK),
    errors=(NotFound,),
)
def get_bank(table_id: str, bank_id: str) -> Response:
    """Show a bank; its seeds once it is over."""
    who = caller().player
    return read(lambda tx: recall.bank(tx, recall.viewed(tx, table_id, who), bank_id))


@blueprint.operation(
    "GET",
    "/tables/<table_id>/coups",
    query=schemas.CoupQuery(),
    answer=Answer(
        200,
        schemas.CoupList(),
        {"coups": [examples.COUP], "next": None},
        headers=("Link",),
        also={_CSV: examples.COUPS_CSV, _NDJSON: examples.COUPS_NDJSON},
    ),
    errors=(NotFound,),
)
def list_coups(query: dict[str, Any], table_id: str) -> Response:
    """List the coups of a table, newest first.

    With `Accept: text/csv` or `application/x-ndjson` all that are over are sent as one file, the oldest first, with
    every choice in the latter; a page or a filter of that cannot be asked for.
    """
    who = caller().player
    export = _EXPORTS.get(wanted_type())
    if export is not None:
        return sent_whole("coups", "csv" if wanted_type() == _CSV else "ndjson", table_id, export)
    return listed(
        "coups",
        query,
        table_id,
        lambda tx, table, before, limit: recall.coups(
            tx, table, who, before=before, limit=limit, bank_id=query["bank"], status=query["status"]
        ),
    )


@blueprint.operation(
    "GET",
    "/tables/<table_id>/coups/<coup_id>",
    answer=Answer(200, schemas.CoupShown(), examples.COUP),
    errors=(NotFound,),
)
def get_coup(table_id: str, coup_id: str) -> Response:
    """Recall a coup in full: cards, choices, who chose, stakes, nets, your balances before and after."""
    who = caller().player
    return read(lambda tx: recall.coup(tx, recall.viewed(tx, table_id, who), who, coup_id))


@blueprint.operation(
    "GET",
    "/tables/<table_id>/banks/<bank_id>/proof",
    answer=Answer(200, schemas.Proof(), examples.PROOF),
    errors=(NotFound, Conflict),
)
def get_proof(table_id: str, bank_id: str) -> Response:
    """Prove a bank that is over: save the answer as it is, and check it offline with `macao verify FILE`."""
    return proved(table_id, bank_id=bank_id)
