"""Rate limits by API key, or by network address where there is none, counted in units of cost.

Flask-Limiter is set up with its storage and strategy (`MACAO_RATE_STORAGE`; in memory the counts are each process's
own); its check of every request is left out, because it costs more than the request. An operation that is routed is
counted here instead, once. Sent with every answer that was counted: `RateLimit-Policy` and `RateLimit` as structured
fields, and the older `X-RateLimit-*` (with seconds to the end of the window as `Reset`).
"""

from dataclasses import dataclass
from math import ceil
from time import time
from typing import Final

import http_sf
from flask import Flask, Response
from flask_limiter import Limiter
from http_sf import InnerListType, ItemType
from limits import RateLimitItem, parse

from api.config import Config
from api.context import Context, context, service
from api.refusals import RateLimited

_KEYED: Final = "key"
_ANONYMOUS: Final = "address"


@dataclass(frozen=True, slots=True)
class Policy:
    """A limit with the parts of its headers that do not change."""

    name: str
    item: RateLimitItem
    header: str
    prefix: str

    @property
    def seconds(self) -> int:
        """The length of the window."""
        return self.item.get_expiry()


@dataclass(frozen=True, slots=True)
class Spent:
    """What a request was counted against: the policy and the bucket's identifiers."""

    policy: Policy
    bucket: str


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
        here.spent = Spent(policy, (address or "unknown") if caller is None else caller.key)
        cost = here.operation.cost if here.operation is not None else 1
        if cost and not self._hit(here.spent, cost):
            wait = self.left(here.spent)[1]
            text = f"{policy.item.amount} units in {policy.seconds} s are spent; go on in {wait} s"
            raise RateLimited(text, retry_after=wait)

    def charge(self, spent: Spent, units: int) -> None:
        """Count further units for the same request."""
        cap = spent.policy.item.amount
        members = {"cost": units, "cap": cap}
        if units > cap:
            text = f"this would cost {units} units, more than the {cap} that a window holds: ask for less"
            raise RateLimited(text, members=members)
        # A refused charge takes nothing: what is left may do for something smaller.
        strategy, policy = self.limiter.limiter, spent.policy
        enough = strategy.test(policy.item, policy.name, spent.bucket, cost=units)
        if not enough or not self._hit(spent, units):
            left, wait = self.left(spent)
            text = f"this would cost {units} units, and {left} of {cap} are left; try again in {wait} s"
            raise RateLimited(text, retry_after=wait, members=members)

    def left(self, spent: Spent) -> tuple[int, int]:
        """Units left, and whole seconds to the end of the window."""
        window = self.limiter.limiter.get_window_stats(spent.policy.item, spent.policy.name, spent.bucket)
        seconds = min(max(1, ceil(window.reset_time - time())), spent.policy.seconds)
        return max(0, window.remaining), seconds

    def _hit(self, spent: Spent, units: int) -> bool:
        policy = spent.policy
        return self.limiter.limiter.hit(policy.item, policy.name, spent.bucket, cost=units)


def limits_of(app: Flask, config: Config) -> Limits:
    """The limits of an application: one for callers with a key, one for those without."""
    limiter = Limiter(
        lambda: "",
        app=app,
        storage_uri=config.rate_storage,
        strategy="fixed-window",
        headers_enabled=False,
        request_identifier=lambda: "",  # no request is Flask-Limiter's to check
    )
    return Limits(
        limiter, _policy(_KEYED, config.rate_limit), _policy(_ANONYMOUS, config.rate_limit_anonymous)
    )


def _policy(name: str, rate: str) -> Policy:
    item = parse(rate)
    header = _field((name, {"q": item.amount, "w": item.get_expiry()}))
    return Policy(name, item, header, _field(name))


def _field(item: ItemType) -> str:
    """A structured field (RFC 9651): a list of one item."""
    items: list[ItemType | InnerListType] = [item]
    return http_sf.ser(items)


def charge(units: int) -> None:
    """Spend more units for this request, once its cost is known. Raises RateLimited, with the cost and the cap."""
    spent = context().spent
    if spent is not None:
        service().limits.charge(spent, units)


def add_headers(response: Response, limits: Limits, spent: Spent) -> None:
    """Tell the client its limit, what is left of it, and when the window ends."""
    left, wait = limits.left(spent)
    headers = response.headers
    headers["RateLimit-Policy"] = spent.policy.header
    headers["RateLimit"] = f"{spent.policy.prefix};r={left};t={wait}"
    headers["X-RateLimit-Limit"] = str(spent.policy.item.amount)
    headers["X-RateLimit-Remaining"] = str(left)
    headers["X-RateLimit-Reset"] = str(wait)
