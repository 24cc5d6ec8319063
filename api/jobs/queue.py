"""What a queue of jobs has to do: the interface between this service and whatever carries its jobs.

A job is named by the id of its experiment. It is played by one worker at a time; a worker that dies in the middle
leaves it `held`, and `resume` hands it to whoever is free. A worker that was only slow finds that it no longer holds
the job when it is through; by then it has done no harm, as chunks are stored once.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Held:
    """A job that a worker took: which one (the name it was opened under)."""

    job: str
    worker: str


class Queue(Protocol):
    """A durable queue, opened with two functions: one that plays a job, and is called again some times where it
    raises, and one that gives a job up in the end. When either has returned the job is over."""

    def submit(self, job: str) -> None:
        """Let a job be played, once: one that waits or is held already stays as it is."""

    def cancel(self, job: str) -> None:
        """Let a job not be played any more. One that is unknown or over is left alone."""

    def resume(self, job: str) -> None:
        """Take a job from whoever holds it and let it be played on."""

    def forget(self, before: datetime) -> None:
        """Forget jobs that are over, of those submitted before that time."""

    def progress(self) -> Mapping[str, Held | None]:
        """The jobs that are not over: by whom each is held, None if it waits."""


Play = Callable[[str], None]
GiveUp = Callable[[str, Exception], None]
