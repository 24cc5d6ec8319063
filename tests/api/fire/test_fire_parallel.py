"""Eight processes of clients at two servers on one database (`api.md`, «Money»); in full size `benchmarks/fire.py`."""

import os
from pathlib import Path

import pytest

from tests.api.fire.parallel import run

PROCESSES = 8
WRITES = int(os.environ.get("FIRE_WRITES", "500"))  # besides about as many questions


@pytest.mark.slow
def test_eight_processes_break_no_invariant(database_url: str, tmp_path: Path) -> None:
    """Copies at both servers at once, tables shared by all; then the rows alone, and `macao ledger check`."""
    outcome = run(database_url, tmp_path, processes=PROCESSES, writes=WRITES, lean=True)
    assert not outcome.faults, outcome.faults[:20]
    assert outcome.writes >= WRITES
    assert outcome.coups > WRITES / 10, "they played"
