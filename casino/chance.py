"""Chance, keyed and unbiased: one fast path, the same for play, for replays and for a verifier.

A shuffle is a function of (key, n) alone: an HMAC-SHA256 stream in counter mode gives 32-bit words, a word
that would bias is rejected, Fisher-Yates uses the rest. No generator lives in a state. 256 bits of key
cannot reach every order of two packs (104! is about 2**551); what they reach is picked without bias.
docs/fairness.md writes the same down for anyone who wants to check it, with test vectors.
"""

import hashlib
import hmac
from collections.abc import Iterable, Sequence
from operator import mod
from struct import Struct

VERSION = "macao-1"
SEED_BYTES = 32
_COMMIT_DOMAIN = b"macao commitment 1\x00"
_STREAM_DOMAIN = b"macao shuffle 1\x00"
_DERIVE_DOMAIN = b"macao derive 1\x00"
_INNER_PAD = bytes(byte ^ 0x36 for byte in range(256))
_OUTER_PAD = bytes(byte ^ 0x5C for byte in range(256))
_WORDS = Struct(">8I")
_COUNTERS = Struct(">QQ")
_SPAN = 1 << 32


def commitment(server_seed: bytes) -> str:
    """What is published before the bank: hex of SHA-256(domain ‖ server seed)."""
    return hashlib.sha256(_COMMIT_DOMAIN + server_seed).hexdigest()


def bank_seed(server_seed: bytes, table: str, bank: str, client_seeds: Sequence[bytes]) -> bytes:
    """Key of all shuffles of one bank (or deal): HMAC-SHA256(server seed, version ‖ table ‖ bank ‖ client seeds).

    Each part is preceded by its length as four big-endian bytes; a seat that gave no seed counts as empty.
    """
    parts = [VERSION.encode(), table.encode(), bank.encode(), *client_seeds]
    message = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    return hmac.digest(server_seed, message, "sha256")


def derive(seed: bytes, label: str, number: int) -> bytes:
    """A 32-byte seed from another, for games played without a server (records, tests, positions)."""
    return hmac.digest(seed, _DERIVE_DOMAIN + label.encode() + b"\x00" + number.to_bytes(8, "big"), "sha256")


def words(key: bytes, number: int, first: int, count: int) -> list[int]:
    """32-bit words of blocks `first` … `first + count - 1` (eight each) of stream(key, number).

    HMAC-SHA256 (RFC 2104) written out: the key is hashed in once for all blocks, which halves the cost of a shuffle.
    """
    padded = (key if len(key) <= 64 else hashlib.sha256(key).digest()).ljust(64, b"\x00")
    keyed_inner = hashlib.sha256(padded.translate(_INNER_PAD) + _STREAM_DOMAIN).copy
    keyed_outer = hashlib.sha256(padded.translate(_OUTER_PAD)).copy
    unpack, pack = _WORDS.unpack, _COUNTERS.pack
    found: list[int] = []
    for block in range(first, first + count):
        inner, outer = keyed_inner(), keyed_outer()
        inner.update(pack(number, block))
        outer.update(inner.digest())
        found += unpack(outer.digest())
    return found


def shuffled(cards: Iterable[int], key: bytes, number: int) -> list[int]:
    """The `number`-th shuffle under `key`: every order equally likely over keys.

    Fisher-Yates from the last place down: place i changes with place w mod (i + 1), where w is the next word
    below the largest multiple of i + 1 that 32 bits hold (others are rejected).
    """
    order = list(cards)
    size = len(order)
    stream = words(key, number, 0, size // 8 + 1)
    if max(stream) >= _SPAN - size:
        stream = _unbiased(stream, key, number, size)
    place = size
    for other in map(mod, stream, range(size, 1, -1)):
        place -= 1
        card = order[other]
        order[other] = order[place]
        order[place] = card
    return order


def _unbiased(stream: list[int], key: bytes, number: int, size: int) -> list[int]:
    """The words that a shuffle of so many cards uses: those that would bias their place are left out."""
    found: list[int] = []
    block = size // 8 + 1
    at = 0
    for ways in range(size, 1, -1):
        limit = _SPAN - _SPAN % ways
        while True:
            if at == len(stream):
                stream = stream + words(key, number, block, 1)
                block += 1
            word = stream[at]
            at += 1
            if word < limit:
                break
        found.append(word)
    return found


def draw(ways: int, key: bytes, number: int) -> int:
    """An unbiased number below `ways` (1 … 2**32) from stream(key, number): a lot, such as the first dealer."""
    limit = _SPAN - _SPAN % ways
    block = 0
    while True:
        # As `words`: for a single block the plain HMAC is the quicker.
        message = _STREAM_DOMAIN + _COUNTERS.pack(number, block)
        for word in _WORDS.unpack(hmac.digest(key, message, "sha256")):
            if word < limit:
                return int(word) % ways
        block += 1
