"""What Prometheus is told: requests, latency and refusals, with few labels (route templates, never ids).

Under several processes (`macao serve` with workers) the counts are kept in `PROMETHEUS_MULTIPROC_DIR` and added up
when asked; that variable must be set before this module is imported, which `macao serve` sees to.
"""

import os
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
from prometheus_client.multiprocess import MultiProcessCollector

_BUCKETS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0)
NO_ROUTE: Final = "none"

REQUESTS: Final = Counter("macao_requests", "Requests answered.", ("method", "route", "status"))
SECONDS: Final = Histogram("macao_request_seconds", "Time to answer.", ("route",), buckets=_BUCKETS)
REFUSALS: Final = Counter("macao_refusals", "Requests refused, by code.", ("code",))
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


def exposition() -> bytes:
    """All counts in Prometheus' text format; over all processes where there are several."""
    if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
        return generate_latest(REGISTRY)
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return generate_latest(registry)
