"""Small experiments for the tests, and the same played here and now, without any queue."""

from concurrent.futures import Executor, ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

from flask.testing import FlaskClient

from analysis.runs import run_all
from analysis.sweep import Sweep
from api.db import Database
from api.jobs import store
from api.jobs.playing import play

# A coin that wins 9 in 20; doubling after losses, up to 50 chips.
COIN: dict[str, Any] = {
    "outcomes": {"1": "9/20", "-1": "11/20"},
    "staking": {"system": "martingale", "unit": 1},
    "limits": {"min": 1, "max": 50},
    "bankroll": 50,
    "stops": {"coups": 100},
    "sessions": 1000,
}


def order(client: FlaskClient, who: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """What `POST /v1/experiments` answers to COIN with changes; None leaves a member out."""
    body = {name: value for name, value in {**COIN, **changes}.items() if value is not None}
    made = client.post("/v1/experiments", json=body, headers=who["auth"])
    assert made.status_code == 202, made.text
    return {**made.json, "path": made.headers["Location"]}


def play_now(database: Database, experiment: str, executor: Executor | None = None) -> None:
    """Play an order to its end, in a thread unless an executor is given."""
    if executor is not None:
        play(database, experiment, executor, lambda: datetime.now(UTC))
        return
    with ThreadPoolExecutor(1) as one:
        play(database, experiment, one, lambda: datetime.now(UTC))


def digest(request: dict[str, Any]) -> str:
    """The digest of a request's results, played in this process by the analysis alone."""
    return store.digest_of([tally.to_bytes() for tally in run_all(Sweep.from_json(request).experiments)])
