"""`macao games` on a narrow terminal: what one types or reads from it is there in full."""

import json

import pytest
from click.testing import CliRunner

from api.cli import main
from casino.catalogue import find, listings


def columns(text: str) -> list[list[str]]:
    """The cells of a printed table, row by row; an option's row goes on where its first cell is empty."""
    rows: list[list[str]] = []
    for line in text.splitlines():
        if not line.startswith("│"):
            continue
        cells = [cell.strip() for cell in line.strip("│").split("│")]
        if cells[0]:
            rows.append(cells)
        else:
            rows[-1] = [before + after for before, after in zip(rows[-1], cells, strict=True)]
    return rows


@pytest.mark.parametrize("name", [listing.name for listing in listings()])
def test_names_and_defaults_of_options_are_told_in_full(name: str) -> None:
    shown = CliRunner().invoke(main, ["games", name], prog_name="macao", env={"COLUMNS": "80"}).output
    told = {row[0]: row[1].replace(" ", "") for row in columns(shown)}
    options = find(name).schema["properties"]
    assert told == {
        option: json.dumps(schema["default"]).replace(" ", "") for option, schema in options.items()
    }
