"""What goes wrong in a run of the simulator, and when: drawn from the seed alone, before anything is played."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from random import Random

from tests.api.fire.book import Json
from tests.api.fire.doomed import POINTS

WIDTH = 3  # requests that are on their way at a time


@dataclass(frozen=True)
class Death:
    """How the server dies in a round: at the `after`-th passing of a point of a commit, or (`point` «outside») after
    so many milliseconds, wherever it is. `whole`: all its processes, else the worker, which its master replaces."""

    point: str
    after: int
    whole: bool


@dataclass(frozen=True)
class Handling:
    """What the network does to a request: delays of its copies in milliseconds (as many copies as delays), and in how
    many batches one more copy arrives; 0 for none."""

    delays: tuple[int, ...]
    late: int


@dataclass(frozen=True)
class Batch:
    """Requests that are sent together. `order`: which players ask, the first first."""

    order: tuple[int, ...]
    handling: tuple[Handling, ...]


@dataclass(frozen=True)
class Round:
    """Some batches, in the course of which the server dies; or it does not."""

    death: Death | None
    batches: tuple[Batch, ...]

    def told(self) -> Json:
        """As it is printed."""
        return asdict(self)


def rounds(seed: int, count: int, players: int) -> Iterator[Round]:
    """The plan of a seed."""
    rng = Random(f"faults {seed}")
    for _ in range(count):
        batches = tuple(_batch(rng, players) for _ in range(rng.randint(3, 8)))
        yield Round(_death(rng) if rng.random() < 0.85 else None, batches)


def _batch(rng: Random, players: int) -> Batch:
    order = tuple(rng.sample(range(players), rng.randint(1, min(WIDTH, players))))
    return Batch(order, tuple(_handling(rng) for _ in order))


def _handling(rng: Random) -> Handling:
    copies = rng.choices((1, 2, 3), (70, 20, 10))[0]
    delays = tuple(rng.choice((0, 0, 0, 5, 20)) for _ in range(copies))
    return Handling(delays, rng.randint(1, 6) if rng.random() < 0.2 else 0)


def _death(rng: Random) -> Death:
    whole = rng.random() < 0.4
    if rng.random() < 0.15:
        return Death("outside", rng.randint(0, 150), True)
    point = rng.choice(POINTS)
    return Death(point, rng.randint(1, 40) if point == "statement" else rng.randint(1, 6), whole)
