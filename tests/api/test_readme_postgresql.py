"""The README's command for PostgreSQL, run as it stands but for the address of the database and the port."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_service_runs_on_postgresql_as_the_readme_says(postgresql_url: str, tmp_path: Path) -> None:
    """`macao serve` migrates the named database and greets."""
    blocks = re.findall(r"```\n(MACAO_DATABASE_URL=.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert len(blocks) == 1
    command = (
        blocks[0]
        .replace("postgresql://user@host/macao", f"'{postgresql_url}'")
        .replace("0.0.0.0:8000", "127.0.0.1:0")
    )
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    server = subprocess.Popen(
        ["bash", "-c", f"exec env {command}"],
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert server.stdout is not None
    try:
        assert server.stdout.readline().startswith("Macao is listening on http://127.0.0.1:")
    finally:
        server.send_signal(signal.SIGTERM)
        assert server.wait(60) == 0
        server.stdout.close()
