"""JSON from outside (RFC 8259), held to what can be stored: `api.strict_json`."""

import pytest

from api.refusals import DuplicateName, Malformed, TooDeep, Unprocessable
from api.services.errors import ServiceError
from api.strict_json import MAX_DEPTH, loads


def refusal_of(body: bytes) -> ServiceError:
    with pytest.raises(ServiceError) as caught:
        loads(body)
    return caught.value


def test_values_come_through() -> None:
    body = (
        '{"name": "Тётя 🂡", "n": [0, -1, 9223372036854775807, -9223372036854775808], "x": 1.5e3, "y": null}'
    )
    assert loads(body.encode()) == {
        "name": "Тётя 🂡",
        "n": [0, -1, 2**63 - 1, -(2**63)],
        "x": 1500.0,
        "y": None,
    }


@pytest.mark.parametrize(
    "body", [b"", b"{", b"x", b"{'a': 1}", b"[1,]", b"[1] [2]", b"01", b"\xef\xbb\xbf{}"]
)
def test_what_is_no_json_is_malformed(body: bytes) -> None:
    assert type(refusal_of(body)) is Malformed


@pytest.mark.parametrize("body", [b"NaN", b"[Infinity]", b'{"a": -Infinity}'])
def test_constants_that_json_lacks_are_malformed(body: bytes) -> None:
    assert type(refusal_of(body)) is Malformed


def test_a_byte_order_mark_is_called_by_its_name() -> None:
    """RFC 8259, 8.1: none may be sent; and nobody sees it in his file."""
    assert (
        refusal_of(b"\xef\xbb\xbf{}").detail
        == "the body begins with a byte order mark: send JSON without one"
    )


def test_bytes_that_are_not_utf8_are_malformed() -> None:
    assert "byte 2" in refusal_of(b'["\xff"]').detail


@pytest.mark.parametrize(
    ("body", "pointer"),
    [(b'{"a": 1, "a": 1}', "/a"), (b'[{"x": {"b/c": 1, "b/c": 2}}]', "/0/x/b~1c"), (b'{"": 1, "": 2}', "/")],
)
def test_a_name_twice_is_refused_with_its_pointer(body: bytes, pointer: str) -> None:
    refusal = refusal_of(body)
    assert isinstance(refusal, DuplicateName)
    assert refusal.flaws[0]["pointer"] == pointer


def test_depth_is_bounded() -> None:
    assert loads(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH) is not None
    for depth in (MAX_DEPTH + 1, 100_000):
        assert isinstance(refusal_of(b"[" * depth + b"]" * depth), TooDeep)
    nested = b'{"a":' * (MAX_DEPTH + 1) + b"1" + b"}" * (MAX_DEPTH + 1)
    assert isinstance(refusal_of(nested), TooDeep)


@pytest.mark.parametrize(
    "number", [b"9223372036854775808", b"-9223372036854775809", b"1" + b"0" * 400, b"9" * 5000]
)
def test_integers_beyond_64_bits_are_unprocessable(number: bytes) -> None:
    refusal = refusal_of(b'{"a": [' + number + b"]}")
    assert isinstance(refusal, Unprocessable)
    assert refusal.flaws[0]["pointer"] == "/a/0"


def test_numbers_beyond_a_double_are_unprocessable() -> None:
    assert refusal_of(b'{"a": 1e999}').flaws[0]["pointer"] == "/a"


@pytest.mark.parametrize("text", [rb'"\u0000"', rb'"\ud800"', rb'"a\udfffb"', rb'{"\u0000": 1}'])
def test_texts_that_cannot_be_stored_are_unprocessable(text: bytes) -> None:
    assert isinstance(refusal_of(text), Unprocessable)


def test_a_pair_of_surrogates_is_one_letter() -> None:
    assert loads(rb'"\ud83c\udca1"') == "🂡"
