"""docs/play.md: its games are played as they stand there, and print what it shows."""

import importlib.util
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
_spec = importlib.util.spec_from_file_location("run_commands", DOCS / "run_commands.py")
run_commands = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(run_commands)


def test_the_page_shows_what_its_commands_print():
    page = (DOCS / "play.md").read_text(encoding="utf-8")
    assert page.count("```sh") == len(run_commands.PAIR.findall(page)) >= 4
    assert page == run_commands.rewritten(page), "run python docs/run_commands.py play.md"
    assert "Traceback" not in page


def test_a_changed_move_is_seen():
    """The check can fail: another move prints something else."""
    page = (DOCS / "play.md").read_text(encoding="utf-8")
    other = page.replace("stake 10\nstand\n", "stake 10\ndraw\n", 1)
    assert other != page
    assert run_commands.rewritten(other) != other
