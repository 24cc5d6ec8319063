"""Refusals of `casino.options.check` say what would be right, whatever ends a schema leaves open."""

from typing import Any

import pytest

from casino.catalogue import find
from casino.errors import RulesError
from casino.options import check


@pytest.mark.parametrize(
    ("value", "schema", "told"),
    [
        (-1, {"type": "integer", "minimum": 0}, "must be at least 0, not -1"),
        (3, {"type": "integer", "maximum": 2}, "must be at most 2, not 3"),
        (9, {"type": "integer", "minimum": 1, "maximum": 8}, "must be 1 to 8, not 9"),
        ([0], {"type": "array", "minItems": 2, "maxItems": 2}, "must have 2 items, not 1"),
        ([], {"type": "array", "minItems": 1}, "must have at least 1 items, not 0"),
        ([0, 0], {"type": "array", "maxItems": 1}, "must have 0 to 1 items, not 2"),
        (
            -1,
            {"oneOf": [{"type": "null"}, {"type": "integer", "minimum": 0}]},
            "must be null, not -1; or must be at least 0, not -1",
        ),
    ],
)
def test_what_may_be_is_told(value: Any, schema: dict[str, Any], told: str) -> None:
    with pytest.raises(RulesError) as refused:
        check(value, schema, "/here")
    assert (refused.value.detail, refused.value.pointer) == (told, "/here")


@pytest.mark.parametrize("value", [1.0, -1.0, True])
def test_a_number_of_a_list_is_written_as_it_is_there(value: object) -> None:
    """To Python 1.0 and 1 are the same, but rules with the one and the other would have two hashes."""
    with pytest.raises(RulesError, match="must be one of") as refusal:
        find("russian-104").game({"direction": value}, 3)
    assert refusal.value.pointer == "/options/direction"


@pytest.mark.parametrize("value", [1, 1.0, "true", False])
def test_what_must_be_true_is_no_number(value: object) -> None:
    with pytest.raises(RulesError, match="must be true"):
        check(value, {"const": True}, "/any")
