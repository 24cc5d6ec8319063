"""The page that verifies proofs, in a real browser: what it says of the documented proofs, and what it asks for."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from casino.proof import dump
from tests.second_verifier import PROOFS
from tests.web.browser import opened


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Any]:
    """The page at /docs/verify of a running service."""
    with opened(tmp_path, "/docs/verify") as page:
        page.wait_for_selector("#verify")
        yield page


def said(page: Any, proof: str, commitment: str = "") -> tuple[str, str]:
    """Paste a proof and have it verified: does it hold, and in what words."""
    page.fill("#proof", proof)
    page.fill("#commitment", commitment)
    page.click("#verify")
    outcome = page.locator("#outcome")
    return outcome.get_attribute("data-holds"), outcome.inner_text()


def test_the_page_accepts_the_documented_proofs_and_refuses_forged_ones(page: Any) -> None:
    """With and without the commitment, pasted with a blank more, chosen as a file; forged with a digest that fits."""
    for path in sorted(PROOFS.glob("*.json")):
        text = path.read_text()
        proof = json.loads(text)
        assert said(page, text) == (
            "true",
            said(page, text + "\n ", proof["commitment"])[1],
        ), path.name
        assert said(page, text, "0" * 64)[0] == "false"
        seed = proof["server_seed"]
        forged = dump({**proof, "server_seed": seed[:-1] + ("0" if seed[-1] != "0" else "1")}).decode()
        holds, words = said(page, forged)
        assert (holds, "/commitment" in words) == ("false", True)
        assert said(page, text.replace('"version"', '"Version"'))[0] == "false"
    assert said(page, "")[1].startswith("The proof does not hold: this is not JSON")
    page.set_input_files("#file", str(PROOFS / "lot.json"))
    page.wait_for_function("document.getElementById('proof').value.length > 100")
    page.fill("#commitment", "")
    page.click("#verify")
    assert "the lot for the first banker" in page.locator("#outcome").inner_text()
    assert page.complaints == []
    assert {url.startswith((page.home, "data:", "blob:")) for url in page.asked} == {True}
    assert not [url for url in page.asked if re.search("/v1/", url)]
