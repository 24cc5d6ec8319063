"""Refusals of the services, each with a stable code and the HTTP status it is answered with.

A refusal changes nothing: whoever opened the transaction rolls it back. `detail` says what was wrong and what
would have been right, `pointer` where in the request (a JSON Pointer), `members` are further members of the
problem document, `retry_after` seconds after which the same call may succeed.
"""

from typing import Any, ClassVar


class ServiceError(Exception):
    """Root of all refusals of the services."""

    code: ClassVar[str] = "refused"
    status: ClassVar[int] = 400
    title: ClassVar[str] = "The request was refused"

    def __init__(
        self,
        detail: str,
        *,
        pointer: str = "",
        code: str | None = None,
        retry_after: int | None = None,
        members: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.pointer = pointer
        self.reason = code or self.code
        self.retry_after = retry_after
        self.members = members or {}


class Unauthorized(ServiceError):
    """No key, or one that is unknown, expired or revoked (which of them is not told)."""

    code = "unauthorized"
    status = 401
    title = "A valid API key is needed"


class Forbidden(ServiceError):
    """The key is good, but lacks the scope, or the player may not do this."""

    code = "forbidden"
    status = 403
    title = "Not allowed with this key"


class NotFound(ServiceError):
    """Unknown, or not to be seen by the caller: the same answer for both."""

    code = "not_found"
    status = 404
    title = "Not found"


class Conflict(ServiceError):
    """Well-formed, but not possible in the present state."""

    code = "conflict"
    status = 409
    title = "Not possible in the present state"


class InsufficientFunds(Conflict):
    """An account cannot cover a transfer. `balance` and `needed` in chips."""

    code = "insufficient_funds"
    title = "Not enough chips"

    def __init__(self, balance: int, needed: int, *, account: str = "wallet", pointer: str = "") -> None:
        detail = f"the {account} holds {balance} chips, {needed} are needed"
        members = {"balance": balance, "needed": needed, "account": account}
        super().__init__(detail, pointer=pointer, members=members)
        self.balance = balance
        self.needed = needed


class Gone(ServiceError):
    """It was there, and is no more."""

    code = "gone"
    status = 410
    title = "No longer there"


class Stale(ServiceError):
    """`If-Match` named a version that is not the present one."""

    code = "stale"
    status = 412
    title = "Changed in the meantime"


class Invalid(ServiceError):
    """The right shape, but a value that cannot be taken."""

    code = "invalid"
    status = 422
    title = "A value is not acceptable"


class LimitReached(ServiceError):
    """A limit of number or time; `retry_after` tells when it is lifted, if time lifts it."""

    code = "limit_reached"
    status = 429
    title = "A limit is reached"


class Busy(ServiceError):
    """The service or its database could not take the call in time."""

    code = "busy"
    status = 503
    title = "Busy, try again"

    def __init__(self, detail: str, *, retry_after: int = 1) -> None:
        super().__init__(detail, retry_after=retry_after)


class PlanStale(Exception):
    """What was planned in a read was planned for a state that is no more: plan again."""
