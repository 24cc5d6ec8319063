"""Shapes that answers of the odds share, wherever they are given."""

from marshmallow import Schema, fields


class Figure(Schema):
    """A number: exact as `num`/`den` with its nearest float, or a float alone."""

    num = fields.String(metadata={"description": "Numerator, in decimal digits."})
    den = fields.String(metadata={"description": "Denominator."})
    float = fields.Float(required=True)


class Estimate(Schema):
    """A simulated number with its standard error and 95 % confidence interval."""

    value = fields.Float(required=True)
    standard_error = fields.Float(required=True)
    confidence_interval = fields.List(fields.Float(), required=True)


def figure(text: str, *, required: bool = True) -> fields.Nested:
    """A number of an answer."""
    return fields.Nested(Figure, required=required, metadata={"description": text})


def figures(text: str, *, required: bool = True) -> fields.Dict:
    """Numbers by name: by action, by net result, by points."""
    return fields.Dict(
        keys=fields.String(), values=fields.Nested(Figure), required=required, metadata={"description": text}
    )


def policy(text: str, *, required: bool = True) -> fields.Raw:
    """A policy: a name or an object."""
    return fields.Raw(required=required, metadata={"description": text, "example": "textbook"})
