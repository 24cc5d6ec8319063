"""Run the commands of a page anew and write what they print: `python docs/run_commands.py study-banker.md`.

A command stands in a fenced block marked `sh`, what it prints in the block marked `text` after it. Lines that are
typed into it stand between `<<'END'` and `END`, as a shell takes them. A test holds the page to both.
"""

import re
import shlex
import sys
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from click.testing import CliRunner

from api.cli import main

FOLDER: Final = Path(__file__).parent
PAIR: Final = re.compile(r"```sh\n(macao [^`]*?)\n```\n\n```text\n(.*?)\n```", re.DOTALL)


def printed(command: str) -> str:
    """What a command prints, errors too, without blanks at the ends of lines."""
    command, _, typed = command.partition(" <<'END'\n")
    words = shlex.split(command.replace("\\\n", " "))[1:]
    result = CliRunner().invoke(main, words, prog_name="macao", input=typed.removesuffix("END"))
    return "\n".join(line.rstrip() for line in result.output.rstrip().splitlines())


def rewritten(text: str) -> str:
    """The page with every command's output written anew; files that commands write and read are in one empty folder."""
    with TemporaryDirectory() as folder, chdir(folder):
        return PAIR.sub(lambda found: f"```sh\n{found[1]}\n```\n\n```text\n{printed(found[1])}\n```", text)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        page = FOLDER / name
        page.write_text(rewritten(page.read_text(encoding="utf-8")), encoding="utf-8")
