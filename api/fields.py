"""Fields of requests: they take exactly what they say, and their refusals tell what would be right.

marshmallow's own fields are lenient: its Integer takes `true`, its Boolean takes "yes" and 1. These do not.
"""

import re
from datetime import UTC, datetime
from typing import Any, Final

from marshmallow import RAISE, Schema, ValidationError, fields, validate

from api.strict_json import INT64_MAX, INT64_MIN

_DIGITS: Final = re.compile(r"-?(0|[1-9]\d{0,18})", re.ASCII)
_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)", re.ASCII)


def _document(field: Any, text: str | None, example: Any) -> None:
    if text is not None:
        field.metadata["description"] = text
    if example is not None:
        field.metadata["example"] = example


class Whole(fields.Integer):
    """A whole number from `low` to `high`; in a query string its decimal digits."""

    def __init__(
        self,
        low: int = INT64_MIN,
        high: int = INT64_MAX,
        *,
        text: str | None = None,
        example: Any = None,
        **options: Any,
    ) -> None:
        super().__init__(validate=validate.Range(low, high), **options)
        self.low, self.high = low, high
        _document(self, text, example)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        if isinstance(value, str) and getattr(self.root, "from_text", False) and _DIGITS.fullmatch(value):
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not self.low <= value <= self.high:
            raise ValidationError(f"must be a whole number from {self.low} to {self.high}")
        return value


class Flag(fields.Boolean):
    """true or false and nothing else; in a query string the same words."""

    def __init__(self, *, text: str | None = None, example: Any = None, **options: Any) -> None:
        super().__init__(**options)
        _document(self, text, example)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> bool:
        if getattr(self.root, "from_text", False):
            value = {"true": True, "false": False}.get(value, value)
        if not isinstance(value, bool):
            raise ValidationError("must be true or false")
        return value


class Text(fields.String):
    """A text of `low` to `high` characters, none of them a control character."""

    def __init__(
        self, low: int, high: int, *, text: str | None = None, example: Any = None, **options: Any
    ) -> None:
        super().__init__(validate=validate.Length(low, high), **options)
        self.low, self.high = low, high
        _document(self, text, example)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        if not isinstance(value, str) or not self.low <= len(value) <= self.high:
            raise ValidationError(f"must be a text of {self.low} to {self.high} characters")
        if not value.isprintable():
            raise ValidationError("must not hold control characters or line breaks")
        return value


class Choice(fields.String):
    """One of some names."""

    def __init__(self, *names: str, text: str | None = None, example: Any = None, **options: Any) -> None:
        super().__init__(validate=validate.OneOf(names), **options)
        self.names = names
        _document(self, text, example)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        if not isinstance(value, str) or value not in self.names:
            raise ValidationError(f"must be one of {', '.join(self.names)}")
        return value


class Moment(fields.DateTime):
    """A time as RFC 3339 writes it, with its offset; loaded in UTC."""

    def __init__(self, *, text: str | None = None, example: Any = None, **options: Any) -> None:
        super().__init__(**options)
        _document(self, text, example)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> datetime:
        try:
            if not isinstance(value, str) or not _MOMENT.fullmatch(value):
                raise ValueError
            return datetime.fromisoformat(value.upper()).astimezone(UTC)
        except (ValueError, OverflowError):
            raise ValidationError("must be a time such as 2030-01-31T12:00:00Z") from None


class Items(fields.List[Any]):
    """An array of at most `high` items."""

    def __init__(
        self,
        inner: fields.Field[Any],
        *,
        low: int = 0,
        high: int,
        text: str | None = None,
        example: Any = None,
        **options: Any,
    ) -> None:
        super().__init__(inner, validate=validate.Length(low, high), **options)
        self.low, self.high = low, high
        _document(self, text, example)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> list[Any]:
        if not isinstance(value, list) or not self.low <= len(value) <= self.high:
            raise ValidationError(f"must be an array of {self.low} to {self.high} items")
        return super()._deserialize(value, attr, data, **kwargs) or []


class Body(Schema):
    """The base of request bodies: what is unknown is refused, and the document says so."""

    class Meta:
        unknown = RAISE


class QuerySchema(Schema):
    """The base of query parameters: what is unknown is refused, numbers and flags come as texts."""

    from_text = True


class EmptyQuery(QuerySchema):
    """No query parameters."""


class EmptyBody(Body):
    """No fields: an empty body, or `{}`."""


class OneOrMany(Body):
    """A body that is one object of this shape, or an array of at most `most` of them."""

    most = 200

    def load(self, data: Any, *, many: bool | None = None, **options: Any) -> Any:
        """One value or a list of them. Raises ValidationError, in an array by the numbers of its items."""
        if not isinstance(data, list):
            return super().load(data, many=many, **options)
        if not 1 <= len(data) <= self.most:
            raise ValidationError(f"must be one object, or an array of 1 to {self.most}")
        return super().load(data, many=True, **options)
