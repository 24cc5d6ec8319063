"""Every command and request of the README works as it stands: a fresh folder, a real server, a real shell."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent
ADDRESS = "127.0.0.1:8000"
FENCE = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)


def blocks(language: str) -> list[str]:
    """The fenced blocks of the README in one language."""
    return [text for kind, text in FENCE.findall((ROOT / "README.md").read_text()) if kind == language]


def is_free(address: str) -> bool:
    """May this address be listened on?"""
    host, port = address.split(":")
    with socket.socket() as probe:
        return probe.connect_ex((host, int(port))) != 0


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator["Shell"]:
    """A shell in an empty folder while `macao serve` listens where the README says."""
    folder = tmp_path_factory.mktemp("readme")
    address = ADDRESS
    if not is_free(ADDRESS):  # somebody has `make run` open: the same commands, another port
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{probe.getsockname()[1]}"
    environment = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}", "MACAO_BIND": address}
    environment["MACAO_DATABASE_URL"] = f"sqlite:///{folder}/macao.db"
    server = subprocess.Popen(
        [BIN / "macao", "serve"],
        cwd=folder,
        env=environment,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(f"http://{address}/livez")
        yield Shell(folder, environment, address)
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(30)
        shutil.rmtree(folder, ignore_errors=True)


def wait_for(url: str) -> None:
    """Wait until somebody answers."""
    for _ in range(150):
        try:
            urllib.request.urlopen(url, timeout=1).close()
            return
        except OSError:
            time.sleep(0.1)
    raise AssertionError(f"nothing answers at {url}")


class Shell:
    """Runs a block as a person would paste it, stopping at the first command that fails."""

    def __init__(self, folder: Path, environment: dict[str, str], address: str) -> None:
        self.folder, self.environment, self.address = folder, environment, address

    def run(self, block: str) -> str:
        """The output of a block."""
        script = block.replace(ADDRESS, self.address)
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, f"{done.stderr}\n{script}"
        return done.stdout


def test_readme_blocks_run_as_they_stand(shell: Shell) -> None:
    """All `sh` blocks in order, in one shell; and the first coup is settled as they say."""
    found = blocks("sh")
    assert found
    output = shell.run("\n".join(found))
    answers = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    settled = [answer["last"] for answer in answers if answer.get("last")]
    assert settled, "the README's first coup is settled"
    assert settled[0]["stakes"][0] == 10
    assert any("balance" in answer and "held" in answer for answer in answers)
    assert not [answer for answer in answers if "code" in answer and "status" in answer], (
        "no request is refused"
    )


def test_readme_python_runs_as_it_stands(tmp_path: Path) -> None:
    """A deal is played to its end, and the odds are those of the option's row in `docs/odds.md` (-0.2270 %)."""
    (tmp_path / "first.py").write_text("\n".join(blocks("python")))
    done = subprocess.run(
        [sys.executable, "first.py"], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    result, ev = done.stdout.splitlines()
    assert re.fullmatch(r"Result\(scores=\(\d+, \d+, \d+\), winners=\(.+\), unit='points', .+\)", result)
    assert f"{float(100 * Fraction(ev)):.4f}" == "-0.2270"


def test_readme_names_only_targets_that_the_makefile_has() -> None:
    """`make run`, `make test`: what the README tells to type is there."""
    makefile = (ROOT / "Makefile").read_text()
    named = set(re.findall(r"\bmake (\w+)", (ROOT / "README.md").read_text()))
    assert {"run", "test"} <= named
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in named)
