"""The test vectors of docs/fairness.md, worked out here from the page's own words, and held to the code."""

import hashlib
import hmac
import re
from pathlib import Path

import pytest

from casino import chance
from casino.cards import names, pack
from tests.second_verifier import in_node

PAGE = Path(__file__).parents[1] / "docs" / "fairness.md"
SEED = bytes(range(32))
CLIENT_SEEDS = [bytes.fromhex("00ff"), b"", b"macao"]


def vectors() -> dict[str, str]:
    """The rows of the page's table: what, and its value."""
    rows = re.findall(r"^\| ([^|`]+) \| [^|]+ \| `([^`]+)` \|$", PAGE.read_text(), re.MULTILINE)
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


def by_the_second_verifier() -> dict[str, str]:
    """The same values from `api/web/verify.js`."""
    given = [SEED.hex(), [seed.hex() for seed in CLIENT_SEEDS]]
    found = in_node(_IN_JAVASCRIPT, given)
    assert isinstance(found, dict)
    return found


_IN_JAVASCRIPT = """
const shared = require(process.argv[1]);
const [seed, clients] = JSON.parse(require("fs").readFileSync(0, "utf8"));
const bytes = (text) => Uint8Array.from(Buffer.from(text, "hex"));
const key = shared.keyOf(bytes(seed), "tbl_0", "bnk_0", clients.map(bytes));
const words = shared.stream(key, 0);
const word = (value) => value.toString(16).padStart(8, "0");
const shuffle = (n) => shared.shuffle(shared.pack(1, 0), key, n).slice(0, 10).join(" ");
console.log(JSON.stringify({
  "commitment": shared.commitment(bytes(seed)),
  "key of the bank": shared.hex(key),
  "first words of shuffle 0": Array.from({ length: 8 }, () => word(words.next().value)).join(" "),
  "first ten cards of shuffle 0, one pack": shuffle(0),
  "first ten cards of shuffle 1, one pack": shuffle(1),
}));
"""


@pytest.mark.parametrize("worked_out", [by_the_page, by_the_code, by_the_second_verifier])
def test_the_vectors_of_the_page(worked_out) -> None:
    """The page, its words and the code agree."""
    assert worked_out() == vectors()


_HASHES = """
const { sha256, hmac, hex, utf8 } = require(process.argv[1]);
const texts = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(texts.map(([key, text]) => [hex(sha256(utf8(text))), hex(hmac(utf8(key), utf8(text)))])));
"""


def test_the_hashes_of_the_second_verifier_are_those_of_the_standards() -> None:
    """FIPS 180-4 («abc» and the empty text), RFC 4231 (case 2), and lengths around the edges of a block, by hashlib."""
    known = [["", ""], ["Jefe", "what do ya want for nothing?"], ["", "abc"]]
    edges = [["k" * size, "x" * size] for size in (55, 56, 63, 64, 65, 119, 120, 1000)]
    found = in_node(_HASHES, known + edges)
    assert isinstance(found, list)
    assert found[0][0] == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert found[1][1] == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    assert found[2][0] == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    for (key, text), (digest, mac) in zip(edges, found[3:], strict=True):
        assert digest == hashlib.sha256(text.encode()).hexdigest()
        assert mac == hmac.new(key.encode(), text.encode(), hashlib.sha256).hexdigest()
