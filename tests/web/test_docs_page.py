"""The docs page in a real browser: nothing from outside, no error, and a request sent from it is answered."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.api.test_serve import Served

sync_api = pytest.importorskip(
    "playwright.sync_api", reason="playwright is not installed: no browser to test in"
)
CHROMIUM = shutil.which("chromium")
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-sync",
    "--disable-component-update",
)


@pytest.fixture
def page(tmp_path: Path) -> Iterator["sync_api.Page"]:
    """The docs page of a running service, and what it asked for and complained of."""
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed (Debian: apt-get install chromium)")
    served = Served(tmp_path, MACAO_DATABASE_URL=f"sqlite:///{tmp_path}/macao.db", MACAO_LOG_LEVEL="error")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(QUIET))
        page = browser.new_page()
        page.asked, page.complaints, page.home = [], [], served.url
        page.on("request", lambda request: page.asked.append(request.url))
        page.on("console", lambda message: page.complaints.append(message.text))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.goto(f"{served.url}/docs")
        page.wait_for_selector("#operations-players-create_player")
        yield page
        browser.close()
    served.stop()


def test_the_page_loads_nothing_from_outside_and_works(page: "sync_api.Page") -> None:
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
