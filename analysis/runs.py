"""Playing experiments: here, or on any `concurrent.futures.Executor`, resumed from whatever chunks are there."""

import json
from collections import Counter, deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from functools import lru_cache

from analysis.experiment import CHUNKS, LEAST_CHUNKS, Experiment, Precision
from analysis.intervals import mean_interval, share_interval
from analysis.tally import Tally
from casino.options import canonical

_WINDOW = 64  # chunks handed to an executor at once


@lru_cache(maxsize=16)
def _read(spec: str) -> Experiment:
    return Experiment.from_json(json.loads(spec))


def spec(experiment: Experiment) -> str:
    """The experiment as a text that any process can play chunks from."""
    return canonical(experiment.to_json()).decode()


def play(text: str, chunk: int) -> bytes:
    """Play one chunk of the experiment whose `spec` is `text`: the bytes of its Tally. For executors."""
    from analysis.chunks import play_chunk  # noqa: PLC0415 - loads numba

    return play_chunk(_read(text), chunk).to_bytes()


def run(
    experiment: Experiment,
    *,
    executor: Executor | None = None,
    tally: Tally | None = None,
    on_chunk: Callable[[int, Tally], None] | None = None,
) -> Tally:
    """Play an experiment, in this process or on an executor, on top of what `tally` holds already.

    `on_chunk(chunk, part)` is called in this thread as chunks come in, in any order, before they are merged: keep
    `part.to_bytes()` and a run that was interrupted can go on from the parts merged again. An exception in it, or
    in a chunk, cancels what has not begun and is raised.
    """

    def told(_: int, chunk: int, part: Tally) -> None:
        if on_chunk:
            on_chunk(chunk, part)

    return run_all([experiment], executor=executor, tallies=[tally or Tally()], on_chunk=told)[0]


def run_all(
    experiments: Sequence[Experiment],
    *,
    executor: Executor | None = None,
    tallies: Sequence[Tally] = (),
    on_chunk: Callable[[int, int, Tally], None] | None = None,
) -> list[Tally]:
    """Play several experiments together, as `run` does one; `on_chunk(experiment's place, chunk, part)`."""
    wholes = list(tallies) or [Tally() for _ in experiments]
    texts = [spec(experiment) for experiment in experiments]
    queue: deque[tuple[int, int]] = deque()
    left: Counter[int] = Counter()

    def extend(place: int) -> None:
        todo = next_chunks(experiments[place], wholes[place])
        left[place] = len(todo)
        queue.extend((place, chunk) for chunk in todo)

    for place in range(len(experiments)):
        extend(place)
    with Crew(executor) as crew:
        while queue or crew.running:
            while queue and crew.ready:
                key = queue.popleft()
                crew.begin(key, texts[key[0]])
            for (place, chunk), data in crew.finished():
                part = Tally.from_bytes(data)
                if on_chunk:
                    on_chunk(place, chunk, part)
                wholes[place].merge(part)
                left[place] -= 1
                if not left[place]:
                    extend(place)
    return wholes


def next_chunks(experiment: Experiment, tally: Tally) -> list[int]:
    """The chunks to play now, given what is done; none where the experiment is over.

    With a precision, chunks come in rounds that double; after a whole round the interval is looked at. What
    is looked at are the chunks of the round alone, so when it ends depends on nothing else.
    """
    ends = [experiment.chunks]
    if experiment.precision:
        ends = [
            LEAST_CHUNKS << k for k in range(CHUNKS.bit_length()) if LEAST_CHUNKS << k < experiment.chunks
        ] + ends
    for end in ends:
        left = [chunk for chunk in range(end) if chunk not in tally.batches]
        if left:
            return left
        if experiment.precision and _precise(experiment.precision, tally, end):
            return []
    return []


def _precise(precision: Precision, tally: Tally, end: int) -> bool:
    batches = [tally.batches[chunk] for chunk in range(end)]
    sessions = sum(batch.sessions for batch in batches)
    if precision.of == "ruin":
        interval = share_interval(sum(batch.ruined for batch in batches), sessions)
    else:
        squares = sum(batch.gain_squared for batch in batches)
        interval = mean_interval(sum(batch.gain for batch in batches), squares, sessions)
    return (interval.high - interval.low) / 2 <= precision.half_width


class Crew:
    """Chunks under way: some at a time on an executor, or one in this process. What is left at the end is cancelled."""

    def __init__(self, executor: Executor | None) -> None:
        self._executor = executor
        self.running: dict[Future[bytes], tuple[int, int]] = {}

    def __enter__(self) -> "Crew":
        return self

    def __exit__(self, *fault: object) -> None:
        for future in self.running:
            future.cancel()

    @property
    def ready(self) -> bool:
        """May another chunk begin?"""
        return len(self.running) < (_WINDOW if self._executor else 1)

    def begin(self, key: tuple[int, int], text: str) -> None:
        """Begin chunk `key[1]` of the experiment written as `text`."""
        if self._executor:
            self.running[self._executor.submit(play, text, key[1])] = key
            return
        future: Future[bytes] = Future()
        future.set_result(play(text, key[1]))
        self.running[future] = key

    def finished(self) -> list[tuple[tuple[int, int], bytes]]:
        """Wait for some, and take them off. Raises what a chunk raised."""
        done = wait(self.running, return_when=FIRST_COMPLETED).done
        return [(self.running.pop(future), future.result()) for future in done]
