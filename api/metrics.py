"""What Prometheus is told: requests, latency, refusals, coups, and quantities out of the database.

Labels are few: route templates, codes, games, never ids. Under `macao serve` the counts of all its processes, those
that ended included, are kept in the folder of `PROMETHEUS_MULTIPROC_DIR` and added up when asked; that variable must be
set before this module is imported, which `macao serve` sees to.
"""

from collections import Counter as Tally
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    REGISTRY,
    CollectorRegistry,
    Counter,
    Histogram,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector

from api import metrics_files
from api.services.measures import Measure

_BUCKETS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0)
NO_ROUTE: Final = "none"

REQUESTS: Final = Counter("macao_requests", "Requests answered.", ("method", "route", "status"))
SECONDS: Final = Histogram("macao_request_seconds", "Time to answer.", ("route",), buckets=_BUCKETS)
REFUSALS: Final = Counter("macao_refusals", "Requests refused, by code.", ("code",))
COUPS: Final = Counter("macao_coups", "Coups and deals that ended, by game and how.", ("game", "end"))
CONTENT_TYPE: Final = CONTENT_TYPE_LATEST


@lru_cache(maxsize=1024)
def _counters(method: str, route: str, status: int) -> tuple[Counter, Histogram]:
    return REQUESTS.labels(method, route, str(status)), SECONDS.labels(route)


def observe(method: str, route: str | None, status: int, seconds: float, code: str | None) -> None:
    """Count one request."""
    count, histogram = _counters(method if route else NO_ROUTE, route or NO_ROUTE, status)
    count.inc()
    histogram.observe(seconds)
    if code is not None:
        REFUSALS.labels(code).inc()


def count_coups(game: str, ends: Iterable[str]) -> None:
    """Count coups that ended (`settled` or `voided`), once that is committed."""
    for end, number in Tally(ends).items():
        COUPS.labels(game, end).inc(number)


def exposition(found: Iterable[Measure]) -> bytes:
    """All counts in Prometheus' text format, over all processes where there are several; and what was measured."""
    return _counts() + _measured(found)


def _counts() -> bytes:
    place = metrics_files.folder()
    if place is None:
        return generate_latest(REGISTRY)
    registry = CollectorRegistry()
    MultiProcessCollector(registry, str(place))  # type: ignore[no-untyped-call]
    with metrics_files.locked(place, alone=False):
        return generate_latest(registry)


def _measured(found: Iterable[Measure]) -> bytes:
    registry = CollectorRegistry()
    registry.register(_Measured(found))
    return generate_latest(registry)


class _Measured:
    """Measures as a collector."""

    def __init__(self, found: Iterable[Measure]) -> None:
        self._found = found

    def collect(self) -> Iterable[GaugeMetricFamily]:
        for measure in self._found:
            labels = [] if measure.label is None else [measure.label]
            family = GaugeMetricFamily(f"macao_{measure.name}", measure.text, labels=labels)
            for value, number in measure.values.items():
                family.add_metric([value][: len(labels)], number)
            yield family
