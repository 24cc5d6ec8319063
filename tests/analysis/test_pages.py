"""The figures of the pages on equilibrium and simulation are what the commands shown there print."""

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from api.cli import main

_DOCS = Path(__file__).parents[2] / "docs"
_FENCE = re.compile(r"```console\n(.*?)```", re.DOTALL)


def shown(page: str) -> list[tuple[str, str]]:
    """Every command of a page with the output shown; «…» stands for the rest of it."""
    found = []
    for block in _FENCE.findall((_DOCS / page).read_text()):
        for part in block.split("$ ")[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("page", ["equilibrium.md", "simulation.md"])
def test_commands_print_what_the_page_shows(page: str) -> None:
    commands = shown(page)
    assert commands
    for command, output in commands:
        program, *words = shlex.split(command)
        assert program == "macao"
        done = CliRunner().invoke(main, words)
        assert done.exit_code == 0, done.output
        if output.endswith("…\n"):
            assert done.stdout.startswith(output.removesuffix("…\n")), command
        else:
            assert done.stdout == output, command
