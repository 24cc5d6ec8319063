"""Kernels are kept on disk, and an edit of any of them is noticed."""

import subprocess
import sys
from pathlib import Path

import pytest

from analysis.compiled import digest

_CALLER = """
from analysis.compiled import compiled, digest
digest.__wrapped__.__defaults__ = (__import__("pathlib").Path(__file__).parent,)
from callee import inner

@compiled
def outer(x):
    return 10 * inner(x)

print(outer(1), len(outer.stats.cache_hits))
"""


def _callee(value: int) -> str:
    return f"from analysis.compiled import compiled\n\n@compiled\ndef inner(x):\n    return x + {value}\n"


def _run(folder: Path) -> list[str]:
    found = subprocess.run(
        [sys.executable, "-c", "import caller"], cwd=folder, capture_output=True, text=True, check=True
    )
    return found.stdout.split()


def test_the_digest_goes_by_every_module_that_holds_kernels(tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text("x = 1\n", encoding="utf-8")
    (tmp_path / "callee.py").write_text(_callee(1), encoding="utf-8")
    before = digest.__wrapped__(tmp_path)
    (tmp_path / "plain.py").write_text("x = 2\n", encoding="utf-8")
    assert digest.__wrapped__(tmp_path) == before
    (tmp_path / "callee.py").write_text(_callee(2), encoding="utf-8")
    assert digest.__wrapped__(tmp_path) != before


@pytest.mark.slow
def test_an_edit_in_an_imported_module_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "caller.py").write_text(_CALLER, encoding="utf-8")
    (tmp_path / "callee.py").write_text(_callee(1), encoding="utf-8")
    assert _run(tmp_path) == ["20", "0"]
    assert _run(tmp_path) == ["20", "1"]
    (tmp_path / "callee.py").write_text(_callee(2), encoding="utf-8")
    assert _run(tmp_path)[0] == "30"


def test_importing_the_odds_does_not_import_numba() -> None:
    code = "import sys, analysis.exact, analysis.policy, analysis.decision; print('numba' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"
