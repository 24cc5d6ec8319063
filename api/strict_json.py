"""JSON as it comes from outside, held to what every part behind it can take.

Refused: what is no JSON (NaN, Infinity, a byte order mark, bytes that are not UTF-8), a name twice in one object,
nesting beyond `MAX_DEPTH`, integers beyond 64 bits, numbers beyond a float, halves of surrogate pairs and the NUL
character (neither can be stored). Every refusal has a JSON Pointer where there is one.
"""

import json
import math
import re
from codecs import BOM_UTF8
from typing import Any, Final

from api.refusals import DuplicateName, Malformed, TooDeep, Unprocessable, flaw

MAX_DEPTH: Final = 32
INT64_MIN: Final = -(2**63)
INT64_MAX: Final = 2**63 - 1
_LONGEST_INTEGER: Final = 20  # digits of 64 bits, with a sign
_UNSTORABLE: Final = re.compile("[\ud800-\udfff\x00]")


class _Twice(dict[str, Any]):
    """An object that gave a name twice; `_walk` meets it and knows where it is."""

    name = ""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    built = dict(pairs)
    if len(built) == len(pairs):
        return built
    seen: set[str] = set()
    twice = _Twice(built)
    for name, _ in pairs:
        if name in seen:
            twice.name = name
            break
        seen.add(name)
    return twice


def _integer(text: str) -> int:
    # A number of a million digits must not be worked out; whatever is this long is beyond 64 bits.
    return int(text) if len(text) <= _LONGEST_INTEGER else INT64_MAX + 1


def _constant(name: str) -> None:
    raise Malformed(f"{name} is not a JSON value; write a number or null")


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_object, parse_int=_integer, parse_constant=_constant)


def loads(body: bytes) -> Any:
    """The value of a body. Raises Malformed (400) or Unprocessable (422)."""
    if body.startswith(BOM_UTF8):
        raise Malformed("the body begins with a byte order mark: send JSON without one")
    try:
        value = _DECODER.decode(body.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise Malformed(f"the body must be UTF-8; byte {error.start} is not") from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise Malformed(f"the body is not JSON: {error.msg} at {where}") from None
    except RecursionError:
        raise _too_deep("") from None
    _walk(value, "", 0)
    return value


def token(name: str) -> str:
    """One reference token of a JSON Pointer, cut to a length that may stand in an answer."""
    return name[:64].replace("~", "~0").replace("/", "~1").encode(errors="replace").decode()


def _walk(value: Any, pointer: str, depth: int) -> None:
    if isinstance(value, str):
        if not value.isprintable() and _UNSTORABLE.search(value):
            raise _wrong("must not hold the NUL character or half of a surrogate pair", pointer)
    elif isinstance(value, dict):
        _walk_object(value, pointer, depth)
    elif isinstance(value, list):
        _check_depth(pointer, depth)
        for index, item in enumerate(value):
            _walk(item, f"{pointer}/{index}", depth + 1)
    elif isinstance(value, int):
        if not INT64_MIN <= value <= INT64_MAX:
            raise _wrong("must be an integer of 64 bits, this one is beyond", pointer)
    elif isinstance(value, float) and math.isinf(value):
        raise _wrong("must be a number that a double can hold", pointer)


def _walk_object(value: dict[str, Any], pointer: str, depth: int) -> None:
    _check_depth(pointer, depth)
    if isinstance(value, _Twice):
        raise DuplicateName(
            f"«{token(value.name)}» stands twice in one object",
            flaws=[flaw("stands twice", pointer=f"{pointer}/{token(value.name)}")],
        )
    for name, item in value.items():
        _walk(name, f"{pointer}/{token(name)}", depth)
        _walk(item, f"{pointer}/{token(name)}", depth + 1)


def _check_depth(pointer: str, depth: int) -> None:
    if depth >= MAX_DEPTH:
        raise _too_deep(pointer)


def _too_deep(pointer: str) -> TooDeep:
    flaws = [flaw("nests too deep", pointer=pointer)] if pointer else []
    return TooDeep(f"the body may nest at most {MAX_DEPTH} deep", flaws=flaws)


def _wrong(detail: str, pointer: str) -> Unprocessable:
    return Unprocessable(f"{pointer or 'the body'} {detail}", flaws=[flaw(detail, pointer=pointer)])
