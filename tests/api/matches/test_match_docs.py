"""docs/tables.md: what it says of matches is what there is."""

import json
import re
from pathlib import Path

from casino.bots.policies import NAMES, tactics
from casino.catalogue import listings
from tests.api.tables.people import Person

PAGE = (Path(__file__).parents[3] / "docs" / "tables.md").read_text(encoding="utf-8")
SECTION = PAGE.split("## Matches", 1)[1].split("\n## ", 1)[0]


def names_in(table: str) -> list[str]:
    """The names in the first column of a table of the section."""
    rows = SECTION.split(table, 1)[1].split("\n\n", 1)[0].splitlines()[2:]
    return [name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])]


def test_the_match_of_the_page_is_opened(ada: Person) -> None:
    """Its request, as it stands there."""
    body = json.loads(re.search(r"-d '(\{.*?\})'\n", SECTION, re.DOTALL)[1])
    table = ada.open(**body)
    assert (table["phase"], table["target"], table["ante"]) == ("open", 500, 10)
    assert table["seats"][3]["policy"] == "simple:keep_wild"


def test_its_names_are_those_of_the_code() -> None:
    """Games, policies and tactics, all of them and no others."""
    games = SECTION.split("plays a match", 1)[0]
    matches = {listing.name for listing in listings() if listing.family != "banking"}
    assert set(re.findall(r"`([\w-]+)`", games)) == matches
    assert names_in("| tactic |") == list(tactics("shedding"))
    assert all(f"`{name}`" in SECTION for name in NAMES)
    assert names_in("| type of event |") == ["dealt", "played", "called", "caught", "drew", "scored"]
