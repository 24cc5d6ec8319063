"""An environment for a peer: made for one run, thrown away after it. The project itself never depends on peers."""

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def run(packages: list[str], script: str, *arguments: str) -> None:
    """Run a script of this project in a fresh environment that has these packages, by their pins.

    The project is imported from the checkout. Ends the program with the script's own code if it fails.
    """
    with tempfile.TemporaryDirectory(prefix="macao-peer-") as place:
        venv.create(place, with_pip=True)
        python = str(Path(place) / "bin" / "python")
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages]
        subprocess.run(install, check=True)
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        done = subprocess.run([python, script, *arguments], env=environment, check=False)
    if done.returncode:
        sys.exit(done.returncode)
