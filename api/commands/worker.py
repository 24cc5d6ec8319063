"""`macao worker`: plays the experiments of a service, on this machine or another."""

import os
import signal
import sys
from threading import Thread
from typing import Final

import click

from analysis.errors import ExecutorError
from analysis.executors import executor
from api import logs
from api.commands.serve import bring_up_to_date, settings_of
from api.jobs.hiring import FOLLOW
from api.jobs.worker import Worker

_NICER: Final = 10  # a worker beside the service lets those who play at tables go first


@click.command("worker")
@click.option(
    "--database", "database_url", metavar="URL", help="Database; default: that of MACAO_DATABASE_URL."
)
@click.option(
    "--executor", "executor_url", metavar="URL", help="Where to play: local:, local:N or dask://HOST:PORT."
)
@click.option(FOLLOW, "follow", is_flag=True, hidden=True, help="Stop when standard input ends.")
def worker(follow: bool, **options: str | None) -> None:
    """Play the experiments that players order, until SIGTERM or Ctrl+C.

    Settings come from MACAO_ variables. `macao serve` starts one worker; start more, on any machine that reaches the
    database, to play more experiments at a time. A worker may be killed at any moment: another goes on from the chunks
    that are stored, and the results are the same to the bit.
    """
    config = settings_of(options)
    logs.configure(config)
    bring_up_to_date(config)
    if not follow:  # one that was hired waits for its executor
        _check_executor(config.executor_url)
    made = Worker(config)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: made.stopping.set())
    click.echo(f"Macao worker {made.name} plays experiments; stop it with Ctrl+C or SIGTERM.")
    if follow:
        os.nice(_NICER)
        _say_no_more()
        Thread(target=_follow, args=(made,), name="follow", daemon=True).start()
    made.run()
    # The queue's threads, one of which may hold a job that others go on with, are not waited for.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _check_executor(url: str) -> None:
    """An executor that is not installed or not there is told at the start, not when the first experiment comes."""
    if url.startswith("local:"):
        return
    try:
        with executor(url):
            pass
    except ExecutorError as refusal:
        raise click.ClickException(f"MACAO_EXECUTOR_URL: {refusal.detail}") from None


def _say_no_more() -> None:
    """Whoever hired it reads the greeting and nothing after it: a pipe that fills up would stop it."""
    sys.stdout.flush()
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())


def _follow(made: Worker) -> None:
    sys.stdin.buffer.read()
    made.stopping.set()
