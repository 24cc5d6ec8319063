"""Real servers for these tests: processes of `macao serve` (or of one that is to die), each in a group of its own."""

import json
import os
import signal
import subprocess
import sys
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from time import monotonic, sleep
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
PATIENCE = 120  # seconds; far more than a start or an answer takes on a loaded machine
SETTINGS = {
    "MACAO_BIND": "127.0.0.1:0",
    "MACAO_LOG_LEVEL": "error",
    "MACAO_RATE_LIMIT": "99999999999/minute",
    "MACAO_RATE_LIMIT_ANONYMOUS": "99999999999/minute",
    "MACAO_REFILLS_A_DAY": "1000",
    "MACAO_OPEN_TABLES": "10000",
    "MACAO_THREADS": "16",
    "MACAO_MAX_WAITERS": "4",
    "MACAO_WORKERS": "1",
}


class Server:
    """A running server. `start` again after its death: it gets another port."""

    def __init__(self, url: str, folder: Path, *, mortal: bool = False, **settings: str) -> None:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("MACAO_")}
        self.sentence = folder / "sentence.json"
        paths = os.pathsep.join([str(ROOT), *sys.path])
        own = {"PYTHONPATH": paths, "FIRE_SENTENCE": str(self.sentence), "MACAO_DATABASE_URL": url}
        self._environment = inherited | SETTINGS | settings | own
        self._module = ["tests.api.fire.doomed"] if mortal else ["api", "serve"]
        self._folder = folder
        self.starts = 0
        self.start()

    def start(self) -> None:
        """Start, and wait until it listens."""
        self.starts += 1
        self._errors = (self._folder / "server.log").open("ab")
        self.process = subprocess.Popen(
            [sys.executable, "-m", *self._module],
            cwd=self._folder,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            start_new_session=True,
        )
        assert self.process.stdout is not None
        greeting = self.process.stdout.readline()
        assert "listening on" in greeting, (self._folder / "server.log").read_text()[-3000:]
        self.address = greeting.rsplit("//", 1)[-1].strip()
        self._wait_until_it_answers()

    def _wait_until_it_answers(self) -> None:
        """The master listens before its worker is there, and goes if no worker comes up."""
        until = monotonic() + PATIENCE
        while monotonic() < until:
            assert self.alive, (self._folder / "server.log").read_text()[-3000:]
            connection = HTTPConnection(self.address, timeout=5)
            try:
                connection.request("GET", "/livez")
                if connection.getresponse().status == 200:
                    return
            except (OSError, HTTPException):
                sleep(0.05)
            finally:
                connection.close()
        raise TimeoutError(f"no answer at {self.address}")

    @property
    def alive(self) -> bool:
        """Is its master there? (A worker that has died is replaced by it.)"""
        return self.process.poll() is None

    def doom(self, point: str, after: int, *, whole: bool) -> None:
        """Tell a mortal one where to die."""
        draft = self.sentence.with_suffix(".draft")
        draft.write_text(json.dumps({"point": point, "after": after, "whole": whole}))
        draft.replace(self.sentence)

    def spare(self) -> None:
        """Take the sentence back."""
        self.sentence.unlink(missing_ok=True)

    def shoot(self) -> None:
        """SIGKILL to all its processes, and no waiting."""
        self._signal(signal.SIGKILL)

    def kill(self) -> None:
        """SIGKILL to all its processes, wherever they are."""
        self._signal(signal.SIGKILL)
        self._end()

    def stop(self) -> int:
        """Stop it gracefully; its exit code."""
        if self.alive:
            self.process.send_signal(signal.SIGTERM)
        return self._end()

    def revive(self) -> None:
        """Start again, if it has died. Processes of its group that are left are killed first."""
        self.kill()
        self.start()

    def _signal(self, number: int) -> None:
        try:
            os.killpg(self.process.pid, number)
        except ProcessLookupError:
            return

    def _end(self) -> int:
        code = self.process.wait(PATIENCE)
        self._wait_for_group()
        if self.process.stdout is not None:
            self.process.stdout.close()
        self._errors.close()
        return code

    def _wait_for_group(self) -> None:
        """Until no process of the group is left: one that dies may still be writing."""
        until = monotonic() + PATIENCE
        while _runs(self.process.pid):
            if monotonic() > until:
                raise TimeoutError("processes of a server that was told to end are still there")
            sleep(0.01)


def _runs(group: int) -> bool:
    """Is there a process of this group that is not dead? (Where nobody reaps orphans, dead ones stay listed.)"""
    if not Path("/proc/self/stat").exists():
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return False
        return True
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _parent, of = path.read_text().rpartition(")")[2].split()[:3]
        except OSError:  # it has ended meanwhile
            continue
        if int(of) == group and state not in "ZX":
            return True
    return False


def audit(url: str) -> dict[str, Any]:
    """What `macao ledger check` says of a database."""
    done = subprocess.run(
        [sys.executable, "-m", "api", "ledger", "check", "--json", "--database", url],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.stdout, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    assert (done.returncode == 0) == told["ok"]
    return told
