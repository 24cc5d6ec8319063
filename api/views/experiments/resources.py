"""Experiments: ordered with one request, played by workers, looked at while they run and when they are done."""

from typing import Any, Final

from flask import Response

from analysis.errors import BankrollError
from api.auth import caller
from api.blueprint import Answer, Blueprint, wanted_type
from api.context import now, service
from api.execution import document, read, write
from api.paging import next_link, page
from api.services import experiments
from api.services.errors import Conflict, Invalid, LimitReached
from api.views.experiments import examples, schemas
from api.views.odds.spending import spend
from casino.errors import NotationError, RulesError, UnknownGame

_CSV: Final = "text/csv"
_SVG: Final = "image/svg+xml"
_ORDER_UNITS: Final = 20
_LONG_READ: Final = 20
_PICTURE_UNITS: Final = 2_000
_OF_RESULTS: Final = (Conflict, Invalid)

blueprint = Blueprint(
    "experiments",
    "Many sessions under staking systems, played in the background by workers; or whole grids of them.",
)


@blueprint.operation(
    "POST",
    "/experiments",
    body=schemas.ExperimentAsked(),
    example=examples.ASKED,
    answer=Answer(202, schemas.Told(), examples.PLACED, headers=("Location",)),
    errors=(BankrollError, RulesError, NotationError, UnknownGame, Invalid, LimitReached),
    cost=_ORDER_UNITS,
)
def create_experiment(body: dict[str, Any]) -> Response:
    """Order an experiment.

    Working out the outcomes of rules is taken off the rate limit, as for the odds. The coups that it may take are
    counted against a quota of 24 hours (those not played are given back); beyond it, or with too many that wait or
    run, it is refused with its cost and the cap. The answer comes at once: ask at `Location` how far it is.
    """
    from api.services.experiment_requests import prepare  # noqa: PLC0415 - loads numpy and scipy

    who, config = caller().player, service().config
    return write(
        lambda tx, prepared: experiments.create(
            tx, who, prepared, now(), at_once=config.experiments_at_once, coups_a_day=config.experiment_coups
        ),
        plan=lambda tx: prepare(tx, who, body, spend),
        status=202,
        location=lambda made: f"/v1/experiments/{made['id']}",
    )


@blueprint.operation(
    "GET",
    "/experiments",
    query=schemas.ListQuery(),
    answer=Answer(200, schemas.Experiments(), examples.PAGE, headers=("Link",)),
)
def list_experiments(query: dict[str, Any]) -> Response:
    """List the caller's experiments, the newest first."""
    who = caller().player
    return read(
        lambda tx: page(
            "experiments",
            query,
            lambda before, limit: experiments.listing(tx, who, before, limit, query["status"]),
            at={"id": str},
        ),
        headers=next_link,
    )


@blueprint.operation("GET", "/experiments/<experiment_id>", answer=Answer(200, schemas.Told(), examples.TOLD))
def get_experiment(experiment_id: str) -> Response:
    """Show an experiment: its status, how far it is, at what rate, and what the chunks done so far say."""
    return read(lambda tx: experiments.told(tx, caller().player, experiment_id))


@blueprint.operation(
    "POST",
    "/experiments/<experiment_id>/cancel",
    answer=Answer(200, schemas.Told(), examples.CANCELLED),
    errors=(Conflict,),
)
def cancel_experiment(experiment_id: str) -> Response:
    """Stop an experiment. What it has not played is given back to the quota; one that is cancelled stays so."""
    return write(lambda tx: experiments.cancel(tx, caller().player, experiment_id, now()))


@blueprint.operation("DELETE", "/experiments/<experiment_id>", answer=Answer(204))
def delete_experiment(experiment_id: str) -> Response:
    """Delete an experiment and its results; one that runs is stopped."""
    return write(lambda tx: experiments.remove(tx, caller().player, experiment_id, now()), status=204)


@blueprint.operation(
    "GET",
    "/experiments/<experiment_id>/results",
    query=schemas.CellQuery(),
    answer=Answer(200, schemas.Results(), examples.RESULTS, also={_CSV: examples.CSV}),
    errors=_OF_RESULTS,
    cost=_LONG_READ,
)
def get_results(query: dict[str, Any], experiment_id: str) -> Response:
    """Show the results of a finished experiment: the table of all cells, and every figure of one of them.

    With `Accept: text/csv` the table alone.
    """
    who = caller().player
    if wanted_type() != _CSV:
        return read(lambda tx: experiments.results(tx, who, experiment_id, query["cell"]))
    from analysis.sweep import to_csv  # noqa: PLC0415 - loads numpy

    with service().database.read() as session:
        _, rows = experiments.table(session, who, experiment_id)
    return document(
        to_csv(rows).encode(), "text/csv; charset=utf-8; header=present", filename=f"{experiment_id}.csv"
    )


@blueprint.operation(
    "GET",
    "/experiments/<experiment_id>/paths",
    query=schemas.CellQuery(),
    answer=Answer(200, schemas.Paths(), examples.PATHS),
    errors=_OF_RESULTS,
    cost=_LONG_READ,
)
def get_paths(query: dict[str, Any], experiment_id: str) -> Response:
    """Show twenty sessions of a cell as they went, and quantiles of the bankroll by coup.

    The quantiles are of the sessions whose paths are kept: some 2,000, spread over all chunks, where there are so many.
    Those of all sessions at their end are in the results.
    """
    return read(lambda tx: experiments.paths(tx, caller().player, experiment_id, query["cell"]))


@blueprint.operation(
    "GET",
    "/experiments/<experiment_id>/chart.svg",
    query=schemas.ChartQuery(),
    answer=Answer(200, {"type": "string"}, examples.SVG, type=_SVG),
    errors=_OF_RESULTS,
    cost=_PICTURE_UNITS,
)
def get_chart_svg(query: dict[str, Any], experiment_id: str) -> Response:
    """Draw a finished experiment: the bankroll over the coups of a cell, or risk and gain of all cells."""
    return document(_chart(experiment_id, query["cell"], "svg"), _SVG)


@blueprint.operation(
    "GET",
    "/experiments/<experiment_id>/chart.json",
    query=schemas.ChartQuery(),
    answer=Answer(200, {"type": "object"}, examples.VEGA_LITE),
    errors=_OF_RESULTS,
    cost=_PICTURE_UNITS,
)
def get_chart_json(query: dict[str, Any], experiment_id: str) -> Response:
    """The same picture as a Vega-Lite specification that holds its data."""
    return document(_chart(experiment_id, query["cell"], "json"), "application/json")


def _chart(experiment_id: str, cell: int | None, kind: str) -> bytes:
    with service().database.read() as session:
        order, rows = experiments.table(session, caller().player, experiment_id)
        whole = (
            None if cell is None and order.cells > 1 else experiments.cell_summary(session, order, cell or 0)
        )
    from analysis.bankroll_plots import experiment_chart, sweep_chart  # noqa: PLC0415 - loads numpy
    from analysis.plots import drawn  # noqa: PLC0415

    return drawn(sweep_chart(rows) if whole is None else experiment_chart(whole), kind)
