"""Every command and request of the README works as it stands: a fresh database, a real server, a real shell."""

import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PORT = 8000


def blocks(language: str) -> list[str]:
    """The fenced blocks of the README in one language."""
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
