"""The pages of docs/shedding say what the code does: names, defaults, sources."""

import json
import re
from dataclasses import fields
from pathlib import Path

import pytest
from layouts import MODIFIERS, NAMES

from casino.shedding.actions import MEANINGS
from casino.shedding.fields import SCHEMA
from casino.shedding.powers import RECORDS, Power
from casino.shedding.rules import Rules
from casino.shedding.variants import VARIANTS

FOLDER = Path(__file__).parents[2] / "docs" / "shedding"
COMMON = (FOLDER / "README.md").read_text(encoding="utf-8")


def section(page, title):
    return page.split(f"## {title}\n")[1].split("\n## ")[0]


def rows(text):
    """The cells of a table's rows whose first one names something."""
    return [
        [cell.strip() for cell in line.strip("|").split(" | ")]
        for line in text.splitlines()
        if line.startswith("| `")
    ]


def names(cell):
    return re.findall(r"`([a-z_0-9]+)`", cell)


def test_every_option_is_explained_and_no_other():
    told = [name for row in rows(section(COMMON, "Options")) for name in names(row[0])]
    assert sorted([*told, *MODIFIERS]) == sorted(item.name for item in fields(Rules))


def test_every_modifier_is_explained():
    assert [names(row[0])[0] for row in rows(section(COMMON, "Modifiers"))] == list(MODIFIERS)


def test_every_verb_of_a_power_is_named():
    told = set(names(next(row[1] for row in rows(section(COMMON, "Options")) if row[0] == "`powers`")))
    assert told == {item.name for item in fields(Power)} - {"cards"}


def test_every_value_of_an_option_is_named():
    text = section(COMMON, "Options")
    for item in fields(Rules):
        for value in item.metadata["schema"].get("enum", ()):
            assert isinstance(value, int) or f"`{value}`" in text or value in ("left", "right", "winner"), (
                item.name
            )


def test_every_field_of_a_position_is_explained():
    text = section(COMMON, "Positions")
    assert all(f'"{name}"' in text or f"`{name}`" in text for name in SCHEMA["properties"])


def test_every_action_is_named():
    text = section(COMMON, "Actions")
    for form in MEANINGS:
        assert re.search(rf"`{form.split()[0]}\b", text), form


def test_every_variant_is_listed_with_its_seats():
    listed = {match[0]: match[1] for match in re.findall(r"\| \[`([a-z0-9-]+)`\].*\| (\d+–\d+) \|", COMMON)}
    assert listed == {name: f"{item.min_seats}–{item.max_seats}" for name, item in VARIANTS.items()}


@pytest.mark.parametrize("name", NAMES)
def test_a_page_tells_the_options_that_differ_with_their_values(name):
    page = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    told = {names(row[0])[0]: json.loads(row[1].strip("`")) for row in rows(section(page, "Its options"))}
    common, mine = Rules().to_json(), VARIANTS[name].rules.to_json()
    assert told == {key: mine[key] for key in mine if mine[key] != common[key] and key not in RECORDS}
    assert all(row[2] for row in rows(section(page, "Its options")))


@pytest.mark.parametrize("name", NAMES)
def test_a_page_has_its_doubtful_points_and_its_source(name):
    page = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    assert section(page, "Doubtful points, and what was decided").count("\n|") >= 4
    assert re.search(r"\nSource: (Spanish|Romanian|Russian) text", page)
    assert page.startswith(f"# {page[2:].split(' (')[0]} (`{name}`)\n")
