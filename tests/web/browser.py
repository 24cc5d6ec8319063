"""A page of a running service in Chromium, with what it asked for and complained of."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.api.served import Served

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


@contextmanager
def opened(tmp_path: Path, path: str) -> Iterator["sync_api.Page"]:
    """The page at this path.

    `asked` are the addresses it asked for, `complaints` lines of the console and errors, `home` the service's address.
    """
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed (Debian: apt-get install chromium)")
    served = Served(tmp_path, MACAO_DATABASE_URL=f"sqlite:///{tmp_path}/macao.db", MACAO_LOG_LEVEL="error")
    try:
        with sync_api.sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(QUIET))
            page = browser.new_page()
            page.asked, page.complaints, page.home = [], [], served.url
            page.on("request", lambda request: page.asked.append(request.url))
            page.on("console", lambda message: page.complaints.append(message.text))
            page.on("pageerror", lambda error: page.complaints.append(str(error)))
            page.goto(served.url + path)
            yield page
            browser.close()
    finally:
        served.stop()
