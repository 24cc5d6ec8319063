"""The step of CI that scans dependencies (`.ci/audit.py`): a stand-in for pip-audit answers as the real one does.

It fails on a known vulnerability, and never passes in silence: where nobody can be asked it says so.
"""

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
_spec = importlib.util.spec_from_file_location("audit", ROOT / ".ci" / "audit.py")
audit = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(audit)

FLAW = {"id": "PYSEC-2019-217", "fix_versions": ["2.10.1"], "aliases": [], "description": ""}
BAD = {"name": "jinja2", "version": "2.10", "vulns": [FLAW]}
GOOD = {"name": "flask", "version": "3.1.0", "vulns": []}
OLD = {"name": "flask", "version": "0.1", "vulns": [{**FLAW, "id": "PYSEC-1", "fix_versions": []}]}
SKIPPED = {"name": "jinja2", "skip_reason": "Dependency not found and could not be audited: jinja2 (2.10)"}


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    """A file of requirements."""
    path = tmp_path / "requirements.lock"
    path.write_text("flask==3.1.0\n")
    return path


def stand_in(tmp_path: Path, **answers: dict[str, Any]) -> list[str]:
    """A command that answers as told, by service and by file: a list of dependencies, or a text for a fault."""
    script = tmp_path / "pip_audit.py"
    script.write_text(
        f"""
import json, sys
answers = json.loads({json.dumps(json.dumps(answers))})
given = sys.argv[1:]
service = given[given.index("--vulnerability-service") + 1]
name = given[given.index("--requirement") + 1].rsplit("/", 1)[-1].partition(".")[0]
answer = answers[service][name]
if isinstance(answer, str):
    sys.exit("Traceback ...\\n" + answer)
print(json.dumps({{"dependencies": answer, "fixes": []}}))
sys.exit(any(item.get("vulns") for item in answer))
"""
    )
    return [sys.executable, str(script)]


def test_a_vulnerable_dependency_fails(
    tmp_path: Path, lock: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = stand_in(tmp_path, osv={"known": [BAD], "requirements": [OLD, GOOD]})
    assert audit.main(lock, command) == 1
    said = capsys.readouterr().out
    assert "flask 0.1: PYSEC-1, mended in no release" in said
    assert "1 known vulnerabilities in requirements.lock, says osv" in said


def test_sound_dependencies_pass(tmp_path: Path, lock: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = stand_in(tmp_path, osv={"known": [BAD], "requirements": [GOOD, SKIPPED]})
    assert audit.main(lock, command) == 0
    said = capsys.readouterr().out
    assert "osv knows nothing of jinja2" in said
    assert "0 known vulnerabilities" in said


def test_the_second_service_is_asked_where_the_first_is_not_reached(tmp_path: Path, lock: Path) -> None:
    command = stand_in(
        tmp_path, osv={"known": "ConnectionError"}, pypi={"known": [BAD], "requirements": [OLD]}
    )
    assert audit.main(lock, command) == 1


@pytest.mark.parametrize(
    ("known", "reason"),
    [
        ("ConnectionError: not resolved", "ConnectionError: not resolved"),
        ([SKIPPED], "does not know that jinja2==2.10 is vulnerable"),
        ([{**BAD, "vulns": []}], "does not know that jinja2==2.10 is vulnerable"),
    ],
)
def test_where_nobody_can_be_asked_it_is_skipped_with_the_reason(
    tmp_path: Path, lock: Path, capsys: pytest.CaptureFixture[str], known: Any, reason: str
) -> None:
    """A mirror without advisories would find everything sound: a release known to be vulnerable shows it up."""
    command = stand_in(tmp_path, osv={"known": known}, pypi={"known": known})
    assert audit.main(lock, command) == 0
    said = capsys.readouterr().out
    assert said.startswith("skipped: osv: ")
    assert reason in said
    assert "vulnerabilities in" not in said


def test_a_tool_that_cannot_be_installed_is_a_reason_too(
    tmp_path: Path, lock: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(_folder: Path) -> list[str]:
        raise audit.NotAskedError("pip-audit cannot be installed: no index")

    monkeypatch.setattr(audit, "installed", refuse)
    assert audit.main(lock) == 0
    assert capsys.readouterr().out == "skipped: pip-audit cannot be installed: no index\n"


def test_ci_takes_the_step() -> None:
    assert "python .ci/audit.py requirements.lock" in (ROOT / ".ci" / "run").read_text()
