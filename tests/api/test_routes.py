"""The routes of the service as written down in `routes.txt`: who changes one does it knowingly.

A route that goes, moves, or asks for more than it did breaks clients: docs/api.md («Changes») says what has to be done
first. Where a change is meant, write the file anew and say it in CHANGELOG.md:

    python tests/api/routes.py > tests/api/routes.txt
"""

from difflib import unified_diff
from pathlib import Path

from flask import Flask

from tests.api.routes import lines_of

FILE = Path(__file__).with_name("routes.txt")


def test_the_routes_are_those_written_down(app: Flask) -> None:
    written, found = FILE.read_text().splitlines(), lines_of(app)
    changes = "\n".join(unified_diff(written, found, "routes.txt", "the service", lineterm="", n=0))
    assert written == found, f"{changes}\n{__doc__}"


def test_a_change_of_any_kind_shows(app: Flask) -> None:
    """Gone, new, moved, another method, another scope, another cost: no two lines are alike in all of it."""
    lines = lines_of(app)
    assert len({line.split()[0] + line.split()[1] for line in lines}) == len(lines)
    assert all(len(line.split()) == 5 for line in lines)
