"""Refusals of the HTTP layer itself: what stands before a service is asked.

They share the root of the services' refusals, so one handler (`api/errors.py`) answers both.
"""

from typing import Any

from api.services.errors import Forbidden, ServiceError

Flaw = dict[str, str]  # {"pointer": JSON Pointer or name of the parameter, "detail": ...}


def flaw(detail: str, *, pointer: str | None = None, parameter: str | None = None) -> Flaw:
    """One entry of `errors[]`: where in the body (`pointer`) or which query parameter, and what is wrong."""
    where = {"pointer": pointer} if parameter is None else {"parameter": parameter}
    return {**{key: text for key, text in where.items() if text is not None}, "detail": detail}


class RequestError(ServiceError):
    """A request that no service gets to see; `flaws` are the entries of `errors[]`."""

    def __init__(self, detail: str, *, flaws: list[Flaw] | None = None, **more: Any) -> None:
        super().__init__(detail, **more)
        self.flaws = flaws or []


class Malformed(RequestError):
    """Not JSON, or JSON that says one thing twice or nests too deep."""

    code = "malformed"
    status = 400
    title = "The body is not acceptable JSON"


class DuplicateName(Malformed):
    """An object of the body gives one name twice."""

    code = "duplicate_name"


class TooDeep(Malformed):
    """The body nests deeper than anything here needs."""

    code = "too_deep"


class BadRequest(RequestError):
    """A request line or header that cannot be read."""

    code = "bad_request"
    status = 400
    title = "The request cannot be read"


class LineTooLong(BadRequest):
    """A request line longer than a server reads, such as an endless query."""

    status = 414


class HeadersTooLarge(BadRequest):
    """Headers larger than a server reads."""

    status = 431


class MissingScope(Forbidden):
    """The key is good, but was made without the scope that this operation needs."""

    code = "scope"


class NoRoute(RequestError):
    """No such address."""

    code = "no_route"
    status = 404
    title = "No such address"


class MethodNotAllowed(RequestError):
    """The address is there, the method is not; `Allow` lists those that are."""

    code = "method_not_allowed"
    status = 405
    title = "Method not allowed"


class NotAcceptable(RequestError):
    """`Accept` leaves none of the types that can be sent."""

    code = "not_acceptable"
    status = 406
    title = "No acceptable type"


class TooLarge(RequestError):
    """The body is larger than the cap."""

    code = "too_large"
    status = 413
    title = "The body is too large"


class UnsupportedType(RequestError):
    """The body is of another type than application/json, in another character set than UTF-8, or compressed."""

    code = "unsupported_type"
    status = 415
    title = "Unsupported type of body"


class Unprocessable(RequestError):
    """Fields or parameters that are unknown, missing, of the wrong type or out of range."""

    code = "validation"
    status = 422
    title = "Some values are not acceptable"


class KeyReused(RequestError):
    """An Idempotency-Key that came before with another request."""

    code = "idempotency_key_reused"
    status = 422
    title = "Idempotency-Key used for another request"


class RateLimited(RequestError):
    """The units of the present window are spent."""

    code = "rate_limited"
    status = 429
    title = "Rate limit reached"


class Internal(RequestError):
    """A fault of the service. Nothing was changed; the log has it under the request id."""

    code = "internal"
    status = 500
    title = "Unexpected fault"


class NotReady(RequestError):
    """Something that the service needs is missing or wrong; `checks` says what."""

    code = "not_ready"
    status = 503
    title = "Not ready"
