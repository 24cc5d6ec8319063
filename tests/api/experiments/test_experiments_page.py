"""The commands of docs/experiments.md, run as they stand but for the port, against `macao serve` with its worker."""

import csv
import io
import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from api.config import Config
from tests.api.served import Served

PAGE = Path(__file__).parents[3] / "docs" / "experiments.md"


@pytest.mark.slow
def test_the_page_leads_from_the_order_to_the_results(sqlite_url: str, tmp_path: Path) -> None:
    (block,) = re.findall(r"```sh\n(.*?)```", PAGE.read_text(), re.DOTALL)
    served = Served(tmp_path, MACAO_DATABASE_URL=sqlite_url, MACAO_EXPERIMENT_WORKERS="1")
    try:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", block.replace("http://127.0.0.1:8000", served.url)],
            cwd=tmp_path,
            env=os.environ,
            capture_output=True,
            text=True,
            timeout=900,
            check=False,
        )
    finally:
        served.process.terminate()
        assert served.process.wait(600) == 0
    assert done.returncode == 0, done.stdout + done.stderr
    order, *table, listed = done.stdout.splitlines()
    assert json.loads(order)["status"] == "waiting"
    rows = list(csv.DictReader(io.StringIO("\n".join(table))))
    told = json.loads((tmp_path / "results.json").read_text())
    assert [(row["bankroll"], row["label"].split()[0]) for row in rows] == [
        (bankroll, system) for bankroll in ("500", "1000") for system in ("flat", "martingale")
    ]
    assert [float(row["ruin"]) for row in rows] == [row["ruin"] for row in told["table"]]
    assert told["result"]["ruin"]["value"] > float(rows[0]["ruin"])  # doubling is riskier
    assert json.loads((tmp_path / "paths.json").read_text())["cell"] == 1
    assert (tmp_path / "table.svg").read_text().startswith("<svg")
    assert "vega-lite" in json.loads((tmp_path / "fan.json").read_text())["$schema"]
    assert [each["status"] for each in json.loads(listed)["experiments"]] == ["done"]


def test_the_page_names_settings_that_there_are() -> None:
    named = set(re.findall(r"MACAO_[A-Z_]+", PAGE.read_text()))
    assert named <= {f"MACAO_{name.upper()}" for name in vars(Config())}
    assert {"MACAO_EXECUTOR_URL", "MACAO_EXPERIMENT_WORKERS", "MACAO_WORKER_LEASE"} <= named
