"""What the proofs of banks and of matches share: canonical bytes, a digest, and refusals that say where.

A proof is canonical JSON (sorted keys, no spaces, UTF-8, one newline at the end), so that any changed byte shows.
`digest` is the SHA-256 of all the rest.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from casino import chance
from casino.errors import CasinoError, RulesError
from casino.options import Schema, canonical, check, digest

DIGEST: Final = "digest"


class ProofError(CasinoError):
    """A proof that does not hold: `pointer` says where, the text what was found and what was expected."""

    code = "proof"


def dump(proof: Mapping[str, Any]) -> bytes:
    """The bytes of a proof, with its digest."""
    rest = {name: value for name, value in proof.items() if name != DIGEST}
    return canonical({**rest, DIGEST: digest(rest)}) + b"\n"


def members(data: bytes) -> dict[str, Any]:
    """The members of a proof, not yet held to anything. Raises ProofError."""
    return _read(data)[0]


def _read(data: bytes) -> tuple[dict[str, Any], bytes]:
    """The members, and the canonical form of them."""
    try:
        proof = json.loads(data)
        canon = canonical(proof)
    except (ValueError, RecursionError) as error:
        raise ProofError(f"this is not JSON in UTF-8: {error}") from None
    if not isinstance(proof, dict):
        raise ProofError("a proof is a JSON object")
    return proof, canon + b"\n"


def hold(data: bytes, wanted: Collection[str]) -> dict[str, Any]:
    """The members of a proof: exactly those wanted, of this version, in canonical form, with their digest."""
    proof, canon = _read(data)
    if set(proof) != set(wanted):
        raise ProofError(f"a proof has exactly the members {', '.join(sorted(wanted))}")
    if proof["version"] != chance.VERSION:
        raise ProofError(f"this verifies proofs of version {chance.VERSION} only", pointer="/version")
    rest = {name: value for name, value in proof.items() if name != DIGEST}
    same(proof[DIGEST], digest(rest), f"/{DIGEST}", "the digest of the proof")
    if data != canon:
        raise ProofError("not the canonical form: sorted keys, no spaces, one newline at the end")
    return proof


def shaped(value: Any, schema: Schema, pointer: str) -> None:
    """Hold a part of a proof to a schema. Raises ProofError with the place."""
    try:
        check(value, schema, pointer)
    except RulesError as refusal:
        raise ProofError(refusal.detail, pointer=refusal.pointer) from None


def same(found: Any, expected: Any, pointer: str, what: str) -> None:
    """Raises ProofError unless a part is what was worked out here."""
    if canonical(found) != canonical(expected):  # as JSON: `true` is not 1
        raise ProofError(f"{what} is {expected}, the proof says {str(found)[:80]}", pointer=pointer)


def hex_bytes(text: Any, pointer: str) -> bytes:
    """The bytes of a text in hex. Raises ProofError."""
    try:
        return bytes.fromhex(text)
    except (TypeError, ValueError):
        raise ProofError("must be bytes in hex", pointer=pointer) from None


def committed(proof: Mapping[str, Any], noted: str | None, when: str) -> tuple[bytes, list[bytes]]:
    """The server seed, held to its commitment and to the one `noted` beforehand, and the seeds of the seats.

    Their types must have been looked at before.
    """
    if noted is not None:
        same(proof["commitment"], noted, "/commitment", f"the commitment noted before {when}")
    seed = hex_bytes(proof["server_seed"], "/server_seed")
    same(proof["commitment"], chance.commitment(seed), "/commitment", "the commitment of the server seed")
    given: Sequence[Any] = proof["client_seeds"]
    return seed, [hex_bytes(text, f"/client_seeds/{seat}") for seat, text in enumerate(given)]
