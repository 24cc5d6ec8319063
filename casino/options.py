"""Rules as data: one frozen dataclass per family whose fields carry their JSON Schema, meaning and source.

The schema that is published is the schema that is enforced, and nothing about an option is written twice.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, field, fields
from fractions import Fraction
from typing import Any, TypeVar, cast

from casino.errors import RulesError

R = TypeVar("R")
Schema = dict[str, Any]
_TYPES: dict[str, tuple[type, ...]] = {
    "boolean": (bool,),
    "integer": (int,),
    "string": (str,),
    "array": (list, tuple),
    "object": (dict,),
    "null": (type(None),),
}


def option(schema: Schema, text: str, source: str, default: Any = MISSING) -> Any:
    """A dataclass field that is a rule option: its JSON Schema, its meaning, and where the rule stands."""
    metadata = {"schema": schema, "text": text, "source": source}
    return field(default=default, metadata=metadata) if default is not MISSING else field(metadata=metadata)


def check(value: Any, schema: Schema, pointer: str) -> None:
    """Hold a JSON value to a schema (the subset used here). Raises RulesError with a JSON Pointer."""
    if "oneOf" in schema:
        _check_alternatives(value, schema["oneOf"], pointer)
        return
    if "const" in schema and not _is_one_of(value, [schema["const"]]):
        raise RulesError(f"must be {json.dumps(schema['const'])}, not {_short(value)}", pointer=pointer)
    if "enum" in schema and not _is_one_of(value, schema["enum"]):
        raise RulesError(f"must be one of {json.dumps(schema['enum'])}, not {_short(value)}", pointer=pointer)
    kind = schema.get("type")
    if kind is not None:
        _check_type(value, schema, pointer)
    _check_bounds(value, schema, pointer)
    if isinstance(value, list | tuple) and "items" in schema:
        for index, item in enumerate(value):
            check(item, schema["items"], f"{pointer}/{index}")
    if isinstance(value, dict):
        _check_object(value, schema, pointer)


def _is_one_of(value: Any, wanted: Sequence[Any]) -> bool:
    """Is it one of these, written in the same way? To Python 1, 1.0 and True are equal, to a hash of rules not."""
    return any(type(value) is type(each) and value == each for each in wanted)


def _short(value: Any) -> str:
    text = json.dumps(value, default=str, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."


def _check_type(value: Any, schema: Schema, pointer: str) -> None:
    kind = schema["type"]
    wrong = not isinstance(value, _TYPES[kind]) or (kind == "integer" and isinstance(value, bool))
    if wrong:
        members = ", ".join(f'"{name}"' for name in schema.get("properties", ()))
        wanted = f"{kind} with {members}" if members else kind
        said = "null" if kind == "null" else f"of type {wanted}"
        raise RulesError(f"must be {said}, not {_short(value)}", pointer=pointer)


def _check_bounds(value: Any, schema: Schema, pointer: str) -> None:
    if isinstance(value, int) and not isinstance(value, bool):
        low, high = schema.get("minimum"), schema.get("maximum")
        if (low is not None and value < low) or (high is not None and value > high):
            raise RulesError(f"must be {_span(low, high)}, not {_short(value)}", pointer=pointer)
    if isinstance(value, list | tuple):
        low, high = schema.get("minItems", 0), schema.get("maxItems")
        if len(value) < low or (high is not None and len(value) > high):
            raise RulesError(f"must have {_span(low, high)} items, not {len(value)}", pointer=pointer)
        if schema.get("uniqueItems") and len(set(map(_short, value))) < len(value):
            raise RulesError("must not repeat an item", pointer=pointer)
    if isinstance(value, str) and "length" in schema and len(value) != schema["length"]:
        raise RulesError(f"must have {schema['length']} letters, not {len(value)}", pointer=pointer)
    if isinstance(value, str) and "letters" in schema and set(value) - set(schema["letters"]):
        raise RulesError(f"may only hold the letters {schema['letters']}", pointer=pointer)


def _span(low: int | None, high: int | None) -> str:
    """What may be, in words: either end may be open."""
    if low == high:
        return str(low)
    if high is None:
        return f"at least {low}"
    return f"at most {high}" if low is None else f"{low} to {high}"


def _check_object(value: dict[str, Any], schema: Schema, pointer: str) -> None:
    known: Schema = schema.get("properties", {})
    for key, item in value.items():
        where = f"{pointer}/{key}"
        if key in known:
            check(item, known[key], where)
        elif isinstance(schema.get("additionalProperties"), dict):
            check(item, schema["additionalProperties"], where)
        elif known:
            raise RulesError(f"unknown; there are {', '.join(known)}", pointer=where)
    for key in schema.get("required", ()):
        if key not in value:
            raise RulesError(f"«{key}» is missing: {_wanted(known.get(key, {}))}", pointer=f"{pointer}/{key}")


def _wanted(schema: Schema) -> str:
    """What to give, in words: the type or the values that may be, the span of a number, and what it means."""
    if "oneOf" in schema:
        said = "; or ".join(map(_wanted, schema["oneOf"]))
    elif "enum" in schema or "const" in schema:
        said = f"give one of {json.dumps(schema.get('enum', [schema.get('const')]))}"
    else:
        kind = schema.get("type")
        said = f"give {'an' if kind[0] in 'aio' else 'a'} {kind}" if kind else "give it"
        if "minimum" in schema or "maximum" in schema:
            said += f", {_span(schema.get('minimum'), schema.get('maximum'))}"
    text = schema.get("description", "").removesuffix(".")
    return f"{said} ({text[:1].lower()}{text[1:]})" if text else said


def _check_alternatives(value: Any, alternatives: list[Schema], pointer: str) -> None:
    refusals = []
    for alternative in alternatives:
        try:
            check(value, alternative, pointer)
            return
        except RulesError as refusal:
            refusals.append(refusal)
    # The most telling refusal is the one that got furthest into the value.
    best = max(refusals, key=lambda refusal: len(refusal.pointer))
    if best.pointer == pointer:
        raise RulesError("; or ".join(refusal.detail for refusal in refusals), pointer=pointer)
    raise best


def schema_of(rules: type, defaults: Mapping[str, Any]) -> Schema:
    """JSON Schema of a rules record, with the defaults of one preset and the source of each rule."""
    properties = {}
    for item in fields(cast(Any, rules)):
        meta = item.metadata
        properties[item.name] = {
            **_standard(meta["schema"]),
            "description": meta["text"],
            "x-source": meta["source"],
            "default": defaults[item.name],
        }
    return {"type": "object", "additionalProperties": False, "properties": properties}


def _standard(schema: Any) -> Any:
    """The same schema in standard words only (`length` and `letters` are ours)."""
    if isinstance(schema, list):
        return [_standard(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    plain = {key: _standard(item) for key, item in schema.items() if key not in ("length", "letters")}
    if "letters" in schema:
        size = schema.get("length")
        plain["pattern"] = f"^[{schema['letters']}]{'{' + str(size) + '}' if size else '*'}$"
    return plain


def check_changes(rules: type, changes: Mapping[str, Any], pointer: str) -> None:
    """Hold changed options to their schemas: unknown names and wrong shapes are refused."""
    known = {item.name: item.metadata["schema"] for item in fields(cast(Any, rules))}
    for key, value in changes.items():
        if key not in known:
            raise RulesError(f"unknown option; there are {', '.join(known)}", pointer=f"{pointer}/{key}")
        check(value, known[key], f"{pointer}/{key}")


def canonical(data: Any) -> bytes:
    """Canonical JSON: sorted keys, no spaces, UTF-8. What hashes are taken of."""
    return json.dumps(
        data, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=_fraction
    ).encode()


def _fraction(value: Any) -> str:
    if isinstance(value, Fraction):
        return str(value)
    raise TypeError(f"not a JSON value: {value!r}")


def digest(data: Any) -> str:
    """Hex SHA-256 of the canonical JSON."""
    return hashlib.sha256(canonical(data)).hexdigest()
