"""The names in docs/banking.md are those of the code, all of them."""

import re
from dataclasses import fields
from pathlib import Path

from casino.banking.presets import PRESETS
from casino.banking.rules import Rules
from casino.banking.text import MEANINGS

PAGE = (Path(__file__).parents[2] / "docs" / "banking.md").read_text()


def section(title):
    return PAGE.split(f"## {title}\n")[1].split("\n## ")[0]


def first_column(text):
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    return [name for row in rows for name in re.findall(r"`([a-z_-]+)`", row.split("|")[1])]


def test_every_option_is_explained_and_no_other():
    assert sorted(first_column(section("Options"))) == sorted(item.name for item in fields(Rules))


def test_every_preset_is_named_and_no_other():
    assert first_column(section("Presets")) == list(PRESETS)


def test_every_action_is_named():
    named = set(re.findall(r"`([a-z]+)[ `]", section("Actions")))
    assert set(MEANINGS) <= named
