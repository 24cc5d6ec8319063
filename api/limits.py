"""Rate limits by API key, or by network address where there is none, counted in units of cost.

Flask-Limiter is set up with its storage (`MACAO_RATE_STORAGE`; in memory the counts are each process's own); its own
check of every request is left out, because it costs as much as a small request. A request to a known address is
counted here, once, in fixed windows. Sent with every answer that was counted: `RateLimit-Policy` and `RateLimit` as
structured fields, and the older `X-RateLimit-*` (with seconds to the end of the window as `Reset`).
"""

from dataclasses import dataclass
from math import ceil
from time import time
from typing import Final

import http_sf
from flask import Flask
from flask_limiter import Limiter
from http_sf import InnerListType, ItemType
from limits import RateLimitItem, parse

from api.config import Config
from api.context import Context, context, service
from api.rate_storage import SCHEME
from api.refusals import RateLimited
from api.services.errors import Busy

_KEYED: Final = "key"
_ANONYMOUS: Final = "address"
_MEMORY: Final = "memory://"


@dataclass(frozen=True, slots=True)
class Policy:
    """A limit with the parts of its headers that do not change."""

    name: str
    item: RateLimitItem
    header: str
    prefix: str
    buckets: str  # what the name of a bucket begins with

    @property
    def seconds(self) -> int:
        """The length of the window."""
        return self.item.get_expiry()


@dataclass(slots=True)
class Spent:
    """What a request was counted against, and the units of its window so far."""

    policy: Policy
    bucket: str
    units: int = 0
    end: float = 0.0  # of the window, in seconds since 1970

    @property
    def left(self) -> int:
        """Units left in the window."""
        return max(0, self.policy.item.amount - self.units)

    @property
    def seconds_left(self) -> int:
        """Whole seconds to the end of the window, at least one."""
        return min(max(1, ceil(self.end - time())), self.policy.seconds)


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of an application."""

    limiter: Limiter
    keyed: Policy
    anonymous: Policy

    def spend(self, here: Context, address: str | None) -> None:
        """Count a request with the cost of its operation. Raises RateLimited."""
        caller = here.caller
        policy = self.anonymous if caller is None else self.keyed
        who = (address or "unknown") if caller is None else caller.key
        here.spent = spent = Spent(policy, policy.buckets + who)
        cost = here.operation.cost if here.operation is not None else 1
        self.count(spent, cost)
        if cost and spent.units > policy.item.amount:
            wait = spent.seconds_left
            text = f"{policy.item.amount} units in {policy.seconds} s are spent; go on in {wait} s"
            raise RateLimited(text, retry_after=wait)

    def charge(self, spent: Spent, units: int) -> None:
        """Count further units for the same request. A refused charge takes nothing: it may do for something smaller."""
        cap = spent.policy.item.amount
        members = {"cost": units, "cap": cap}
        if units > cap:
            text = f"this would cost {units} units, more than the {cap} that a window holds: ask for less"
            raise RateLimited(text, members=members)
        if units > spent.left:
            wait = spent.seconds_left
            text = f"this would cost {units} units, and {spent.left} of {cap} are left; try again in {wait} s"
            raise RateLimited(text, retry_after=wait, members=members)
        self.count(spent, units)

    def count(self, spent: Spent, units: int) -> None:
        """Count units, be they more than are left: then the next request finds all spent."""
        storage = self.limiter.storage
        try:
            spent.units = storage.incr(spent.bucket, spent.policy.seconds, amount=units)
            spent.end = storage.get_expiry(spent.bucket)
        except storage.base_exceptions as error:
            raise Busy("rate limits cannot be counted now; nothing was changed") from error


def limits_of(app: Flask, config: Config) -> Limits:
    """The limits of an application: one for callers with a key, one for those without."""
    limiter = Limiter(
        lambda: "", storage_uri=storage_uri(config), strategy="fixed-window", headers_enabled=False
    )
    app.extensions["limiter"] = {limiter}  # it takes itself to be set up, and hooks into no request
    limiter.init_app(app)
    return Limits(
        limiter, _policy(_KEYED, config.rate_limit), _policy(_ANONYMOUS, config.rate_limit_anonymous)
    )


def storage_uri(config: Config) -> str:
    """The storage in the library's words."""
    return f"{SCHEME}://" if config.rate_storage == _MEMORY else config.rate_storage


def _policy(name: str, rate: str) -> Policy:
    item = parse(rate)
    header = _field((name, {"q": item.amount, "w": item.get_expiry()}))
    return Policy(name, item, header, _field(name), f"{item.key_for(name)}/")


def _field(item: ItemType) -> str:
    """A structured field (RFC 9651): a list of one item."""
    items: list[ItemType | InnerListType] = [item]
    return http_sf.ser(items)


def charge(units: int) -> None:
    """Spend more units for this request, once its cost is known. Raises RateLimited, with the cost and the cap."""
    spent = context().spent
    if spent is not None:
        service().limits.charge(spent, units)


def count(units: int) -> None:
    """Count units for work that is done already: it is not refused, but the next request is where all is spent."""
    spent = context().spent
    if spent is not None:
        service().limits.count(spent, units)


def headers_of(spent: Spent) -> list[tuple[str, str]]:
    """What tells the client its limit, what is left of it, and when the window ends."""
    left, wait = str(spent.left), str(spent.seconds_left)
    return [
        ("RateLimit-Policy", spent.policy.header),
        ("RateLimit", f"{spent.policy.prefix};r={left};t={wait}"),
        ("X-RateLimit-Limit", str(spent.policy.item.amount)),
        ("X-RateLimit-Remaining", left),
        ("X-RateLimit-Reset", wait),
    ]
