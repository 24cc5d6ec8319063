"""Hold the locked dependencies to the known vulnerabilities, where somebody can be asked about them.

    python .ci/audit.py requirements.lock

pip-audit is installed into a throw-away environment. Its services are tried in turn, each first with a release that is
known to be vulnerable: a service that does not know it (not reached, or a mirror without advisories) proves nothing,
and pip-audit would call that «no known vulnerabilities». Exit code 1 if a dependency is vulnerable; 0 if none is, or if
nobody could be asked, which is said with the reason.
"""

import json
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

TOOL = "pip-audit==2.10.1"
SERVICES = ("osv", "pypi")
KNOWN = "jinja2==2.10"  # CVE-2019-10906, and more since
PATIENCE = 600  # seconds
Json = dict[str, Any]


class NotAskedError(Exception):
    """Nobody could be asked; the text says why."""


def installed(folder: Path) -> list[str]:
    """The command of pip-audit, in an environment of its own. Raises NotAskedError."""
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    done = _run([str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", TOOL])
    if done.returncode:
        raise NotAskedError(f"{TOOL} cannot be installed: {_last(done.stderr)}")
    return [str(python), "-m", "pip_audit"]


def answer(command: Sequence[str], service: str, requirements: Path) -> list[Json]:
    """What a service says of each dependency. Raises NotAskedError."""
    options = ["--vulnerability-service", service, "--requirement", str(requirements), "--format", "json"]
    done = _run([*command, *options, "--disable-pip", "--no-deps", "--progress-spinner", "off"])
    try:
        found: list[Json] = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        raise NotAskedError(f"{service}: {_last(done.stderr)}") from None
    return found


def vulnerable(found: Sequence[Json]) -> list[str]:
    """A line for each vulnerability."""
    return [
        f"{item['name']} {item['version']}: {flaw['id']}, mended in {', '.join(flaw['fix_versions']) or 'no release'}"
        for item in found
        for flaw in item.get("vulns", ())
    ]


def audit(command: Sequence[str], lock: Path, folder: Path) -> tuple[str, list[str], list[str]]:
    """The service that was asked, its lines, and the dependencies it knew nothing of. Raises NotAskedError."""
    probe = folder / "known.txt"
    probe.write_text(KNOWN + "\n")
    reasons = []
    for service in SERVICES:
        try:
            if not vulnerable(answer(command, service, probe)):
                raise NotAskedError(f"{service}: does not know that {KNOWN} is vulnerable")
            found = answer(command, service, lock)
        except NotAskedError as reason:
            reasons.append(str(reason))
            continue
        return service, vulnerable(found), [item["name"] for item in found if "skip_reason" in item]
    raise NotAskedError("; ".join(reasons))


def main(lock: Path, command: Sequence[str] | None = None) -> int:
    """Audit, say what came of it, and give the exit code."""
    with tempfile.TemporaryDirectory(prefix="macao-audit-") as name:
        folder = Path(name)
        try:
            service, lines, unknown = audit(command or installed(folder / "env"), lock, folder)
        except NotAskedError as reason:
            print(f"skipped: {reason}")
            return 0
    for line in lines:
        print(line)
    if unknown:
        print(f"{service} knows nothing of {', '.join(unknown)}")
    print(f"{len(lines)} known vulnerabilities in {lock.name}, says {service}")
    return 1 if lines else 0


def _run(command: Sequence[str]) -> "subprocess.CompletedProcess[str]":
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 1, "", f"no answer in {PATIENCE} s")


def _last(text: str) -> str:
    """The last line that says something."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:300] if lines else "it said nothing"


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
