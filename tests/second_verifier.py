"""Running api/web/verify.js in node: one process for many proofs."""

import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "api" / "web" / "verify.js"
PROOFS = ROOT / "docs" / "proofs"
NODE = shutil.which("node") or shutil.which("nodejs")
_RUN = """
const shared = require(process.argv[1]);
const cases = JSON.parse(require("fs").readFileSync(0, "utf8"));
const tried = cases.map(([text, noted]) => {
  try { return [true, shared.verify(text, noted)]; } catch (error) { return [false, error.message]; }
});
console.log(JSON.stringify(tried));
"""


def _node() -> str:
    if NODE is None:
        pytest.skip("node is not installed (Debian: apt-get install nodejs): no second verifier to run")
    return NODE


def in_node(script: str, data: object) -> object:
    """What a script prints as JSON, given `data` as JSON; skips where there is no node."""
    done = subprocess.run(
        [_node(), "-e", script, str(SCRIPT)],
        input=json.dumps(data),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def verified(cases: Sequence[tuple[bytes, str | None]]) -> list[tuple[bool, str]]:
    """For each proof and the commitment noted: does it hold, and what was said."""
    found = in_node(_RUN, [[proof.decode(), noted] for proof, noted in cases])
    return [(holds, said) for holds, said in found]


def called(*words: str) -> tuple[int, str]:
    """`node verify.js` with these words, as by hand: its exit code, and what it said."""
    done = subprocess.run(
        [_node(), str(SCRIPT), *words], capture_output=True, text=True, timeout=300, check=False
    )
    return done.returncode, done.stdout + done.stderr
