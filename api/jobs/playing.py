"""Playing one experiment: what is stored already is not played again, what is played is stored at once.

However often it is called, by whom, and wherever it was interrupted, the results are the same to the bit: a chunk is a
function of the experiment and its number, and at the end the stored ones are merged in the order of their numbers.
"""

from collections.abc import Callable
from concurrent.futures import Executor
from datetime import datetime

from analysis.experiment import Experiment
from analysis.runs import run_all
from analysis.summary import summary
from analysis.sweep import Sweep
from analysis.tally import Tally
from api.db import Database
from api.jobs import store
from api.jobs.store import Stored


class Stopped(Exception):
    """The worker was told to stop. Chunks stored so far are kept."""


def play(
    database: Database,
    experiment: str,
    executor: Executor,
    now: Callable[[], datetime],
    stopping: Callable[[], bool] = lambda: False,
) -> None:
    """Play an experiment to its end. Raises NoLongerWanted, or Stopped soon after `stopping()` is true."""
    specs = store.take_up(database, experiment, now())
    if not specs:
        return
    experiments = tuple(Experiment.from_json(each["spec"]) for each in specs)
    sweep = Sweep(experiments, tuple(each["cell"] for each in specs))

    def stored(cell: int, chunk: int, part: Tally) -> None:
        store.keep(database, experiment, Stored(cell, chunk, part), now())
        if stopping():
            raise Stopped

    if stopping():
        raise Stopped
    before = [store.merged(database, experiment, cell) for cell in range(len(experiments))]
    run_all(experiments, executor=executor, tallies=before, on_chunk=stored)
    _finish(database, experiment, sweep, now)


def _finish(database: Database, experiment: str, sweep: Sweep, now: Callable[[], datetime]) -> None:
    tallies, parts = [], []
    for cell, one in enumerate(sweep.experiments):
        tallies.append(store.merged(database, experiment, cell))
        parts.append(tallies[-1].to_bytes())
        store.keep_result(database, experiment, cell, summary(one, tallies[-1]), parts[-1])
    store.finish(database, experiment, sweep.table(tallies), store.digest_of(parts), now())
    store.drop_chunks(database)
