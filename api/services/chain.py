"""The chain over all transfers: what is hashed, so that anyone can compute it again (docs/ledger.md).

hash = SHA-256(domain ‖ previous hash ‖ content), where the content is the UTF-8 text of the columns in the order of
COLUMNS, parted by line feeds, an absent one empty. No column can hold a line feed, so it has one reading only.
"""

import hashlib
from collections.abc import Iterable
from typing import Final

DOMAIN: Final = b"macao transfer 1\x00"
GENESIS: Final = bytes(32)  # the «previous hash» of transfer 1
COLUMNS: Final = (
    "seq",
    "id",
    "at",  # microseconds since 1970 UTC
    "source",
    "target",
    "amount",
    "kind",
    "table_id",
    "bank_id",
    "coup_id",
    "parent_id",
    "source_after",
    "target_after",
)


def link(previous: bytes, values: Iterable[int | str | None], domain: bytes = DOMAIN) -> bytes:
    """The hash of a transfer whose columns have these values, in the order of COLUMNS.

    `domain` names another chain that is built the same way (api/services/audit_log.py).
    """
    content = "\n".join(["" if value is None else str(value) for value in values])
    return hashlib.sha256(domain + previous + content.encode()).digest()
