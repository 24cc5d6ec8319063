"""The API against its own document: schemathesis, all checks but the acceptance of positive data and response times.

(That a generated body is refused is no fault: a conflict is a fair answer to a sound request.)
"""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep

import pytest

from tests.api.served import Served

CONFIG = Path(__file__).with_name("schemathesis.toml")
DANGEROUS = ("delete_me", "revoke_key", "rotate_key")  # each ends the key that the run goes on with


WARM = 300.0  # seconds; far more than the kernels of the analysis take to be compiled


def warm(served: Served) -> None:
    """Wait until the analysis is compiled: till then such questions are 503, which is fair but would be counted."""
    document = json.loads(served.ask("GET", "/openapi.json")[2])
    body = document["paths"]["/v1/counting"]["post"]["requestBody"]["content"]["application/json"]["example"]
    until = monotonic() + WARM
    while served.ask("POST", "/v1/counting", body)[0] == 503:
        assert monotonic() < until, "the analysis is not compiled yet"
        sleep(0.5)


def fuzz(served: Served, *options: str, examples: int) -> str:
    """Run schemathesis with a new player's key; its output. Fails with what it found."""
    status, _, made = served.ask("POST", "/v1/players", {"name": "Fuzz"})
    assert status == 201
    command = [Path(sys.executable).with_name("schemathesis"), "--config-file", CONFIG]
    command += ["run", f"{served.url}/openapi.json"]
    command += ["--url", served.url, "--header", f"Authorization: Bearer {json.loads(made)['api_key']}"]
    command += [
        "--checks",
        "all",
        "--exclude-checks",
        "positive_data_acceptance",
        "--suppress-health-check",
        "too_slow",
        "--max-response-time",
        "100",
        "--request-timeout",
        "120",
    ]
    command += ["--max-examples", str(examples), "--seed", "20300131", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout[-12000:] + done.stderr[-2000:]
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_no_generated_request_breaks_the_contract(
    request: pytest.FixtureRequest, tmp_path: Path, kind: str, stop: Callable[[Served], Served]
) -> None:
    """Every operation: answers fit the document, bad data are refused, nothing is a fault of the server."""
    url = request.getfixturevalue(f"{kind}_url")
    served = stop(Served(tmp_path, MACAO_DATABASE_URL=url, MACAO_LOG_LEVEL="error"))
    warm(served)
    rest = [word for name in DANGEROUS for word in ("--exclude-operation-id", name)]
    assert "passed" in fuzz(served, *rest, examples=8)
    for name in DANGEROUS:
        fuzz(served, "--include-operation-id", name, examples=10)


@pytest.fixture
def stop() -> object:
    """Stops the servers that a test started."""
    running: list[Served] = []

    def keep(served: Served) -> Served:
        running.append(served)
        return served

    yield keep
    for served in running:
        served.stop()
