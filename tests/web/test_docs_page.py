"""The docs page in a real browser: nothing from outside, no error, and a request sent from it is answered."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.web.browser import opened


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Any]:
    """The docs page of a running service."""
    with opened(tmp_path, "/docs") as page:
        page.wait_for_selector("#operations-players-create_player")
        yield page


def test_the_page_loads_nothing_from_outside_and_works(page: Any) -> None:
    """Every request goes to the service itself, the console is silent, and «Try it out» registers a player."""
    operation = page.locator("#operations-players-create_player")
    operation.locator(".opblock-summary-control").click()
    operation.get_by_role("button", name="Execute").click()
    answer = operation.locator(".live-responses-table .response-col_status")
    answer.first.wait_for()
    assert "201" in operation.locator(".live-responses-table").inner_text()
    assert "api_key" in operation.locator(".live-responses-table").inner_text()
    assert page.complaints == []
    assert {url.startswith((page.home, "data:")) for url in page.asked} == {True}
