"""docs/bots.md says what there is: policies, tactics, a row for every pair of bots in every variant."""

import re
from dataclasses import fields
from pathlib import Path

import pytest
from layouts import NAMES

from casino.bots.policies import NAMES as POLICIES
from casino.bots.shedding_policy import Traits

PAGE = (Path(__file__).parents[2] / "docs" / "bots.md").read_text(encoding="utf-8")
PAIRS = [("simple", "random"), ("search", "simple")]
RESULT = re.compile(
    r"^\| (?:(?P<game>[^|]+) )?\| `(?P<bot>\w+)` \| `(?P<against>\w+)` \| (?P<rounds>\d+) \| (?P<fair>[\d.]+) \|"
    r" (?P<won>[\d.]+) \| (?P<low>[\d.]+)–(?P<high>[\d.]+) \|$",
    re.MULTILINE,
)


def rows(title):
    """The first cells of the table that begins with this one."""
    table = PAGE.split(f"| {title} |", 1)[1].split("\n\n")[0]
    return re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)


def results():
    """(game or table, bot, against, fair share, low, high) of every row; an empty first cell repeats the one above."""
    game = ""
    for row in RESULT.finditer(PAGE):
        game = row["game"] or game
        yield game, row["bot"], row["against"], float(row["fair"]), float(row["low"]), float(row["high"])


def test_every_policy_and_tactic_is_explained():
    assert rows("policy") == list(POLICIES)
    assert rows("option") == [item.name for item in fields(Traits)]


@pytest.mark.parametrize("game", [*NAMES, "plawno` `championship"])
def test_every_variant_has_its_rows(game):
    assert [row[1:3] for row in results() if row[0] == f"`{game}`"] == PAIRS


def test_every_row_shows_the_stronger_bot_ahead_or_says_that_it_does_not():
    """What the interval leaves open is owned up to, by name, under the table."""
    found = list(results())
    assert len(found) == 2 * (len(NAMES) + 1 + 5)
    assert all(fair < (low + high) / 2 for *_, fair, low, high in found)
    unclear = {game.replace("` `", " ").strip("`") for game, *_, fair, low, high in found if low <= fair}
    told = re.search(r"Not clear yet at these sizes: (.*)\.", PAGE)
    assert unclear == (set(re.findall(r"`([^`]+)`", told[1])) if told else set())
