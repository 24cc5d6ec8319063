"""Every setting: documented as it is read, and a value that cannot be is one line at the start, all of them at once."""

import os
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest
from click.testing import CliRunner

from api.cli import main
from api.config import Config, ConfigError, from_environment, variable

ROOT = Path(__file__).parents[2]
SETTINGS = {variable(item.name): item for item in fields(Config)}
# A value of each setting that cannot be.
WRONG = {
    "MACAO_DATABASE_URL": "mysql://u@h/d",
    "MACAO_EXECUTOR_URL": "nowhere",
    "MACAO_EXPERIMENT_WORKERS": "some",
    "MACAO_WORKER_LEASE": "0",
    "MACAO_EXPERIMENTS_AT_ONCE": "-1",
    "MACAO_EXPERIMENT_COUPS": "1e9",
    "MACAO_BIND": "8000",
    "MACAO_ENVIRONMENT": "prod",
    "MACAO_WORKERS": "-1",
    "MACAO_THREADS": "1",
    "MACAO_MAX_WAITERS": "many",
    "MACAO_GRACEFUL_TIMEOUT": "0",
    "MACAO_BACKLOG": "1",
    "MACAO_TRUSTED_PROXIES": "yes",
    "MACAO_CORS_ORIGINS": "play.example",
    "MACAO_MAX_BODY": "10",
    "MACAO_LOCK_SECONDS": "0",
    "MACAO_KEY_CACHE_SECONDS": "-1",
    "MACAO_IDEMPOTENCY_HOURS": "23",
    "MACAO_RATE_LIMIT": "10/fortnight",
    "MACAO_RATE_LIMIT_ANONYMOUS": "none",
    "MACAO_RATE_STORAGE": "redis",
    "MACAO_OPENING_GRANT": "-5",
    "MACAO_REFILL_SUM": "0",
    "MACAO_REFILLS_A_DAY": "never",
    "MACAO_HOUSE_BANK": "0",
    "MACAO_BOT_PURSE": "0",
    "MACAO_OPEN_TABLES": "0",
    "MACAO_TURN_SECONDS": "1",
    "MACAO_AUTOPLAY_CAP": "0",
    "MACAO_LOG_LEVEL": "loud",
}


def test_every_setting_has_a_case() -> None:
    assert set(WRONG) == set(SETTINGS)


@pytest.mark.parametrize("name", list(WRONG))
def test_one_mistake_is_one_line_that_says_what_would_be_right(name: str) -> None:
    with pytest.raises(ConfigError) as caught:
        from_environment({name: WRONG[name]})
    (line,) = caught.value.mistakes
    assert line.startswith(f"{name}: must be ")
    assert "\n" not in line


def test_all_mistakes_at_once_and_nothing_is_started(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MACAO_")}
    found = subprocess.run(
        [sys.executable, "-m", "api", "serve"],
        cwd=tmp_path,
        env=environment | WRONG | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert found.returncode == 2
    assert found.stdout == ""
    told = [line.strip().partition(":")[0] for line in found.stderr.splitlines() if line.startswith("  ")]
    assert sorted(told) == sorted(WRONG)
    assert list(tmp_path.iterdir()) == [], "no database, no log"


def documented() -> dict[str, str]:
    """The default of each variable, as docs/configuration.md tells it."""
    text = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(MACAO_\w+)` \| (?:`(.*?)`|empty) \| (.+) \|$", text, re.MULTILINE)
    assert all(len(meaning) > 10 for _, _, meaning in rows)
    return {name: default for name, default, _ in rows}


def test_the_defaults_that_are_told_are_those_that_hold() -> None:
    told = documented()
    assert set(told) == set(SETTINGS)
    plain = Config()
    for name, item in SETTINGS.items():
        assert item.metadata["read"](told[name]) == getattr(plain, item.name), name
    assert from_environment(told) == plain


def test_each_is_an_option_of_macao_serve_that_tells_its_variable() -> None:
    shown = CliRunner().invoke(main, ["serve", "--help"]).output
    flat = " ".join(shown.split())
    for name, item in SETTINGS.items():
        assert f"--{item.name.replace('_', '-')}" in flat
        assert f"[{name}, default" in flat


def test_no_page_names_a_setting_that_is_none() -> None:
    pages = [ROOT / "README.md", ROOT / "Makefile", *(ROOT / "docs").rglob("*.md")]
    named = {
        name
        for page in pages
        for name in re.findall(r"\bMACAO_[A-Z_]+\b", page.read_text(encoding="utf-8"))
        if not name.endswith("_")
    }
    assert named
    assert named <= set(SETTINGS)


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:", "postgresql://user@host"])
def test_a_database_that_is_none_is_told_with_the_other_mistakes(url: str) -> None:
    with pytest.raises(ConfigError) as caught:
        from_environment({"MACAO_DATABASE_URL": url, "MACAO_THREADS": "none"})
    assert [line.partition(":")[0] for line in caught.value.mistakes] == [
        "MACAO_DATABASE_URL",
        "MACAO_THREADS",
    ]
