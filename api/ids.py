"""Typed ids: a prefix that says what it names, then 26 base32 characters that sort by time of creation."""

import secrets
from datetime import datetime
from typing import Final

ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's: no i, l, o, u
LENGTH: Final = 26
_RANDOM_BITS: Final = 80
_PAIRS: Final = [high + low for high in ALPHABET for low in ALPHABET]
_SHIFTS: Final = range(120, -1, -10)


def new_id(prefix: str, now: datetime) -> str:
    """`prefix`, an underscore, and 26 characters: 48 bits of milliseconds and 80 random bits, as in a ULID.

    Ids of one millisecond are in no particular order: where order matters a table has a number for it.
    """
    value = int(now.timestamp() * 1000) << _RANDOM_BITS | secrets.randbits(_RANDOM_BITS)
    return prefix + "_" + "".join([_PAIRS[value >> shift & 1023] for shift in _SHIFTS])


def is_id(text: str, prefix: str) -> bool:
    """Is this the shape of an id with that prefix? (Says nothing about whether it exists.)"""
    head, _, tail = text.partition("_")
    return head == prefix and len(tail) == LENGTH and all(letter in ALPHABET for letter in tail)
