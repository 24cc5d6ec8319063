"""The test vectors of docs/fairness.md, worked out here from the page's own words, and held to the code."""

import hashlib
import hmac
import re
from pathlib import Path

import pytest

from casino import chance
from casino.cards import names, pack

PAGE = Path(__file__).parents[1] / "docs" / "fairness.md"
SEED = bytes(range(32))
CLIENT_SEEDS = [bytes.fromhex("00ff"), b"", b"macao"]


def vectors() -> dict[str, str]:
    """The rows of the page's table: what, and its value."""
    rows = re.findall(r"^\| ([^|]+) \| [^|]+ \| `([^`]+)` \|$", PAGE.read_text(), re.MULTILINE)
    return {what.strip(): value for what, value in rows}


def by_the_page() -> dict[str, str]:
    """The same values from steps 1 to 5, written without the code under test."""
    message = b""
    for part in (b"macao-1", b"tbl_0", b"bnk_0", *CLIENT_SEEDS):
        message += len(part).to_bytes(4, "big") + part
    key = hmac.new(SEED, message, hashlib.sha256).digest()
    shuffles = []
    for number in (0, 1):
        stream = []
        for block in range(20):
            counter = number.to_bytes(8, "big") + block.to_bytes(8, "big")
            digest = hmac.new(key, b"macao shuffle 1\0" + counter, hashlib.sha256).digest()
            stream += [digest[at : at + 4] for at in range(0, 32, 4)]
        cards = [rank + suit for rank in "23456789TJQKA" for suit in "SHDC"]
        words = iter(stream)
        for place in range(51, 0, -1):
            word = int.from_bytes(next(words), "big")
            while word >= 2**32 - 2**32 % (place + 1):
                word = int.from_bytes(next(words), "big")
            other = word % (place + 1)
            cards[place], cards[other] = cards[other], cards[place]
        shuffles.append((stream, cards))
    return {
        "commitment": hashlib.sha256(b"macao commitment 1\0" + SEED).hexdigest(),
        "key of the bank": key.hex(),
        "first words of shuffle 0": " ".join(word.hex() for word in shuffles[0][0][:8]),
        "first ten cards of shuffle 0, one pack": " ".join(shuffles[0][1][:10]),
        "first ten cards of shuffle 1, one pack": " ".join(shuffles[1][1][:10]),
    }


def by_the_code() -> dict[str, str]:
    """The same values from `casino.chance`."""
    key = chance.bank_seed(SEED, "tbl_0", "bnk_0", CLIENT_SEEDS)
    return {
        "commitment": chance.commitment(SEED),
        "key of the bank": key.hex(),
        "first words of shuffle 0": " ".join(f"{word:08x}" for word in chance.words(key, 0, 0, 1)),
        "first ten cards of shuffle 0, one pack": names(chance.shuffled(pack(1), key, 0)[:10]),
        "first ten cards of shuffle 1, one pack": names(chance.shuffled(pack(1), key, 1)[:10]),
    }


@pytest.mark.parametrize("worked_out", [by_the_page, by_the_code])
def test_the_vectors_of_the_page(worked_out) -> None:
    """The page, its words and the code agree."""
    assert worked_out() == vectors()
