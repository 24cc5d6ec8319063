"""The queue on dbos: jobs are its workflows, in its own system database. The only module that imports dbos.

Where that is: on PostgreSQL the schema `macao_jobs` of the service's database; on SQLite a file beside the database,
`macao.db` → `macao.db.jobs`, so that polling for jobs never stands in the way of those who write at tables. It holds no
results, and may be lost: the orders are in `experiments`, and are submitted again.

dbos recovers the workflows of an executor when one of the same id starts; a second *live* process of that id would take
running workflows away and repeat their steps. So ids are never used twice, and it is for workers to find out
whose holder is gone (api/jobs/worker.py) and to resume his workflows. dbos fences them: what an execution that has been
replaced writes does not land.
"""

import logging
import sqlite3
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from dbos import DBOS, DBOSConfig, SetWorkflowID, WorkflowStatus

from api.db import Database
from api.jobs.queue import GiveUp, Held, Play

_NAME: Final = "macao"
_QUEUE: Final = "experiments"
_SCHEMA: Final = "macao_jobs"
_FORM: Final = (
    "1"  # of a job: workers of another form leave it alone, workers of another version of the code do not
)
_POLL_SECONDS: Final = 0.5
_ATTEMPTS: Final = 5  # to play a job, within one worker
_WAIT_SECONDS: Final = 1.0  # between the first two
_OPEN: Final = ("ENQUEUED", "DELAYED", "PENDING")
_OVER: Final = ("SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED")
_AT_ONCE: Final = 200  # jobs forgotten
_LOGGER: Final = "dbos"


class DbosQueue:
    """Jobs as workflows of dbos. There can be one in a process."""

    def __init__(self, database: Database, worker: str, play: Play, give_up: GiveUp) -> None:
        """`worker`: the name of this process, never used before. `play` and `give_up`: see `Queue`."""
        logger = logging.getLogger(_LOGGER)
        logger.addHandler(logging.NullHandler())  # else dbos prints to the console by itself
        config: DBOSConfig = {
            "name": _NAME,
            "system_database_url": _system_url(database),
            "dbos_system_schema": _SCHEMA,
            "application_version": _FORM,
            "executor_id": worker,
            "use_listen_notify": False,
            "log_level": "WARNING",
            "sys_db_pool_size": 4,
        }
        DBOS(config=config)

        @DBOS.step(
            name="play",
            retries_allowed=True,
            max_attempts=_ATTEMPTS,
            interval_seconds=_WAIT_SECONDS,
            backoff_rate=2.0,
        )
        def step(job: str) -> None:
            play(job)

        @DBOS.workflow(name="experiment")
        def workflow(job: str) -> None:
            try:
                step(job)
            except Exception as fault:
                give_up(job, fault)

        self._workflow = workflow
        DBOS.launch()
        self._queue = DBOS.register_queue(_QUEUE, worker_concurrency=1, polling_interval_sec=_POLL_SECONDS)

    def submit(self, job: str) -> None:
        """See `Queue`."""
        known = DBOS.get_workflow_status(job)
        if known is not None:
            if known.status in _OPEN:
                return
            DBOS.delete_workflow(job)  # it was over, but the order is not: an older copy of a database
        with SetWorkflowID(job):
            self._queue.enqueue(self._workflow, job)

    def cancel(self, job: str) -> None:
        """See `Queue`."""
        if DBOS.get_workflow_status(job) is not None:
            DBOS.cancel_workflow(job)

    def resume(self, job: str) -> None:
        """See `Queue`."""
        DBOS.resume_workflow(job, queue_name=_QUEUE)

    def forget(self, before: datetime) -> None:
        """See `Queue`."""
        over = DBOS.list_workflows(
            status=list(_OVER),
            end_time=before.isoformat(),
            limit=_AT_ONCE,
            load_input=False,
            load_output=False,
        )
        if over:
            DBOS.delete_workflows([each.workflow_id for each in over])

    def progress(self) -> Mapping[str, Held | None]:
        """See `Queue`."""
        found = DBOS.list_workflows(status=list(_OPEN), load_input=False, load_output=False)
        return {each.workflow_id: _held(each) for each in found}


def _held(found: WorkflowStatus) -> Held | None:
    return Held(found.workflow_id, found.executor_id or "") if found.status == "PENDING" else None


def _system_url(database: Database) -> str:
    if database.path is None:
        return database.url.render_as_string(hide_password=False)
    path = database.path.with_name(f"{database.path.name}.jobs")
    connection: Any = sqlite3.connect(path)
    try:
        connection.execute(
            "PRAGMA journal_mode=WAL"
        )  # stays with the file: readers and the writer do not wait
    finally:
        connection.close()
    return f"sqlite:///{path}"
