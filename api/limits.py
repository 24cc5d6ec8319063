"""Rate limits by API key, or by network address where there is none, counted in units of cost.

Flask-Limiter keeps the counts; in memory they are each process's own (`MACAO_RATE_STORAGE`). Sent with every answer:
`RateLimit-Policy` and `RateLimit` as structured fields, and the older `X-RateLimit-*`.
"""

from collections.abc import Callable
from typing import Final

import http_sf
from flask import Flask, Response, request
from flask_limiter import ApplicationLimit, Limiter, RequestLimit
from http_sf import InnerListType, ItemType
from http_sf.types import BareItemType

from api.config import Config
from api.context import context, service
from api.refusals import RateLimited

_KEYED: Final = "key"
_ANONYMOUS: Final = "address"


def limiter_of(app: Flask, config: Config) -> Limiter:
    """The limiter of an application: one limit for callers with a key, one for those without."""
    return Limiter(
        _bucket,
        app=app,
        application_limits=[
            _limit(config.rate_limit, _KEYED, lambda: context().caller is None),
            _limit(config.rate_limit_anonymous, _ANONYMOUS, lambda: context().caller is not None),
        ],
        storage_uri=config.rate_storage,
        headers_enabled=False,
    )


def _limit(rate: str, scope: str, exempt: Callable[[], bool]) -> ApplicationLimit:
    return ApplicationLimit(limit_provider=rate, scope=scope, exempt_when=exempt, cost=_cost)


def _bucket() -> str:
    caller = context().caller
    return caller.key if caller is not None else request.remote_addr or "unknown"


def _cost() -> int:
    operation = context().operation
    return operation.cost if operation is not None else 1


def charge(units: int) -> None:
    """Spend more units for this request, once its cost is known. Raises RateLimited, with the cost and the cap."""
    spent = service().limiter.current_limit
    if spent is None:
        return
    cap = spent.limit.amount
    if units > cap:
        raise RateLimited(
            f"this would cost {units} units, more than the {cap} that a window holds: ask for less",
            members={"cost": units, "cap": cap},
        )
    if not service().limiter.limiter.hit(spent.limit, *spent.request_args, cost=units):
        wait = seconds_left(spent)
        raise RateLimited(
            f"this would cost {units} units, and {spent.remaining} of {cap} are left; try again in {wait} s",
            retry_after=wait,
            members={"cost": units, "cap": cap},
        )


def seconds_left(limit: RequestLimit) -> int:
    """Whole seconds until the window of a limit ends, at least one."""
    left = limit.reset_at - int(service().now().timestamp())
    return min(max(1, left), limit.limit.get_expiry())


def add_headers(response: Response) -> None:
    """Tell the client its limit, what is left of it, and when the window ends."""
    limit = service().limiter.current_limit
    if limit is None:
        return
    name = limit.request_args[-1]
    amount, left, wait = limit.limit.amount, max(0, limit.remaining), seconds_left(limit)
    response.headers["RateLimit-Policy"] = _field(name, {"q": amount, "w": limit.limit.get_expiry()})
    response.headers["RateLimit"] = _field(name, {"r": left, "t": wait})
    response.headers["X-RateLimit-Limit"] = str(amount)
    response.headers["X-RateLimit-Remaining"] = str(left)
    response.headers["X-RateLimit-Reset"] = str(wait)


def _field(name: str, parameters: dict[str, BareItemType]) -> str:
    """A structured field (RFC 9651): a list of one named item."""
    items: list[ItemType | InnerListType] = [(name, parameters)]
    return http_sf.ser(items)
