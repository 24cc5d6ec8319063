"""The README's commands for Dask, run as they stand but for the port."""

import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PORT = "8786"


@pytest.mark.slow
def test_an_experiment_is_played_on_dask_as_the_readme_says(tmp_path: Path) -> None:
    """A scheduler, two workers, the experiment; and the same table as without them."""
    pytest.importorskip("distributed", reason="the extra dask is not installed")
    (block,) = re.findall(r"```bash\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert f"dask://127.0.0.1:{PORT}" in block
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        free = str(probe.getsockname()[1])
    found = run(block.replace(PORT, free), tmp_path)
    lines = block.replace("\\\n", " ").splitlines()
    (command,) = (line for line in lines if line.startswith("macao experiment"))
    assert "risk of ruin" in found
    assert found == run(re.sub(r" --executor \S+", "", command), tmp_path)


def run(script: str, folder: Path) -> str:
    """What a block prints, as a person would paste it; nothing that it started outlives it."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    process = subprocess.Popen(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder,
        env={**os.environ, "PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        output, errors = process.communicate(timeout=900)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 0, errors
    return output
