"""For those who run the service: is it alive, is it ready, what does it count."""

from typing import Any, Final

from flask import Response
from sqlalchemy.exc import SQLAlchemyError

from api.blueprint import Answer, Blueprint
from api.context import service
from api.execution import dumps
from api.metrics import CONTENT_TYPE, exposition
from api.refusals import NotReady
from api.services.errors import Busy
from api.services.health import readiness
from api.services.measures import Measure, measures
from api.views.operation.schemas import Alive, Ready

_READY: Final[dict[str, Any]] = {
    "ready": True,
    "checks": {"database": "ok", "migrations": "ok", "ledger": "ok", "generator": "ok"},
}
_METRICS: Final = 'macao_requests_total{method="GET",route="/v1/games",status="200"} 12.0\n'

blueprint = Blueprint("operation", "Is the service alive and ready, and what does it count?", url_prefix="")


@blueprint.operation(
    "GET", "/livez", answer=Answer(200, Alive(), {"alive": True}, tagged=False), key=None, cost=0
)
def livez() -> Response:
    """Tell that the process answers; asks nobody else."""
    return Response(dumps({"alive": True}), content_type="application/json")


@blueprint.operation(
    "GET", "/readyz", answer=Answer(200, Ready(), _READY, tagged=False), errors=(NotReady,), key=None, cost=0
)
def readyz() -> Response:
    """Tell whether requests can be served.

    Looks at the database, the version of its schema, the sum of the ledger (0) and the generator's test vector.
    """
    found = readiness(service().database)
    if not found["ready"]:
        wrong = "; ".join(f"{name}: {text}" for name, text in found["checks"].items() if text != "ok")
        raise NotReady(wrong, retry_after=5, members={"checks": found["checks"]})
    return Response(dumps(found), content_type="application/json")


@blueprint.operation(
    "GET",
    "/metrics",
    answer=Answer(200, {"type": "string"}, _METRICS, type="text/plain", tagged=False),
    key=None,
    cost=0,
)
def metrics() -> Response:
    """Show the counts for Prometheus, over all processes: requests, latency, refusals by code, coups; and from the
    database chips by account, chips in play, tables open and overdue, and experiments in the queue.
    """
    return Response(exposition(_measures()), content_type=CONTENT_TYPE)


def _measures() -> list[Measure]:
    """What the database tells, and whether it does: the counts are shown without it too."""
    parts = service()
    try:
        with parts.database.read() as session:
            found = measures(session, parts.now())
    except (Busy, SQLAlchemyError):
        found = []
    text = "Whether the database answers: 1 or 0."
    return [*found, Measure("database_up", text, None, {"": int(bool(found))})]
